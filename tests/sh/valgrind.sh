#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# Files of callgrind and massif against how they were made (testdata/gen/{callgrind,massif}.c) and, where
# valgrind works here, against what callgrind_annotate and ms_print say of a program; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# "N NAME" by function, of a column; of two rows of a name, in two files, the sum or the larger one.
functions() { # FILE COLUMN sum|most [OPTION...]
	tm-top -q --csv -n 0 --by function "${@:4}" "$1" 2>err | awk -F , -v column="$2" -v how="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			name = $at["function"]; sub(/ \(.*/, "", name); v = $at[column] + 0
			if (how == "sum") got[name] += v
			else if (v > got[name]) got[name] = v
		}
		END { for (name in got) print got[name], name }' | sort
}
# Rows "N NAME" of two files: of each name the largest N is the same.
alike() {
	awk 'NR == FNR { if ($1 > want[$2]) want[$2] = $1; next } $1 > got[$2] { got[$2] = $1 }
		END {
			for (f in want) {
				n++
				if (got[f] != want[f]) { print f, want[f], got[f]; bad++ }
			}
			exit bad || !n
		}' "$1" "$2" >err
}
# "CALLER CALLEE N": what the calls of one function by another cost, as the file's own calls= lines say.
edges() {
	awk -F '[= ]' '{ sub("\r$", "") } /^fn=/ { fn = $2 } /^cfn=/ { cfn = $2 } /^calls=/ { call = 1; next }
		/^[0-9+]/ && call { if (fn != cfn) n[fn " " cfn] += $2 } { call = 0 }
		END { for (e in n) print e, n[e] }' "$1" | sort
}
peek() {
	tm-top -q --csv -n 0 --peek . "$1" | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["relation"] == "calls" && $at["function"] !~ /^\(nobody/ { print $at["of"], $at["function"], $at["samples"] }' | sort
}
for form in plain short instr events parts inlined recursive crlf; do
	"$GEN/callgrind" $form >file 2>truth
	sed -n 's/^self //p' truth | sort >want
	functions file samples sum >got
	check "callgrind, $form: own costs are the generator's" equal want got
	sed -n 's/^inclusive //p' truth | sort >want
	functions file total_samples most | sort >got
	[ $form = parts ] || check "callgrind, $form: costs with all calls are the generator's" alike want got
	tm-dump -q file >out
	check "callgrind, $form: nothing is lost" eval '! grep "^note loss" out >err'
	gzip -kf file && check "callgrind, $form: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file) <(tm-dump -q - <file.gz)
done
# Of 60,001 places and 20,000 snapshots 2^30 / 60,001 = 17,895 snapshots are read: the time does not grow with the square
# of a file.
awk 'BEGIN {
	print "desc: x\ncmd: x\ntime_unit: i"
	for (i = 0; i < 20000; i++) {
		printf "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\n", i, i, 600000 - 10 * i
		print "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=" (i ? "empty" : "detailed")
		if (!i) {
			print "n60000: 600000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc."
			for (k = 0; k < 60000; k++)
				printf " n0: 10 0x%X: f%d (a.c:%d)\n", 4096 + k, k, k
		}
	}
}' >wide
check "massif, places times snapshots: what is left out is a loss" \
	grep -q '^note loss count=2105 "snapshots were left out' <(timeout 60 tm-dump -q --no-events wide)

# A file of callgrind that is cut at the end of a line has no totals: what was read is not all.
"$GEN/callgrind" plain >file 2>err
for lines in 20 30 45; do
	head -n "$lines" file >cut.out
	check "callgrind, cut behind line $lines: a loss" grep -q '^note loss .*totals at the end are missing' <(tm-dump -q cut.out)
done
check '... not where another program wrote it' eval '
	sed "s/^creator: .*/creator: xdebug 3.2/; /^totals/d" file >other && ! tm-dump -q other | grep "^note loss" >err'
# Each function is called by two others: there are more paths than can be followed.
for n in 8 300 900; do
	"$GEN/callgrind" --functions $n plain >file 2>truth
	sed -n 's/^inclusive //p' truth | sort >want
	functions file total_samples most >got
	check "callgrind, $n functions: costs with all calls are the generator's" alike want got
	edges file >want
	peek file >got
	check "callgrind, $n functions: costs between two functions are the file's calls=" equal want got
done
# yappi lists all files before the first function, more than the window in which a format is recognised.
"$GEN/callgrind" plain >file 2>err
awk '{ print } /^events:/ { for (i = 1; i < 4000; i++) printf "fl=(%d) /usr/lib/python3/dist-packages/module%d.py\n", i, i }' file >yappi
check "callgrind: a long list of files is recognised" eval '[ "$(wc -c <yappi)" -gt 65536 ] &&
	cmp -s <(tm-dump -q file) <(tm-dump -q yappi)'
"$GEN/callgrind" short >file 2>err
"$GEN/callgrind" plain >full 2>err
check 'callgrind: numbers for names and distances are the same' \
	cmp -s <(tm-dump -q file) <(tm-dump -q full)

# Bytes in use at the end and at the peak, by stack.
heap() {
	tm-top -q --csv -n 0 --by stack --metrics requested,live-requested,peak-requested "$1" 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ last += $at["live_requested"]; peak += $at["peak_requested"] }
		END { printf "peak %.0f\nlast %.0f\n", peak, last }'
}
"$GEN/massif" --snapshots 4 plain >file 2>err
tm-top -q --csv -n 0 --by function --metrics requested file | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["function"], $at["requested"], $at["total_requested"] }' |
	sort >got
# In snapshot 3 load itself has 3000, build 1500, all called by main; load calls build, too.
printf '%s\n' '[no stack] 64 64' 'build 1500 1500' 'load(char const*) 3000 4500' 'main 0 4500' >want
check 'massif: a place below another is its caller' equal want got
for form in plain ms stacks library pages; do
	"$GEN/massif" $form >file 2>truth
	grep -e peak -e last truth >want
	heap file >got
	check "massif, $form: bytes at the peak and at the end are the generator's" equal want got
	check "massif, $form: each snapshot is a frame" \
		[ "$(tm-dump -q --no-tables file | grep -c '^frame')" = "$(sed -n 's/^snapshots //p' truth)" ]
	gzip -kf file && check "massif, $form: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file) <(tm-dump -q - <file.gz)
done

# Live bytes of each snapshot are mem_heap_B, with a tree or without one; requested are its rises.
heaps_agree() { # FILE
	sed -n 's/^mem_heap_B=//p' "$1" >want
	tm-frames -q -n 0 --csv "$1" | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["live_requested"] }' >got
	[ -s want ] && cmp -s want got && [ "$(awk '$1 > heap { n += $1 - heap } { heap = $1 } END { printf "%.0f", n }' want)" -le \
		"$(tm-top -q --csv -n 0 --metrics requested "$1" | awk -F , '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["requested"] } END { printf "%.0f", n }')" ]
}
for form in plain ms stacks library pages; do
	"$GEN/massif" $form >file 2>err
	check "massif, $form: live bytes of all snapshots are massif's" heaps_agree file
done
# A and B have 500 each and stay; C has 20000 and not, three times. Below a threshold of 5 %, A and B are told as
# a sum while C is there, whoever has it. So 1000 and three times 20000 are allocated, not 3 times 1000 more.
snapshot() { # NUMBER HEAP KIND, LINES OF THE TREE
	printf '#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n' \
		"$1" "$1" "$2" "$3"
	shift 3
	[ $# = 0 ] || printf '%s\n' "$@"
}
all='(heap allocation functions) malloc/new/new[], --alloc-fns, etc.'
a=' n0: 500 0x10: A (a.c:1)' b=' n0: 500 0x20: B (a.c:2)' c=' n0: 20000 0x30: C (a.c:3)'
below=" n0: 1000 in 2 places, all below massif's threshold (5.00%)"
sites() { # FILE: "SITE REQUESTED LIVE"
	tm-top -q --csv -n 0 --by function --metrics requested,live-requested "$1" | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["function"], $at["requested"], $at["live_requested"] }' | sort
}
{
	printf 'desc: --threshold=5\ncmd: ./a\ntime_unit: i\n'
	for i in 0 2 4; do
		snapshot $i 1000 detailed "n2: 1000 $all" "$a" "$b"
		snapshot $((i + 1)) 21000 detailed "n2: 21000 $all" "$c" "$below"
	done
	snapshot 6 1000 detailed "n2: 1000 $all" "$a" "$b"
} >file
printf '%s\n' 'A 500 500' 'B 500 500' 'C 60000 0' >want
sites file >got
check 'massif: what goes into a sum of places and comes back was not allocated again' equal want got
check '... live bytes of all snapshots are massif'"'"'s' heaps_agree file
# The same, and the sum is there before A and B are: they have had its bytes.
{
	printf 'desc: --threshold=5\ncmd: ./a\ntime_unit: i\n'
	snapshot 0 21000 detailed "n2: 21000 $all" "$c" "$below"
	snapshot 1 1000 detailed "n2: 1000 $all" "$a" "$b"
} >file
printf '%s\n' 'A 500 500' 'B 500 500' 'C 20000 0' >want
sites file >got
check 'massif: bytes of a sum are of the stacks that show up with them' equal want got
# Snapshots without a tree: 300 more, 300 less, of nobody that a tree shows; A gets its 500 in two of them.
{
	printf 'desc: (none)\ncmd: ./a\ntime_unit: i\n'
	snapshot 0 200 empty
	snapshot 1 500 empty
	snapshot 2 500 detailed "n1: 500 $all" "$a"
	snapshot 3 800 empty
	snapshot 4 500 empty
	snapshot 5 1000 peak "n2: 1000 $all" "$a" "$b"
	snapshot 6 700 empty
} >file
printf '%s\n' '[no stack] 300 0' 'A 500 500' 'B 500 200' | sort >want
sites file >got
check 'massif: snapshots without a tree say how much there is' equal want got
check '... live bytes of all snapshots are massif'"'"'s' heaps_agree file

rss=$([ -n "${SAN-}" ] && echo 0 || echo 96)
"$GEN/callgrind" --functions 2 instr >small 2>err
"$GEN/cuts" --step 5 --silent 12 --rss "$rss" small tm-import -f callgrind || failed=1
"$GEN/massif" --snapshots 4 plain >small 2>err
"$GEN/cuts" --step 11 --silent 60 --rss "$rss" small tm-import -f massif || failed=1

cat >program.c <<'X'
#include <stdlib.h>
__attribute__((noinline)) static long leaf(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s << 1); return s; }
__attribute__((noinline)) static long left(long n) { return leaf(n) + 1; }
__attribute__((noinline)) static long right(long n) { long s = 0; for (int i = 0; i < 3; i++) s += leaf(n + i); return s; }
__attribute__((noinline)) static void *make(int i) { return malloc((size_t)(i % 90 + 1) * 16); }
static long odd(int n);
__attribute__((noinline)) static long even(int n) { return n ? odd(n - 1) + leaf(3) + 1 : 1; }
__attribute__((noinline)) static long odd(int n) { return n ? even(n - 1) + leaf(7) + 1 : 0; }
__attribute__((noinline)) static long again(int n) { return n ? again(n - 1) + leaf(n) : leaf(2); }
__attribute__((noinline)) static int order(const void *a, const void *b) { return (int)leaf(2) * 0 + *(const int *)a - *(const int *)b; }
int main(void)
{
	static void *keep[200];
	long s = even(20) + again(12);
	int numbers[300];

	for (int i = 0; i < 300; i++) numbers[i] = i * 7919 % 1000;
	qsort(numbers, 300, sizeof *numbers, order);

	for (int i = 0; i < 200; i++) {
		s += left(100) + right(50);
		keep[i] = make(i);
		if (i % 3 == 0) free(keep[i]), keep[i] = 0;
	}
	for (int i = 0; i < 150; i++) free(keep[i]);
	return s == 1;
}
X
if ! command -v valgrind >/dev/null || ! ${CC:-cc} -O1 -g -o program program.c 2>err ||
	! valgrind -q --tool=callgrind --callgrind-out-file=plain.out ./program 2>err; then
	echo "skip - callgrind_annotate's and ms_print's own numbers (valgrind does not work here)"
	exit "$failed"
fi
annotate() { # FILE OPTION...
	local file=$1

	shift
	callgrind_annotate --show-percs=no --threshold=100 --sort="${event-Ir}" --show="${event-Ir}" "$@" "$file" 2>err |
		sed -nE 's/^ *([0-9,]+) +[^ :]*:([^ ]+)( \[.*)?$/\1 \2/p' | tr -d ,
}
own_costs() { # WHAT FILE COLUMN [OPTION...]
	annotate "$2" | awk '{ v[$2] += $1 } END { for (f in v) if (v[f]) print v[f], f }' | sort >want
	functions "$2" "$3" sum "${@:4}" | grep -v '^0 ' | grep -Ff <(cut -d ' ' -f 2 want) >got
	join -1 2 -2 2 -o 1.1,2.1,0 <(sort -k 2 want) <(sort -k 2 got) | awk '$1 != $2' >differ
	check "$1: own costs of all functions are callgrind_annotate's" eval '[ "$(wc -l <want)" -gt 20 ] && [ ! -s differ ]'
}
compare() { # WHAT FILE
	own_costs "$1" "$2" samples
	# The deeper levels of recursion, even'2, are a circle: that tool counts what lies in it again and again.
	annotate "$2" --inclusive=yes | grep -E ' (main|left|right|leaf|make|even|odd|again|order|qsort|qsort_r)$' | sort >want
	functions "$2" total_samples most >got
	check "$1: costs with all calls are callgrind_annotate's" eval '[ "$(wc -l <want)" -ge 10 ] && alike want got'
	tm-top -q --csv -n 0 --by function "$2" | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["total_share"] > most { most = $at["total_share"] }
		END { exit most > 100 }'
	check "$1: nothing has more than the whole" [ $? = 0 ]
}
compare 'a program' plain.out
valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes --cache-sim=yes --callgrind-out-file=cache.out ./program 2>err
compare 'with addresses, jumps and caches' cache.out
# Costs of several events do not add up: samples are those of the first, as callgrind_annotate ranks, and each
# other event has its own.
for event in Dr Dw D1mr; do
	own_costs "with caches, $event" cache.out period --type "^$event\$"
done
unset event
totals() { # FILE: "EVENT TOTAL", as the file says
	awk '/^events:/ { split($0, event) } /^totals:/ { for (i = 2; i <= NF; i++) if ($i) print event[i], $i }' "$1" | sort
}
totals cache.out >want
tm-top -q --csv -n 0 --by type cache.out | tr -d '\r' | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["type"], $at["samples"] $at["period"] }' | sort >got
check 'with caches: the total of each event is the file'"'"'s' equal want got
functions cache.out samples sum | awk '{ n += $1 } END { printf "%.0f\n", n }' >got
sed -n 's/^Ir //p' want >first
check '... and the samples of all functions are those of the first' equal first got
for options in '--detailed-freq=3' '--time-unit=B --stacks=yes' '--pages-as-heap=yes --time-unit=ms'; do
	# shellcheck disable=SC2086 # words
	valgrind -q --tool=massif $options --massif-out-file=massif.out ./program 2>err || continue
	heap massif.out | sed -n 's/^peak //p' >got
	sed -n 's/^mem_heap_B=//p' massif.out | sort -n | tail -n 1 >want
	check "massif $options: the peak is the largest snapshot of massif's" equal want got
	check "massif $options: live bytes of all snapshots are massif's" heaps_agree massif.out
	ms_print massif.out | awk '$1 ~ /^[0-9]+$/ && NF == 6 { gsub(",", ""); print $4 }' >want
	tm-dump -q massif.out | awk '
		$1 == "counter" && $3 == "name=\"massif.heap\"" { id = $2 }
		$1 == "counter" && $2 ~ /^value=/ && $0 ~ "type=" id "$" { sub("value=", "", $2); print $2 }' >got
	check "massif $options: sizes of all snapshots are ms_print's" equal want got
done
exit "$failed"
