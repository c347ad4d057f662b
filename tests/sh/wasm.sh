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

# Older linkers put the debug information of functions that they removed at 0, newer ones at ffffffff: made one of the others.
cat >removed.cpp <<'END'
extern "C" __attribute__((noinline)) int removed_fn(int n) { return n * 77; }
extern "C" __attribute__((export_name("run"))) int run(int n) { return n ^ 5; }
END
# shellcheck disable=SC2086 # words
if "$compiler" --target=wasm32 -O1 -gdwarf-4 $flags removed.cpp -o removed.wasm 2>err && command -v perl >/dev/null; then
	perl -0777 -pe 's/\xff{4}/\0\0\0\0/g; s/(\xfe\xff{3}){2}/\0\0\0\0\x08\0\0\0/g' removed.wasm >old.wasm
	"llvm-symbolizer$version" -e old.wasm 0 >theirs 2>err
	tm-llvm-symbolizer --no-cache -e old.wasm 0 1 >got 2>err
	if grep -q removed_fn theirs && ! grep -q removed_fn got; then
		ok "a removed function at 0 is none"
	else
		not_ok "a removed function at 0"
		cat theirs got
	fi
fi

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
	# Names that pages and modules without a name have.
	sed 's/wasm:.*:wasm-function/http:\/\/h\/game.wasm.br?x=1:wasm-function/' stripped.log >page.log
	tm-symbolize -q --text --no-cache -e game.wasm page.log >got
	check 'a compressed module of a page' grep -q "at hit(int) (./t.cpp:$(line 'the inlined call')" got
	sed 's/wasm:.*:wasm-function/wasm-function/' stripped.log >bare.log
	tm-symbolize -q --text --no-cache -e game=game.wasm bare.log >got
	check '-e NAME=FILE for a module without a name' grep -q "at hit(int) (./t.cpp:$(line 'the inlined call')" got
	# Another build: the functions in the log have other numbers there.
	{
		cat t.cpp
		echo 'extern "C" __attribute__((export_name("later"))) int later(int n) { return n ^ 77; }'
	} | sed 's/^extern "C" void boom/extern "C" __attribute__((export_name("first"))) int first(int n) { return n * n + 3; }\n&/' >u.cpp
	# shellcheck disable=SC2086 # words
	"$compiler" --target=wasm32 -O1 -g $flags u.cpp -o other.wasm
	mkdir -p other && cp other.wasm other/game.wasm
	for files in '-e game.wasm -e other/game.wasm' '-e other/game.wasm -e game.wasm'; do
		# shellcheck disable=SC2086 # words
		tm-symbolize --text --no-cache $files page.log >got 2>err
		check "$files: the file with the functions of the log" grep -q "at hit(int) (./t.cpp:$(line 'the inlined call')" got
	done
	for url in 'data:application/wasm' '<anonymous>' 'blob:https://h/2b0e'; do
		sed "s|^    at .*:wasm-function\\(.*\\)|    at f ($url:wasm-function\\1)|" stripped.log >url.log
		tm-symbolize -q --text --no-cache -e game.wasm url.log >got
		check "$url: the only file" grep -q "at hit(int) (./t.cpp:$(line 'the inlined call')" got
	done
	cp game.wasm 'my game.wasm'
	sed 's|wasm:.*:wasm-function|http://h/my%20game.wasm:wasm-function|' stripped.log >blank.log
	tm-symbolize -q --text --no-cache -e 'my game.wasm' blank.log >got
	check 'a blank in the name of a URL' grep -q "at hit(int) (./t.cpp:$(line 'the inlined call')" got
	tm-import -q blank.log | tm-dump -q - >got
	check '... and in a capture' grep -q '^module .*my game.wasm"' got
	sed 's/^    at f (blob/    at async f (blob/' url.log >async.log
	tm-symbolize -q --text --no-cache -e game.wasm async.log >got
	check 'an asynchronous call stays one' grep -q "at async hit(int) (./t.cpp:$(line 'the inlined call')" got
	tm-symbolize --text --no-cache -e game.wasm=other.wasm -e wasm=other.wasm game.log >got 2>err
	check 'a module of another build gives no names' cmp -s got game.log
	check 'the module of another build is said' grep -q '2 calls stay as they were: the file of their module.* is of another build' err
	# One call of another build, behind calls that fit: an offset behind the end of the file; a number of another function,
	# megabytes behind the others.
	{
		cat page.log
		sed "s/:0x[0-9a-f]*/:0x$(printf %x "$(stat -c %s game.wasm)")/" page.log
	} >outside.log
	tm-symbolize --text --no-cache -e game.wasm outside.log >got 2>err
	check 'an offset behind the end: no call of the module is named' cmp -s got outside.log
	check '... and why' grep -q 'is of another build: the log has function .*, the file has no function there$' err
	{
		for ((i = 0; i < 2400; i++)); do cat page.log; done
		yes 'a line of the game, which is no call of any stack' | head -n 90000
		sed 's/wasm-function\[[0-9]*/wasm-function[9/' page.log
	} >large.log
	tm-symbolize --text --no-cache -e game.wasm large.log >got 2>err
	check 'a line at the end of a large log: no call is named' cmp -s got large.log
	check '... and no note says that calls were named' [ "$(grep -c 'had been named' err)" = 0 ]
	check '... all of them are counted' grep -q " $((2401 * 2)) calls stay as they were: the file of their module.* is of another build" err
	# The same functions, and a caller that calls nothing at its place: a byte behind the call instruction.
	at=$(grep -o 'wasm-function.*:0x[0-9a-f]*' page.log | sed -n 's/.*://; 2p')
	sed "s/:$at\$/:0x$(printf %x $((at + 1)))/" page.log >moved.log
	tm-symbolize --text --no-cache -e game.wasm moved.log >got 2>err
	check 'a caller that calls nothing there: no call is named' cmp -s got moved.log
	check '... and why' grep -q 'is of another build: the log has a call at 0x.*, the file has another instruction there$' err
	tm-symbolize --text --no-cache -e game.wasm page.log >got 2>err
	check 'calls that fit: nothing shows the build all the same' \
		grep -q 'game.wasm: the log has no build-id: nothing shows whether game.wasm is of this build$' err
	# A file with nothing but debug information says nothing of functions and offsets.
	if "llvm-objcopy$version" --only-keep-debug game.wasm debug.wasm 2>err; then
		tm-symbolize --text --no-cache -e game.wasm=debug.wasm page.log >got 2>err
		check 'a file without code contradicts nothing' [ "$(grep -c 'of another build' err)" = 0 ]
	fi
	# The same through a capture, and in the words of Firefox.
	tm-import -q -o game.tmt game.log && tm-symbolize -q --no-cache -e game.wasm game.tmt -o named.tmt
	check 'a log with such a stack is a capture' grep -q "check(int)" <(tm-dump named.tmt)
	sed -n 's/^    at wasm:\(.*\)$/f@http:\/\/host\/game.wasm\1/p' stripped.log | sed 's/game.wasm[^:]*:/game.wasm:/' >firefox.log
	tm-symbolize -q --text --no-cache -e game.wasm firefox.log >got
	check 'a stack of Firefox' grep -q "^hit(int)@./t.cpp:$(line 'the inlined call')" got
else
	echo "skip - wasm: no node"
fi
