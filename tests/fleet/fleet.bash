# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For tests/fleet: captures of the demo game, what one machine makes of them, and the daemons that a
# test starts, on loopback only. All of them end with the test, whatever ends it.
# shellcheck disable=SC2034 # the scripts use them

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

game=$DATA/demo/gcc-dwarf5-O2
export FLEET_SYMBOLIZE="--cache $PWD/index -e $game/bin/arcade -e $game/bin/libengine.so"
export FLEET_OUT=$PWD/out
daemons=()

skip() { # WHY
	echo "skip - fleet (${1})"
	exit 0
}

# stop and start a daemon of our own, by its process id only
stop_daemons() {
	local pid

	for pid in ${daemons[@]+"${daemons[@]}"}; do kill "$pid" 2>/dev/null; done
	for pid in ${daemons[@]+"${daemons[@]}"}; do wait "$pid" 2>/dev/null; done
	daemons=()
}
trap stop_daemons EXIT
daemon() { # LOG COMMAND...
	local log=$1

	shift
	"$@" >"$log" 2>&1 </dev/null &
	daemons+=($!)
}
until_true() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}
free_port() { # the first free one from here on
	local port=$1

	while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
	echo "$port"
}

# captures N: c1.tmt ... of different runs, without symbols; list has their names.
captures() {
	local i

	[ -x "$game/bin/arcade" ] || skip "no demo here"
	: >list
	for ((i = 1; i <= $1; i++)); do
		mkdir -p "run$i"
		"$game/bin/arcade" --frames $((4 + i)) --out "run$i" >/dev/null &&
			tm-import -q --maps "run$i/arcade.smaps" --config "run$i/loli3.conf" \
				-o "c$i.tmt" "run$i/arcade.stream" || exit 1
		echo "$PWD/c$i.tmt" >>list
	done
}

# One machine, one capture after the other, without any script of ours: alone.tma.
alone() {
	local name files=()

	while read -r name; do
		tm-symbolize -q --no-cache -e "$game/bin/arcade" -e "$game/bin/libengine.so" "$name" |
			tm-compare -q --save-baseline "$name.tma" --origin "$name" -
		files+=("$name.tma")
	done <list
	tm-merge -o alone.tma "${files[@]}"
}

# Before the real program, the one that reads $1 stops once (in the folder $2, the first time only)
# until it is killed: $2/pid is then there.
hang_once() { # CAPTURE FOLDER
	mkdir -p "$2"
	cat >"$2/tm-symbolize" <<X
#!/bin/bash
if [[ "\$*" == *"$1" ]] && mkdir "$2/once" 2>/dev/null; then
	# Half of what there is, as if it had been on its way.
	"$BIN/tm-symbolize" "\$@" | head -c 20000
	echo \$PPID >"$2/pid.new" && mv "$2/pid.new" "$2/pid"
	exec sleep 600
fi
exec "$BIN/tm-symbolize" "\$@"
X
	chmod +x "$2/tm-symbolize"
}
# Kills the worker that hangs, and all of its processes.
kill_worker() { # FOLDER
	local worker

	until_true 60 test -s "$1/pid" || return 1
	worker=$(cat "$1/pid")
	children "$worker" | xargs kill -9 "$worker"
}
children() { # PID
	local child

	for child in $(ps -o pid= --ppid "$1"); do
		echo "$child"
		children "$child"
	done
}
