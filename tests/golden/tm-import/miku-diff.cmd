# Diff texts of Miku-LuaProfiler (lua.md 1.5): object lines and paths with arrows (4.x since 2025-12);
# a type line before each object, with brackets (since 2023-03), a key that holds a line end; dots.
printf '%s\r\n' 'type:LUA_TFUNCTION' ' └─object' \
	'   ├─ref1 url:function:@game/main.lua&line:14' \
	'   └─ref2 url:[_G]->[UI]->[cb(function:@game/main.lua&line:14)]' '' '' \
	'type:LUA_TTABLE' ' └─object' '   └─ref1 url:[_G]->[UI]->[cache]' '' '' >remain.txt
printf '%s\n' 'type:LUA_TTABLE' ' ├─ref1 url:[_G].[UI].[two' '' 'lines]' ' └─ref2 url:[_G].[b]' \
	'type:LUA_TTABLE' ' └─ref1 url:[_G].[c]' >brackets.txt
printf '%s\n' 'type:LUA_TUSERDATA' ' └─ref1 url:_G.UI.button' >null.txt
for f in remain brackets null; do
	tm-dump $f.txt
done
# Cut within a line, and no object at all.
head -c 200 remain.txt | tm-dump - | tail -n 3
printf 'type:LUA_TTABLE\n' | tm-import -o none.tmt
