#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What tm-record and the reports say of programs, beside what the programs, the C library and gcc's own
# tools count. No file of tracemill is included by the programs.
set -u
. "$SRC/tests/truth.bash"
cc=${CC:-cc}

# Arithmetic. Frees of every block but each third: live at the end are ceil(900 / 3) of `kept`.
cat >sums.c <<'end'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *kept(int i) { return malloc(i + 1); }
static void *brief(void) { return malloc(64); }
static void *zeroed(int n) { return calloc(n, 8); }
static void *work(void *n) { for (int i = 0; i < (int)(long)n; i++) free(malloc(32)); return 0; }
int main(void)
{
	for (int i = 0; i < 900; i++) {
		void *p = kept(i);
		if (i % 3) free(p);
	}
	for (int i = 0; i < 5000; i++) free(brief());
	for (int i = 0; i < 70; i++) zeroed(10);
	char *grown = malloc(1);
	for (int i = 2; i <= 200; i++) grown = realloc(grown, i);
	free(grown);
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)(1000 * (i + 1)));
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
end
$cc -O0 -g -o sums sums.c -lpthread || exit 1
tm-record -q -o sums.tmt -- ./sums
tm-symbolize -q --no-cache sums.tmt | tm-top -q -n 0 --csv --by function --metrics all - >sums.csv
# 900 blocks of 1 to 900 bytes: 900 * 901 / 2 bytes. Of 0, 3, ..., 897 stay i + 1: 300 blocks of
# 1 + 4 + ... + 898 = 300 * 899 / 2 bytes.
truth arithmetic 'blocks of kept' "$(field sums.csv count function kept)" 900
truth arithmetic 'bytes of kept' "$(field sums.csv requested function kept)" $((900 * 901 / 2))
truth arithmetic 'blocks of kept that stay' "$(field sums.csv live_count function kept)" 300
truth arithmetic 'bytes of kept that stay' "$(field sums.csv live_requested function kept)" $((300 * 899 / 2))
truth arithmetic 'blocks of brief' "$(field sums.csv count function brief)" 5000
truth arithmetic 'blocks of brief that were freed' "$(field sums.csv freed_count function brief)" 5000
truth arithmetic 'bytes of calloc' "$(field sums.csv requested function zeroed)" $((70 * 10 * 8))
# A realloc is a free and an allocation: 1 + 199 blocks, of 1 to 200 bytes.
truth arithmetic 'bytes of malloc and realloc in main' "$(field sums.csv requested function main)" $((200 * 201 / 2))
truth arithmetic 'blocks of three threads' "$(field sums.csv count function work)" 6000
# glibc's own log of its allocator (mtrace(3)): lines of + and -, with sizes. Only main's part is logged.
cat >logged.c <<'end'
#include <mcheck.h>
#include <stdlib.h>
int main(void)
{
	mtrace();
	for (int i = 0; i < 2345; i++) {
		char *p = malloc(i % 97 + 5);
		if (i % 4 == 1) p = realloc(p, i % 50 + 200);
		if (i % 7) free(p);
	}
	muntrace();
	return 0;
}
end
$cc -O0 -g -o logged logged.c || exit 1
debug=$($cc -print-file-name=libc_malloc_debug.so.0)
if MALLOC_TRACE=$PWD/log LD_PRELOAD=$debug ./logged && grep -q '^@ .* + ' log 2>/dev/null; then
	tm-record -q -o logged.tmt -- ./logged
	tm-top -q -n 0 --csv --by function --focus '^main$' --metrics all logged.tmt >logged.csv
	# "+" is malloc; "<" and ">" are the two halves of a realloc.
	want=$(awk '/ [+>] / { n++; s = $NF; sub(/^0x/, "", s); b += strtonum("0x" s) } END { print n, b }' log 2>/dev/null ||
		python3 -c '
n = b = 0
for line in open("log"):
    w = line.split()
    if len(w) > 4 and w[2] in "+>": n += 1; b += int(w[4], 16)
print(n, b)')
	truth "glibc's mtrace" 'blocks and bytes' "$(field logged.csv count function main) $(field logged.csv requested function main)" "$want"
	want=$(grep -c ' [-<] ' log)
	truth "glibc's mtrace" 'blocks that were freed' "$(field logged.csv freed_count function main)" "$want"
else
	echo "skip - glibc's mtrace (no libc_malloc_debug here)"
fi

# mallinfo2(3): bytes in use, which glibc counts with 8 bytes beside each block. Blocks of this size go
# into no cache when they are freed.
cat >inuse.c <<'end'
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	static char *p[5000];
	struct mallinfo2 before = mallinfo2();
	for (int i = 0; i < 5000; i++) p[i] = malloc((i * 37) % 1000 + 2000);
	for (int i = 0; i < 5000; i++) if (i % 5 == 2) free(p[i]);
	struct mallinfo2 after = mallinfo2();
	FILE *f = fopen("bytes", "w");
	fprintf(f, "%zu\n", after.uordblks - before.uordblks);
	fclose(f);
	return 0;
}
end
if $cc -O0 -g -o inuse inuse.c 2>/dev/null; then
	tm-record -q -o inuse.tmt -- ./inuse
	tm-top -q -n 0 --csv --by site --size 2000..2999 --metrics all inuse.tmt >inuse.csv
	truth "glibc's mallinfo2" 'bytes in use at the end, with 8 beside each block' \
		"$(($(field inuse.csv live_real site main) + 8 * $(field inuse.csv live_count site main)))" "$(cat bytes)"
else
	echo "skip - glibc's mallinfo2 (not here)"
fi

# gcov: how often gcc's counters saw the line that allocates.
cat >lines.c <<'end'
#include <stdlib.h>
static void *one(int n)
{
	return malloc(n);
}
static void *two(int n)
{
	return calloc(n, 3);
}
int main(void)
{
	for (int i = 0; i < 4321; i++) {
		free(one(i % 11 + 1));
		if (i % 3 == 0)
			free(two(i % 5 + 1));
		if (i % 10 == 0)
			free(malloc(7));
	}
	return 0;
}
end
gcov=$(command -v "${GCOV:-gcov}")
if [ -n "$gcov" ] && gcc -O0 -g --coverage -o covered lines.c 2>/dev/null && ./covered && "$gcov" -t covered-lines.gcda >lines.gcov 2>/dev/null &&
	[ -s lines.gcov ]; then
	gcc -O0 -g -o lines lines.c
	tm-record -q -o lines.tmt -- ./lines
	tm-top -q -n 0 --csv --by location lines.tmt >lines.csv
	for line in 4 8 17; do
		want=$(awk -F: -v n="$line" '$2 + 0 == n { print $1 + 0 }' lines.gcov)
		truth "gcc's gcov" "allocations of line $line" "$(field lines.csv count line "$line")" "$want"
	done
else
	echo "skip - gcc's gcov (not here)"
fi

# gprof: calls that gcc's -pg counted, beside those of -finstrument-functions.
cat >calls.c <<'end'
static volatile int sink;
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int odd(int n);
__attribute__((noinline)) int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void)
{
	sink = fib(17);
	for (int i = 0; i < 40; i++) sink += even(i);
	return 0;
}
end
if gcc -O0 -pg -o profiled calls.c 2>/dev/null && ./profiled && [ -s gmon.out ] && gprof -bq profiled gmon.out >graph 2>/dev/null; then
	gcc -O0 -g -finstrument-functions -o instrumented calls.c
	tm-record -q --calls all -o calls.tmt -- ./instrumented
	tm-top -q -n 0 --csv --by function calls.tmt >calls.csv
	for f in fib even odd; do
		# Of what calls itself the graph says "1+5166": calls from others, and its own.
		want=$(awk -v f=$f '$1 ~ /^\[/ && $6 == f && $5 ~ /^[0-9+]+$/ { split($5, n, "+"); print n[1] + n[2] }' graph)
		truth gprof "calls of $f" "$(field calls.csv calls function $f)" "$want"
	done
	# fib(n) makes 2 fib(n + 1) - 1 calls, fib(18) = 2584.
	truth arithmetic 'calls of fib(17)' "$(field calls.csv calls function fib)" $((2 * 2584 - 1))
else
	echo "skip - gprof (not here)"
fi

# The kernel: the most memory that the process had (wait4(2)), and its exit status.
cat >large.c <<'end'
#include <stdlib.h>
#include <string.h>
int main(void) { memset(malloc(64 << 20), 1, 64 << 20); return 7; }
end
$cc -O0 -o large large.c || exit 1
tm-record -o large.tmt -- ./large 2>said
status=$?
truth 'the kernel' 'exit status' "$status" 7
python3 - large.tmt >peak <<'end'
import os, re
pid = os.fork()
if not pid:
    os.execv('./large', ['./large'])
plain = os.wait4(pid, 0)[2].ru_maxrss / 1024
said = float(re.search(r'peak RSS ([\d.]+) MiB', open('said').read())[1])
print('near' if plain - 1 < said < plain + 16 else 'plain %.1f MiB, said %.1f MiB' % (plain, said))
end
truth 'the kernel' 'peak RSS, beside a run without recorder' "$(cat peak)" near
