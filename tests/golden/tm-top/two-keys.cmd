# Rows of both keys. Mesh: 100 bytes at line 3 in one block and 40 + 50 at line 9 in two; Tex: 300 at line 3. Of Load's
# line 3 there are so 400 in two rows: 300 of 490 are 61.22 %, 100 are 20.41, 90 are 18.37. By function the two lines are one:
# Mesh has 190, 38.78 %. By thread and type nothing adds up to more than it is: all is of one thread without a name.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"Mesh","s":190,"r":190,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);","Load (in Game) (/a/mesh.cpp:9);main (in Game) (/a/main.cpp:5);","Load (in Game) (/a/mesh.cpp:9);main (in Game) (/a/main.cpp:7);"],"sz":[100,40,50]},{"t":"Tex","s":300,"r":300,"st":["Load (in Game) (/a/mesh.cpp:3);main (in Game) (/a/main.cpp:5);"],"sz":[300]}]}
X
tm-top --by type,site run.mem
tm-top --by site,type --csv run.mem
tm-top --by type,function --csv run.mem
tm-top --by type,site --show-stacks 1 -n 2 run.mem
for by in type,type type,frame stack,type type, type,sites; do
	tm-top --by "$by" run.mem
done
tm-top --by type,site --cumulative run.mem
tm-compare -q --save-baseline run.tma run.mem
tm-top --by type,site run.tma
