#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What the drop-ins do besides looking up: invalid requests, status, the names they are called
# by, one answer at a time to who waits for it, large input, and tm-atos.
# shellcheck disable=SC2317 # functions are called by check
set -u
shopt -s extglob

for tool in g++ nm strip; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - drop_ins (no $tool)"
		exit 0
	fi
done
failed=0
check() { # WHAT; then a command that must succeed
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		head -n 12 out err 2>/dev/null | sed 's/^/    /'
		echo "not ok - $what"
		failed=1
	fi
}
run() {
	timeout 60 "$@" >out 2>err </dev/null
	status=$?
}
given() { # INPUT PROGRAM...
	local input=$1

	shift
	printf '%b' "$input" | timeout 60 "$@" >out 2>err
	status=$?
}
gave() { # STATUS OUTPUT: with %b escapes
	[ "$status" = "$1" ] && printf '%b' "$2" | cmp -s - out
}
told() { # STATUS: one line on standard error that begins with the program's name
	[ "$status" = "$1" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$2: " err
}

# Lines are numbered here: inner is at 2, outer calls it in 6 or 7, main is at 10.
cat >p.c <<'SOURCE'
volatile int sink; static inline __attribute__((always_inline))
int inner(int x) { return x * sink; }
__attribute__((noinline)) int outer(int x);
int outer(int x)
{
	sink = inner(x) + 1;
	sink = inner(sink);
	return sink;
}
int main(void) { return outer(3); }
void idle(void);
void idle(void) {}
SOURCE
gcc -g -O1 -o p p.c || exit 1
main=$(nm p | sed -n 's/ T main$//p')
outer=$(nm p | sed -n 's/ T outer$//p')
idle=$(nm p | sed -n 's/ T idle$//p')
text=$(objdump -h p | sed -n 's/^ *[0-9]* \.text  *[0-9a-f]*  \([0-9a-f]*\).*/\1/p')
where=$PWD/p.c

# --- invalid requests ---

unknown='??\n??:0\n'
answer="main\n$where:10\n"
for bad in zzz '' 12345678901234567890 "${main}zz" -1 '0x' ' ' "$main $main" '\xff\xfe' 1_000; do
	given "$main\n$bad\n$main\n" tm-addr2line -f -e p
	check "tm-addr2line, '$bad': ??, status 3" gave 3 "$answer$unknown$answer"
done
given "$main\nffffffffffff\n" tm-addr2line -f -e p
check "an address out of range: ??, status 4" gave 4 "$answer$unknown"
given "ffffffffffff\nzzz\n" tm-addr2line -f -e p
check "both: 3 goes before 4" gave 3 "$unknown$unknown"
given "$main\n0x$main\n  $main\t\n" tm-addr2line -f -e p
check "0x and blanks around: status 0" gave 0 "$answer$answer$answer"
given "zzz\n\nffffffffffff\n" tm-addr2line --lenient -f -e p
check "--lenient: status 0" gave 0 "$unknown$unknown$unknown"
given "$main" tm-addr2line -f -e p
check "a last line without an end" gave 0 "$answer"
given '' tm-addr2line -f -e p
check "empty input: nothing, status 0" gave 0 ''
given "$main\r\n" tm-addr2line -f -e p
check "lines that end as on Windows" gave 0 "$answer"
run tm-addr2line -f -e p "$main" zzz "$main"
check "operands: the same" gave 3 "$answer$unknown$answer"
run tm-addr2line -a -e p zzz 99999999999999999999
check "-a: what GNU reads" gave 3 '0x0000000000000000\n??:0\n0xffffffffffffffff\n??:0\n'
head -c 3000000 /dev/zero | tr '\0' 7 >long
printf '\n%s\n' "$main" >>long
timeout 60 tm-addr2line -f -e p <long >out 2>err
status=$?
check "a line of 3 MB" gave 3 "$unknown$answer"
head -c 100000 /dev/urandom >noise
echo >>noise
timeout 60 tm-addr2line -f -e p <noise >out 2>err
status=$?
lines_of_noise() { [ "$status" = 3 ] && [ "$(wc -l <out)" = $((2 * $(wc -l <noise))) ]; }
check "noise: an answer for each line" lines_of_noise
run tm-addr2line -e p -j .text -f "$(printf %x $((16#$main - 16#$text)))" fffffff
check "-j: an offset in a section, and one behind it" gave 4 "$answer$unknown"
run tm-addr2line -e p -j .nothing 0
check "-j: a section that is not there" told 3 tm-addr2line

# perf sends a comma behind each address, to see by its answer where the one before ends.
given "$main\n,\n" tm-addr2line -e p -a -i -f
check "perf's comma, as GNU" gave 3 "0x$main\n${answer}0x0000000000000000\n$unknown"
given "0x$main\n,\n" tm-llvm-symbolizer -e p --output-style=GNU -a -f
check "perf's comma, as llvm" gave 4 "0x${main##+(0)}\n$answer$unknown"

# --- what GNU asks by name, and what it takes from the symbol table ---

for name in main main+4 main+0x4 ' main + 4' main+ main+zz +zz nosuch face data 0xmain main@4 main-4; do
	given "$name\n" addr2line -af -e p
	mv out gnu
	given "$name\n" tm-addr2line --lenient -af -e p
	check "tm-addr2line '$name': as GNU" cmp -s gnu out
done
given 'main\nmain+2\n' tm-addr2line -e p
check "names have answers: status 0" [ "$status" = 0 ]
cat >part.cpp <<'SOURCE'
#include <cstdio>
#include <stdexcept>
struct guard { const char *s; ~guard() { puts(s); } };
int work(int a) { guard g{"x"}; if (a > 3) throw std::runtime_error("a"); if (a == 2) puts("two"); return a; }
namespace { template <class T> struct event { T t; ~event(); }; template <class T> event<T>::~event() { puts("gone"); } }
int main(int c, char **) { event<int> e{c}; try { return work(c); } catch (...) { return 1; } }
SOURCE
g++ -g -O0 -o part part.cpp
nm part | sed -n 's/ t _ZN12_GLOBAL__N_15eventIiED[12]Ev$//p' >addresses
addr2line -fe part <addresses >gnu
tm-addr2line -fe part <addresses >out
check "a template's destructor without a linkage name" cmp -s gnu out
check "there is one" grep -qx '_ZN12_GLOBAL__N_15eventIiED[12]Ev' gnu
if clang++ -g -O1 -fbasic-block-sections=all -fuse-ld=lld -o parts part.cpp 2>err; then
	nm parts | sed -n 's/ [tT] \(_Z4work.*\|main.*\)$//p' | while read -r at; do
		seq -f %.0f $((16#$at)) $((16#$at + 60)) | xargs printf '%x\n'
	done | sort -u >addresses
	addr2line -fse parts <addresses | paste - - >gnu
	tm-addr2line -q --lenient -fse parts <addresses | paste - - >out
	# Where GNU has the file alone, and we have the function too.
	paste gnu out | awk -F '\t' '$2 == "part.cpp:?" && $3 != "??" { some++; bad += $4 != $2 }
		END { exit !some || bad }'
	check "a function without a row: the file of its symbol" [ $? = 0 ]
else
	echo "skip - a function without a row (clang: $(head -n 1 err))"
fi

# --- files that are no binaries, other ends ---

: >empty
printf '\xcf\xfa\xed\xfe\x0c\x00\x00\x01' >mach-o
head -c 3000 p >short
for program in tm-addr2line 'tm-atos -o' ; do
	name=${program%% *}
	[ "$program" = "$name" ] && program="$program -e"
	for file in not-there empty mach-o p.c . short; do
		# shellcheck disable=SC2086
		run $program $file 0x10
		check "$name: $file is no binary" told 3 "$name"
	done
	# shellcheck disable=SC2086
	run $program mach-o 0
	check "$name: Mach-O is named" grep -q 'Mach-O' err
	if [ -w /dev/full ]; then
		# shellcheck disable=SC2086
		$program p 0x"$main" >/dev/full 2>err
		status=$?
		: >out
		check "$name: a full disk" told 3 "$name"
	fi
	# shellcheck disable=SC2086
	yes "$main" | timeout 60 $program p 2>err | head -n 1 >/dev/null
	check "$name: the reader goes away" [ ! -s err ]
	run "$name" --no-such-option
	usage() { [ "$status" = 2 ] && grep -q "^$name: unknown option --no-such-option" err; }
	check "$name: an unknown option" usage
done
# A library that only an address in its zip file leads to: what is wrong with it is said, too.
if command -v zip >/dev/null; then
	head -c 3000 p >libshort.so
	zip -q -0 -X short.zip libshort.so
	for program in tm-addr2line 'tm-atos -o' 'tm-llvm-symbolizer -e'; do
		name=${program%% *}
		[ "$program" = "$name" ] && program="$program -e"
		# shellcheck disable=SC2086
		run $program short.zip 0x100
		said() { [ "$status" = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$name: short.zip!/libshort.so: " err; }
		check "$name: a broken library in a zip file" said
	done
	given '0x100\n0x200\n' tm-llvm-symbolizer --lenient -e short.zip
	lenient() { [ "$status" = 0 ] && [ "$(grep -c libshort.so err)" = 1 ]; }
	check "... --lenient: once, status 0" lenient
	run tm-llvm-symbolizer --output-style=JSON -e short.zip 0x100
	check "... in JSON: status 3, and the text as it is" test "$status:$(wc -l <err)" = 3:0
else
	echo "skip - a broken library in a zip file (no zip)"
fi
strip -o bare p
run tm-addr2line -f -e bare "$main"
check "a binary without symbols: ??, status 4" gave 4 "$unknown"

# --- by the peer's own name ---

mkdir compat
for name in addr2line llvm-addr2line llvm-symbolizer atos aarch64-linux-gnu-addr2line llvm-symbolizer-14; do
	case $name in
	llvm*) ln -s "$BIN/tm-llvm-symbolizer" compat/$name ;;
	atos) ln -s "$BIN/tm-atos" compat/$name ;;
	*) ln -s "$BIN/tm-addr2line" compat/$name ;;
	esac
done
given "$main\nzzz\nffffffffffff\n" compat/addr2line -fe p
check "addr2line: status 0" gave 0 "$answer$unknown$unknown"
given "${main}zz\n" compat/aarch64-linux-gnu-addr2line --func --exe=p
check "TRIPLE-addr2line, abbreviated words, digits and more" gave 0 "$answer"
run compat/addr2line -e not-there 0
check "addr2line: no such file: status 1" told 1 addr2line
run compat/addr2line --no-such-option
check "addr2line: an unknown option: status 1" [ "$status" = 1 ]
run compat/addr2line -v
check "addr2line -v: the version" grep -q '^addr2line (tracemill) ' out
cp p a.out
run compat/addr2line -f "$main"
check "addr2line reads a.out" gave 0 "$answer"
run compat/llvm-symbolizer-14 -e p "0x$main" zzz 0
sed -i "s|:10:[0-9]*$|:10:C|" out
check "llvm-symbolizer-14: status 0" gave 0 "main\n$where:10:C\n\n??\n??:0:0\n\n??\n??:0:0\n\n"
run compat/llvm-symbolizer --obj=not-there 0
# llvm-symbolizer 19: "error: 'not-there': No such file or directory", and status 1.
llvms() { [ "$status" = 1 ] && [ ! -s out ] && grep -q '^llvm-symbolizer: not-there: ' err; }
check "llvm-symbolizer: no such file: no answer, a message, status 1" llvms
run tm-llvm-symbolizer -e p "0x$main" 1zz
check "tm-llvm-symbolizer: a request that is none: status 3" [ "$status" = 3 ]
check "and it is named" grep -qx "tm-llvm-symbolizer: '1zz': expected a number as module offset" err
run tm-llvm-symbolizer -e p 0xffffffffffff zzz
check "tm-llvm-symbolizer: out of range, no such name: status 4" [ "$status" = 4 ]
given '\n' tm-llvm-symbolizer
check "an empty line asks whether we live" gave 0 '??\n??:0:0\n\n'
check "and no more is said" [ ! -s err ]
run tm-llvm-symbolizer "DATA p 0x$main" "FRAME p 0x0"
check "tm-llvm-symbolizer: a frame that is none: status 4" [ "$status" = 4 ]
run compat/atos -o p "0x$main" zzz
check "atos: status 0" gave 0 "main (in p) (p.c:10)\nzzz\n"
run compat/atos -o not-there 0
check "atos: no such file: status 1" told 1 atos

# --- paths of Windows ---

printf '#line 5 "C:\\\\src\\\\game\\\\x.c"\nint main(void) { return 0; }\n' >windows.c
gcc -g -O0 -o windows windows.c || exit 1
at=0x$(nm windows | sed -n 's/ T main$//p')
check "its base name is asked for: addr2line" [ "$(tm-addr2line -s -e windows "$at")" = x.c:5 ]
check "... llvm-symbolizer" [ "$(tm-llvm-symbolizer -p -s --obj=windows "$at" | sed 's/:[0-9]*$//')" = "main at x.c:5" ]
check "... atos" [ "$(tm-atos -o windows "$at")" = "main (in windows) (x.c:5)" ]

# --- atos ---

run tm-atos -o p -arch x86_64 -l 0x100000 "$(printf 0x%x $((16#$main + 0x100000)))"
if [ "$(uname -m)" = x86_64 ]; then
	check "tm-atos -arch -l" gave 0 'main (in p) (p.c:10)\n'
	run tm-atos -o p -arch arm64 0
	check "tm-atos: another architecture" told 3 tm-atos
else
	echo "skip - tm-atos -arch (not x86_64)"
fi
run tm-atos -o p -s 5000 "$(printf 0x%x $((16#$main + 0x5000)))"
check "tm-atos -s: hexadecimal without 0x" gave 0 'main (in p) (p.c:10)\n'
run tm-atos -o p -offset "0x$main"
check "tm-atos -offset" gave 0 'main (in p) (p.c:10)\n'
run tm-atos -o p -fullPath "0x$main"
check "tm-atos -fullPath" gave 0 "main (in p) ($where:10)\n"
at=
for ((a = 16#$outer; a < 16#$outer + 60; a++)); do
	run tm-atos -o p -i -d ' < ' "$(printf 0x%x $a)"
	if grep -q '^inner (in p) (p.c:2) < outer (in p) (p.c:[67])$' out; then
		at=$(printf 0x%x $a)
		break
	fi
done
check "tm-atos -i -d" [ -n "$at" ]
run tm-atos -o p "$at"
check "tm-atos without -i: the inner one" gave 0 'inner (in p) (p.c:2)\n'
printf '0x%s zzz\n\n\t0x%s' "$main" "$main" >addresses
run tm-atos -o p -f addresses
check "tm-atos -f: blanks and lines between" gave 3 'main (in p) (p.c:10)\nzzz\nmain (in p) (p.c:10)\n'
given "0x$main zzz 0x$main" tm-atos -o p
check "tm-atos: standard input" gave 3 'main (in p) (p.c:10)\nzzz\nmain (in p) (p.c:10)\n'
strip --strip-debug -o symbols p
run tm-atos -o symbols "0x$main"
check "tm-atos: a symbol and no line" gave 0 'main (in symbols) + 0\n'
run tm-atos -o p -printHeader -s 5000 -textExecSlide "$(printf 0x%x $((16#$main + 0x5000)))"
check "tm-atos -printHeader -textExecSlide" gave 0 'main (in p) (p.c:10)\n'
code=$(readelf -lW p | awk '$1 == "LOAD" && / E / { print $3; exit }')
run tm-atos -o p -textExecAddress 7000000 "$(printf 0x%x $((16#$main - code + 0x7000000)))"
check "tm-atos -textExecAddress" gave 0 'main (in p) (p.c:10)\n'
run tm-atos -p 1234 0x10
process() { [ "$status" = 2 ] && grep -q '^tm-atos: -p: tm-atos cannot read a running process' err; }
check "tm-atos -p: refused in words of its own" process

# Mach-O: what other tools say of the same code is in the matrix' rows.
for row in mach-x86_64 mach-arm64; do
	folder=$DATA/matrix/$row
	if [ ! -f "$folder/want" ]; then
		echo "skip - tm-atos on $row (the row could not be made)"
		continue
	fi
	image=$(sed 's/^-e \([^ ]*\).*/\1/' "$folder/args")
	paste - - <"$folder/want" | awk -F '\t' -v image="$image" '
		{ sub(/^.*\//, "", $2); sub(/ \(discriminator [0-9]+\)/, "", $2)
		  print $1 (in_ = " (in " image ")") ($2 ~ /^\?\?/ ? "" : " (" $2 ")") }' >wanted
	tm-atos --lenient -i -o "$folder/$image" <"$folder/addresses" | sed 's/) + [0-9]*$/)/' >out 2>err
	check "tm-atos on $row: $(wc -l <wanted) calls" cmp wanted out
	sed 's/^0x//' "$folder/addresses" | while read -r at; do
		printf '0x%x\n' $((16#$at + 0x5000000))
	done >moved
	tm-atos --lenient -i -s 5000000 -o "$folder/$image" <moved | sed 's/) + [0-9]*$/)/' >out 2>err
	check "tm-atos on $row, with a slide" cmp wanted out
done
run tm-atos 0x10
no_image() { [ "$status" = 2 ] && grep -q '^tm-atos: no image: -o FILE is missing' err; }
check "tm-atos without -o" no_image
run tm-atos -o p -l 10 -s 10 0
check "tm-atos: -l and -s" [ "$status" = 2 ]

# --- a co-process: one request, its answer within a second, while the pipe stays open ---

talks() { # LINES of an answer, its first, the request, then the program
	local lines=$1 want=$2 request=$3 got answers=0 i pid

	shift 3
	coproc "$@" 2>err
	pid=$COPROC_PID
	for _ in 1 2 3 4 5; do
		echo "$request" >&"${COPROC[1]}"
		if IFS= read -r -t "$patience" got <&"${COPROC[0]}" && [ "$got" = "$want" ]; then
			answers=$((answers + 1))
		fi
		for ((i = 1; i < lines; i++)); do
			IFS= read -r -t "$patience" got <&"${COPROC[0]}" || return 1
		done
	done
	eval "exec ${COPROC[1]}>&-"
	wait "$pid"
	[ "$answers" = 5 ]
}
patience=1
[ -z "${SAN-}" ] || patience=5
check "a co-process: tm-addr2line" talks 1 "$where:10" "$main" tm-addr2line -e p
check "a co-process: as perf has it, -a -i -f" talks 3 "0x$main" "$main" tm-addr2line -e p -a -i -f
check "a co-process: tm-llvm-symbolizer" talks 3 main "p 0x$main" tm-llvm-symbolizer
check "a co-process: tm-llvm-symbolizer, JSON" talks 1 \
	"$(echo "0x$main" | tm-llvm-symbolizer --obj=p --output-style=JSON)" "0x$main" \
	tm-llvm-symbolizer --obj=p --output-style=JSON
check "a co-process: tm-atos" talks 1 'main (in p) (p.c:10)' "0x$main" tm-atos -o p

# --- many at once: in the order of the input, through a file and a pipe ---

awk -v n=60000 'BEGIN { for (i = 0; i < n; i++) print i % 7 ? "'"$main"'" : i % 3 ? "'"$idle"'" : "zzz" }' >many
awk '{ print $0 == "zzz" ? "??" : $0 == "'"$main"'" ? "main" : "idle" }' many >wanted
tm-addr2line -f -e p <many 2>err | awk 'NR % 2' >out
check "60,000 lines of a file" cmp -s out wanted
# shellcheck disable=SC2002
cat many | tm-addr2line -f -e p 2>err | awk 'NR % 2' >out
check "60,000 lines of a pipe" cmp -s out wanted

exit $failed
