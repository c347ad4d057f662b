#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The kits of examples: C++ with GCC and clang, Unreal's and Unity's against stubs, LÖVE and Godot 3 in the real programs of
# Debian. What each must record follows from what its game does: tests/kits, and the scripts below.
# timeout: 600
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
: "${BIN:?}"
kits=$SRC/tests/kits
mkdir -p include/tracemill
cp "$SRC/lib/recorder/tracemill.h" "$SRC/lib/recorder/tracemill-loli.h" include/
cp "$SRC/lib/recorder/spike.h" include/tracemill/

column() { # file, row's first field by awk's condition, name of the column
	tr -d '\r' <"$1" | awk -F, -v want="$3" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } $2 { print \$at[want] }"
}
counts() { # of a trace: frames, lines of the log, readings of counters
	tm-dump -q "$1" | awk '/^frame/ { f++ } /^log/ { l++ } /^counter value/ { c++ } END { print f + 0, l + 0, c + 0 }'
}

# --- C++: 60 frames, a shot in each, and in frame 30 an asset with 1000 names of more than 15 characters
for cxx in g++ clang++-19; do
	if ! command -v $cxx >/dev/null; then
		echo "skip - cpp: no $cxx"
		continue
	fi
	check "cpp: $cxx compiles it" $cxx -std=c++11 -Wall -Wextra -Werror -pedantic -O2 -g -Iinclude "$SRC/examples/cpp/game.cpp" -o game
	tm-record -q --calls markers -o cpp.tmt -- ./game 2>err
	equals "cpp, $cxx: frames, log, counters" "$(counts cpp.tmt)" '60 1 120'
	tm-top -q --by type --domain pool --csv cpp.tmt >cpp.csv
	equals "cpp, $cxx: shots of the pool" "$(column cpp.csv '/Shot/' count),$(column cpp.csv '/Shot/' requested)" 60,5760
	tm-frames -q --csv --table frames cpp.tmt >cpp.csv
	check "cpp, $cxx: the asset is in frame 30" [ "$(column cpp.csv '$2 == 30' count)" -ge 1000 ]
	equals "cpp, $cxx: its call" "$(tm-dump -q cpp.tmt | grep -c 'harbour"')" 2 # of the call, and of the log
	check "cpp, $cxx: -DTRACEMILL_OFF" $cxx -std=c++11 -Wall -Wextra -Werror -O2 -DTRACEMILL_OFF -Iinclude "$SRC/examples/cpp/game.cpp" -o off
	equals "cpp, $cxx: leaves nothing" "$(nm -C off | grep -ci tracemill)" 0
done

# --- Unreal: the sums are in the head of game.cpp
for cxx in g++ clang++-19; do
	if ! command -v $cxx >/dev/null; then
		echo "skip - unreal: no $cxx"
		continue
	fi
	check "unreal: $cxx compiles it" $cxx -std=c++20 -Wall -Wextra -Werror -g -Iinclude -I"$kits/unreal" -I"$SRC/examples/unreal" \
		"$kits/unreal/game.cpp" "$SRC/examples/unreal/TracemillMalloc.cpp" -o ue
	check "unreal, $cxx: runs without a recorder" ./ue
	tm-record -q -o ue.tmt -- ./ue 2>err
	equals "unreal, $cxx: frames, packages" "$(counts ue.tmt)" '10 1 0'
	tm-top -q --by type --domain pool --csv ue.tmt >ue.csv
	for type in 'Textures 30 3000 1000' 'Map 3 327680 131072' '[no type] 10 400 0'; do
		name=${type%% [0-9]*}
		equals "unreal, $cxx: $type" "$name $(column ue.csv "\$NF == \"$name\"" count) $(column ue.csv "\$NF == \"$name\"" requested) $(column ue.csv "\$NF == \"$name\"" live_requested)" "$type"
	done
	hide=$(sed -n "s/.*--hide '\(.*\)' game.tmt.*/\1/p" "$SRC/examples/unreal/README.md")
	equals "unreal, $cxx: without the allocator's functions the site is the game's" \
		"$(tm-top -q --domain pool --csv --hide "$hide" ue.tmt | sed -n '2s/^\([^,]*,\)\{9\}\([^,]*\),.*/\2/p')" main
done
# An agent of LoliProfiler, and no recorder: the pointers have the blocks.
cat >agent.cpp <<'X'
#include <cstdio>
#include <cstdlib>
static long blocks, bytes, frees;
static void on_alloc(void *, std::size_t n) { blocks++; bytes += n; }
static void on_free(void *) { frees++; }
extern "C" {
void (*loli_alloc_ptr)(void *, std::size_t) = on_alloc;
void (*loli_free_ptr)(void *) = on_free;
}
static struct at_end { ~at_end() { std::printf("%ld %ld %ld\n", blocks, bytes, frees); } } end;
X
check 'unreal: with an agent' g++ -std=c++20 -fPIE -pie -Iinclude -I"$kits/unreal" -I"$SRC/examples/unreal" \
	"$kits/unreal/game.cpp" "$SRC/examples/unreal/TracemillMalloc.cpp" agent.cpp -o agent
# 30 + 3 + 10 blocks, of which 10 + 1 stay; the block that could not grow went and came
equals 'unreal: what the agent is told' "$(./agent)" '43 331080 32'

# --- Unity: tests/kits/unity/Game.cs says what is there
if command -v mcs >/dev/null && command -v mono >/dev/null; then
	check 'unity: mcs compiles it' mcs -warnaserror -out:game.exe "$kits"/unity/*.cs "$SRC"/examples/unity/*.cs
	mono game.exe -tracemill-table frames.csv >said 2>err
	equals 'unity: a snapshot' "$(cat said)" 'tracemill: snapshot ./end.snap'
	tm-frames -q --csv --table frames frames.csv >unity.csv
	equals 'unity: 20 frames, the tenth of 40 ms' "$(sed 1d unity.csv | wc -l) $(column unity.csv '$2 == 10' duration_ns)" '20 40000000'
	equals 'unity: what frame 7 allocated' "$(column unity.csv '$2 == 7' counter:gc.allocated)" 700
	equals 'unity: more than 32 bits' "$(column unity.csv '$2 == 7' counter:memory.used)" 5000000000
	equals 'unity: a counter that the player lacks' "$(column frames.csv '$2 == 7' triangles)" ''
	tm-top -q --by type --csv game.mem >unity.csv
	equals 'unity: blocks by type' "$(column unity.csv '/Shot/' requested) $(column unity.csv '/Shot/' real) $(column unity.csv '/Spark/' real)" '1760 1920 64000'
	tm-top -q --csv --sort real game.mem >unity.csv
	equals 'unity: by function' "$(column unity.csv '/Game.Explode/' real) $(column unity.csv '/Game.Shoot/' real)" '64000 1920'
	equals 'unity: by frame' "$(tm-top -q --csv --frame 10 --sort real game.mem | awk -F, 'NR > 1 { s += $5 } END { print s }')" 64096
else
	echo 'skip - unity: no Mono'
fi

# --- LÖVE: frame 29 (from 0) spawns 5000 tables with a field, which are two blocks each; the others 3
if command -v love >/dev/null && [ -e "$BIN/../lib/luajit/tracemill.so" ]; then
	mkdir love
	cp "$SRC/examples/love/tracemill_love.lua" love/
	cat >love/conf.lua <<'X'
function love.conf(t)
	for _, m in ipairs {"window", "graphics", "audio", "sound", "joystick", "mouse", "touch", "keyboard", "video"} do t.modules[m] = false end
end
X
	cat >love/main.lua <<'X'
require("tracemill_love")
local n, kept = 0, {}
local function spawn(k)
	for i = 1, k do kept[#kept + 1] = {health = i} end
end
function love.update()
	n = n + 1
	spawn(n == 30 and 5000 or 3)
	if n == 60 then love.event.quit() end
end
X
	export LUA_CPATH="$BIN/../lib/luajit/?.so;;" HOME=$PWD
	TRACEMILL_LOVE=$PWD/love.tmt timeout 60 love love >said 2>err
	equals 'love: it runs, and says nothing' "$? $(cat said err)" '0 '
	tm-frames -q --csv --table frames love.tmt >love.csv
	equals 'love: 60 updates, and the frame that ends' "$(column love.csv '$2 != ""' frame | wc -l)" 61
	spawned=$(column love.csv '$2 == 29' count)
	check "love: 5000 tables in frame 29 ($spawned)" [ "$spawned" -ge 10000 -a "$spawned" -le 10050 ]
	equals 'love: calls of spawn' "$(tm-dump -q love.tmt | awk 'match($0, /^marker [0-9]+ name="spawn"/) { id = "type=" $2 }
		$1 == "enter" { for (i = 2; i <= NF; i++) n += $i == id } END { print n + 0 }')" 60
	TRACEMILL_LOVE=- timeout 60 tm-record -q -o love2.tmt -- love love >said 2>err
	equals 'love: into the trace of tm-record: frames' "$(tm-dump -q love2.tmt | grep -c '^frame')" 61
	check 'love: ... native blocks and those of Lua' [ "$(tm-dump -q love2.tmt | awk '/ domain=lua/ { l = 1 } /^alloc/ && !/ domain=/ { m = 1 } END { print l m }')" = 11 ]
	timeout 60 love love >said 2>err
	equals 'love: without TRACEMILL_LOVE it is as before' "$? $(cat said err)" '0 '
	unset LUA_CPATH
else
	echo 'skip - love: no LÖVE, or no LuaJIT when this was built'
fi

# --- Godot 3: 60 frames; the 30th adds 1000 nodes
# shellcheck disable=SC2086 # several words
check 'godot: the library of Godot 4 compiles' ${CC:-cc} -shared -fPIC -Wall -Wextra -Werror -Iinclude -I"$kits/godot" "$SRC/examples/godot/tracemill_godot4.c" -o godot4.so
cat >engine.c <<'X'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "gdextension_interface.h"
static const GDExtensionMainLoopCallbacks *loop;
static int old;
static void take(GDExtensionClassLibraryPtr l, const GDExtensionMainLoopCallbacks *c) { (void)l; loop = c; }
static GDExtensionInterfaceFunctionPtr get(const char *name)
{
	return !old && !strcmp(name, "register_main_loop_callbacks") ? (GDExtensionInterfaceFunctionPtr)take : 0;
}
int main(void)
{
	void *l = dlopen("./godot4.so", RTLD_NOW);
	GDExtensionBool (*init)(GDExtensionInterfaceGetProcAddress, GDExtensionClassLibraryPtr, GDExtensionInitialization *);
	GDExtensionInitialization i = {0};

	*(void **)&init = l ? dlsym(l, "tracemill_init") : 0;
	if (!init || !init(get, 0, &i) || !loop)
		return 1;
	i.initialize(i.userdata, i.minimum_initialization_level);
	for (int k = 0; k < 5; k++)
		loop->frame_func();
	old = 1;
	return init(get, 0, &i); /* Godot 4.4 and before */
}
X
${CC:-cc} -I"$kits/godot" engine.c -ldl -o engine
tm-record -q -o godot4.tmt -- ./engine 2>err
equals 'godot: status and frames of Godot 4, by a stub' "$? $(counts godot4.tmt)" '0 5 0 0'
if command -v godot3-server >/dev/null; then
	mkdir godot
	readme=$SRC/examples/godot/README.md
	block() { # the indented lines behind the line that begins so
		awk -v from="$1" 'index($0, from) == 1 { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } on && seen && NF { exit } on && seen { print "" }' "$readme"
	}
	block '`tracemill.gdnlib`' >godot/tracemill.gdnlib
	block '`tracemill.gdns`' >godot/tracemill.gdns
	{
		printf 'config_version=4\n[application]\nconfig/name="t"\nrun/main_scene="res://main.tscn"\n[autoload]\n'
		sed -n 's/^    \(Tracemill[A-Za-z]*="\*res:.*\)/\1/p' "$readme"
	} >godot/project.godot
	printf '%s\n' '[gd_scene load_steps=2 format=2]' '[ext_resource path="res://main.gd" type="Script" id=1]' '[node name="Main" type="Node"]' 'script = ExtResource( 1 )' >godot/main.tscn
	printf '%s\n' 'extends Node' 'var n = 0' 'func _process(_d):' '	n += 1' '	if n == 30:' '		for i in range(1000): add_child(Node.new())' '	if n == 60: get_tree().quit()' >godot/main.gd
	cp "$SRC/examples/godot/tracemill.gd" godot/
	# shellcheck disable=SC2086 # several words
	check 'godot: the library of Godot 3 compiles' ${CC:-cc} -shared -fPIC -Wall -Wextra -Werror -Iinclude -I"$kits/godot" "$SRC/examples/godot/tracemill_godot3.c" -o godot/libtracemill_godot.so
	HOME=$PWD TRACEMILL_TABLE=$PWD/godot.csv timeout 100 tm-record -q -o godot.tmt -- godot3-server --path godot >said 2>&1
	equals 'godot: 60 frames, in the recording' "$(counts godot.tmt)" '60 0 0'
	tm-frames -q --csv --table frames godot.csv >godot.frames
	equals 'godot: and in the table' "$(sed 1d godot.frames | wc -l)" 60
	equals 'godot: 1000 nodes more' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "nodes") at = i; next } NR > 2 && $at != last { print $at - last } { last = $at }' godot.csv)" 1000
	tm-frames -q --csv --table frames godot.tmt >godot.frames
	check 'godot: their blocks are of one frame' [ "$(column godot.frames '$2 != "" && $6 > 1000' frame | wc -l)" = 1 ]
else
	echo 'skip - godot: no godot3-server'
fi
exit $failed
