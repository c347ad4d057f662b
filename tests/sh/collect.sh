#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 200
#
# tm-symbolize --missing and --collect: what a capture needs, and a folder of it by build-id, which
# tm-symbolize itself and eu-unstrip's and gdb's layout agree on.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
status() { # WANT COMMAND...
	local want=$1

	shift
	"$@" >out 2>err
	[ $? = "$want" ]
}

echo '__attribute__((noinline)) int one(int n) { return n * 3; } int main(int c, char **v) { return one(c) == 99; }' >a.c
if ! ${CC:-cc} -g -O1 -Wl,--build-id a.c -o whole 2>err || ! command -v objcopy >/dev/null; then
	echo 'skip - a binary with a build-id (none is made here)'
	exit $failed
fi
id=$(readelf -n whole | sed -n 's/ *Build ID: //p')
at=$(nm whole | awk '$3 == "one" { print $1 }')
objcopy --only-keep-debug whole whole.debug && cp whole stripped && strip stripped &&
	(cd . && objcopy --add-gnu-debuglink=whole.debug stripped)
# A log with one call in the stripped binary, as a capture.
echo "    #0 0x1000 (/opt/elsewhere/game+0x${at##*0000}) (BuildId: $id)" >log
echo "    #1 0x1000 (/opt/elsewhere/libnone.so+0x20) (BuildId: 00112233445566778899aabbccddeeff00112233)" >>log
need="$id	/opt/elsewhere/game	no file for its module
00112233445566778899aabbccddeeff00112233	/opt/elsewhere/libnone.so	no file for its module"
check 'what is missing: status 4' status 4 tm-symbolize -q --missing --no-local -f crash-log log
check '... by build-id, name and reason' [ "$(cat out)" = "$need" ]
check 'what is given lacks no more' status 4 tm-symbolize -q --missing --no-local -f crash-log -e whole log
check '... the other one does' [ "$(cat out)" = "${need#*$'\n'}" ]
mkdir alone && cp stripped alone/
check 'a binary without DWARF lacks its debug file' \
	[ "$(tm-symbolize -q --missing --no-local -f crash-log -e alone/stripped log 2>err | head -n 1)" = "$id	/opt/elsewhere/game	no DWARF: its debug file" ]
check 'nothing lacks: status 0' eval 'head -n 1 log | status 0 tm-symbolize -q --missing --no-local -f crash-log -e whole'

here=kept/.build-id/${id:0:2}/${id:2}
check 'a build is kept' status 0 tm-symbolize --collect kept stripped
check '... the binary, as it is' cmp -s stripped "$here"
check '... and its debug file' cmp -s whole.debug "$here.debug"
check '... which is told' grep -q 'kept: 2 files copied' err
check 'once' eval 'status 0 tm-symbolize --collect kept stripped; grep -q "0 files copied.*2 were there" err'
check 'no part is left' [ -z "$(find kept -name '*.part')" ]
check 'the folder gives names' grep -q 'in one ' \
	<(tm-symbolize -q --text --no-local --debug-dir kept <log 2>err)
check 'what a capture needs is kept' eval 'status 0 tm-symbolize -q --collect kept2 --no-local -f crash-log -e whole log; cmp -s whole "kept2/.build-id/${id:0:2}/${id:2}"'
check 'a folder that cannot be made is status 3' status 3 tm-symbolize --collect no/such/folder log
check 'one thing at a time' status 2 tm-symbolize --collect kept --missing log
exit $failed
