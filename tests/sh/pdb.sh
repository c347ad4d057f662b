#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# PDBs that clang and lld-link make: all bytes of their code, compared with llvm-symbolizer 19. Names are compared as
# it shows them, and as they are in the PDB; not of 32-bit x86, whose C names llvm-symbolizer leaves decorated then.
set -u

for tool in clang++-19 lld-link-19 llvm-symbolizer-19 llvm-objdump-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - pdb: no $tool"
		exit 0
	}
done

cat >w.cpp <<'END'
struct Base { virtual int f(int x) const; int a; };
int sink;
extern "C" int _fltused = 1;
namespace game { namespace ai {
static inline __attribute__((always_inline)) int twice(int x) { sink += x; return 2 * x; }
struct S {
	int q;
	__attribute__((always_inline)) int get(int k) { sink -= k; return twice(q + k) + 1; }
	template <class T> __attribute__((always_inline)) T gen(T t) { sink += (int)t; return t + get(3); }
};
}}
using namespace game::ai;
template <typename T> __attribute__((noinline)) T add(T a, T b) { sink++; S s{(int)a}; return a + twice((int)b) + s.gen<T>(b); }
__attribute__((noinline)) int Base::f(int x) const { return add<int>(x, a) + (int)add<long long>(x, 2); }
extern "C" int exported(int n) { Base b; b.a = n; return b.f(n); }
static __attribute__((noinline)) int local_fn(int n) {
	auto l = [&](int z) { sink += z; return twice(z) + n; };
	for (int i = 0; i < n; i++)
		sink ^= l(i);
	return sink;
}
namespace { struct Anon { int v; __attribute__((noinline)) int run(int k) { S s{v}; return s.get(k) + local_fn(v); } }; }
extern "C" int c_func(int a) { Anon x{a}; return x.run(a); }
extern "C" int mainCRTStartup(void) { return exported(3) + local_fn(4) + c_func(6); }
END

compare() {
	local name=$1 n
	shift
	llvm-objdump-19 -h "$name.exe" | awk '$2 == ".text" { print $3, $4 }' |
		while read -r size lo; do
			for ((i = 0; i < 16#$size; i++)); do printf '0x%x\n' $((16#$lo + i)); done
		done >addrs
	llvm-symbolizer-19 "$@" -e "$name.exe" <addrs >want
	tm-llvm-symbolizer --no-cache "$@" -e "$name.exe" <addrs >got 2>err
	tm-llvm-symbolizer --cache cache "$@" -e "$name.exe" <addrs >indexed 2>err
	n=$(wc -l <addrs)
	case "$*" in
	*--no-inlines* | *JSON*) ;;
	*) inlined=$(awk -v RS= -F'\n' 'NF > 2 { n++ } END { print n + 0 }' want) ;;
	esac
	if [ "$n" -gt 100 ] && [ "$inlined" -gt 30 ] && cmp -s want got; then
		echo "ok - $name $*: $n addresses, $inlined of them in inlined calls, as llvm-symbolizer-19"
	else
		echo "not ok - $name $*: $n addresses, $inlined of them in inlined calls"
		diff want got | head -n 5
	fi
	cmp got indexed || echo "not ok - $name $*: other answers from the index"
}

shown=--demangle
grep -q -e -DHAVE_LLVM_DEMANGLE "$SRC/build/deps.mk" || shown=--functions=none
while read -r name target machine options; do
	# shellcheck disable=SC2086 # words
	if ! clang++-19 --target="$target-pc-windows-msvc" -g -gcodeview -ffreestanding -mno-stack-arg-probe \
		-fno-exceptions -fno-rtti $options -c w.cpp -o w.o 2>err ||
		! lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console "/machine:$machine" \
			"/pdb:$name.pdb" "/out:$name.exe" w.o 2>>err; then
		echo "skip - pdb: $name cannot be made: $(head -n 1 err)"
	else
		rm -rf cache
		tm-symbolize --prewarm --cache cache "$name.exe" 2>err
		[ "$(find cache -name '*.tmx' | wc -l)" = 1 ] || echo "not ok - $name: no index: $(cat err)"
		compare "$name" $shown
		compare "$name" $shown --no-inlines
		compare "$name" $shown --output-style=JSON
		compare "$name" $shown --no-inlines --verbose
		[ "$machine" = x86 ] || compare "$name" --no-demangle
		# As offsets in memory (RVA).
		base=$(llvm-objdump-19 -p "$name.exe" | awk '$1 == "ImageBase" { print $2 }')
		compare "$name" $shown
		while read -r at; do printf '0x%x\n' $((at - 16#$base)); done <addrs >offsets
		llvm-symbolizer-19 --relative-address $shown -e "$name.exe" <offsets >want
		if tm-llvm-symbolizer --relative-address --no-cache $shown -e "$name.exe" <offsets | cmp - want && [ -s want ]; then
			echo "ok - $name --relative-address: $(wc -l <offsets) offsets"
		else
			echo "not ok - $name --relative-address"
		fi
		# A PDB does not say where its module is to lie: tm-atos counts from the module's first byte.
		llvm-symbolizer-19 --relative-address -e "$name.exe" <offsets | awk -v RS= -F'\n' '{ $0 = $2; sub(/.*\//, ""); sub(/:[0-9]+$/, ""); print }' >want
		while read -r at; do printf '0x%x\n' $((0x50000000 + at)); done <offsets >loaded
		for how in '-l 0x50000000 -f loaded' '--offset -f offsets'; do
			# shellcheck disable=SC2086 # words
			if tm-atos --no-cache -o "$name.pdb" $how 2>err | sed 's/.*(\(.*\))$/\1/' >got && paste want got | awk '$1 !~ /:0$/ && $1 != $2' >differ && [ -s want ] && [ ! -s differ ]; then
				echo "ok - $name: tm-atos -o PDB $how"
			else
				echo "not ok - $name: tm-atos -o PDB $how"
				head -n 5 differ
			fi
		done
	fi
done <<'END'
x64-O0 x86_64 x64 -O0
x64-O2 x86_64 x64 -O2
x86-O0 i686 x86 -O0
x86-O2 i686 x86 -O2
arm64-O2 aarch64 arm64 -O2
END

# Functions that the linker folded into one: the name and the line are of the same function, whichever that is.
cat >fold.cpp <<'END'
int sink;
__attribute__((noinline)) int fold1(int x) { sink += x; return x * 3; }

__attribute__((noinline)) int fold2(int x) { sink += x; return x * 3; }

__attribute__((noinline)) int fold3(int x) { sink += x; return x * 3; }
int (*volatile some[3])(int) = {fold1, fold2, fold3};
extern "C" int mainCRTStartup(void) { return some[0](1) + some[1](2) + some[2](3); }
END
if clang++-19 --target=x86_64-pc-windows-msvc -g -gcodeview -ffreestanding -ffunction-sections -O1 -fno-exceptions -fno-rtti -c fold.cpp -o fold.o 2>err &&
	lld-link-19 /debug /opt:ref,icf /nodefaultlib /entry:mainCRTStartup /subsystem:console /out:fold.exe fold.o 2>>err; then
	llvm-pdbutil-19 dump --publics fold.pdb | grep -A 1 'fold[123]' | sed -n 's/.*addr = //p' | sort | uniq -c >folded
	at=$(llvm-objdump-19 -h fold.exe | awk '$2 == ".text" { print $4 }')
	offset=$(sed -n 's/^ *3 0001://p' folded)
	tm-llvm-symbolizer --no-cache -p -e fold.exe "$(printf '0x%x' $((16#$at + 10#${offset:-0})))" >got 2>err
	if [ -n "$offset" ] && grep -q -E 'fold1.*fold.cpp:2:|fold2.*fold.cpp:4:|fold3.*fold.cpp:6:' got; then
		echo "ok - folded functions: $(cat got)"
	else
		echo "not ok - folded functions: $(cat folded got)"
	fi
else
	echo "skip - pdb: fold.exe cannot be made: $(head -n 1 err)"
fi

# Variables: what C says of their sizes is what DATA prints, also of static ones, which have no public symbol; nothing is
# behind them. A declared class leads to its definition.
cat >data.cpp <<'END'
struct P { int a; double b; char c[5]; };
enum E : short { one };
extern "C" {
int score = 3; P player = {1, 2, {3}}; char letters[100] = {1}; E kind = one; void *pointer = &score; P many[7] = {{1}};
const volatile double ratio = 3; int (*function)(int) = 0; P *first = many; unsigned char last = 1;
static long long hidden[3] = {1, 2, 3};
int _fltused = 1;
int mainCRTStartup(void) { return hidden[score & 1]++ + (int)ratio + first->a + (function == 0) + letters[1] + last; }
}
END
cat >sizes.cpp <<'END'
#include "data.cpp"
#define SIZE(x) extern "C" { int size_##x = sizeof x; }
SIZE(score) SIZE(player) SIZE(letters) SIZE(kind) SIZE(pointer) SIZE(many) SIZE(ratio) SIZE(function) SIZE(first) SIZE(last) SIZE(hidden)
END
while read -r target machine base; do
	if ! clang++-19 --target="$target-pc-windows-msvc" -g -gcodeview -ffreestanding -O1 -c data.cpp -o data.o 2>err ||
		! lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console "/machine:$machine" /base:"$base" /fixed /pdb:data.pdb /out:data.exe data.o 2>>err ||
		! clang++-19 --target="$target-pc-windows-msvc" -ffreestanding -O1 -S sizes.cpp -o sizes.s 2>>err; then
		echo "skip - pdb: variables of $target: $(head -n 1 err)"
		continue
	fi
	llvm-pdbutil-19 dump --globals data.pdb | awk '/S_[GL]DATA32/ { gsub("`", ""); name = $NF } /addr = / && name { print name, $NF; name = "" }' | grep -v ^_fltused |
		while read -r name place; do
			section=$(llvm-objdump-19 -h data.exe | awk -v n="$((10#${place%:*} - 1))" '$1 == n { print $4 }')
			at=$((16#$section + 10#${place#*:}))
			size=$(awk -v n="$name" '$1 ~ "^_?size_" n ":" { getline; print $2 }' sizes.s)
			for inside in 0 $((size - 1)); do
				got=$(tm-llvm-symbolizer --no-cache "DATA data.exe $((at + inside))" | head -n 2 | tr '\n' ' ')
				[ "$got" = "$name $at $size " ] && echo "ok - $target: $name + $inside: $got" || echo "not ok - $target: $name + $inside: $got, not $at $size"
			done
		done
done <<'END'
x86_64 x64 0x140000000
i686 x86 0x400000
END
