#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --collapse-recursion on stacks with inlined calls, of the demo built with and without optimization: what it leaves are the
# stacks as they are without it, of which of equal functions in a row the first stays, added up by a few lines of Python.
# Patterns: all functions, those of a namespace, one.
#
# Then tm-export's files under each option that takes calls out of stacks: folded, speedscope and pprof have the sums of
# tm-top's stacks. pprof's file is read by tm-top without the option.
set -u
: "${DATA:?}"
failed=0

if ! command -v python3 >/dev/null; then
	echo 'skip - collapsed stacks: no Python'
	exit 0
fi
cat >collapse.py <<'END'
import csv
import re
import sys

match, want = re.compile(sys.argv[1]), {}
runs = 0
for r in csv.DictReader(open("all.csv", newline="")):
    left = []
    for f in r["stack"].split(";"):
        if left and left[-1] == f and match.search(f):
            runs += 1
        else:
            left.append(f)
    k = ";".join(left)
    want[k] = [a + int(r[c]) for a, c in zip(want.get(k, [0, 0]), ("count", "requested"))]
got = {}
for r in csv.DictReader(open("collapsed.csv", newline="")):
    k = r["stack"] # two stacks may differ by lines alone
    got[k] = [a + int(r[c]) for a, c in zip(got.get(k, [0, 0]), ("count", "requested"))]
if not runs or got != want:
    sys.exit("%d calls are taken out; %d stacks, expected %d; different: %s" %
             (runs, len(got), len(want), [k for k in {**got, **want} if got.get(k) != want.get(k)][:2]))
print("%d stacks, %d calls of theirs taken out" % (len(got), runs))
END
cat >exported.py <<'END'
import csv
import json
import sys


def table(name):
    got = {}
    for r in csv.DictReader(open(name, newline="")):
        got[r["stack"] or "[no stack]"] = got.get(r["stack"] or "[no stack]", 0) + int(r["requested"])
    return {k: v for k, v in got.items() if v}


def folded():
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in open("out.folded") if not line.startswith("#")}


def speedscope():
    doc, got = json.load(open("out.json")), {}
    names = [f["name"] for f in doc["shared"]["frames"]]
    for p in doc["profiles"]:
        if p["name"].startswith("requested"):
            for s, w in zip(p["samples"], p["weights"]):
                k = ";".join(names[i] for i in s) or "[no stack]"
                got[k] = got.get(k, 0) + w
    return {k: v for k, v in got.items() if v}


want, whole = table("taken.csv"), table("all.csv")
for what, got in ("folded", folded()), ("speedscope", speedscope()), ("pprof", table("pprof.csv")):
    if got != want:
        sys.exit("%s: %s" % (what, [(k, got.get(k), want.get(k)) for k in {**got, **want} if got.get(k) != want.get(k)][:2]))
# A stack without calls is dropped (tracemill(7)): here that of what --show leaves nothing of.
if want == whole or ("--show" not in sys.argv and sum(want.values()) != sum(whole.values())):
    sys.exit("nothing was taken out, or bytes are lost")
print("%d stacks of %d" % (len(want), len(whole)))
END
for build in gcc-dwarf5-O0 gcc-dwarf5-O2; do
	game=$DATA/demo/$build
	if [ ! -x "$game/bin/arcade" ]; then
		echo "skip - $build: there is no demo here"
		continue
	fi
	tm-symbolize -q --maps "$game/arcade.maps" --locations return -e "$game/bin/arcade" -e "$game/bin/libengine.so" \
		"$game/arcade.stream" >named.tmt
	tm-top -q --csv -n 0 --by stack --metrics count,requested named.tmt >all.csv
	for pattern in . '^eng::' 'build_scene'; do
		tm-top -q --csv -n 0 --by stack --metrics count,requested --collapse-recursion "$pattern" named.tmt >collapsed.csv
		if said=$(python3 collapse.py "$pattern" 2>&1); then
			echo "ok - $build, '$pattern': $said"
		else
			echo "not ok - $build, '$pattern': $said"
			failed=1
		fi
	done
	for options in '--collapse-recursion .' '--collapse-module libengine' '--hide ^eng::' '--show arcade' '--prune-from build_scene' \
		--hide-library '--hide Malloc --collapse-recursion .'; do
		read -ra words <<<"$options"
		tm-top -q --csv -n 0 --by stack --metrics count,requested "${words[@]}" named.tmt >taken.csv
		tm-export -q --as folded --sort requested "${words[@]}" named.tmt >out.folded
		tm-export -q --as speedscope "${words[@]}" named.tmt >out.json
		tm-export -q "${words[@]}" -o out.pprof named.tmt
		tm-top -q --csv -n 0 --by stack --metrics requested out.pprof >pprof.csv
		if said=$(python3 exported.py "${words[@]}" 2>&1); then
			echo "ok - $build, exported with $options: $said"
		else
			echo "not ok - $build, exported with $options: $said"
			failed=1
		fi
	done
done
if tm-export -q --as chrome --hide x named.tmt >out 2>err || ! grep -q 'writes events as they are' err; then
	echo 'not ok - a format of events refuses to take calls out'
	failed=1
else
	echo 'ok - a format of events refuses to take calls out'
fi
exit $failed
