#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tm-compare's gate over builds whose noise is known, each row a number that an earlier judge (0.2.0) missed.

    gates.py BIN        BIN is the folder of the programs; a line "ok - WHAT" or "not ok - WHAT" for each row

Pairs of builds of some things, BASE against NEW runs, in which nothing has changed, or the first thing has grown. The
bounds of healthy pairs are those that a rate of 5 % stays within in 99 of 100 cases.
"""
import os
import re
import subprocess
import sys
import tempfile
from math import exp
from random import Random


def normal(r):
    return 1 + .02 * r.gauss(0, 1)


def outliers(r):
    return exp(.03 * r.gauss(0, 1)) * (1.5 if r.random() < .05 else 1)


def levels(r):
    return (1 if r.random() < .5 else 1.06) + .003 * r.gauss(0, 1)


def steps(r):
    return 1 + .04 * round(.6 * r.gauss(0, 1))


# noise, things, base and new runs, growth, pairs, exit status, how many pairs may or must end so
ROWS = [
    (outliers, 20, 5, 1, 1, 20, 1, range(0, 4)),        # 0.2.0: 58 %
    (steps, 20, 5, 1, 1, 20, 1, range(0, 4)),           # 25 %
    (levels, 200, 3, 3, 1, 8, 1, range(0, 3)),          # 98 %
    (steps, 200, 3, 3, 1, 8, 1, range(0, 3)),           # 50 %
    (outliers, 200, 5, 5, 1, 8, 5, range(0, 3)),        # 90 %
    (normal, 200, 3, 3, 1.1, 8, 1, range(5, 9)),        # found in 2 %
]
# A growth that a report says it would notice is noticed with 75 to 85 %, in as many fresh pairs that have grown by that:
# but for three standard errors, of the reports and of the pairs.
NOTICED = (250, 2, range(339, 462))                     # 0.2.0: 63 % (3 against 3 runs of one thing)


# Histories of ten builds of three runs, held against the least of them for each of 20 things: growth of the first one in
# percent a build, limit, histories, exit status, how many may or must end so.
HISTORIES = [
    (0, 0, 60, 1, range(0, 8)),                         # 500 of them: 6 % at most (tests/simulate/judge.c)
    (1, 5, 8, 1, range(7, 9)),                       # slow growth: 10 % in ten builds
    (.4, 5, 8, 1, range(0, 1)),                        # 4 %, which is within the limit
]
BUILDS, RUNS = 10, 3


def capture(path, values):
    blocks = ','.join('{"t":"T%d","s":%d,"r":%d,"st":["0x%x;"],"sz":[%d]}' % (i, v, v, 0x1000 + i * 16, v)
                      for i, v in enumerate(values))
    with open(path, 'w') as f:
        f.write('{"slide":"0x0"}\n{"f":1,"d":[%s]}\n' % blocks)


def history(binary, folder, r, step, limit):
    """The exit status of the last build's gate. The first thing grows, with less noise than the others have."""
    store, mean = os.path.join(folder, 'h.db'), [10 ** r.uniform(3, 6) for _ in range(20)]
    with open(os.path.join(folder, 'h.ini'), 'w') as f:
        f.write('[policy]\nagainst = best of 10\n[rule each]\nmetric = real\nkey = type\neach = yes\npercent = %g\n' % limit)
    if os.path.exists(store):
        os.remove(store)
    for build in range(BUILDS + 1):
        files = []
        for run in range(RUNS):
            files.append(os.path.join(folder, '%d.mem' % run))
            noise = [1 + (.005 if step and not i else .02) * r.gauss(0, 1) for i in range(20)]
            capture(files[-1], [round(m * noise[i] * (1 if i else (1 + step / 100) ** build)) for i, m in enumerate(mean)])
        if build < BUILDS:
            subprocess.run([os.path.join(binary, 'tm-history'), 'add', '-q', '--no-config', store, *files, '--status', 'green',
                            '--build', 'b%d' % build, '--date', '2026-01-%02d' % (build + 1)], check=True, capture_output=True)
    return subprocess.run([os.path.join(binary, 'tm-compare'), '-q', '--no-config', '--history', store, '--by', 'type', '--gate',
                           os.path.join(folder, 'h.ini'), *files], capture_output=True).returncode


def histories(binary, folder):
    for step, limit, n, status, right in HISTORIES:
        r = Random(1)
        ends = [history(binary, folder, r, step, limit) for _ in range(n)]
        print('%sok - %g %% a build, limit %g %%: %d of %d histories end with %d' % (
            '' if ends.count(status) in right and set(ends) <= {0, 1, 5} else 'not ', step, limit, ends.count(status), n,
            status), flush=True)


def gate(binary, folder, r, noise, things, base, new, growth):
    mean = [10 ** r.uniform(3, 6) for _ in range(things)]
    files = []
    for run in range(base + new):
        files.append(os.path.join(folder, '%d.mem' % run))
        grown = growth if run >= base else 1
        capture(files[-1], [round(m * max(0, noise(r)) * (grown if i == 0 else 1)) for i, m in enumerate(mean)])
    return subprocess.run([os.path.join(binary, 'tm-compare'), '-q', '--gate', os.path.join(folder, 'p.ini'), '--by', 'type',
                           '--base', *files[:base], '--new', *files[base:]], capture_output=True)


def pair(*args):
    return gate(*args).returncode


def noticed(binary, folder):
    reports, trials, right = NOTICED
    r, asked, found, most = Random(2), 0, 0, 4 * reports
    while asked < reports and most:
        most -= 1
        done = gate(binary, folder, r, normal, 1, 3, 3, 1)
        said = re.search(rb'detectable from [^;|]*?\+([0-9.]+) %', done.stdout)
        if done.returncode or not said:
            continue
        asked += 1
        found += sum(pair(binary, folder, r, normal, 1, 3, 3, 1 + float(said[1]) / 100) == 1 for _ in range(trials))
    print('%sok - a growth as large as a report says is noticed in %d of %d pairs' % (
        '' if found in right and asked == reports else 'not ', found, asked * trials), flush=True)


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'p.ini'), 'w') as f:
            f.write('[rule each]\nmetric = real\nkey = type\neach = yes\npercent = 0\n')
        for noise, things, base, new, growth, pairs, status, right in ROWS:
            r = Random(1)
            ends = [pair(binary, folder, r, noise, things, base, new, growth) for _ in range(pairs)]
            print('%sok - %s, %d things, %d against %d runs, one thing x %g: %d of %d pairs end with %d' % (
                '' if ends.count(status) in right and set(ends) <= {0, 1, 5} else 'not ', noise.__name__, things, base,
                new, growth, ends.count(status), pairs, status), flush=True)
        noticed(binary, folder)
        histories(binary, folder)


if __name__ == '__main__':
    main(sys.argv[1])
