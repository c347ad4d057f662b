#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Own code below a ranking whose sites have no names: the same sums by the first call outward in a module that has
# debug information or is no library of the system. The capture is written here, so that each stack's bytes, and the
# sums of each report, are known: a game without symbols calls a driver of the system, which allocates.
# shellcheck disable=SC2317 # check calls the functions
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# A gperftools profile: of each stack the bytes, and its addresses, innermost first. d: the driver in /usr/lib, e: another
# one, g: the game in /opt.
written() { # reads the stacks
	awk '
		{ n++; bytes += $1; line = sprintf(" 1: %d [ 1: %d] @", $1, $1)
		  for (i = 2; i <= NF; i++) {
			base = substr($i, 1, 1)
			at = substr($i, 2)
			while (length(at) < 4) at = "0" at
			line = line " 0x" (base == "d" ? "7f100000" : base == "e" ? "7f200000" : "55000000") at
		  }
		  lines = lines line "\n" }
		END {
			printf "heap profile: %d: %d [%d: %d] @ heapprofile\n%s\nMAPPED_LIBRARIES:\n", n, bytes, n, bytes, lines
			print "550000000000-550000010000 r-xp 00000000 08:01 7 " game
			print "7f1000000000-7f1000010000 r-xp 00000000 08:01 8 /usr/lib/dri/driver.so"
			print "7f2000000000-7f2000010000 r-xp 00000000 08:01 9 " other
		}' game="${game-/opt/game/game}" other="${other-/lib/other.so.1}"
}
# "SITE BYTES", sorted, of the table
own() {
	tm-top -q --csv -n 0 --table own "$1" 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["site"], $at["live_requested"] }' | sort
}
same() {
	diff want got >err
	check "$1" test ! -s err
}

cat >stacks <<'END'
1000 d100 d200 g300 g400
2000 d100 d200 g300 g500
400 d104 e100 g304 g400
70 d100 e200
30 d108
500 g600 g400
END
written <stacks >game.heap
tm-top -q -n 0 --table own --csv game.heap >/dev/null 2>err
# By hand: 3000 + 400 + 500 are below the game, at three calls; the rest is in libraries alone.
printf '%s\n' 'game+0x300 3000' 'game+0x304 400' 'game+0x600 500' '(no own code) 100' | sort >want
own game.heap >got
same 'the first call of the game, and the rest'
sum() { awk '{ n += $NF } END { print n }' "$1"; }
equals 'the rows add up to all' "$(sum got)" "$(sum <(awk '{ print $1 }' stacks))"
equals 'as the ranking does' "$(tm-top -q --as json game.heap | jq -c '[.sections[] | select(.name == "top" or .name == "own") | [.rows[].live_requested] | add]')" '[4000,4000]'

# --- in each form ---

check 'text: below the ranking' test "$(tm-top -q game.heap | grep -c -e '^top [0-9]* of 4 sites by ' -e '^own code: top 4 of 4 sites by ')" = 2
check 'Markdown has it' grep -q 'own code: top 4 of 4' <(tm-top -q --as markdown game.heap)
check 'a page has it' grep -q 'own code: top 4 of 4' <(tm-top -q --as html game.heap)
check 'the note says what own code is' grep -qx 'own code: the first call outward in a module that has debug information or is no library of the system' <(tm-top -q game.heap)
none() { ! grep -q 'own code' <(tm-top -q "$@"); }
check 'not where another order is asked for' none --by site game.heap
check 'nor a call tree' none --tree game.heap

# --- where it says nothing ---

printf '%s\n' '900 g100 g200' '100 d100 g100' >stacks
written <stacks >own.heap
check 'more: nine tenths are own code already, one is not' grep -q 'own code: top 1 of 1' <(tm-top -q own.heap)
printf '%s\n' '900 g100 g200' >stacks
written <stacks >only.heap
check 'no more than the sites' none only.heap
printf '%s\n' '99100 g100 g200' '900 d100 g100' >stacks
written <stacks >little.heap
check 'less than a hundredth' none little.heap
printf '%s\n' '900 d100 e200' >stacks
written <stacks >libraries.heap
check 'libraries alone' none libraries.heap
# A half is not more than half: names of the capture for the others.
cat >named.txt <<'END'
main;spawn 100
main;load 50
END
check 'most have names' none named.txt

# --- a library of the system with debug information is own code, and a base name alone is no library of the system ---

printf '%s\n' '700 d100 e200 g300' '200 d100 g300' >stacks
other=other.so.1 written <stacks >base.heap
printf '%s\n' 'other.so.1+0x200 700' 'game+0x300 200' | sort >want
own base.heap >got
same 'a base name'
if ${CC:-cc} -g -O1 -shared -fPIC -o debug.so -x c - <<<'int f(int x) { return x * 3 + 1; } int g(int x) { return f(x) - 7; }' 2>err; then
	at=$(nm debug.so | awk '$3 == "f" { print $1 }')
	printf '700 d100 e%x g300\n' $((16#$at + 1)) >stacks
	other=/usr/lib/debug.so written <stacks >debug.heap
	tm-symbolize -q --no-local --module-file debug.so=debug.so -o debug.tmt debug.heap 2>err
	printf 'f 700\n' >want
	own debug.tmt >got
	same 'a library with debug information'
fi
exit $failed
