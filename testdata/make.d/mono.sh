#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/mono/: logs of Mono's profiler, good and with one trap each; $DATA/corpus/mono_mlpd: the same,
# for its fuzz target, with damaged copies.

set -eu
: "${DATA:?}" "${GEN:?}"
rm -rf "$DATA/mono.part" "$DATA/corpus/mono_mlpd"
mkdir -p "$DATA/mono.part" "$DATA/corpus/mono_mlpd"
for kind in 17 14 cut unknown junk names old new count empty unload native; do
	"$GEN/mono" $kind >"$DATA/mono.part/$kind.mlpd"
done
cp "$DATA/mono.part"/*.mlpd "$DATA/corpus/mono_mlpd"
rm -rf "$DATA/mono"
mv "$DATA/mono.part" "$DATA/mono"
