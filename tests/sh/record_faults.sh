#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
# timeout: 600
#
# tm-record on a program that does what recorders have to live with (testdata/src/record/faults.c):
# all its blocks are there, and it ends as it would.
set -u
. "$SRC/tests/capture.bash"

${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -I"$SRC" \
	"$SRC/testdata/src/record/faults.c" -o faults -lpthread || {
	echo "not ok - faults.c compiles"
	exit 1
}
${CC:-cc} -std=c11 -D_GNU_SOURCE -g -fno-omit-frame-pointer -I"$SRC" \
	"$SRC/testdata/src/record/blocks.c" -o blocks -lpthread || exit 1

# The program's status, blocks as it says (one is asked for before the C library is ready), blocks in the trace, whole or not.
recorded() { # options and program
	timeout 100 tm-record -q -o x.tmt "$@" 2>said
	echo "$? $(sed -n 's/^blocks //p' said) $(tm-dump -q x.tmt | grep -c '^alloc.* requested=123 ') $(tm-dump -q x.tmt |
		grep -c ^totals)"
}
for stacks in fp unwind none; do
	ok "$stacks: frame pointers that point anywhere" [ "$(recorded --stacks $stacks -- ./faults corrupt)" = "0 17 16 1" ]
	ok "$stacks: a constructor before main" [ "$(recorded --stacks $stacks -- ./faults early)" = "0 2 1 1" ]
	ok "$stacks: before the C library is ready: counted, block and free" \
		[ "$(tm-dump -q x.tmt | grep -c '^note loss count=2 .*before the C library')" = 1 ]
done
ok "fp: the function itself is known each time" [ "$(tm-record -q --stacks fp -- ./faults corrupt 2>said | tm-symbolize -q |
	tm-filter -q --focus '^with$' | tm-dump -q | grep -c '^alloc.* requested=123 ')" = 14 ]
ok "unwind: likewise" [ "$(tm-record -q --stacks unwind -- ./faults corrupt 2>said | tm-symbolize -q |
	tm-filter -q --focus '^with$' | tm-dump -q | grep -c '^alloc.* requested=123 ')" = 14 ]
ok "vfork: the parent's blocks, and no others" [ "$(recorded -- ./faults vfork)" = "0 32 31 1" ]
mkdir children
recorded --pid-children -o children/x.tmt -- ./faults vfork >got
ok "vfork: with a file for each child that execs" [ "$(find children -name 'x.faults.*.tmt' -size +0 | wc -l)" = 10 ]
ok "vfork: each with what ran before its main" [ "$(for f in children/x.faults.*.tmt; do
	tm-dump -q "$f" | grep -c '^alloc.* requested=123 '
done | sort -n | tr '\n' ' ')" = "1 1 1 1 1 1 1 1 1 1 " ]
ok "late: threads' destructors, and exit while others run" [ "$(recorded -- ./faults late)" = "0 203 202 1" ]
for _ in 1 2 3 4 5 6 7 8 9 10; do
	recorded -- ./faults exits
done | sort | uniq -c >got
ok "exit from a handler, at ten moments inside the recorder" [ "$(sed 's/^ *//' got)" = "10 7 2 1 1" ]
ok "more threads at once than the recorder has room for: counted" [ "$(recorded --stacks none -- ./faults many 1200 >got
	tm-dump -q x.tmt | awk '/ requested=123 / { n++ } /threads beyond the recorder/ { lost = substr($3, 7) } END { print (n >= 1020), (lost > 0) }')" = "1 1" ]

# A million in `make stress-record`; the peak is that of the program, with the recorder in it.
n=${THREADS:-20000}
timeout $((60 + n / 5000)) tm-record -q -o x.tmt -- ./faults threads 1000 2>said
small=$(sed -n 's/^peak \([0-9]*\) KiB/\1/p' said)
timeout $((60 + n / 1000)) tm-record -q -o x.tmt -- ./faults threads "$n" 2>said
large=$(sed -n 's/^peak \([0-9]*\) KiB/\1/p' said)
ok "$n threads, one after the other: each one's block" [ "$(tm-dump -q x.tmt | grep -c '^alloc.* requested=123 ')" = $((n + 1)) ]
# What grows is one number for each thread id that the system may give out (16 MiB at most).
ok "$n threads: memory as with 1000 ($small and $large KiB)" [ "$large" -lt $((small + 20000)) ]

# Output that blocks: the program waits, and nothing is lost.
{ tm-record -q -- ./blocks random 2>said; } | { sleep 1; cat >x.tmt; }
grep ^allocs said >want
sums x.tmt >got
ok "output that blocks: the program waits, and all is there" cmp want got

# A message for each that says what to do.
cp blocks stripped
strip stripped
tm-record -o x.tmt -- ./stripped frames 2>said
ok "a stripped program is recorded, with a word about its names" [ "$(grep -c "^tm-record: stripped: no names for " said)" = 1 ]
sums x.tmt >got
grep ^allocs said >want
ok "a stripped program: its blocks" cmp want got
