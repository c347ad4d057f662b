# A capture's last mark with nothing behind it only ends the frame before it. 100 frames of 1 ms have a block of 100 B each in
# a.tmt, of 160 B in b.tmt, and a mark ends them: 100 B and 160 B a frame, and 0..49 against 50.. has 50 frames on each side.
# The same comes from packed traces, a pipe and aggregates.
capture() { # BYTES
	printf 'metric count exact\nmetric requested exact\n'
	for i in {0..99}; do printf 'frame %d %d\nalloc malloc main;step %d %d\n' "$i" "${i}000000" "$1" "${i}000000"; done
	echo "frame 100 100000000"
}
capture 100 | "$GEN/script" >a.tmt
capture 160 | "$GEN/script" >b.tmt
gzip -k a.tmt
zstd -q b.tmt
tm-compare -q --save-baseline a.tma a.tmt
tm-compare -q --save-baseline b.tma b.tmt
tm-merge -o both.tma a.tma b.tma
compare() {
	echo "$*"
	tm-compare -q --by function --per frame --csv --table changes "$@" | cut -d, -f 2,3
}
runs() { tm-compare -q --csv --table runs "$@" | cut -d, -f 2-5; }
compare a.tmt b.tmt
compare a.tmt.gz b.tmt.zst
compare a.tma b.tma
echo "200 frames of 26000 B, added up: 130 B a frame"
compare both.tma b.tma
compare - b.tmt <a.tmt
compare --all --base-frame 0..49 --new-frame 50.. a.tmt
runs a.tmt b.tma
tm-top -q --by function a.tmt | grep -o '^frames: [0-9]*'
echo "with something behind the last mark it is a frame: 10100 B of 101"
{
	capture 100
	echo "alloc malloc main;step 100 100000000"
} | "$GEN/script" >c.tmt
compare --all c.tmt c.tmt
echo "what a filter leaves out behind the last mark was there: 50 frames, and 101"
tm-filter -q --frame 0..49 --ignore . -o d.tmt a.tmt
tm-filter -q --ignore . -o e.tmt c.tmt
runs d.tmt e.tmt
