# Calls of 2023 threads from 0 to 30, each at once: frame 1 has 2023 x 10 of it, frame 2 2023 x 20.
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
