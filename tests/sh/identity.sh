#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The same source in another folder, moved by ten lines, by another compiler and optimization: what matches
# (tm-compare). The program calls every function of its own a known number of times, each with a size that no
# other has, so a row that is joined wrongly does not have the same bytes on both sides.
set -u

source=$SRC/testdata/src/identity.cpp
if ! command -v g++ >/dev/null; then
	echo "skip - identity (no g++ here)"
	exit 0
fi
# COMPILER LEVEL: two folders, the second with ten lines more
build() {
	for folder in a b; do
		dir=$1-O$2/$folder
		mkdir -p "$dir/src"
		{
			[ "$folder" = a ] || for _ in 1 2 3 4 5 6 7 8 9 10; do echo "// moved"; done
			cat "$source"
		} >"$dir/src/identity.cpp"
		(
			cd "$dir" &&
				"$1" -std=c++17 -g -O"$2" -o identity "$PWD/src/identity.cpp" &&
				tm-record -q -o r.tmt -- ./identity 2>/dev/null &&
				tm-symbolize -q r.tmt >s.tmt 2>/dev/null
		) || return 1
	done
}
# A B KEY: "rows one-sided differing" of the program's bytes
compare() {
	tm-compare -q --by "$3" --all -n 0 --csv --table changes --sort requested "$1/s.tmt" "$2/s.tmt" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
one = [r for r in rows if r["change"] in ("new", "gone")]
moved = [r for r in rows if r["base_requested"] != r["new_requested"]]
print(len(rows), len(one), len(moved))
for r in one + moved:
    print(r["change"], r["base_requested"], r["new_requested"], r.get("function") or r.get("site"), r.get("stack"), file=sys.stderr)' 2>err
}
check() { # WHAT A B KEY MOST
	local rows one moved

	read -r rows one moved < <(compare "$2" "$3" "$4")
	if [ "${rows:-0}" -ge 12 ] && [ "$one" -le "$5" ] && [ "$moved" -le "$5" ]; then
		echo "ok - $1 by $4: $one of $rows rows on one side only"
	else
		sed 's/^/    /' err
		echo "not ok - $1 by $4: ${one:-?} of ${rows:-no} rows on one side only, $moved differ"
	fi
}
# Two builds without build-ids that differ in the function that is inlined around one address: the base's is alpha, which
# the new build calls bravo. Each allocates 5,000 bytes.
cat >inlined.cpp <<'EOT'
#include <cstdlib>
static void *volatile sink;
static inline __attribute__((always_inline)) void inner() { sink = malloc(5000); }
static inline __attribute__((always_inline)) void CALLER() { inner(); }
int main() { CALLER(); return 0; }
EOT
for caller in alpha bravo; do
	mkdir -p $caller
	g++ -O1 -g -DCALLER=$caller -Wl,--build-id=none -o $caller/inlined inlined.cpp
	(cd $caller && tm-record -q -o r.tmt -- ./inlined && tm-symbolize -q r.tmt >s.tmt)
done 2>/dev/null
tm-compare -q --by function --cumulative --csv --all --table changes --sort requested alpha/s.tmt bravo/s.tmt | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    name = r["function"].split("(")[0]
    if name in ("alpha", "bravo", "inner"):
        print(name, r["base_requested"], r["new_requested"], r["was"])' | sort >got
printf '%s\n' 'bravo 5000 5000 alpha' 'inner 5000 5000 ' >want
if cmp -s want got; then
	echo "ok - without build-ids: the inlined caller is that of its own build"
else
	diff want got | sed 's/^/    /'
	echo "not ok - without build-ids: the inlined caller is that of its own build"
fi
compilers=(g++)
! command -v clang++ >/dev/null || compilers+=(clang++)
for c in "${compilers[@]}"; do
	for o in 0 2; do
		if ! build "$c" "$o"; then
			echo "not ok - $c -O$o builds and is recorded"
			exit 0
		fi
		for key in function site stack file; do
			check "$c -O$o, another folder and ten lines" "$c-O$o/a" "$c-O$o/b" "$key" 0
		done
	done
	for key in function site stack; do
		check "$c -O0 against -O2" "$c-O0/a" "$c-O2/b" "$key" 2
	done
done
# Only lifetimes differ between these two: nothing changed, whatever the format has columns for.
text=$(tm-compare -q --by function --table changes g++-O0/a/s.tmt g++-O0/b/s.tmt | head -n 1)
rows=$(tm-compare -q --by function --table changes --csv g++-O0/a/s.tmt g++-O0/b/s.tmt | wc -l)
json=$(tm-compare -q --by function --as json g++-O0/a/s.tmt g++-O0/b/s.tmt |
	python3 -c 'import json, sys; print([len(s["rows"]) for s in json.load(sys.stdin)["sections"] if s["name"] == "changes"][0])')
if [[ $text == '0 of 0 changed'* ]] && [ "$rows $json" = '1 0' ]; then
	echo "ok - what changed is the same in text, CSV and JSON"
else
	echo "not ok - what changed is the same in text, CSV and JSON: '$text', $rows lines, $json rows"
fi
[ ${#compilers[@]} = 2 ] || exit 0
for o in 0 2; do
	for key in function site stack; do
		check "gcc against clang, -O$o" "g++-O$o/a" "clang++-O$o/b" "$key" 2
	done
done
