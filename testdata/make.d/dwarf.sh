#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/corpus/{elf,dwarf,fast}/: a small program by each compiler, and damaged copies of it, for
# fuzz_elf, fuzz_dwarf and fuzz_fast.

set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
part=$DATA/corpus/dwarf.part
[ ! -d "$DATA/corpus/dwarf" ] || exit 0
rm -rf "$part" "$DATA/corpus/elf" "$DATA/corpus/fast"
mkdir -p "$part/seeds" "$part/elf" "$part/dwarf" "$part/fast"

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
	# what one program can be in DWARF, undamaged and damaged
	for flags in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 "-gdwarf-5 -gdwarf64" \
		"-gdwarf-4 -fdebug-types-section" "-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf"; do
		seed=$part/seeds/$cc$(printf '%s' "$flags" | tr -d ' ')
		# shellcheck disable=SC2086 # several flags
		if (cd "$part/seeds" && "$cc" -g $flags -O2 -ffreestanding -nostdlib -static \
			-Wl,--build-id=none,-z,noseparate-code -o "$seed" \
			"$SRC/testdata/src/dwarf/tiny.c") 2>"$part/log"; then
			cp "$seed" "$part/fast/"
			"$GEN/mutate" dwarf 60 "$part/fast" "$seed"
		else
			echo "skip - fuzz corpora by $cc $flags ($(head -n 1 "$part/log"))"
		fi
	done
done
mv "$part/fast" "$DATA/corpus/fast"
mv "$part/elf" "$DATA/corpus/elf"
mv "$part/dwarf" "$DATA/corpus/dwarf"
rm -rf "$part"
