#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
#
# tm-record --unity with a stand-in for the player (testdata/gen/player.c), which plays a recorded
# stream: whole, cut, broken, silent, or not a player at all.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

"$GEN/unity" --tcp swapped --frames 60 >u.tcp 2>/dev/null
first=$((24 + $(od -An -tu4 -j20 -N4 u.tcp))) # the first message ends there

play() { # how; tm-record's options are in the array options
	rm -f played
	# shellcheck disable=SC2086 # words
	"$GEN/player" "${port:-0}" u.tcp $1 >played &
	player=$!
	for _ in $(seq 100); do
		grep -qs port played && break
		sleep 0.05
	done
	tm-record --unity "127.0.0.1:$(sed -n 's/port //p' played)" --idle 1 -o got.tcp "${options[@]}" >out 2>err
	status=$?
	wait $player
}
options=()

# Whether what was sent to and from this port is read, both ways (proc(5): tx_queue:rx_queue).
drained() {
	awk -v port="$(printf ':%04X$' "$1")" '($2 ~ port || $3 ~ port) && $4 == "01" && $5 != "00000000:00000000" { bad = 1 }
		END { exit bad }' /proc/net/tcp
}

play ""
ok "a player: its stream, byte for byte" cmp -s u.tcp got.tcp
ok "a player: status 0, nothing said" [ "$status $(wc -l <err)" = "0 0" ]
ok "its profiler is turned on, set to its version, and off" [ "$(sed 1d played | tr '\n' ' ')" = "mode 1 mode 8189 mode 0 " ]
tm-import -q -o a.tmt u.tcp
tm-import -q -o b.tmt got.tcp
ok "what the reader makes of it" cmp -s a.tmt b.tmt

"$GEN/unity" --tcp swapped --frames 10 --version 20171110 >old.tcp 2>/dev/null
cp u.tcp new.tcp
cp old.tcp u.tcp
play ""
ok "a player of 2018.1 keeps mode 1" [ "$(sed 1d played | tr '\n' ' ')" = "mode 1 mode 0 " ]
# A player whose identifiers have the digits of each byte the other way round: the stream is kept, and none of it is data.
perl -pe 's/\x5c\xd8\x77\x81\xf4\xb4\xb4\x95/\xc5\x8d\x77\x18\x4f\x4b\x4b\x59/g' new.tcp >u.tcp
play ""
ok "no data among the messages: said" [ "$status $(grep -c "no profiler data among [0-9]* messages" err)" = "0 1" ]
ok "... and they are kept" cmp -s u.tcp got.tcp
cp new.tcp u.tcp

kept() { # what, bytes, words of the error
	ok "$1: status 3, one line" [ "$status $(grep -c "$3" err) $(wc -l <err)" = "3 1 1" ]
	head -c "$2" u.tcp | cmp -s - got.tcp
	ok "$1: what came is kept" [ $? = 0 ]
}
play "cut 100000"
kept "cut within a message" 100000 "ended within a message: [0-9]* bytes are missing"
play "cut $first"
ok "ended between messages: fine" [ "$status $(wc -c <got.tcp)" = "0 $first" ]
play "cut $((first + 10))"
kept "cut within a header" "$first" "ended within a message: 14 bytes are missing"
play "junk $first"
kept "junk behind a message" "$first" "no message begins at byte $first of its data"
play "stall 50000"
kept "half-open" 50000 "nothing came for 1000 ms"
play "reset 60000"
ok "a broken connection: status 3" [ "$status $(wc -l <err)" = "3 1" ]
ok "a broken connection: what came is kept" cmp -s -n "$(wc -c <got.tcp)" u.tcp got.tcp
rm -f got.tcp
play silent
ok "somebody who says nothing is no player" [ "$status $(grep -c 'is not a player: it accepts and sends nothing' err)" = "3 1" ]
ok "and nothing is written" [ ! -e got.tcp ]
play deaf
ok "somebody who hangs up is none" [ "$status $(grep -c 'is not a player' err)" = "3 1" ]
cp /bin/sh u.tcp
play ""
ok "somebody of another protocol is none" [ "$status $(grep -c "not a player: no message begins at byte 0 of its data" err)" = "3 1" ]
cp new.tcp u.tcp

options=(--duration 1)
play stay
ok "a duration ends it soundly" [ "$status $(cmp u.tcp got.tcp && echo same)" = "0 same" ]
options=(--idle 20)
"$GEN/player" 0 u.tcp stay >played &
until grep -qs port played; do sleep 0.05; done
tm-record -v --unity "127.0.0.1:$(sed -n 's/port //p' played)" -o got.tcp 2>err &
recorder=$!
until grep -q 8189 played; do sleep 0.05; done
until drained "$(sed -n 's/port //p' played)"; do sleep 0.05; done
held=$(sed -n 's/^\(Seccomp\|NoNewPrivs\):[^0-9]*//p' /proc/$recorder/status | tr '\n' ' ')
kill -INT $recorder
wait $recorder
ok "an interrupt ends it soundly" [ "$? $(cmp u.tcp got.tcp && echo same)" = "0 same" ]
case $(sed -n 's/^tm-record: sandbox: //p' err) in
seccomp*) ok "it was in its sandbox while it recorded" [ "$held" = "1 2 " ] ;;
off:\ a\ sanitizer*) echo "skip - recording a player in the sandbox (a sanitizer's build has none)" ;;
none* | Landlock*) echo "skip - recording a player in the sandbox (no seccomp here)" ;;
*) ok "it says whether it is in a sandbox" false ;;
esac
wait

"$GEN/player" 0 u.tcp stay >played &
until grep -qs port played; do sleep 0.05; done
rm -f follow.tcp
tm-record --unity "127.0.0.1:$(sed -n 's/port //p' played)" --follow -o follow.tcp &
recorder=$!
for _ in $(seq 100); do
	cmp -s u.tcp follow.tcp && break
	sleep 0.05
done
ok "--follow: the file is there while it is recorded" cmp -s u.tcp follow.tcp
kill -9 $recorder
wait $recorder 2>/dev/null
wait
ok "--follow: and stays when the recorder is killed" cmp -s u.tcp follow.tcp

tm-record --unity 127.0.0.1:1 -o got2.tcp 2>err
ok "nobody there: status 3 and a line" [ "$? $(grep -c 'nothing listens at port 1$' err)" = "3 1" ]
tm-record --unity "127.0.0.1:$(printf '%04000d' 1)" -o got2.tcp 2>err
ok "a port may begin with zeros" [ "$? $(grep -c 'nothing listens at port 1$' err)" = "3 1" ]
tm-record --unity 127.0.0.1:99999 2>err
ok "no such port" [ "$? $(grep -c 'is not HOST or HOST:PORT' err)" = "3 1" ]
tm-record --unity x -- ls 2>err
ok "a player and a program: a usage error" [ $? = 2 ]

# The scan: a player at one of the documented ports, and others before it that are no players.
"$GEN/player" 55009 u.tcp >played 2>&1 &
player=$!
"$GEN/player" 55002 u.tcp silent >other 2>&1 &
other=$!
for ((i = 0; i < 100; i++)); do
	[ "$(cat played other | grep -c .)" -lt 2 ] || break
	sleep 0.05
done
if ! grep -q '^port 55009' played || ! grep -q '^port 55002' other; then
	echo "skip - the scan of ports (55002 or 55009 is taken)"
	kill $player $other 2>/dev/null
else
	tm-record --unity 127.0.0.1 -o scanned.tcp 2>err
	ok "the scan finds the player behind a port that is none" [ "$? $(cmp u.tcp scanned.tcp && echo same)" = "0 same" ]
fi
wait 2>/dev/null

# A player that announces itself, as the editor finds it: its text, sent to the port of the group. (A datagram to this machine
# alone: a network of the test's own would need rights.)
announce() { # times, port and id of each player
	python3 - "$@" <<'X'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
times, players = int(sys.argv[1]), list(zip(sys.argv[2::2], sys.argv[3::2]))
for i in range(times):
    s.sendto(b"nothing of the kind", ("127.0.0.1", 54997))
    for port, name in players:
        s.sendto(("[IP] 10.1.2.3 [Port] %s [Flags] 3 [Guid] 1204 [EditorId] 42 [Version] 1048832 [Id] %s [Debug] 1 "
                  "[PackageName] AndroidPlayer\0" % (port, name)).encode(), ("127.0.0.1", 54997))
    time.sleep(0.2)
X
}
"$GEN/player" 0 u.tcp >played &
for ((i = 0; i < 100; i++)); do
	grep -q '^port' played && break
	sleep 0.05
done
port=$(sed -n 's/port //p' played)
announce 20 "$port" 'AndroidPlayer(Pixel_7@10.1.2.3)' &
tm-record --unity any --idle 8 -o any.tcp 2>err
ok "a player that announces itself is recorded" cmp -s any.tcp u.tcp
ok "and named" grep -q "player AndroidPlayer(Pixel_7@10.1.2.3) at 127.0.0.1:$port" err
wait
announce 20 1111 'A(one)' 2222 'B(two)' &
tm-record --unity any --idle 8 -o two.tcp 2>err
ok "of two players both are named, and none is taken" [ "$? $(grep -c 'player A(one) at 127.0.0.1:1111\|player B(two) at 127.0.0.1:2222\|2 players announce themselves: name one' err)" = '3 3' ]
wait
tm-record --unity any --idle 1 -o none.tcp 2>err
ok "without a player" [ "$? $(grep -c 'no player has announced itself within 1 s' err)" = '3 1' ]
wait 2>/dev/null
exit 0
