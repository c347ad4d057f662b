# Decoded captures have names. Update is on both stacks of String and twice on the one of Node:
# its total counts 64 + 16 + 24 once each, its own are the 24 that it allocates itself.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"String","s":80,"r":80,"st":["Concat (in Game) (s.cpp:5);Update (in Game) (g.cpp:9);","Load (in Game) (l.cpp:7);Update (in Game) (g.cpp:9);"],"sz":[64,16]},{"t":"Node","s":20,"r":24,"st":["Update (in Game) (g.cpp:9);Tick (in Game) (g.cpp:4);Update (in Game) (g.cpp:9);"],"sz":[24]}]}
X
tm-top --by function --csv run.mem
tm-top --by function --cumulative --csv -n 1 run.mem
tm-top --by location --csv run.mem
tm-top --by stack run.mem
tm-top --by stack --csv --focus '^Tick$' run.mem
tm-top --by site --csv --ignore Tick run.mem
