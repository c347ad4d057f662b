# The frames of counters.cmd on a page: a chart of what ranks, of the time, and of each counter, with what
# the frame has in the table there. JSON has the one that it had.
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
frame 2 20000000
counter fps fps 24 20000005
counter lua.heap B 2097152 20000006
counter temperature - -4 20000007
frame 3 60000000
X
tm-frames -q --as html c.tmt | grep -o '^{"key":"[^"]*","title":.*"decimals".*]}'
tm-frames -q --as json c.tmt | grep '^{"key":"self_ns","title":"self time",.*"y":'
# More counters than charts: ten of them, beside self time and duration.
{
	printf 'metric time exact\nmetric count exact\n'
	for frame in 1 2; do
		echo "frame $frame ${frame}000000"
		for k in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
			echo "counter c$k - $k$frame ${frame}000001"
		done
	done
	echo "sample Update 1 900 900 3000000"
} | "$GEN/script" >many.tmt
tm-frames -q --as html many.tmt | grep -c '^{"key":"[^"]*","title":.*"decimals".*]}'
tm-frames -q --as html many.tmt | grep -o '[0-9]* more counters[^<]*'
