# What is counted where a capture has blocks of malloc and of a pool: malloc's, unless ranges or filters leave nothing of
# them; then the pool's, and so do frames and exports. Both are named with their sums (malloc 3 of 8 + 2000 + 30 bytes,
# the pool 2 of 100 + 200), and the option that shows each. The automatic metric is one that has a value there: of the
# capture below it is bytes, though it declares times, as no call came; nor are live blocks known
# without an address.
cat >two.script <<'S'
metric time exact
metric count exact
metric requested exact
metric live exact
frame 1 0
alloc malloc main;setup 8 1
frame 2 1000
alloc pool main;spawn 100 1001
alloc malloc main;load 2000 1002
frame 3 2000
alloc pool main;spawn 200 2001
alloc malloc main;load 30 2002
S
"$GEN/script" <two.script >two.tmt
tm-top -q --by function two.tmt
tm-top -q --by function --focus spawn two.tmt
tm-frames -q --table frames two.tmt
tm-frames -q --table frames --focus spawn two.tmt
tm-frames -q --csv --table frames --focus spawn two.tmt
echo "tops and new stacks are weighed by what has a value"
tm-frames -q --table frames --tops 1 --by function --focus spawn two.tmt
tm-export -q --as folded two.tmt
echo "the pool alone"
grep -v malloc two.script | "$GEN/script" >pool.tmt
tm-top -q --by function pool.tmt
