#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which function and site of one build is which of another (tm-compare(1), "What is the same"). The programs are
# small, and each place in them allocates a number of bytes that no other does: what is joined wrongly has other
# bytes on the two sides.
set -u

if ! command -v g++ >/dev/null; then
	echo "skip - two_builds (no g++ here)"
	exit 0
fi
# FOLDER/PROGRAM FLAGS-AND-SOURCES: recorded and symbolized as FOLDER/s.tmt
build() {
	local program=$1

	shift
	mkdir -p "${program%/*}" &&
		g++ -std=c++17 -g -o "$program" "$@" &&
		tm-record -q -o "${program%/*}/r.tmt" -- "$program" &&
		tm-symbolize -q "${program%/*}/r.tmt" >"${program%/*}/s.tmt"
} 2>>build.log
# WHAT: got and want, sorted, are the same
same() {
	if sort got | cmp -s - <(sort want); then
		echo "ok - $1"
	else
		diff <(sort want) <(sort got) | sed 's/^/    /'
		echo "not ok - $1"
	fi
}
# A B KEY OPTIONS: "BASE NEW" of each row of the program's that has bytes
rows() {
	local a=$1 b=$2 key=$3

	shift 3
	tm-compare -q --by "$key" --all -n 0 --csv --table changes --sort requested --focus '^main$' "$@" \
		"$a/s.tmt" "$b/s.tmt" | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["base_requested"] != "0" or r["new_requested"] != "0":
        print(r["base_requested"], r["new_requested"])'
}

# Two files with a static function, a static one in a namespace, and a method in an anonymous namespace, of one name
# each: 100 x 1000 and 3 x 1000 bytes (30 x 1000 in the new build), 500 and 700, 11000 and 13000.
unit() { # NAME TIMES STATIC METHOD
	cat <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		static __attribute__((noinline)) void load(int n) { for (int i = 0; i < n; i++) sink = malloc(1000); }
		namespace game { static __attribute__((noinline)) void tick() { sink = malloc($3); } }
		namespace { struct Cache { __attribute__((noinline)) void fill() { sink = malloc($4); } }; }
		void $1() { load($2); game::tick(); Cache c; c.fill(); }
	END
}
mkdir -p src new
echo 'void *volatile sink; void a(); void b(); int main() { a(); b(); }' >src/main.cpp
unit a 100 500 11000 >src/a.cpp
unit b 3 700 13000 >src/b.cpp
unit b 30 700 13000 >new/b.cpp
build internal/game src/main.cpp src/a.cpp src/b.cpp
build internal2/game src/main.cpp src/a.cpp new/b.cpp

tm-top -q --by function --sort requested --csv internal/s.tmt | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["module"] == "game" and r["requested"] not in ("", "0"):
        print(r["function"], r["requested"])' >got
cat >want <<'END'
load(int) (a.cpp) 100000
load(int) (b.cpp) 3000
game::tick() (a.cpp) 500
game::tick() (b.cpp) 700
(anonymous namespace)::Cache::fill() (a.cpp) 11000
(anonymous namespace)::Cache::fill() (b.cpp) 13000
END
same 'tm-top: functions of internal linkage are apart by their files'
rows internal internal2 function >got
printf '%s\n' '100000 100000' '3000 30000' '500 500' '700 700' '11000 11000' '13000 13000' >want
same 'tm-compare: each is compared with itself'
printf '[rule each]\nmetric = requested\nkey = function\neach = yes\npercent = 30\nmatch = load\n' >p.ini
tm-compare -q --gate p.ini internal/s.tmt internal2/s.tmt >gate.txt
echo "exit $?" >got
echo 'exit 1' >want
same 'a gate fails by the one of two functions of one name that grew tenfold'
for run in internal internal2; do
	tm-history add -q --build $run --date 2026-01-0${#run}T00:00:00Z runs.db $run/s.tmt
done 2>>build.log
tm-history trend -q --by function --sort requested --name 'load|fill' --csv runs.db | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["name"], float(r["value"]))' | sort -u >got
cat >want <<'END'
load(int) (a.cpp) 100000.0
load(int) (b.cpp) 3000.0
load(int) (b.cpp) 30000.0
(anonymous namespace)::Cache::fill() (a.cpp) 11000.0
(anonymous namespace)::Cache::fill() (b.cpp) 13000.0
END
same 'tm-history: each is a series'
