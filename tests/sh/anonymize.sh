#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# tm-filter --anonymize: of names that tell whose a capture is nothing is left in its bytes, and all
# numbers are as before.
# shellcheck disable=SC2016,SC2034,SC2317
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
same() { diff "$1" "$2" >err; }

mkdir -p "home/jdoe77/quuxgame/src"
cd home/jdoe77/quuxgame || exit 1
cat >src/hiddenfile.c <<'X'
#include <pthread.h>
#include <stdlib.h>
__attribute__((noinline)) static void *secret_function(size_t n) { return malloc(n); }
static void *work(void *p) { pthread_setname_np(pthread_self(), "thrd-zanzibar"); for (int i = 1; i < 40; i++) { void *q = secret_function((size_t)i * 10); if (i % 2) free(q); } return p; }
int main(void) { pthread_t t; work(0); pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }
X
have=
if ${CC:-cc} -g -O1 -o quuxbinary "$PWD/src/hiddenfile.c" -lpthread 2>err && tm-record -q -o raw.tmt -- ./quuxbinary --token=xyzzy99 2>err &&
	tm-symbolize -q -o named.tmt raw.tmt 2>err; then
	have=named.tmt
else
	echo 'skip - a recorded program (none can be recorded here)'
fi
# The same words in captures of other tools.
homes=/home
cat >perf.txt <<X
# cmdline : /usr/bin/perf record -g $homes/jdoe77/quuxgame/quuxbinary --token=xyzzy99
thrd-zanzibar  100 [001]  5000.000001:    1000000 cpu-clock:ppp: 
	    55d00010 secret_function+0x10 ($homes/jdoe77/quuxgame/quuxbinary)
	    55d00110 work at $homes/jdoe77/quuxgame/src/hiddenfile.c+0x10 ($homes/jdoe77/quuxgame/quuxbinary)

X
cat >asan.log <<X
==9172==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 33 byte(s) in 3 object(s) allocated from:
    #0 0x55555561f5ff in malloc ($homes/jdoe77/quuxgame/quuxbinary+0xcb5ff) (BuildId: 155a1c7a)
    #1 0x555555661f08 in secret_function $homes/jdoe77/quuxgame/src/hiddenfile.c:5:82
    #2 0x555555661f09 in jdoe77 C:\\Users\\jdoe77\\quuxgame\\src\\hiddenfile.c:7:58

SUMMARY: AddressSanitizer: 44 byte(s) leaked in 3 allocation(s).
X
cat >lua.folded <<X
main@$homes/jdoe77/quuxgame/hiddenfile.lua:12;secret_function@hiddenfile.lua:3 10
main@$homes/jdoe77/quuxgame/hiddenfile.lua:12 5
X
words='jdoe77|quuxgame|quuxbinary|hiddenfile|zanzibar|xyzzy99'
numbers() { # of all tables: what is there, without names
	tm-dump -q "$1" 2>err | sed -E -e 's/"[^"]*"//g' | grep -E '^(frame|alloc|free|freed|type-total|enter|exit|sample|counter|object|reference|delta|totals) '
}
sums() { tm-top -q --csv -n 0 --by "$2" "$1" 2>err | sed 's/"[^"]*"//g' | tr , '\n' | grep -E '^[0-9.]+$' | sort; }
for f in $have perf.txt asan.log lua.folded; do
	check "$f: the words are there before" grep -qaE "$words" "$f"
	for what in paths functions; do
		tm-filter -q "--anonymize=$what" -o out.tmt "$f" 2>err
		all=$words
		[ $what = paths ] || all="$words|secret_function"
		check "$f, $what: none of the words is in its bytes" eval '[ -s out.tmt ] && ! grep -aoE "$all" out.tmt >err'
		zstd -q -f out.tmt -o out.tmt.zst 2>err && check "$f, $what: nor in what zstd has of it" \
			eval '! zstd -qdc out.tmt.zst | grep -aoE "$all" >err'
		check "$f, $what: nor in its chunks as they are unpacked" \
			eval '"$GEN/second_reader" --unpack <out.tmt >unpacked && [ -s unpacked ] && ! grep -aoE "$all" unpacked >err'
		check "$f, $what: nor in any report's text" eval '! { tm-dump out.tmt; tm-top -v -n 0 --by stack out.tmt; } 2>&1 | grep -oE "$all" >err'
		tm-filter -q -o plain.tmt "$f" 2>err
		check "$f, $what: events are the same" same <(numbers plain.tmt) <(numbers out.tmt)
		[ -n "$(sums plain.tmt function)" ] || check "$f: there are rows" false
		for by in function type thread file; do
			check "$f, $what: rows by $by have the same numbers" same <(sums plain.tmt $by) <(sums out.tmt $by)
		done
	done
	check "$f: functions are kept by --anonymize" \
		eval 'tm-filter -q --anonymize "$f" 2>err | "$GEN/second_reader" --unpack | grep -qa secret_function'
	check "$f: stand-ins are stable" cmp -s <(tm-filter -q --anonymize "$f" 2>err) <(tm-filter -q --anonymize "$f" 2>err)
	echo one >key1
	echo two >key2
	a() { tm-filter -q --anonymize --anonymize-key "$1" "$f" 2>err | md5sum; }
	check "$f: a key has stand-ins of its own" [ "$(a key1)" != "$(a key2)" ]
	check "$f: and the same ones again" [ "$(a key1)" = "$(a key1)" ]
done
# Losses are still reported, without names.
check 'a loss stays one' eval 'tm-filter --anonymize asan.log 2>/dev/null | tm-dump -q | grep -q "note loss.*reports state 44 bytes"'
check 'what belongs together stays together: one file of three' \
	[ "$(tm-filter -q --anonymize asan.log 2>err | tm-dump -q | grep -o 'file="[^"]*"' | sed 's/.*[/\\]//' | sort -u | wc -l)" = 1 ]
check 'system libraries keep their names' \
	eval 'echo "    #0 0x1 (/lib/x86_64-linux-gnu/libc.so.6+0x23)" | tm-filter -q -f crash-log --anonymize 2>err | grep -qa libc.so.6'
check '--anonymize-key alone is a usage error' [ "$(tm-filter --anonymize-key key1 asan.log 2>err >x; echo $?)" = 2 ]
check 'a key that is not there is status 3' [ "$(tm-filter --anonymize --anonymize-key none asan.log 2>err >x; echo $?)" = 3 ]
exit $failed
