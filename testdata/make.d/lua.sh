#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/lua/: logs of a real Lua 5.4 whose allocator writes them (testdata/src/lua), and small
# captures of every Lua format. $DATA/corpus/...: the same, for the fuzz targets.

set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
rm -rf "$DATA/lua.part"
mkdir -p "$DATA/lua.part"
cd "$DATA/lua.part"

# shellcheck disable=SC2046
if ! command -v pkg-config >/dev/null || ! pkg-config --exists lua5.4; then
	echo 'skip - a real Lua (liblua5.4-dev is not installed)'
elif ! ${CC:-cc} -O1 $(pkg-config --cflags lua5.4) "$SRC/testdata/src/lua/lualloc.c" -o lualloc \
	$(pkg-config --libs lua5.4) 2>real.err; then
	echo 'skip - a real Lua (lualloc.c does not build)'
else
	for kind in text binary; do
		./lualloc "$SRC/testdata/src/lua/objects.lua" $kind >real.$kind 2>real.$kind.truth
	done
fi

corpus() { # corpus FUZZER FILE...
	folder=$DATA/corpus/$1
	shift
	mkdir -p "$folder"
	cp "$@" "$folder"
}
for kind in text binary; do
	for variant in plain named nil before bare cut columns states; do
		"$GEN/lualloc" --events 12 --frames 3 --variant $variant $kind >tiny.$kind.$variant 2>/dev/null
	done
	corpus lualloc tiny.$kind.*
done
for variant in plain old closures nameless nan; do
	for version in v0 v1 v2; do
		"$GEN/elua" --nodes 4 --variant $variant $version >tiny.elua.$variant.$version 2>/dev/null
	done
done
"$GEN/elua" --nodes 2 --frames 3 v2 >tiny.elua.frames 2>/dev/null
corpus elua tiny.elua.*
for variant in plain oodle broken cut nan; do
	"$GEN/slua" --frames 2 --variant $variant >tiny.slua.$variant 2>/dev/null
done
"$GEN/slua" --frames 1 2>/dev/null | tail -c +28 >tiny.slua.raw
corpus slua tiny.slua.*
for form in memdump snapshot print memref compared tables leaks times; do
	"$GEN/lua_texts" --objects 8 --newlines 1 $form >tiny.$form 2>/dev/null
	corpus lua_objects tiny.$form
done
rm tiny.*
rm -rf "$DATA/lua"
mv "$DATA/lua.part" "$DATA/lua"
