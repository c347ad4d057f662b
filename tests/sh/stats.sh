#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-symbolize --stats and --progress tell what was done and change nothing, and the output is the same
# with any number of workers and with either engine.
set -u

game=$DATA/demo/gcc-dwarf5-O2
if [ ! -f "$game/bin/arcade" ]; then
	echo "skip - stats (no demo here)"
	exit 0
fi
check() { # WHAT; then a command that must succeed
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		head -n 12 err | sed 's/^/    /'
		echo "not ok - $what"
	fi
}
capture=$(find "$game" "$DATA/demo" -name '*.mem' | head -n 1)
maps=$(find "$game" "$DATA/demo" -name '*.maps' | head -n 1)
run() { tm-symbolize --no-local -e "$game/bin/arcade" --maps "$maps" "$@" "$capture" >"$out" 2>err; }

out=want run -q -j 1
for j in 2 3 16; do
	out=got run -q -j $j
	check "the same output with $j workers" cmp want got
done
out=got run -j 2 --stats --progress=always
check "the same output with --stats and --progress" cmp want got
check "there is some" test -s want
check "progress has a percentage and the time left" grep -Eq '^(symbolizing|reading): +[0-9]+%, [0-9]+ s left' err
all=$(sed -n 's/^tm-symbolize: stats: all: \([0-9]*\) locations.*/\1/p' err)
known=$(tm-dump want | grep -c '^location ')
check "$all locations are what the trace has" test "$all" -gt 0 -a "$all" = "$known"
check "a line of seconds" grep -Eq \
	'stats: all: seconds: read [0-9.]+, bind [0-9.]+, decode [0-9.]+, copy [0-9.]+, names [0-9.]+, write [0-9.]+$' err
check "peak memory" grep -Eq 'stats: all: peak memory [1-9][0-9]* MiB$' err
units=$(readelf --debug-dump=info --dwarf-depth=1 "$game/bin/arcade" 2>/dev/null | grep -c '^ *Compilation Unit @')
check "$units units, none lost" \
	grep -q "arcade: [0-9]* locations, [0-9]* unique addresses, units: $units, asked [0-9]*, lost 0$" err
