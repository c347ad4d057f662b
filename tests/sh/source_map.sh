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

# As webpack's getSource, Chrome's SourceMap and Mozilla's join put a root before a source.
at=$(awk -v RS= -F'\n' '$3 ~ /t\.cpp:[1-9]/ { print $1; exit }' llvm)
cp app.wasm.map joined.map
while read -r root source want; do
	python3 -c 'import json, sys
m = json.load(open("joined.map")); m["sourceRoot"] = "" if sys.argv[1] == "-" else sys.argv[1]; m["sources"][1] = sys.argv[2]
json.dump(m, open("app.wasm.map", "w"))' "$root" "$source"
	got=$(tm-llvm-symbolizer --no-cache --obj=app.wasm "$at" 2>err | sed -n 2p)
	if [ "${got%%:[0-9]*}" = "$want" ]; then echo "ok - the root $root before $source"; else echo "not ok - the root $root before $source: $got"; fi
done <<'END4'
/root t.cpp /root/t.cpp
/root/ t.cpp /root/t.cpp
- t.cpp t.cpp
/root /abs/t.cpp /abs/t.cpp
webpack:// src/t.cpp webpack://src/t.cpp
/root webpack://game/t.cpp webpack://game/t.cpp
END4
cp joined.map app.wasm.map

# The same map in two sections, each with offsets of its own and sources in another order; and behind a guard.
cp app.wasm.map whole.map
python3 - <<'END3'
import json
exec(open('make.py').read().split('out, last')[0])
whole = json.load(open('whole.map'))

def unvlq(s):
    out, v, shift = [], 0, 0
    for c in s:
        d = digits.index(c)
        v |= (d & 31) << shift
        shift += 5
        if not d & 32:
            out.append(-(v >> 1) if v & 1 else v >> 1)
            v = shift = 0
    return out

rows, now = [], [0, 0, 0, 0]
for s in whole['mappings'].split(','):
    d = unvlq(s)
    now[:len(d)] = [a + b for a, b in zip(now, d)]
    rows.append(now[:len(d)])

def section(rows, begin, turned):
    out, last = [], [0, 0, 0, 0]
    for r in rows:
        r = [r[0] - begin] + [1 - r[1] if turned else r[1]] + r[2:] if len(r) > 1 else [r[0] - begin]
        out.append(''.join(vlq(a - b) for a, b in zip(r, last)))
        last[:len(r)] = r
    sources = whole['sources'][::-1] if turned else whole['sources']
    return {'map': dict(whole, sources=sources, mappings=','.join(out)), 'offset': {'line': 0, 'column': begin}}

half = len(rows) // 2
json.dump({'version': 3, 'sections': [section(rows[:half], 0, False), section(rows[half:], rows[half][0], True),
                                      {'offset': {'line': 1, 'column': 0}, 'map': whole}]}, open('app.wasm.map', 'w'))
END3
tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs >ours 2>err
check "a map of sections"
{ echo ")]}'" && cat whole.map; } >app.wasm.map
tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs >ours 2>err
check "behind a guard"
mv whole.map app.wasm.map
if tm-inspect --table verdicts --csv app.wasm 2>err | grep -q ',lines,yes,source map'; then
	echo "ok - tm-inspect knows that lines come from the map"
else
	echo "not ok - tm-inspect and the map: $(tm-inspect --table verdicts --csv app.wasm 2>&1 | grep ',lines,')"
fi
mv app.wasm.map away.map
llvm-objcopy-19 --add-section sourceMappingURL=<(printf '\014app.wasm.map') app.wasm linked.wasm 2>err
if tm-inspect --table verdicts --csv linked.wasm 2>err | grep -q ',lines,no,"lines are in the source map app.wasm.map, which was not found"'; then
	echo "ok - tm-inspect knows which map is missing"
else
	echo "not ok - tm-inspect and a map that is missing: $(tm-inspect --table verdicts --csv linked.wasm 2>&1 | grep ',lines,')"
fi
mv away.map app.wasm.map
# Only exported functions have symbols then.
llvm-objcopy-19 --strip-all app.wasm stripped.wasm
if tm-inspect --table verdicts --csv stripped.wasm 2>err | grep ',names,partly,' | grep -q 'stripped: [0-9]* of [0-9]* functions have a name'; then
	echo "ok - tm-inspect: a module without names"
else
	echo "not ok - tm-inspect: a module without names: $(tm-inspect --table verdicts --csv stripped.wasm 2>&1 | grep ',names,')"
fi
# In the module itself.
python3 - <<'END3'
import base64

def leb(n):
    return bytes([n & 127 | 128]) + leb(n >> 7) if n > 127 else bytes([n])

text = open('app.wasm.map', 'rb').read()
for name, url in ('base64', b'data:application/json;charset=utf-8;base64,' + base64.b64encode(text)), (
        'percent', b'data:application/json,' + text.replace(b'%', b'%25').replace(b'"', b'%22')), (
        'false', b'data:application/json;base64,e30='):
    open('in-%s.wasm' % name, 'wb').write(open('app.wasm', 'rb').read() + b'\0' + leb(17 + len(leb(len(url))) + len(url)) +
                                          b'\x10sourceMappingURL' + leb(len(url)) + url)
END3
for kind in base64 percent; do
	tm-llvm-symbolizer --no-cache --lenient -a --obj=in-$kind.wasm <addrs >ours 2>err
	check "in the module, $kind"
done
tm-addr2line --no-cache -e in-false.wasm 0x10 >got 2>err
if [ "$(cat err)" = 'tm-addr2line: in-false.wasm: the source map in it (a data: URL) is no source map: it maps nothing' ]; then
	echo "ok - {} in the module is no map"
else
	echo "not ok - {} in the module is no map"
	cat err
fi

mkdir maps && mv app.wasm.map maps
tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs >ours 2>err
if places ours | grep -q t.cpp; then echo "not ok - without a map"; else echo "ok - without a map there are no lines"; fi
mv maps/app.wasm.map 'maps/other one.map'
# a section of this name: its length, and the address of the map on a server
url='https://example.com/build/other%20one.map?v=3'
printf "\\x$(printf %x ${#url})%s" "$url" >section
llvm-objcopy-19 --add-section=sourceMappingURL=section app.wasm linked.wasm && mv linked.wasm app.wasm
tm-llvm-symbolizer --no-cache --lenient -a --debug-file-directory=maps --obj=app.wasm <addrs >ours 2>err
check "by its name in a folder"
printf '{"version":3,"sources":["t.cpp"],"mappings":"AAAA,!"}' >'maps/other one.map'
tm-llvm-symbolizer --no-cache --lenient -a --debug-file-directory=maps --obj=app.wasm <addrs >ours 2>err
if [ "$(grep -c . ours)" = "$(grep -c . <(tm-llvm-symbolizer --no-cache --lenient -a --obj=app.wasm <addrs 2>/dev/null))" ]; then
	echo "ok - a broken map"
else
	echo "not ok - a broken map"
fi

# What a module says is elsewhere, and is not there or broken: a reason, and not silence.
linked() { # FILE SECTION LINK
	{
		cat plain.wasm
		printf '\0%b%b%s%b%s' "\\x$(printf %x $((${#2} + ${#3} + 2)))" "\\x$(printf %x ${#2})" "$2" "\\x$(printf %x ${#3})" "$3"
	} >"$1"
}
llvm-objcopy-19 --remove-section=sourceMappingURL app.wasm plain.wasm
linked far.wasm external_debug_info http://h/far.debug.wasm
linked lost.wasm sourceMappingURL lost.map
linked broken.wasm sourceMappingURL broken.map
linked odd.wasm sourceMappingURL odd.map
linked newer.wasm sourceMappingURL newer.map
echo '{"version":3,"mappings":"????' >broken.map # 29 characters and the end of the line
echo '{"version":3 "mappings":"AAAA"}' >odd.map
echo '{"version":4,"sources":["t.cpp"],"mappings":"AAAA"}' >newer.map
while read -r file words; do
	tm-addr2line --no-cache -e "$file.wasm" 0x10 >got 2>err
	if [ "$(cat err)" = "tm-addr2line: $file.wasm: its $words" ]; then
		echo "ok - $file.wasm says what is missing"
	else
		echo "not ok - $file.wasm says what is missing"
		cat err
	fi
done <<'END2'
far functions and lines are in far.debug.wasm, which was not found
lost lines are in the source map lost.map, which was not found
broken lines are in the source map broken.map, which was not found: broken.map is no source map: it is cut short: it ends at offset 30
odd lines are in the source map odd.map, which was not found: odd.map is no source map: it is no JSON at offset 13
newer lines are in the source map newer.map, which was not found: newer.map is no source map: its version is not 3
END2

# Debug information in a file of its own: its code is the module's, or it is another build's, of the same size.
linked apart.wasm external_debug_info apart.debug.wasm
cp full.wasm apart.debug.wasm
tm-llvm-symbolizer --no-cache -p --obj=apart.wasm "$(sed -n 10p addrs)" >got 2>err
llvm-symbolizer-19 -p --obj=full.wasm "$(sed -n 10p addrs)" >want
if grep -q 't.cpp:' want && [ "$(grep -o 't.cpp:[0-9]*' got)" = "$(grep -o 't.cpp:[0-9]*' want)" ]; then
	echo "ok - a debug file apart"
else
	echo "not ok - a debug file apart"
	cat got want err
fi
# 31, which mix() multiplies by: i32.const is 0x41.
LC_ALL=C sed 's/\x41\x1f/\x41\x1d/' full.wasm >apart.debug.wasm
tm-llvm-symbolizer --no-cache -p --obj=apart.wasm "$(sed -n 10p addrs)" >got 2>err
if ! cmp -s full.wasm apart.debug.wasm && ! grep -q 't.cpp' got && grep -q 'apart.debug.wasm: has no build-id and its code differs' err; then
	echo "ok - a debug file whose code differs by a byte is another build's"
else
	echo "not ok - a debug file whose code differs by a byte is another build's"
	cat got err
fi
