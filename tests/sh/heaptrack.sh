#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 800
#
# Captures of heaptrack against how they were made (testdata/gen/heaptrack_log.c) and against what
# heaptrack_print says of the same files and of a program that heaptrack recorded, interpreted and
# raw; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# allocations, requested, leaked, peak and rss, in bytes
sums() { # FILE
	tm-top -q --csv -n 0 --by type --metrics count,requested,live-requested,peak-requested "$1" 2>err |
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ a += $at["count"]; r += $at["requested"]; l += $at["live_requested"]; p += $at["peak_requested"] }
			END { printf "allocations %.0f\nrequested %.0f\nleaked %.0f\npeak %.0f\n", a, r, l, p }'
	tm-dump -q --no-tables "$1" | awk '
		/^counter/ { sub(/.* value=/, ""); if ($1 + 0 > rss) rss = $1 }
		END { printf "rss %.0f\n", rss }'
}

for form in 0 1 2 3 raw2 raw3; do
	"$GEN/heaptrack_log" --events 3000 $form >file 2>truth
	sums file >got
	grep -v temporary truth >want
	check "$form: the sums are the generator's" equal want got
	check "$form: nothing is lost" eval '! tm-dump -q file | grep "^note loss" >err'
	zstd -qf file && check "$form: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file) <(tm-dump -q - <file.zst)
	# By stack: raw and interpreted have the same addresses.
	tm-top -q --csv -n 0 --by stack file | sed 1d | cut -d , -f 2,4,7 | sort >stacks.$form
done
check 'raw files have the stacks of interpreted ones' equal stacks.3 stacks.raw3
check 'all versions have the same stacks' equal stacks.0 stacks.2
# The same traces with the modules at other addresses: as many again.
"$GEN/heaptrack_log" --variant reload raw3 >file 2>truth
check 'modules that move are two maps' \
	[ "$(tm-dump -q --no-events file | awk '/^location/ { print /epoch=1/ ? "second" : "first" }' | sort | uniq -c | tr -s ' \n' ' ')" = ' 11 first 11 second ' ]

# Traces 2 and 3 are one stack, and so is 5: its address has the place of an address before, and 4, which
# is its caller, that of trace 1. 8 + 16 + 16 + 32 bytes, of which 16 are freed.
printf '%s\n' 'v 10400 3' 'X program' 'I 1000 100' 's 4 main' 's 1 f' 'i 10 0 1' 'i 20 0 2' 't 1 0' 't 2 1' \
	't 2 1' 'i 10 0 1' 'i 20 0 2' 't 3 0' 't 4 4' 'a 8 2' 'a 10 3' 'a 20 5' '+ 0' '+ 1' '+ 1' '- 1' '+ 2' '- 7' >repeated
tm-top -q --csv -n 0 --by stack --metrics count,requested,live-requested repeated >got 2>err
check 'traces that a file repeats are one stack' \
	[ "$(awk -F , '{ print $NF, $2, $4, $5 }' got | tr -d '\r' | tr '\n' ';')" = 'stack count requested live_requested;main;f 4 72 56;' ]
check 'a free of no kind is counted as lost' grep -q 'unreadable lines were left out.*line 23' <(tm-dump repeated 2>&1)

for form in 3 raw3 0; do
	"$GEN/heaptrack_log" --events 6 --variant inline $form >small 2>truth
	lines=$(wc -l <small)
	"$GEN/cuts" --step 7 --silent "$lines" --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f heaptrack ||
		failed=1
done

for tool in heaptrack heaptrack_print; do
	if ! command -v $tool >/dev/null; then
		echo "skip - heaptrack_print's own totals ($tool is not installed)"
		exit $failed
	fi
done

# As heaptrack_print says them: three digits with a letter.
report() { # FILE; with what suppressed leaks are
	heaptrack_print --disable-builtin-suppressions --disable-embedded-suppressions -f "$1" 2>err | awk '
		/^calls to allocation functions:/ { print "allocations", $5 }
		/^peak heap memory consumption:/ { print "peak", $5 }
		/^total memory leaked:/ { print "leaked", $4 }
		/^peak RSS/ { print "rss", $NF }'
}
rounded() {
	awk '
		function letters(v) {
			for (i = 0; v >= 1000 && i < 4; i++) v /= 1000
			return i ? sprintf("%.2f%s", v, substr("KMGT", i, 1)) : sprintf("%dB", v)
		}
		$1 == "allocations" { print; next }
		$1 == "requested" { next }
		{ print $1, letters($2) }'
}
compare() { # WHAT FILE
	report "$2" | sort >want
	sums "$2" | rounded | sort >got
	check "$1: allocations, peak, leaks and rss are heaptrack_print's" equal want got
}
for form in 0 1 2 3; do
	"$GEN/heaptrack_log" --events 3000 --variant inline $form >file 2>truth
	compare "$form" file
done
cat >program.c <<'X'
#include <stdlib.h>
#include <string.h>
static void *keep[1000];
__attribute__((noinline)) static void *make(int i) { return malloc((size_t)i % 900 + 1); }
__attribute__((noinline)) static void fill(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = i % 5 ? make(i) : calloc(3, 50);
		memset(p, 1, 1);
		free(keep[i % 1000]);
		keep[i % 1000] = i % 50 == 7 ? realloc(p, 5000) : p;
	}
}
int main(void) { fill(20000); for (int i = 0; i < 500; i++) { free(keep[i]); keep[i] = 0; } return 0; }
X
${CC:-cc} -O1 -g -o program program.c || exit 1
if heaptrack -o real ./program >out 2>err && heaptrack --raw -o rawreal ./program >out 2>err; then
	compare 'a recorded program' real.*
	raw=$(echo rawreal.*)
	sums "$raw" | grep -v rss >got
	sums real.* | grep -v rss >want
	check 'the same program, raw: the same sums' equal want got
	tm-symbolize -o raw.tmt "$raw" 2>err
	check 'raw: addresses in calls are not taken for return addresses' eval '! grep -q "names are wrong" err'
	tm-top -q --csv -n 0 --by function raw.tmt | awk -F , '$(NF - 1) == "make" { print $2 }' >got
	check 'raw: tm-symbolize finds the function that allocates' eval '[ "$(cat got)" -gt 0 ]'
else
	echo "skip - a recorded program (heaptrack: $(head -n 1 err))"
fi
exit $failed
