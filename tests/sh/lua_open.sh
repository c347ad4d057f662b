#!/bin/bash
# SPDX-License-Identifier: MIT
#
# examples/lua: an engine without package, io and os opens the Lua module by a call, from the archive of each Lua and from
# the sources. What the script does is its text: 60 frames, and as many enemies.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

works() { # what, engine
	rm -f game.tmt
	"$2" "$SRC/examples/lua/game.lua" game.tmt >said 2>&1
	ok "$1: the script runs, and says nothing" [ $? = 0 -a ! -s said ]
	tm-dump -q game.tmt >dump
	ok "$1: 60 frames, and 1 + 2 ... + 60 enemies" [ "$(awk '/^frame/ { n++ }
		/^counter [0-9]+ name="enemies"/ { id = "type=" $2 }
		/^counter value/ && $NF == id { sub(/^value=/, "", $2); s += $2 } END { print n, s }' dump)" = "60 1830" ]
	ok "$1: 60 calls of spawn" [ "$(awk 'match($0, /^marker [0-9]+ name="spawn"/) { id = "type=" $2 }
		$1 == "enter" { for (i = 2; i <= NF; i++) n += $i == id } END { print n + 0 }' dump)" = 60 ]
	tm-record -q --stacks none -o both.tmt -- "$2" "$SRC/examples/lua/game.lua"
	ok "$1: into the trace of tm-record" [ "$(tm-dump -q both.tmt | awk '/^frame/ { n++ } / domain=lua/ { b = 1 } END { print n, b }')" = "60 1" ]
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	cflags=$(pkg-config --cflags "$lua" 2>/dev/null)
	libs=$(pkg-config --libs "$lua" 2>/dev/null)
	archive=$BIN/../lib/$lua/libtracemill-lua.a
	if [ ! -e "$archive" ] || [ -z "$libs" ]; then
		echo "skip - $lua (its headers were not here when this was built)"
		continue
	fi
	tried=$((tried + 1))
	# shellcheck disable=SC2086 # several words
	ok "$lua: the engine compiles" ${CC:-cc} -I"$SRC/lib/recorder" "$SRC/examples/lua/engine.c" $cflags "$archive" $libs -o engine
	works $lua ./engine
done
if [ $tried = 0 ]; then
	echo "skip - no Lua at all"
	exit 0
fi

# The command of the README, with the Lua that was the last.
cat >state.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <tracemill-lua.h>
#include <stdio.h>
int main(void)
{
	lua_State *l = luaL_newstate();

	luaL_openlibs(l);
	tracemill_lua_open(l);
	tracemill_lua_open(l);
	lua_setglobal(l, "tm");
	return luaL_dostring(l, "return tm == require 'tracemill'") || !lua_toboolean(l, -1);
}
X
jit=
[ "$lua" = luajit ] && jit=-DTM_LUAJIT
mkdir -p objects
sed -n '/^    cc -D_GNU_SOURCE/,/^$/p' "$SRC/examples/lua/README.md" | tr -d '\\\n' | sed "s|-I LUA/src|$cflags $jit|; s|^ *cc||" >command.sh
# shellcheck disable=SC2046 # several words
(cd "$SRC" && printf '%s\n' $(cat "$OLDPWD/command.sh")) >words
while read -r f; do
	# shellcheck disable=SC2046 # several words
	(cd "$SRC" && ${CC:-cc} $(grep '^-' "$OLDPWD/words") "$f" -o "$OLDPWD/objects/${f##*/}.o") || echo "not ok - $f compiles"
done < <(grep '\.c$' words)
# shellcheck disable=SC2086 # several words
ok 'the sources of the README compile and link' ${CC:-cc} -I"$SRC/lib/recorder" $cflags "$SRC/examples/lua/engine.c" objects/*.o $libs -o own
works 'from the sources' ./own
# shellcheck disable=SC2086 # several words
${CC:-cc} -I"$SRC/lib/recorder" $cflags state.c objects/*.o $libs -o state
ok 'opened twice and required: one table' ./state
exit 0
