#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/corpus/{elf,dwarf,fast}/: a small program by each compiler, and damaged copies of it, for
# fuzz_elf, fuzz_dwarf and fuzz_fast.

set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
part=$DATA/corpus/dwarf.part
rm -rf "$part"
mkdir -p "$part/seeds" "$part/elf" "$part/dwarf" "$part/fast"

# join FILE DWO OUT: FILE with the sections of DWO as well
join() {
	cp "$1" "$3"
	# those of a package, too
	objdump -h "$2" | awk '$2 ~ /^\.debug.*(\.dwo|_index)$/ { print $2 }' | while read -r name; do
		objcopy -O binary --only-section="$name" --set-section-flags "$name"=alloc "$2" "$part/section"
		objcopy --add-section "$name=$part/section" "$3"
	done
}

# behind FILE OTHER: both, and the size of the first
behind() {
	cat "$1" "$2"
	n=$(wc -c <"$1")
	# shellcheck disable=SC2059 # octal, for printf
	printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24)))"
}

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
	# symbols in .gnu_debugdata, and none elsewhere
	seed=$part/seeds/$cc-mini
	if "$cc" -g -O2 -ffreestanding -nostdlib -static -Wl,--build-id=none,-z,noseparate-code \
		-o "$seed" "$SRC/testdata/src/dwarf/tiny.c" 2>"$part/log" &&
		objcopy --only-keep-debug "$seed" "$seed.symbols" &&
		objcopy --strip-debug "$seed.symbols" && xz -c "$seed.symbols" >"$seed.xz" &&
		objcopy -R .symtab --strip-symbol=outer --strip-symbol=_start "$seed" "$seed.bare" &&
		objcopy --add-section .gnu_debugdata="$seed.xz" "$seed.bare" "$seed.packed"; then
		cp "$seed.packed" "$part/elf/"
		"$GEN/mutate" elf 100 "$part/elf" "$seed.packed"
	else
		echo "skip - fuzz corpus of .gnu_debugdata by $cc ($(head -n 1 "$part/log"))"
	fi
	# split units, their parts in the same file
	for version in 4 5; do
		seed=$part/seeds/$cc-dwo$version
		(cd "$part/seeds" && "$cc" -g -gdwarf-$version -gsplit-dwarf -O2 -ffreestanding -c \
			-o tiny.o "$SRC/testdata/src/dwarf/tiny.c" &&
			"$cc" -nostdlib -static -Wl,--build-id=none,-z,noseparate-code -o "$seed" tiny.o) 2>"$part/log" ||
			{
				echo "skip - fuzz corpus of split DWARF $version by $cc ($(head -n 1 "$part/log"))"
				continue
			}
		[ $version = 4 ] || "$GEN/dwp" "$seed.dwp" "$part/seeds/tiny.dwo"
		join "$seed" "$part/seeds/tiny.dwo" "$seed-joined"
		[ $version = 4 ] || join "$seed" "$seed.dwp" "$seed-joined-dwp"
		for file in "$seed"-joined*; do
			cp "$file" "$part/fast/"
			"$GEN/mutate" dwarf 30 "$part/fast" "$file"
		done
	done
	# a supplementary file behind it
	seed=$part/seeds/$cc-dwz
	if command -v dwz >/dev/null 2>&1 && (cd "$part/seeds" && for name in one two; do
		"$cc" -g -gdwarf-4 -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -static \
			-Wl,--build-id=none,-z,noseparate-code -o "$seed-$name" \
			"$SRC/testdata/src/matrix/game.cpp" "$SRC/testdata/src/matrix/world.cpp" || exit 1
	done && dwz -m "$seed-common" "$seed-one" "$seed-two") >"$part/log" 2>&1; then
		mkdir "$part/dwz"
		"$GEN/mutate" dwarf 40 "$part/dwz" "$seed-one"
		cp "$seed-one" "$part/dwz"
		for file in "$part"/dwz/*; do
			behind "$file" "$seed-common" >"$part/fast/$(basename "$file")"
		done
		rm -rf "$part/dwz"
		mkdir "$part/dwz"
		"$GEN/mutate" dwarf 40 "$part/dwz" "$seed-common"
		for file in "$part"/dwz/*; do
			behind "$seed-one" "$file" >"$part/fast/$(basename "$file")"
		done
		rm -rf "$part/dwz"
	else
		echo "skip - fuzz corpus of dwz by $cc ($(head -n 1 "$part/log"))"
	fi
	# what one program can be in DWARF, undamaged and damaged
	for flags in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 "-gdwarf-5 -gdwarf64" \
		"-gdwarf-4 -fdebug-types-section" "-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf"; do
		seed=$part/seeds/$cc$(printf '%s' "$flags" | tr -d ' ')
		# shellcheck disable=SC2086 # several flags
		if (cd "$part/seeds" && "$cc" -g $flags -O2 -ffreestanding -nostdlib -static \
			-Wl,--build-id=none,-z,noseparate-code -o "$seed" \
			"$SRC/testdata/src/dwarf/tiny.c") 2>"$part/log"; then
			cp "$seed" "$part/fast/"
			"$GEN/mutate" dwarf 30 "$part/fast" "$seed"
		else
			echo "skip - fuzz corpora by $cc $flags ($(head -n 1 "$part/log"))"
		fi
	done
done
rm -rf "$DATA/corpus/fast" "$DATA/corpus/elf" "$DATA/corpus/dwarf"
mv "$part/fast" "$part/elf" "$part/dwarf" "$DATA/corpus"
rm -rf "$part"
