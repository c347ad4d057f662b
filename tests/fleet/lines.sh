#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The contract of engines that pass lines (Hadoop Streaming, Spark's pipe()): names of captures in,
# one a line; records as lines out; sorted by key, split by key among reducers, in any order that
# leaves equal keys together.
set -u
# shellcheck source=tests/fleet/fleet.bash
. "$SRC/tests/fleet/fleet.bash"

captures 5
alone
export FLEET_LINES=1
# Mappers get parts of the list.
split -l 2 list part.
for p in part.*; do "$SRC/fleet/worker" <"$p" >"map.$p" || failed=1; done
check "three mappers" [ "$(find . -name 'map.*' | wc -l)" = 3 ]
LC_ALL=C sort map.* | tm-merge --from-lines -o one.tma
check "one reducer: the same bytes as one machine's" cmp alone.tma one.tma
check "a mapper that is run again says the same" cmp <("$SRC/fleet/worker" <part.aa) map.part.aa

# What a worker starts is held by its sandbox (a sanitizer's builds have none), and does the same.
mkdir verbose
for program in tm-symbolize tm-compare tm-merge; do
	# shellcheck disable=SC2016 # the script expands it
	printf '#!/bin/sh\n[ "$1" = -q ] && shift\nexec "%s" -v "$@"\n' "$BIN/$program" >"verbose/$program"
done
chmod +x verbose/*
FLEET_OUT=again PATH=$PWD/verbose:$PATH "$SRC/fleet/worker" <part.aa >held 2>said
check "a mapper whose programs say what holds them: the same" cmp held map.part.aa
check "each of them says it" test "$(sed -n 's/: sandbox: \(seccomp\|Landlock\|none\|off: a sanitizer\).*//p' said |
	sort -u | tr '\n' ' ')" = 'tm-compare tm-merge tm-symbolize '

# Four reducers; each key goes to one of them, by a sum over its characters.
cat map.* | awk -F '\t' '
	BEGIN { for (i = 0; i < 128; i++) code[sprintf("%c", i)] = i }
	{
		sum = 0
		for (i = length($1); i > 0; i--)
			sum += code[substr($1, i, 1)]
		print > ("shuffle." sum % 4)
	}'
for k in 0 1 2 3; do
	LC_ALL=C sort "shuffle.$k" | tm-merge --from-lines --lines >"reduced.$k" || failed=1
done
LC_ALL=C sort -m reduced.? | tm-merge --from-lines -o four.tma
check "four reducers: the same bytes" cmp alone.tma four.tma
# As combiners do, before the shuffle.
for p in map.*; do LC_ALL=C sort "$p" | tm-merge --from-lines --lines; done |
	LC_ALL=C sort | tm-merge --from-lines -o combined.tma
check "combiners before: the same bytes" cmp alone.tma combined.tma

printf '%s\n\n%s\tkey\n' "$(sed -n 1p list)" "$(sed -n 2p list)" | "$SRC/fleet/worker" >out.lines
check "empty lines, and values behind a tab" cmp out.lines map.part.aa
echo "$PWD/none.tmt" | "$SRC/fleet/worker" >none 2>err
check "a capture that is not there: status 3, and no line" [ $? = 3 -a ! -s none ]
head -n -1 reduced.0 >cut.0
LC_ALL=C sort -m cut.0 reduced.[123] | tm-merge --from-lines -o cut.tma 2>err
check "a reducer's last line lost" [ ! -e cut.tma ]
exit "$failed"
