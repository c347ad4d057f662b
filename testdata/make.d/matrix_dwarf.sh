#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/matrix/<row>/ for tests/sh/matrix.sh: the containers that DWARF comes in. Each row's program
# is testdata/src/matrix; its answers are those that llvm-symbolizer 19 gives for the same code as one
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
	rm -rf ./* ./.[!.]*
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
	need llvm-symbolizer-19 llvm-objcopy c++filt || return 1
	llvm-objcopy -R .symtab -R .strtab "$1" plain.tmp
	"$GEN/addresses" -n 300 -s 7 "$1" | sort >addresses
	llvm-symbolizer-19 --obj=plain.tmp --output-style=GNU -i --functions=linkage --no-demangle \
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
[ -e skip ] || echo 'neither a build-id nor a checksum shows that its debug file is of this build' >err
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

# Split DWARF: what llvm says of a build with all in one file must be what is said of the program and
# its .dwo files, since the code is the same. split NAME COMPILER FLAGS...: both, in the row's folder,
# the plain one as plain.
split() {
	row "$1"
	compiler=$2
	shift 2
	build plain "$compiler" "$@" && want plain && build game "$compiler" "$@" -gsplit-dwarf || return 1
	for file in plain game; do
		llvm-objcopy -O binary --only-section=.text $file $file.text
	done
	if ! cmp -s plain.text game.text; then
		echo "matrix_dwarf.sh: $1: split DWARF changes the code" >&2
		exit 1
	fi
	rm -f plain plain.text game.text
	echo '-e game' >args
}
for cc in g++ clang++; do
	lld=
	[ $cc = g++ ] || lld=-fuse-ld=lld
	for version in 4 5; do
		split "$cc-split-dwarf$version" $cc $lld -gdwarf-$version
		split "$cc-split-dwarf$version-gc-sections" $cc $lld -gdwarf-$version -ffunction-sections \
			-Wl,--gc-sections
		split "$cc-split-dwarf$version-m32" $cc $lld -gdwarf-$version -m32
		split "$cc-split-dwarf$version-type-units" $cc $lld -gdwarf-$version -fdebug-types-section
		split "$cc-split-dwarf$version-O0" $cc $lld -gdwarf-$version -O0
		split "$cc-split-dwarf$version-zlib" $cc $lld -gdwarf-$version -gz=zlib
		if comp_dir=objects split "$cc-split-dwarf$version-comp-dir" $cc $lld -gdwarf-$version; then
			mkdir objects
			mv ./*.dwo objects
		fi
		if split "$cc-split-dwarf$version-debug-dir" $cc $lld -gdwarf-$version; then
			mkdir symbols
			mv ./*.dwo symbols
			echo '-e game --debug-dir symbols' >args
		fi
		# without the .dwo files: the line table's places, and no names (nor a symbol table)
		if split "$cc-split-dwarf$version-missing" $cc $lld -gdwarf-$version; then
			llvm-objcopy -R .symtab -R .strtab game
			rm ./*.dwo
			llvm-symbolizer-19 --obj=game --output-style=GNU --no-inlines --functions=linkage \
				--no-demangle <addresses | sed 's/ (discriminator [0-9]*)$//' >want
			echo 'split DWARF: functions are in ./game.dwo, which does not exist' >err
		fi
	done
done
split mips-split clang++ -fuse-ld=lld --target=mips-linux-gnu
split aarch64-split clang++ -fuse-ld=lld --target=aarch64-linux-gnu

# packed_split NAME COMPILER VERSION HOW...: HOW is the command that makes game.dwp of what follows it
packed_split() {
	name=$1 compiler=$2 version=$3
	shift 3
	lld=
	[ "$compiler" = g++ ] || lld=-fuse-ld=lld
	split "$name" "$compiler" $lld -gdwarf-"$version" && need "$1" || return 1
	if ! "$@" game.dwo world.dwo 2>log; then
		skip "$1: $(head -n 1 log)"
		return 1
	fi
	rm -f log ./*.dwo
}
packed_split clang++-dwp-dwarf4 clang++ 4 llvm-dwp -o game.dwp
packed_split clang++-dwp-dwarf5 clang++ 5 llvm-dwp -o game.dwp
packed_split g++-dwp-dwarf4 g++ 4 dwp -o game.dwp
packed_split g++-dwp-dwarf5 g++ 5 "$GEN/dwp" game.dwp
packed_split clang++-dwp-dwarf5-own clang++ 5 "$GEN/dwp" game.dwp
packed_split g++-dwp-collisions g++ 5 "$GEN/dwp" -s 4 game.dwp
if packed_split dwp-of-debug-file g++ 5 "$GEN/dwp" game.debug.dwp; then
	mkdir symbols
	objcopy --only-keep-debug game symbols/game.debug
	objcopy --strip-all game
	mv game.debug.dwp symbols
	echo '-e game --debug-dir symbols' >args
fi
# dwp_lie LIE TEXT: an index that is not true; lines are answered, and the reason is given
dwp_lie() {
	packed_split "dwp-lie-$1" g++ 5 "$GEN/dwp" -l "$1" game.dwp || return 0
	llvm-objcopy -R .symtab -R .strtab game
	llvm-symbolizer-19 --obj=game --output-style=GNU --no-inlines --functions=linkage --no-demangle \
		--dwp=/dev/null <addresses | sed 's/ (discriminator [0-9]*)$//' >want
	echo "$2" >err
}
dwp_lie offset 'index of units: a part lies outside its section'
dwp_lie size 'index of units: a part lies outside its section'
dwp_lie row 'index of units: a row is out of range'
dwp_lie ids 'dwo_id differs'
dwp_lie units 'index of units: larger than its section'
dwp_lie slots 'index of units: the number of slots is not a power of two'
dwp_lie full 'has no unit with that dwo_id'
dwp_lie version 'index of units: unknown version'
dwp_lie cut 'index of units: larger than its section'
# A .dwo file of another build: its dwo_id is another one.
if split split-wrong-id g++ -gdwarf-5; then
	llvm-objcopy -R .symtab -R .strtab game
	cp world.dwo game.dwo
	rm world.dwo
	llvm-symbolizer-19 --obj=game --output-style=GNU --no-inlines --functions=linkage --no-demangle \
		<addresses | sed 's/ (discriminator [0-9]*)$//' >want
	echo 'dwo_id differs' >err
fi

# dwz: partial units in the file itself; what two files have in common in a third one, which is named
# in .gnu_debugaltlink or, DWARF 5's way, in .debug_sup; found next to the file, and by its
# build-id. shared NAME FLAGS FOLDER ARGS COMPILE...: the common file is in FOLDER
shared() {
	row "$1"
	flags_dwz=$2 folder=$3 line=$4
	shift 4
	build game "$@" && want game && need dwz || return 1
	cp game other
	mkdir -p "$folder"
	if ! dwz $flags_dwz -m "$folder/common.debug" game other 2>log; then
		skip "dwz: $(head -n 1 log)"
		return 1
	fi
	rm -f log other
	echo "$line" >args
}
for version in 4 5; do
	row "dwz-dwarf$version"
	if build game g++ -gdwarf-$version && want game && need dwz; then
		dwz game
		echo '-e game' >args
	fi
	shared "dwz-common-dwarf$version" -r . '-e game' g++ -gdwarf-$version || :
	shared "dwz-common-dwarf$version-folder" -r .dwz '-e game' g++ -gdwarf-$version || :
	shared "dwz-sup-dwarf$version" '-r --dwarf-5' . '-e game' g++ -gdwarf-$version || :
done
shared dwz-common-m32 -r . '-e game' g++ -m32 || :
shared dwz-common-clang -r . '-e game' clang++ -fuse-ld=lld -gdwarf-4 || :
if shared dwz-common-build-id '-M /nowhere/common.debug' symbols '-e game --debug-dir symbols' g++; then
	id=$(readelf -n symbols/common.debug | sed -n 's/.*Build ID: //p')
	mkdir -p "symbols/.build-id/$(echo "$id" | cut -c1-2)"
	mv symbols/common.debug "symbols/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
fi
# As distributions do it: the program is stripped, and its debug file names the common one.
if shared dwz-common-debug-file '-M .dwz/common.debug' symbols/.dwz '-e game --debug-dir symbols' g++; then
	objcopy --only-keep-debug game symbols/game.debug
	objcopy --strip-all game
fi

# GCC 10 and 11 leave range lists in the linked file; the source says what is right.
row split-lists-linked
if need clang ld.lld llvm-objcopy && clang --target=x86_64-linux-gnu -c "$src/lists.s" -o lists.o &&
	llvm-objcopy --extract-dwo lists.o lists.dwo && llvm-objcopy --strip-dwo lists.o &&
	ld.lld -e battle -Ttext=0x20000 -o game lists.o; then
	rm -f lists.o
	for at in 0 4 8 12 16; do
		for byte in 0 1 2 3; do
			printf '0x%x\n' $((0x20000 + at + byte)) >>addresses
			case $at in
			4) printf 'hurt\n/game/lists.c:3\nbattle\n/game/lists.c:13\n' ;;
			12) printf 'hurt\n/game/lists.c:4\nbattle\n/game/lists.c:13\n' ;;
			*) printf 'battle\n/game/lists.c:%d\n' $((10 + at / 8)) ;;
			esac >>want
		done
	done
	echo '-e game' >args
fi

# A unit that says nothing of addresses owns what its rows hold; marks of compilers name nothing.
row rows-alone
if need clang ld.lld && clang --target=x86_64-linux-gnu -gdwarf-2 -c "$src/rows.s" -o rows.o 2>log &&
	ld.lld -e 0 -Ttext=0x20000 -o game rows.o; then
	rm -f rows.o log
	second=$(readelf -sW game | awk '$8 == "gcc2_compiled." { print "0x" $2 }')
	for at in 0 1 2 3; do
		printf '0x%x\n' $((0x20000 + at)) >>addresses
		printf 'first\n/game/rows.S:%d\n' $((10 + at / 2)) >>want
	done
	for at in 0 1 2 3; do
		printf '0x%x\n' $((second + at)) >>addresses
		printf '??\n/game/rows.S:20\n' >>want
	done
	echo '-e game' >args
fi

# prelink moves a program that was stripped: its debug file has other addresses, and the same build-id.
row prelinked
id=-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
if link="-shared $id" build game.debug clang++ -fuse-ld=lld -fPIC && want game.debug && need objcopy &&
	link="-shared $id -Wl,--image-base=0x41000000" build game clang++ -fuse-ld=lld -fPIC; then
	objcopy --only-keep-debug game.debug
	objcopy --strip-all game
	while read -r at; do
		printf '0x%x\n' $((at + 0x41000000))
	done <addresses >moved.tmp
	mv moved.tmp addresses
	echo '-e game' >args
fi

# MiniDebugInfo: .gnu_debugdata has the symbols that .dynsym has not; names only.
# mini NAME HOW COMPILE...
mini() {
	row "$1"
	how=$2
	shift 2
	build game "$@" && want game && need xz objcopy || return 0
	llvm-objcopy --strip-debug game symbols
	llvm-symbolizer-19 --obj=symbols --output-style=GNU -i --functions=linkage --no-demangle \
		<addresses | c++filt >want
	objcopy --only-keep-debug game mini
	objcopy --strip-debug mini
	nm -D --format=posix --defined-only game 2>/dev/null | cut -d' ' -f1 >dynamic
	[ ! -s dynamic ] || objcopy --strip-symbols=dynamic mini
	xz -k mini
	case $how in
	cut) head -c 200 mini.xz >part && mv part mini.xz ;;
	broken) printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 | dd of=mini.xz bs=1 seek=300 conv=notrunc 2>/dev/null ;;
	junk) printf 'this is no xz stream' >mini.xz ;;
	bomb) head -c 400000000 /dev/zero | xz -1 >mini.xz ;;
	esac
	objcopy --strip-all --add-section .gnu_debugdata=mini.xz game
	rm -f mini mini.xz symbols dynamic
	echo '-e game' >args
}
link=-shared mini minidebug whole g++ -fPIC
mini minidebug-static whole clang++ -fuse-ld=lld
mini minidebug-m32 whole g++ -m32
# mini_bad HOW TEXT: no names; what is wrong
mini_bad() {
	mini "minidebug-$1" "$1" g++
	[ ! -e skip ] || return 0
	awk '{ print "??"; print "??:0" }' addresses >want
	echo "section .gnu_debugdata: $2" >err
	echo 4 >status
}
mini_bad cut 'xz: cut short'
mini_bad broken 'damaged xz stream'
mini_bad junk 'not an xz stream'
mini_bad bomb 'xz: unpacks to more than 256 MiB'
