#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/unity/: small Unity profiler captures with one trap each, and one of each layout.
# $DATA/corpus/unity_*: the same, for the fuzz targets.

set -eu
: "${DATA:?}" "${GEN:?}"
rm -rf "$DATA/unity.part"
mkdir -p "$DATA/unity.part" "$DATA/corpus/unity_raw"
cd "$DATA/unity.part"
"$GEN/unity_traps" .
"$GEN/unity" --frames 30 --block 2000 >small.raw 2>small.truth
cp ./*-*.raw "$DATA/corpus/unity_raw"
tiny='--frames 2 --calls 3 --workers 1 --rich 2'
for kind in '--split --block 64' --aligned '--tcp swapped' '--version 20220328 --tail' \
	'--version 20171110'; do
	# shellcheck disable=SC2086 # several options
	"$GEN/unity" $tiny $kind 2>/dev/null >"$DATA/corpus/unity_raw/tiny$(printf '%s' "$kind" | tr -d ' -')"
done
mkdir -p "$DATA/corpus/unity_data" "$DATA/corpus/unity_pdata"
for version in 20170327 20181101 20190514 20191122 20210919 20220328 20260108; do
	"$GEN/unity_data" --frames 1 --threads 1 --calls 4 --version $version data \
		2>/dev/null >"$DATA/corpus/unity_data/$version"
done
for version in 1 3 7; do
	"$GEN/unity_data" --frames 2 --threads 2 --calls 4 --version $version pdata \
		2>/dev/null >"$DATA/corpus/unity_pdata/$version"
done
for kind in data pdata; do
	version=20220328
	[ $kind = data ] || version=7
	"$GEN/unity_data" --frames 3 --calls 4 --version $version $kind >small.$kind 2>small.$kind.truth
done
rm -rf "$DATA/unity"
mv "$DATA/unity.part" "$DATA/unity"
