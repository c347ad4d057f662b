# SPDX-License-Identifier: MIT
"""A value is blank or 0 by its cell: tm-top and tm-compare against a model of random captures.

Of the records that a cell is of, own ones for self and those on whose stack the function is for total:
without any of them it is 0, as soon as the row has something; where some have the metric it is their sum;
where there are records and none has it, it is not known, and blank. All records of a stack have the same
metrics, so that this needs no rule of how records of one stack are added up.
"""
import csv, random, subprocess, sys

METRICS = ['count', 'requested', 'real', 'live_count', 'live_requested', 'live_real']
bad = cells = blanks = zeros = 0


def value(records, metric):
    known = [r for r in records if {'count': True, 'requested': True, 'real': r['real'] is not None, 'live_count': r['address'],
                                    'live_requested': r['address'], 'live_real': r['address'] and r['real'] is not None}[metric]]
    if records and not known:
        return ''
    if metric.startswith('live'):
        known = [r for r in known if not r['freed']]
    return str(sum({'count': 1, 'requested': r['size'], 'real': r['real'] or 0}[metric.replace('live_', '')] for r in known))


def table(*command):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(out.splitlines()))


def check(what, got, want):
    global bad, cells, blanks, zeros
    cells += 1
    blanks += want == ''
    zeros += want == '0'
    if got != want:
        bad += 1
        if bad < 20:
            print('not ok - %s: want %r, got %r' % (what, want, got))


for seed in range(int(sys.argv[2])):
    r = random.Random(seed)
    names = ['f%d' % i for i in range(r.randint(2, 6))]
    stacks = [[r.choice(names) for _ in range(r.randint(1, 4))] for _ in range(r.randint(1, 6))]
    kinds = {tuple(s): (r.random() < .5, r.random() < .6) for s in stacks} # real, address
    records, lines = [], ['metric %s exact' % m for m in ('count', 'requested', 'real', 'live')]
    for i in range(r.randint(1, 30)):
        stack = r.choice(stacks)
        has_real, has_address = kinds[tuple(stack)]
        size = r.choice([0, 1, 100, 5000])
        x = dict(stack=stack, size=size, real=size + 8 if has_real else None, address=has_address, freed=False)
        lines.append('alloc malloc %s %d - %s%s' % (';'.join(stack), size, x['real'] if has_real else '-',
                                                    ' %d' % (64 * i + 64) if has_address else ''))
        if has_address and r.random() < .5:
            x['freed'] = True
            lines.append('free %d' % (64 * i + 64))
        records.append(x)
    with open('c.tmt', 'wb') as f:
        f.write(subprocess.run([sys.argv[1]], input=('\n'.join(lines) + '\n').encode(), stdout=subprocess.PIPE, check=True).stdout)
    # What no record has at all is absent in the whole capture: no cell of it is 0.
    there = {m: value(records, m) != '' for m in METRICS}
    own = {n: [x for x in records if x['stack'][-1] == n] for n in names}
    all_ = {n: [x for x in records if n in x['stack']] for n in names}
    for row in table('tm-top', '-q', '--csv', '-n', '0', '--by', 'function', 'c.tmt'):
        for m in METRICS:
            for column, of in ((m, own), ('total_' + m, all_)):
                want = value(of[row['function']], m) if there[m] else ''
                check('seed %d: %s of %s' % (seed, column, row['function']), row[column], want)
    for row in table('tm-compare', '-q', '--csv', '--all', '--by', 'function', 'c.tmt', 'c.tmt'):
        for m in METRICS:
            if there[m]:
                check('seed %d: tm-compare: %s of %s' % (seed, m, row['function']), row['new_' + m], value(own[row['function']], m))
print('%s - %d cells, %d of them blank, %d of them 0' % ('not ok' if bad else 'ok', cells, blanks, zeros))
sys.exit(bad > 0)
