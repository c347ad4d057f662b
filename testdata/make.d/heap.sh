#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/heap/: a game's heap before, while and after a window was open (testdata/gen/heap.c), and a
# small Unity heap in every format (testdata/gen/unity_heap.c). $DATA/corpus/: the same, for the
# fuzz targets.

set -eu
: "${DATA:?}"
[ -n "${GEN-}" ] || { echo "skip - heap (GEN is not set: no generators)"; exit 0; }
rm -rf "$DATA/heap.part"
mkdir -p "$DATA/heap.part"
cd "$DATA/heap.part"
"$GEN/heap" S >before.tmt
"$GEN/heap" R >open.tmt
"$GEN/heap" N >after.tmt
"$GEN/heap" all >all.tmt
"$GEN/heap" hostile >hostile.tmt
for kind in memsnap2 memsnap3 heap snap; do
	"$GEN/unity_heap" "$kind" >"il2cpp.$kind"
	"$GEN/unity_heap" --mono "$kind" >"mono.$kind"
done
"$GEN/unity_heap" --version 1 heap >v1.heap
"$GEN/unity_heap" --version 9 snap >v9.snap
"$GEN/unity_heap" --version 18 snap >v18.snap
"$GEN/unity_heap" --lua snap >lua.snap
for kind in heapexplorer:heap unity_snap:snap; do
	mkdir -p "$DATA/corpus/${kind%:*}"
	cp ./*".${kind#*:}" "$DATA/corpus/${kind%:*}"
done
mkdir -p "$DATA/corpus/memsnap" "$DATA/corpus/heap"
cp ./*.memsnap? "$DATA/corpus/memsnap"
cp ./*.tmt "$DATA/corpus/heap"
rm -rf "$DATA/heap"
mv "$DATA/heap.part" "$DATA/heap"
