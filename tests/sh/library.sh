#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# libtracemill as a program outside of the tree sees it: headers, examples/library, errors. Answers are
# those of tm-addr2line, which other tests hold to other people's; sums of the trace are the example's
# own arithmetic: 1000 blocks of 48 bytes, every second one freed.
set -u
. "$SRC/tests/check.bash"

lib=$BUILD/lib include=$SRC/lib/library
export LD_LIBRARY_PATH=$lib
san=${SAN:+-fsanitize=$SAN}
library=$(tr ' ' '\n' <"$BUILD/library/members" | sed -n "s,.*/library/lib/library/,$BUILD/library/lib/library/,p" | tr '\n' ' ')
libs=$(sed -n 's/^TM_LIBS :=//p' "$SRC/build/deps.mk")

# --- headers ---

for h in version symbolize trace symbolize_trace deprecated; do
	check "tracemill/$h.h alone, as C" "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
		-I"$include" -x c - <<<"#include <tracemill/$h.h>" 2>err
	check "tracemill/$h.h alone, as C++" "${CXX:-c++}" -std=c++11 -Wall -Wextra -Wpedantic -Werror \
		-fsyntax-only -I"$include" -x c++ - <<<"#include <tracemill/$h.h>" 2>err
done
nm -D --defined-only "$lib/libtracemill.so" | awk '$2 ~ /[A-Z]/ && $2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^__\(asan\|odr_asan\|ubsan\)' | sort >got
sed -n 's/^\t\(tracemill_[a-z_]*\);/\1/p' "$include/libtracemill.map" | sort >want
check "the names of the version script and no others" cmp want got

# --- symbolizing ---

# shellcheck disable=SC2317 # check calls it
compile() { # TO FROM...
	local to=$1

	shift
	# shellcheck disable=SC2086 # options
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror $san -I"$include" -o "$to" "$@" -L"$lib" -ltracemill
}
check "examples/library/symbolize.c compiles" compile symbolize "$SRC/examples/library/symbolize.c" 2>err
nm symbolize | awk '$2 ~ /[tT]/ { print $1 }' >asked
check "there are addresses to ask" [ "$(wc -l <asked)" -gt 10 ]
tm-addr2line --no-cache -fi -e symbolize <asked 2>/dev/null | sed 's/:?$/:0/; s/ (discriminator.*//' >want
./symbolize symbolize <asked >got 2>err
check "the answers of tm-addr2line, at $(wc -l <asked) addresses" cmp want got
check "examples/library/many.c compiles" compile many "$SRC/examples/library/many.c" 2>err
# Addresses of the library itself in no order, so many that it takes them for many, and a few of nothing.
read -r size at < <(objdump -h "$lib/libtracemill.so" | awk '$2 == ".text" { print $3, $4 }')
awk -v size=$((16#$size)) -v at=$((16#$at)) 'BEGIN { for (i = 0; i < 60000; i++) printf "%x\n", at + i * 7919 % (size + 4096) }' >shuffled
tm-addr2line --no-cache --lenient -afi -e "$lib/libtracemill.so" <shuffled >want 2>/dev/null
./many "$lib/libtracemill.so" <shuffled >got 2>err
check "many.c: tm-addr2line's text, in the order of the questions" cmp want got
./symbolize /etc/passwd <asked >got 2>err
check "what is no binary: said, status 1" [ "$?:$(cat err)" = "1:/etc/passwd: no binary or debug file of a known kind" ]

check "tests/library/cancel.c compiles" compile cancel "$SRC/tests/library/cancel.c" 2>err
awk 'BEGIN {
	name = sprintf("%0250d", 0)
	for (i = 0; i < 1200; i++)
		print "void f" i "_" name "(void) {}"
	print "void last(void) {}"
}' >large.c
check "a file with 300 kB of names compiles" "${CC:-cc}" -g -shared -fPIC -o shrinks large.c 2>err
./cancel symbolize "$(nm symbolize | sed -n 's/ T main$//p')" shrinks || failed=1

# shellcheck disable=SC2086
check "examples/library/symbolize.cpp compiles" "${CXX:-c++}" -std=c++17 -g -O0 -Wall -Wextra $san -I"$include" \
	-o stack "$SRC/examples/library/symbolize.cpp" -L"$lib" -ltracemill 2>err
./stack >got 2>err
line=$(grep -n 'backtrace(frames' "$SRC/examples/library/symbolize.cpp" | cut -d: -f1)
called=$(grep -n 'return here()' "$SRC/examples/library/symbolize.cpp" | cut -d: -f1)
# A sanitizer's own call comes first.
sed -n '/^__interceptor/d; s#[^ ]*/##p' got | head -n 2 >shown
printf '%s\n' "here() symbolize.cpp:$line" "main symbolize.cpp:$called" >want
check "a process's own stack, from C++" cmp want shown

check "a program with the old names compiles" compile old "$SRC/tests/library/old_names.c" -Wno-deprecated-declarations 2>err
check "... and runs" ./old symbolize
check "... with a warning for each" [ "$(compile old "$SRC/tests/library/old_names.c" 2>&1 | grep -c 'is deprecated: the new name')" = 9 ]

if rustc --version >/dev/null 2>&1 && [ -z "$san" ]; then
	check "examples/library/symbolize.rs compiles" rustc -o rust "$SRC/examples/library/symbolize.rs" -L "$lib" \
		-l tracemill 2>err
	at=$(nm symbolize | sed -n 's/ T main$//p')
	./rust symbolize "$at" >got 2>err
	./symbolize symbolize <<<"$at" >want
	check "the same answer, from Rust" cmp want got
else
	echo "skip - from Rust (no rustc, or a sanitizer's build)"
fi

# --- memory that runs out ---

# shellcheck disable=SC2086
check "tests/library/failures.c compiles" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -DTM_LIBRARY -g -O1 $san -I"$SRC" \
	-o failures "$SRC/tests/library/failures.c" $library "$BUILD/library/rooms.a" $libs 2>err
# Of what it asks about it needs few names: a sanitizer may put thousands into a program.
check "a small binary compiles" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -g -O1 -shared -fPIC -I"$include" -o small \
	"$SRC/examples/library/symbolize.c" 2>err
nm small | awk '$2 ~ /[tT]/ { print $1 }' >asked
timeout 1500 ./failures small asked 1 >got 2>err
status=$?
check "each allocation of a batch fails once: $(tail -n 1 got)" [ $status = 0 ]
check "... and there were some" [ "$(awk 'END { print ($1 > 300 && $3 > $1 * 3 / 4) }' got)" = 1 ]
[ ! -s err ] || head -n 20 err got
# shellcheck disable=SC2086
check "tests/library/trace_symbolizer.c compiles" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -DTM_LIBRARY -g -O1 $san -I"$SRC" \
	-o naming "$SRC/tests/library/trace_symbolizer.c" $library "$BUILD/library/rooms.a" $libs 2>err
nm small | awk 'NF == 3 && $2 ~ /[tT]/ { print $1, $3 }' | head -n 60 >known
timeout 1500 ./naming "$PWD/small" known 1 2>err || failed=1
[ ! -s err ] || head -n 20 err
timeout 600 ./failures symbolize asked 1 more >got 2>err
status=$?
check "... and with every function, and all made of the answers that can be: $(tail -n 1 got)" [ $status = 0 ]
check "... of which there were more" [ "$(awk 'END { print ($1 > 500 && $3 > $1 * 3 / 4) }' got)" = 1 ]
[ ! -s err ] || head -n 20 err got

# --- traces ---

check "examples/library/trace.c compiles" compile trace "$SRC/examples/library/trace.c" 2>err
./trace write >x.tmt
check "1000 blocks of 48 bytes, 500 of them live: 24000" \
	[ "$(tm-top --no-symbols --by type --csv x.tmt 2>err | sed -n 2p | tr -d '\r')" = 1,1000,1000,48000,,500,24000,,100.00,Mesh ]
check "examples/library/names.c compiles" compile names "$SRC/examples/library/names.c" 2>err
"$GEN/trace" --module "$PWD/symbolize" --build-id "$(readelf -n symbolize | sed -n 's/.*Build ID: //p')" \
	--base 0x10000000 --address "$(printf 0x%x $((0x10000000 + 16#$(nm symbolize | sed -n 's/ T main$//p') + 1)))" >nameless.tmt
./names <nameless.tmt >named.tmt 2>err
check "names.c: a trace gets its names" [ "$? $(cat err)" = '0 names: 1 of 1 locations have a name' ]
check "... as from tm-symbolize" cmp -s named.tmt <(tm-symbolize -q --no-cache nameless.tmt 2>err)
./names < <(cat nameless.tmt) | tm-dump -q - >got 2>err
check "... and through a pipe: main" grep -q 'function="main"' got
./names </etc/passwd >got 2>err
check "no trace: said, status 1" [ "$? $(cat err)" = '1 names: byte 0: no trace begins here' ]
./names <nameless.tmt >/dev/full 2>err
check "names.c: a full disk" [ "$? $(tail -n 1 err)" = '1 names: write: No space left on device' ]
check "what was written is read" [ "$(./trace read x.tmt 2>&1)" = '1000 blocks, 48000 bytes' ]
tm-dump -q x.tmt >dump
check "... by tm-dump, too" [ "$(grep -c '^alloc ' dump) $(grep -c '^free ' dump)" = '1000 500' ]
./trace write >/dev/full 2>err
check "a full disk: said, status 1" [ "$? $(cat err)" = '1 trace: write: No space left on device' ]
head -c 200 x.tmt >cut.tmt
./trace read cut.tmt >got 2>err
check "a cut trace: said with its byte, status 1" grep -q '^cut.tmt: byte [0-9]*: ' err
./trace read /etc/passwd >got 2>err
check "no trace: said, status 1" grep -q '^/etc/passwd: byte 0: no trace begins here$' err
cuts=good
for n in $(seq 1 97 "$(stat -c %s x.tmt)"); do
	head -c "$n" x.tmt >cut.tmt
	./trace read cut.tmt >got 2>err
	if [ $? != 1 ] || [ ! -s err ] || ! awk '{ exit !($1 <= 1000) }' got; then
		echo "cut at $n: $(cat got err)"
		cuts=bad
	fi
done
check "cut at every 97th byte: told, and no more blocks than there are" [ $cuts = good ]
exit $failed
