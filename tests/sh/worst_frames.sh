#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The worst frames of tm-top are those of tm-frames, number for number: frame, duration and bytes are the first rows of
# tm-frames sorted alike; the site, its bytes and its share follow from the rows of tm-frames --by site.
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

cat >compare.py <<'P'
import csv, json, subprocess, sys
def rows(*argv):
    out = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout.decode()
    return list(csv.DictReader(out.splitlines()))
options, captures = [o for o in sys.argv[1:] if o.startswith('-')], [o for o in sys.argv[1:] if not o.startswith('-')]
top = rows('tm-top', '-q', '--guess-sites=never', '--csv', '--table', 'worst-frames', *options, *captures)
key = next(k for k in top[0] if k in ('real', 'requested', 'self_ns', 'samples', 'count'))
timed = top[0]['duration_ns'] != ''
metric = 'duration' if timed else {'self_ns': 'self-time'}.get(key, key)
frames = [r for r in rows('tm-frames', '-q', '--csv', '--table', 'frames', '--sort', metric, *options, *captures) if r['frame']]
by_site = rows('tm-frames', '-q', '--csv', '-n', '0', '--by', 'site', *options, *captures)
bad = []
value = lambda r, k: int(r[k] or 0)
whole = [r for r in frames if value(r, 'duration_ns' if timed else key)]
if len(top) != min(5, len(whole)):
    bad.append('%d rows of %d frames' % (len(top), len(whole)))
for t, f in zip(top, whole):
    for k in ('capture', 'frame', 'name', 'duration_ns', key):
        if t[k] != f[k]:
            bad.append('frame %s, %s: %s, and %s' % (f['frame'], k, t[k], f[k]))
    sites = [r for r in by_site if (r['capture'], r['frame']) == (t['capture'], t['frame']) and value(r, key)]
    most = max((value(r, key) for r in sites), default=0)
    if str(most or '') != t['site_' + key]:
        bad.append('frame %s: the site has %s, and %s' % (t['frame'], t['site_' + key], most))
    if most and (t['site'], t['file'], t['line']) not in [(r['site'], r['file'], r['line']) for r in sites if value(r, key) == most]:
        bad.append('frame %s: %s is not a site with most' % (t['frame'], t['site']))
    if most and abs(float(t['share']) - 100 * most / value(f, key)) > 0.00501:
        bad.append('frame %s: share %s of %d in %s' % (t['frame'], t['share'], most, f[key]))
if timed:
    budget = sorted(value(r, 'duration_ns') for r in whole)[len(whole) // 2]
    doc = json.loads(subprocess.run(['tm-top', '-q', '--as', 'json', '--budget', '%dns' % budget, *options, *captures], stdout=subprocess.PIPE, check=True).stdout)
    over = sum(value(r, 'duration_ns') > budget for r in whole)
    if doc['numbers']['frames_over_budget'] != over or doc['numbers']['frames'] != len(frames):
        bad.append('%s frames are over %d ns, and %d of %d' % (doc['numbers'], budget, over, len(frames)))
print('%s - %s: %d frames by %s, %d rows of sites' % ('not ok' if bad or not top else 'ok', ' '.join(sys.argv[1:]), len(frames), metric, len(by_site)))
for b in bad[:5]:
    print('# ' + b)
P
# Frames of random lengths, and in each some blocks of a few sites by several callers.
python3 - >random.txt <<'P'
import random
random.seed(7)
print('metric count exact\nmetric requested exact\nmetric live exact\nthread main 1')
t = address = 0
for f in range(300):
    print('frame %d %d%s' % (f, t, ' level%d' % f if f % 50 == 0 else ''))
    n = random.randrange(6)
    for i in range(n):
        t += random.randrange(1, 4000000)
        address += 4096
        print('alloc malloc main;c%d;s%d@f.c:%d %d %d - %d' % (random.randrange(3), *[random.randrange(4)] * 2, random.randrange(1, 9999), t, address))
        if random.random() < .5:
            print('free %d %d' % (address, t + 1))
    t += random.randrange(1, 20000000)
P
"$GEN/script" <random.txt >random.tmt
# The same without times, and as calls.
sed -E 's/^(frame [0-9]+).*/\1/; s/^(alloc .*) [0-9]+ - ([0-9]+)$/\1 - - \2/; s/^(free [0-9]+) .*/\1/' random.txt >untimed.txt
"$GEN/script" <untimed.txt >untimed.tmt
python3 - >calls.txt <<'P'
import random
random.seed(8)
print('metric time exact\nthread main 1')
t = 0
def call(path, depth):
    global t
    s = random.randrange(4)
    path += ';s%d@f.c:%d' % (s, s)
    t += random.randrange(1, 100000)
    print('enter %s %d' % (path, t))
    for i in range(random.randrange(3) if depth < 4 else 0):
        call(path, depth + 1)
    t += random.randrange(1, 3000000)
    print('exit %s %d' % (path, t))
for f in range(200):
    print('frame %d %d' % (f, t))
    for i in range(random.randrange(1, 5)):
        call('main', 0)
    t += random.randrange(1, 1000000)
P
"$GEN/script" <calls.txt >calls.tmt
hold() {
	python3 compare.py "$@" || echo "not ok - $*: the comparison failed"
}
for one in random untimed calls; do
	hold $one.tmt
done
hold random.tmt untimed.tmt
hold --focus=c1 random.tmt
hold --frame=100..199 random.tmt
# Captures whose frames have names, of Lua's heap, without times, and recorded as calls.
for capture in "$DATA"/demo/*-dwarf5-O2/arcade.mem "$DATA"/miku/{A0,E,wire30} "$DATA"/lua/real.binary; do
	hold "$capture"
done
