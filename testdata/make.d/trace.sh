#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/corpus/trace/: small traces with every kind of row and event, for fuzz_trace and
# fuzz_export; with calls for fuzz_spikes.

set -eu
: "${DATA:?}"
[ -n "${GEN-}" ] || { echo "skip - corpus/trace (GEN is not set: no generators)"; exit 0; }
rm -rf "$DATA/corpus/trace.part"
mkdir -p "$DATA/corpus/trace.part"
"$GEN/trace" --corpus "$DATA/corpus/trace.part"
mkdir -p "$DATA/corpus/export"
cp "$DATA/corpus/trace.part"/* "$DATA/corpus/export"
mkdir -p "$DATA/corpus/spikes"
cp "$DATA/corpus/trace.part"/* "$DATA/corpus/spikes"
"$GEN/calls" --events 300 --depth 12 --functions 9 >"$DATA/corpus/spikes/calls"
rm -rf "$DATA/corpus/trace"
mv "$DATA/corpus/trace.part" "$DATA/corpus/trace"
