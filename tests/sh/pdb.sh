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
		compare "$name" $shown
		compare "$name" $shown --no-inlines
		compare "$name" $shown --output-style=JSON
		compare "$name" $shown --no-inlines --verbose
		[ "$machine" = x86 ] || compare "$name" --no-demangle
	fi
done <<'END'
x64-O0 x86_64 x64 -O0
x64-O2 x86_64 x64 -O2
x86-O0 i686 x86 -O0
x86-O2 i686 x86 -O2
arm64-O2 aarch64 arm64 -O2
END
