# Samples with a time of their own and no total: a caller's total is what lies in and below it, recursion counted once. ch
# as pprof, which has no other: root 100 us (45 of its own, x 10 + 25, y 10), x 45 + 10 = 55 us in 2 calls, z 200. The
# numbers are those of ch.json itself; by stack there are none, as a caller's stack has no row.
cat >ch.json <<'X'
{"traceEvents":[
{"ph":"B","pid":1,"tid":1,"ts":0,"name":"root"},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":30,"name":"x"},
{"ph":"X","pid":1,"tid":1,"ts":20,"dur":10,"name":"y"},
{"ph":"X","pid":1,"tid":1,"ts":50,"dur":25,"name":"x"},
{"ph":"E","pid":1,"tid":1,"ts":100,"name":"root"},
{"ph":"X","pid":1,"tid":2,"ts":5,"dur":200,"name":"z"}]}
X
times() { # OPTION... FILE...: the columns that are there, by name
	tm-top -q --csv "$@" | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i ~ /^(self_ns|total_ns|calls|mean_ns|site|function)$/) c[++n] = i}
		{for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? "," : "\n"}' | LC_ALL=C sort -r
}
tm-export -q --as pprof ch.json -o ch.pb
for by in site function; do
	times --by $by ch.json >calls
	times --by $by ch.pb | diff calls - && cat calls
done
tm-top -q --by stack ch.pb | tail -1
tm-top -q --by stack --sort total-time ch.pb
# Samples and calls: 2.5 ms in m > p, 3.25 in m > q, 4.25 in m > p > p, and calls m of 100 us > p of 30: m has 10.1 ms, of
# which 0.07 are its own, p 6.78, q 3.25. No mean: the 10 ms are not of m's one call.
cat >ss.json <<'X'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"m"},{"name":"p"},{"name":"q"}]},"profiles":[
{"type":"sampled","name":"s","unit":"milliseconds","startValue":0,"endValue":10,"samples":[[0,1],[0,2],[0,1,1]],"weights":[2.5,3.25,4.25]},
{"type":"evented","name":"e","unit":"microseconds","startValue":0,"endValue":100,"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10},{"type":"C","frame":1,"at":40},{"type":"C","frame":0,"at":100}]}]}
X
tm-top -q ss.json
tm-top -q --by function --cumulative ss.json | grep '^[0-9#]'
times --by function --hide '^p$' ss.json
tm-export -q --as pprof ss.json -o ss.pb
tm-compare -q --save-baseline ss.tma ss.json
for f in ss.pb ss.tma; do
	times $f
done
# Two captures, and the aggregates of both: samples of m > p alone, then calls of m. No mean in either order.
grep -v '"type":"evented"' ss.json | sed 's/},$/}]}/' >s.json
grep -v '"type":"sampled"' ss.json >e.json
for f in s e; do tm-compare -q --save-baseline $f.tma $f.json; done
for f in "s.json e.json" "e.json s.json" "s.tma e.tma" "e.tma s.tma"; do
	# shellcheck disable=SC2086 # two names
	times --by function $f
done
