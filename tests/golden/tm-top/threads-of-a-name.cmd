# Threads of one name are one row, which says how many it adds up.
"$GEN/script" >t.tmt <<X
metric count exact
metric requested exact
thread worker 11
alloc malloc main 10
thread worker 12
alloc malloc main 20
thread main 10
alloc malloc main 5
thread worker 13
alloc malloc main 40
X
tm-top -q --by thread t.tmt
# Of two captures both are the sums.
tm-top -q --by thread t.tmt t.tmt | head -6
