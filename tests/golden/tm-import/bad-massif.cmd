# Trees with fewer places than they say, with more bytes below than above, with another line; a file that is cut.
$GEN/massif --snapshots 4 short 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 odd 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 damaged 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 plain 2>err | head -c -20 | tm-dump | grep -e note -e totals
# The last snapshot has no tree: with bytes it does not say whose; without any, nobody has some.
for heap in 70 0; do
	{ $GEN/massif --snapshots 4 plain 2>err; printf 'snapshot=9\ntime=9\nmem_heap_B=%d\nheap_tree=empty\n' "$heap"; } >massif.out
	tm-dump massif.out | grep -e 'note guess'
	tm-top -q --csv --metrics live-requested --by function massif.out | cut -d , -f 1-7
done
printf 'desc: none\ncmd: ./a\ntime_unit: i\n' | tm-import -f massif
