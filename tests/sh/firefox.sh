#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What tm-export --as firefox writes is a profile by the public description of the processed format, version 60: judged by
# a script that knows it alone. And its sums are the generator's. Addresses of profiles become places in modules.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
if ! command -v python3 >/dev/null; then
	echo 'skip - firefox: no Python'
	exit 0
fi
cat >judge.py <<'END'
import json
import sys

p = json.load(open(sys.argv[1]))
meta, shared = p["meta"], p["shared"]
assert meta["preprocessedProfileVersion"] == 60
assert any(c["color"] == "grey" and c["subcategories"] for c in meta["categories"])
assert isinstance(meta["interval"], (int, float)) and isinstance(meta["markerSchema"], list)
tables = {
    "stackTable": ["frame", "prefix"],
    "frameTable": ["func", "line", "column", "address", "inlineDepth", "category", "subcategory", "nativeSymbol", "innerWindowID"],
    "funcTable": ["name", "source", "isJS", "relevantForJS", "resource", "lineNumber", "columnNumber"],
    "sources": ["filename", "uuid"],
    "resourceTable": ["lib", "name", "host", "type"],
    "nativeSymbols": ["libIndex", "address", "name", "functionSize"],
}
for name, columns in tables.items():
    table = shared[name]
    assert set(table) == {"length", *columns}, name
    assert all(len(table[c]) == table["length"] for c in columns), name


def below(column, n, null=False):
    assert all((null and v is None) or (isinstance(v, int) and 0 <= v < n) for v in column)


stacks, frames, functions, sources = (shared[t] for t in ("stackTable", "frameTable", "funcTable", "sources"))
texts = shared["stringArray"]
assert all(isinstance(s, str) for s in texts)
below(stacks["frame"], frames["length"])
assert all(v is None or 0 <= v < i for i, v in enumerate(stacks["prefix"]))
below(frames["func"], functions["length"])
below(frames["category"], len(meta["categories"]))
below(functions["name"], len(texts))
below(functions["source"], sources["length"], True)
below(sources["filename"], len(texts))
assert len({(a, b) for a, b in zip(functions["name"], functions["source"])}) == functions["length"]
assert p["threads"]
for t in p["threads"]:
    s = t["samples"]
    assert isinstance(t["pid"], str) and isinstance(t["isMainThread"], bool)
    assert s["weightType"] in ("samples", "tracing-ms", "bytes")
    assert all(len(s[c]) == s["length"] for c in ("stack", "time", "weight"))
    below(s["stack"], stacks["length"])
    assert s["time"] == sorted(s["time"])
    assert set(t["markers"]) == {"length", "data", "name", "startTime", "endTime", "phase", "category"}
# "FUNCTION FILE WEIGHT" of self, and the depth of the deepest stack.
t = p["threads"][0]["samples"]
sums, deepest = {}, 0
for stack, weight in zip(t["stack"], t["weight"]):
    function = frames["func"][stacks["frame"][stack]]
    source = functions["source"][function]
    key = texts[functions["name"][function]], "-" if source is None else texts[sources["filename"][source]]
    sums[key] = sums.get(key, 0) + weight
    depth = 0
    while stack is not None:
        depth, stack = depth + 1, stacks["prefix"][stack]
    deepest = max(deepest, depth)
print(t["weightType"], deepest)
for (name, source), weight in sorted(sums.items()):
    print(name, source, round(weight, 6))
END
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# The truth: "FUNCTION samples N ms N".
for variant in processed gecko ms; do
	"$GEN/firefox" --samples 31 $variant >in.json 2>truth
	[ $variant != gecko ] || sed -i '/processes/,$d' in.json
	[ $variant != gecko ] || printf ']}\n' >>in.json
	tm-export -q --as firefox -o out.firefox.json in.json 2>err
	{
		echo 'tracing-ms 3'
		awk '$1 != "total" { print $1, $1 == "draw" ? "-" : "game.js", $5 ".0" }' truth | sort
	} >want
	python3 judge.py out.firefox.json >got 2>err
	check "$variant: what is written is a profile of version 60, with the generator's sums" equal want got
done
# Bytes: 100 * (i % 4 + 1) of sample i.
"$GEN/firefox" --samples 24 bytes >in.json 2>err
tm-export -q --as firefox -o out.firefox.json in.json 2>err
printf 'bytes 3\ndraw - 2000\nmain game.js 2000\nupdate game.js 2000\n' >want
python3 judge.py out.firefox.json >got 2>err
check 'bytes: likewise' equal want got
# Texts that JSON must escape, inlined calls, no stack.
"$GEN/pprof" --rows 50 --functions 9 inline >in.pb 2>err
tm-export -q --as firefox -o out.firefox.json in.pb 2>err
python3 judge.py out.firefox.json >got 2>err
check 'pprof, with inlined calls: a profile' [ -s got ]
printf 'a"b\\c;d\té 3\n' >in.folded
tm-export -q --as firefox -o out.firefox.json in.folded 2>err
check 'names with quotes: a profile' eval 'python3 judge.py out.firefox.json >got 2>err'
check 'nothing to write is said' eval '! printf "" | tm-export --as firefox -f folded >out 2>err'

# Addresses that have no names, as samply writes them: places in libraries. At which instruction they are is by the
# documentation: since version 38 all are in the calls, before it callers are return addresses.
cat >make.py <<'END2'
import json
import sys

version, libs, base = int(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3], 0)
thread = {
    "name": "Main", "pid": "1", "tid": 1,
    "samples": {"length": 2, "stack": [2, 1], "time": [0, 1]},
    "nativeAllocations": {"length": 1, "time": [1], "weight": [64], "stack": [2]},
    "stackTable": {"length": 3, "frame": [2, 1, 0], "prefix": [None, 0, 1]},
    "frameTable": {"length": 3, "address": [base + 8, base + 4, -1], "func": [0, 1, 2]},
    "funcTable": {"length": 3, "name": [0, 1, 2], "resource": [0, 0, -1], "fileName": [None, None, None]},
    "resourceTable": {"length": 1, "lib": [len(libs) - 1], "name": [3]},
    "stringArray": [hex(base + 8), hex(base + 4), "0x7fff0000", "game"],
}
profile = {"meta": {"interval": 1, "startTime": 0, "processType": 0, "preprocessedProfileVersion": version}, "threads": [thread]}
(profile if version > 40 else thread)["libs"] = libs
print(json.dumps(profile))
END2
windows='[{"name":"other.dll"},{"name":"game.exe","path":"C:\\game\\game.exe","debugName":"game.pdb","breakpadId":"9C0313FED2077CC14C4C44205044422E1f","codeId":"4CE7DFB6a1000"}]'
place() { grep -x -e "location [0-9]* $1" "$2" >/dev/null; }
python3 make.py 46 "$windows" 0x1000 >in.json
tm-dump in.json >out 2>err
check 'a library of Windows has the GUID of its PDB, and the age' grep -qx 'module 1 name="C:\\\\game\\\\game.exe" build-id=9C0313FED2077CC14C4C44205044422E1F' out
check 'version 46: all addresses are of instructions' place 'vaddr exact 0x1004 module=1' out
check 'version 46: likewise of the innermost' place 'vaddr exact 0x1008 module=1' out
check 'version 46: no return address in a library' eval '! place "vaddr return .*" out'
check 'an address in no library is one in the process' place 'runtime return 0x7fff0000' out
tm-symbolize --gate 1 -o out.tmt in.json 2>err
check 'an address is no name' [ $? = 4 ]
python3 make.py 30 "$windows" 0x1000 >in.json
tm-dump in.json >out 2>err
check 'version 30: callers are return addresses' place 'vaddr return 0x1004 module=1' out
check 'version 30: the innermost of a sample is an instruction' place 'vaddr exact 0x1008 module=1' out
check 'version 30: that of an allocation is a return address' place 'vaddr return 0x1008 module=1' out
python3 make.py 46 '[{"name":"game.dll","debugName":"","breakpadId":"","codeId":"4CE7DFB6a1000"}]' 0x1000 >in.json
tm-dump in.json >out 2>err
check 'without a PDB: time stamp and size' grep -qx 'module 1 name="game.dll" build-id=4CE7DFB6a1000' out
for breakpad in '' 000000000000000000000000000000000; do
	python3 make.py 46 '[{"name":"game.dll","debugName":"game.pdb","breakpadId":"'$breakpad'","codeId":"4CE7DFB6a1000"}]' 0x1000 >in.json
	tm-dump in.json >out 2>err
	check "with a PDB, whose id is \"$breakpad\": likewise" grep -qx 'module 1 name="game.dll" build-id=4CE7DFB6a1000' out
done
# Of an ELF file that is linked at an address, offsets in memory are below it.
cat >game.c <<'END2'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; nop; nop"); return x; }
int main(int n, char **v) { (void)v; return leaf(n); }
END2
gcc -g -O1 -no-pie -Wl,--build-id=sha1 -o game game.c 2>err
at=$(nm game | awk '$3 == "leaf" { print $1 }')
id=$(readelf -n game | awk '/Build ID/ { print $3 }')
base=$(readelf -lW game | awk '$1 == "LOAD" { print $3; exit }')
python3 make.py 46 "[{\"name\":\"game\",\"path\":\"/nowhere/game\",\"debugName\":\"game\",\"breakpadId\":\"$(echo "$id" | cut -c1-32 | tr a-f A-F)0\",\"codeId\":\"$id\"}]" $((0x$at - base)) >in.json
tm-symbolize -q -e game --gate 50 -o out.tmt in.json 2>err
check 'an ELF file is found by the build-id, and names the addresses' [ $? = 0 ]
check '... by its function' eval 'tm-top -q --by function --csv out.tmt | grep -q leaf'
# Gecko: addresses of the process, and what is mapped there.
cat >in.json <<'END2'
{"meta":{"interval":1,"startTime":0,"processType":0,"version":25,"stackwalk":1},
"libs":[{"name":"game.exe","path":"","debugName":"game.pdb","breakpadId":"9C0313FED2077CC14C4C44205044422E1","start":4194304,"end":8388608,"offset":0}],
"threads":[{"name":"Main","pid":7,"tid":7,"samples":{"schema":{"stack":0,"time":1},"data":[[1,0]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
"frameTable":{"schema":{"location":0},"data":[[0],[1]]},"markers":{"schema":{},"data":[]},
"stringTable":["0x401004","0x401008"]}]}
END2
tm-dump in.json >out 2>err
check 'gecko: where a library is mapped' grep -q '^module 1 name="game.exe" .*build-id=9C0313FED2077CC14C4C44205044422E1' out
check 'gecko: callers are return addresses' place 'runtime return 0x401004' out
check 'gecko: the innermost is an instruction' place 'runtime exact 0x401008' out
