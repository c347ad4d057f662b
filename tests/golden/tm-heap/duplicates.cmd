# Only contents make copies. In the game's heap two strings of 20 bytes have the same: 20 bytes to spare. Of one type, name and
# size are 10 tables of 50 bytes, 4 of 80 and 4 userdata of 16: 15 objects beyond the first, 9 x 50 + 3 x 80 + 3 x 16
# bytes; the 10 functions of ui.lua:9 are closures, and no copies.
cd "$DATA/heap"
tm-heap -q --duplicates after.tmt
tm-heap -q --duplicates --type userdata after.tmt
cd - >/dev/null
# All functions of C have one name.
{
	printf -- '----\n-- Collect memory reference at line:1@file:t.lua\n----\n'
	printf -- '-- From Root Object: table: 0x1000 (registry)\n'
	k=0
	for f in print pairs next type; do printf 'function: 0x200%d\tregistry.2[_G].%s[line:-1@file:[C]]\t1\n' $((k++)) $f; done
} >LuaMemRefInfo-All.txt
tm-heap -q --table types LuaMemRefInfo-All.txt
tm-heap -q --duplicates LuaMemRefInfo-All.txt
