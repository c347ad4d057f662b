# Very many counters are a long table, not a long wait: the limit of a test is the limit here.
awk 'BEGIN {
	for (f = 1; f <= 2; f++) {
		print "frame", f, f * 100
		for (i = 0; i < 100000; i++)
			print "counter c" i, "-", f + 4
	}
}' | "$GEN/script" >many.tmt
tm-frames -q --csv --table frames many.tmt | awk -F, '{ print (NF > 100000), $NF }'
tm-compare -q --csv --table counters many.tmt many.tmt | awk -F, 'NR > 1 { n++; bad += $3 != "5.5" }
	END { print n, bad + 0 }'
