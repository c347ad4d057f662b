#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stores whose builds have several runs: a step lies between two builds, and not where the machine of a day differs.

    builds.py BIN [SEED]    BIN is the folder of the programs; a line "ok - WHAT" or "not ok - WHAT" for each promise

A store has 20 builds of some runs each, and 600 functions of 3 % of normal noise, which the runs of a build share in part
(as of a machine, which is another on each day), wholly or not at all. In nine functions more a step of 12 % is planted.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
from random import Random

BUILDS, HEALTHY, STEPS, NOISE = 20, 600, 9, .03


def tm_history(binary, *args):
    p = subprocess.run([os.path.join(binary, 'tm-history'), *args], capture_output=True, text=True)
    if p.returncode not in (0, 1, 5):
        sys.exit('not ok - tm-history %s: %d %s' % (' '.join(args), p.returncode, p.stderr.strip()))
    return list(csv.DictReader(io.StringIO(p.stdout, newline=''))), p.returncode


def make(binary, folder, r, runs, shared):
    """A store of builds b01 to b20 in which the functions s0 to s8 step at b07 to b15."""
    db = os.path.join(folder, 'runs.db')
    names = ['f%d' % i for i in range(HEALTHY)] + ['s%d' % i for i in range(STEPS)]
    for build in range(1, BUILDS + 1):
        level = [r.gauss(0, NOISE * shared ** .5) for _ in names]
        files = []
        for run in range(runs):
            files.append(os.path.join(folder, 'run%d.folded' % run))
            with open(files[-1], 'w') as f:
                for name, of_build in zip(names, level):
                    x = 1 + of_build + r.gauss(0, NOISE * (1 - shared) ** .5)
                    if name[0] == 's' and build >= 7 + int(name[1:]):
                        x *= 1.12
                    f.write('main;%s %d\n' % (name, 100000 * x))
        tm_history(binary, 'add', '-q', db, *files, '--build', 'b%02d' % build, '--date', '2026-10-%02d' % build)
    return db


def store(binary, r, runs, shared):
    """The share of healthy functions with a step, how many of the planted ones are found within a build of it, steps that
    lie within a build, and how the gate ends without the planted ones."""
    with tempfile.TemporaryDirectory() as folder:
        db = make(binary, folder, r, runs, shared)
        by = ['--csv', '-q', '--by', 'function', '-n', '0', db]
        steps = tm_history(binary, 'change-points', *by)[0]
        gate = tm_history(binary, 'change-points', '--gate', '--name', '^f', *by)[1]
    false = {s['name'] for s in steps if s['name'][0] == 'f'}
    found = {s['name'] for s in steps if s['name'][0] == 's' and abs(int(s['build'][1:]) - 7 - int(s['name'][1:])) <= 1}
    return len(false) / HEALTHY, len(found), sum(s['build'] == s['build_before'] for s in steps), gate


def main(argv):
    r = Random(int(argv[1]) if len(argv) > 1 else 1)
    for runs, shared in (1, 0), (3, 0), (3, .5), (3, 1), (5, .5), (5, .98):
        false, found, within, gate = store(argv[0], r, runs, shared)
        what = '%d run%s a build that share %g of their variance' % (runs, 's' if runs > 1 else '', shared)
        # 5 %, and two and a half standard errors of 600; none of which a gate may tell
        print('%sok - %s: %.1f %% of healthy functions step, none within a build, the gate ends with %d' %
              ('' if false <= .072 and not within and not gate else 'not ', what, 100 * false, gate))
        print('%sok - %s: %d of %d planted steps are found' % ('' if found >= STEPS - 2 else 'not ', what, found, STEPS))


if __name__ == '__main__':
    main(sys.argv[1:])
