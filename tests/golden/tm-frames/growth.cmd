# Each frame i of 100 frees one block and allocates one of $1(i) bytes, which is what is live at its end. The first quarter is the
# start of the program, and the last frame is still open.
levels() { # AWK-EXPRESSION
	awk 'BEGIN {print "metric requested exact\nmetric live exact\nmetric count exact"
		for (i = 0; i < 100; i++) printf "frame %d %d\n%salloc malloc tick %d %d - 4096\n", i, i * 1000, i ? "free 4096 " i * 1000 + 4 "\n" : "", '"$1"', i * 1000 + 5}' |
		"$GEN/script"
}
growth() {
	echo "# $*"
	levels "$2" >a.tmt
	tm-frames a.tmt | grep -E 'grow|falls'
}
numbers() { tm-frames --as json a.tmt | jq -c '.numbers | with_entries(select(.key | startswith("growth")))'; }
growth "10 B a frame and 4000 B more in frame 50: from 25 to 98 730 + 4000, of which 4010 (85 %) in one" '1000 + 10 * i + 4000 * (i >= 50)'
numbers
growth "two steps: 2010 and 3010 of 5730 (88 %)" '1000 + 10 * i + 2000 * (i >= 40) + 3000 * (i >= 70)'
growth "a slope of 100 B: 7300 B from 25 to 98" '1000 + 100 * i'
numbers
growth "a sawtooth of 1000 B that ends in the middle of a tooth" '5000 + 50 * (i % 20)'
numbers
growth "... above a leak of 20 B a frame: its teeth begin at 35 and 95, 1200 B apart" '5000 + 20 * i + 50 * ((i + 5) % 20)'
growth "a leak in the last fifth: 200 B a frame from 80 on, 3600 B up to 98" '5000 + (i > 80 ? 200 * (i - 80) : 0)'
growth "a step that is freed at the end" '5000 + 3000 * (i >= 40 && i < 92)'
growth "noise of 10 %" '10000 + (i * 7919 % 101) * 20 - 1000'
growth "noise of 10 % on a leak of 100 B a frame" '10000 + (i * 7919 % 101) * 10 - 500 + 100 * i'
growth "the program frees all in the last frame, which is open" '5000 + 50 * i - (i == 99 ? 9000 : 0)'
growth "falls: 10000 to 2700 B" '12500 - 100 * i'
numbers
growth "falls once, and leaks then: 30 to 98" 'i < 30 ? 20000 : 5000 + 100 * (i - 30)'
growth "a peak" '5000 + 9000 * (i == 60)'
growth "600 B a frame, and 1000000 B that stay: 4 %" '1000000 + 600 * i'
growth "falls in frame 44 to the half" 'i < 45 ? 2000000 : 1000000'
growth "rises by 1000 B a frame and falls once: 2044000 - 1000000 in frame 45" 'i < 45 ? 2000000 + 1000 * i : 1000000'
numbers
