# SPDX-License-Identifier: MIT
"""A server of sessions that is killed with SIGKILL in the middle of uploads, again and again. What was acknowledged is
whole, byte for byte, after each restart; what was not goes on from what HEAD tells, and is whole in the end. The
clients are curl's; the truth is the files and hashlib."""
import glob
import hashlib
import os
import random
import signal
import subprocess
import sys
import time

rounds, seed = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)
failed = 0


def check(what, ok):
    global failed
    print(("ok - " if ok else "not ok - ") + what, flush=True)
    failed |= not ok


def start():
    server = subprocess.Popen(["tm-view", "-q", "--store", "crash"], stdout=subprocess.PIPE, text=True)
    page, send = server.stdout.readline().strip(), server.stdout.readline().strip()
    return server, page, send


class Upload:
    def __init__(self, number):
        self.path = "up/%d.bin" % number
        data = random.randbytes(random.choice([0, 1, 300, 70000, 400000, 1500000]))
        if number % 7 == 0:  # one capture of several uploads
            data = b"the same for several\n" * 5000
        with open(self.path, "wb") as f:
            f.write(data)
        self.bytes, self.digest = len(data), hashlib.sha256(data).hexdigest()
        self.known = False  # acknowledged
        self.curl = None
        self.resumed = False

    def begin(self, send):
        address = send + os.path.basename(self.path) + "?build=1"
        head = subprocess.run(["curl", "-s", "-m", "20", "-I", "-H", "Upload-Length: %d" % self.bytes, address],
                              stdout=subprocess.PIPE, text=True).stdout
        told = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        more = []
        if told.get("Upload-Complete") == "?1":
            # Its answer was lost with the server; that it is whole is checked like an acknowledgement.
            self.known = True
            return
        offset = int(told.get("Upload-Offset", 0))
        if 0 < offset < self.bytes:
            more = ["-C", str(offset)]
            self.resumed = True
        self.curl = subprocess.Popen(["curl", "-s", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}", "--limit-rate",
                                      random.choice(["500k", "5M", "100M"]), "-T", self.path, *more, address],
                                     stdout=subprocess.PIPE, text=True)

    def end(self):
        if self.curl:
            code = self.curl.communicate()[0]
            self.known |= code in ("200", "201")
            self.curl = None
            return code
        return None


def whole(u):
    try:
        with open("crash/captures/" + u.digest, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest() == u.digest
    except OSError:
        return False


os.mkdir("up")
uploads, kills, lost, during, refused = [], 0, 0, 0, set()
for i in range(rounds):
    server, page, send = start()
    uploads += [Upload(len(uploads) + k) for k in range(3)]
    todo = [u for u in uploads if not u.known][:8]
    for u in todo:
        u.begin(send)
    time.sleep(random.choice([0, 0.005, 0.02, 0.05, 0.1, 0.3]) * random.random())
    during += sum(u.curl is not None and u.curl.poll() is None for u in todo)
    server.send_signal(signal.SIGKILL)
    server.wait()
    kills += 1
    codes = [u.end() for u in todo]
    refused |= {c for c in codes if c not in (None, "000", "100", "200", "201", "423", "409")}
    lost += sum(u.known and not whole(u) for u in uploads[-40:])
check("%d kills, %d of them with uploads under way: what was acknowledged is whole" % (kills, during), lost == 0)
check("none was refused: %s" % sorted(refused), not refused)
server, page, send = start()
for attempt in range(20):
    for u in [u for u in uploads if not u.known]:
        u.begin(send)
        u.end()
    if all(u.known for u in uploads):
        break
    time.sleep(0.3)
check("all %d uploads are acknowledged in the end, %d of them had gone on from their middle" %
      (len(uploads), sum(u.resumed for u in uploads)), all(u.known for u in uploads) and any(u.resumed for u in uploads))
check("and whole, byte for byte", all(whole(u) for u in uploads))
check("of each digest there is one file", len(os.listdir("crash/captures")) == len({u.digest for u in uploads}))
check("there is a record for each", len(glob.glob("crash/sessions/*")) >= len(uploads))
left = os.listdir("crash/incoming")
check("nothing is left in incoming: %s" % left, left == [])
server.send_signal(signal.SIGTERM)
check("it ends in order", server.wait() == 0)
sys.exit(failed)
