# Of the largest groups a line each. Frame 1: A 10; frame 2: B 40; frame 3: A 5, C 1. Sums: A 15, B 40, C 1, so with two
# lines B is first, then A, and C is (others), which is alone and so has its name. With -n 1 the others are A and C: 10, 0, 6.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":10,"r":10,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[10]}]}
{"f":2,"d":[{"t":"B","s":40,"r":40,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[40]}]}
{"f":3,"d":[{"t":"A","s":5,"r":5,"st":["Grow (in Game) (/a/grow.cpp:9);main (in Game) (/a/main.cpp:5);"],"sz":[5]},{"t":"C","s":1,"r":1,"st":["Grow (in Game) (/a/grow.cpp:9);main (in Game) (/a/main.cpp:5);"],"sz":[1]}]}
X
tm-frames --chart requested -n 2 --as json run.mem | jq -c '.sections[0] | .title, .x, (.lines[] | [.title, .y])'
tm-frames --chart requested -n 1 --as csv run.mem
# By site: Load 10, 40, 0; Grow 0, 0, 6. What was requested is known of types alone.
tm-frames --chart real --by site --as csv run.mem
tm-frames --chart requested --by site --as csv run.mem
# Calls: f from 0 to 4 ms, in it g from 1 to 2 ms and twice for 0.1 ms at 2.1 and 2.3 ms. With steps of 1 ms the short ones are
# one row, from 2.1 to 2.4 ms, with two calls. Thread B: h from 5 ms on, and it has no end: it ends where its thread does.
"$GEN/calls" >calls.tmt <<'X'
thread Main
> 0 f
> 1000 g
< 2000 g
> 2100 g
< 2200 g
> 2300 g
< 2400 g
< 4000 f
thread B
> 5000 h
> 6000 k
< 7000 k
X
tm-frames --bars --as csv calls.tmt
tm-frames --bars --every 1ms --as csv calls.tmt
tm-frames --bars --levels 1 --as csv calls.tmt
# f reaches into the range with all of its duration; the first g does not.
tm-frames --bars --time 3ms..4ms --as csv calls.tmt
tm-frames --bars --thread B --as csv calls.tmt
# A thread without a name is called as in a ranking by thread: it is thread 1, the first.
printf '%s\n' '[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":3}]' >nameless.json
tm-frames --bars --as csv nameless.json
tm-top --by thread --as csv nameless.json | tail -1
# The two longest rows.
tm-frames --bars -n 2 calls.tmt
tm-frames --bars --focus f calls.tmt
tm-frames --levels 1 calls.tmt
tm-frames --chart auto run.mem
tm-frames --chart live-real run.mem
tm-frames --chart real --bars run.mem
