#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Who holds what across the border of Lua and native code: a game's textures are native blocks that userdata hold. The truth
# is what the game asks malloc for.
# shellcheck disable=SC2094 # a file is read only
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >game.c <<'X2'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct texture {
	char *pixels, *name;
	int size;
};
static char *atlas;
__attribute__((noinline)) static char *load_pixels(size_t n)
{
	return memset(malloc(n), 1, n);
}
__attribute__((noinline)) static struct texture *new_texture(int size)
{
	struct texture *t = malloc(sizeof *t);

	*t = (struct texture){load_pixels((size_t)size * size * 4), NULL, size};
	return t;
}
static int texture(lua_State *l)
{
	struct texture **t = lua_newuserdata(l, sizeof *t);

	*t = new_texture(luaL_checkinteger(l, 1));
	if (luaL_newmetatable(l, "Texture")) {
		lua_pushliteral(l, "Texture");
		lua_setfield(l, -2, "__name");
	}
	lua_setmetatable(l, -2);
	return 1;
}
static int share(lua_State *l) /* two textures have one atlas */
{
	struct texture **a = lua_touserdata(l, 1), **b = lua_touserdata(l, 2);

	atlas = load_pixels(30000);
	(*a)->name = (*b)->name = atlas;
	return 0;
}
static int csharp(lua_State *l) /* xLua: the index of an object in a pool of C# */
{
	int *index = lua_newuserdata(l, sizeof *index);

	*index = (int)luaL_checkinteger(l, 1);
	return 1;
}
static int unload(lua_State *l) /* the pixels; their address stays */
{
	struct texture **t = lua_touserdata(l, 1);

	free((*t)->pixels);
	return 0;
}
static int sound(lua_State *l)
{
	lua_pushlightuserdata(l, load_pixels(luaL_checkinteger(l, 1)));
	return 1;
}
int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate();

	luaL_openlibs(l);
	lua_register(l, "texture", texture);
	lua_register(l, "share", share);
	lua_register(l, "unload", unload);
	lua_register(l, "sound", sound);
	lua_register(l, "csharp", csharp);
	if (argc < 2 || luaL_dofile(l, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(l, -1));
		return 1;
	}
	return 0;
}
X2
cat >game.lua <<'X2'
local tm = require "tracemill"
local dir = os.getenv "DIR"
tm.start(dir .. "/lua.tmt")
local function open_shop()
	return {name = "UIShop", background = texture(1024), icon = texture(64)}
end
UIShop = open_shop()
left, right = texture(10), texture(10)
share(left, right)
gone = texture(200)
unload(gone)
music = {sound(5000)}
if os.getenv "MORE" then late = texture(300) end
avatar, trophy, none = csharp(0), csharp(1), csharp(7)
collectgarbage()
tm.snapshot(dir .. "/snap.tmt")
UIShop.after = texture(500) -- is not in the snapshot
tm.stop()
X2
column() { # column, path: of the object
	tr -d '\r' <objects | awk -F, -v path="$2" -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $c["path"] == path { print $c[column] }'
}

tried=0
for lua in lua5.1 lua5.4 luajit; do
	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] || ! ${CC:-cc} -g -O1 -w game.c -o game $flags -Wl,-E 2>/dev/null; then
		echo "skip - $lua (it, or its headers, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	for d in one two; do
		mkdir -p $lua.$d
		MORE=$([ $d = two ] && echo 1)
		if [ -n "$MORE" ]; then export MORE; else unset MORE; fi
		DIR=$lua.$d tm-record -q -o $lua.$d/native.tmt -- ./game game.lua >said 2>err || cat err
	done
	unset MORE
	d=$lua.one
	tm-heap -q --csv --table objects --objects 0 --with $d/lua.tmt --with $d/native.tmt $d/snap.tmt >objects
	ok "$lua: pixels are held through the texture, and that by UIShop" [ "$(column size '_G.UIShop.background[by address][by address]')" = $((1024 * 1024 * 4)) ]
	own=$(column size _G.UIShop.background) struct=$((2 * 8 + 8))
	ok "$lua: what a userdata retains has the native bytes" [ "$(column retained _G.UIShop.background)" = $((own + struct + 1024 * 1024 * 4)) ]
	# Not the 30000 bytes that both have.
	ok "$lua: not what two of them hold" [ "$(column retained _G.left) $(grep -c ',30000,' objects)" = "$((own + struct + 10 * 10 * 4)) 1" ]
	ok "$lua: not what is freed" [ "$(column retained _G.gone) $(grep -c ',160000,' objects)" = "$((own + struct)) 0" ]
	ok "$lua: light userdata holds its block" [ "$(column size '_G.music[1]')" = 5000 ]
	ok "$lua: nothing from after the snapshot" [ "$(grep -c ',1000000,' objects)" = 0 ]
	# Unity's heap (testdata/gen/unity_heap.c): [1] of the pool is a weapon of 24 bytes that nothing else holds; [0] is the
	# player, which C# holds, too, and whose native object has the texture Icon of 4096 bytes.
	tm-heap -q --csv --table objects --objects 0 --with "$DATA/heap/lua.snap" $d/snap.tmt 2>/dev/null >objects
	ok "$lua, Unity: a C# object that Lua alone holds" [ "$(column type '_G.trophy[C# object]') $(column retained _G.trophy)" = "Game.Weapon $(($(column size _G.trophy) + 24))" ]
	ok "$lua, Unity: nothing for a number that the pool does not have" [ "$(column retained_count _G.none)" = 1 ]
	ok "$lua, Unity: all of its objects are there" [ "$(grep -c 'Game\.\|native ' objects)" = "$(($(tm-heap -q --csv --table objects --objects 0 "$DATA/heap/il2cpp.snap" | grep -c 'Game\.\|native ') + 1))" ]
	tm-heap -q --csv --table paths --who Game.Player --paths 0 --objects 0 --with "$DATA/heap/lua.snap" $d/snap.tmt 2>/dev/null >paths
	ok "$lua, Unity: of the player's holders Lua is one, C# another" [ "$(grep -c '_G.avatar\[C# object\]' paths) $(grep -c 'static Game.Player.instance,' paths)" = "1 1" ]
	tm-heap -q --csv --bytes --by site -n 0 --table sites --with $d/lua.tmt --with $d/native.tmt $d/snap.tmt | tr -d '\r' >sites
	# 1024, 64, 10, 10 squared, 4 bytes a pixel; the atlas; the sound
	ok "$lua: the function that allocates" [ "$(awk -F, '/load_pixels/ { print $2 }' sites)" = $(((1024 * 1024 + 64 * 64 + 200) * 4 + 30000 + 5000)) ]
	ok "$lua: and Lua's own of open_shop" grep -q open_shop sites
	tm-heap -q --csv --bytes --table compare --with $d/native.tmt --with $lua.two/native.tmt $d/snap.tmt $lua.two/snap.tmt | tr -d '\r' >compared
	ok "$lua: two sessions: a texture more" [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $c["type"] == "native block" { print $c["size_change"], $c["count_change"] }' compared)" = \
		"$((300 * 300 * 4 + struct)) 2" ]
	tm-heap --csv --table types --with $lua.two/native.tmt $d/snap.tmt >/dev/null 2>said
	ok "$lua: the capture of another session is said to be none of it" grep -q 'no capture was running when a snapshot was made' said
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
