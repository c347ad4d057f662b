#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Recordings of Java's Flight Recorder beside what jfr(1) prints of them: samples of each stack and thread, bytes of each
# class, readings of the heap. Those of the generator, and one of this machine's Java, in several chunks.
set -u
: "${GEN:?}"

if ! command -v jfr >/dev/null || ! command -v javac >/dev/null; then
	echo 'skip - recordings beside jfr: no Java'
	exit 0
fi
for variant in plain tlab malloc; do "$GEN/jfr" --samples 50 $variant >$variant.jfr 2>err; done
cat >Work.java <<'END'
import java.util.ArrayList;
import java.util.List;

public class Work {
	static volatile Object kept;
	static volatile double sum;

	static double burn(int n) {
		double x = 0;
		for (int i = 1; i < n; i++)
			x += Math.sqrt(i) * Math.sin(i);
		return x;
	}

	static int deep(int d) {
		if (d > 0)
			return deep(d - 1) + 1;
		sum = burn(20000);
		return 0;
	}

	public static void main(String[] args) throws Exception {
		long end = System.currentTimeMillis() + 4000;
		Thread worker = new Thread(() -> {
			while (System.currentTimeMillis() < end)
				deep(20);
		}, "worker");
		worker.start();
		for (int k = 0; System.currentTimeMillis() < end; k++) {
			if (k == 20) // begins another chunk
				jdk.jfr.FlightRecorder.getFlightRecorder().takeSnapshot().close();
			List<Object> list = new ArrayList<>();
			for (int i = 0; i < 2000; i++)
				list.add(i % 3 == 0 ? new int[i % 300] : i % 3 == 1 ? new byte[i] : new Object[9]);
			kept = list;
			deep(5);
		}
		worker.join();
		System.gc();
	}
}
END
# A depth of 15 cuts stacks.
java -XX:StartFlightRecording=filename=own.jfr,settings=profile -XX:FlightRecorderOptions=stackdepth=15 -Xlog:jfr*=off -Xmx200m \
	Work.java >err 2>&1 || echo 'not ok - the recording'

cat >compare.py <<'END'
import collections, json, subprocess, sys

name = sys.argv[1]
PRIMITIVE = dict(B='byte', C='char', D='double', F='float', I='int', J='long', S='short', Z='boolean')

def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()

def java(s):
    rank = len(s) - len(s.lstrip('['))
    s = s[rank:]
    s = PRIMITIVE[s] if rank and len(s) == 1 else s[1:-1] if rank else s
    return s.replace('/', '.') + rank * '[]'

def stack(event):
    frames = (event.get('stackTrace') or {'frames': []})['frames']
    return ';'.join(java(f['method']['type']['name']) + '.' + f['method']['name'] for f in reversed(frames)) or '[no stack]'

def rows(*options):
    sections = json.loads(run('tm-top', '-q', '--as', 'json', '-n', '0', *options, name))['sections']
    return [s for s in sections if s.get('kind') == 'table'][0]['rows']

events = collections.defaultdict(list)
for e in json.loads(run('jfr', 'print', '--json', '--stack-depth', '1000', name))['recording']['events']:
    events[e['type']].append(e['values'])

failed = 0
def check(what, got, want, least=1):
    global failed
    good = got == want and len(want) >= least
    failed |= not good
    print('%s - %s: %s' % ('ok' if good else 'not ok', name, what))
    if not good:
        print('    got %.300s\n    want %.300s' % (sorted(got.items()), sorted(want.items())))

samples = events['jdk.ExecutionSample'] + events['jdk.NativeMethodSample']
want = collections.Counter(stack(e) for e in samples)
got = collections.Counter()
for line in run('tm-export', '-q', '--as', 'folded', '--sort', 'samples', name).splitlines():
    s, n = line.rsplit(' ', 1)
    got[s] += int(n)
check('samples of each stack', got, want)

want = collections.Counter((e['sampledThread'] or {}).get('javaName') for e in samples)
got = collections.Counter({r['thread'].split(' (')[0]: r['samples'] for r in rows('--by', 'thread', '--sort', 'samples') if r.get('samples')})
check('samples of each thread', collections.Counter(got.values()), collections.Counter(want.values()))

tlab = events['jdk.ObjectAllocationInNewTLAB'] + events['jdk.ObjectAllocationOutsideTLAB']
want = collections.Counter()
for e in tlab or events['jdk.ObjectAllocationSample']:
    want[java(e['objectClass']['name'])] += e.get('tlabSize') or e.get('weight') or e['allocationSize']
if want:
    got = {r['type']: r['requested'] for r in rows('--by', 'type', '--sort', 'requested') if r.get('requested')}
    check('bytes of each class', got, dict(want))
want = sum(e['size'] for e in events['profiler.Malloc'])
if want:
    check('blocks of malloc', {'': sum(r.get('requested') or 0 for r in rows('--by', 'type', '--sort', 'requested'))}, {'': want})

def readings(counter):
    ids = {}
    values = collections.Counter()
    for line in run('tm-dump', name).splitlines():
        word = line.split()
        if word[0] == 'counter' and word[1].isdigit():
            ids[word[1]] = word[2][6:-1]
        elif word[0] == 'counter' and ids[word[-1][5:]] == counter:
            values[int(word[1][6:])] += 1
    return values
check('sizes of the heap', readings('java.heap.used'), collections.Counter(e['heapUsed'] for e in events['jdk.GCHeapSummary']))
sys.exit(failed)
END
failed=0
for f in plain tlab malloc own; do python3 compare.py $f.jfr 2>err || failed=1; sed 's/^/    /' err; done
chunks=$(jfr summary own.jfr | awk '$1 == "Chunks:" { print $2 }')
if [ "$chunks" -ge 2 ]; then
	echo "ok - several chunks"
else
	echo "not ok - several chunks: $chunks"
	failed=1
fi
exit $failed
