# What it cannot do, in one line each.
echo '{"f":1,"d":[{"t":"T","s":8,"r":8,"st":["F (in G) (g.cpp:9);"],"sz":[8]}]}' >a.mem
tm-compare -q --save-baseline a.tma a.mem
tm-merge
tm-merge --min much a.tma
tm-merge --min lifetime:3ms a.tma
tm-merge --from-lines a.tma a.tma
tm-merge a.tma a.mem -o x.tma
tm-merge a.tma none.tma -o x.tma
head -c 100 a.tma >cut.tma
tm-merge cut.tma -o x.tma 2>&1 | sed 's/needs [0-9]* bytes/needs N bytes/'
tm-merge a.tma >/dev/full
ls x.tma
