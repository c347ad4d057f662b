#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The recorder for WebAssembly, examples/wasm: its program is compiled, node runs it, and the reports have the numbers, names
# and lines of its source. In each of 10 frames it allocates 100 to 104 bytes and frees all but the first, and its Lua
# allocates 56 bytes, makes them 112, and frees them.
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

compiler=
for v in -19 -18 -17 ""; do
	[ -n "$compiler" ] || { command -v "clang$v" >/dev/null && command -v "wasm-ld$v" >/dev/null && compiler=clang$v; }
done
if [ -z "$compiler" ] || ! command -v node >/dev/null || [ ! -e /usr/include/xxhash.h ]; then
	echo "skip - wasm_record: no clang with wasm-ld, node and xxhash.h"
	exit 0
fi
from=$SRC/examples/wasm

line() { grep -n "$1" "$from/game.c" | head -n 1 | cut -d: -f1; }
row() { # FILE OPTION...: the rows of a report, by name: count, requested, live_count, live_requested
	local file=$1
	shift
	tm-top -q --csv -n 0 "$@" "$file" 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["site"], $at["count"], $at["requested"], $at["live_count"], $at["live_requested"] }' | sort
}

for level in -O0 -O2; do
	if ! "$compiler" --target=wasm32 -g $level -ffreestanding -fno-builtin -nostdlib -Wall -Wextra -Werror -I"$from" \
		-I"$from/libc" -I"$SRC/lib/recorder" -idirafter /usr/include -Wl,--no-entry \
		-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free \
		"$from/tracemill_wasm.c" "$from/game.c" "$from/libc/libc.c" -o game.wasm 2>err; then
		check "$level: the program is compiled" false
		continue
	fi
	node "$from/run.cjs" game.wasm game.tmt 2>err
	check "$level: the stream is sound and complete" [ "$(tm-dump -q game.tmt 2>err | grep -c '^note')" = 0 ]
	tm-symbolize -q --no-cache -e game.wasm game.tmt -o named.tmt 2>err
	equals "$level: blocks by site" "$(row named.tmt --by site)" "lua_alloc 20 1680 0 0
make_thing 50 5100 10 1000"
	equals "$level: blocks of Lua" "$(row named.tmt --domain lua --by site)" "run_script 10 1120 0 0
run_script 10 560 0 0"
	equals "$level: frames" "$(tm-dump -q named.tmt | grep -c '^frame value=[0-9] ')" 10
	equals "$level: counters" "$(tm-dump -q named.tmt | grep -c '^counter value=[0-9] ')" 10
	tm-export -q --as folded -o folded named.tmt 2>err
	check "$level: the stack ends at the allocating function" grep -q '^run;load_level;make_thing [0-9]*$' folded
	tm-dump -q named.tmt >dump
	check "$level: its line" grep -q "function=\"make_thing\".*game.c\" line=$(line 'return malloc')" dump
	check "$level: its caller's line" grep -q "function=\"load_level\".*game.c\" line=$(line '= make_thing')" dump
done
exit $failed
