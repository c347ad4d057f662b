#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/corpus/{elf,dwarf}/: a small program by each compiler, and damaged copies of it, for
# fuzz_elf and fuzz_dwarf.

set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
part=$DATA/corpus/dwarf.part
[ ! -d "$DATA/corpus/dwarf" ] || exit 0
rm -rf "$part" "$DATA/corpus/elf"
mkdir -p "$part/seeds" "$part/elf" "$part/dwarf"

for cc in gcc clang; do
	if ! command -v "$cc" >/dev/null 2>&1; then
		echo "skip - fuzz corpora by $cc (not here)"
		continue
	fi
	for version in 4 5; do
		seed=$part/seeds/$cc-$version
		if ! "$cc" -g -gdwarf-$version -O2 -ffreestanding -nostdlib -static \
			-Wl,--build-id=sha1,-z,noseparate-code -o "$seed" \
			"$SRC/testdata/src/dwarf/tiny.c" 2>"$part/log"; then
			echo "skip - fuzz corpora by $cc, DWARF $version ($(head -n 1 "$part/log"))"
			continue
		fi
		"$GEN/mutate" dwarf 100 "$part/dwarf" "$seed"
		"$GEN/mutate" elf 100 "$part/elf" "$seed"
		if objcopy --compress-debug-sections=zlib "$seed" "$seed-z" 2>/dev/null; then
			"$GEN/mutate" dwarf 50 "$part/elf" "$seed-z"
		fi
	done
done
mv "$part/elf" "$DATA/corpus/elf"
mv "$part/dwarf" "$DATA/corpus/dwarf"
rm -rf "$part"
