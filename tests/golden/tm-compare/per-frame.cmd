# Parts of a byte and of a call count. In 10 frames of each side mesh has 14 and 21 bytes, tex 4 and 6: 1.4 and 2.1, 0.4 and
# 0.6 a frame, +50 % each, and all has 1.8 and 2.7. One block in 10,000 frames, then two: 0.0001 and 0.0002 a frame, +100 %.
# The last mark of each ends the frame before it.
blocks() { # FRAME FUNCTION BYTES
	printf 'frame %d %d\nalloc malloc main;%s %d %d\n' "$1" "$1" "$2" "$3" "$1"
}
exact() {
	printf 'metric count exact\nmetric requested exact\n' && cat
}
{
	blocks 0 mesh 14
	echo "alloc malloc main;tex 4 0"
	for i in {1..9}; do echo "frame $i $i"; done
	blocks 10 mesh 21
	echo "alloc malloc main;tex 6 10"
	for i in {11..20}; do echo "frame $i $i"; done
} | exact | "$GEN/script" >a.tmt
per_frame() {
	tm-compare -q --by function --base-frame 0..9 --new-frame 10..19 --per frame --table changes "$@" a.tmt
}
per_frame
per_frame --csv | cut -d, -f 1-9
per_frame --as json | grep -o '"[a-z]*_requested":[^,]*'
{
	blocks 0 mesh 10
	for ((i = 1; i < 10000; i++)); do echo "frame $i $i"; done
	blocks 10000 mesh 10
	blocks 10001 mesh 10
	for ((i = 10002; i <= 20000; i++)); do echo "frame $i $i"; done
} | exact | "$GEN/script" >b.tmt
tm-compare -q --by function --base-frame 0..9999 --new-frame 10000..19999 --per frame --sort count --table changes b.tmt
