#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make demo: builds the game in testdata/src/demo, runs it for 300 frames, and shows the
# commands that turn the captures it wrote of itself into reports, with what they print. Then
# records a program that is not ours: Debian's python3, with the names of python3.11-dbg.

set -eu
SRC=${SRC:-$(cd "$(dirname "$0")/.." && pwd)}
BUILD=${BUILD:-$SRC/build/plain}
PATH=${BIN:-$BUILD/bin}:$PATH
export SRC

DATA=$BUILD sh "$SRC/testdata/make.d/demo.sh" gcc-dwarf5-O2 300
cd "$BUILD/demo/gcc-dwarf5-O2"

printf 'The game ran 300 frames and wrote, in %s:\n' "${PWD#"$SRC"/}"
wc -c arcade.mem arcade.stream arcade.maps arcade.smaps | sed '$d'

status=0
show() {
	printf '\n$ %s\n' "$1"
	bash -c "set -o pipefail; $1" || {
		status=$?
		printf 'demo.sh: exit status %d\n' "$status" >&2
	}
}

# /proc/self/maps has no build-ids: that the C library is this file has to be said, too.
libc=$(sed -n 's,^.* \(/[^ ]*/libc\.so\.6\)$,\1,p' arcade.maps | head -n 1)
files="-e bin/arcade -e bin/libengine.so${libc:+ -e $libc}"
show "tm-symbolize $files --maps arcade.maps arcade.mem > mem.tmt"
show "tm-top -n 10 --by type mem.tmt"
show "tm-top -n 10 --guess-sites mem.tmt"
show "tm-import --maps arcade.smaps --config loli3.conf arcade.stream | tm-symbolize $files | tm-top -n 10 --by function --cumulative"

python=/usr/bin/python3.11
words=$SRC/testdata/src/record
id=$(readelf -n "$python" 2>/dev/null | sed -n 's/^ *Build ID: //p')
if [ -n "$id" ] && [ -f "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]; then
	cp "$words/words.py" "$words/python.sites" .
	printf '\nA program that is not ours, and its debug file from Debian:\n'
	show "tm-record -q -o python.tmt -- $python words.py"
	show "tm-symbolize python.tmt | tm-top -n 10 --sites python.sites"
else
	printf '\nNot shown: %s recorded, since it or its symbols (python3.11, python3.11-dbg) are not here.\n' "$python"
fi
exit $status
