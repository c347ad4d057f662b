# A text whose last line has no end of line has lost nothing: it is said, and no gate gives up for it. The same is read
# either way. A last line that cannot be whole is a loss, as before.
printf 'main;update;draw 12\nmain;net.lua:40 3\n' >a.folded
printf '3 10\n> my file.lua 10 20\n11 1.5\n' >b.luatrace
printf 'type:LUA_TTABLE\n └─object\n   └─ref1 url:[_G]->[UI]->[cache]\n' >c.miku-diff
"$GEN/lua_texts" --objects 6 memref 2>/dev/null >d.lua-memref
printf '1500 game.luau,spawn,12;game.luau,,\n20 GC,GC,;a,b.luau,,3\n' >e.luau-profile
printf '   10  sortit\n    4  C code\n' >f.luajit-jp
printf 'a count:2\nb count:1\n' >g.miku-ref
{
	printf 'stack_level\tfile_defined\tfunction_name\tline_defined\tcurrent_line\tlocal_time\ttotal_time\n'
	printf '0\t@run.lua\ttop\t6\t-1\t0.000010\t0.000058\n'
} >h.luaprofiler
for f in ?.*; do
	head -c -1 "$f" >cut
	tm-import -qf "${f#*.}" "$f" | tm-dump -q | grep -v '^note' >whole.txt
	tm-import -qf "${f#*.}" cut | tm-dump -q | grep -v '^note' | cmp - whole.txt && echo "${f#*.}: the same"
	tm-dump -qf "${f#*.}" cut | grep '^note.*last line'
done
echo "a last line that is not whole"
head -c -3 a.folded | tm-import -f folded - 2>&1 >/dev/null
head -c -4 c.miku-diff | tm-import -f miku-diff - 2>&1 >/dev/null | tail -n 1
head -c -7 d.lua-memref | tm-import -f lua-memref - 2>&1 >/dev/null
echo "samples of lines are no calls whose times were lost"
printf 'metric time exact\nsample main;f 1 5000000 10\n' | "$GEN/script" >calls.tmt
tm-spikes --gate 9 --csv --table spikes b.luatrace calls.tmt
echo "status $?"
