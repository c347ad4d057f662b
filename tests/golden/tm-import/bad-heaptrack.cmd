# Six lines of 60 events that make no sense; frees of blocks that were there before heaptrack was; a
# last line that is cut, which frees block 2 and not 28.
$GEN/heaptrack_log --variant damaged 3 | tm-dump | grep -e note -e totals
$GEN/heaptrack_log --variant attached 3 | tm-dump | grep -e note -e totals -e capture -e attribute
$GEN/heaptrack_log --variant attached 0 | tm-dump | grep -e note -e totals
$GEN/heaptrack_log 3 | head -c 1503 | tm-import -o cut.tmt
printf 'v 10400 3\nX' | tm-import -o v.tmt
