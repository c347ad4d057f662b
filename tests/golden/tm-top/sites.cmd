# Concat is the program's own allocator here: rules in a file say so, and one keeps Load although
# a rule passes over all of l.cpp.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"String","s":80,"r":80,"st":["operator new(unsigned long) (in libc++.so);Concat (in Game) (s.cpp:5);Update (in Game) (g.cpp:9);","malloc (in libc.so);Load (in Game) (l.cpp:7);Update (in Game) (g.cpp:9);","malloc (in libc.so);start (in libc.so);"],"sz":[64,16,4]}]}
X
cat >rules <<'X'
# the game's own
function ^Concat
file l\.cpp$
!function ^Load$
X
tm-top --csv run.mem
tm-top --csv --sites rules run.mem
