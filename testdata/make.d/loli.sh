#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/loli/: small LoliProfiler captures of every format, and files with one trap each.
# $DATA/corpus/loli_*, maps: the same, sorted for the fuzz targets.

set -eu
: "${DATA:?}" "${GEN:?}"
rm -rf "$DATA/loli.part"
mkdir -p "$DATA/loli.part"
cd "$DATA/loli.part"
"$GEN/loli_traps" .
for kind in stream stream-v1.0.0 cache loli-105 loli-106 loli-107 text text-full; do
	"$GEN/loli" -n 2000 -s 50 "$kind" 2>"small.$kind.truth" >"small.$kind"
done
for kind in smaps maps conf; do
	"$GEN/loli" "$kind" >"small.$kind"
done

corpus() { # corpus FUZZER FILE...: those up to 4 KiB
	folder=$DATA/corpus/$1
	shift
	mkdir -p "$folder"
	find "$@" -size -9 -exec cp {} "$folder" \;
}
for kind in stream stream-v1.0.0 cache loli-105 loli-106 text text-full; do
	"$GEN/loli" -n 3 -s 2 -d 3 "$kind" >"tiny-$kind" 2>/dev/null
done
"$GEN/loli" -n 3 -s 2 -d 3 -c 4 -m 3 loli-106 >tiny-chart 2>/dev/null
"$GEN/loli" -m 3 smaps >tiny-smaps 2>/dev/null
corpus loli_stream ./*.stream tiny-stream tiny-stream-v1.0.0
corpus loli_cache ./*.cache tiny-cache
corpus loli_file ./*.loli tiny-loli-105 tiny-loli-106 tiny-chart
corpus export ./*.loli tiny-loli-105 tiny-loli-106
corpus loli_text ./*.text tiny-text tiny-text-full
corpus maps ./*.maps small.smaps small.maps tiny-smaps
corpus loli_config small.conf
rm tiny-*
rm -rf "$DATA/loli"
mv "$DATA/loli.part" "$DATA/loli"
