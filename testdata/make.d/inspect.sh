#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/corpus/inspect/: small shared libraries for fuzz_inspect, one per processor, with what
# tm-inspect looks at: a PLT, relocations, instrumentation, unwind tables, DWARF. listing/: the same
# for fuzz_listing.

set -eu
: "${SRC:?}" "${DATA:?}"
to=$DATA/corpus/inspect
from=$SRC/testdata/src/inspect/plain.c

if ! command -v clang >/dev/null || ! command -v ld.lld >/dev/null; then
	echo "skip - corpus of fuzz_inspect (no clang or ld.lld)"
	exit 0
fi
mkdir -p "$to"
for target in x86_64-linux-gnu i686-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf; do
	clang --target=$target -O1 -g1 -shared -fPIC -nostdlib -fuse-ld=lld -finstrument-functions \
		-fasynchronous-unwind-tables -Wl,--build-id=sha1 -o "$to/$target" "$from"
	llvm-strip --strip-all -o "$to/$target.stripped" "$to/$target"
done
mkdir -p "$DATA/corpus/listing"
cp "$to"/* "$DATA/corpus/listing"
