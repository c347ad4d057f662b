#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# DATA and FRAME requests of tm-llvm-symbolizer compared with llvm-symbolizer 19, byte for byte:
# every global of some builds, at its start and inside it, and the variables of every function. What
# is asked is what sanitizers ask.
#
# What is made equal first: where llvm does not know the line of a declaration, and we say one. LLVM 19
# takes a variable whose DWARF leaves its type to a specification for one byte long, and loses the file that
# is a constant in the abbreviation (both are gcc's). Ours must then be a line of the source that has the name.
set -u
. "$SRC/tests/diff/builds.bash"
needs llvm_data llvm-symbolizer-19 g++ nm

cat >data.cpp <<'CPP'
#include "data.h"
#include <string>
static int counter = 3;
int shared[4];
char grid[3][5];
struct plain { long a; char b; } record;
const plain *pointer = &record;
int plain::*none;
volatile unsigned char flag;
enum kind : short { one, two } chosen = two;
typedef double real;
real value;
static const char *const names[] = {"a", "b", "c"};
namespace space { namespace { unsigned long hidden = 9; } int shown; }
thread_local int per_thread = 2;
__attribute__((noinline)) static int twice(int x) { volatile int local[3] = {x, x, x}; return local[1] * 2; }
static inline __attribute__((always_inline)) int inlined(int y) { volatile int inside = y; return inside + 1; }
struct shape { int size; int area(int by) const { volatile int here = by; return size * here; } ~shape(); };
shape::~shape() { shared[1]++; }
int work(int a, const std::string &text)
{
	static int once = 1;
	volatile char buffer[40];
	shape s = {a};

	buffer[a & 3] = (char)a;
	for (int i = 0; i < 3; i++) {
		volatile long each = i;

		once += (int)each + inlined(a);
	}
	return s.area(3) + once + twice(a) + buffer[0] + (int)text.size() + from_header;
}
int main(int argc, char **)
{
	counter += argc;
	space::shown = names[argc & 1][0] + (int)space::hidden + per_thread;
	return work(counter, "text");
}
CPP
echo 'inline int from_header = 7;' >data.h

# forgive: takes our line of a declaration away from got where llvm has none in want, or none but the file
# of the symbol table; what is no line with the name in it is left.
forgive() {
	paste -d '\t' want got | awk -F '\t' '
		FNR == 1 && NR == 1 { while ((getline line < "data.cpp") > 0) text[++n] = line }
		{ ours = $2 }
		!($1 ~ /:[1-9]/) && $1 ~ /:(\?|0)$/ && $2 ~ /\/data\.(cpp|h):[0-9]+$/ {
			at = $2
			sub(/.*:/, "", at)
			if ($2 ~ /data\.h/ ? name == "from_header" : index(text[at], name))
				ours = $1
		}
		$2 !~ /[:0-9]$/ && $2 != "" { name = $2; sub(/.*::/, "", name) }
		{ print ours }' >forgiven && mv forgiven got
}

# same NAME: our answers and llvm's to requests
same() {
	local name=$1 style

	for style in LLVM GNU JSON; do
		tm-llvm-symbolizer -q --lenient --output-style=$style -a <requests >got 2>err
		llvm-symbolizer-19 --output-style=$style -a <requests >want 2>/dev/null
		[ "$(wc -l <got)" != "$(wc -l <want)" ] || forgive
		if [ -s want ] && [ "$(wc -l <requests)" -gt 3 ] && cmp -s want got && [ ! -s err ]; then
			echo "ok - $name, $style: $(wc -l <requests) requests"
		else
			diff want got | head -n 10
			cat err
			echo "not ok - $name, $style"
		fi
	done
}

for cc in g++ clang++-19; do
	have $cc || continue
	# Optimized variables are in location lists; of types in units of their own llvm does not know the size, and
	# nothing of what is in .dwo files.
	for how in '-gdwarf-5 -O0' '-gdwarf-5 -O2' '-gdwarf-4 -O0' '-gdwarf-4 -O2' '-O0 -fdebug-types-section -g' '-O2 -gsplit-dwarf -g'; do
		name=$cc${how// /}
		# shellcheck disable=SC2086
		if ! $cc -std=c++17 $how -o "$name" data.cpp 2>build.log; then
			echo "skip - $name (does not build: $(head -n 1 build.log))"
			continue
		fi
		nm -S --defined-only "$name" | while read -r at size type _; do
			case $type in
			[bBdDrRvVu]) printf "DATA $name 0x%x\nDATA $name 0x%x\n" $((16#$at)) $((16#$at + 16#$size - 1)) ;;
			esac
		done >requests
		same "$name, globals"
		nm --defined-only "$name" | sed -n "s/^\([0-9a-f]*\) [TtWw] \(main\|_Z.*\)$/FRAME $name 0x\1/p" >requests
		same "$name, variables of functions"
		printf '%s\n' "$name main" "$name main+2" "FILE:$name _Z4workiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE+1" \
			"$name shared" "$name nothing" "$name _ZL5twicei" >requests
		same "$name, names"
	done
done

# By the rules alone: int shared[4] has 16 bytes and is in line 4 of the file above.
if have g++; then
	g++ -std=c++17 -g -o plain data.cpp
	at=$(nm plain | sed -n 's/ B shared$//p')
	if [ "$(tm-llvm-symbolizer "DATA plain 0x$at")" = "shared
$((16#$at)) 16
$PWD/data.cpp:4" ]; then
		echo "ok - name, start, size and declaration"
	else
		echo "not ok - name, start, size and declaration"
	fi
	# A static member is declared where it is defined.
	printf 'struct holder { static long member; };\n\nlong holder::member = 5;\nint main() { return 0; }\n' >member.cpp
	g++ -g -o member member.cpp
	at=$(nm member | sed -n 's/ D _ZN6holder6memberE$//p')
	if [ "$(tm-llvm-symbolizer "DATA member 0x$at" | tail -n 2 | head -n 1)" = "$PWD/member.cpp:3" ]; then
		echo "ok - a static member"
	else
		echo "not ok - a static member"
	fi
fi

# ends FILE NM: symbols behind the last byte of a section. nm says which, and that they are there; LLVM gives the same names,
# and, of PE files, numbers below 0 for their sizes.
ends() {
	local n=0 at type name

	while read -r at type name; do
		n=$((n + 1))
		tm-llvm-symbolizer "DATA $1 0x$at" | sed -n 1,2p | tr '\n' ' ' >got
		llvm-symbolizer-19 "DATA $1 0x$at" | sed -n 1,2p | tr '\n' ' ' | sed -E 's/ [0-9]{9,} $/ 0 /' >want
		if cmp -s got want && "$2" "$1" | grep -q "^$at . $(cut -d ' ' -f 1 got)$" && [ "$(cut -d ' ' -f 2 got)" = $((16#$at)) ]; then
			echo "ok - $1: $name"
		else
			echo "not ok - $1: $name ($type): $(cat got), not $(cat want)"
		fi
	done < <("$2" "$1" | grep -E " (_end|_edata|__data_end__|__bss_end__|__RUNTIME_PSEUDO_RELOC_LIST_END__|___tls_end__)$")
	[ $n -gt 1 ] || echo "not ok - $1: ends of sections"
}
if have g++; then
	ends plain nm
fi
if have x86_64-w64-mingw32-g++; then
	x86_64-w64-mingw32-g++ -std=c++17 -g -o plain.exe data.cpp
	ends plain.exe x86_64-w64-mingw32-nm
fi

# split COMPILER OPTION...: the .dwo files packed, and away. What is asked are calls, for which units are needed.
split() {
	local name=packed-$1${2-} cc=$1 object

	shift
	have "$cc" && have llvm-dwp-19 || return 0
	if ! "$cc" -std=c++17 -g -gsplit-dwarf -O2 "$@" -c data.cpp -o "$name.o" || ! "$cc" "$name.o" -o "$name" ||
		! timeout 60 llvm-dwp-19 -e "$name" -o elsewhere.dwp 2>build.log; then
		echo "skip - $name, --dwp (does not build: $(head -n 1 build.log))"
		return
	fi
	for object in *.dwo; do mv "$object" "$object.away"; done
	nm -S --defined-only "$name" | sed -n "s/^\([0-9a-f]*\) \([0-9a-f]*\) [TtWw] \(main\|_Z.*\)$/\1 \2/p" | while read -r at size; do
		for ((i = 0; i < 16#$size; i += 5)); do
			printf '0x%x\n' $((16#$at + i))
		done
	done >requests
	tm-llvm-symbolizer -q --lenient --obj="$name" --dwp=elsewhere.dwp <requests >got
	llvm-symbolizer-19 --obj="$name" --dwp=elsewhere.dwp <requests >want
	tm-llvm-symbolizer -q --lenient --obj="$name" <requests >without
	if cmp -s want got && ! cmp -s want without; then
		echo "ok - $name, --dwp: $(wc -l <requests) requests"
	else
		diff want got | head -n 10
		echo "not ok - $name, --dwp"
	fi
}
split clang++-19 -fno-split-dwarf-inlining
split clang++-19 -gdwarf-4 -fno-split-dwarf-inlining
split g++ -gdwarf-4 # of GCC's DWARF 5 llvm-dwp 19 makes no end
