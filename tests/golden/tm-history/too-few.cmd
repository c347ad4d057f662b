# Eight functions of about 1000, of which "grows" has ten times as much in the last K of N builds, and the gate on them.
# Half of 5 % by eight series is p 0.003125, one in 320. Of 8 builds there are C(8,4) = 70 sets of four, of 11 C(11,5) = 462, of
# which 299 random orders have one too likely; C(12,6) = 924. Sets of three: C(13,3) = 286, C(14,3) = 364; of two: C(25,2) = 300,
# C(26,2) = 325. One build is never a step.
store() {
	rm -f runs.db
	for n in $(seq "$1"); do
		for f in a b c d e f g; do
			echo "main;$f $((1000 + (n * 7 + $(printf %d "'$f") * n * n) % 11))"
		done >b$n.folded
		echo "main;grows $(((1000 + n * 5 % 11) * (n > $1 - $2 ? $3 : 1)))" >>b$n.folded
		tm-history add -q runs.db b$n.folded --date "2026-01-$(printf %02d "$n")" >/dev/null
	done
}
gate() {
	tm-history change-points runs.db --by function --gate --csv -q "$@" | cut -d, -f1,4,8,15,16 | tr -d '\r'
	tm-history change-points runs.db --by function --gate "$@" | grep -E 'too few|level|found when'
	tm-history change-points runs.db --by function --gate -q "$@" >/dev/null
	echo "status $?"
}
for of in '7 2' '8 2' '11 3' '12 2' '12 6' '14 1' '14 3' '26 2'; do
	set -- $of
	echo "== of $1 builds the last $2"
	store "$1" "$2" 10
	gate --min 10
done
echo "== nothing moves by 10 % in 7 builds, and all of it moves"
store 7 0 1
gate --min 10
gate
echo "== three times is 200 % more, which --min may pass over, and one time is nothing"
store 14 1 3
gate --min 10
gate --min 300
store 14 1 1
gate --min 10
echo "== equal values are no question"
for n in 1 2 3 4 5 6 7; do
	echo "main;a 100" >e$n.folded
	tm-history add -q equal.db e$n.folded --date 2026-01-0$n >/dev/null
done
tm-history change-points -q equal.db --gate >/dev/null
echo "status $?"
echo "main;a 200" >e8.folded
tm-history add -q equal.db e8.folded --date 2026-01-08 >/dev/null
tm-history change-points -q equal.db --gate
echo "status $?"
tm-history blame -q equal.db
echo "status $?"
