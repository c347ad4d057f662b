# Bytes of a capture that was recorded by samples, in every sentence and column: a point in 1000 B, in two domains. Frame 2 has
# 3000 of malloc, and 64 of a pool, which do not count; a filter keeps 3000 of 4000. Blocks below 32 B are missing, so sums are
# of a part: at least.
for least in 0 32; do
	{
		for metric in count requested real live; do
			echo "metric $metric estimated"
		done
		echo 'set capture.sample_interval 1000'
		[ $least = 0 ] || echo "set capture.threshold $least"
		printf '%s\n' 'thread A 1' 'frame 1 0' 'alloc malloc main;load 1000 1000 1000 100' 'thread B 2' 'frame 2 1000000' \
			'alloc malloc main;draw 3000 2000000 3000 200' 'alloc pool main;draw 64 2000000 64 300' 'frame 3 3000000'
	} | "$GEN/script" >e.tmt
	tm-top -q e.tmt
	tm-top -q --focus draw e.tmt | grep 'filters kept'
	tm-frames -q e.tmt
	tm-frames -q --as markdown e.tmt | grep -e alloc -e counted
done
