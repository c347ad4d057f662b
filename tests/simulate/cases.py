#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random cases for `judge cases` and twin.py, the same for the same seed.

    cases.py [SEED [COUNT]]                     print cases
    cases.py --kinds [SEED [COUNT]]             print the kind of each: noise, growth, runs
    cases.py --check JUDGE [SEED [COUNT]]       compare JUDGE with twin.py, which is in the same folder
"""
import sys
from math import exp, sqrt
from random import Random

RUNS = [(1, 1), (1, 2), (1, 3), (1, 5), (1, 19), (1, 25), (5, 1), (19, 1), (2, 2), (2, 3), (2, 5), (3, 2),
        (3, 3), (3, 3), (3, 3), (3, 5), (5, 3), (4, 4), (4, 7), (5, 5), (5, 5), (6, 6), (7, 7), (8, 8), (8, 8),
        (10, 10), (20, 3), (6, 12)]
NOISES = ['normal', 'heavy', 'outliers', 'levels', 'zeros', 'constant', 'nearly', 'machine', 'skewed',
          'negative', 'mixed', 'rare']
GROWTHS = ['none', 'none', 'first', 'first', 'some', 'all', 'less', 'tenfold', 'appears',
           'fall', 'rise']


def values(r, noise, n, mean):
    if noise == 'mixed':
        noise = r.choice([k for k in NOISES if k not in ('mixed', 'machine')])
    if noise == 'constant':
        return [mean] * n
    if noise == 'nearly':               # deterministic, but for a run now and then
        return [mean + (r.choice([1, 7, -mean]) if r.random() < 0.05 else 0) for _ in range(n)]
    if noise == 'rare':                 # mostly 0
        return [mean if r.random() < 0.2 else 0 for _ in range(n)]
    if noise == 'levels':
        return [round(mean * r.choice([1, 1, 1.01, 1.03]), 6) for _ in range(n)]
    if noise == 'negative':
        return [round(mean * r.gauss(r.choice([0, 0.5]), 0.5), 3) for _ in range(n)]
    out = []
    for _ in range(n):
        e = r.gauss(0, 0.02)
        if noise == 'heavy':
            e /= sqrt(sum(r.gauss(0, 1) ** 2 for _ in range(3)) / 3)
        if noise == 'skewed':
            e = r.expovariate(20)
        v = mean * exp(min(e, 5))
        if noise == 'outliers' and r.random() < 0.1:
            v *= r.choice([0.1, 2, 5, 20])
        if noise == 'zeros' and r.random() < 0.3:
            v = 0
        out.append(round(v))
    return out


def one(r):
    b, w = r.choice(RUNS)
    n = b + w
    noise, growth = r.choice(NOISES), r.choice(GROWTHS)
    alpha = r.choice([0.05] * 6 + [0.1, 0.2, 0.01, 0.001])
    runs = r.choice([1] * 6 + [3, 5])
    rules = r.choice([1, 1, 1, 2, 3])
    machine = [exp(r.gauss(0, 0.05)) if noise == 'machine' or r.random() < 0.1 else 1 for _ in range(n)]
    if noise != 'machine' and r.random() < 0.8:
        machine = [1] * n
    lines = ['case %d %d %g %d %d' % (b, w, alpha, runs, rules)]
    times = r.choice([1.02, 1.05, 1.1, 1.2, 1.5, 2, 4])
    if growth in ('fall', 'rise') and r.random() < 0.5:      # by about as much as runs differ: that may be either
        times = r.choice([1.05, 1.1])
        machine = [exp(r.gauss(0, 0.3 * (times - 1))) for _ in range(n)]
    for _ in range(rules):
        sites = r.choice([1, 1, 2, 4, 7, 10, 12, 20, 35, 60])
        ratio = r.choice([0, 0.02, 0.05, 0.1])
        absolute = r.choice([0, 0, 50, 1000, 20000])
        lines.append('rule %g %g %d' % (ratio, absolute, sites))
        for s in range(sites):
            mean = round(10 ** r.uniform(3, 6))
            v = values(r, noise, n, mean)
            if any(f != 1 for f in machine):
                v = [round(x * f) for x, f in zip(v, machine)]
            f = 1
            if growth == 'first' and s == 0 or growth == 'some' and r.random() < 0.3 or growth == 'all':
                f = times
            elif growth == 'less' and (s == 0 or r.random() < 0.2):
                f = 1 / times
            elif growth == 'tenfold' and s == 0:
                f = r.choice([6, 10, 20])
            elif growth in ('fall', 'rise'):            # the most by a real factor, the first against them or twice as far
                f = times ** (2 if growth == 'rise' else 1) if s == 0 else 1 if r.random() < 0.3 else \
                    times if growth == 'rise' else 1 / times
            if f != 1:
                v = v[:b] + [round(x * f, 3) for x in v[b:]]
            if growth == 'appears' and s == 0:
                v = [0] * b + v[b:]
            lines.append(' '.join('%.12g' % x for x in v))
    return (noise, growth, b, w), '\n'.join(lines) + '\n'


def cases(seed=1, count=2000):
    r = Random(seed)
    return [one(r) for _ in range(count)]


def answers(text):
    """Of each case (exit, ways, [(word, why, p, high) of each line]); a rule's line has no why."""
    of = []
    for line in text.splitlines():
        k = line.split()
        if k[0] == 'case':
            of.append((int(k[1]), int(k[2]), []))
        elif k[0] == 'rule':
            of[-1][2].append((k[1], 'rule', float(k[2]) if len(k) > 2 else 1.0, 0))
        else:
            of[-1][2].append((k[0], k[1], float(k[2]), int(k[3])))
    return of


def close(p, q, ways, random):
    if not random:
        return abs(p - q) <= 2e-6
    m = (p + q) / 2             # both are drawn: 1 + a binomial of 999
    return abs(p - q) <= 3 * sqrt(2 * max(m * (1 - m), 1 / ways) / ways)


def check(judge, seed, count):
    import subprocess
    import time
    from collections import Counter, defaultdict
    import twin
    made = cases(seed, count)
    text = ''.join(t for _, t in made)
    ours, took = [], time.time()
    for case in twin.cases(text.splitlines()):
        ours.append((case, twin.judge(*case)))
    took = time.time() - took
    theirs = answers(subprocess.run([judge, 'cases'], input=text, capture_output=True, text=True, check=True).stdout)
    table, bad, far, drawn, words = defaultdict(Counter), 0, 0, 0, Counter()
    for number, ((kind, t), (case, (status, ways, rules)), (status2, ways2, lines)) in enumerate(
            zip(made, ours, theirs)):
        random = ways == twin.RANDOM_SETS and twin.comb(case[0] + case[1], case[1]) > twin.MOST_SETS

        def flat(rules):
            return [k for c, of in rules for k in [(c[0], 'rule', c[2], 0) if c else ('-', 'rule', 1.0, 0)] + of]
        mine = flat(rules)
        words.update((a[0], a[1]) for a in lines)
        what = []
        if (ways, len(mine)) != (ways2, len(lines)):
            what.append('ways %s %s lines %s %s' % (ways, ways2, len(mine), len(lines)))
        else:
            wrong = [k for k, (a, c) in enumerate(zip(mine, lines)) if not close(a[2], c[2], ways, random)]
            if random:
                drawn, far = drawn + len(lines), far + len(wrong)      # chance puts some there
            else:
                what += ['p of line %d: %.6g, judge %.6g' % (k, mine[k][2], lines[k][2]) for k in wrong]
            off = [k for k, (a, c) in enumerate(zip(mine, lines)) if a[:2] != c[:2]]
            what += ['line %d: %d named, judge %d' % (k, a[3], c[3])
                     for k, (a, c) in enumerate(zip(mine, lines)) if a[3] != c[3]]
            words['named'] += sum(a[3] > 0 for a in lines)
            if off or status != status2:
                if random:      # does chance decide it?  Then it does in other random sets, too
                    said = [flat(twin.judge(*case, seed=s)[2]) for s in range(2, 22)]
                    off = [k for k in off if lines[k][:2] not in [a[k][:2] for a in said]]
                    table['(verdict within the band of chance)'][0] += 1
                what += ['line %d: %s %s, judge %s %s' % (k, *mine[k][:2], *lines[k][:2]) for k in off]
                if status != status2 and not random:
                    what.append('exit %d, judge %d' % (status, status2))
        sets = '1 v 1' if ways == 1 else 'random sets' if random else 'all sets'
        for row in (kind[0], kind[1] + ' grown', '%d v %d' % kind[2:], sets, 'all'):
            table[row][1 if what else 0] += 1
        if what:
            bad += 1
            print('case %d %s: %s' % (number, kind, '; '.join(what[:4])))
    for row, c in table.items():
        print('%-40s %5d agree %5d not' % (row, c[0], c[1]))
    print('p of random sets beyond three standard errors: %d of %d;  twin took %.0f s' % (far, drawn, took))
    print('words seen:', dict(words))
    return bad


def main():
    a = sys.argv[1:]
    mode = a.pop(0) if a and a[0].startswith('--') else ''
    judge = a.pop(0) if mode == '--check' else None
    seed, count = int(a[0]) if a else 1, int(a[1]) if len(a) > 1 else 2000
    if judge:
        sys.exit(1 if check(judge, seed, count) else 0)
    for kind, text in cases(seed, count):
        sys.stdout.write('%s %s %dv%d\n' % kind if mode == '--kinds' else text)


if __name__ == '__main__':
    main()
