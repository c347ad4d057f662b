#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What tm-export --as firefox writes is a profile by the public description of the processed format, version 60: judged by
# a script that knows it alone. And its sums are the generator's.
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
