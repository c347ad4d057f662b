# 40 frames whose numbers are 0, 7, 14 and so on, modulo 40: frames 0 to 20 are 21 of them, and they come six times again
# behind frames above 20. Each allocates 100 bytes, which the next one frees: 100 bytes, one block, are live at any moment.
# Frees behind frame 20 do not count. A counter that passes them over finds 7 blocks of frames 0 to 20: 6 frees too few.
# So what is live of them is not known, and is not 700 bytes.
script() {
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nthread main 1\n'
	awk -v more="$1" 'BEGIN { for (i = 0; i < 40; i++) {
		print "frame", i * 7 % 40, i * 10000000
		print "alloc malloc main;c@tick.cpp:4 100", i * 10000000 + 1, "-", i * 4096 + 4096
		if (i) print "free", i * 4096, i * 10000000 + 2
		for (k = 0; k < more; k++) print "alloc malloc main;d 8", i * 10000000 + 3, "- 8\nfree 8", i * 10000000 + 4
	} }'
}
script 0 >order.script
"$GEN/script" <order.script >order.tmt
awk '/^frame/ { in_range = $2 <= 20 } /^alloc/ && in_range { live[$NF] = 1; n++ } /^free/ && in_range { n -= live[$2]; delete live[$2] }
	END { print n " blocks, by a counter that passes over frees behind frame 20" }' order.script
echo '== tm-top'
tm-top -q --frame ..20 order.tmt | sed '/^worst/,/^top/d'
tm-top -q --sort live --frame ..20 order.tmt
echo '== tm-frames'
tm-frames -q --frame ..20 --sort live-requested order.tmt
tm-frames -q --frame ..20 -n 2 order.tmt | head -8
echo '== tm-filter: the loss stays in what it writes'
tm-filter -q --frame ..20 order.tmt >part.tmt
tm-top part.tmt >/dev/null
echo '== whole chunks are passed over at once: the same'
script 3000 | "$GEN/script" >large.tmt
tm-top -q --frame ..20 large.tmt | grep 'not known'
echo "== a range that has all of them, and one of time, have all that is live"
tm-top -q --frame 0..40 order.tmt | sed -n 2p
tm-top -q --time ..200ms order.tmt | sed -n 2p
