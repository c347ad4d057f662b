#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# PE files that clang and lld make for Windows, with DWARF 4 (clang 14 writes wrong offsets into version 5): all bytes of their code, compared with
# llvm-symbolizer; and what is said where only a PDB has the lines.
set -u

if ! command -v clang++ >/dev/null || ! command -v ld.lld >/dev/null || ! command -v lld-link >/dev/null; then
	echo "skip - pe: no clang++ with lld"
	exit 0
fi
theirs=
for v in -19 -18 -17 ""; do
	[ -n "$theirs" ] || { command -v "llvm-symbolizer$v" >/dev/null && theirs=llvm-symbolizer$v; }
done

cat >w.cpp <<'END'
struct Base { virtual int f(int x) const; int a; };
int sink;
static inline __attribute__((always_inline)) int twice(int x) { sink += x; return 2 * x; }
template <typename T> __attribute__((noinline)) T add(T a, T b) { sink++; return a + twice(b); }
__attribute__((noinline)) int Base::f(int x) const { return add<int>(x, a) + add<long long>(x, 2); }
extern "C" __declspec(dllexport) int exported(int n) { Base b; b.a = n; return b.f(n); }
static __attribute__((noinline)) int local_fn(int n) {
	for (int i = 0; i < n; i++) sink ^= twice(i);
	return sink;
}
extern "C" int mainCRTStartup(void) { return exported(3) + local_fn(4); }
END
flags="-fno-exceptions -fno-rtti -ffreestanding -mno-stack-arg-probe -fasynchronous-unwind-tables -fdebug-compilation-dir=."

# make NAME PROCESSOR EMULATION ENTRY OPTION...
make_exe() {
	local name=$1 processor=$2 emulation=$3 entry=$4
	shift 4
	# shellcheck disable=SC2086 # words
	"${compiler:-clang++}" "--target=$processor-w64-windows-gnu" $flags "$@" -c w.cpp -o "$name.o" 2>err &&
		ld.lld -m "$emulation" --entry="$entry" --build-id "$name.o" -o "$name.exe" 2>>err
}

# Every address of .text, by objdump's section headers.
addresses() {
	llvm-objdump${theirs#llvm-symbolizer} -h "$1" |
		awk '$2 == ".text" { print $3, $4 }' |
		while read -r size lo; do
			for ((i = 0; i < 16#$size; i++)); do printf '0x%x\n' $((16#$lo + i)); done
		done
}

compare() {
	local n inlined
	addresses "$1.exe" >addrs
	"$theirs" -e "$1.exe" <addrs >want
	tm-llvm-symbolizer --no-cache -e "$1.exe" <addrs >got 2>err
	n=$(wc -l <addrs)
	inlined=$(awk -v RS= -F'\n' 'NF > 2 { n++ } END { print n + 0 }' want)
	if [ "$n" -gt 100 ] && [ "$inlined" -gt 50 ] && cmp -s want got; then
		echo "ok - $1: $n addresses, $inlined of them in inlined calls, as $theirs"
	else
		echo "not ok - $1: $n addresses, $inlined of them in inlined calls"
		diff want got | head -n 5
	fi
}

# A name, and an offset behind it.
by_name() {
	printf '%s\n' exported exported+0x9 _ZNK4Base1fEi+0x7 _ZNK4Base1fEi+0x7000 >asked
	"$theirs" -e "$1.exe" <asked >want 2>&1
	tm-llvm-symbolizer --no-cache -e "$1.exe" <asked >got 2>&1
	if cmp -s want got && grep -q w.cpp want; then
		echo "ok - $1: names with offsets"
	else
		echo "not ok - $1: names with offsets"
		diff want got | head -n 5
	fi
}

while read -r name processor emulation entry options; do
	# shellcheck disable=SC2086 # words
	if ! make_exe "$name" "$processor" "$emulation" "$entry" $options; then
		echo "skip - pe: $name cannot be made: $(head -n 1 err)"
	elif [ -z "$theirs" ]; then
		echo "skip - pe: $name: no llvm-symbolizer"
	else
		compare "$name"
		[ "$processor" = i686 ] || by_name "$name"
	fi
done <<'END'
x64-O0 x86_64 i386pep mainCRTStartup -O0 -gdwarf-4
x64-O2 x86_64 i386pep mainCRTStartup -O2 -gdwarf-4
x86-O0 i686 i386pe _mainCRTStartup -O0 -gdwarf-4
x86-O2 i686 i386pe _mainCRTStartup -O2 -gdwarf-4
arm64-O2 aarch64 arm64pe mainCRTStartup -O2 -gdwarf-4
END

# Split parts are objects of COFF. clang 14 makes none.
compiler=clang++-19
for name in split single; do
	if ! command -v $compiler >/dev/null || [ -z "$theirs" ] ||
		! make_exe $name x86_64 i386pep mainCRTStartup -O2 -g "-gsplit-dwarf=$name"; then
		echo "skip - pe: $name: no clang++-19, or no llvm-symbolizer: $(head -n 1 err)"
	elif ! "llvm-dwarfdump${theirs#llvm-symbolizer}" $name.exe 2>/dev/null | grep -q dwo_name; then
		echo "not ok - $name: its DWARF is not split"
	else
		compare $name
	fi
done
compiler=

# Without symbols a library has the names that it exports, and unwind tables say where these end: no name of another function.
names_of() {
	tm-addr2line --no-cache -a -f -i -e "$1" <addrs |
		awk '/^0x/ { if (n) print last; n = 0; next } ++n % 2 { last = $0 } END { print last }'
}
for target in x86_64:i386pep aarch64:arm64pe; do
	name=${target%:*}
	# shellcheck disable=SC2086 # words
	if clang++ "--target=$name-w64-windows-gnu" $flags -O2 -gdwarf-4 -c w.cpp -o d.o 2>err &&
		ld.lld -m "${target#*:}" -shared --entry=exported d.o -o d.dll 2>>err &&
		llvm-objcopy${theirs#llvm-symbolizer} --strip-all d.dll bare.dll 2>>err; then
		addresses d.dll >addrs
		names_of d.dll >want
		names_of bare.dll >got
		same=$(paste -d ' ' want got | awk '$1 == $2 { same++ } $1 != $2 && $2 != "??" { wrong++ } END { print same + 0, wrong + 0 }')
		case $same in
		0\ * | *\ [1-9]*) echo "not ok - $name: names of a library without symbols: right and wrong: $same" ;;
		*) echo "ok - $name: an export ends where the unwind tables say (right and wrong: $same)" ;;
		esac
	else
		echo "skip - pe: $name: no library: $(head -n 1 err)"
	fi
done

# An export without an entry there ends in front of a function that is called, and at int3. Truth: the symbols of the objects.
mkdir exports && cd exports || exit
cat >one.c <<'C'
int sum = 1;
int hidden2(int);
int (*taken)(int) = hidden2;
__declspec(dllexport) int e1(int x) { return x + sum; }
__attribute__((noinline)) int s1(int x) { return x ^ sum; }
__declspec(dllexport) int user(int x) { int a[40], n = 0; for (int i = 0; i < 40; i++) a[i] = s1(x + i); for (int i = 0; i < 40; i++) n += s1(a[i]); return n; }
__declspec(dllexport) int e2(int x) { return x - sum; }
C
cat >two.c <<'C'
extern int sum;
int hidden2(int x) { return x * sum - 1; }
C
for target in x86_64 i686; do
	if clang --target=$target-pc-windows-msvc -O2 -c one.c -o one.o 2>err && clang --target=$target-pc-windows-msvc -O2 -c two.c -o two.o 2>>err &&
		lld-link /dll /nodefaultlib /noentry /base:0x10000000 /out:$target.dll one.o two.o 2>>err; then
		text=$((16#$(llvm-objdump${theirs#llvm-symbolizer} -h $target.dll | awk '$2 == ".text" { print $4 }')))
		last=$((text + (16#$(llvm-objdump${theirs#llvm-symbolizer} -h one.o | awk '$2 == ".text" { print $3 }') + 15) / 16 * 16))
		{
			llvm-nm${theirs#llvm-symbolizer} -n one.o | awk '$2 ~ /[tT]/ && $3 ~ /^_?[a-z]/ { print $1, $3 }' | while read -r at name; do
				printf '0x%x %s\n' $((text + 16#$at + 2)) "${name#_}"
			done
			printf '0x%x hidden2\n' $((last + 2))
		} >want
		while read -r at name; do
			echo "$at $(tm-addr2line --no-cache -f -e $target.dll "$at" 2>>err | head -n 1)"
		done <want >got
		case $(awk '{ print $2 }' want | paste -sd ' ') in
		'e1 s1 user e2 hidden2')
			sed -i 's/ s1$/ ??/; s/ hidden2$/ ??/' want
			cmp -s got want && echo "ok - $target: an export is no name of what is behind it" ||
				echo "not ok - $target: an export is no name of what is behind it: $(paste -sd ' ' got)" ;;
		*) echo "not ok - $target: its functions are others: $(paste -sd ' ' want)" ;;
		esac
		echo "#1 0x1 ($target.dll+$(head -n 1 want | cut -d ' ' -f 1))" >log
		out=$(tm-symbolize --text -e $target.dll log 2>&1)
		case $out in
		*"an export before them whose end is not known"*' in e1 '*) echo "ok - $target: and where it may be one, a note says so" ;;
		*) echo "not ok - $target: and where it may be one, a note says so: $out" ;;
		esac
	else
		echo "skip - pe: $target: no exports: $(head -n 1 err)"
	fi
done
cd ..

# shellcheck disable=SC2086 # words
if clang++ --target=x86_64-pc-windows-msvc -g -gcodeview -O2 $flags -c w.cpp -o p.o 2>err &&
	lld-link /debug /dll /nodefaultlib /noentry /pdb:game.pdb /pdbaltpath:game.pdb /out:game.dll p.o 2>>err; then
	at=$(llvm-readobj${theirs#llvm-symbolizer} --coff-exports game.dll 2>/dev/null |
		awk '/Name: exported/ { found = 1 } found && /RVA/ { print $2; exit }')
	at=$(printf '0x%x' $((0x180000000 + at)))
	mkdir elsewhere && mv game.pdb elsewhere
	out=$(tm-addr2line --no-cache -f -e game.dll "$at" 2>&1)
	case $out in
	*"game.dll: its functions and lines are in the PDB game.pdb ("*"), which was not found"*exported*"??:?"*)
		echo "ok - an exported name, and the PDB that has the rest" ;;
	*) echo "not ok - an exported name, and the PDB: $out" ;;
	esac
	# Its import library, as lld and as binutils write it (short members, and objects), and a library of objects.
	printf 'LIBRARY game.dll\nEXPORTS\nexported\nother\n' >game.def
	llvm-ar${theirs#llvm-symbolizer} rcs objects.lib p.o
	x86_64-w64-mingw32-dlltool -d game.def -l libgame.dll.a 2>/dev/null
	while read -r lib what; do
		[ -e "$lib" ] || continue
		case "$what $(tracemill show "$lib" 2>/dev/null)" in
		"an import "*" $lib: an import library of a DLL"* | "a static "*" $lib: an archive of objects (ar)"*) echo "ok - show $lib" ;;
		*) echo "not ok - show $lib: $(tracemill show "$lib" 2>&1)" ;;
		esac
		for program in 'tm-inspect' 'tm-addr2line -e' 'tm-llvm-symbolizer -e' 'tm-symbolize -o out.tmt -e'; do
			# shellcheck disable=SC2086 # words
			out=$(echo 0x10 | $program $lib 2>&1)
			case $out in
			*"$lib: $what"*) echo "ok - ${program%% *}: $what" ;;
			*) echo "not ok - ${program%% *} $lib: $out" ;;
			esac
		done
	done <<'END'
game.lib an import library of game.dll: 1 symbol, no code: take the DLL
libgame.dll.a an import library of game.dll: 2 symbols, no code: take the DLL
objects.lib a static library of COFF objects, which are not read: link it, and take the program
END
	verdict=$(tm-inspect --table verdicts --csv game.dll | grep unwind-tables)
	case $verdict in
	*yes,.pdata*) echo "ok - unwind tables are found" ;;
	*) echo "not ok - unwind tables: $verdict" ;;
	esac
else
	echo "skip - pe: no library with a PDB: $(head -n 1 err)"
fi

if [ -e x64-O2.exe ]; then
	lo=$(llvm-readobj${theirs#llvm-symbolizer} --coff-exports x64-O2.exe 2>/dev/null |
		awk '/Name: exported/ { found = 1 } found && /RVA/ { print $2; exit }')
	printf '    #0 0x7ff600001000  (x64-O2.exe+%s)\n' "$lo" >log
	out=$(tm-symbolize --no-cache --text log -e x64-O2.exe 2>/dev/null)
	case $out in
	*"in exported "*w.cpp:6*) echo "ok - a log's offset in a module is one in memory" ;;
	*) echo "not ok - a log's offset in a module: $out" ;;
	esac
fi

# GNU prints no discriminators of PE files.
if make_exe marked x86_64 i386pep mainCRTStartup -O2 -gdwarf-4 -fdebug-info-for-profiling; then
	addresses marked.exe >addrs
	n=$(tm-llvm-symbolizer --no-cache --verbose -e marked.exe <addrs 2>err | grep -c 'Discriminator: [1-9]')
	if [ "$n" -gt 0 ] && ! tm-addr2line --no-cache -e marked.exe <addrs | grep -q discriminator; then
		echo "ok - no discriminators of a PE file, as GNU ($n addresses have one)"
	else
		echo "not ok - discriminators of a PE file, which GNU does not print ($n addresses have one)"
	fi
fi
