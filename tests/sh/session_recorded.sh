#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A game with a script, recorded for real: tm-record, the Lua module and the game's log make a session in which one command
# finds the spike (Lua that makes C++ allocate), the jank (a level that is loaded) and the leak that are planted. The truth
# is what the game says of itself, and of the clocks the dates that both recorders wrote at their time 0.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

lua=lua5.4
flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs lua-5.4 2>/dev/null)
# shellcheck disable=SC2086 # several words
if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] ||
	! ${CXX:-c++} -std=c++17 -O1 -g "$SRC/testdata/src/session/game.cpp" -o game $flags 2>err; then
	echo "skip - a recorded session (no C++ compiler, or no headers of Lua 5.4)"
	exit 0
fi
export LUA_CPATH="$BIN/../lib/$lua/?.so" FRAMES=400 LEVEL=310

record() { # folder, the frame of the wave
	mkdir "$1"
	TRACE=$1/lua.tmt WAVE=$2 tm-record -q -o "$1/native.tmt" -- ./game "$SRC/testdata/src/session/game.lua" >"$1/game.log" 2>said
}
rows() { # table, columns: tab separated
	jq -r --arg table "$1" --arg columns "$2" \
		'($columns | split(" ")) as $c | .sections[] | select(.name == $table) | .rows[] | [.[$c[]]] | @tsv' report
}
date_of() { # trace: ns since 1970 of its time 0
	tm-dump --no-events --no-tables "$1" | sed -n 's/.*date_ns[^0-9]*\([0-9]*\).*/\1/p' | tail -n 1
}

LEAKS=1 record run 137
tm-session -q --as json run >report
ok 'one command reads the session' [ -s report ]

# The session's clock is Lua's, whose times are finer: a native time t is t + its date - Lua's date. These have more digits
# than awk has: by the shell.
rows files 'file offset_ns error_ns clock' >listed
truth=$(($(date_of run/native.tmt) - $(date_of run/lua.tmt)))
offset=$(awk -F '\t' '$1 == "native.tmt" { print $2 }' listed) error=$(awk -F '\t' '$1 == "native.tmt" { print $3 }' listed)
off=$((offset > truth ? offset - truth : truth - offset))
ok "the clocks of both recorders: off by $off ns, stated ${error:-none}" [ "$off" -le "${error:--1}" ]
ok 'by shared frames' grep -q '^native.tmt.*by 400 shared frames' listed
ok 'the log by its sync marker' grep -q '^game.log.*by 1 shared marker' listed

rows in-frames 'frame file domain count bytes site' >did
read -r _ bytes blocks < <(grep '^wave' said)
ok "the spike: C++ allocates more than $bytes bytes in $blocks blocks" awk -F '\t' -v bytes="$bytes" -v n="$blocks" '
	$1 == 137 && $2 == "native.tmt" && $3 == "native" && $4 >= n && $5 >= bytes { found = 1 } END { exit !found }' did
jq -r '.sections[] | select(.name == "worst-frames") | .rows[] | select(.frame == 137) | ._details[]' report >details
ok 'all of these by spawn_enemy' grep -q "^native, native.tmt: .*$(awk -v n="$bytes" 'BEGIN { printf "%.1f KiB", n / 1024 }') .*spawn_enemy()" details
ok 'in the same frame: Lua by spawn_wave' awk -F '\t' '
	$1 == 137 && $2 == "lua.tmt" && $3 == "Lua" && $4 >= 1500 && $6 ~ /spawn_wave/ { found = 1 } END { exit !found }' did
rows worst-frames 'frame duration_ns why' >worst
ok 'the jank is a worst frame by its duration' awk -F '\t' '$1 == 310 && $2 >= 150e6 && $3 ~ /duration/ { found = 1 } END { exit !found }' worst
rows log 'frame text' >lines
ok 'with its line of the log' grep -q "^310.*WARN loading level 2" lines
rows leaks 'domain site growth' >grown
# Of 400 frames three quarters of the time; the steps are of time, and the frames are not all alike.
leak=$(sed -n 's/^leak //p' said)
ok "the leak: add_particle, $leak bytes a frame" awk -F '\t' -v leak="$leak" '
	$1 == "native" && $2 ~ /add_particle/ && $3 % leak == 0 && $3 > 150 * leak && $3 < 400 * leak { found = 1 } END { exit !found }' grown

LEAKS=0 record green 137
tm-session -q --as json green >report
ok 'without the leak none is shown of C++' [ "$(rows leaks site | grep -c add_particle)" = 0 ]
tm-session -q --baseline green run >gate
ok 'the gate fails for the leak' [ $? = 1 ]
