#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A host that resumes a coroutine from C, each time deeper or less deep in its own stack, and calls Lua by lua_pcallk: native
# blocks have the script's lines between the right frames. The truth is the text of the host and the script: the i-th resume
# is i % 3 calls deeper, and each size of keep is in one place of the script.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >host.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int keep(lua_State *l)
{
	void *volatile p = malloc((size_t)lua_tointeger(l, 1));

	return p == NULL;
}
__attribute__((noinline)) static int thrice(lua_State *l)
{
	for (int i = 0; i < 3; i++) {
		void *volatile p;

		lua_pushvalue(l, 1);
		lua_call(l, 0, 0);
		p = malloc(2000);
		(void)p;
	}
	return 0;
}
/* Once the call has yielded, Lua goes on here instead of in callk. */
#if LUA_VERSION_NUM >= 503
__attribute__((noinline)) static int after(lua_State *l, int status, lua_KContext context)
{
	void *volatile p = malloc(3000);

	return (void)l, (void)status, (void)context, p == NULL;
}
__attribute__((noinline)) static int callk(lua_State *l)
{
	lua_pushvalue(l, 1);
	return after(l, lua_pcallk(l, 0, 0, 0, 0, after), 0);
}
#elif LUA_VERSION_NUM == 502
__attribute__((noinline)) static int after(lua_State *l)
{
	void *volatile p = malloc(3000);

	return (void)l, p == NULL;
}
__attribute__((noinline)) static int callk(lua_State *l)
{
	lua_pushvalue(l, 1);
	lua_pcallk(l, 0, 0, 0, 0, after);
	return after(l);
}
#else /* a call of C cannot yield */
__attribute__((noinline)) static int callk(lua_State *l)
{
	lua_pushvalue(l, 1);
	lua_pcall(l, 0, 0, 0);
	return 0;
}
#endif
__attribute__((noinline)) static int resume(lua_State *l, lua_State *co)
{
#if LUA_VERSION_NUM >= 504
	int n, status = lua_resume(co, l, 0, &n);

	lua_pop(co, n);
	return status;
#elif LUA_VERSION_NUM >= 502
	return lua_resume(co, l, 0);
#else
	return (void)l, lua_resume(co, 0);
#endif
}
__attribute__((noinline)) static int deeper(lua_State *l, lua_State *co, int n)
{
	volatile char room[3000];
	int status;

	room[0] = 0;
	status = n ? deeper(l, co, n - 1) : resume(l, co);
	return status + room[0];
}
int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate(), *co;

	luaL_openlibs(l);
	lua_register(l, "keep", keep);
	lua_register(l, "thrice", thrice);
	lua_register(l, "callk", callk);
	if (argc < 2 || luaL_dofile(l, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(l, -1));
		return 1;
	}
	co = lua_newthread(l);
	lua_getglobal(co, "body");
	for (int i = 0; deeper(l, co, i % 3) == LUA_YIELD; i++)
		;
	lua_getglobal(l, "finish");
	lua_pcall(l, 0, 0, 0);
	lua_close(l);
	return 0;
}
X
# The numbers of the lines are those that are looked for below.
cat >script.lua <<'X'
local tm = require "tracemill"
local function inner()
	keep(1001)
	coroutine.yield()
	keep(1002)
	coroutine.yield()
	keep(1003)
end
local function middle()
	inner()
	keep(1004)
end
local function again()
	keep(1005)
end
function body()
	callk(middle)
	keep(1006)
	thrice(again)
	pcall(middle)
	keep(1007)
end
function finish() tm.stop() end
collectgarbage("stop")
tm.start()
X
stacks() { # trace
	tm-top -q --by stack --sort count -n 0 --focus '^keep$|^after$|^thrice$' "$1" | awk '
		/^ ?[0-9]+ / { n[s] += count; s = ""; count = / (B|KiB) / ? $2 : 0 }
		/^    / { if ($1 ~ /^(keep|callk|after|thrice|resume|deeper|main)$/)
				s = s " " $1
			else if (sub(/.*script\.lua:/, ""))
				s = s " :" $0 }
		END { n[s] += count; for (s in n) if (n[s]) print n[s] s }' | LC_ALL=C sort
}
tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] ||
		! ${CC:-cc} -O1 -g -fno-omit-frame-pointer -rdynamic host.c -o host $flags 2>err; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	one="resume deeper main" two="resume deeper deeper main" three="resume deeper deeper deeper main"
	case $lua in
	lua5.1) # neither callk nor pcall can yield: one resume
		cat >want <<X
1 keep :3 :10 callk :17 $one
1 keep :18 $one
3 keep :14 thrice :19 $one
3 thrice :19 $one
1 keep :3 :10 :20 $one
1 keep :21 $one
X
		;;
	luajit) # only pcall can: at the second and the third resume
		cat >want <<X
1 keep :3 :10 callk :17 $one
1 keep :18 $one
3 keep :14 thrice :19 $one
3 thrice :19 $one
1 keep :3 :10 :20 $one
1 keep :5 :10 :20 $two
1 keep :7 :10 :20 $three
1 keep :11 :20 $three
1 keep :21 $three
X
		;;
	*) cat >want <<X ;;
1 keep :3 :10 callk :17 $one
1 keep :5 :10 :17 $two
1 keep :7 :10 :17 $three
1 keep :11 :17 $three
1 after :17 $three
1 keep :18 $three
3 keep :14 thrice :19 $three
3 thrice :19 $three
1 keep :3 :10 :20 $three
1 keep :5 :10 :20 $one
1 keep :7 :10 :20 $two
1 keep :11 :20 $two
1 keep :21 $two
X
	esac
	LC_ALL=C sort -o want want
	tm-record -q --stacks unwind -o resumed.tmt -- ./host script.lua 2>err
	stacks resumed.tmt >got
	diff want got
	ok "$lua: each block below the lines and calls that it has" cmp -s want got
	ok "$lua: nothing is lost" [ "$(tm-dump -q resumed.tmt | grep -c '^note loss')" = 0 ]
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
