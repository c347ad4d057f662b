# Two threads, one written behind the other: the block of 50 at 5 ms lies in frame 1 by its time, behind the mark
# of frame 2 in the file. Forms that have frames keep the file's order, and say of how many allocations.
printf '%s\n' 'metric time exact' 'metric requested exact' 'thread main' 'frame 1 0' 'alloc mono main;f 8 1000000' \
	'frame 2 10000000' 'alloc mono main;f 8 11000000' 'thread worker' 'alloc mono work 50 5000000' |
	"$GEN/script" >late.tmt
tm-frames -q --csv late.tmt | cut -d, -f 2,8
tm-export --as chrome late.tmt | grep -c 'frame'
tm-export --as folded late.tmt
# In the other order nothing is misplaced.
printf '%s\n' 'metric time exact' 'metric requested exact' 'thread main' 'frame 1 0' 'alloc mono main;f 8 1000000' \
	'alloc mono work 50 5000000' 'frame 2 10000000' 'alloc mono main;f 8 11000000' | "$GEN/script" >order.tmt
tm-export --as chrome order.tmt | grep -c frame
