#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tm-history blame name what stepped? Stores with one planted step among noise that all things have.

    blame.py BIN [STORES [SEED]]    BIN is the folder of the programs; a line "ok - WHAT" or "not ok - WHAT" for each promise

Each store has 25 things of 2 % of noise, every fifth of them of heavy tails, in 30 builds; one grows by 10 to 40 % some
builds ago. Of the stores in which change-points --gate names that thing at that build, blame has it among its first
three rows: found by itself, and asked with --from and --to.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
from math import sqrt
from random import Random

BUILDS, THINGS, FIRST = 30, 25, 3


def capture(path, values):
    blocks = ','.join('{"t":"T%d","s":%d,"r":%d,"st":["0x%x;"],"sz":[%d]}' % (i, v, v, 0x1000 + i * 16, v)
                      for i, v in enumerate(values))
    with open(path, 'w') as f:
        f.write('{"slide":"0x0"}\n{"f":1,"d":[%s]}\n' % blocks)


def noise(r, heavy):
    return 1 + .02 * r.gauss(0, 1) / (sqrt(r.gammavariate(1.5, 2) / 3) if heavy else 1)


def run(binary, *args):
    p = subprocess.run([os.path.join(binary, 'tm-history'), *args], capture_output=True, text=True)
    if p.returncode not in (0, 1, 5):
        sys.exit('not ok - tm-history %s: %d %s' % (' '.join(args), p.returncode, p.stderr.strip()))
    return list(csv.DictReader(io.StringIO(p.stdout, newline=''))), p.returncode


def date(build):
    return '2026-%02d-%02dT03:00:00Z' % (1 + build // 28, 1 + build % 28)


def place(said, thing):
    names = [row['name'] for row in said[0]]
    return names.index(thing) + 1 if thing in names else 0


def store(binary, folder, r):
    """(builds ago, growth, whether change-points finds it, places among blame's rows, an alarm before it)"""
    base = [10 ** r.uniform(3.5, 6) for _ in range(THINGS)]
    ago = r.choice([2, 3, 4, 6, 8, 12])
    at, thing, growth = BUILDS - ago, r.randrange(THINGS), r.choice([1.1, 1.2, 1.4])
    db, files = os.path.join(folder, 'r.db'), []
    for b in range(BUILDS):
        files.append(os.path.join(folder, 'b%02d.mem' % b))
        capture(files[-1], [round(x * max(0, noise(r, i % 5 == 4)) * (growth if b >= at and i == thing else 1))
                            for i, x in enumerate(base)])
        run(binary, 'add', '-q', db, files[-1], '--date', date(b))
    by = ['-q', '--csv', '--by', 'type', '--sort', 'real']
    name = 'T%d' % thing
    steps = run(binary, 'change-points', *by, '--gate', '-n', '0', db)[0]
    found = any(s['name'] == name and s['direction'] == 'up' and abs(int(s['build'][1:]) - at) <= 1 for s in steps)
    alarm = run(binary, 'change-points', *by, '--gate', '--until', date(at - 1), db)[1] == 1
    alone = place(run(binary, 'blame', *by, '-n', '0', db), name)
    named = place(run(binary, 'blame', *by, '-n', '0', '--from', 'b%02d' % (at - 1), '--to', 'b%02d' % at, db), name)
    for f in os.listdir(folder):
        os.remove(os.path.join(folder, f))
    return ago, growth, found, alone, named, alarm


def main(argv):
    stores, r = int(argv[1]) if len(argv) > 1 else 40, Random(int(argv[2]) if len(argv) > 2 else 1)
    told = [store(argv[0], folder, r) for _ in range(stores) for folder in [tempfile.mkdtemp()]]
    found = [t for t in told if t[2]]
    if '-v' in argv:
        for t in told:
            print('%2d builds ago, +%.0f %%: %s, place %d, named %d' % (t[0], 100 * (t[1] - 1), 'found' if t[2] else 'not found', t[3], t[4]))
    print('%sok - change-points names the thing in %d of %d stores' % ('' if len(found) * 2 >= stores else 'not ', len(found), stores))
    alarms = sum(t[5] for t in told)     # at most 5 % are expected
    print('%sok - before the step change-points --gate fails %d of %d' % ('' if alarms * 6 <= stores else 'not ', alarms, stores))
    for what, k in ('blame', 3), ('blame with --from and --to', 4):
        among = sum(1 for t in found if 1 <= t[k] <= FIRST)
        print('%sok - %s has it among %d rows in %d of %d' % ('' if among * 10 >= len(found) * 9 else 'not ', what, FIRST, among, len(found)))
        old = [t for t in found if t[0] >= 4]
        among = sum(1 for t in old if 1 <= t[k] <= FIRST)
        print('%sok - and of those that are four builds old or more in %d of %d' % ('' if among * 10 >= len(old) * 9 else 'not ', among, len(old)))


if __name__ == '__main__':
    main(sys.argv[1:])
