# Two events of perf, 2500 cycles and 11 page faults in 4 samples: a profile has a type for each, by name, and tells them again; so
# it is beside a clock (2.5 us). A form of one value has none of both.
sample() { printf 'game 12 1.00%d000: %d %s: \n\t10 %s+0x0 (/game)\n\t20 main+0x0 (/game)\n\n' "$@"; }
for clock in cycles cpu-clock; do
	{
		sample 1 1000 $clock f
		sample 2 1500 $clock g
		sample 3 4 page-faults f
		sample 4 7 page-faults g
	} >perf.txt
	tm-export -q --as pprof perf.txt -o p.pb.gz
	for f in perf.txt p.pb.gz; do
		tm-top -q --by type $f
		tm-top -q --by function --csv --type page-faults $f | cut -d, -f 9-
	done
	tm-export -q --as folded --sort period perf.txt || echo "no one period"
	tm-export -q --as speedscope perf.txt | grep -o '"name":"[^"]*","unit[^,]*\|"weights.*'
done
# Of perf's second clock the periods are ns, there too.
sample 5 2500 task-clock f >>perf.txt
tm-export -q --as pprof perf.txt | tm-dump -q | grep -e '^marker' -e estimated -e '^attribute periods'
