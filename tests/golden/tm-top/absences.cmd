# What the captures do not have is said. Their blocks at most are 100 of main in the one and 60 of Load in the other, so
# that the rows have 160 together and the head has the larger one. No frame is marked: all is before the first. Of a
# stack of addresses there are no names, in whatever shape it is printed.
"$GEN/script" >a.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main 100 10 - 4096
free 4096 20
alloc malloc Load 60 30 - 8192
free 8192 40
Y
"$GEN/script" >b.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main 10 10 - 4096
free 4096 20
alloc malloc Load 60 30 - 8192
free 8192 40
Y
tm-top --sort peak-requested a.tmt b.tmt
tm-top --by frame a.tmt
tm-top --by frame --table top --csv a.tmt
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;0x20;"],"sz":[16]}]}' >a.mem
tm-top --slide 0 a.mem
tm-top --slide 0 --tree a.mem
tm-top --slide 0 --by type a.mem
