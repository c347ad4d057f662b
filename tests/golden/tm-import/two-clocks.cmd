# Two clocks of the same 6 ms, of 2 ms a sample: `perf report` has 6000000 for each event. Times are those of the first, and
# the other's ns are periods: 6 ms in all, main 6 with what it called, f 2.
for t in 1 3 5; do
	for event in cpu-clock task-clock; do
		printf 'game 12 1.00%d000: 2000000 %s: \n' $t $event
		[ $t = 5 ] && printf '\t10 f+0x0 (/game)\n'
		printf '\t20 main+0x0 (/game)\n\n'
	done
done >perf.txt
tm-import perf.txt -o p.tmt
tm-top p.tmt
tm-top -q --by type --csv p.tmt | cut -d, -f 9-
tm-export -q --as folded p.tmt
tm-compare -q --save-baseline p.tma p.tmt
for f in p.tmt p.tma; do tm-compare -q --by function --all --sort self-time --table changes $f $f; done
tm-frames -q --every 1s p.tmt --csv | head -2
# The same in two captures: times of two clocks are not added up, by any program, nor compared, as captures or as aggregates.
for event in cpu-clock task-clock; do
	printf 'game 12 1.001000: 2000000 %s:u: \n\t20 main+0x0 (/game)\n\n' $event >$event.txt
	tm-compare -q --save-baseline $event.tma $event.txt
done
tm-dump cpu-clock.tma | grep -o 'clock="[^"]*"'
{
	tm-top -q --csv cpu-clock.txt task-clock.txt
	tm-top -q --csv cpu-clock.txt cpu-clock.txt
	tm-frames -q --every 1s --csv cpu-clock.txt task-clock.txt
	tm-export -q --as folded cpu-clock.txt task-clock.txt
	tm-compare -q cpu-clock.txt task-clock.txt
	tm-compare -q cpu-clock.tma task-clock.txt
	tm-merge -q -o m.tma cpu-clock.tma task-clock.tma
	tm-top -q --csv cpu-clock.tma task-clock.tma
	tm-top -q --csv cpu-clock.tma task-clock.txt
} 2>&1 | grep -v -e '^self_ns' -e 'try tm-'
