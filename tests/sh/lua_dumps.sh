#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Dumps of Lua's objects as games write them: blank lines between the lines (Windows' text mode), CRLF,
# LuaJIT's functions without an address; and objects of two dumps distinguished by their addresses.
# shellcheck disable=SC2317
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
is() { # GOT WANT
	[ "$1" = "$2" ] || { printf '%s\n' "$1" >err && false; }
}

rule=--------------------------------------------------------
dump() { # LINE...: a LuaMemRefInfo-*.txt of them
	printf '%s\n' $rule '-- Collect memory reference at line:23@file:main.lua' $rule
	printf '%s\n' $'-- [Table/Function/String Address/Name]\t[Reference Path]\t[Reference Count]' $rule
	printf '%s\n' '-- From Root Object: table: 0x55d872221b50 (registry)' "$@"
}
objects() { tm-dump -q "$1" | grep -c '^object'; }

lines=(
	$'table: 0x55d872221b50\tregistry\t1'
	$'function: 0x40a1c2d8\tregistry.run[line:3@file:main.lua]\t1'
	$'function: builtin#29\tregistry.print[line:-1@file:[C]]\t2'
	$'function: builtin#3\tregistry.next[line:-1@file:[C]]\t1'
	$'string: "name"\tregistry.name[string]\t1'
)
dump "${lines[@]}" >plain.txt
check 'LuaJIT: functions without an address are there' is "$(objects plain.txt)" 5
check '... and nothing is lost' is "$(tm-dump -q plain.txt | grep -c '^note loss')" 0
tm-dump -q plain.txt | grep '^object' >got
check '... by their names' is "$(grep -c 'name="builtin#' got)" 2
check 'the address of a table is its id' grep -q 'address=0x55d872221b50' got
sed 's/$/\n/' plain.txt >blank.txt
sed 's/$/\r/' plain.txt >crlf.txt
sed 's/$/\r\n\r/' plain.txt >both.txt
for f in blank crlf both; do
	check "$f: recognized, with all objects" is "$(objects $f.txt)" 5
done
head -c -1 plain.txt >cut.txt
check 'without its last newline: all objects' is "$(objects cut.txt)" 5
printf '+userdata: 0x00002000 [table\r\n(nil) : [registry]\r\n]\r\n' >snapshot.txt
check 'lua-snapshot with CRLF: recognized' is "$(objects snapshot.txt)" 1
check '... and nothing is lost' is "$(tm-dump -q snapshot.txt | grep -c '^note loss')" 0

# Three tables, of which one has got another path, and 0x5000 took the place of 0x4000.
dump $'table: 0x10001000\ta\t1' $'table: 0x10002000\ta.b\t1' $'table: 0x10004000\ta.c\t1' \
	$'string: "s"\ta.s[string]\t1' >before.txt
dump $'table: 0x10001000\ta\t1' $'table: 0x10002000\tx.b\t1' $'table: 0x10005000\ta.c\t1' \
	$'string: "s"\ta.s[string]\t1' >after.txt
count() { # OPERATION BY
	tm-heap -q --set "$1" --same "$2" --csv --objects 0 before.txt after.txt 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		!NF { exit }
		{ n += $at["count"] }
		END { print n + 0 }'
}
# The moved table is new and gone by its path; by its address only what came and what went is.
check 'xor by path' is "$(count xor path)" 2
check 'add by path' is "$(count add path)" 1
check 'xor by address' is "$(count xor address)" 2
check 'add by address' is "$(count add address)" 1
check 'and by address: with the string, which has none' is "$(count and address)" 3
tm-heap -q --set add --same address before.txt after.txt >got 2>err
check 'what came has its address' grep -q 10005000 got
tm-heap -q --set add --same path before.txt after.txt >got 2>err
check '... which the path says of the one that moved' grep -q 10002000 got
tm-import -q -o before.tmt before.txt
tm-import -q -o after.tmt after.txt
tm-heap -q --set xor --same address before.tmt after.tmt >got 2>err
tm-heap -q --set xor --same address before.txt after.txt | sed 's/\.txt/.tmt/g' >want
check 'the same through tm-import' cmp -s want got
printf 'total memroy: 12\npotential leak(7) in {_G.cache,_R.1}\n' >none.txt
tm-heap -q --set add --same address none.txt none.txt >got 2>err
check 'objects without addresses: status' is $? 3
check '... and why' grep -q 'no addresses' err
exit $failed
