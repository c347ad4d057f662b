#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-record on a program that is not ours, as `make demo` shows it: Debian's python3, whose names
# come from the debug file of python3.11-dbg. What the script asks for is known: 50 buffers of 1 MiB
# (CPython adds a byte), made by PyByteArray_Resize, and given back.
set -u
. "$SRC/tests/capture.bash"

python=/usr/bin/python3.11
id=$(readelf -n "$python" 2>/dev/null | sed -n 's/^ *Build ID: //p')
if [ -z "$id" ] || [ ! -f "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]; then
	echo "skip - python3 with its symbols (no python3.11-dbg)"
	exit 0
fi
tm-record -q -o x.tmt -- $python "$SRC/testdata/src/record/words.py" >out 2>said
ok "the program says what it says" [ "$? $(cat out said)" = "0 30011 52428800" ]
tm-symbolize -q -o named.tmt x.tmt
tm-top -q --csv --sites "$SRC/testdata/src/record/python.sites" named.tmt >top.csv
ok "the buffers are first, by the function that makes them, with its line" \
	[ "$(sed -n 2p top.csv | grep -cE "^1,50,50,$((50 * ((1 << 20) + 1))),[0-9]+,0,0,0,[0-9.]+,PyByteArray_Resize,.*/Objects/bytearrayobject\.c,[0-9]+")" = 1 ]
ok "nearly every location has a name" tm-symbolize -q --gate 95 -o named.tmt x.tmt
ok "their callers lead to main" [ "$(tm-filter -q --focus '^PyByteArray_Resize$' named.tmt |
	tm-filter -q --focus '^Py_BytesMain$' | tm-dump -q | grep -c requested=1048577)" = 50 ]
