# Trees in snapshots 0 and 3: load has 0 and then 3000 bytes, build 0 and then 1500, places below the
# threshold 64.
$GEN/massif --snapshots 4 plain >massif.out
tm-dump massif.out
tm-top -q --by function massif.out
$GEN/massif --snapshots 4 library 2>err | tm-dump -q | grep -e '^module' -e '^location'
