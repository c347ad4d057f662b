#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-record --receive takes what an agent of LoliProfiler sends, byte for byte: of tm-record --serve, which stands in for
# the agent, and of a server in Python, which sends packets in pieces, breaks off, or sends something else.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >game.c <<'X'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	for (int i = 0; i < 20000; i++)
		free(malloc((size_t)(i % 100 + 1)));
	for (int i = 0; i < 50; i++) {
		if (!malloc(1000))
			return 1;
		usleep(20000);
	}
	return 0;
}
X
${CC:-cc} -o game game.c || exit 1
served() { # file: the port that it names
	local i

	for ((i = 0; i < 200; i++)); do
		sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$1" | grep . && return
		sleep 0.05
	done
}
tm-record --as loli --serve --port 0 -o sent ./game 2>said &
port=$(served said)
ok 'all is received' tm-record -q --receive "$port" -o got
wait $!
ok 'byte for byte' cmp sent got
ok 'with the blocks that the program leaks' [ "$(tm-top -q --as json got | jq '.numbers.live_blocks')" -ge 50 ]

# What a server in Python sends; a word of its command: pieces, cut, other, silent.
cat >agent.py <<'X'
import socket, struct, sys, time

def packet(raw):  # an LZ4 block of literals alone: a token and lengths of 255 each
    n = len(raw)
    block = bytes([min(n, 15) << 4]) + (b"" if n < 15 else b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])) + raw
    return struct.pack("<III", len(block) + 8, 0, n) + block

def record(seq, size, address):
    body = struct.pack("<BIqIQB", 1, seq, seq, size, address, 1) + struct.pack("<QQ", 0x1000, 0x2000)
    return struct.pack("<H", len(body)) + body

data = b"".join(packet(b"".join(record(k * 100 + i, 8, 0x10000 + (k * 100 + i) * 16) for i in range(100))) for k in range(20))
how = sys.argv[1]
if how == "other":
    data += b"HTTP/1.1 200 OK\r\n\r\n"
open("sent", "wb").write(data)
s = socket.create_server(("127.0.0.1", 0))
print("127.0.0.1:%d" % s.getsockname()[1], flush=True)
c, _ = s.accept()
if how == "cut":
    data = data[:-10]
for i in range(0, len(data), 997):
    c.sendall(data[i:i + 997])
    if how == "pieces":
        time.sleep(0.001)
if how == "silent":
    time.sleep(30)
X
try() { # how, options
	python3 agent.py "$1" >listens &
	port=$(served listens)
	tm-record --receive "127.0.0.1:$port" -o got "${@:2}" 2>said
	status=$?
}
try pieces
ok 'packets in pieces' cmp sent got
ok '2000 blocks of 8 bytes in them' [ "$status $(tm-top -q --as json got | jq -c '[.numbers.allocations, .numbers.live_requested]')" = '0 [2000,16000]' ]
try pieces --follow
ok 'written as it comes, it is the same' cmp sent got
try cut
ok 'a connection that ends within a packet is an error' [ "$status" = 3 ]
ok 'which says so' grep -q 'the connection ended within a packet' said
ok 'and what came is kept' cmp <(head -c -10 sent) got
try other
ok 'what is no packet is an error' grep -q "no packet begins at byte $(($(stat -c %s sent) - 19)) of its data" said
ok 'and none of it is kept' cmp <(head -c -19 sent) got
try silent --idle 1
ok 'an agent that falls silent is an error' grep -q 'nothing came for 1000 ms' said
ok 'with all that came' cmp sent got
kill %% 2>/dev/null
try silent --duration 1
ok 'a recording of one second ends well' [ "$status" = 0 ]
ok 'with all that came, too' cmp sent got
kill %% 2>/dev/null
tm-record --receive 1 -o none 2>said
ok 'nothing listens' [ "$? $(grep -c 'nothing listens at port 1$' said)" = '3 1' ]
tm-record --receive 99999 -o none 2>said
ok 'no port' [ "$? $(grep -c "'99999' is not PORT or HOST:PORT" said)" = '3 1' ]
tm-record --receive 1 -- ls 2>said
ok 'not with a program' [ $? = 2 ]
tm-record --receive 1 --unity 127.0.0.1 2>said
ok 'not with a player' [ $? = 2 ]
