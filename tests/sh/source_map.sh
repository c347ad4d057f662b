#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Source maps of WebAssembly modules: a module that clang makes loses its DWARF, of which a map is made as emscripten makes
# one; every byte of its code has the place that llvm-symbolizer 19 finds by DWARF.
set -u

for tool in clang++-19 wasm-ld-19 llvm-symbolizer-19 llvm-dwarfdump-19 llvm-objcopy-19 python3; do
	command -v "$tool" >/dev/null || {
		echo "skip - source_map: no $tool"
		exit 0
	}
done

cat >t.cpp <<'END'
extern "C" { int sink; }
static inline int mix(int a, int b) {
	sink ^= a * 31 + b;
	return sink + a;
}
__attribute__((noinline)) static int hit(int n) {
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += mix(i, n);
	return sum;
}
extern "C" int run(int n) { return hit(n) + mix(n, 2) + hit(sink); }
END
clang++-19 --target=wasm32 -g -O1 -nostdlib -fdebug-compilation-dir=. -Wl,--no-entry -Wl,--export=run t.cpp -o full.wasm 2>err ||
	{
		echo "skip - source_map: no module: $(head -n 1 err)"
		exit 0
	}
llvm-objcopy-19 --strip-debug full.wasm app.wasm

# The line table of full.wasm as a map, and the offset and size of the code.
llvm-dwarfdump-19 --debug-line full.wasm >rows
cat >make.py <<'END'
import json, re, sys

def leb(b, i):
    v = shift = 0
    while True:
        v |= (b[i] & 127) << shift
        i, shift = i + 1, shift + 7
        if not b[i - 1] & 128:
            return v, i

data, i = open('app.wasm', 'rb').read(), 8
while i < len(data):
    kind = data[i]
    size, at = leb(data, i + 1)
    if kind == 10:
        code, code_size = at, size
    i = at + size
digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

def vlq(v):
    v = v << 1 if v >= 0 else -v << 1 | 1
    out = ''
    while True:
        out += digits[v & 31 | (32 if v > 31 else 0)]
        v >>= 5
        if not v:
            return out

out, last = [], [0, 0, 0, 0]
for m in re.finditer(r'^0x([0-9a-f]+) +(\d+) +(\d+) +\d+ .*$', open('rows').read(), re.M):
    at, line, column = int(m[1], 16), int(m[2]), int(m[3])
    if 'end_sequence' in m[0] or line == 0:
        out.append(vlq(code + at - last[0]))
        last[0] = code + at
        continue
    now = [code + at, 1, line - 1, max(column, 1) - 1]
    out.append(''.join(vlq(a - b) for a, b in zip(now, last)))
    last = now
text = json.dumps({'version': 3, 'file': 'app.wasm', 'names': [], 'sourceRoot': './', 'sources': ['no "one".c', 't.cpp'],
                   'sourcesContent': [None, '}]", {[ \\ "mappings": "AAAA"'], 'x': {'a': [1, -2.5e3, True, None, {}]},
                   'mappings': ','.join(out)})
open('app.wasm.map', 'w').write(text.replace('t.cpp', '\\u0074.cpp'))
for i in range(code_size):
    print('0x%x' % i)
END
python3 make.py >addrs

# places FILE: of each address the place of its innermost call
places() {
	awk -v RS= -F'\n' '{ print $3 }' "$1"
}
llvm-symbolizer-19 -a --obj=full.wasm <addrs >llvm
tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs >ours 2>err

# check WHAT: where the line table has a line, the places are the same; a map has no column 0
check() {
	local said
	said=$(paste <(places llvm) <(places ours) | awk -F'\t' '
		$1 ~ /:0:[0-9]+$/ { next }
		{ sub(/:0$/, ":1", $1); n++; same += $1 == $2 }
		END { print n + 0, same + 0 }')
	case $said in
	0\ * | ?\ *) echo "not ok - $1: $said" ;;
	"${said% *} ${said% *}") echo "ok - $1: $said" ;;
	*)
		echo "not ok - $1: $said"
		diff <(places llvm) <(places ours) | head -n 6
		;;
	esac
}
check "beside the module"
if grep -q '^hit(int)$' ours && grep -q '^run$' ours; then
	echo "ok - functions have the names of the name section"
else
	echo "not ok - functions have the names of the name section"
fi

mkdir maps && mv app.wasm.map maps
tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs >ours 2>err
if places ours | grep -q t.cpp; then echo "not ok - without a map"; else echo "ok - without a map there are no lines"; fi
mv maps/app.wasm.map maps/other.map
# a section of this name: its length, and the address of the map on a server
url='https://example.com/build/other.map?v=3'
printf "\\x$(printf %x ${#url})%s" "$url" >section
llvm-objcopy-19 --add-section=sourceMappingURL=section app.wasm linked.wasm && mv linked.wasm app.wasm
tm-llvm-symbolizer --no-cache --lenient -a --debug-file-directory=maps --obj=app.wasm <addrs >ours 2>err
check "by its name in a folder"
printf '{"version":3,"sources":["t.cpp"],"mappings":"AAAA,!"}' >maps/other.map
tm-llvm-symbolizer --no-cache --lenient -a --debug-file-directory=maps --obj=app.wasm <addrs >ours 2>err
if [ "$(grep -c . ours)" = "$(grep -c . <(tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs 2>/dev/null))" ]; then
	echo "ok - a broken map"
else
	echo "not ok - a broken map"
fi
