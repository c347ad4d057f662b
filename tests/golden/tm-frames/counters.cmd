# fps is read once per frame, but not in frame 3; the heap twice in frame 1: last 3 MiB, least 1,
# mean 2. Three domains allocate, so the numbers of each are side by side.
"$GEN/script" >c.tmt <<'X'
metric time exact
metric count exact
metric requested exact
frame 1 0
counter fps fps 60 5
counter lua.heap B 1048576 6
counter lua.heap B 3145728 7
sample Update 1 900 900 8
alloc malloc main;load 1000 9
alloc mono Update 64 10
alloc lua Update 32 11
frame 2 20000000
counter fps fps 24 20000005
counter lua.heap B 2097152 20000006
counter temperature - -4 20000007
alloc lua Update 8 20000008
frame 3 60000000
X
tm-frames c.tmt
tm-frames --csv --table frames c.tmt | tr -d '\r' | cut -d, -f 2,5,8,20-
tm-frames --table frames --sort-counter lua.heap:max -n 1 c.tmt
tm-frames --table spikes --spike 'counter:lua.heap>2MiB' --spike 'counter:fps>50' c.tmt
tm-frames --table spikes --spike 'counter:gpu>1' c.tmt || echo "status $?"
tm-frames --sort-counter gpu c.tmt
