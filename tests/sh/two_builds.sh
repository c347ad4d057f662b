#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which function and site of one build is which of another (tm-compare(1), "What is the same"). The programs are
# small, and each place in them allocates a number of bytes that no other does: what is joined wrongly has other
# bytes on the two sides.
# shellcheck disable=SC2086 # several options
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
done >>build.log 2>&1
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

# A lambda that allocates 64 bytes is put in front of two others, of 1000 x 1000 and 10 x 100 bytes; so is one that
# allocates nothing, which numbers them anew all the same. Lines 9 and 10 are other lines then, too.
cat >src/lambda.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
void run(int n) {
#ifdef FIRST
	auto first = [&](int k) { FIRST; };
	first(n);
#endif
	auto a = [&](int k) { for (int i = 0; i < 1000; i++) sink = malloc(1000); };
	auto b = [&](int k) { for (int i = 0; i < 10; i++) sink = malloc(100); };
	a(n);
	b(n);
}
int main() { run(3); }
END
grep -v '^#ifdef\|^#endif\|FIRST\|first' src/lambda.cpp >new/lambda.cpp
for o in 0 2; do
	build lambda$o/game -O$o src/lambda.cpp
	build lambda-other$o/game -O$o -DFIRST='sink = malloc(64)' src/lambda.cpp
	build lambda-silent$o/game -O$o -DFIRST='sink = nullptr' src/lambda.cpp
	build lambda-lines$o/game -O$o new/lambda.cpp
	for key in function site stack; do
		rows lambda$o lambda-other$o $key >got
		printf '%s\n' '0 64' '1000 1000' '1000000 1000000' >want
		same "-O$o by $key: one lambda more is one row more"
		for other in silent lines; do
			rows lambda$o lambda-$other$o $key >got
			printf '%s\n' '1000 1000' '1000000 1000000' >want
			same "-O$o by $key: lambdas with other numbers or lines ($other) are the same"
		done
	done
done
for run in lambda0 lambda-other0; do
	mkdir -p $run-kept
	tm-compare -q --save-baseline $run-kept/s.tmt $run/s.tmt
done
for key in function site stack; do
	rows lambda0-kept lambda-other0-kept $key >got
	printf '%s\n' '0 64' '1000 1000' '1000000 1000000' >want
	same "one lambda more by $key, of aggregates"
done
for i in 1 2 3 4; do
	run=$([ $i -lt 3 ] && echo lambda0 || echo lambda-other0)
	tm-history add -q --build $i --date 2026-01-0${i}T00:00:00Z lambda.db $run/s.tmt >>build.log
done 2>&1
tm-history trend -q --by function --sort requested --name lambda --csv lambda.db | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["name"], r["build"], float(r["value"]))' >got
for i in 1 2 3 4; do
	echo "run(int)::{lambda(int)#1}::operator()(int) const $i $([ $i -lt 3 ] && echo 0.0 || echo 64.0)"
	echo "run(int)::{lambda(int)#2}::operator()(int) const $i 1000000.0"
	echo "run(int)::{lambda(int)#3}::operator()(int) const $i 1000.0"
done >want
same 'tm-history: a lambda is a series whatever its number'
printf '[rule each]\nmetric = requested\nkey = function\nmatch = run\neach = yes\npercent = 5\nabsolute = 100\n' >p.ini
tm-compare -q --gate p.ini lambda0/s.tmt lambda-other0/s.tmt >gate.txt
echo "exit $?" >got
echo 'exit 0' >want
same 'a gate passes where a lambda came before others'

# Sizes and lines mislead: the new lambda, before the first, has the size that the first had. The sources tell.
cat >src/sized.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
void run(int n) {
	auto a = [&](int k) { sink = malloc(A); };
	auto b = [&](int k) { sink = malloc(100); };
	a(n);
	b(n);
}
int main() { run(3); }
END
sed 's/^\tauto a/\tauto z = [\&](int k) { sink = malloc(1000); };\n\tz(n);\n&/' src/sized.cpp >new/sized.cpp
build sized/game -O0 -DA=1000 src/sized.cpp
build sized-new/game -O0 -DA=3000 new/sized.cpp
for key in function site stack; do
	rows sized sized-new $key --base-source src --new-source new >got
	printf '%s\n' '0 1000' '1000 3000' '100 100' >want
	same "sources on both sides, by $key"
done

# One program under another name; built anew under another name; a library, too.
echo 'void load(int); int main() { load(50); }' >src/user.cpp
cat >src/library.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
static __attribute__((noinline)) void block(int n) { sink = malloc(n); }
void load(int n) { for (int i = 0; i < n; i++) block(1000); }
END
modules() { # FOLDER PROGRAM LIBRARY LEVEL
	mkdir -p "$1" &&
		g++ -g "$4" -shared -fPIC -Wl,--build-id -Wl,-soname,libeng.so -o "$1/$3" src/library.cpp &&
		ln -sf "$3" "$1/libeng.so" &&
		g++ -g "$4" -Wl,--build-id -o "$1/$2" src/user.cpp "$1/libeng.so" && record_modules "$1" "$2"
} 2>>build.log
record_modules() { # FOLDER PROGRAM
	LD_LIBRARY_PATH=$1 tm-record -q -o "$1/r.tmt" -- "$1/$2" && tm-symbolize -q "$1/r.tmt" >"$1/s.tmt"
}
modules module game-1.2.3 libeng.so.1.2 -O0
modules anew game-1.2.4 libeng.so.1.3 -O1
mkdir same
cp module/game-1.2.3 same/game-1.2.4
cp module/libeng.so.1.2 same/libeng.so.1.3
ln -s libeng.so.1.3 same/libeng.so
record_modules same game-1.2.4 2>>build.log
for folder in same anew; do
	for key in function site stack module; do
		rows module "$folder" $key >got
		echo '50000 50000' >want
		same "modules of other names ($folder) by $key"
	done
done
guesses() {
	tm-compare -q --by function --table changes --all -n 0 "$@" | grep -c 'matched by a guess'
}
guesses module/s.tmt anew/s.tmt >got
guesses --map-module game-1.2.3=game-1.2.4 --map-module libeng.so.1.2=libeng.so.1.3 module/s.tmt anew/s.tmt >>got
guesses module/s.tmt same/s.tmt >>got
printf '%s\n' 0 0 1 >want
same 'modules that are found by what their functions are called are a guess, mapped ones and those of one build-id are not'

# A file that is renamed: a function whose name is unique, and static ones of C++ and C.
cat >src/moved.cpp <<'END'
#include <stdlib.h>
extern void *volatile sink;
static __attribute__((noinline)) void own(int n) { sink = malloc(n); }
extern "C" __attribute__((noinline)) void of_c(int n) { sink = malloc(n); }
namespace { struct Cache { __attribute__((noinline)) Cache(int n) { sink = malloc(n); } }; }
void unique(int n) { sink = malloc(n); own(n + 1); of_c(n + 2); Cache c(n + 3); }
END
{ echo '// moved'; cat src/moved.cpp; } >new/renamed.cpp
echo 'void *volatile sink; void unique(int); int main() { unique(1000); }' >src/moves.cpp
build moved/game src/moves.cpp src/moved.cpp
build renamed/game src/moves.cpp new/renamed.cpp
for key in function site stack; do
	rows moved renamed $key >got
	printf '%s\n' '1000 1000' '1001 1001' '1002 1002' '1003 1003' >want
	same "a renamed file by $key"
done

# Lambdas and functions that one level inlines and the other does not, in two files alike; a generic lambda is two
# functions at one place.
for f in c d; do
	n=$([ $f = c ] && echo 100 || echo 200)
	cat >src/inline_$f.cpp <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		static inline void small(int n) { sink = malloc(n + 1); }
		void $f(int n) {
			auto a = [&](int k) { sink = malloc(n + 2 + k); };
			auto g = [](auto x) { sink = malloc($n + sizeof x); };
			small(n);
			a(0);
			g('x');
			g(1.0);
		}
	END
done
echo 'void *volatile sink; void c(int); void d(int); int main() { c(1000); d(2000); }' >src/inlines.cpp
build inline0/game -O0 src/inlines.cpp src/inline_c.cpp src/inline_d.cpp
build inline2/game -O2 src/inlines.cpp src/inline_c.cpp src/inline_d.cpp
for key in function site stack; do
	rows inline0 inline2 $key >got
	printf '%s\n' '1001 1001' '1002 1002' '101 101' '108 108' '2001 2001' '2002 2002' '201 201' '208 208' >want
	same "-O0 against -O2 by $key"
done

# Two names at one address, as folding of equal code makes them; the variants of a constructor are one function.
cat >src/folded.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
struct Thing { __attribute__((noinline)) Thing(int n) { sink = malloc(n); } };
__attribute__((noinline)) void load(int n) { sink = malloc(n); }
void other(int) __attribute__((alias("_Z4loadi")));
__attribute__((noinline)) void alone(int n) { sink = malloc(n); }
int main() { load(1000); other(1000); alone(3000); Thing t(4000); }
END
build folded/game -fno-ipa-icf src/folded.cpp
{ tm-top -q --by function --sort requested --csv folded/s.tmt; tm-compare -q --by function --sort requested --table changes --csv --all folded/s.tmt folded/s.tmt; } |
	grep -o 'load(int)[^,]*\|other(int)[^,]*\|alone(int)[^,]*\|Thing::Thing(int)[^,]*' | sort | uniq -c | sed 's/^ *//' >got
printf '%s\n' '2 Thing::Thing(int)' '2 alone(int)' '2 load(int) [folded]' >want
same 'a function at whose address are others says so'

# A caller that got one parameter more: the stack is the same.
cat >src/called.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
void block(int n) { sink = malloc(n); }
void caller(int n MORE) { block(n); }
int main() { caller(1000 GIVEN); }
END
build called/game -O0 -DMORE= -DGIVEN= src/called.cpp
build called-new/game -O0 '-DMORE=,int m' -DGIVEN=,2 src/called.cpp
rows called called-new stack >got
echo '1000 1000' >want
same 'one parameter more, by stack'
