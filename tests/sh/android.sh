#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Android's recipe of tm-record(1) as far as it goes without a device: its wrap.sh around a program that knows
# what it allocates, and its adb commands by the real client with a server of its protocol
# (tests/adb_server.py), which has one device with one file and one player.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"
package=com.example.game

# The page's own lines. What is other here: the shell, the device's folder.
page=$SRC/man/tm-record.1
mkdir -p "device/files" lib
sed -n '/^#!\/system\/bin\/sh/,/^exec /p' "$page" >lib/wrap.sh
ok "the page has wrap.sh" [ "$(wc -l <lib/wrap.sh)" = 5 ]
sed -i "s,^#!.*,#!/bin/sh,; s,/data/data/$package,$PWD/device," lib/wrap.sh
cp "$BIN/../lib/libtracemill-capture.so" lib/
chmod +x lib/wrap.sh
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -I"$SRC" "$SRC/testdata/src/record/blocks.c" -o blocks -lpthread; then
	echo "not ok - blocks.c compiles"
	exit 1
fi
lib/wrap.sh ./blocks frames 2>said
grep '^allocs' said >want
sums device/files/run.tmt >got
ok "wrap.sh: all that the program allocates is in the trace" cmp -s want got
ok "... which the program says is something" [ -s want ]

if ! command -v adb >/dev/null; then
	echo "skip - adb's commands (adb is not here)"
	exit 0
fi
"$GEN/unity" --tcp swapped --frames 60 >u.tcp 2>err
"$GEN/player" 0 u.tcp >played &
player=$!
until grep -qs port played; do sleep 0.05; done
python3 "$SRC/tests/adb_server.py" device $package "$(sed -n 's/port //p' played)" >served 2>err &
server=$!
trap 'kill $server $player 2>/dev/null' EXIT
until grep -qs port served || ! kill -0 $server; do sleep 0.05; done
# Never a server of this machine: the port is ours, and adb starts one only where nothing listens.
ANDROID_ADB_SERVER_PORT=$(sed -n 's/^port //p' served)
export ANDROID_ADB_SERVER_PORT HOME=$PWD
fetch=$(grep '^adb exec-out' "$page")
bash -c "timeout 60 $fetch" 2>err
ok "adb exec-out brings the trace, byte for byte" cmp -s device/files/run.tmt run.tmt
ok "... and what it adds up to is still what the program says" cmp -s want <(sums run.tmt)
forward=$(grep '^adb forward' "$page")
bash -c "timeout 60 ${forward/55000/0}" >port 2>err
ok "adb forward gives a port" [ "$(cat port)" -gt 0 ]
tm-record --unity "127.0.0.1:$(cat port)" --idle 1 -o game.tcp 2>err
ok "... behind which the player's stream is whole" cmp -s u.tcp game.tcp
ok "another package's player is not there" eval "! timeout 60 adb forward tcp:0 localabstract:Unity-other 2>err"
