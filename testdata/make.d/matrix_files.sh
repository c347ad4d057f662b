#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/matrix/<row>/ for tests/sh/matrix.sh: binaries inside other files, files that are not linked, and
# files that are no ELF. The program is testdata/src/matrix. What is right is what llvm-symbolizer 19 says
# of the same code as one plain, linked ELF file (of Mach-O: of the file that dsymutil made).

# shellcheck disable=SC2086 # several flags in one variable
set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
src=$SRC/testdata/src/matrix
all=$DATA/matrix
made=$all.files
flags='-g -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -fno-stack-protector'
flags="$flags -fno-asynchronous-unwind-tables -ffile-prefix-map=$src=/game"

mkdir -p "$all"
if [ -e "$made" ]; then
	while read -r name; do
		rm -rf "${all:?}/$name"
	done <"$made"
fi
: >"$made"

row() { # NAME: begins one, in its folder
	echo "$1" >>"$made"
	rm -rf "${all:?}/$1"
	mkdir "$all/$1"
	cd "$all/$1"
}

skip() { # WHY: the row that was begun cannot be made on this machine
	rm -rf ./*
	printf '%s\n' "$1" >skip
}

need() { # TOOL...
	for tool; do
		if ! command -v "$tool" >/dev/null 2>&1; then
			skip "no $tool"
			return 1
		fi
	done
}

try() { # COMMAND...: the row is skipped when it fails
	if ! "$@" >log 2>&1; then
		skip "$1: $(grep -v warning: log | head -n 1)"
		return 1
	fi
	rm -f log
}

# Debian has some of LLVM's tools under their names with a version only.
versioned() { # NAME: the newest
	command -v "$1" || find /usr/bin -name "$1-[0-9]*" | sort -V | tail -n 1 | grep . || echo "$1"
}
gsymutil=$(versioned llvm-gsymutil)
dsymutil=$(versioned dsymutil)
lipo=$(versioned llvm-lipo)
ld64=$(versioned ld64.lld)

compile() { # UNIT OUT COMPILER FLAGS...
	unit=$1 out=$2
	shift 2
	need "$1" || return 1
	cc=$1
	shift
	[ "$cc" != g++ ] || set -- -fno-ipa-sra "$@"
	try "$cc" $flags "-ffile-prefix-map=$PWD=/game" "$@" -c "$src/$unit.cpp" -o "$out"
}

# link OUT COMPILER FLAGS...: both units
link() {
	linked=$1
	shift
	compile game game.o "$@" && compile world world.o "$@" &&
		try "$@" -nostdlib -o "$linked" game.o world.o && rm -f game.o world.o
}

# ask FILE: what llvm says of the addresses on standard input, raw names
ask() {
	llvm-symbolizer-19 --obj="$1" --output-style=GNU -i --functions=linkage --no-demangle |
		sed 's/ (discriminator [0-9]*)$//'
}

# bare FILE OUT: without symbols, whose names llvm would take
bare() {
	llvm-objcopy -R .symtab -R .strtab -R .dynsym "$1" "$2" 2>/dev/null ||
		llvm-objcopy -R .symtab -R .strtab "$1" "$2"
}

# want PLAIN: addresses and want
want() {
	need llvm-symbolizer-19 llvm-objcopy c++filt || return 1
	bare "$1" plain.tmp
	"$GEN/addresses" -n 300 -s 7 "$1" | sort >addresses
	ask plain.tmp <addresses | c++filt >want
	rm -f plain.tmp
}

# gaps: what lies between functions has no answer, and the status says so
gaps() {
	awk '/^[?][?]$/ { f = 1; next } f && /^[?][?]:0$/ { print 4; exit } { f = 0 }' want >status
	[ -s status ] || rm status
}

# counted FROM N STEP: hexadecimal
counted() {
	at=0 end=$(($2))
	while [ $at -lt $end ]; do
		printf '0x%x\n' $(($1 + at))
		at=$((at + $3))
	done
}

# inside FILE: addresses in its functions
inside() {
	llvm-nm --defined-only --print-size "$1" | while read -r lo size kind _; do
		case $kind in
		t | T | W) counted 0x$lo 0x$size 3 ;;
		esac
	done | sort
}

# Objects. object NAME SECTION UNIT COMPILER FLAGS...: offsets in a section of UNIT.o. What is right is
# said of the same object linked alone, at the place that the linker's map gives that section.
placed() { # OBJECT SECTION
	need ld.lld llvm-symbolizer-19 llvm-objcopy c++filt || return 1
	try ld.lld -o full.tmp --unresolved-symbols=ignore-all -e 0 -z notext -Ttext=0x20000 \
		-Map=map.tmp "$1" || return 1
	sed -n "s|^ *\([0-9a-f]*\) *[0-9a-f]* *\([0-9a-f]*\) .*$1:($2)\$|\1 \2|p" map.tmp >place.tmp
	read -r lo size <place.tmp
	bare full.tmp bare.tmp
	counted 0 0x$size 1 >addresses
	counted 0x$lo 0x$size 1 | ask bare.tmp | c++filt >want
	rm -f ./*.tmp
}

object() {
	row "$1"
	section=$2 unit=$3
	shift 3
	compile "$unit" $unit.o "$@" && placed $unit.o "$section" || return 0
	gaps
	if [ "$section" = .text ]; then
		echo "-e $unit.o" >args
	else
		echo "-e $unit.o -j $section" >args
	fi
}

for target in x86_64-linux-gnu i686-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf; do
	object "object-${target%%-*}" .text world clang++ --target=$target -gdwarf-5
done
object object-dwarf4 .text world clang++ -gdwarf-4
object object-thumb .text world clang++ --target=arm-linux-gnueabihf -mthumb
object object-gcc .text world g++
object object-gcc-type-units .text game g++ -gdwarf-5 -fdebug-types-section
object object-zlib .text world g++ -gz=zlib
object object-section .text._ZN5world4stepEi world g++ -ffunction-sections
object object-comdat .text._ZNK5world4ListINS_5ActorEE5countEv game clang++

# Objects of machines that lld does not link, or not all of their code: llvm-symbolizer 19 relocates them
# itself, but without the symbol table it knows no sections, so all code is in one.
alone() { # NAME TARGET FLAGS...
	row "object-$1"
	need clang llvm-symbolizer-19 || return 1
	target=$2
	shift 2
	try clang --target=$target $flags -fintegrated-as "-ffile-prefix-map=$src=/game" "$@" \
		-c "$src/alone.c" -o alone.o || return 1
	size=$(llvm-readelf -SW alone.o | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".text" { print $5 }')
	counted 0 0x$size 1 >addresses
	llvm-symbolizer-19 --obj=alone.o --output-style=GNU -i --functions=short --no-demangle <addresses |
		sed 's/ (discriminator [0-9]*)$//' >want
	echo '-e alone.o' >args
	gaps
}
alone powerpc powerpc-linux-gnu || :
alone powerpc64 powerpc64-linux-gnu || :
alone powerpc64le powerpc64le-linux-gnu || :
alone s390x s390x-linux-gnu || :
alone sparc sparc-linux-gnu || :
alone sparc64 sparc64-linux-gnu || :
alone mips mips-linux-gnu || :
alone mipsel mipsel-linux-gnu || :
alone mips64 mips64-linux-gnuabi64 || :
alone mips64el mips64el-linux-gnuabi64 || :
alone riscv32 riscv32-linux-gnu || :
alone riscv64 riscv64-linux-gnu || :
alone bpf bpf || :
alone bpf-big-endian bpfeb || :

# Descriptors of 64-bit PowerPC: without debug information there are only the symbols, which are in
# .opd. What is right are the functions that -g says, not what is inlined into them.
if alone powerpc64-descriptors powerpc64-linux-gnu; then
	llvm-symbolizer-19 --obj=alone.o --output-style=GNU -a -i --functions=short <addresses |
		awk '/^0x/ { if (f) print f; n = 0; next } n++ % 2 == 0 { f = $0 "\n??:0" } END { print f }' >want
	rm -f status
	try clang --target=powerpc64-linux-gnu $flags -g0 -fintegrated-as -c "$src/alone.c" -o alone.o || :
fi

# The debug file of an object, as of a kernel module: its code has a size and no bytes.
for way in debug-only debuglink; do
	if ! alone $way x86_64-linux-gnu || ! need llvm-objcopy ||
		! try llvm-objcopy --only-keep-debug alone.o alone.debug ||
		! try llvm-objcopy --strip-debug --add-gnu-debuglink=alone.debug alone.o alone.ko; then
		continue
	fi
	rm alone.o
	case $way in
	debug-only) echo '-e alone.debug' >args ;;
	*) echo '-e alone.ko' >args ;;
	esac
done

# A kernel module is one object of several; a kernel is linked where no program is.
row kernel-module
if compile game game.o g++ && compile world world.o g++ && need ld &&
	try ld -r -o game.ko game.o world.o; then
	rm -f game.o world.o
	if placed game.ko .text; then
		gaps
		echo '-e game.ko' >args
	fi
fi
row kernel
if compile game game.o g++ -mcmodel=kernel -fno-pic && compile world world.o g++ -mcmodel=kernel -fno-pic &&
	need ld && try ld -static -Ttext=0xffffffff81000000 -o vmlinux game.o world.o; then
	rm -f game.o world.o
	! want vmlinux || echo '-e vmlinux' >args
fi

# Static libraries.
library() { # NAME FLAGS FORMAT
	row "$1"
	need llvm-ar || return 0
	if compile game game.o g++ && compile world a-long-name-of-the-world.o g++ &&
		try llvm-ar --format=$3 $2 libgame.a game.o a-long-name-of-the-world.o &&
		placed a-long-name-of-the-world.o .text; then
		echo '-e libgame.a(a-long-name-of-the-world.o)' >args
		case $2 in
		*T*) ;;
		*) rm -f ./*.o ;;
		esac
	fi
}
library archive rcs gnu
library archive-bsd rcs bsd
library archive-thin rcsT gnu

# An APK or another zip file. zipped NAME FLAG FILE MEMBER: with an older build of another processor's
# beside it.
zipped() {
	row "$1"
	need zip || return 0
	if link libgame.so clang++ -fuse-ld=lld -fPIC -shared && want libgame.so; then
		mkdir -p "$(dirname "$4")" lib/armeabi-v7a
		mv libgame.so "$4"
		head -c 4096 "$4" >lib/armeabi-v7a/libgame.so
		zip -q -X "$2" "$3" lib/armeabi-v7a/libgame.so "$4"
		rm -rf lib/armeabi-v7a
		echo "-e $3!/$4" >args
	fi
}
zipped apk-stored -0 base.apk lib/x86_64/libgame.so
zipped apk-deflated -9 base.apk lib/x86_64/libgame.so
zipped symbols-zip -9 game-1.0-symbols.zip x86_64/libgame.dbg.so
[ -e skip ] || sed -i 's,!/,/,' args
# The addresses of a crash in a library that was never unpacked are offsets in the APK: as a loader
# has it, what is at the address in memory is at that offset.
zipped apk-offsets -0 base.apk lib/x86_64/libgame.so
if [ ! -e skip ]; then
	at=$(LC_ALL=C grep -obUaF lib/x86_64/libgame.so base.apk | head -n 1 | cut -d: -f1)
	extra=$(od -An -tu2 -j $((at - 2)) -N2 base.apk)
	start=$((at + 21 + extra)) # the name has 21 bytes
	readelf -lW lib/x86_64/libgame.so | awk '/ R E /{ print $2, $3, $5 }' >segment.tmp
	read -r offset vaddr size <segment.tmp
	inside lib/x86_64/libgame.so >vaddrs.tmp
	while read -r address; do
		printf '0x%x\n' $((address - vaddr + offset + start))
	done <vaddrs.tmp >addresses
	bare lib/x86_64/libgame.so plain.tmp
	ask plain.tmp <vaddrs.tmp | c++filt >want
	rm -rf ./*.tmp lib
	echo '-e base.apk' >args
fi

# GSYM: gsym NAME COMPILER FLAGS...
gsym() {
	row "$1"
	shift
	need "$gsymutil" || return 0
	if link game "$@" && try "$gsymutil" --convert game --out-file game.gsym; then
		inside game >addresses
		bare game plain.tmp
		ask plain.tmp <addresses | c++filt >want
		rm -f plain.tmp game
		echo '-e game.gsym' >args
	fi
}
gsym gsym clang++ -fuse-ld=lld -static
gsym gsym-dwarf4 clang++ -fuse-ld=lld -static -gdwarf-4
gsym gsym-big-endian clang++ --target=powerpc-linux-gnu -fuse-ld=lld -static

# Breakpad's dump_syms is not in Debian: its records are made here, from what llvm-symbolizer 19 says of
# every byte of every function.
symbols() { # FILE
	llvm-nm --defined-only --print-size "$1" | sort | while read -r lo size kind name; do
		case $kind in
		t | T | W) ;;
		*) continue ;;
		esac
		echo "FUNC $((0x$lo)) $((0x$size)) $name"
		counted 0x$lo 0x$size 1 | llvm-symbolizer-19 --obj=bare.tmp --output-style=GNU -i \
			--functions=linkage --no-demangle -a | sed 's/ (discriminator [0-9]*)$//'
	done
}
breakpad() { # what symbols says -> records
	awk '
	function number(table, name) { # the first time it is met it gets a record
		if (!((table, name) in numbers)) {
			numbers[table, name] = counts[table]++
			print table, numbers[table, name], name
		}
		return numbers[table, name]
	}
	function place(i) { # line and file of a call; a file that is not known has no number
		match(files[i], /:[0-9?]*$/)
		return (substr(files[i], RSTART + 1) + 0) " " number("FILE", substr(files[i], 1, RSTART - 1))
	}
	function flush(d) {
		if (d in open_at)
			records = records sprintf("INLINE %d %s %x %x\n", d, open_at[d], from[d], at - from[d])
		delete open_at[d]
	}
	function byte(  d, key) {
		if (!n)
			return
		key = place(0)
		if (key != line) {
			if (line != "")
				lines = lines sprintf("%x %x %s\n", start, at - start, line)
			line = key
			start = at
		}
		for (d = 0; d < n - 1 || (d in open_at); d++) {
			key = d < n - 1 ? place(n - 1 - d) " " number("INLINE_ORIGIN", names[n - 2 - d]) : ""
			if ((d in open_at) && open_at[d] != key)
				flush(d)
			if (key != "" && !(d in open_at)) {
				open_at[d] = key
				from[d] = at
			}
		}
		at++
		n = 0
	}
	function finish(  d) {
		byte()
		for (d = 0; d in open_at; d++)
			flush(d)
		if (head != "")
			printf "%s%s%s%x %x %s\n", head, records, lines, start, at - start, line
		records = lines = line = head = ""
	}
	/^FUNC / {
		finish()
		at = $2
		head = sprintf("FUNC %x %x 0 %s\n", $2, $3, $4)
		next
	}
	/^0x/ { byte(); next }
	names_next { names_next = 0; files[n++] = $0; next }
	{ names[n] = $0; names_next = 1 }
	END { finish() }'
}
row breakpad
if need llvm-nm && link game clang++ -fuse-ld=lld -static -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567; then
	bare game bare.tmp
	inside game >addresses
	ask bare.tmp <addresses | c++filt >want
	{
		echo 'MODULE Linux x86_64 67452301AB89EFCD0123456789ABCDEF0 game'
		echo 'INFO CODE_ID 0123456789ABCDEF0123456789ABCDEF01234567'
		symbols game | breakpad
	} >game.sym
	rm -f bare.tmp game
	echo '-e game.sym' >args
fi

# Mach-O: mach NAME, and then what of it is asked
mach() { # ARCH
	need clang++ "$ld64" "$dsymutil" llvm-symbolizer-19 c++filt || return 1
	for unit in game world; do
		compile $unit $unit-$1.o clang++ --target=$1-apple-macos12 -Wno-stdlibcxx-not-found || return 1
	done
	try "$ld64" -arch $1 -platform_version macos 12.0 12.0 -dylib -undefined dynamic_lookup \
		-o game-$1 game-$1.o world-$1.o && try "$dsymutil" game-$1 -o game-$1.dSYM
}
mach_want() { # ARCH
	dwarf=game-$1.dSYM/Contents/Resources/DWARF/game-$1
	llvm-objdump -h $dwarf | awk '$2 == "__text" { print "0x" $3, "0x" $4 }' >text.tmp
	read -r size lo <text.tmp
	rm text.tmp
	counted $lo $size 4 >addresses
	ask $dwarf <addresses | c++filt >want
	rm -f ./*.o
}
for arch in arm64 x86_64; do
	row "mach-$arch"
	if mach $arch; then
		mach_want $arch
		echo "-e game-$arch" >args
	fi
	row "dsym-$arch"
	if mach $arch; then
		mach_want $arch
		rm game-$arch
		echo "-e game-$arch.dSYM" >args
	fi
done
# Universal, both the file and its debug file, which is only found by its UUID.
row mach-universal
if mach arm64 && mach x86_64 && need "$lipo"; then
	mach_want arm64
	mkdir -p symbols/Other.dSYM/Contents/Resources/DWARF
	"$lipo" -create game-arm64 game-x86_64 -output game
	"$lipo" -create game-*.dSYM/Contents/Resources/DWARF/* \
		-output symbols/Other.dSYM/Contents/Resources/DWARF/whatever
	rm -rf game-*
	echo '-e game:arm64 --debug-dir symbols' >args
fi
# A .dSYM of another build beside it: refused, and only symbols are left.
row mach-wrong-uuid
if mach arm64; then
	mach_want arm64
	printf '\377' | dd of=$dwarf bs=1 conv=notrunc status=none \
		seek=$(($(LC_ALL=C grep -obUaP '\x1b\x00\x00\x00\x18\x00\x00\x00' $dwarf | head -n 1 | cut -d: -f1) + 12))
	: >without.tmp
	cp game-arm64 without.tmp
	ask without.tmp <addresses | c++filt >want
	echo 'UUID differs' >err
	rm -f without.tmp
	echo '-e game-arm64' >args
fi
