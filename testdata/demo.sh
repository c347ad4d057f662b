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

printf 'A small game ran for 300 frames and wrote these captures of itself, in %s:\n' "${PWD#"$SRC"/}"
wc -c arcade.mem arcade.stream arcade.maps arcade.smaps | sed '$d'

status=0
show() { # $1: what to see, $2: the command
	printf '\n%s\n\n$ %s\n' "$1" "$2"
	bash -c "set -o pipefail; $2" || {
		status=$?
		printf 'demo.sh: exit status %d\n' "$status" >&2
	}
}

files='-e bin/arcade -e bin/libengine.so'
show 'First, the addresses of the capture get their functions, files and lines, once for all reports:' \
	"tm-symbolize $files --maps arcade.maps arcade.mem > mem.tmt"
show 'Which types does the game allocate? Share is the part of all bytes:' \
	"tm-top -n 10 --by type mem.tmt"
show "Which lines ask for them? The engine's own allocators are passed over, so that a row is a line of the game:" \
	"tm-top -n 10 --guess-sites mem.tmt"
show "Who causes the native allocations of the same run? Total is a function's own and those of all that it calls:" \
	"tm-import --maps arcade.smaps --config loli3.conf arcade.stream | tm-symbolize $files | tm-top -n 10 --by function --cumulative"

python=/usr/bin/python3.11
words=$SRC/testdata/src/record
id=$(readelf -n "$python" 2>/dev/null | sed -n 's/^ *Build ID: //p')
if [ -n "$id" ] && [ -f "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]; then
	cp "$words/words.py" "$words/python.sites" .
	show "A program that is not ours, recorded: Debian's Python counts the words of its own library." \
		"tm-record -q -o python.tmt -- $python words.py"
	show 'Which functions of Python allocate, and how much of it is still live at the end?' \
		"tm-symbolize python.tmt | tm-top -n 10 --sites python.sites"
else
	printf '\nNot shown: %s recorded, since it or its symbols (python3.11, python3.11-dbg) are not here.\n' "$python"
fi

tm-top -q --guess-sites --as html mem.tmt >arcade.html || status=$?
bin=${BIN:-$BUILD/bin}
cat <<X

The ranking of lines as a page: ${PWD#"$SRC"/}/arcade.html
Next:
    ${bin#"$SRC"/}/tracemill run ./your-program      records your program and reports
    ${bin#"$SRC"/}/tracemill view ${PWD#"$SRC"/}/mem.tmt      looks around in a browser
    ${bin#"$SRC"/}/tracemill show FILE      says what a file is, and prints what fits it
X
exit $status
