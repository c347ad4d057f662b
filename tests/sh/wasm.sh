#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 300
#
# WebAssembly modules that clang and wasm-ld make: random addresses of their code, compared with llvm-symbolizer, and stacks
# that node prints, compared with where the source has the calls.
#
# llvm-symbolizer 19 takes the offset in the section of code for DWARF, and the same number as an offset in the file for
# symbols: with -f=linkage, the outermost function of its answers is often one that ends before. So the names of DWARF
# are compared (-f=short), in which symbols have no part; and the linkage names of modules without a name section, where
# only the exported function is a symbol, apart from those answers.
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

compiler=
for v in -19 -18 -17 ""; do
	[ -n "$compiler" ] || { command -v "clang++$v" >/dev/null && command -v "wasm-ld$v" >/dev/null &&
		command -v "llvm-symbolizer$v" >/dev/null && compiler=clang++$v version=$v; }
done
if [ -z "$compiler" ]; then
	echo "skip - wasm: no clang++ with wasm-ld and llvm-symbolizer"
	exit 0
fi
flags="-fno-rtti -fno-exceptions -nostdlib -fdebug-compilation-dir=. -Wl,--no-entry -Wl,--export=run -Wl,--allow-undefined"

cat >t.cpp <<'END'
extern "C" void boom(int);
extern "C" { int sink; }
template <class T, int N> struct vec {
	T a[N];
	T &at(int i) { return a[i % N]; }
	T sum() const { T s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
};
static inline int mix(int a, int b) {
	sink ^= a * 31 + b;
	return sink + a;
}
struct actor {
	virtual int tick(int t);
	int hp;
	vec<int, 4> v;
};
int actor::tick(int t) { return mix(t, hp) + v.sum(); }
static inline void check(int n) {
	if (n > 2)
		boom(n); // the innermost call
}
__attribute__((noinline)) static int hit(int n) {
	for (int i = 0; i < n; i++)
		check(i); // the inlined call
	return n;
}
END
for i in $(seq 1 150); do
	cat <<END
__attribute__((noinline)) static int f$i(int x, int y) {
	vec<int, $((i % 7 + 1))> v;
	for (int i = 0; i < $((i % 7 + 1)); i++) v.at(i) = x + i;
	auto l = [&](int q) { return mix(q, v.at(q)) + v.sum(); };
	int s = 0;
	for (int i = 0; i < (y & 7); i++) s += l(i + $i);
	return s + mix(x + $i, y);
}
END
done >>t.cpp
{
	echo 'extern "C" int run(int n) {'
	echo '	actor a; a.hp = n; actor *p = &a; int s = p->tick(n);'
	for i in $(seq 1 150); do echo "	s += f$i(n, s);"; done
	echo '	s += hit(n); // the outer call'
	echo '	return s; }'
} >>t.cpp

# The offset and size of the section of code.
code() { "llvm-readobj$version" -S "$1" | awk '/Type: CODE/ { code = 1 } code && /Size:/ { n = $2 } code && /Offset:/ { print $2, n; exit }'; }

# compare NAME FILE OPTION...
compare() {
	local name=$1 file=$2 size same inlined
	shift 2
	read -r _ size < <(code "$file")
	awk -v n="$size" 'BEGIN { srand(5); for (i = 0; i < 3000; i++) printf "0x%x\n", int(rand() * n) }' >addrs
	"llvm-symbolizer$version" "$@" -e "$file" <addrs >want
	tm-llvm-symbolizer --no-cache "$@" -e "$file" <addrs >got 2>err
	inlined=$(awk -v RS= -F'\n' 'NF > 2 { n++ } END { print n + 0 }' want)
	# the answers of theirs that name the export are left out of both
	same=$(paste -d '\t' <(awk -v RS= '{ gsub("\n", "|"); print }' want) <(awk -v RS= '{ gsub("\n", "|"); print }' got) |
		awk -F '\t' '$1 == $2 { same++ } $1 != $2 && $1 ~ /(^|\|)run\|[^|]*$/ { same++ } END { print same + 0 }')
	if [ "$same" = 3000 ]; then
		ok "$name: 3000 addresses, $inlined of them in inlined calls, as llvm-symbolizer$version"
	else
		not_ok "$name: only $same of 3000 as llvm-symbolizer$version"
		diff want got | head -n 6
	fi
}
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; }

while read -r name options; do
	# shellcheck disable=SC2086 # words
	if ! "$compiler" $flags $options t.cpp -o "$name.wasm" 2>err; then
		echo "skip - wasm: $name cannot be made: $(head -n 1 err)"
		continue
	fi
	compare "$name" "$name.wasm" -f=short
	"llvm-objcopy$version" -R name "$name.wasm" "$name.bare.wasm"
	compare "$name, linkage names" "$name.bare.wasm" --no-demangle
done <<'END'
O0 --target=wasm32 -O0 -g
O2 --target=wasm32 -O2 -g
O2-dwarf5 --target=wasm32 -O2 -gdwarf-5
Os --target=wasm32 -Os -g -flto
wasm64 --target=wasm64 -O2 -g
END

# Stacks of node: the addresses that it prints are right if the lines are those of the source.
if command -v node >/dev/null; then
	# shellcheck disable=SC2086 # words
	"$compiler" --target=wasm32 -O1 -g $flags t.cpp -o game.wasm
	"llvm-objcopy$version" --strip-all game.wasm stripped.wasm
	cat >run.cjs <<'END'
const file = process.argv[2];
const code = new WebAssembly.Module(require("fs").readFileSync(file));
try {
	new WebAssembly.Instance(code, { env: { boom(n) { throw new Error("boom"); } } }).exports.run(5);
} catch (e) {
	console.log(e.stack);
}
END
	line() { grep -n "$1" t.cpp | cut -d: -f1; }
	printf '%s\n' "check(int) ./t.cpp:$(line 'the innermost call')" "hit(int) ./t.cpp:$(line 'the inlined call')" \
		"run ./t.cpp:$(line 'the outer call')" >want
	for file in game stripped; do
		node run.cjs $file.wasm >$file.log
		tm-symbolize -q --text --no-cache -e game.wasm $file.log |
			sed -n 's/^    at \(.*\) (\(.*t\.cpp:[0-9]*\):[0-9]*)$/\1 \2/p' | head -n 3 >got
		if [ "$(grep -c wasm-function $file.log)" = 2 ] && cmp -s want got; then
			ok "$file.wasm: a stack of node has the functions and lines of the source"
		else
			not_ok "$file.wasm: a stack of node"
			cat $file.log got
		fi
	done
	# The same through a capture, and in the words of Firefox.
	tm-import -q -o game.tmt game.log && tm-symbolize -q --no-cache -e game.wasm game.tmt -o named.tmt
	check 'a log with such a stack is a capture' grep -q "check(int)" <(tm-dump named.tmt)
	sed -n 's/^    at wasm:\(.*\)$/f@http:\/\/host\/game.wasm\1/p' stripped.log | sed 's/game.wasm[^:]*:/game.wasm:/' >firefox.log
	tm-symbolize -q --text --no-cache -e game.wasm firefox.log >got
	check 'a stack of Firefox' grep -q "^hit(int)@./t.cpp:$(line 'the inlined call')" got
else
	echo "skip - wasm: no node"
fi
