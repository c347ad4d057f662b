#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# timeout: 900
# tier: all
#
# A file of a kilobyte can have stacks whose texts, each from the root, fill a disk: reports cut them in the
# middle, and say so. Calls in calls, 10,000 deep, with names of 6 letters: a line of each depth is 10,000 x
# 10,001 / 2 x 7 = 350 MB; 2^28 bytes may be written, and some of each row beside its stack.
set -u
: "${GEN:?}"
status=0
same() { # WHAT WANT GOT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: want '$2', got '$3'"
		status=1
	fi
}
deep=10000
awk -v n=$deep 'BEGIN {
	for (i = 0; i < n; i++) printf "[1] enter 0x10%d0 %d\n", i % 3, i * 10
	for (i = n; i-- > 0;) printf "[1] exit 0x10%d0 %d\n", i % 3, n * 2000 - i * 10
}' >deep.txt
said='nested too deeply to write each from the root'
# Of each row of a table with a column "stack": its calls, those that are left out too; and the bytes of all.
cat >depths.py <<'X'
import csv, re, sys
csv.field_size_limit(1 << 30)
bytes, depths = 0, []
for row in csv.DictReader(sys.stdin):
    bytes += sum(len(v or "") + 1 for v in row.values())
    calls = row["stack"].split(";")
    left = [re.fullmatch(r"\[(\d+) calls left out\]", c) for c in calls]
    depths.append(sum(int(m[1]) if m else 1 for m in left))
print(sorted(depths) == list(range(1, int(sys.argv[1]) + 1)), bytes < 2**28 + 200 * len(depths))
X
reports() { # PROGRAM WORD...
	same "$1: each stack has its depth, and all are not too long" "True True" \
		"$("$@" -q -n 0 --csv deep.txt | python3 depths.py $deep)"
	"$@" -q -n 0 deep.txt >text
	same "$1: status" 0 $?
	same "$1 says so" "$said" "$(grep -oF "$said" text)"
	"$@" -q -n 1 deep.txt >text
	same "$1: one stack is not too long" 0 "$(grep -c 'too deeply' text)"
}
reports tm-top --by stack
reports tm-spikes --table spikes --nesting $deep
# Rows of frames are written as they come: what is written before the budget is used up is whole. Each call has a
# row in two steps of 1 s, that of its enter and that of its exit; a row that is cut has 2^12 bytes, and names.
depths() { tm-frames -q --every 1s --by stack --csv "$1" | python3 depths.py "$2" | cut -d ' ' -f 1; }
calls() { # N
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) printf "[1] enter 0x10%d0 %d\n", i % 3, i * 10
		for (i = n; i-- > 0;) printf "[1] exit 0x10%d0 %d\n", i % 3, n * 20000 - i * 10
	}'
}
calls 10000 >one.txt
calls 20000 >two.txt
same 'tm-frames --by stack: each stack has its depth' True "$(depths deep.txt $deep)"
tm-frames --every 1s --by stack --csv deep.txt >out 2>err
same 'tm-frames --by stack says so' "$said" "$(grep -oF "$said" err)"
bytes() { "$@" | wc -c; }
for n in one two; do
	rows=$(tm-frames -q --every 1ms --by function --csv $n.txt | wc -l)
	depth=$(($(wc -l <$n.txt) / 2))
	got=$(bytes tm-frames -q --every 1ms --by stack --csv $n.txt)
	same "tm-frames --by stack: $depth deep is at most 2^28 bytes and 2^13 a row" 1 \
		$((got < (1 << 28) + (2 * depth + rows) * (1 << 13)))
	got=$(bytes tm-top -q --tree -n 0 $n.txt)
	same "tm-top --tree: $depth deep is at most 256 bytes a call" 1 $((got < depth * 256))
done
same 'a question through MCP: a page is a page' 1 $(($(printf '%s\n' \
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"top","arguments":{"by":"stack","limit":5}}}' |
	tm-view --mcp two.txt 2>err | wc -c) < 1 << 20))
# Twice as deep is about twice the work: CPU seconds of the program itself, of which half of one may be the machine's.
# It was four times as much: more than 120 s for 100,000 spikes of 100,000 nested calls, 5.5 s for 80,000 in steps.
calls 50000 >half.txt
calls 100000 >whole.txt
seconds() { # PROGRAM...
	local times
	times=$(TIMEFORMAT=%U; { time "$@" >out 2>err; } 2>&1)
	echo "$times"
}
twice() { # PROGRAM...
	local half whole
	half=$(seconds "$@" half.txt)
	whole=$(seconds "$@" whole.txt)
	same "$*: twice as deep is twice the work" 1 "$(awk -v a="$half" -v b="$whole" 'BEGIN { print (b <= 3 * a + 0.5) ? 1 : b " s after " a }')"
}
twice tm-spikes -q --nesting 100000
twice tm-spikes -q --nesting 100000 -n 0
twice tm-spikes -q --nesting 100000 --pet
twice tm-spikes -q --nesting 100000 --max-spikes 5 --as junit
twice tm-frames -q --every 1ms --tops 3 --by stack
twice tm-frames -q --every 1ms --spread --by stack
twice tm-top -q --tree -n 0
twice tm-top -q --by function -n 0
same 'spikes 100,000 deep: each is found' "100000 spikes" \
	"$(tm-spikes -q --nesting 100000 whole.txt | grep -o '^100000 spikes')"
exit $status
