# Samples of 1, 2, 3 and 4 ms by turns, of main, update and draw by turns; the last has no end.
$GEN/firefox --samples 4 processed 2>err >a.json
tm-dump a.json
cat err
for variant in shared ms; do
	$GEN/firefox --samples 7 $variant 2>err | tm-top -q --by function --csv | cut -d, -f9,11,22-
	cat err
done
$GEN/firefox --samples 2 bytes 2>err | tm-dump | grep ^alloc
# The process below begins half a second later.
$GEN/firefox --samples 4 devtools 2>err | tm-dump | grep -e thread -e totals
