#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A LÖVE game with a window, recorded in one trace by tm-record and the Lua module: one command finds the spike (Lua that
# makes LÖVE allocate), the jank and the leak that are planted in testdata/src/session/love. The truth is what the game
# writes of itself, a counter beneath malloc, and what Lua says of its heap.
# timeout: 300
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

if ! command -v love >/dev/null || ! command -v xvfb-run >/dev/null || [ ! -e "$BIN/../lib/luajit/tracemill.so" ]; then
	echo 'skip - a session of LÖVE (no LÖVE, no Xvfb, or no LuaJIT when this was built)'
	exit 0
fi
kit=$SRC/tests/kits/session
mkdir game
cp "$SRC"/testdata/src/session/love/*.lua "$SRC/examples/love/tracemill_love.lua" game/
${CC:-cc} -O1 -shared -fPIC "$kit/counter.c" -o counter.so
export LUA_CPATH="$BIN/../lib/luajit/?.so;;" HOME=$PWD SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1
export FRAMES=240 WAVE=137 LEVEL=200

record() { # folder
	mkdir "$1"
	OUT=$PWD/$1 timeout 100 xvfb-run -a tm-record -q -o "$1/game.tmt" -- love game >said 2>err
}
rows() { # table, columns: tab separated
	jq -r --arg table "$1" --arg columns "$2" \
		'($columns | split(" ")) as $c | .sections[] | select(.name == $table) | .rows[] | [.[$c[]]] | @tsv' report
}
details() { # of a frame
	jq -r --argjson frame "$1" '.sections[] | select(.name == "worst-frames") | .rows[] | select(.frame == $frame) | ._details[]' report
}
line_of() { grep -n "$1" game/main.lua | cut -d : -f 1; } # the first words on it

LEAKS=1 COUNTED=$PWD/counted TRACEMILL_LOVE=- LD_PRELOAD=$PWD/counter.so record run
ok 'it runs' [ $? = 0 -a -s run/game.tmt ]
tm-session -q --as json run >report
ok 'one command reads the session' [ -s report ]
rows files 'file clock' >listed
ok "the game's counters by their frames" grep -q '^counters.csv.by .* shared frames' listed
ok 'its log by what it prints' grep -q '^game.log.*by .* shared markers' listed

rows worst-frames 'frame duration_ns why' >worst
rows in-frames 'frame domain site_bytes site' >did
made=$(awk -F, '$1 == 137 { print $3 }' run/counters.csv)
ok "the spike: a worst frame of native blocks" grep -q "^137.*native of game.tmt" worst
ok "$made bytes, by the line of Lua that asked for them" grep -q "$(printf '^137\tnative\t%s\t.*called by generate  main.lua:%s$' "$made" "$(line_of newImageData)")" did
ok 'the jank: a worst frame by its duration' awk -F '\t' '$1 == 200 && $2 >= 150e6 && $3 ~ /duration/ { found = 1 } END { exit !found }' worst
details 200 >lines
ok 'by the function that took the time' grep -q "^calls, game.tmt: [^:]*: [0-9.]* ms load  main.lua:$(line_of 'function level.load')" lines
ok 'with its line of the log' grep -q '^log, game.log: WARN loading level 2' lines
rows leaks 'domain growth site' >grown
# 3072 bytes a frame, in three quarters of 240 frames.
ok 'the leak: the largest, by its line' awk -F '\t' -v line="$(line_of newByteData)" '
	NR == 1 && $1 == "native" && $2 % 3072 == 0 && $2 > 100 * 3072 && $2 < 240 * 3072 && $3 ~ "called by add  main.lua:" line "$" { found = 1 }
	END { exit !found }' grown
ok 'what holds it, in the same report: a table that a function of the game has' [ "$(
	jq '[.sections[] | select(.name == "dominators") | .rows[] | select(.path == "_G.trail.add.kept") | .retained] | max >= 240 * 3072' report)" = true ]
command=$(jq -r '.sections[] | select(.name == "leaks") | .notes[]' report | sed -n 's/^what holds them: //p')
# 3072 bytes of each frame, and what belongs to them.
$command -q --bytes --as json >held 2>err
ok "... and by the command that the report has" [ "$(
	jq '[.. | objects | select(.path? == "_G.trail.add.kept") | .retained] | max >= 240 * 3072' held)" = true ]

tm-dump -q run/game.tmt >dump
read -r equal own other lua before more < <(awk -f "$kit/frames.awk" counted run/counters.csv dump)
ok "native sums of frames as a counter has them: $equal; with the module's own: $own" [ "$equal" -ge 220 -a "$other" = 0 ]
ok "sums of Lua as Lua has them: $lua; less, of blocks from before: $before" [ "$lua" -ge 200 -a "$more" = 0 ]

# Without a change of the game: frames begin where the picture is shown, and the spike is in the frame before its number.
unset TRACEMILL_LOVE
LEAKS=0 record plain
tm-session -q --as json plain >report
ok 'without the module: a frame for each picture' [ "$(tm-dump -q plain/game.tmt | grep -c ^frame)" = 241 ]
ok 'frames are said to begin at SDL_GL_SwapWindow' grep -q 'frames begin at calls of SDL_GL_SwapWindow' <<<"$(tm-dump -q plain/game.tmt | grep ^note)"
rows worst-frames 'frame why' >worst
ok 'the spike and the jank are worst frames' [ "$(grep -c -e '^136.*native' -e '^199.*duration' worst)" = 2 ]
ok 'no leak where none is' [ "$(rows leaks site | grep -c 'called by add')" = 0 ]
