# SPDX-License-Identifier: MIT
#
# Writes captures of random calls and samples, for tests/sh/filter_vs_top.sh: filter_calls.py KIND SEED.
# Calls nest, recur, reach over any range, and some are open at the end; those of "frames" are marked by
# frames, in the order of their times.
import json
import random
import sys

kind, r = sys.argv[1], random.Random(int(sys.argv[2]))
names = ["main", "update", "draw", "load", "spawn", "Particle", "collide"]

if kind == "calls":
    events = []
    for thread in 1, 2, 3:
        events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": thread, "args": {"name": "Worker%d" % thread}})
        at, depth = r.randrange(500), []
        for _ in range(120):
            if depth and (len(depth) > 6 or r.random() < 0.5):
                events.append({"ph": "E", "name": depth.pop(), "ts": at, "pid": 1, "tid": thread})
            else:
                depth.append(r.choice(names))
                events.append({"ph": "B", "name": depth[-1], "ts": at, "pid": 1, "tid": thread})
            at += r.choice([0, 1, 10, 100])
    print(json.dumps(events))
elif kind == "frames":
    at, depth, frame = 1000, {1: [], 2: []}, 100
    for _ in range(400):
        thread = r.randrange(1, 3)
        if r.random() < 0.1:
            frame += 1
            print("frame %d %d.%09d" % (frame, at // 10**9, at % 10**9))
        elif depth[thread] and (len(depth[thread]) > 5 or r.random() < 0.5):
            print("[%d] exit %s %d.%09d" % (thread, depth[thread].pop(), at // 10**9, at % 10**9))
        else:
            depth[thread].append(r.choice(names))
            print("[%d] enter %s %d.%09d" % (thread, depth[thread][-1], at // 10**9, at % 10**9))
        at += r.choice([0, 1000, 10000, 100000])
else:
    at = 100000000
    for _ in range(300):
        at += r.randrange(200)
        thread = r.randrange(1, 4)
        print("Worker%d %d %d.%06d: 1 cpu-clock:" % (thread, thread, at // 1000000, at % 1000000))
        for depth in range(r.randrange(1, 6)):
            name = r.randrange(len(names))
            print("\t%x %s (/usr/bin/%s)" % (0x1000 + 16 * name, names[name], "game" if name < 4 else "libengine.so"))
        print()
