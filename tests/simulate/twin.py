#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second implementation of the judge of tm-compare --gate.

Written from the manual page tracemill-gate(7), THE MODEL, of November 27, 2026, and from nothing else
(the format of cases is that of `judge cases`). It has its own random sets: where there are more than
5,000 ways to deal the runs out, p differs from the program's by chance, in all other cases it is equal
(but where S - B is 0 but for rounding, and above 1e-12 S: one run of many differs by a millionth or so).
Where the page can be read in two ways, what is done here is what the program does: common subjects are
ordered by t like all others, and behind others of equal t; a fail that is (single) is none for (many).

    twin.py <CASES          as `judge cases <CASES`
"""
import sys
from itertools import combinations
from math import comb, inf, log, sqrt
from random import Random

MOST_SETS, RANDOM_SETS, SEED = 5000, 1000, 1
BOUND = 1e6


def median(v):
    v = sorted(v)
    k = len(v)
    return v[k // 2] if k % 2 else (v[k // 2 - 1] + v[k // 2]) / 2


def quantile(v, p):
    v = sorted(v)
    place = p * (len(v) - 1)
    i = int(place)
    return v[i] if i + 1 >= len(v) else v[i] + (place - i) * (v[i + 1] - v[i])


class Subject:
    def __init__(self, x, b, ratio=0.0, absolute=0.0, rule=0):
        self.x, self.b, self.rule, self.common = x, b, rule, False
        self.only = False               # of its rule
        self.h = None                   # of a common one
        self.log = min(x) >= 0
        base = [v for v in x[:b] if v > 0]
        self.m = median(base) if base else None
        if self.log:
            self.y = [log(v) if v > 0 else None for v in x]
            self.L = log(1 + max(ratio, absolute / self.m)) if base else log(1 + ratio)
            self.A = max(absolute, ratio * (self.m or 0))
        else:
            size = [abs(v) for v in x]
            u = median(size) or sum(size) / len(size) or 1
            middle = abs(median(x[:b]))
            self.y = [v / u for v in x]
            self.L = max(ratio * middle, absolute) / u
            self.A = max(absolute, ratio * middle)


class Model:
    """t and p of every subject, the common ones last; with sign -1 of all y negated."""

    def __init__(self, subjects, b, w, sets, sign):
        self.b, self.w, self.n, self.sign = b, w, b + w, sign
        self.all = subjects
        self.y, self.g, self.N, self.S = [], [], [], []
        for s in subjects:
            self.prepare(s)
        n = self.n
        own = [k for k, s in enumerate(subjects) if not s.common]
        self.shared = [k for k in own if self.N[k] > 2 and self.S[k] > 0]
        self.D = self.weight()
        there = [self.N[k] / n for k in own if self.N[k] > 0]
        self.Q = sum(c * (1 - c) * n / (n - 1) for c in there) / len(there) if there else 0
        self.t = [self.statistics(W) for W in sets]     # the first is the true one
        self.p = self.step_down()

    def prepare(self, s):
        b = self.b
        y = [None if v is None else self.sign * v for v in s.y]
        base, new = [v for v in y[:b] if v is not None], [v for v in y[b:] if v is not None]
        g = median(new) - median(base) if base and new else None
        if g is not None and g > 0:
            less = min(g, s.L)
            y = y[:b] + [None if v is None else v - less for v in y[b:]]
        there = sorted(v for v in y if v is not None)
        N, S = len(there), 0.0
        if N:
            j = min((min(b, self.w) - 1) // 2, (N - 1) // 2)
            low, high = there[j], there[N - 1 - j]
            far = high - low
            y = [None if v is None else min(max(v, low - far), high + far) for v in y]
            mean = sum(v for v in y if v is not None) / N
            for k, v in enumerate(y):
                if v is not None:
                    v -= mean
                    y[k] = 0.0 if abs(v) <= 1e-12 * (1 + abs(mean)) else v
                    S += y[k] ** 2
        self.y.append(y)
        self.g.append(g)
        self.N.append(N)
        self.S.append(S)

    def weight(self):
        T, n = len(self.shared), self.n
        if T < 5:
            return 0
        if T < 10:
            return 4
        v = [log(self.S[k] / (self.N[k] - 1)) for k in self.shared]
        e = ((quantile(v, 0.75) - quantile(v, 0.25)) / 1.349) ** 2 - 2 / (n - 1) - 2 / (n - 1) ** 2
        return 60 if e <= 0 else min(max((1 + sqrt(1 + 2 * e)) / e, 4), 60)

    def statistics(self, W):
        b, w, n, D = self.b, self.w, self.n, self.D
        of, z = [], []
        for y, N, S in zip(self.y, self.N, self.S):
            there = [y[k] for k in W if y[k] is not None]
            i, s = len(there), sum(there)
            B = s * s * N / (i * (N - i)) if 0 < i < N else 0.0
            rest = S - B
            of.append((i, s, B, 0.0 if rest < 1e-12 * S else rest))
        for k in self.shared:
            i, s, B, rest = of[k]
            z.append(rest / (self.N[k] - 2) if 0 < i < self.N[k] else self.S[k] / (self.N[k] - 1))
        P = D * median(z) if z else 0.0
        t = []
        for k, (i, s, B, rest) in enumerate(of):
            N, c = self.N[k], self.all[k].common
            weight = 4 if c else D
            if i == 0 or i == N or weight + N - 2 <= 0:
                one = -BOUND
            else:
                one = bounded(s, B, weight + N - 2, rest + (4 * self.all[k].h if c else P))
            if 0 < N < n:
                s = self.sign * (i - N * w / n)
                B = s * s * n / (w * b)
                one = max(one, bounded(s, B, n + 2, N * (1 - N / n) - B + 4 * self.Q))
            t.append(one)
        return t

    def step_down(self):
        true, M = self.t[0], len(self.t)
        order = sorted(range(len(true)), key=lambda k: (-true[k], k))
        x, p = [-inf] * M, [1.0] * len(true)
        for k in reversed(order):
            x = [max(a, t[k]) for a, t in zip(x, self.t)]
            p[k] = sum(a >= true[k] - 1e-9 * (1 + abs(true[k])) for a in x) / M
        least = 0.0
        for k in order:
            least = p[k] = max(p[k], least)
        return p


def bounded(s, B, above, below):
    if B == 0:
        return 0.0
    sign = 1 if s > 0 else -1
    return sign * BOUND if below <= 0 else sign * min(sqrt(B * above / below), BOUND)


def factor(subjects, n):
    """The common subject of a rule, which is taken out of all others; None without one."""
    whole = [s.y for s in subjects if s.log and None not in s.y]
    U = len(whole)
    if U < 10 or n < 3:
        return None
    d = []
    for y in whole:
        c = median(y)
        d.append([v - c for v in y])
    f = [median([y[k] for y in d]) for k in range(n)]
    spread = []
    for y in d:
        e = [v - a for v, a in zip(y, f)]
        c = median(e)
        spread.append((1.4826 * median([abs(v - c) for v in e])) ** 2)
    h = 1.57 * median(spread) / U
    mean = sum(f) / n
    if not sum((v - mean) ** 2 for v in f) / (n - 1) > 3 * h + 1e-18:
        return None
    common = Subject([1.0] * n, n)
    common.common, common.h, common.y, common.rule, common.x = True, h, f, subjects[0].rule, None
    common.L = median([s.L for s in subjects if s.log and any(v is not None for v in s.y)])
    for s in subjects:
        if s.log:
            s.y = [None if v is None else v - a for v, a in zip(s.y, f)]
    return common


def distance(v, x):
    return 0.0 if v == x else abs(log(x / v)) if v > 0 and x > 0 else inf


def apart(subjects, b):
    """E: how far one base run of a subject that is the same in all others lies from them."""
    E = 0.0
    for s in subjects:
        if b == 1:
            if any(v != s.x[1] for v in s.x[1:]):
                return inf
            continue
        for k in range(b):
            others = s.x[:k] + s.x[k + 1:b]
            if s.x[k] != others[0] and all(v == others[0] for v in others):
                E = max(E, distance(others[0], s.x[k]))
    return E


def same(s, b, E):
    v, new = s.x[0], s.x[b:]
    if any(x != v for x in s.x[:b]):
        return None
    if min(new) > v + s.A and (E == 0 or distance(v + s.A, min(new)) > 2 * E):
        return 'fail', '-'
    if max(new) < v - s.A and (E == 0 or distance(v - s.A, max(new)) > 2 * E):
        return 'improved', '-'
    if v == 0 and max(new) > s.A and E < inf:
        return 'inconclusive', 'appears'
    return None


def deal(b, w, seed):
    n, true = b + w, tuple(range(b, b + w))
    if comb(n, w) <= MOST_SETS:
        return [true] + [W for W in combinations(range(n), w) if W != true]
    r = Random(seed)
    return [true] + [tuple(r.sample(range(n), w)) for _ in range(RANDOM_SETS - 1)]


def has_grown(s, g, b, w):
    if g is not None and g > s.L:
        return True
    if s.common or not s.log:
        return False
    base, new = s.x[:b], s.x[b:]
    return (sum(v > 0 for v in new) / w > sum(v > 0 for v in base) / b
            and sum(new) / w - sum(base) / b > s.A)


def judge(b, w, alpha, runs, rules, seed=SEED):
    """rules: (ratio, absolute, values of each subject).  Returns exit, ways, and of each rule its common
    subject (None without) and its subjects, as (word, why, p)."""
    by_rule = []
    for r, (ratio, absolute, values) in enumerate(rules):
        of = [Subject(x, b, ratio, absolute, r) for x in values]
        for s in of:
            s.only = len(of) == 1
        by_rule.append(of)
    own = [s for of in by_rule for s in of]
    if b == w == 1 or not own:
        subjects, ways, commons = own, 1, [None] * len(rules)
        p = [1.0] * len(own)
        words = [('fail' if s.x[1] - s.x[0] > s.A else 'improved' if s.x[0] - s.x[1] > s.A else 'pass', '-')
                 for s in own]
    else:
        E = apart(own, b)
        commons = [factor(of, b + w) for of in by_rule]
        subjects = own + [c for c in commons if c]
        sets = deal(b, w, seed)
        ways = len(sets)
        words, p = decide(subjects, b, w, alpha, runs, sets, E)
    if min(b, w) < runs:
        words = [('inconclusive', 'single') if word == 'fail' else ('pass', '-') if word == 'improved'
                 else (word, why) for word, why in words]
    given = {id(s): (word, why, q) for s, (word, why), q in zip(subjects, words, p)}
    said = [word for word, why in words]
    status = 1 if 'fail' in said else 5 if 'inconclusive' in said else 0
    return status, ways, [(given.get(id(c)), [given[id(s)] for s in of]) for c, of in zip(commons, by_rule)]


def decide(subjects, b, w, alpha, runs, sets, E):
    M = len(sets)
    reached = M * alpha >= 1 - 1e-9
    model = Model(subjects, b, w, sets, 1)
    true = model.t[0]
    grown = [has_grown(s, g, b, w) for s, g in zip(subjects, model.g)]
    words = []
    for k, s in enumerate(subjects):
        word = None if s.common else same(s, b, E)
        if not word and reached and model.p[k] <= alpha and true[k] > 0 and grown[k]:
            word = 'fail', '-'
        words.append(word)
    fails = min(b, w) >= runs and ('fail', '-') in words     # those that will be (single) do not count
    others = [max(t) for W, t in zip(sets, model.t) if set(W) != set(sets[0])]

    def standing(t):
        return sum(t[k] >= 2 - 3e-9 for k, s in enumerate(subjects) if not s.common)
    count = [standing(t) for t in model.t]
    many = sum(c >= count[0] for c in count) <= alpha * M + 1e-9
    negated = None
    for k, s in enumerate(subjects):
        if words[k]:
            continue
        if not s.common and s.m is not None:
            new = [v for v in s.x[b:] if v > 0]
            if new and median(new) > 5 * (s.m + s.A):
                words[k] = 'inconclusive', 'large'
                continue
        if not reached and grown[k] and true[k] > 2 * max(others):
            words[k] = 'inconclusive', 'few'
        elif grown[k] and not s.common and s.A > 0 and s.only:
            words[k] = 'inconclusive', 'above'
        elif reached and not fails and not s.common and true[k] >= 2 - 3e-9 and grown[k] and many:
            words[k] = 'inconclusive', 'many'
        else:
            words[k] = 'pass', '-'
            if reached and model.g[k] is not None and -model.g[k] > s.L:
                negated = negated or Model(subjects, b, w, sets, -1)
                if negated.p[k] <= alpha and negated.t[0][k] > 0:
                    words[k] = 'improved', '-'
    return words, model.p


def cases(lines):
    """(b, w, alpha, runs, rules) of each case."""
    lines = iter(lines)
    for line in lines:
        if not line.strip():
            continue
        _, b, w, alpha, runs, rules = line.split()
        of = []
        for _ in range(int(rules)):
            _, ratio, absolute, count = next(lines).split()
            of.append((float(ratio), float(absolute),
                       [[float(v) for v in next(lines).split()] for _ in range(int(count))]))
        yield int(b), int(w), float(alpha), int(runs), of


def main():
    for case in cases(sys.stdin):
        status, ways, rules = judge(*case)
        print('case', status, ways)
        for common, of in rules:
            print('rule', '%s %.6g' % (common[0], common[2]) if common else '-')
            for word, why, p in of:
                print(word, why, '%.6g' % p)


if __name__ == '__main__':
    main()
