# Four of five frames have A: 10, 40, 20 and 30 bytes, 100 in all: mean 25, and by the nearest rank the 1st, 2nd and 3rd of
# four are the quartiles: 10, 20, 30. B has 7 in frame 3 and 8 in frame 5: mean 7.5, which is 8; quartiles 7, 7, 8. Largest
# total first. As steps of 100 ms there are none, since frames here have no times.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":10,"r":10,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[10]}]}
{"f":2,"d":[{"t":"A","s":40,"r":40,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[40]}]}
{"f":3,"d":[{"t":"B","s":7,"r":7,"st":["Grow (in Game) (/a/grow.cpp:9);main (in Game) (/a/main.cpp:5);"],"sz":[7]}]}
{"f":4,"d":[{"t":"A","s":20,"r":20,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[20]}]}
{"f":5,"d":[{"t":"A","s":30,"r":30,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[30]},{"t":"B","s":8,"r":8,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[8]}]}
X
tm-frames --spread run.mem
tm-frames --spread --as csv run.mem
# By site: Load has 10, 40, 20 and 30 + 8 = 38: 108, mean 27; quartiles 10, 20, 38. Grow has 7.
tm-frames --spread --by site --as csv run.mem
# Frames 2 to 4 alone: A has 40 and 20.
tm-frames --spread --frame 2..4 -n 1 --sort requested --as csv run.mem
tm-frames --spread --sort live-real run.mem
tm-frames --spread --sort duration run.mem
tm-frames --spread --tops 2 run.mem
tm-frames --spread --detail run.mem
# Calls: f from 0 to 4 s, with g from 1 to 2 s and from 3 to 3.5 s in it. In steps of a second, each time is in the step in
# which it passes: g has 1 s in step 1 and 0.5 s in step 3; f has 1 s of its own in steps 0 and 2 and 0.5 s in step 3.
"$GEN/calls" >calls.tmt <<'X'
thread Main
> 0 f
> 1000000 g
< 2000000 g
> 3000000 g
< 3500000 g
< 4000000 f
X
tm-frames --spread --by function --every 1s --as csv calls.tmt
tm-frames --spread calls.tmt
tm-compare -q --save-baseline run.tma run.mem
tm-frames --spread run.tma
