# 95 of 100 bytes are at a site with a line: rows show that, so no line says it, and JSON has the numbers. Of 94 of
# 100 a note says it. Records are 1 of 2, and 1 of 3.
capture() {
	"$GEN/script" <<S
metric count exact
metric requested exact
thread main 1
alloc malloc main@game.c:9;load@game.c:5 $1
alloc malloc main@game.c:9;tick $2
$3
S
}
capture 95 5 >nearly.tmt
capture 94 5 'alloc malloc . 1' >some.tmt
for f in nearly some; do
	tm-top -q --table top $f.tmt
	tm-top -q --as json --table top $f.tmt | grep -o '"coverage":\[[^]]*\]'
done
