#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/matrix/<row>/ for tests/sh/matrix.sh: the containers that DWARF comes in. Each row's program
# is testdata/src/matrix; its answers are those that llvm-symbolizer gives for the same code as one
# plain file, without compression, splitting or a second file (and without a symbol table, since
# llvm takes a function's name from that first).

# shellcheck disable=SC2086 # several flags in one variable
set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
src=$SRC/testdata/src/matrix
all=$DATA/matrix
made=$all.dwarf
flags='-g -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -fno-stack-protector'
flags="$flags -fno-asynchronous-unwind-tables -ffile-prefix-map=$src=/game"

mkdir -p "$all"
# what an earlier version of this script has made
if [ -e "$made" ]; then
	while read -r name; do
		rm -rf "${all:?}/$name"
	done <"$made"
fi
: >"$made"

# row NAME: begins one, in its folder
row() {
	echo "$1" >>"$made"
	rm -rf "${all:?}/$1"
	mkdir "$all/$1"
	cd "$all/$1"
}

# skip WHY: the row that was begun cannot be made on this machine
skip() {
	rm -f ./*
	printf '%s\n' "$1" >skip
}

# need TOOL...: false, and the row is skipped, when one is not there
need() {
	for tool; do
		if ! command -v "$tool" >/dev/null 2>&1; then
			skip "no $tool"
			return 1
		fi
	done
}

# build OUT COMPILER FLAGS...: false, and the row is skipped, when that cannot be built
build() {
	out=$1
	shift
	need "$1" || return 1
	cc=$1
	shift
	# a copy of a function has no linkage name in DWARF
	[ "$cc" != g++ ] || set -- -fno-ipa-sra "$@"
	mkdir -p "$(dirname "$out")"
	for unit in game world; do
		if ! "$cc" $flags "-ffile-prefix-map=$PWD=${comp_dir-/game}" "$@" -c "$src/$unit.cpp" \
			-o "$(dirname "$out")/$unit.o" 2>log; then
			skip "does not compile: $(head -n 1 log)"
			return 1
		fi
	done
	if ! "$cc" "$@" -nostdlib ${link-"-static"} -o "$out" "$(dirname "$out")/game.o" \
		"$(dirname "$out")/world.o" 2>log; then
		skip "does not link: $(head -n 1 log)"
		return 1
	fi
	rm -f log "$(dirname "$out")/game.o" "$(dirname "$out")/world.o"
}

# want PLAIN: the addresses, and what llvm says of them
want() {
	need llvm-symbolizer llvm-objcopy c++filt || return 1
	llvm-objcopy -R .symtab -R .strtab "$1" plain.tmp
	"$GEN/addresses" -n 300 -s 7 "$1" | sort >addresses
	llvm-symbolizer --obj=plain.tmp --output-style=GNU -i --functions=linkage --no-demangle \
		<addresses | c++filt | sed 's/ (discriminator [0-9]*)$//' >want
	rm plain.tmp
}

# plain NAME COMPILER FLAGS...: one file as the linker has made it
plain() {
	row "$1"
	shift
	build game "$@" && want game && echo '-e game' >args
}

# One file by each compiler, as every version of DWARF, and as other flags lay it out.
for cc in g++ clang++; do
	lld=
	[ $cc = g++ ] || lld=-fuse-ld=lld
	for version in 2 3 4 5; do
		plain "$cc-dwarf$version" $cc $lld -gdwarf-$version
	done
	for version in 4 5; do
		plain "$cc-dwarf$version-64bit" $cc $lld -gdwarf-$version -gdwarf64
		plain "$cc-dwarf$version-type-units" $cc $lld -gdwarf-$version -fdebug-types-section
	done
	plain "$cc-O0" $cc $lld -O0
	plain "$cc-Os" $cc $lld -Os
	plain "$cc-lto" $cc $lld -flto
	plain "$cc-m32" $cc $lld -m32
	link='-static -Wl,--gc-sections' plain "$cc-gc-sections" $cc $lld -ffunction-sections
	link='-static-pie' plain "$cc-static-pie" $cc $lld -fPIE
	link='-shared' plain "$cc-shared" $cc $lld -fPIC
done
link='-static -Wl,--icf=all' plain clang++-icf clang++ -fuse-ld=lld -ffunction-sections
link='-static -Wl,--icf=all' plain g++-gold-icf g++ -fuse-ld=gold -ffunction-sections
for target in aarch64 arm mips powerpc riscv64; do
	more=
	case $target in
	arm) more=eabihf ;;
	riscv64) more=' -mno-relax' ;;
	esac
	plain clang++-$target clang++ -fuse-ld=lld --target=$target-linux-gnu$more
done

# packed NAME OBJCOPY FLAG: compressed sections
packed() {
	row "$1"
	build game g++ && want game && need "$2" || return 0
	if ! "$2" "$3" game packed 2>log; then
		skip "$2 $3: $(head -n 1 log)"
		return 0
	fi
	rm -f log
	mv packed game
	echo '-e game' >args
}
packed zlib objcopy --compress-debug-sections=zlib-gabi
packed zdebug objcopy --compress-debug-sections=zlib-gnu
packed zstd objcopy --compress-debug-sections=zstd

# The debug information in a file of its own: apart NAME LINK|NOLINK FOLDER ARGS
apart() {
	name=$1 how=$2 folder=$3
	row "$name"
	build game g++ -Wl,--build-id="${build_id-none}" && want game && need objcopy || return 0
	mkdir -p "$folder"
	objcopy --only-keep-debug game "$folder/${debug-game.debug}"
	if [ "$how" = link ]; then
		objcopy --strip-all --add-gnu-debuglink="$folder/${debug-game.debug}" game
	else
		objcopy --strip-all game
	fi
	echo "$4" >args
}
apart debuglink-beside link . '-e game'
apart debuglink-dot-debug link .debug '-e game'
apart debuglink-debug-dir link symbols '-e game --debug-dir symbols'
apart same-name-beside nolink . '-e game'
id=00112233445566778899aabbccddeeff00112233
build_id=0x$id apart build-id-tree nolink symbols '-e game --debug-dir symbols'
if [ ! -e skip ]; then
	mkdir -p symbols/.build-id/00
	mv symbols/game.debug symbols/.build-id/00/${id#00}.debug
fi
# A link whose checksum is that of another file, and no build-id: refused, so no answers.
debug=other apart debuglink-wrong-crc link . '-e game'
if [ ! -e skip ]; then
	printf x >>other
	echo 'checksum differs' >err
	awk '{ print "??"; print "??:0" }' addresses >want
	echo 4 >status
fi
