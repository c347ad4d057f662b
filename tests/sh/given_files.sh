#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a front end says of the files of -e is what tm-symbolize says of them.
# shellcheck disable=SC2016,SC2317 # check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

printf 'game+0x1139;game+0x1150 3\n' >calls.folded
cp /bin/true other
echo 'no binary' >game.map
printf 'PK\5\6%018d' 0 | tr 0 '\0' >empty.zip

while read -r file status; do
	tm-symbolize --no-cache -e "$file" calls.folded 2>all >named
	grep -F ": ${file#*=}: " all | sed 's/^tm-symbolize: //' >want
	timeout 60 tm-top -e "$file" calls.folded >out 2>err
	got=$?
	grep -F ": ${file#*=}: " err | sed 's/^tm-top: //' >said
	check "tm-top -e $file: status $status, and what tm-symbolize says" eval '[ $got = "$status" ] && [ -s want ] && cmp want said'
done <<'END'
game.map 3
empty.zip 3
other 0
absent=other 0
END

tm-top -e other <calls.folded >out 2>err
check 'tm-top -e of a pipe says that it gives no names' grep -q 'stdin.*tm-symbolize -e FILE | tm-top' err

exit $failed
