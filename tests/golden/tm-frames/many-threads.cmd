# Open calls are cut at frames, of the first 1024 threads (the first row of threads is no thread);
# the calls of the 1000 others count where they end, and a note says so.
awk 'BEGIN {
	for (i = 1; i <= 2023; i++) {
		print "thread t" i
		print "enter f 0"
	}
	print "frame 1 0"
	print "frame 2 10"
	for (i = 1; i <= 2023; i++) {
		print "thread t" i
		print "exit f 30"
	}
}' | "$GEN/script" >many.tmt
tm-frames --csv --table frames many.tmt | cut -d, -f 2,21
