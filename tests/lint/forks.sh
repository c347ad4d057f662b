#!/bin/bash
# SPDX-License-Identifier: MIT
#
# forks.sh [ROOT]: only the files of tests/lint/forks.txt start a process, each for the reason that is there. Work on
# what lies in memory is a call, or a thread. By words of the source: a call is none in a comment or a string.
set -u
cd "${1:-$SRC}" || exit 1
table=tests/lint/forks.txt
bad=0

# The recorder's hooks catch a program's calls of these, and call the real ones.
calls=$(find cmd lib formats -name '*.[ch]' ! -path 'lib/recorder/*' -print0 | xargs -0 awk '
	{
		gsub(/"([^"\\]|\\.)*"/, "\"\"")
		if (within || /\/\*/) {
			line = within ? $0 : substr($0, 1, index($0, "/*") - 1)
			within = !/\*\//
			$0 = within && line == $0 ? "" : line
			sub(/^.*\*\//, "")
		}
		sub(/\/\/.*/, "")
	}
	/(^|[^a-z_>.])(fork|vfork|_Fork|posix_spawnp?|popen|system|clone|clone3) ?\(/ { print FILENAME }' | sort -u)
listed=$(awk '!/^#/ && NF { print $1 }' "$table" | sort -u)
for f in $(comm -23 <(echo "$calls") <(echo "$listed")); do
	echo "  $f: starts a process, and has no line in $table"
	bad=1
done
for f in $(comm -13 <(echo "$calls") <(echo "$listed")); do
	[ -z "$f" ] || echo "  $table: $f starts none"
	bad=1
done
awk -v table="$table" '!/^#/ && NF == 1 { printf "  %s:%d: a file, and what the process is for\n", table, NR; bad = 1 } END { exit bad }' "$table" || bad=1
if [ $bad = 0 ]; then
	echo "ok - forks: $(echo "$listed" | wc -l) files start processes"
else
	echo 'not ok - forks: tests/lint/forks.txt'
fi
exit $bad
