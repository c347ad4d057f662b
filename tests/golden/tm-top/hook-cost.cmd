# A hook's cost is taken off where it was spent, in the caller, and none has less than 0: root calls x twice, 45 us of its own
# less 60 are 0; x 45 - 30 for y are 15; y 10, z 200. A total is what the selves in and below it are together: root 0 + 15 + 10
# = 25, x 25, z 200, and all 225, the sum of the selves; so by thread and by stack.
cat >ch.json <<'X'
{"traceEvents":[
{"ph":"B","pid":1,"tid":1,"ts":0,"name":"root"},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":30,"name":"x"},
{"ph":"X","pid":1,"tid":1,"ts":20,"dur":10,"name":"y"},
{"ph":"X","pid":1,"tid":1,"ts":50,"dur":25,"name":"x"},
{"ph":"E","pid":1,"tid":1,"ts":100,"name":"root"},
{"ph":"X","pid":1,"tid":2,"ts":5,"dur":200,"name":"z"}]}
X
tm-top -q --hook-cost 30us ch.json
for by in function type thread stack; do
	echo "by $by"
	tm-top -q --hook-cost 30us --by $by --csv ch.json | cut -d, -f 9,10
done
tm-export -q --as pprof ch.json -o ch.pb
for by in site function; do
	tm-top -q --hook-cost 30us --by $by ch.json --csv | cut -d, -f 9-12 >calls
	tm-top -q --hook-cost 30us --by $by ch.pb --csv | cut -d, -f 9-12 | diff calls - && echo same by $by
done
# Of samples with totals: main 100 ns (10 of its own) calls f ten times (90, 20 of its own), each g once (70). At 3 ns a call
# main has none, f 0 (20 - 30), g 70: all have 70 in and below.
printf '%s\n' 'metric time exact' 'sample main 1 100 10' 'sample main;f 10 90 20' 'sample main;f;g 10 70 70' | "$GEN/script" >s.tmt
tm-top -q --hook-cost 3ns --by function --csv s.tmt | cut -d, -f 9,10
# A frame has what its rows have together, each 0 at least, and what tm-top has of its time: all in one step is 225 us as above.
# In steps of 100 us the first has 95 of z, 15 + 10 of x and y, and none of root; then z has 100 and 5. Of 7 us: root 7 and
# z 2; z 7, x 4 and root 0 (3 - 30, as root calls x at 10); z 7, y 1 and x 0 (6 - 30, as x calls y at 20).
for every in 1000 100 7; do
	frames() { tm-frames -q --every ${every}us --hook-cost 30us --csv "$@" ch.json | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n[$at["frame"]] += $at["self_ns"] } END { for (f in n) print f, n[f] }'; }
	frames | sort -n >rows
	frames --by function | sort -n | diff rows - && echo "${every} us: the rows of functions are the frames': $(head -n 3 rows | tr '\n' ',')"
	while read -r frame ns; do
		tm-top -q --hook-cost 30us --time "$((frame * every))us..$(((frame + 1) * every))us" --csv ch.json | awk -F , -v ns="$ns" -v frame="$frame" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["self_ns"] } END { if (n != ns) print frame, ns, n }'
	done <rows
done
# Other programs say that the times are estimated.
tm-frames -q --every 100us --hook-cost 30us ch.json | grep estimated
tm-compare -q --hook-cost 30us --all ch.json ch.json | grep estimated
tm-spikes -q --hook-cost 30us ch.json | grep estimated
