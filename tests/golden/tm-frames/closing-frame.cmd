# 100 frames of 1 ms have a block of 100 B each, and a mark ends them: 100 rows, 100 B in the mean, the least and all percentiles.
# With a block behind that mark there are 101.
capture() {
	printf 'metric count exact\nmetric requested exact\n'
	for i in {0..99}; do printf 'frame %d %d\nalloc malloc main;step 100 %d\n' "$i" "${i}000000" "${i}000000"; done
	echo "frame 100 100000000"
}
look() {
	tm-frames -q --csv "$1" | grep -c '^[0-9]'
	tm-frames -q --csv --table statistics --sort requested "$1" | cut -d, -f 1-4
	tm-top -q --by frame -n 0 --csv "$1" | grep -c ',100,'
}
capture | "$GEN/script" >a.tmt
look a.tmt
gzip a.tmt
look a.tmt.gz
{
	capture
	echo "alloc malloc main;step 100 100000000"
} | "$GEN/script" >b.tmt
look b.tmt
echo "one mark alone is a frame"
printf 'metric count exact\nmetric requested exact\nalloc malloc main 5 0\nframe 7 100\n' | "$GEN/script" >c.tmt
tm-frames -q --csv c.tmt | grep -c '^1,7,'
