# A heap of Unity in each of its formats (testdata/gen/unity_heap.c): 12 managed objects of 536 bytes
# and 4 native ones of 8892. Cut in two it is bad or has less, said; versions that do not exist.
for f in snap heap memsnap2 memsnap3; do
	"$GEN/unity_heap" $f >run.$f
	echo "== $f"
	tm-import run.$f | tm-dump -q >dump
	grep -E '^(attribute|note|totals)' dump
	awk '$1 == "object" { n++; for (i = 2; i <= NF; i++) if (split($i, f, "=") && f[1] == "requested") s += f[2] }
		END { print n, s }' dump
	for part in 3 2; do
		head -c $(($(stat -c %s run.$f) * 2 / part - 9)) run.$f >cut.$f
		tm-import -q cut.$f 2>err | tm-dump -q 2>/dev/null | grep -E '^(note loss|totals)'
		cat err
	done
done
# Another version in the head, and in the directory, of which the file's end has the place.
cp run.heap v9.heap
printf '\11' | dd of=v9.heap bs=1 seek=4 conv=notrunc status=none
tm-import -o none.tmt v9.heap
cp run.snap v9.snap
at=$(tail -c 12 run.snap | od -An -tu8 -N 8)
printf '\11' | dd of=v9.snap bs=1 seek=$((at + 4)) conv=notrunc status=none
tm-import -o none.tmt v9.snap
