# Trees with fewer places than they say, with more bytes below than above, with another line; a file that is cut.
$GEN/massif --snapshots 4 short 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 odd 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 damaged 2>err | tm-dump | grep -e note -e totals
$GEN/massif --snapshots 4 plain 2>err | head -c -20 | tm-dump | grep -e note -e totals
printf 'desc: none\ncmd: ./a\ntime_unit: i\n' | tm-import -f massif
