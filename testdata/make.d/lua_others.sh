#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/lua-others/: one small capture of every Lua format but Miku's and ELua's, with its truth;
# $DATA/corpus/lua_texts, tarantool: the same, for the fuzz targets.

set -eu
: "${DATA:?}"
[ -n "${GEN-}" ] || { echo "skip - lua-others (GEN is not set: no generators)"; exit 0; }
rm -rf "$DATA/lua-others.part"
mkdir -p "$DATA/lua-others.part" "$DATA/corpus/lua_texts" "$DATA/corpus/tarantool"
cd "$DATA/lua-others.part"
for format in folded jp-states jp-raw luaprofiler luatrace luau-profile luau-heap; do
	"$GEN/lua_profiles" --seed 7 --events 8 --truth "$format.truth" "$format" >"made.$format"
	mv "made.$format" "$format"
	cp "$format" "$DATA/corpus/lua_texts"
done
for format in memprof sysprof; do
	"$GEN/tarantool" --seed 7 --events 12 --truth "$format.truth" "$format" >"made.$format"
	mv "made.$format" "$format"
	cp "$format" "$DATA/corpus/tarantool"
done
rm -rf "$DATA/lua-others"
mv "$DATA/lua-others.part" "$DATA/lua-others"
