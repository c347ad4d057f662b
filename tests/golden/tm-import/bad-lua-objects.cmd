# Texts of Lua snapshots that are cut within a line or have an invalid one; in a snapshot by
# print_r (b) it can only be the rest of a key with a line end in it.
"$GEN/lua_texts" --objects 6 memdump 2>/dev/null >a.txt
"$GEN/lua_texts" --objects 6 snapshot 2>/dev/null >b.txt
"$GEN/lua_texts" --objects 6 memref 2>/dev/null >c.txt
"$GEN/lua_texts" --objects 6 tables 2>/dev/null >d.txt
for line in a3 b3 c7 d3; do
	f=${line%?}
	echo "== $f"
	tm-dump -q $f.txt | grep -E '^totals'
	head -c -7 $f.txt | tm-dump -q | grep -E '^(note (loss|guess)|totals)'
	sed "${line#?}s/.*/a line that nobody wrote/" $f.txt | tm-dump -q | grep -E '^(note (loss|guess)|totals)'
done
for f in elua-memdump lua-snapshot lua-memref xlua; do
	printf 'nothing of it\n' | tm-import -f $f
done
