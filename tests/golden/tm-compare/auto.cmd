# What rows are ranked by unasked is the same in all programs: the first metric of which there is more than 0. A call
# took no time here, so it is requested bytes.
"$GEN/script" >t.tmt <<X
metric count exact
metric requested exact
metric time exact
enter main 0
exit main 0
alloc malloc a 10 5
alloc malloc b 20 6
X
tm-top -q --by function t.tmt | head -n 1
tm-compare -q --all --by function t.tmt t.tmt | head -n 1
tm-history add -q h.db t.tmt >/dev/null
tm-history trend -q --csv h.db | cut -d, -f4-5
