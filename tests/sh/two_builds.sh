#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
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
		g++ -std=c++17 ${debug--g} -o "$program" "$@" &&
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
	tm-compare -q --by "$key" --all -n 0 --csv --table changes --sort requested --focus "${focus:-^main\$}" "$@" \
		"$a/s.tmt" "$b/s.tmt" | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["base_requested"] != "0" or r["new_requested"] != "0":
        print(r["base_requested"], r["new_requested"])'
}

# Two files with a static function, a static one in a namespace, a method in an anonymous namespace, and static
# templates outside and inside of a namespace, of which GCC's linkage names do not say that they are static, of one name
# each: 100 x 1000 and 3 x 1000 bytes (30 x 1000 in the new build), 500 and 700, 11000 and 13000, 501 and 701, 502 and 702.
unit() { # NAME TIMES STATIC METHOD
	cat <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		static __attribute__((noinline)) void load(int n) { for (int i = 0; i < n; i++) sink = malloc(1000); }
		namespace game { static __attribute__((noinline)) void tick() { sink = malloc($3); } }
		namespace { struct Cache { __attribute__((noinline)) void fill() { sink = malloc($4); } }; }
		template <class T> static __attribute__((noinline)) T spawn(T n) { sink = malloc(n + 1); return n; }
		namespace game { template <class T> static __attribute__((noinline)) T push(T n) { sink = malloc(n + 2); return n; } }
		void $1() { load($2); game::tick(); Cache c; c.fill(); spawn<int>($3); game::push<int>($3); }
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
int spawn<int>(int) (a.cpp) 501
int spawn<int>(int) (b.cpp) 701
int game::push<int>(int) (a.cpp) 502
int game::push<int>(int) (b.cpp) 702
END
same 'tm-top: functions of internal linkage are apart by their files'
rows internal internal2 function >got
printf '%s\n' '100000 100000' '3000 30000' '500 500' '700 700' '11000 11000' '13000 13000' '501 501' '502 502' '701 701' '702 702' >want
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

# Without DWARF the symbol table says of which file a local symbol is, also of a copy that the compiler made of it. Of -flto's
# and of stripped ones nothing says it, and no file is made up.
for flags in '' -O1 -O2 '-O2 -flto' '-O2 -s'; do
	debug='' build "plain$flags/game" $flags src/main.cpp src/a.cpp src/b.cpp
	debug='' build "plain2$flags/game" $flags src/main.cpp src/a.cpp new/b.cpp
	tm-top -q --by function --sort requested --csv "plain$flags/s.tmt" | python3 -c '
import csv, re, sys
for r in csv.DictReader(sys.stdin):
    if r["module"] == "game" and r["requested"] not in ("", "0"):
        print(re.sub(r"[(]int[)]| [[]clone [^]]*\]", "", r["function"]), r["requested"])' >got
	case $flags in
	*-flto* | *-s)
		if grep -q '[.]cpp' got; then echo "not ok - $flags: a file is made up"; else echo "ok - $flags: no file is made up"; fi
		continue
		;;
	esac
	cat >want <<'END'
load (a.cpp) 100000
load (b.cpp) 3000
game::tick() (a.cpp) 500
game::tick() (b.cpp) 700
(anonymous namespace)::Cache::fill() (a.cpp) 11000
(anonymous namespace)::Cache::fill() (b.cpp) 13000
int spawn<int> (a.cpp) 501
int spawn<int> (b.cpp) 701
int game::push<int> (a.cpp) 502
int game::push<int> (b.cpp) 702
END
	same "without DWARF${flags:+, $flags}: functions of internal linkage are apart by their files"
	rows "plain$flags" "plain2$flags" function >got
	printf '%s\n' '100000 100000' '3000 30000' '500 500' '700 700' '11000 11000' '13000 13000' '501 501' '502 502' '701 701' '702 702' >want
	same "without DWARF${flags:+, $flags}: each is compared with itself"
done

# Wherever functions are shown, each of the two has its bytes. WORDS are a command that prints the capture.
apart() { # WHAT BYTES-OF-a.cpp BYTES-OF-b.cpp
	python3 -c '
import re, sys
text = sys.stdin.read()
print(*[any(re.search(r"load\(int\) \((\w+/)?%s\.cpp\)" % f, line) and re.search(r"(?<!\d)(%s)(?!\d)" % v, line) for line in text.splitlines())
        for f, v in (("a", sys.argv[1]), ("b", sys.argv[2]))])' "$2" "$3" >got
	echo 'True True' >want
	same "functions of one name in two files are apart in $1"
}
all=100000 few=3000
tm-top -q --by function --csv --sort requested internal/s.tmt | apart 'tm-top by function' $all $few
tm-top -q --tree --csv --sort requested -n 0 internal/s.tmt | apart 'tm-top --tree' $all $few
tm-top -q --bottom-up --csv --sort requested -n 0 internal/s.tmt | apart 'tm-top --bottom-up' $all $few
tm-top -q --peek load --csv --sort requested internal/s.tmt | apart 'tm-top --peek' $all $few
tm-compare -q --by function --all --csv --sort requested internal/s.tmt internal2/s.tmt | apart tm-compare $all $few
tm-compare -q --by function --all --csv --sort requested internal2/s.tmt internal/s.tmt | apart 'tm-compare of the builds the other way' $all 30000
mkdir -p internal-kept
tm-compare -q --save-baseline internal-kept/s.tma internal/s.tmt
tm-compare -q --by function --all --csv --sort requested internal-kept/s.tma internal2/s.tmt | apart 'an aggregate' $all $few
tm-top -q --by function --csv --sort requested internal-kept/s.tma | apart 'tm-top of an aggregate' $all $few
tm-compare -q --save-baseline internal-kept/t.tma internal2/s.tmt
tm-merge -q -o internal-kept/m.tma internal-kept/s.tma internal-kept/t.tma
tm-top -q --by function --csv --sort requested internal-kept/m.tma | apart tm-merge 200000 30000
tm-export -q --as folded --sort requested internal/s.tmt | apart 'folded stacks' $all $few
echo '{"id":1,"query":"top --by function --csv --sort requested"}' | tm-view -q --lines internal/s.tmt | jq -r .answer |
	apart 'tm-view --lines' $all $few
for tool in '"top","arguments":{"by":"function"}' '"callers","arguments":{"function":"load"}'; do
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'"$tool"'}}' |
		tm-view -q --mcp internal/s.tmt | jq -c '.result.structuredContent.tables[].rows[]' |
		apart "the assistants' tool $tool" $all $few
done

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

i=0
for run in module anew; do
	tm-history add -q --build b$((++i)) --date 2026-01-0${i}T00:00:00Z modules.db $run/s.tmt >>build.log
done 2>&1
by_module() {
	tm-history trend -q --by module --cumulative --sort requested "$@" --csv modules.db | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["name"].startswith("game"):
        print(r["name"], float(r["value"] or 0))'
}
by_module --map-module game-1.2.3=game-1.2.4 >got
printf 'game-1.2.4 %s\n' 50000.0 50000.0 >want
same 'tm-history --map-module: a renamed module is one series'
by_module >got
tm-history trend -q --by module --cumulative --sort requested modules.db | grep -o '^1 series goes on .* (a guess): .* from' >>got
echo '1 series goes on under another name (a guess): game-1.2.3 is game-1.2.4 from' >>want
same 'tm-history without it: one by a guess, since it is as much'

# Functions that are renamed while their file's lines move, one that allocates and its caller, and one that stays.
names() { # FOLDER LOAD UPDATE LINES
	{
		printf '#include <stdlib.h>\nextern void *volatile sink;\nvoid *volatile sink;\n'
		printf '%*s' "$4" '' | tr ' ' '\n'
		[ "$4" = 0 ] || echo 'extern "C" __attribute__((noinline)) void stays(int n) { sink = malloc(n); }'
		echo "__attribute__((noinline)) static void $2(int n) {"
		[ "$4" = 0 ] || echo '	if (n < 0) abort();'
		echo '	sink = malloc(n); }'
		[ "$4" != 0 ] || echo 'extern "C" __attribute__((noinline)) void stays(int n) { sink = malloc(n); }'
		echo "__attribute__((noinline)) void $3(int n) { $2(n); sink = malloc(300); }"
		echo "int main() { $3(50000); stays(2000); }"
	} >src/names$4.cpp
	build $1/game -O1 src/names$4.cpp
}
names old load update 0
names renamed start tick 5
maps='--map-function load=start --map-function update=tick'
for key in function site stack; do
	focus=. rows old renamed $key $maps >got
	printf '%s\n' '300 300' '2000 2000' '50000 50000' >want
	same "renamed functions by $key, as --map-function says"
done
focus=. rows old renamed function --map-function load=go --map-function 'update(int)=tick(int)' >got
printf '%s\n' '300 300' '2000 2000' '0 50000' '50000 0' >want
same "a map that hits nothing joins nothing, and parameters may be given"
tm-compare -q --by function $maps --map-function load=go --map-function gone=tick old/s.tmt renamed/s.tmt | grep map- >got
printf '%s\n' 'function load of the base is start (map-function)' 'function update of the base is tick (map-function)' \
	'map-function load=go matches nothing: no function of the new side is called go' \
	'map-function gone=tick matches nothing: no function of the base is called gone' >want
same 'what maps came to is said'
printf '[rule new]\nmetric = requested\nkey = function\nnew = 0\n' >names.ini
tm-compare -q --gate names.ini --table policy old/s.tmt renamed/s.tmt >got.all
echo $? >got
grep -o 'Perhaps renamed from .* to \[policy\]' got.all >>got
printf '%s\n' 1 'Perhaps renamed from load(int). If renamed, add map-function = load(int)=start(int) to [policy]' \
	'Perhaps renamed from update(int). If renamed, add map-function = update(int)=tick(int) to [policy]' >want
same 'a renamed function fails as new, and what to add is proposed'
tm-record -q -o old/r2.tmt -- old/game && tm-symbolize -q old/r2.tmt >old/s2.tmt
tm-compare -q --gate names.ini --table policy --base old/s.tmt old/s2.tmt --new renamed/s.tmt | grep -c 'If renamed, add' >got
echo 2 >want
same 'also of two runs against one, which have the same'
{ printf '[policy]\nmap-function = load(int)=start(int)\nmap-function = update(int)=tick(int)\n'; cat names.ini; } >mapped.ini
tm-compare -q --gate mapped.ini --table policy old/s.tmt renamed/s.tmt >got.all
echo $? >got
grep -o '^function .*' got.all >>got
printf '%s\n' 0 'function load(int) of the base is start(int) (map-function)' 'function update(int) of the base is tick(int) (map-function)' >want
same 'with these lines it passes, and they are said'
i=0
for run in old renamed; do
	tm-history add -q --build b$((++i)) --date 2026-01-0${i}T00:00:00Z names.db $run/s.tmt >>build.log
done 2>&1
tm-history trend -q --by function --sort requested $maps --csv names.db | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if float(r["value"] or 0):
        print(r["name"], float(r["value"]))' >got
printf '%s\n' 'start(int) 50000.0' 'start(int) 50000.0' 'tick(int) 300.0' 'tick(int) 300.0' 'stays 2000.0' 'stays 2000.0' >want
same 'tm-history --map-function: one series'

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

# Files that took each other's names: ai is fx now, and fx is particles.
ring_unit() { # FUNCTION BYTES
	cat <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		static __attribute__((noinline)) void scratch(int n) { sink = malloc(n); sink = nullptr; }
		void $1() { scratch($2); sink = nullptr; }
	END
}
mkdir -p ring-was ring-now
ring_unit ai_tick 5000 | tee ring-was/ai.cpp >ring-now/fx.cpp
ring_unit fx_tick 300 | tee ring-was/fx.cpp >ring-now/particles.cpp
echo 'void *volatile sink; void ai_tick(); void fx_tick(); int main() { ai_tick(); fx_tick(); }' | tee ring-was/m.cpp >ring-now/m.cpp
build ring/game -O1 ring-was/*.cpp
build ringed/game -O1 ring-now/*.cpp
for key in function site stack; do
	for path in '' "--map-path $PWD/ring-was=S --map-path $PWD/ring-now=S"; do
		rows ring ringed $key $path >got
		printf '%s\n' '300 300' '5000 5000' >want
		same "files that took each other's names, by $key ${path:+in one folder}"
	done
done

i=0
for run in ring ringed; do
	tm-history add -q --build b$((++i)) --date 2026-01-0${i}T00:00:00Z ring.db $run/s.tmt >>build.log
done 2>&1
for key in function site; do
	tm-history trend -q --by $key --sort requested --name scratch --csv ring.db | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    print(r["name"], float(r["value"] or 0))' >got
	printf 'scratch(int) (%s.cpp) %s.0\n' fx 5000 fx 5000 particles 300 particles 300 >want
	same "files that took each other's names, in tm-history by $key"
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

# The sites of one function: one more in front of two others, on an empty line and on one of its own; the first removed while
# the second grows, on its old line and one further up, where nothing tells which of the two is left; lambdas likewise.
sites() { # NAME LINES-OF-THE-FUNCTION...
	mkdir -p "src/$1"
	{
		cat <<-'END'
			#include <stdlib.h>
			__attribute__((noinline)) void keep(void *p) { asm volatile("" ::"r"(p) : "memory"); }
			__attribute__((noinline)) void other() { keep(malloc(5000)); }
			__attribute__((noinline)) void update() {
		END
		printf '%s\n' "${@:2}"
		printf '}\nint main() { update(); other(); }\n'
	} >"src/$1/u.cpp"
	build "sites-$1/game" -O1 "src/$1/u.cpp"
}
sites base '' 'keep(malloc(20000));' 'keep(malloc(6000));'
sites same 'keep(malloc(100));' 'keep(malloc(20000));' 'keep(malloc(6000));'
sites shift 'keep(malloc(100));' '' 'keep(malloc(20000));' 'keep(malloc(6000));'
sites middle '' 'keep(malloc(20000));' 'keep(malloc(100));' 'keep(malloc(6000));'
sites large 'keep(malloc(6001));' 'keep(malloc(20000));' 'keep(malloc(6000));'
sites grew 'keep(malloc(100));' 'keep(malloc(20000));' 'keep(malloc(60000));'
sites hide '' '' 'keep(malloc(19000));'
sites hide2 '' 'keep(malloc(19000));'
while read -r new want; do
	for key in site location; do
		rows sites-base sites-$new $key >got
		printf '%s\n' "5000 5000" ${want//,/ } | tr : ' ' >want
		same "sites of a function by $key: $new"
	done
done <<'END'
same 0:100,20000:20000,6000:6000
shift 0:100,20000:20000,6000:6000
middle 0:100,20000:20000,6000:6000
large 0:6001,20000:20000,6000:6000
grew 0:100,20000:20000,6000:60000
hide 20000:0,6000:19000
END
tm-compare -q --by site --table changes --all -n 0 --csv sites-base/s.tmt sites-hide2/s.tmt |
	python3 -c '
import csv, sys
print([r["was"] for r in csv.DictReader(sys.stdin) if r["new_requested"] == "19000"])' | grep -c 'update().*u.cpp:6' >got
tm-compare -q --by site --table changes sites-base/s.tmt sites-hide2/s.tmt | grep -c 'matched by a guess' >>got
printf '%s\n' 1 1 >want
same 'which of two sites is left is a guess where no line tells'
lambdas() { # NAME LINES-OF-LAMBDAS...
	local i=0 n

	mkdir -p "src/$1"
	{
		printf '%s\n' '#include <functional>' '#include <vector>' '#include <stdlib.h>' 'void *volatile sink;' \
			'int main() {' 'std::vector<std::function<void()>> tasks;'
		for n in "${@:2}"; do
			echo "auto l$((++i)) = [&] { sink = malloc($n); };"
			[ "$n" != 1550 ] || printf '\n\n\n'
		done
		for n in $(seq $i); do
			echo -n "tasks.push_back(l$n);"
		done
		printf '\n%s\n' 'for (int i = 0; i < 60; i++)' 'for (auto &t : tasks) t();' '}'
	} >"src/$1/l.cpp"
	build "lambdas-$1/game" -O1 "src/$1/l.cpp"
}
lambdas base 750 1550 310
lambdas removed 1550 1510
lambdas more 3000 750 1550 310
for key in function site; do
	rows lambdas-base lambdas-removed $key | grep -E '45000|93000|90600|18600' >got
	printf '%s\n' '45000 0' '93000 93000' '18600 90600' >want
	same "the first lambda removed, the third grown, by $key"
	rows lambdas-base lambdas-more $key | grep -E '180000|45000|93000|18600' >got
	printf '%s\n' '0 180000' '45000 45000' '93000 93000' '18600 18600' >want
	same "a lambda more in front, by $key"
done
i=0
for run in base base removed removed; do
	tm-history add -q --build b$((++i)) --date 2026-01-0${i}T00:00:00Z removed.db lambdas-$run/s.tmt >>build.log
done 2>&1
for key in function site; do
	tm-history trend -q --by $key --sort requested --name '^operator\(\) ' --csv removed.db | python3 -c '
import csv, sys
series = {}
for r in csv.DictReader(sys.stdin):
    series.setdefault(r["name"], []).append(float(r["value"] or 0))
for name in series:
    print(name.split("/")[-1], *series[name])' >got
	cat >want <<-'END'
		l.cpp:11) 18600.0 18600.0 90600.0 90600.0
		l.cpp:7) 45000.0 45000.0 0.0 0.0
		l.cpp:7) 93000.0 93000.0 93000.0 93000.0
	END
	same "tm-history by $key: each lambda of a file is a series, and the one that tm-compare says"
done

# Calls that one build leaves by a jump: its stacks lack the caller. What goes another way is another stack.
cat >src/jumps.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
#define CALL __attribute__((noinline)) void
CALL block(int n) { sink = malloc(n); sink = nullptr; }
CALL two(int n) { block(n); sink = nullptr; }
CALL run(int n) { sink = nullptr; two(n); }
CALL other(int n) { block(n + 1); sink = nullptr; }
CALL first(int n) { block(n); sink = nullptr; }
CALL second(int n) { block(n); sink = nullptr; }
CALL way(int n) { WAY(n); sink = nullptr; }
int main() { run(1000); other(2000); way(3000); }
END
build jumps0/game -O0 -DWAY=first src/jumps.cpp
build jumps2/game -O2 -DWAY=first src/jumps.cpp
build jumps-way/game -O2 -DWAY=second src/jumps.cpp
rows jumps0 jumps2 stack >got
printf '%s\n' '1000 1000' '2001 2001' '3000 3000' >want
same 'a call that is left by a jump, by stack'
tm-compare -q --by stack --table changes --all -n 0 jumps0/s.tmt jumps2/s.tmt | grep -o '[0-9]* row.* by a guess' >got
echo '1 row is matched by a guess' >want
same 'it is a guess'
rows jumps2 jumps-way stack >got
printf '%s\n' '0 3000' '1000 1000' '2001 2001' '3000 0' >want
same 'another way is another stack'

# One program built by other levels, by another compiler, in another folder, from a renamed file, with one static more and with
# one lambda more in front of the others: every place allocates a number of bytes of its own, so a pair of bytes is a
# place, and what is on one side only, but for what was added, is wrong.
matrix() { # NAME MORE: two files with the same names in them
	local f n

	mkdir -p "matrix/$1"
	for f in p q; do
		n=$([ $f = p ] && echo 1000 || echo 2000)
		cat >"matrix/$1/$f.cpp" <<-END
			#include <functional>
			#include <stdlib.h>
			#include <vector>
			extern void *volatile sink;
			#define PLACE(n) do { sink = malloc($n + (n)); sink = nullptr; } while (0)
			#define APART __attribute__((noinline))
			$2
			static APART void load(int n) { PLACE(1); if (n > 5) PLACE(2); PLACE(3); }
			static inline void small() { PLACE(4); }
			namespace { struct Cache { APART Cache(int n) { PLACE(5); } APART void fill() { PLACE(6); small(); } }; }
			template <class T> APART void put_$f(T t) { sink = malloc($n + 10 + sizeof t); sink = nullptr; }
			APART int rec_$f(int n) { PLACE(30); return n > 0 ? rec_$f(n - 1) + 1 : 0; }
			void run_$f(int n) {
				std::vector<std::function<void()>> tasks;
				MORE_LAMBDA
				auto a = [&] { PLACE(40); };
				auto b = [&] { PLACE(41); };
				auto g = [](auto x) { sink = malloc($n + 50 + sizeof x); sink = nullptr; };
				struct Local { APART void go() { PLACE(60); } } local;
				tasks.push_back(a); tasks.push_back(b);
				load(n); put_$f('x'); put_$f(1.0); put_$f(1); g('x'); g(1.0); local.go();
				Cache c(n); c.fill(); more();
				for (auto &t : tasks) t();
				sink = (void *)(size_t)rec_$f(1);
			}
		END
	done
	cat >"matrix/$1/m.cpp" <<-'END'
		void *volatile sink;
		void run_p(int); void run_q(int);
		int main() { run_p(9); run_q(9); sink = nullptr; }
	END
}
quiet='static inline void more() {}'
matrix one "$quiet"
matrix folder/deeper "$quiet"
matrix static 'static APART void more() { PLACE(100); }'
matrix renamed "$quiet"
mv matrix/renamed/q.cpp matrix/renamed/z.cpp
matrix_build() { # NAME FOLDER COMPILER FLAGS
	local name=$1 folder=$2 cxx=$3

	shift 3
	mkdir -p "matrix-$name" && $cxx -std=c++17 -g "$@" -o "matrix-$name/game" matrix/$folder/*.cpp &&
		tm-record -q -o "matrix-$name/r.tmt" -- "matrix-$name/game" &&
		tm-symbolize -q "matrix-$name/r.tmt" >"matrix-$name/s.tmt"
} 2>>build.log
# The bytes of what is on one side only. A function that calls itself is left out by stack: compilers unroll it.
alone() { # A B KEY
	rows "matrix-$1" "matrix-$2" "$3" | awk -v key="$3" '($1 == 0 || $2 == 0) && $1 + $2 > 1000 &&
		!(key == "stack" && ($1 + $2) % 1000 == 30) { print $1 + $2 }'
}
none=-DMORE_LAMBDA=
more='-DMORE_LAMBDA=auto z = [&] { PLACE(200); }; z();'
matrix_build O2 one g++ -O2 $none
matrix_build folder folder/deeper g++ -O2 $none
matrix_build O0 one g++ -O0 $none
matrix_build Os one g++ -Os $none
matrix_build lto one g++ -O3 -flto=1 $none
matrix_build renamed renamed g++ -O2 $none
matrix_build static static g++ -O2 $none
matrix_build lambda one g++ -O2 "$more"
matrix_build lambda0 one g++ -O0 "$more"
pairs='O2,folder O2,O0 O2,Os O2,lto O2,renamed O2,static O2,lambda O0,lambda0'
if command -v clang++ >/dev/null && matrix_build clang one clang++ -O2 $none; then
	pairs="$pairs O2,clang O0,clang"
else
	echo 'skip - two_builds: clang++'
fi
for pair in $pairs; do
	a=${pair%,*} b=${pair#*,}
	case $b in
	static) printf '%s\n' 1100 2100 ;;
	lambda*) printf '%s\n' 1200 2200 ;;
	*) : ;;
	esac >want
	for key in site function stack; do
		alone "$a" "$b" $key >got
		same "$a against $b by $key: nothing is alone that the other has"
	done
done

# Functions of a file that changed places, with lines put in front and a site more: the sources say where what stayed went,
# and what was moved keeps its order.
function_of() { # NAME SIZES...
	local n

	echo "__attribute__((noinline)) void $1() {"
	for n in "${@:2}"; do
		echo "	sink = malloc($n);"
	done
	echo '}'
}
mkdir -p swap-was swap-now
{
	printf '#include <stdlib.h>\nvoid *volatile sink;\n'
	function_of one 1001 1002
	function_of two 2001 2002 2003
	function_of three 3001 3002
	echo 'int main() { one(); two(); three(); }'
} >swap-was/f.cpp
{
	printf '#include <stdlib.h>\n\n// new\nvoid *volatile sink;\n'
	function_of two 2001 2002 2003
	function_of three 77 3001 3002
	echo '// here now'
	function_of one 1001 1002
	echo 'int main() { one(); two(); three(); }'
} >swap-now/f.cpp
build swap/game -O1 swap-was/f.cpp
build swapped/game -O1 swap-now/f.cpp
for key in site function stack; do
	if [ $key = site ]; then
		printf '%s\n' '0 77' '1001 1001' '1002 1002' '2001 2001' '2002 2002' '2003 2003' '3001 3001' '3002 3002'
	else
		printf '%s\n' '2003 2003' '6003 6080' '6006 6006'
	fi >want
	rows swap swapped $key >got
	same "functions that changed places, by $key"
	rows swap swapped $key --base-source swap-was --new-source swap-now >got
	same "functions that changed places, by $key, with the sources"
done

# Equal code that a linker folds.
cat >src/icf.cpp <<'END'
#include <stdlib.h>
void *volatile sink;
__attribute__((noinline)) void alpha(int n) { sink = malloc(n); sink = nullptr; }
__attribute__((noinline)) void beta(int n) { sink = malloc(n); sink = nullptr; }
int main() { alpha(1000); beta(2000); }
END
if command -v ld.gold >/dev/null &&
	build icf/game -O2 -fno-ipa-icf -ffunction-sections -fuse-ld=gold -Wl,--icf=all src/icf.cpp; then
	tm-top -q --by function --sort requested --csv icf/s.tmt | grep -c '\(alpha\|beta\)(int) \[folded\]' >got
	echo 1 >want
	same 'equal code that a linker folds is said: [folded]'
else
	echo 'skip - two_builds: gold'
fi

# Renamed without another number: a type of a parameter, a namespace, a class; and no name's last part is a better reason.
renamed_unit() { # NAMESPACE CLASS TYPE
	cat <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		namespace $1 {
		struct $2 { __attribute__((noinline)) void load(int n) { sink = malloc(n + 1000); sink = nullptr; } };
		__attribute__((noinline)) void load($3 n) { sink = malloc(n + 2000); sink = nullptr; }
		__attribute__((noinline)) void ui($3 n, $2 &x) { sink = malloc(n + 3000); x.load(n); sink = nullptr; }
		}
		void *volatile sink;
		int main() { $1::$2 x; for (int i = 0; i < 9; i++) { $1::load(0); $1::ui(0, x); } }
	END
}
mkdir -p names
i=0
for words in 'game Texture int' 'game Texture long' 'engine Texture int' 'game Tex int'; do
	# shellcheck disable=SC2086 # words
	renamed_unit $words >names/m.cpp
	build names$((i++))/game -O1 names/m.cpp
done
for i in 1 2 3; do
	for key in function site stack; do
		rows names0 names$i $key >got
		printf '%s\n' '9000 9000' '18000 18000' '27000 27000' | sort -n >want
		sort -n got -o got
		same "renamed, $i, by $key"
	done
done

# Files of C that swapped their names.
swap_unit() { # FUNCTION BYTES
	cat <<-END
		#include <stdlib.h>
		extern void *volatile sink;
		static __attribute__((noinline)) void init(int n) { sink = malloc(n); sink = 0; }
		void $1(void) { init($2); sink = 0; }
	END
}
mkdir -p swap-was swap-now
swap_unit a_start 3000 | tee swap-was/a.c >swap-now/b.c
swap_unit b_start 1000 | tee swap-was/b.c >swap-now/a.c
echo 'void *volatile sink; void a_start(void), b_start(void); int main(void) { a_start(); b_start(); return 0; }' | tee swap-was/m.c >swap-now/m.c
for run in was now; do
	mkdir -p swap$run
	gcc -g -O1 -Wl,--build-id swap-$run/*.c -o swap$run/game && tm-record -q -o swap$run/s.tmt -- swap$run/game >>build.log 2>&1
done
for key in function site stack; do
	rows swapwas swapnow $key >got
	printf '%s\n' '1000 1000' '3000 3000' >want
	sort -n got -o got
	same "files of C that swapped their names, by $key"
done

# Stripped programs: a function more moves all addresses.
stripped() { # NAME BYTES...
	local name=$1 i=0
	shift
	{
		printf '#include <stdlib.h>\nvoid *volatile sink;\n'
		for n; do
			echo "static __attribute__((noinline)) void f$((i++))(int n) { for (int i = 0; i < n % 7 + 1; i++) sink = malloc($n); sink = 0; }"
		done
		echo 'int main(int c, char **v) { (void)v;'
		for ((k = 0; k < i; k++)); do echo "f$k(c + $k);"; done
		echo 'return 0; }'
	} >$name.c
	mkdir -p $name
	gcc -s -O1 -fno-inline -fno-ipa-icf -Wl,--build-id $name.c -o $name/game && tm-record -q -o $name/s.tmt -- $name/game >>build.log 2>&1
}
stripped bare-was 1000 20000 3000 400
stripped bare-now 1000 20000 3000 400 70000
for key in function site; do
	focus=. rows bare-was bare-now $key | sort -n >got
	printf '%s\n' '0 420000' '2000 2000' '2000 2000' '12000 12000' '60000 60000' | sort -n >want
	same "stripped, with a function more, by $key"
done


# Three lambdas at lines 11, 12 and 16, of 40 x 1000, 2000 and 3000 bytes; one more at line 9, of 30 x 1500, and the last
# now at 14 with twice as much: main's first and last call, at 11 and 16, are at 9 and 14, and moved alike by chance.
cat >src/ends.cpp <<'END'
#include <cstdlib>
#include <functional>
void *volatile keep[9000];
int nk;
__attribute__((noinline)) void run(const std::function<void(int)> &f, int n) { for (int i = 0; i < n; i++) f(i); asm volatile(""); }

int main() {
#ifdef MORE
	run([](int) { keep[nk++] = malloc(1500); asm volatile(""); }, 30);
#endif
	run([](int) { keep[nk++] = malloc(1000); asm volatile(""); }, 40);
	run([](int) { keep[nk++] = malloc(2000); asm volatile(""); }, 40);
#ifdef MORE
	run([](int) { keep[nk++] = malloc(6000); asm volatile(""); }, 40);
#else
	run([](int) { keep[nk++] = malloc(3000); asm volatile(""); }, 40);
#endif
}
END
build ends/game -O1 src/ends.cpp && build ends2/game -O1 -DMORE src/ends.cpp
printf '%s\n' '0 45000' '40000 40000' '80000 80000' '120000 240000' >want
for key in site function; do
	focus=. rows ends ends2 $key --module game >got
	same "tm-compare --by $key: a lambda in front of two that stay, and of one that grew"
done

# Instances of a template whose code is equal: GCC's link-time optimization makes one of them, and of the others leaves
# no name. What all together have is the same in both builds.
cat >src/folds.cpp <<'END'
#include <cstdlib>
void *volatile keep[100];
int nk;
template <class T> struct Pool { static __attribute__((noinline)) T *take(int n) { void *p = malloc(n * sizeof(T)); keep[nk++] = p; return (T *)p; } };
struct A; struct B; struct C;
int main() { Pool<A *>::take(100); Pool<B *>::take(200); Pool<C *>::take(400); Pool<char>::take(1000); }
END
build folds/game -O2 -fno-ipa-icf src/folds.cpp && build folds2/game -O2 -fipa-icf -flto src/folds.cpp
tm-compare -q --by function --all -n 0 --csv --table changes --sort requested --module game folds/s.tmt folds2/s.tmt | python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["base_requested"] != r["new_requested"]:
        print("[folded?]" in r["function"])' | sort -u >got
echo True >want
same 'instances that the compiler folds say so'
