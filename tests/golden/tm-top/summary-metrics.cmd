# The summary does not depend on the metrics that are asked for. massif's records are no allocations; a record of a sampled
# capture stands for several: 2 and 3 here,
# of 200 and 150 bytes together: 5 allocations, 350 B; the peak of 350 B is at 1 ms.
"$GEN/massif" plain >a.massif 2>truth
{
	for metric in count requested live; do
		echo "metric $metric estimated"
	done
	echo 'set capture.sample_interval 1000'
	printf '%s\n' 'thread A 1' 'alloc malloc main;load 200 0 - 100 2' 'alloc malloc main;draw 150 1000000 - 200 3'
} | "$GEN/script" >a.tmt
for file in a.massif a.tmt; do
	for metrics in requested,live-requested live-count peak-requested freed-count temporary all; do
		tm-top -q --metrics $metrics $file | head -n 2
	done | sort | uniq -c | sed 's/^ *//'
done
