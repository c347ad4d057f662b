#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Lines that a program writes to its recording: each as it was said, in the frame and the thread that said it. What is
# too long is cut between two letters: 255 bytes are 126 letters of two bytes and three dots, 252 + 3, or, one byte
# later, 125 of them, 1 + 250 + 3 = 254.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >game.c <<'X'
#include <pthread.h>
#include <string.h>
#include <tracemill.h>
static void *load(void *p)
{
	(void)p;
	tracemill_log(TRACEMILL_ERROR, "level 2: no such file\n");
	return 0;
}
int main(void)
{
	char text[601] = "";
	pthread_t t;

	tracemill_frame();
	tracemill_log(TRACEMILL_INFO, "level 1: load");
	tracemill_log(TRACEMILL_WARNING, "");
	tracemill_log(TRACEMILL_INFO, 0);
	tracemill_frame();
	pthread_create(&t, 0, load, 0);
	pthread_join(t, 0);
	for (int i = 0; i < 300; i++)
		strcat(text, "\303\244");
	tracemill_frame();
	tracemill_log(TRACEMILL_INFO, text);
	text[0] = 'x', memcpy(text + 1, text + 2, 598), text[599] = 0;
	tracemill_log(TRACEMILL_INFO, text);
	for (int i = 0; i < 10000; i++)
		tracemill_log(TRACEMILL_INFO, "again");
	return 0;
}
X
letters() { printf 'ä%.0s' $(seq "$1"); }
${CC:-cc} -I"$SRC/lib/recorder" -o game game.c -lpthread || exit 1
ok 'without a recorder the program does nothing' ./game
ok 'the program is recorded' tm-record -q -o game.tmt ./game
tm-frames -q --detail --csv --table log game.tmt | tr -d '\r' >log.csv
cat >want.csv <<X
0 info level 1: load
0 warning 
1 error level 2: no such file
2 info $(letters 126)...
2 info x$(letters 125)...
X
python3 - >got.csv <<'X'
import csv
for r in list(csv.DictReader(open("log.csv")))[:5]:
    print(r["frame"], r["level"], r["text"])
X
ok 'lines with their frames, and what is too long is cut' cmp got.csv want.csv
ok 'of 10,005 lines none is missing' [ "$(tm-dump -q game.tmt | grep -c '^log ')" = 10005 ]
ok 'the line of another thread is of that thread' [ "$(tm-dump -q game.tmt | awk '
	/^log / { for (i = 2; i <= NF; i++) if ($i ~ /^thread=/) n[$i]++ } END { for (i in n) print n[i] }' | sort -n | paste -sd ' ')" = '1 10004' ]

# --- from Lua: into a trace of its own, and into that of the program ---
cat >game.lua <<'X'
local tm = require "tracemill"
tm.start(arg[1])
tm.frame()
tm.log "one"
tm.log("two\n", "warning")
tm.log(("y"):rep(256), "error")
print(pcall(tm.log, "three", "loud"))
tm.stop()
X
found=
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	module=$BIN/../lib/$lua/tracemill.so
	if ! command -v "$lua" >said || [ ! -e "$module" ]; then
		continue
	fi
	found=y
	LUA_CPATH=$module "$lua" game.lua alone.tmt >said
	ok "$lua: a severity that there is not is an error" grep -q "^false.*invalid option 'loud'" said
	LUA_CPATH=$module tm-record -q -o joined.tmt "$lua" game.lua >said
	for t in alone joined; do
		ok "$lua: $t" [ "$(tm-dump -q "$t.tmt" | awk '/^marker / { name[$2] = $3 } /^log / {
			for (i = 2; i <= NF; i++) { if ($i ~ /^type=/) type = substr($i, 6); if ($i ~ /^name=/) text = $i }
			print name[type], text }')" = "$(printf '%s\n' 'name="info" name="one"' 'name="warning" name="two"' "name=\"error\" name=\"$(printf 'y%.0s' $(seq 252))...\"")" ]
	done
done
[ "$found" ] || echo "ok - the module # SKIP no Lua is here"
