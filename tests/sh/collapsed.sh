#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --collapse-recursion on stacks with inlined calls, of the demo built with and without optimization: what it leaves are the
# stacks as they are without it, of which of equal functions in a row the first stays, added up by a few lines of Python.
# Patterns: all functions, those of a namespace, one.
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
done
exit $failed
