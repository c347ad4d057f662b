#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 300
#
# Heap profiles as text, of gperftools, Go and jemalloc: against how they were made
# (testdata/gen/heap_text.c), against go tool pprof, jeprof and google-pprof where they are, on files
# that the libraries write here; and cut at every byte.
# shellcheck disable=SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
is() { # GOT WANT
	[ "$1" = "$2" ] || { printf 'got %s, not %s\n' "$1" "$2" >err && false; }
}

# "LIVE-BLOCKS LIVE-BYTES BLOCKS BYTES"
sums() {
	tm-top -q --csv -n 0 --by stack "$1" 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n += $at["live_count"]; b += $at["live_requested"]; a += $at["count"]; r += $at["requested"] }
		END { printf "%.0f %.0f %.0f %.0f\n", n, b, a, r }'
}
state() { tm-dump -q "$1" | sed -n '1s/.* count=\([^ ]*\).* live=\([^ ]*\).*/\1 \2/p'; }
truth() { awk '{ printf "%s%s %s", sep, $2, $3; sep = " " } END { print "" }' truth; }

for kind in gperftools go accum nomap kind; do
	"$GEN/heap_text" --rows 300 $kind >$kind.heap 2>truth
	[ $kind = go ] || [ $kind = accum ] || check "$kind: the sums are the generator's" is "$(sums $kind.heap)" "$(truth)"
done
check 'gperftools: all was counted' is "$(state gperftools.heap)" 'exact exact'
check 'gperftools: nothing is lost' is "$(tm-dump -q gperftools.heap | grep -c '^note loss')" 0
check 'gperftools: the map is there' is "$(tm-dump -q gperftools.heap | grep -c '^module')" 2
check 'a kind that is not known is told' grep -q 'unknown kind dust' <(tm-import -v -o x.tmt kind.heap 2>&1)
tm-dump -q go.heap >got
check 'go: names of addresses' grep -q 'name="main.(\*World).spawn" file="/src/world.go"' got
check 'go: calls of one address' grep -q 'name="main.main" file="/src/main.go" line=8' got
# Go 1.19 itself wrote these addresses: those of its lines of symbols lie within the calls.
printf 'heap profile: 1: 1024 [1: 1024] @ heap/2\n1: 1024 [1: 1024] @ 0x4b3c0f 0x4b3db6\n#\t0x4b3c0e\tmain.alloc+0x2e\t\t/g/main.go:5\n#\t0x4b3db5\tmain.main+0x35\t\t/g/main.go:10\n' >within.heap
check 'go: names of addresses within the calls' is "$(tm-export -q --as folded within.heap)" 'main.main;main.alloc 1024'
# Of half the period that the file says, 1: each was taken.
"$GEN/heap_text" --rows 300 go >go.heap 2>truth
check 'go: the sums are the generator'"'"'s' is "$(sums go.heap)" "$(truth)"

# All rows have blocks of 100 bytes and a period of 4096: one factor, and half a block of rounding by row.
"$GEN/heap_text" --rows 300 sampled >sampled.heap 2>truth
factor=$(awk 'BEGIN { printf "%.9f", 1 / (1 - exp(-100 / 4096)) }')
near() { # GOT WANT
	awk -v got="$1" -v want="$2" -v f="$factor" 'BEGIN {
		n = split(got, g, " "); split(want, w, " ")
		for (i = 1; i <= n; i++) if (g[i] - w[i] * f > 300 || w[i] * f - g[i] > 300) bad = 1
		exit bad || n != 4 }' || { echo "got $1, of $2" >err && false; }
}
check 'sampled: multiplied by 1 / (1 - exp(-100 / 4096))' near "$(sums sampled.heap)" "$(truth)"
check 'sampled: that is an estimate' is "$(state sampled.heap)" 'estimated estimated'

"$GEN/heap_text" --rows 300 jemalloc >jemalloc.heap 2>truth
factor=$(awk 'BEGIN { printf "%.9f", 1 / (1 - exp(-100 / 524288)) }')
check 'jemalloc: what was freed is not known' is "$(state jemalloc.heap)" 'lower-bound estimated'
tm-top -q --csv --by thread jemalloc.heap | tr -d '\r' >threads
check 'jemalloc: by thread' is "$(grep -c 'Main' threads)" 1
live() { sums "$1" | cut -d ' ' -f 1; }
want=$(awk -v f="$factor" '$1 == "live" { printf "%.0f", $2 * f }' truth)
got=$(live jemalloc.heap)
check 'jemalloc: what is in use' awk -v g="$got" -v w="$want" 'BEGIN { exit !(g - w < 600 && w - g < 600) }'
check 'jemalloc: and of all, with prof_accum' is "$(state accum.heap)" 'estimated estimated'
"$GEN/heap_text" --rows 300 uneven >uneven.heap 2>truth
check 'jemalloc: threads that do not add up' grep -q 'not the sum of their threads' <(tm-import -v -o x.tmt uneven.heap 2>&1)
"$GEN/heap_text" huge >huge.heap 2>truth
check 'a row of 2^62 blocks is a loss' grep -q 'loss: rows have an impossible number of blocks' <(tm-import -o x.tmt huge.heap 2>&1)

for kind in gperftools go jemalloc; do
	"$GEN/heap_text" --rows 4 $kind >small 2>truth
	"$GEN/cuts" --silent 420 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import || failed=1
done

# --- what the libraries write ---

cat >alloc.c <<'X'
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void *leak_small(int n)
{
	char *p = 0;

	for (int i = 0; i < n; i++)
		memset(p = malloc(100), 1, 100);
	return p;
}
__attribute__((noinline)) void *leak_large(int n)
{
	char *p = 0;

	for (int i = 0; i < n; i++)
		memset(p = malloc(100000), 1, 100000);
	return p;
}
__attribute__((noinline)) void churn(int n)
{
	for (int i = 0; i < n; i++) {
		char *p = malloc(3000);

		memset(p, 1, 3000);
		free(p);
	}
}
int main(void)
{
	for (int i = 0; i < 5; i++) {
		leak_small(1000 * (i + 1));
		churn(2000);
		leak_large(30 + i);
	}
	return 0;
}
X
"${CC:-cc}" -g -O1 -fno-inline -fno-ipa-icf -o alloc alloc.c 2>err || { echo 'skip - no compiler' && exit $failed; }
find_library() { ldconfig -p 2>/dev/null | awk -v l="$1" '$1 == l { print $NF; exit }'; }

# Bytes by function of what the program itself has, as the tool and as we say it.
functions() { # FILE COLUMN
	tm-symbolize -q "$1" -o named.tmt 2>err
	tm-top -q --csv -n 0 --by function named.tmt | tr -d '\r' | awk -F , -v c="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] ~ /^(leak_small|leak_large|churn|main)$/ { printf "%s %.0f\n", $at["function"], $at[c] }' | sort
}
peer() { # TOOL OPTION FILE: the same; cumulative bytes
	"$1" "$2" --show_bytes --text ./alloc "$3" 2>err |
		awk '$NF ~ /^(leak_small|leak_large|churn|main)$/ { printf "%s %.0f\n", $NF, $4 }' | sort
}
# Within a millionth: we round each row to whole blocks and bytes.
close_to() {
	diff want got >err
	paste got want | awk '
		{ d = $2 - $4; if ($1 != $3 || d > 2 + $4 / 1e6 || -d > 2 + $4 / 1e6) bad = 1 }
		END { exit bad || !NR }'
}
jemalloc=$(find_library libjemalloc.so.2) tcmalloc=$(find_library libtcmalloc.so.4)
if [ -z "$jemalloc" ] || [ -n "${SAN-}" ]; then
	echo 'skip - profiles of jemalloc (libjemalloc2 is not installed)'
else
	for sample in 0 12 16; do
		rm -f je.*.heap
		MALLOC_CONF=prof:true,lg_prof_sample:$sample,prof_final:true,prof_accum:true,prof_prefix:je \
			LD_PRELOAD=$jemalloc ./alloc 2>err
		file=$(ls je.*.heap 2>/dev/null)
		if [ -z "$file" ]; then
			echo 'skip - profiles of jemalloc (built without profiling)'
			break
		fi
		check "jemalloc, 2^$sample: is read without loss" is "$(tm-dump -q "$file" | grep -c '^note loss')" 0
		if [ $sample = 0 ]; then # each is there, with the bytes of its size class, 112 or 114688
			functions "$file" total_live_requested | grep -v churn >got
			printf 'leak_large 18350080\nleak_small 1680000\nmain 20030080\n' >want
			check 'jemalloc, each: in use by function is what the program does' cmp -s want got
			continue
		fi
		if ! command -v jeprof >/dev/null; then
			echo 'skip - jeprof on them (not installed)'
			continue
		fi
		functions "$file" total_live_requested >got
		peer jeprof --inuse_space "$file" >want
		check "jemalloc, 2^$sample: in use by function, as jeprof says" close_to
		functions "$file" total_requested >got
		peer jeprof --alloc_space "$file" >want
		check "jemalloc, 2^$sample: allocated by function, as jeprof says" close_to
	done
fi
if [ -z "$tcmalloc" ] || [ -n "${SAN-}" ]; then
	echo 'skip - profiles of tcmalloc (libtcmalloc is not installed)'
else
	HEAPPROFILE=tc LD_PRELOAD=$tcmalloc ./alloc 2>err
	for file in tc.*.heap; do :; done # the last one
	functions "$file" total_live_requested | grep -v churn >got
	printf 'leak_large 16000000\nleak_small 1500000\nmain 17500000\n' >want
	check 'tcmalloc: in use by function is what the program does' cmp -s want got
fi
exit $failed
