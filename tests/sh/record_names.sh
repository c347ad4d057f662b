#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Threads that name themselves once they run, as those of engines do: what they allocated before and since stands
# under the name that they have. Truth: what the program below does, 100 blocks before each name and 100 behind.
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

cat >late.c <<'X'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void blocks(void) { for (int i = 0; i < 100; i++) { void *volatile p = malloc(100); free(p); } }
static void *work(void *name)
{
	blocks();
	usleep(250000);
	pthread_setname_np(pthread_self(), name);
	blocks();
	usleep(250000);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	char *names[3] = {"RenderThread", "AudioMixer", "JobWorker0"};
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, names[i]);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
X
${CC:-cc} -O1 -pthread -o late late.c || exit 1
tm-record -q -o late.tmt ./late >out 2>err
tm-symbolize -q -o named.tmt late.tmt 2>err
printf '%s\n' '200 AudioMixer' '200 JobWorker0' '200 RenderThread' >want
for file in late.tmt named.tmt; do
	# By thread and name, whatever else a row says of it.
	tm-dump -q "$file" | awk '
		function has(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		$1 == "thread" { tid = has("tid"); name[tid] = has("name"); of[$2] = tid; gsub("\"", "", name[tid]) }
		$1 == "alloc" && has("count") == "" { n[of[has("thread")]]++ }
		END { for (t in n) if (n[t] >= 100) print n[t], name[t] }' | sort >got
	check "$file: the names that threads gave themselves" cmp -s want got
	tm-top -q --csv -n 0 --by thread "$file" | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["count"] >= 100 { sub(/ .*/, "", $at["thread"]); print $at["count"], $at["thread"] }' | sort >got
	check "$file: tm-top has them" cmp -s want got
done

# Threads that end at once, before anybody can look at what they are called; each has a number of blocks of its own.
cat >fast.c <<'X'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
static pthread_barrier_t named;
static void blocks(int n) { while (n--) { void *volatile p = malloc(100); free(p); } }
static void *before(void *x) { pthread_setname_np(pthread_self(), "first"); blocks(110); return x; }
static void *behind(void *x) { blocks(120); pthread_setname_np(pthread_self(), "behind"); return x; }
static void *by_kernel(void *x) { prctl(PR_SET_NAME, "kernel"); blocks(130); return x; }
static void *twice(void *x) { pthread_setname_np(pthread_self(), "once"); blocks(140); pthread_setname_np(pthread_self(), "0123456789abcde"); return x; }
static void *by_other(void *x) { pthread_barrier_wait(&named); blocks(150); return x; }
static void *leaves(void *x) { pthread_setname_np(pthread_self(), "leaves"); blocks(160); pthread_exit(x); }
static void *unnamed(void *x) { blocks(170); return x; }
int main(void)
{
	void *(*const work[])(void *) = {before, behind, by_kernel, twice, by_other, leaves, unnamed};
	pthread_t t;
	pthread_barrier_init(&named, NULL, 2);
	for (int i = 0; i < 7; i++) {
		pthread_create(&t, 0, work[i], 0);
		if (work[i] == by_other) {
			pthread_setname_np(t, "other");
			pthread_barrier_wait(&named);
		}
		pthread_join(t, 0);
	}
}
X
${CC:-cc} -O1 -pthread -o fast fast.c || exit 1
printf '%s\n' '110 first' '120 behind' '130 kernel' '140 0123456789abcde' '150 other' '160 leaves' '170 fast' >want
for how in '' '--stacks none' '--drop'; do
	# shellcheck disable=SC2086 # two words
	tm-record -q -o fast.tmt $how ./fast >out 2>err
	tm-top -q --csv -n 0 --by thread --size 100 fast.tmt | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["count"] >= 100 { print $at["count"], $at["thread"] }' | sort >got
	check "names of threads that end at once $how" cmp -s want got
done
tm-top late.tmt >out 2>err
check 'threads are counted once' grep -q ', 4 threads' out
exit "$failed"
