#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A server of Minetest with a mod, recorded in one trace by tm-record and the Lua module: one command finds the spike (Lua that
# makes C++ copy nodes), the jank and the leak that are planted in testdata/src/session/minetest. The truth is what the mod
# writes of itself, a counter beneath malloc, and what Lua says of its heap.
# timeout: 300
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

server=/usr/lib/minetest/minetestserver
if [ ! -x $server ] || [ ! -e "$BIN/../lib/luajit/tracemill.so" ]; then
	echo "skip - a session of Minetest (no $server, or no LuaJIT when this was built)"
	exit 0
fi
kit=$SRC/tests/kits/session mod=.minetest/games/faults/mods/faults
mkdir -p $mod
echo 'title = Faults' >.minetest/games/faults/game.conf
echo 'name = faults' >$mod/mod.conf
cp "$SRC/testdata/src/session/minetest/init.lua" $mod/
printf '%s\n' 'secure.trusted_mods = faults' 'dedicated_server_step = 0.01' 'mg_name = singlenode' 'server_announce = false' \
	'bind_address = 127.0.0.1' >minetest.conf
${CC:-cc} -O1 -shared -fPIC "$kit/counter.c" -o counter.so
export LUA_CPATH="$BIN/../lib/luajit/?.so;;" HOME=$PWD FRAMES=240 WAVE=137 LEVEL=200

record() { # folder
	mkdir "$1" "$1.world"
	OUT=$PWD/$1 timeout 100 tm-record -q -o "$1/server.tmt" -- $server --config minetest.conf --gameid faults --world "$1.world" \
		--logfile "$1/minetest.log" --port $((30000 + $$ % 20000)) >said 2>err
}
rows() { # table, columns: tab separated
	jq -r --arg table "$1" --arg columns "$2" \
		'($columns | split(" ")) as $c | .sections[] | select(.name == $table) | .rows[] | [.[$c[]]] | @tsv' report
}
details() { # of a frame
	jq -r --argjson frame "$1" '.sections[] | select(.name == "worst-frames") | .rows[] | select(.frame == $frame) | ._details[]' report
}
line_of() { grep -n "$1" $mod/init.lua | cut -d : -f 1; } # the first words on it

LEAKS=1 COUNTED=$PWD/counted LD_PRELOAD=$PWD/counter.so record run
ok 'it runs' [ $? = 0 -a -s run/server.tmt ]
tm-session -q --as json run >report
ok 'one command reads the session' [ -s report ]
rows files 'file clock' >listed
ok "the mod's counters by their frames" grep -q '^counters.csv.by .* shared frames' listed
ok "Minetest's log by its date, to the second" grep -q '^minetest.log.*by the dates' listed

rows worst-frames 'frame duration_ns why' >worst
made=$(awk -F, '$1 == 137 { print $3 }' run/counters.csv)
ok 'the spike: a worst frame of native blocks' grep -q '^137.*native of server.tmt' worst
details 137 >lines
ok "by the line of Lua that asked for it" grep -q "^native, server.tmt: [^:]*: [0-9.]* MiB minetestserver![^,]*, called by copy  [^;]*init.lua:$(line_of 'x = 63')" lines
# The map has the nodes of that frame, too.
rows in-frames 'frame domain bytes' >did
ok "of at least $made bytes" awk -F '\t' -v made="$made" '$1 == 137 && $2 == "native" && $3 >= made { found = 1 } END { exit !found }' did
ok 'the jank: a worst frame by its duration' awk -F '\t' '$1 == 200 && $2 >= 400e6 && $3 ~ /duration/ { found = 1 } END { exit !found }' worst
details 200 >lines
ok 'by the function that took the time' grep -q "^calls, server.tmt: [^:]*: [0-9.]* ms search  [^;]*init.lua:$(line_of 'function route.search')" lines
ok 'with its line of the log' grep -q "^log, minetest.log.*: WARNING\[Server\]: searching a route" lines
rows leaks 'domain growth site' >grown
# 20480 bytes a step, in three quarters of 240.
ok 'the leak: the largest, by its line' awk -F '\t' -v line="$(line_of 'x = 15')" '
	NR == 1 && $1 == "native" && $2 % 20480 == 0 && $2 > 100 * 20480 && $2 < 240 * 20480 && $3 ~ "called by keep  .*init.lua:" line "$" { found = 1 }
	END { exit !found }' grown
command=$(jq -r '.sections[] | select(.name == "leaks") | .notes[]' report | sed -n 's/^what holds them: //p')
$command -q --bytes --as json >held 2>err
ok 'what holds it, by the command that the report has: a table that a function of the mod has' [ "$(
	jq '[.. | objects | select((.path? // "") | tostring | endswith("echo.keep.kept")) | .retained] | max >= 240 * 20480' held)" = true ]
each=$(awk -F, 'NR > 1 { print $4 }' run/counters.csv | sort -u)
ok 'as much in each step as the mod counts' [ "$each" = 20480 ]

tm-dump -q run/server.tmt >dump
read -r equal own other lua before more < <(awk -f "$kit/frames.awk" counted run/counters.csv dump)
ok "native sums of steps as a counter has them: $equal; with the module's own: $own" [ "$equal" -ge 220 -a "$other" = 0 ]
ok "sums of Lua as Lua has them: $lua; less, of blocks from before: $before" [ "$lua" -ge 200 -a "$more" = 0 ]

LEAKS=0 record green
tm-session -q --as json green >report
ok 'no leak where none is' [ "$(rows leaks site | grep -c 'called by keep')" = 0 ]
