#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-merge's promises: the laws on files, rounds, lines and engines' ways of calling it, sums that
# are known from how the aggregates were made, flat memory, and refusals that name both sides.
# shellcheck disable=SC2317,SC2086 # functions are called by check; lists are words
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# --- made ones: what they come to is known ---
mkdir made
read -r bytes count < <("$GEN/aggregates" 300 40 made)
names=$(cd made && find . -name '*.tma' | LC_ALL=C sort -V)
cd made || exit 1
tm-merge -o ../all $names
check "300 aggregates merge" [ -s ../all ]
sums() { tm-top -q --by stack --csv -n 0 "$1" | awk -F, 'NR > 1 { c += $2; b += $4 } END { printf "%.0f %.0f\n", b, c }'; }
check "what they come to is what was made: $bytes bytes, $count allocations" [ "$(sums ../all)" = "$bytes $count" ]
tac <<<"$names" | tm-merge --files-from - -o ../back
check "backwards: the same bytes" cmp ../all ../back
shuf --random-source=../all <<<"$names" >../shuffled
tm-merge --files-from ../shuffled -o ../b && check "in any order: the same bytes" cmp ../all ../b
cd ..
split -l 37 shuffled part.
for p in part.*; do
	(cd made && tm-merge --files-from "../$p" -o "../$p.tma")
done
tm-merge -o c part.*.tma
check "in groups, and then the groups: the same bytes" cmp all c
tm-merge all >d
check "one alone: the same bytes" cmp all d
gzip -k all
tm-merge all.gz >d
check "compressed: the same bytes" cmp all d
(cd made && for n in $names; do tm-merge --lines "$n"; done) | LC_ALL=C sort >lines
tm-merge --from-lines <lines >d
check "lines that were sorted: the same bytes" cmp all d
# As reducers do: each has some of the keys.
LC_ALL=C awk -F '\t' '{ print > ("keys." (length($1) % 3)) }' lines
for k in 0 1 2; do tm-merge --lines --from-lines <keys.$k; done | LC_ALL=C sort | tm-merge --from-lines >d
check "lines in three parts by key: the same bytes" cmp all d
tm-merge --lines all >e
tm-merge --lines --from-lines <lines >d
check "lines from lines are those of the result" cmp d e

peak() { "$GEN/rss" -o rss tm-merge --files-from - -o d && awk '{ print $4 }' rss; }
few=$(cd made && head -n 40 <<<"$names" | peak)
many=$(cd made && peak <<<"$names")
if [ -n "${SAN-}" ]; then
	echo "skip - memory of a merge (a sanitizer's own is far larger)"
else
	check "memory: $few KiB for 40, $many KiB for 300" [ "$many" -lt $((few * 3 / 2 + 4000)) ]
fi
(
	ulimit -n 64
	cd made && tm-merge --files-from - -o ../d <<<"$names"
)
check "64 open files are enough" cmp all d

# --- pruning ---
tm-merge --min requested:27k -o pruned all 2>said
check "--min says what it lost" grep -Eq '^tm-merge: --min leaves out [0-9]+ stacks: count [0-9]+, requested [0-9]+$' said
lost=$(sed -n 's/.*, requested //p' said)
kept=$(sums pruned)
check "kept ${kept% *} and lost $lost are $bytes" [ $((${kept% *} + lost)) = "$bytes" ]
tm-top --by stack pruned 2>said >/dev/null
check "reports of it say so, too" grep -q "pruned of its smallest .* stacks: .*requested $lost$" said
check "the whole stays whole" [ "$(tm-dump pruned | sed -n '/^whole all/,/requested/s/^\trequested \([0-9]*\).*/\1/p')" = "$bytes" ]

# --- what is refused ---
run() {
	"$@" >out 2>err
	status=$?
}
refused() { [ $status = 3 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "$1" err; }
"$GEN/memtracer" --frames 3 --types 4 >x.mem
"$GEN/memtracer" --frames 4 --types 4 >y.mem
tm-compare -q --save-baseline x.tma x.mem
tm-compare -q --save-baseline y.tma y.mem
tm-compare -q --save-baseline f.tma --type T1 y.mem
run tm-merge x.tma f.tma
check "other options, both named" refused "^tm-merge: f.tma: does not merge with 'x.tma': options: none there, '--type T1' here"
run tm-merge x.tma made/0.tma
check "other metrics" refused "^tm-merge: made/0.tma: does not merge with 'x.tma': metrics and units: "
run tm-merge x.tma y.tma x.tma
check "the same input twice" refused "^tm-merge: x.tma: its input 'x.mem' \([0-9a-f]{16}\) is in 'x.tma' too"
cp x.mem z.mem && tm-compare -q --save-baseline z.tma z.mem
run tm-merge x.tma y.tma z.tma
check "the same bytes under another name" refused "^tm-merge: z.tma: its input 'z.mem' \([0-9a-f]{16}\) is in 'x.tma' too"
tm-merge -q -o xy.tma x.tma y.tma
run tm-merge xy.tma z.tma
check "the same input within a merged one" refused "^tm-merge: z.tma: .* is in 'xy.tma' too"
(cd made && { echo ./7.tma; cat ../shuffled; } | tm-merge --files-from - >../out 2>../err)
status=$?
check "the same one many rounds apart" refused "its input 'capture-7' .* is in './?.?7.tma' too"
run tm-merge --allow-duplicates x.tma z.tma
check "... unless it is allowed, with a note" grep -q "counts again" err
check "... and then it is there two times" [ "$(tm-dump out | grep -c 'times=2')" = 1 ]
for n in 0 5 16 40 1000 $(($(stat -c %s x.tma) - 1)); do
	head -c "$n" x.tma >cut.tma
	run tm-merge y.tma cut.tma
	check "cut after $n bytes" refused '^tm-merge: cut.tma: '
	run tm-top --by type cut.tma
	check "... by tm-top" refused '^tm-top: cut.tma: '
done
{ head -c 900 x.tma; printf '\377'; tail -c +902 x.tma; } >bad.tma
for p in "tm-merge y.tma" "tm-top" "tm-frames" "tm-compare -q y.tma"; do
	run $p bad.tma
	check "damaged: $p" refused "^${p%% *}: bad.tma: byte .*checksum does not hold"
done
{ head -c 8 x.tma; printf '\003'; tail -c +10 x.tma; } >v3.tma
run tm-merge x.tma v3.tma
check "another version" refused '^tm-merge: v3.tma: byte 8: an aggregate of version 3; this reads 2'
run tm-merge x.mem
check "a capture" refused 'not an aggregate: tm-compare --save-baseline makes one'
run tm-merge none.tma
check "no such file" refused '^tm-merge: none.tma: '
run tm-merge --files-from /dev/null
check "nothing at all" refused 'there is nothing to merge'
cp x.tma old.tma
run tm-merge -o old.tma x.tma cut.tma
check "a failure leaves what was there" cmp -s old.tma x.tma
for where in 3s/0/1/ 2d 4d '$d' 3p 40p; do
	sed "$where" lines >hurt
	run tm-merge --from-lines hurt
	check "lines after sed $where" refused '^tm-merge: hurt: '
done
cat lines lines | LC_ALL=C sort >hurt
run tm-merge --from-lines hurt
check "all lines twice" refused "the input '.*' is there 2 times"
LC_ALL=C sort -r lines >hurt
run tm-merge --from-lines hurt
check "lines in another order" refused 'lines are sorted as bytes'
tail -n +2 lines | grep -v ^01 >hurt
run tm-merge --from-lines hurt
check "lines without the head are no aggregate" refused 'its head is missing'
for p in tm-import tm-symbolize tm-filter tm-heap tm-spikes "tm-export --as folded"; do
	run $p x.tma
	check "$p says that an aggregate has no events" refused 'an aggregate has no events'
done
run tm-top -q --focus x x.tma
check "filters that it was not made with" refused "made with no options, not --focus x"
tm-top -q --type T1 --by type --csv f.tma >out
tm-top -q --type T1 --by type --csv y.mem | cmp -s - out
check "filters that it was made with" [ $? = 0 ]
run tm-frames -q --every 1ms x.tma
check "steps of time" refused 'does not say steps of time'
run tm-compare --base-frame 1 --new-frame 2 x.tma
check "ranges" grep -q 'has no events to select from' err
if [ -w /dev/full ]; then
	tm-merge x.tma y.tma >/dev/full 2>err
	check "a full disk" [ $? = 3 ]
fi
run tm-merge
check "nothing given" [ $status = 2 ]
run tm-merge --min x x.tma
check "no limit" [ $status = 2 ]
