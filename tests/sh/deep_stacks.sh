#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
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
exit $status
