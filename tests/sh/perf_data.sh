#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# perf.data against how it was made (testdata/gen/perf_data.c) and, where perf works here, against perf
# script and perf report of the same recordings: as a file, to a pipe, compressed, with tm-symbolize's
# names; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# Of a dump: "leaf N MODULE OFFSET" of innermost addresses of files, "comm N NAME" of threads, "samples N",
# "periods N".
truth() {
	tm-dump -q "$1" 2>err | awk '
		function has(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		$1 == "module" { name = $3; gsub(/^name=|"/, "", name); module[$2] = name }
		$1 == "location" && $3 == "file-offset" { at[$2] = module[has("module")] " " $5 }
		$1 == "stack" { leaf[$2] = at[has("location")] }
		$1 == "thread" { comm[$2] = $0; sub(/.* name="/, "", comm[$2]); sub(/".*/, "", comm[$2]) }
		$1 == "sample" { n++; named[comm[has("thread")]]++; if (leaf[has("stack")] != "") count[leaf[has("stack")]]++ }
		$1 == "counter" && has("value") != "" { periods += has("value") }
		END {
			printf "periods %.0f\nsamples %d\n", periods, n
			for (l in count) print "leaf", count[l], l
			for (c in named) print "comm", named[c], c
		}' | sort
}
tm-dump -q --no-events <("$GEN/perf_data" plain 2>err) | grep -m 1 '^location' >out
check 'addresses of files are offsets' grep -q 'file-offset exact 0x' out
for form in plain big pipe packed two lost unended simple named; do
	"$GEN/perf_data" --samples 700 $form >file 2>want
	sort -o want want
	truth file >got
	check "$form: samples, periods, names of threads and innermost addresses are the generator's" equal want got
	gzip -kf file && check "$form: the same from a pipe, compressed" cmp -s <(tm-dump -q file) <(tm-dump -q - <file.gz)
done
# The kernel's part of a chain is half of the samples' beginning; half of each function is left.
"$GEN/perf_data" --samples 700 kernel >file 2>want
check 'kernel: its addresses come before those of user space' \
	[ "$(tm-dump -q --no-tables file | grep -c '^sample')" -eq 700 ]
check 'kernel: two addresses, and where it was entered is exact' \
	[ "$(tm-dump -q --no-events file | awk '/^location/ && /module=2/ { print $3, $4 }' | sort | tr '\n' ' ')" = 'runtime exact runtime return ' ]
"$GEN/perf_data" --samples 200 exec >file 2>want
tm-dump -q file >out
check 'another program in the middle: samples stand under the name of their time' \
	cmp -s <(grep ^comm want | sort) <(truth file | grep ^comm)
check 'another program has nothing mapped that it did not map' grep -q 'in no mapping' out
"$GEN/perf_data" --samples 200 nosize >file 2>want
tm-dump -q file >out
check 'a record without a size: what stands before it is kept' grep -q '^note loss .*has no size' out

"$GEN/perf_data" --samples 2 two >small 2>err
"$GEN/cuts" --step 3 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 96)" small tm-import -f perf-data || failed=1
"$GEN/perf_data" --samples 2 packed >small 2>err
"$GEN/cuts" --step 7 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 96)" small tm-import -f perf-data || failed=1

cat >program.c <<'X'
__attribute__((noinline)) static unsigned long a(unsigned long n) { for (unsigned long i = 0; i < n; i++) __asm__ volatile(""); return n; }
__attribute__((noinline)) static unsigned long b(unsigned long n) { return a(n) + a(n / 2); }
int main(void) { unsigned long s = 0; for (int i = 0; i < 60; i++) s += b(1000000) + a(500000); return s == 1; }
X
if ! command -v perf >/dev/null || ! ${CC:-cc} -O1 -g -fno-omit-frame-pointer -o program program.c 2>err ||
	! perf record -q -e cpu-clock -F 4000 -g -o perf.data ./program >out 2>err || ! perf script -i perf.data >text.perf 2>err; then
	echo "skip - perf report's own numbers (perf does not work here)"
	exit $failed
fi
# Thread, time in us and depth of each sample: of the text, which has a reader of its own, and of the file.
depths() {
	tm-dump -q "$1" | awk '
		function has(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : 0 }
		$1 == "attribute" && $2 ~ /^perf.start_ns/ { split($2, start, "\""); us = int(start[2] / 1000) }
		$1 == "stack" { deep[$2] = deep[has("parent")] + 1 }
		$1 == "thread" { tid[$2] = has("tid") }
		$1 == "sample" { printf "%d %.0f %d\n", tid[has("thread")], int((start[2] + has("time")) / 1000), deep[has("stack")] }' | sort
}
compare() { # WHAT FILE
	perf script --no-inline -i "$2" >text.perf 2>err
	depths text.perf >want
	depths "$2" >got
	check "$1: threads, times and depths of all samples are perf script's" equal want got
	check "$1: the event count is perf report's" \
		[ "$(perf report -i "$2" --stdio -n 2>err | sed -n 's/^# Event count (approx.): //p')" = \
		"$(tm-dump -q --no-tables "$2" | sed -n 's/^counter value=\([0-9]*\).*/\1/p')" ]
}
compare 'a recorded program' perf.data
perf record -q -e cpu-clock -F 4000 -g -o - ./program >piped.data 2>err
compare 'recorded to a pipe' piped.data
if perf record -q -z -e cpu-clock -F 4000 -g -o packed.data ./program >out 2>err; then
	compare 'recorded compressed' packed.data
else
	echo 'skip - compressed records (perf has no zstd here)'
fi
# Threads that name themselves once they run, and a shell that starts programs: each sample has the name that
# perf script gives it.
cat >threads.c <<'X'
#define _GNU_SOURCE
#include <pthread.h>
static volatile double sum;
static void burn(int n) { for (int i = 0; i < n; i++) sum += i * .5; }
static void *work(void *name) { burn(3000000); pthread_setname_np(pthread_self(), name); burn(30000000); return 0; }
int main(void)
{
	pthread_t t[3];
	char *names[3] = {"RenderThread", "AudioMixer", "JobWorker0"};
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, names[i]);
	burn(5000000);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
X
${CC:-cc} -O1 -pthread -o threads threads.c 2>err
perf record -q -e cpu-clock -F 4000 -g -o named.data sh -c './threads; ./program; exec ./threads' >out 2>err
perf script -i named.data >named.perf 2>err
perf script -i named.data -G -F comm 2>err | awk '{ n[$1]++ } END { for (c in n) print "comm", n[c], c }' | sort >want
check 'threads that name themselves late: the names of the test are in it' \
	[ "$(grep -c -e RenderThread -e AudioMixer -e JobWorker0 -e program want)" = 4 ]
for file in named.data named.perf; do
	truth $file | grep ^comm >got
	check "$file: threads that name themselves late: the names are perf script's" equal want got
done
# Names: found by the build-id in the file.
perf report -i perf.data --stdio -n --no-children -g none --sort sym 2>err |
	awk '$3 == "[.]" && $4 ~ /^(a|b|main)$/ { print $4, $2 }' | sort >want
tm-symbolize -q -o named.tmt perf.data 2>err
for file in named.tmt perf.data; do # tm-top gives names by itself
	tm-top -q --csv -n 0 --by function $file | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] ~ /^(a|b|main)$/ && $at["entries"] > 0 { print $at["function"], $at["entries"] }' | sort >got
	check "$file, symbolized: samples of the program's functions are perf report's" equal want got
done
# The text of perf report: perf's own numbers, of the recording that is read above. Shares have two decimals.
times() { # FILE: self and total time of functions, in hundredths of a percent of the self times
	tm-top -q --csv -n 0 --by function "$1" 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ all += $at["self_ns"] }
		$at["function"] ~ /^(a|b|main)$/ { self[$at["function"]] += $at["self_ns"]; total[$at["function"]] += $at["total_ns"] }
		END { for (f in self) printf "%s %d %d\n", f, self[f] * 10000 / all, total[f] * 10000 / all }' | sort
}
near() { # WANT GOT: within 0.2 %
	[ -s "$1" ] && paste -d ' ' "$1" "$2" | awk '{ d = $2 - $5; e = $3 - $6 }
		$1 != $4 || d * d > 400 || e * e > 400 { print; bad = 1 } END { exit bad }' >err
}
times named.tmt >want
perf report --stdio --no-children -g graph,0 -i perf.data >report.txt 2>err
times report.txt >got
check 'perf report, with callers: self and total time of the functions are those of the recording' near want got
perf report --stdio --no-children -n -g none -i perf.data >report.txt 2>err
tm-top -q --csv -n 0 --by function report.txt 2>err | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["function"] ~ /^(a|b|main)$/ { print $at["function"], $at["samples"] }' | sort >got
perf report -i perf.data --stdio -n --no-children -g none --sort sym 2>err |
	awk '$3 == "[.]" && $4 ~ /^(a|b|main)$/ { print $4, $2 }' | sort >want
check 'perf report -n: the numbers of samples' equal want got
perf report --stdio --children -i perf.data >report.txt 2>err
times report.txt | awk '$2 { print $1, $2, 0 }' >got
times named.tmt | awk '$2 { print $1, $2, 0 }' >want
check 'perf report --children: what functions had themselves' near want got
check '... and its callees are a loss' eval 'tm-import report.txt 2>&1 >out.tmt | grep -q "perf report --no-children lists callers"'
check '... and not with --no-symbols' eval '! tm-top -q --no-symbols --csv -n 0 --by function perf.data | grep -q ",main,"'
exit $failed
