#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second implementation of the judge of tm-compare --gate.

Written from the manual page tracemill-gate(7), THE MODEL, of November 27, 2026, and from nothing else
(the format of cases is that of `judge cases`); 'some', and what is named, were written later, with the program's own.
It has its own random sets: where there are more than 5,000 ways to deal the runs out, p
differs from the program's by chance, in all other cases it is equal.
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
        self.high = 0                   # named: so many new runs are far off by 2
        self.C = 0                      # of its rule's factor, if real
        self.whole = False              # it is one of the U of its rule's factor
        self.h = None                   # of a common one
        self.log = min(x) >= 0
        base = [v for v in x[:b] if v > 0]
        self.m = median(base) if base else None
        if self.log:
            c = median([v for v in x if v > 0] or [1])
            self.y = [log(v / c) if v > 0 else None for v in x]
            self.L = log(1 + max(ratio, absolute / self.m)) if base else log(1 + ratio)
            self.A = max(absolute, ratio * (self.m or 0))
        else:
            size = [abs(v) for v in x]
            u = median(size) or sum(size) / len(size) or 1
            middle = abs(median(x[:b]))
            self.y = [v / u for v in x]
            self.L = max(ratio * middle, absolute) / u
            self.A = max(absolute, ratio * middle)
        self.raw = hodges_lehmann(self.y, b)        # g0


def lessened(y, b, by):
    return y[:b] + [None if v is None else v - by for v in y[b:]]


def hodges_lehmann(y, b):
    base, new = [v for v in y[:b] if v is not None], [v for v in y[b:] if v is not None]
    return median([a - c for a in new for c in base]) if base and new else None


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
        g = hodges_lehmann(y, b)
        if g is not None and g > 0:
            y = lessened(y, b, min(g, s.L))
        elif g is not None and self.sign * s.C < 0:
            y = lessened(y, b, g - min(0, g - self.sign * s.C))
        there = sorted(v for v in y if v is not None)
        N, S = len(there), 0.0
        if N:
            j = min((min(b, self.w) - 1) // 2, max(2, self.n // 6), (N - 1) // 2)
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
            of.append((i, s, B, 0.0 if rest < 1e-12 * S + 2e-14 * N * sqrt(S) else rest))
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


def factor(subjects, b, n, hold=False):
    """The common subject of a rule, which is taken out of all others; None without one.  hold: what is in doubt is real."""
    for s in subjects:
        s.whole = s.log and None not in s.y
    whole = [s.y for s in subjects if s.whole]
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
    base, new = sum(f[:b]) / b, sum(f[b:]) / (n - b)
    V = sum((v - (base if k < b else new)) ** 2 for k, v in enumerate(f)) / (n - 2)
    C = new - base
    error = sqrt(V * (1 / b + 1 / (n - b)))
    real = abs(C) > (3 + 6 / (n - 2)) * error + 1e-9
    doubtful = not real and abs(C) > (2 + 3 / (n - 2)) * error + 1e-9
    real = real or doubtful and hold
    common = Subject([1.0] * n, n)
    common.common, common.h, common.y, common.rule, common.x = True, h, f, subjects[0].rule, None
    common.L = median([s.L for s in subjects if s.log and any(v is not None for v in s.y)])
    common.raw, common.doubtful = hodges_lehmann(f, b), doubtful
    if real:
        for s in subjects + [common]:
            s.C = C if s.common or s.log else 0
        f = [v - (C if k >= b else 0) for k, v in enumerate(f)]
    for s in subjects:
        if s.log and (not real or V > 3 * h + 1e-18):
            s.y = [None if v is None else v - a for v, a in zip(s.y, f)]
    return common


def distance(v, x):
    return 0.0 if v == x else abs(log(x / v)) if v > 0 and x > 0 else inf


def above(growth, limit, measure=0):
    """By more than the rounding of a limit, and of what is measured around 1."""
    return growth > limit + 1e-12 * (measure + abs(limit))


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


def distance_above(s, x):
    return log(x / (s.m + s.A)) if above(x, s.m + s.A) else 0.0


def far_off(subjects, b):
    """Of a subject and a factor c: the largest k for which it is far off, or 0."""
    with_m = [s for s in subjects if not s.common and s.m is not None]
    runs = sorted((max((distance_above(s, s.x[k]) for s in with_m), default=0.0) for k in range(b)), reverse=True)

    def far(s, c):
        if s.common or s.m is None:
            return 0
        own = max(distance_above(s, x) for x in s.x[:b])
        return max((k + 1 for k, x in enumerate(sorted(s.x[b:], reverse=True))
                    if above(x, c * (s.m + s.A))
                    and above(distance_above(s, x), 2 * max(own, runs[k] if k < b else 0))), default=0)
    return far


def comes(of, b):
    """What is this large, and in no base run, may be by chance."""
    def some(v):
        return 0 < sum(x != 0 for x in v) < len(v)
    Z = max((max(s.x[:b]) for s in of if some(s.x[:b]) or some(s.x[b:])), default=0)
    return max(5 * Z, sum(max(0, median(s.x[:b])) for s in of) / 100)


def appears(s, subjects, b):
    if any(s.x[:b]):
        return False
    least = s.A + comes([o for o in subjects if not o.common and o.rule == s.rule], b)
    return 2 * sum(above(v, least) for v in s.x[b:]) >= len(s.x[b:])


def same(s, b, E, reached):
    v, new = s.x[0], s.x[b:]
    if any(x != v for x in s.x[:b]):
        return None
    if above(min(new) - v, s.A) and (E == 0 or above(distance(v + s.A, min(new)), 2 * E)):
        return 'fail', '-'
    if above(v - max(new), s.A) and (E == 0 or above(distance(v - s.A, max(new)), 2 * E)):
        return 'improved', '-'
    if v == 0 and above(max(new), s.A) and E < inf:
        return 'inconclusive', 'appears'
    if not reached and E < inf and above(min(new) - v, 2 * s.A) and above(min(new) - v, abs(v) / 2):
        return 'inconclusive', 'few'
    return None


def deal(b, w, seed):
    n, true = b + w, tuple(range(b, b + w))
    if comb(n, w) <= MOST_SETS:
        return [true] + [W for W in combinations(range(n), w) if W != true]
    r = Random(seed)
    return [true] + [tuple(r.sample(range(n), w)) for _ in range(RANDOM_SETS - 1)]


def has_grown(s, g, b, w):
    if g is not None and above(g, s.L, 1):
        return True
    if s.common or not s.log:
        return False
    base, new = s.x[:b], s.x[b:]
    return (sum(v > 0 for v in new) / w > sum(v > 0 for v in base) / b
            and above(sum(new) / w - sum(base) / b, s.A, sum(new) / w))


def take(rules, b):
    by_rule = []
    for r, (ratio, absolute, values) in enumerate(rules):
        of = [Subject(x, b, ratio, absolute, r) for x in values]
        for s in of:
            s.only = len(of) == 1
        by_rule.append(of)
    return by_rule


def hold(rules, b, w, alpha, sets):
    """Which subjects, common ones last, fail where what is in doubt is real."""
    by_rule = take(rules, b)
    commons = [factor(of, b, b + w, True) for of in by_rule]
    subjects = [s for of in by_rule for s in of] + [c for c in commons if c]
    model = Model(subjects, b, w, sets, 1)
    return [p <= alpha and t > 0 and has_grown(s, g, b, w)
            for s, p, t, g in zip(subjects, model.p, model.t[0], model.g)]


def judge(b, w, alpha, runs, rules, seed=SEED):
    """rules: (ratio, absolute, values of each subject).  Returns exit, ways, and of each rule its common
    subject (None without) and its subjects, as (word, why, p, runs that are named)."""
    by_rule = take(rules, b)
    own = [s for of in by_rule for s in of]
    if b == w == 1 or not own:
        subjects, ways, commons = own, 1, [None] * len(rules)
        p = [1.0] * len(own)
        words = [('fail' if above(s.x[1] - s.x[0], s.A) else 'improved' if above(s.x[0] - s.x[1], s.A) else 'pass', '-')
                 for s in own]
    else:
        E = apart(own, b)
        commons = [factor(of, b, b + w) for of in by_rule]
        subjects = own + [c for c in commons if c]
        sets = deal(b, w, seed)
        ways = len(sets)
        doubtful = [bool(c and c.doubtful) for c in commons]
        held = hold(rules, b, w, alpha, sets) if any(doubtful) and ways * alpha >= 1 - 1e-9 else None
        words, p = decide(subjects, b, w, alpha, runs, sets, E, doubtful, held)
        explain(subjects, words, min(b, w) < runs)
    if min(b, w) < runs:
        words = [('inconclusive', 'single') if word == 'fail' else ('pass', '-') if word == 'improved'
                 else (word, why) for word, why in words]
    given = {id(s): (word, why, q, s.high) for s, (word, why), q in zip(subjects, words, p)}
    said = [word for word, why in words]
    status = 1 if 'fail' in said else 5 if 'inconclusive' in said else 0
    return status, ways, [(given.get(id(c)), [given[id(s)] for s in of]) for c, of in zip(commons, by_rule)]


def decide(subjects, b, w, alpha, runs, sets, E, doubtful, held):
    M = len(sets)
    reached = M * alpha >= 1 - 1e-9
    model = Model(subjects, b, w, sets, 1)
    true = model.t[0]
    grown = [has_grown(s, g, b, w) for s, g in zip(subjects, model.g)]
    words = []
    either = [bool(held) and not s.common and doubtful[s.rule] for s in subjects]
    for k, s in enumerate(subjects):
        word = None if s.common else same(s, b, E, reached)
        either[k] &= not word
        if not word and reached and model.p[k] <= alpha and true[k] > 0 and grown[k]:
            word = 'fail', '-'
            if either[k] and not held[k]:
                word = 'inconclusive', 'either'
        words.append(word)
    together = [s.rule for s, word in zip(subjects, words) if s.common and word and min(b, w) >= runs]
    fails = min(b, w) >= runs and ('fail', '-') in words     # those that will be (single) do not count
    others = [max(t) for W, t in zip(sets, model.t) if set(W) != set(sets[0])]

    def standing(t):
        return sum(t[k] >= 2 - 3e-9 for k, s in enumerate(subjects) if not s.common)
    count = [standing(t) for t in model.t]
    many = sum(c >= count[0] for c in count) <= alpha * M + 1e-9
    far = far_off(subjects, b)
    for s in subjects:
        s.high = far(s, 2)
    negated = None
    for k, s in enumerate(subjects):
        if words[k]:
            continue
        if not s.common and appears(s, subjects, b):
            words[k] = 'inconclusive', 'appears'
            continue
        if not s.common and s.m is not None:
            new = [v for v in s.x[b:] if v > 0]
            if new and above(median(new), 5 * (s.m + s.A)):
                words[k] = 'inconclusive', 'large'
                continue
            if far(s, 5):
                words[k] = 'inconclusive', 'some'
                continue
        if not reached and grown[k] and 2 * max(others) < true[k] - 1e-9 * (1 + abs(true[k])):
            words[k] = 'inconclusive', 'few'
        elif grown[k] and not s.common and s.A > 0 and s.only:
            words[k] = 'inconclusive', 'above'
        elif either[k] and held[k] and s.rule not in together:
            words[k] = 'inconclusive', 'either'
        elif reached and not fails and not s.common and true[k] >= 2 - 3e-9 and grown[k] and many:
            words[k] = 'inconclusive', 'many'
        else:
            words[k] = 'pass', '-'
            if reached and model.g[k] is not None and above(-model.g[k], s.L, 1):
                negated = negated or Model(subjects, b, w, sets, -1)
                if negated.p[k] <= alpha and negated.t[0][k] > 0 and above(-s.raw, s.L, 1):
                    words[k] = 'improved', '-'
    return words, model.p


def explain(subjects, words, single):
    """What half of the subjects or more have by themselves is not said once more of all."""
    def bad(word, why):
        return 0 if why == 'many' else 2 if word == 'fail' and not single else word in ('fail', 'inconclusive')
    for k, s in enumerate(subjects):
        if s.common and bad(*words[k]):
            of = [bad(*words[i]) >= bad(*words[k]) for i, t in enumerate(subjects) if t.rule == s.rule and t.whole]
            if 2 * sum(of) >= len(of):
                words[k] = 'pass', '-'


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
            for word, why, p, high in of:
                print(word, why, '%.6g' % p, high)


if __name__ == '__main__':
    main()
