#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Windows programs of many kinds: 3,000 addresses each, drawn at random over all code, at least a third of them with
# inlined calls, whose whole answers are compared with llvm-symbolizer 19. Addresses that neither knows do not count. Where
# they differ, the records of the PDB have to say what tm-llvm-symbolizer says (tests/diff/pdb_referee.py).
# A third of the builds each day (tests/run); DAYS=all: all, as make check-deep has it.
# timeout: 900
set -u

for tool in clang++-19 lld-link-19 ld.lld-19 llvm-symbolizer-19 llvm-objdump-19 llvm-objcopy-19 llvm-pdbutil-19 \
	llvm-undname-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - pdb_builds: no $tool"
		exit 0
	}
done

cat >game.h <<'END'
#define OUT __attribute__((noinline))
#define IN static inline __attribute__((always_inline))
extern volatile int sink;
namespace engine {
enum class Mode { walk, run, fly };
namespace math {
IN int clamp(int x, int lo, int hi) {
	if (x < lo)
		return lo;
	return x > hi ? hi : x;
}
template <class T> struct Vec {
	T x, y, z;
	__attribute__((always_inline)) T dot(const Vec &o) const { return x * o.x + y * o.y + z * o.z; }
	__attribute__((always_inline)) Vec operator+(const Vec &o) const {
		sink ^= (int)x;
		return Vec{x + o.x, y + o.y, z + o.z};
	}
	template <int N> __attribute__((always_inline)) T scaled() const {
		T t = x * N;
		if (dot(*this) > N)
			t += clamp((int)y, -N, N);
		return t;
	}
};
}
template <int N> struct Node {
	int value;
	math::Vec<int> at;
	virtual int step(int k);
	OUT static int deep(int k) {
		Node<N - 1> below;
		below.value = k;
		below.at = {k, N, k + N};
		auto twice = [&](int z) { sink += z; return 2 * z + N; };
		math::Vec<long long> w{k, 2, N};
		int sum = twice(k) + (int)(w + w).template scaled<N + 1>();
		for (int i = 0; i < (k & 7); i++)
			sum += below.step(math::clamp(i * k, N, 99)) ^ below.at.template scaled<N + 2>();
		return sum;
	}
};
template <int N> OUT int Node<N>::step(int k) {
	sink -= k;
	int t = at.template scaled<N + 3>() + (at + at).dot(at);
	if (t & 1)
		return deep(math::clamp(t, 0, value));
	switch (t & 15) {
	case 3: return value * N;
	case 5: sink++; break;
	case 8: return (int)Mode::fly + k;
	}
	return N ? Node<(N > 0 ? N - 1 : 0)>::deep(t) : t;
}
template <> struct Node<-1> {
	int value;
	math::Vec<int> at;
	OUT int step(int k) { return math::clamp(k + value, 1, at.x); }
};
}
END
cat >a.cpp <<'END'
#include "game.h"
volatile int sink;
extern "C" int _fltused = 1;
int other(int n);
namespace {
struct Local {
	int v;
	OUT int run(int k) {
		struct Inner {
			IN int add(int a, int b) { sink = a; return a + b; }
		};
		union { int i; unsigned u; } both;
		both.i = Inner::add(v, k);
		return (int)(both.u >> 1) + engine::math::clamp(k, v, 3);
	}
};
}
static OUT int fold_a(int x) { sink += x; return 3 * x; }
static OUT int fold_b(int x) { sink += x; return 3 * x; }
int main_of_game(int n) {
	engine::Node<12> node;
	Local l{n};
	node.value = n;
	node.at = {n, n, n};
	return node.step(n) + l.run(n) + other(n) + fold_a(n) + fold_b(n + 1);
}
#ifndef HOSTED
extern "C" int mainCRTStartup(void) { return main_of_game(sink); }
extern "C" void *memcpy(void *to, const void *from, decltype(sizeof 0) n) {
	volatile char *t = (volatile char *)to;
	const char *f = (const char *)from;
	while (n--)
		*t++ = *f++;
	return to;
}
#endif
END
cat >b.cpp <<'END'
#include "game.h"
int other(int n) {
	engine::Node<7> node;
	node.value = 2 * n;
	node.at = {1, n, 2};
	return node.step(n) + engine::Node<5>::deep(n);
}
#ifdef HOSTED
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main_of_game(int n);
volatile int sink;
int main(int argc, char **argv) {
	std::map<std::string, std::vector<int>> all;
	for (int i = 0; i < argc; i++)
		all[argv[i]].push_back(main_of_game(i));
	int sum = 0;
	for (auto &p : all) {
		std::sort(p.second.begin(), p.second.end(), [](int a, int b) { return a > b; });
		for (int v : p.second)
			sum += v;
	}
	return sum;
}
#endif
END
sed -i 's/^volatile int sink;$/#ifndef HOSTED\nvolatile int sink;\n#endif/' a.cpp

. "$SRC/tests/diff/pdb_addresses.bash"

# LLVM has an empty line for the name of what no symbol of a PDB holds.
named() {
	awk '/^$/ { blank = 1; next } blank { print $0 == "??:0:0" ? "??" : ""; blank = 0 } { print } END { if (blank) print "" }'
}

# 3,000 of the addresses asked, 1,000 of them with inlined calls if there are so many, with their answers by LLVM.
choose() {
	awk -v RS= -v answers="$1" '
		{ n = split($0, lines, "\n"); text[NR] = $0; inlined[NR] = n > 3 }
		END {
			for (i = 1; i <= NR && chosen < 1000; i++)
				if (inlined[i]) { take[i] = 1; chosen++ }
			for (i = 1; i <= NR && chosen < 3000; i++)
				if (!take[i]) { take[i] = 1; chosen++ }
			for (i = 1; i <= NR; i++)
				if (take[i]) { print text[i] "\n" >answers; split(text[i], lines, "\n"); print lines[1] }
		}'
}

# Of want and got: at most one answer in 1,000 is neither LLVM's nor what the records have.
judge() { # NAME INLINED_AT_LEAST [--no-inlines]
	local name=$1 inlined_min=$2 verdict=ok
	shift 2
	python3 "$SRC/tests/diff/pdb_referee.py" "$@" "$name.exe" "$name.pdb" want got differences >said
	read -r _ _ asked _ known _ inlined _ equal _ ours _ both _ llvm _ neither <said
	((asked >= 2900 && known > 1500 && inlined >= inlined_min && (llvm + neither) * 1000 <= known)) || verdict='not ok'
	echo "$verdict - $name${*:+ $*}: $asked addresses, $known known, $inlined in inlined calls, $equal as LLVM," \
		"$((ours + both)) by the records, $((llvm + neither)) neither"
	sed 1d said
	((llvm + neither == 0)) || grep -A 6 -m 2 -E ' (llvm|neither): ' differences
}

n_builds=0 others=()
# Whether a build is one of today's.
today() { # NAME
	n_builds=$((n_builds + 1))
	if [ "${DAYS-}" = all ] || ((n_builds % 3 == DAY % 3)); then
		return 0
	fi
	others+=("$1")
	return 1
}
compare() {
	local name=$1 n=9000
	shift
	[[ $name != mingw* ]] || n=36000
	draw "$name.exe" $n >drawn
	llvm-symbolizer-19 -a "$@" -e "$name.exe" <drawn 2>err | named | choose want >asked
	tm-llvm-symbolizer --no-cache --lenient -a "$@" -e "$name.exe" <asked >got 2>err
	judge "$name" 1000
	llvm-symbolizer-19 -a --no-inlines "$@" -e "$name.exe" <asked 2>err | named >want
	tm-llvm-symbolizer --no-cache --lenient -a --no-inlines "$@" -e "$name.exe" <asked >got 2>err
	judge "$name" 0 --no-inlines
}

skipped() {
	echo "skip - pdb_builds: $1 cannot be made: $(head -n 1 build.log)"
}

# Of the MSVC ABI, without headers or libraries of Microsoft's.
msvc() {
	local name=$1 target=$2 machine=$3 link=$4 f
	shift 4
	for f in a b; do
		clang++-19 "--target=$target-pc-windows-msvc" -g -gcodeview -ffreestanding -mno-stack-arg-probe -fno-exceptions \
			-fno-rtti "$@" -c $f.cpp -o $f.o 2>build.log || return
	done
	# shellcheck disable=SC2086 # words
	lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console "/machine:$machine" $link \
		"/pdb:$name.pdb" "/out:$name.exe" a.o b.o >build.log 2>&1
}

while read -r name target machine link options; do
	today "$name" || continue
	[ "$link" != - ] || link=
	# shellcheck disable=SC2086 # words
	if ! msvc "$name" "$target" "$machine" "$link" $options; then
		skipped "$name"
	else
		compare "$name"
	fi
done <<'END'
x64-O0 x86_64 x64 - -O0
x64-O1 x86_64 x64 - -O1
x64-O2 x86_64 x64 - -O2
x64-Os x86_64 x64 - -Os
x64-lto x86_64 x64 - -O2 -flto
x64-thinlto x86_64 x64 - -O2 -flto=thin
x64-icf x86_64 x64 /opt:icf -O2 -ffunction-sections
x64-no-columns x86_64 x64 - -O2 -gno-column-info
x64-lines-only x86_64 x64 - -O2 -gline-tables-only
x64-dll x86_64 x64 /dll -O3 -march=haswell
x86-O0 i686 x86 - -O0
x86-O2 i686 x86 - -O2
x86-lto i686 x86 - -O2 -flto
x86-frame i686 x86 - -O2 -fno-omit-frame-pointer
arm64-O0 aarch64 arm64 - -O0
arm64-O2 aarch64 arm64 - -O2
arm64-lto aarch64 arm64 - -O2 -flto
arm64-thinlto aarch64 arm64 - -O2 -flto=thin
END

# Hosted by mingw's libraries, of which some have names that LLVM does not demangle (_ZGTt). What they have of DWARF comes before the PDB for LLVM: it goes.
mingw_pdb() {
	local name=$1 f
	shift
	for f in a b; do
		clang++-19 --target=x86_64-w64-mingw32 -DHOSTED -g -gcodeview "$@" -c $f.cpp -o $f.o 2>build.log || return
	done
	clang++-19 --target=x86_64-w64-mingw32 "$@" -fuse-ld=lld-19 "-Wl,--pdb=$name.pdb" -static a.o b.o -o "$name.exe" \
		2>build.log &&
		llvm-objcopy-19 -R '.debug_*' "$name.exe" 2>build.log
}
while read -r name options; do
	today "$name" || continue
	# shellcheck disable=SC2086 # words
	if mingw_pdb "$name" $options; then
		compare "$name" --no-demangle
	else
		skipped "$name"
	fi
done <<'END'
mingw-pdb-O0 -O0
mingw-pdb-O2 -O2
mingw-pdb-lto -O2 -flto
END

while read -r name compiler options; do
	today "$name" || continue
	# shellcheck disable=SC2086 # words
	if $compiler -DHOSTED -g $options -static a.cpp b.cpp -o "$name.exe" 2>build.log; then
		compare "$name" --no-demangle
	else
		skipped "$name"
	fi
done <<'END'
mingw-gcc-O0 x86_64-w64-mingw32-g++ -O0
mingw-gcc-O2 x86_64-w64-mingw32-g++ -O2
mingw-gcc-lto x86_64-w64-mingw32-g++ -O2 -flto
mingw-gcc-dwarf4 x86_64-w64-mingw32-g++ -Os -gdwarf-4
mingw-clang-O0 clang++-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -O0
mingw-clang-O2 clang++-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -O2
mingw-clang-dwarf4 clang++-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -O1 -gdwarf-4
END
[ ${#others[@]} = 0 ] || echo "skip - pdb_builds: ${#others[@]} of $n_builds on other days: ${others[*]}"
