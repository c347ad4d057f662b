#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 800
#
# Text of perf script against how it was made (testdata/gen/perf_script.c) and, where perf works here,
# against perf report of the same recording; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# "leaf N NAME", in the truth's words, and all samples
leaves() {
	tm-top -q --csv -n 0 --by function "$1" 2>err | awk '
		NR == 1 { n = split($0, head, ","); for (i = 1; i <= n; i++) at[head[i]] = i; next }
		{
			split($0, f, ","); name = $0
			if (match(name, /"[^"]*"/)) name = substr(name, RSTART + 1, RLENGTH - 2)
			else name = f[at["function"]]
			if (f[at["entries"]] > 0) print "leaf", f[at["entries"]], name
		}' | sort
}
for form in plain pid bare flat two inline left crlf; do
	"$GEN/perf_script" --samples 700 $form >file 2>truth
	grep ^leaf truth | sort >want
	leaves file >got
	check "$form: the samples of each function are the generator's" equal want got
	[ "$form" = bare ] || check "$form: periods are the generator's" \
		[ "$(tm-dump -q --no-tables file | sed -n 's/^counter value=\([0-9]*\).*/\1/p' | awk '{ s += $1 } END { printf "%.0f", s }')" = \
		"$(awk '$1 == "periods" { print $2 }' truth)" ]
	gzip -kf file && check "$form: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file) <(tm-dump -q - <file.gz)
done
"$GEN/perf_script" --samples 3 plain >small 2>truth
"$GEN/cuts" --step 3 --silent 30 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f perf-script || failed=1

cat >program.c <<'X'
__attribute__((noinline)) static unsigned long a(unsigned long n) { for (unsigned long i = 0; i < n; i++) __asm__ volatile(""); return n; }
__attribute__((noinline)) static unsigned long b(unsigned long n) { return a(n) + a(n / 2); }
int main(void) { unsigned long s = 0; for (int i = 0; i < 60; i++) s += b(1000000) + a(500000); return s == 1; }
X
if ! command -v perf >/dev/null || ! ${CC:-cc} -O1 -g -fno-omit-frame-pointer -o program program.c 2>err ||
	! perf record -q -e cpu-clock -F 4000 -g -o perf.data ./program >out 2>err || ! perf script -i perf.data >real.perf 2>err; then
	echo "skip - perf report's own numbers (perf does not work here)"
	exit $failed
fi
# Samples of each symbol, of which perf report says the rest in percents.
perf report -i perf.data --stdio -n --no-children -g none --sort sym 2>err |
	awk '$3 == "[.]" && $4 ~ /^[a-z]+$/ { print "leaf", $2, $4 }' | sort >want
leaves real.perf | grep -wFf <(cut -d ' ' -f 3 want) >got
check "a recorded program: the samples of each function are perf report's" equal want got
check "a recorded program: the event count is perf report's" \
	[ "$(perf report -i perf.data --stdio -n 2>err | sed -n 's/^# Event count (approx.): //p')" = \
	"$(tm-dump -q --no-tables real.perf | sed -n 's/^counter value=\([0-9]*\).*/\1/p')" ]
exit $failed
