# SPDX-License-Identifier: MIT
"""A small server of adb's protocol for tests/sh/android.sh, as adb's SERVICES.TXT and OVERVIEW.TXT have it:
a request is four hexadecimal digits and so many bytes; the answer is OKAY or FAIL. One device, whose files
are those of a folder and whose shell runs "run-as PACKAGE cat FILE" in it alone.

    adb_server.py FOLDER PACKAGE PLAYER     prints its port; PLAYER: the port behind localabstract:Unity-PACKAGE
"""
import os
import shlex
import socket
import sys
import threading

folder, package, player = sys.argv[1], sys.argv[2], int(sys.argv[3])
VERSION = 41  # of the server that adb 1.0.41 wants


def exactly(s, n):
    b = b""
    while len(b) < n:
        more = s.recv(n - len(b))
        if not more:
            raise EOFError
        b += more
    return b


def text(b):
    return b"%04x" % len(b) + b


def copy(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def forward(listener):
    while True:
        a, _ = listener.accept()
        b = socket.create_connection(("127.0.0.1", player))
        threading.Thread(target=copy, args=(a, b), daemon=True).start()
        threading.Thread(target=copy, args=(b, a), daemon=True).start()


def serve(s):
    try:
        while True:
            request = exactly(s, int(exactly(s, 4), 16)).decode()
            print("request", request, flush=True)
            words = shlex.split(request)
            if request == "host:version":
                s.sendall(b"OKAY" + text(b"%04x" % VERSION))
            elif request in ("host:features", "host:host-features"):
                s.sendall(b"OKAY" + text(b"shell_v2,cmd"))
            elif request.startswith("host:tport:"):
                s.sendall(b"OKAY" + (1).to_bytes(8, "little"))
                continue
            elif request.startswith("host:transport"):
                s.sendall(b"OKAY")
                continue
            elif request.startswith("host:forward:tcp:"):
                here, there = request[len("host:forward:tcp:"):].split(";")
                if there != "localabstract:Unity-" + package:
                    s.sendall(b"FAIL" + text(b"nothing listens there"))
                    return
                listener = socket.create_server(("127.0.0.1", int(here)))
                threading.Thread(target=forward, args=(listener,), daemon=True).start()
                s.sendall(b"OKAYOKAY")
                if here == "0":
                    s.sendall(text(b"%d" % listener.getsockname()[1]))
            elif request.startswith("exec:") and words[0] == "exec:run-as" and words[1:3] == [package, "cat"]:
                s.sendall(b"OKAY")
                with open(os.path.join(folder, words[3]), "rb") as f:
                    s.sendall(f.read())
            else:
                s.sendall(b"FAIL" + text(b"unknown request"))
            return
    except (EOFError, OSError):
        pass
    finally:
        s.close()


server = socket.create_server(("127.0.0.1", 0))
print("port", server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    threading.Thread(target=serve, args=(client,), daemon=True).start()
