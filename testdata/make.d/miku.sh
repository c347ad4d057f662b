#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/miku/: a small capture of Miku-LuaProfiler in every layout, with the truth.
# $DATA/corpus/miku: small ones with traps, for the fuzz target.

set -eu
: "${DATA:?}" "${GEN:?}"
rm -rf "$DATA/miku.part"
mkdir -p "$DATA/miku.part" "$DATA/corpus/miku"
for layout in A0 A1 A2 A3 B0 B1 C D E wire4 wire31 wire30 wire23 beta tool; do
	"$GEN/miku" "$layout" >"$DATA/miku.part/$layout" 2>"$DATA/miku.part/$layout.truth"
	for variant in history floats lying lost merged number; do
		"$GEN/miku" --frames 1 --seed 2 --variant "$variant" "$layout" \
			>"$DATA/corpus/miku/$layout-$variant" 2>/dev/null
	done
done
printf 'type:LUA_TTABLE\r\n ├─ref1 url:_G.a\r\n\nb\r\n └─ref2 url:_G.c\r\n' >"$DATA/corpus/miku/old.txt"
printf 'function:@a.lua&line:1 count:3\n_G.b\nc count:2\n' >"$DATA/corpus/miku/ref.txt"
rm -rf "$DATA/miku"
mv "$DATA/miku.part" "$DATA/miku"
