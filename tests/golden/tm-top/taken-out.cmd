# A call that a filter takes out is no call of who gets its time. top calls mid three times, mid calls
# leaf: top 100 = 40 + 3 mid of 20, mid 20 = 15 + leaf 5. Without mid, top has 40 + 3 * 15 = 85 of its
# own, in the one call that it is: its mean is 100. With mid as the last, mid has 3 * 20 in 3 calls,
# a mean of 20, and the calls of leaf are nobody's. So is it where calls were sampled.
"$GEN/script" >calls.tmt <<'X'
metric time exact
enter top 0
enter top;mid 10
enter top;mid;leaf 20
exit top;mid;leaf 25
exit top;mid 30
enter top;mid 40
enter top;mid;leaf 45
exit top;mid;leaf 50
exit top;mid 60
enter top;mid 70
enter top;mid;leaf 75
exit top;mid;leaf 80
exit top;mid 90
exit top 100
X
"$GEN/script" >sampled.tmt <<'X'
metric time exact
sample top 1 100 40
sample top;mid 3 60 45
sample top;mid;leaf 3 15 15
X
for t in calls sampled; do
	for filter in --hide=^mid$ --prune-from=^mid$ --show=top; do
		for by in function site stack; do
			echo "$t $filter --by $by"
			tm-top -q --csv --metrics self-time,total-time,calls,mean-time --by $by $filter $t.tmt
		done
	done
done
# Nor is a call of an allocator one of the site that calls it: main has one call of 100 us, malloc of thread 2 one of 10, whose
# operator new is a part of it. By function all have their own.
cat >m.json <<'X'
{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"main"},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":10,"name":"malloc"},
{"ph":"X","pid":1,"tid":1,"ts":30,"dur":10,"name":"malloc"},
{"ph":"X","pid":1,"tid":2,"ts":0,"dur":10,"name":"malloc"},
{"ph":"X","pid":1,"tid":2,"ts":2,"dur":4,"name":"operator new(unsigned long)"},
{"ph":"X","pid":1,"tid":2,"ts":3,"dur":2,"name":"work"}]}
X
for by in site function; do
	tm-top -q --by $by m.json | grep '^[1-9#]'
	tm-top -q --by $by --ignore zzz m.json | grep '^[1-9#]' # a filter, which all have
done
tm-compare -q --save-baseline m.tma m.json
tm-top -q m.tma | grep '^[1-9#]'
