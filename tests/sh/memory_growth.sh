#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What tm-top --memory says of growth, for runs whose shape is known: a second, in which something happens each ms.
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# A block of 8 bytes comes and goes each ms; the program says what else happens before it, in the ms `ms`.
shape() { # NAME PROGRAM-OF-AWK
	awk "function take(bytes) { printf \"alloc malloc main;work %d %d - %d\\n\", bytes, ms * 1e6, ++block }
		function give(which) { printf \"free %d %d\\n\", which, ms * 1e6 }
		function at() { $2 }
		BEGIN {
			print \"metric count exact\\nmetric requested exact\\nmetric live exact\\nmetric time exact\"
			for (ms = 0; ms < 1000; ms++) { at(); take(8); give(block) }
		}" </dev/null | "$GEN/script" >"$1.tmt" 2>err
	tm-top --memory --width 0 "$1.tmt" >"$1" 2>err
}
says() { # NAME WORDS
	check "$1: $2" grep -q "growth .*$2" "$1"
}

# 1,000 B each ms are 1,000,000 B a second, which is 976.6 KiB.
shape leak 'take(1000)'
says leak 'it grows'
check '... by what it keeps in a second' grep -qF 'growth +976.6 KiB a second' leak

# The same backwards: 1,000 blocks are there from the start, and one goes each ms.
shape shrink 'if (!ms) while (block < 1000) take(1000); give(ms + 1)'
says shrink 'it shrinks'
check '... by what goes in a second' grep -qF 'growth -976.6 KiB a second' shrink

# A line through two rises, too: only that nothing rises for most of the time tells them from a leak.
shape steps 'if (ms == 250 || ms == 700) take(1000000)'
says steps 'at some times only, not through the whole run: no rate'

# Neither grows: what rises, or falls, for a fifth of the time, and what has another size each ms (of 1 to 10,000 B,
# which take the place of the one before). That the line is noise, and that it is not so throughout, are both right.
shape load 'if (ms < 200) take(5000)'
shape unload 'if (!ms) while (block < 1000) take(5000); if (ms >= 800) for (i = 1; i <= 5; i++) give((ms - 800) * 5 + i)'
for seed in 1 2 3 4 5 6 7 8 9 10; do
	shape noise$seed "if (ms) give(last); else seed = $seed; seed = seed * 16807 % 2147483647; take(1 + seed % 10000); last = block"
done
for name in load unload noise{1..10}; do
	check "$name: it neither grows nor shrinks" eval "grep -q '^growth.*: no ' $name && ! grep -qE 'it (grows|shrinks)' $name"
done
exit $failed
