# Source with costs. Real bytes, in entries:
#   Run m.c:3 > Load l.c:2 > Alloc a.c:4                 64 + 32
#   Run m.c:6 > Tick t.c:5 > Alloc a.c:4                 40
#   Run m.c:3 > Load l.c:9 > Load l.c:9 > Load l.c:14    16
# All: 152. Run has 152: at line 3 64 + 32 + 16 = 112 (73.68 %), at line 6 40 (26.32 %). Load has 112, once for a stack
# on which it is more than once: at line 2 96 (63.16 %), at 9 16, at 14 16, which is its self. `go tool pprof -list`
# has these numbers by line (tests/sh/export.sh) and lines from five before to five after. t.c is cut at line 3.
p=/ci/game
cat >run.mem <<E
{"f":1,"d":[{"t":"String","s":60,"r":64,"st":["Alloc (in Base) ($p/a.c:4);Load (in Game) ($p/l.c:2);Run (in Game) ($p/m.c:3);"],"sz":[64]},{"t":"Node","s":10,"r":16,"st":["Load (in Game) ($p/l.c:14);Load (in Game) ($p/l.c:9);Load (in Game) ($p/l.c:9);Run (in Game) ($p/m.c:3);"],"sz":[16]}]}
{"f":2,"d":[{"t":"String","s":70,"r":72,"st":["Alloc (in Base) ($p/a.c:4);Load (in Game) ($p/l.c:2);Run (in Game) ($p/m.c:3);","Alloc (in Base) ($p/a.c:4);Tick (in Game) ($p/t.c:5);Run (in Game) ($p/m.c:6);"],"sz":[32,40]}]}
E
mkdir -p src/game other
for i in {1..30}; do
	echo "load($i);" >>src/game/l.c
	printf '\trun(%d);\t/* %s */\r\n' "$i" "$i" >>src/game/m.c
done
head -n 3 src/game/l.c >src/game/t.c
echo "# found"
tm-top -q --source '^(Load|Run)$' --source-dir other --source-dir src run.mem
echo "# one function, in entries: Run has all 4"
tm-top -q --source . --source-dir src -n 1 --csv --sort entries run.mem
echo "# no folder; a folder without it; a file that ends before"
tm-top -q --source '^(Load|Alloc)$' run.mem
tm-top -q --source '^(Tick|Alloc)$' --source-dir other --source-dir src run.mem
echo "# nothing matches"
tm-top -q --source '^load$' --source-dir src run.mem
echo "# filters hold: of Tick's 40 all are in Run"
tm-top -q --source '^Run$' --focus '^Tick$' --csv run.mem
echo "# by JSON"
tm-top -q --source '^Tick$' --source-dir src --as json run.mem | grep -o '"_details":[^]]*]'

# What a file holds is text: an escape sequence, a tab after letters, bytes that are no UTF-8, a formula. Far lines
# without costs are left out: 5 after 7, 5 before 900. A path of Windows. Neither a link nor .. leads out.
echo secret >secret.c
ln -s ../secret.c src/link.c
for i in {1..1000}; do echo "line $i"; done | sed '7s/.*/ab\tc \x1b[31m\xff/; 6s/.*/=1+1/' >src/w.c
printf 'int x;%02000d\n' 1 >src/long.c
cat >odd.mem <<'E'
{"f":1,"d":[{"t":"A","s":60,"r":64,"st":["Far (in Game) (C:\\ci\\w.c:7);main (in Game) (/ci/main.c:1);","Far (in Game) (C:\\ci\\w.c:900);"],"sz":[32,32]}]}
{"f":2,"d":[{"t":"A","s":7,"r":7,"st":["Link (in Game) (/ci/link.c:1);","Up (in Game) (../secret.c:1);","Long (in Game) (long.c:1);","None (in Game)"],"sz":[1,2,3,1]}]}
E
tm-top -q --source 'Far' --source-dir src odd.mem
tm-top -q --source 'Far' --source-dir src --csv odd.mem | sed -n 7p
tm-top -q --source 'Link|Up|None' --source-dir src odd.mem
tm-top -q --source 'Long' --source-dir src --csv odd.mem | wc -c

echo "# refused"
tm-top --source x --source-dir none run.mem
tm-top --source x --source-dir run.mem run.mem
tm-top --source '(' run.mem
tm-top --source x --peek x run.mem
tm-top --source-dir src run.mem
tm-top --source x --sort lifetime run.mem
echo "# a question of tm-view: its own folders only"
tm-view -q --source-dir src --query 'top --source ^Tick$ --source-dir src --csv' run.mem
tm-view -q --source-dir src --query 'top --source ^Tick$ --source-dir src/game' run.mem
tm-view -q --allow src --query 'top --source ^Tick$ --source-dir src' run.mem
