# Four blocks live for 69, 70, 70 and 70 ns: 69.75 on average, which is 70 and not 69; in a comparison, too.
{
	for metric in count requested live time; do
		echo "metric $metric exact"
	done
	echo 'thread A 1'
	for i in 1 2 3 4; do
		echo "alloc malloc main;load 8 ${i}00 - ${i}0"
		echo "free ${i}0 $((i * 100 + (i == 1 ? 69 : 70)))"
	done
} | "$GEN/script" >a.tmt
tm-top -q --csv --metrics lifetime a.tmt | cut -d, -f3
tm-compare -q --csv --all --by site --sort lifetime a.tmt a.tmt | cut -d, -f2-4 | head -n 3
