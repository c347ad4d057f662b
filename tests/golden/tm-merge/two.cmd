# String has 80 + 16 bytes in two captures, at most 80; Node 20 in one. Frame 1 has 100 and 16 bytes,
# frame 2 has 4: of three frames the largest is the first capture's.
cat >a.mem <<'X'
{"f":1,"d":[{"t":"String","s":80,"r":80,"st":["Concat (in Game) (s.cpp:5);Update (in Game) (g.cpp:9);"],"sz":[80]},{"t":"Node","s":20,"r":24,"st":["Update (in Game) (g.cpp:9);"],"sz":[24]}]}
X
cat >b.mem <<'X'
{"f":1,"d":[{"t":"String","s":16,"r":16,"st":["Concat (in Game) (s.cpp:5);Update (in Game) (g.cpp:9);"],"sz":[16]}]}
{"f":2,"d":[{"t":"Tile","s":4,"r":8,"st":["Update (in Game) (g.cpp:9);"],"sz":[8]}]}
X
tm-compare -q --save-baseline a.tma a.mem
tm-compare -q --save-baseline b.tma b.mem
tm-merge -o ab.tma a.tma b.tma
tm-dump ab.tma | sed -n '/^frames/,/^key/p' | grep -A9 -E '^(frames|frame |row type|row function|row stack)' | sed 's/@[0-9a-f]*//g' | grep -E '^[a-z]|	(total_)?(requested|real) '
tm-top -q --by type --csv ab.tma | cut -d, -f 1,3,4,5,10
