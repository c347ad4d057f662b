# 6 blocks of 60 bytes in all, of which 3 are there at the end, and 3 when the heap was largest.
$GEN/dhat heap 2>err >a.json
tm-dump a.json
cat err
for variant in rust nolife; do
	$GEN/dhat $variant 2>err | tm-top -q --csv | cut -d, -f1-8
done
