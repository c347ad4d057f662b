# SPDX-License-Identifier: MIT
"""The places that print numbers, and what holds each to the others.

OPTIONS sorts every option of the reports into classes; FORMS has a reader for each value of --as; EXPORTS
for each of tm-export's. unlisted() compares the three with what --help of the built programs lists."""
import bisect
import bz2
import gzip
import json
import lzma
import os
import re
import shutil
import sqlite3
import subprocess
import zlib
from decimal import Decimal

import forms
from protobuf import fields, packed


class Refused(Exception):
    """A program would not do what it was asked."""


class TooLong(Exception):
    """An answer that does not fit into memory a few times: all 1.2 million stacks of a capture, whole."""


REPORTS = ('tm-top', 'tm-frames', 'tm-compare', 'tm-spikes', 'tm-heap', 'tm-history', 'tm-inspect')

# Filters that keep everything, and so change no number: option -> its arguments.
KEEP = {
    '--ignore': ['--ignore', 'no such call'], '--hide': ['--hide', 'no such call'],
    '--prune-from': ['--prune-from', 'no such call'], '--collapse-recursion': ['--collapse-recursion', 'no such call'],
    '--collapse-module': ['--collapse-module', 'no such module'], '--domain': ['--domain', 'auto'],
    '--literal': ['--literal', '--ignore', 'no such call'],
    '--caseless': ['--caseless', '--ignore', 'NO SUCH CALL'],
    '--size': ['--size', '0..'], '--time': ['--time', '0s..'], '--frame': ['--frame', '0..'],
    '--focus': ['--focus', ''], '--type': ['--type', ''], '--module': ['--module', ''],
    '--file': ['--file', ''], '--thread': ['--thread', ''], '--show': ['--show', ''],
}
# These drop what has no name, no size, no time ...; a line tells how much they kept.
KEEP_SOME = ('--size', '--time', '--frame', '--focus', '--type', '--module', '--file', '--thread', '--show')

OPTIONS = {
    'compared: forms': '--as --csv --output --table --bytes',
    'compared: filters': ' '.join(KEEP),
    'asked: in QUESTIONS': '--by --sort --metrics --cumulative --top --tree --bottom-up --peek --leaks --memory --every --detail --spread '
                           '--all --dominators --threshold --objects',
    # Along frames and threads, for tm-view's tracks: tests/sh/view_walks.sh and golden/tm-frames/chart-bars hold their sums.
    'tracks': '--chart --bars --levels',
    'compared: aggregates': '--save-baseline',
    # The same rows in another order, more of them or fewer; their numbers are asked without.
    'choose among rows': '--min --show-stacks --callers --tops --sort-counter --nesting --sort --snapshot --with --who --paths --duplicates --destroyed '
                         '--set --same --site --root --spike --new-stacks --source --source-dir --guess-sites --sites --owner --owners '
                         '--suppressions --map-path --budget --channel --rules --pet --suggest --hook-cost --no-demangle',
    # Parts of a side, and labels of runs: tests/sh/compare.sh and history.sh hold them.
    'choose sides': '--base --new --group --history --per --normalize --base-branch --base-machine --base-last --base-frame --new-frame '
                    '--base-time --new-time --origin --build --branch --machine --status --label --commit --date --since --until --last --wait '
                    '--counter --name --alpha --seed --from --to',
    # What of one build is what of another: tests/sh/two_builds.sh.
    'drop library code': '--hide-library',
    'pair rows of two builds': '--map-module --map-function --base-source --new-source',
    # tests/sh/compare.sh and the golden cases of tm-compare hold verdicts in every form.
    'judge': '--gate --init-policy --allow-loss --allow-no-base --allow-unmatched --allow-unlike --allow-copies --today',
    # Of binaries, whose numbers are tests/sh/inspect.sh's.
    'binaries': '--by-file --recording --disassemble --trace --debug-dir --sysroot --debuginfod --debuginfod-timeout --no-debuginfod --symbol-server --no-cache --cache '
                '--no-symbols',
    'print no number': '--list-suppressions --list-sites --raw-csv --plot --color --width --no-pager --quiet --verbose --progress --no-sandbox '
                       '--no-config --help --version',
    'how a capture is read': '--format --maps --config --slide --locations --offsets --exe',
}


def bytes_form(name):
    return ['--as', name, '--bytes'] if name in ('text', 'markdown') else ['--as', name]


FORMS = {
    # form -> (arguments of a place, differences); of CSV and TSV each table is asked.
    'text': [('text', ['--as', 'text', '--width', '0', '--bytes'], forms.text), ('text, rounded', ['--as', 'text', '--width', '0'], forms.text)],
    'markdown': [('markdown', ['--as', 'markdown', '--bytes'], forms.markdown), ('markdown, rounded', ['--as', 'markdown'], forms.markdown)],
    'html': [('html', None, forms.page)],
    'csv': [('csv', ['--as', 'csv'], lambda doc, out, name: forms.delimited(doc, name, out, False))],
    'tsv': [('tsv', ['--as', 'tsv'], lambda doc, out, name: forms.delimited(doc, name, out, True))],
    'json': [], 'auto': [],
    # Verdicts, of which the numbers are in a sentence: the golden cases of tm-compare hold these.
    'junit': [], 'sarif': [], 'code-quality': [],
}
EXPORTS = {'pprof': True, 'folded': True, 'speedscope': True, 'sqlite': True, 'chrome': True,
           # Its sums: tests/sh/firefox.sh.
           'firefox': False,
           'memtracer': True, 'loli-stream': True,
           # Names that are put into a copy of the capture, and module maps: no sums.
           'loli': False, 'mem': False, 'maps': False}

QUESTIONS = [
    ('tm-top', '--by', 'function'), ('tm-top', '--by', 'site'), ('tm-top', '--by', 'stack'), ('tm-top', '--by', 'type'),
    ('tm-top', '--by', 'thread'), ('tm-top', '--by', 'frame'), ('tm-top', '--by', 'module'), ('tm-top', '--by', 'function', '--metrics', 'all'),
    ('tm-top', '--by', 'type,site', '--cumulative'), ('tm-top', '--tree'), ('tm-top', '--bottom-up'), ('tm-top', '--peek', '.'),
    ('tm-top', '--leaks'), ('tm-top', '--memory'),
    ('tm-frames',), ('tm-frames', '--every', '10ms'), ('tm-frames', '--spread'), ('tm-frames', '--detail'),
    ('tm-spikes', '--threshold', '1us'),
    ('tm-heap', '--by', 'type'), ('tm-heap', '--by', 'site'), ('tm-heap', '--dominators'), ('tm-heap', '--objects', '0'),
    ('tm-compare', '--all', '--by', 'function'), ('tm-compare', '--all', '--by', 'type', '--sort', 'count'),
    ('tm-history', 'trend', '--by', 'type'),
    ('sums',),
]
WAYS = ('stdin', 'gzip', 'bzip2', 'xz', 'zstd', 'trace', 'trace, piped', 'tm-filter', 'symbolized, -j 1 and -j 2')
DOORS = ('tm-view --query', 'tm-view --lines', 'tm-view --mcp')
SUMS = ('tm-top by each key', 'tm-frames', 'tm-compare', 'tm-compare --save-baseline', 'tm-merge', 'tm-history', 'tm-dump', 'tm-top --tree')


def all_places():
    out = []
    for program in REPORTS:
        if program != 'tm-inspect':
            out += ['%s: %s' % (program, f[0]) for form in FORMS.values() for f in form]
    out += ['way in: ' + w for w in WAYS] + list(DOORS) + ['keeps everything: ' + k for k in KEEP]
    return out + ['sums: ' + s for s in SUMS] + ['export: ' + e for e, yes in EXPORTS.items() if yes]


PLACES = all_places()


def listed(run, program):
    """Options of a program's --help, and what each line says."""
    text = run.run([program, '--help', 'all'], status=None).out.decode()
    found = {}
    for m in re.finditer(r'^ +(?:-\w, +)?(--[\w-]+)(?:[ =\[][^\n]*?)?(?:  +([^\n]*(?:\n {20,}[^\n]*)*))?$', text, re.M):
        found[m[1]] = ' '.join((m[2] or '').split())
    return found


def values(text):
    return [v for v in re.split(r'[ ,]+', re.sub(r'\bor\b', '', text)) if re.fullmatch(r'[\w-]+', v)]


def unlisted(run):
    """What --help has and the tables here have not, and the reverse."""
    known = {o for names in OPTIONS.values() for o in names.split()}
    seen = set()
    for program in REPORTS:
        options = listed(run, program)
        if '--as' not in options:
            yield '%s: no --as in its --help' % program
            continue
        seen |= set(options)
        for name in options:
            if name not in known:
                yield '%s %s is in no class of tests/agree/places.py: which place are its numbers held to?' % (program, name)
        for form in values(options['--as']):
            if form not in FORMS:
                yield '%s --as %s has no reader in tests/agree/forms.py' % (program, form)
    for name in sorted(known - seen):
        yield '%s is in tests/agree/places.py, and no report has it' % name
    text = run.run(['tm-export', '--list-formats']).out.decode()
    for form in re.findall(r'^([\w-]+) ', text, re.M):
        if form not in EXPORTS:
            yield 'tm-export --as %s is not in tests/agree/places.py' % form


def broken(answer, r):
    """answer (bytes) with one digit changed, of none of its addresses: those may be nearly all of its digits.
    Of a page, one of its cells where it has some: nearly all of its digits are of charts and scripts."""
    at = [m.start() for m in re.finditer(rb'0x[\da-f]+|(\d)', answer) if m[1]]
    cells = [m.span() for m in re.finditer(rb'<td[^>]*>[^<]*', answer)] if answer.startswith(b'<!') else []
    ends = [end for _, end in cells]
    within = [i for i in at if bisect.bisect_right(ends, i) < len(cells) and cells[bisect.bisect_right(ends, i)][0] <= i]
    at = within or at
    if not at:
        return None
    i = r.choice(at)
    new = bytes([48 + (answer[i] - 48 + r.randrange(1, 10)) % 10])
    return answer[:i] + new + answer[i + 1:]


class Capture:
    def __init__(self, path, trace, form, typed):
        self.path, self.trace, self.format, self.typed = path, trace, form, typed
        self.mixed = None


def capture(run, path):
    """None: no capture, or one that cannot be read."""
    trace = os.path.join(run.work, 'trace-%d.tmt' % zlib.crc32(path.encode()))
    r = run.run(['tm-import', '-q', '-o', trace, path], status=None)
    if r.status:
        return None
    head = run.run(['tm-dump', '-q', '--no-tables', '--no-events', '--no-symbols', trace]).out
    form = re.search(rb'^attribute format="(.*)"', head, re.M)
    return Capture(path, trace, form[1] if form else b'', re.search(rb'^totals .*\btype-total=[1-9]', head, re.M) is not None)


def argv(question, operands):
    return [question[0]] + [a for a in question[1:]] + ['-q', '-n', '0'] + operands


def operands(question, name):
    return [name, name] if question[0] == 'tm-compare' else [name]


def history(run, c):
    store = c.trace + '.db'
    if not os.path.exists(store):
        run.run(['tm-history', 'add', '-q', '--build', 'one', store, c.path])
    return store


def answer_of(run, question, name):
    """The JSON report, or None where the capture has nothing for it."""
    r = run.run(argv(question, operands(question, name)) + ['--as', 'json'], status=None)
    if r.status or not r.out.strip():
        return None
    doc = forms.document(r.out.decode('utf-8', 'replace'))
    return doc if any(t['rows'] for t in forms.tables(doc)) else None


def ask(run, c, question):
    what = '%s %s' % (' '.join(question), c.path)
    try:
        if question[0] == 'sums':
            sums(run, c)
            return
        name = history(run, c) if question[0] == 'tm-history' else c.path
        doc = answer_of(run, question, name)
        if doc is None:
            run.skip('questions that a capture has no answer to')
            return
        if 'more than 64 bits can hold' in json.dumps(doc, default=str):
            run.skip('answers whose sums end at 64 bits, and say so')
            return
        printed(run, question, name, doc, what)
        if question[0] != 'tm-history':
            ways_in(run, c, question, doc, what)
            doors(run, c, question, doc, what)
        if question[0] in ('tm-top', 'tm-frames', 'tm-compare'):
            keeping(run, c, question, doc, what)
    except TooLong:
        run.skip('answers of more than 128 MB')
    except (Refused, ValueError, KeyError, IndexError, TypeError, AttributeError) as e:
        run.failed += 1
        print('not ok - %s: %s: %s' % (what, type(e).__name__, e))


def printed(run, question, name, doc, what):
    """All forms of one answer."""
    for form, places in FORMS.items():
        for place, extra, compare in places:
            label = '%s: %s' % (question[0], place)
            if form in ('csv', 'tsv'):
                for table in forms.tables(doc):
                    r = run.run(argv(question, operands(question, name)) + extra + ['--table', table['name']], status=None)
                    if r.status == 2 and 'the report has no table' in r.err:
                        run.skip('tables of JSON and of pages alone')
                        continue
                    out = r.out
                    run.same(label, what + ', table ' + table['name'], out,
                             lambda b, t=table: compare(doc, b.decode('utf-8', 'replace'), t['name']))
            elif form == 'html':
                page = os.path.join(run.work, 'page.html')
                run.run(argv(question, operands(question, name)) + ['-o', page])
                with open(page, 'rb') as f:
                    run.same(label, what, f.read(), lambda b: compare(doc, b.decode('utf-8', 'replace')))
            else:
                out = run.run(argv(question, operands(question, name)) + extra).out
                run.same(label, what, out, lambda b: compare(doc, b.decode('utf-8', 'replace')))


def as_document(doc, filtered=False, typed=False):
    return lambda b: forms.same_document(doc, forms.document(b.decode('utf-8', 'replace')), filtered, typed)


def ways_in(run, c, question, doc, what):
    ask_of = lambda ops, stdin=None: run.run(argv(question, ops) + ['--as', 'json'], stdin=stdin, status=None).out or b'{"sections":[]}'
    if os.path.isfile(c.path) and question[0] != 'tm-compare':
        with open(c.path, 'rb') as f:
            data = f.read()
        run.same('way in: stdin', what, ask_of(['-'], data), as_document(doc))
        packers = {'gzip': lambda d: gzip.compress(d, 1), 'bzip2': bz2.compress, 'xz': lambda d: lzma.compress(d, preset=0)}
        if shutil.which('zstd'):
            packers['zstd'] = lambda d: subprocess.run(['zstd', '-q', '-c'], input=d, capture_output=True, check=True).stdout
        way = run.random.choice(list(packers))
        run.same('way in: ' + way, what, ask_of(['-'], packers[way](data)), as_document(doc))
    run.same('way in: trace', what, ask_of(operands(question, c.trace)), as_document(doc))
    if question[0] != 'tm-compare':
        with open(c.trace, 'rb') as f:
            run.same('way in: trace, piped', what, ask_of(['-'], f.read()), as_document(doc))
        kept = run.run(['tm-filter', '-q', '--ignore', 'no such call', c.trace], status=None)
        if 'a trace cannot hold calls without' in kept.err:
            run.skip('calls, of which tm-filter ignores none')
        elif kept.status:
            raise Refused('tm-filter: status %d: %s' % (kept.status, kept.err[:200]))
        else:
            run.same('way in: tm-filter', what, ask_of(['-'], kept.out), as_document(doc, True, c.typed))
    one, two = (run.run(['tm-symbolize', '-q', '--no-cache', '-j', n, c.trace], status=None) for n in ('1', '2'))
    run.same('way in: symbolized, -j 1 and -j 2', what, two.out,
             lambda b: [] if b == one.out else ['%d bytes, and %d, or others' % (len(one.out), len(b))])


def doors(run, c, question, doc, what):
    files = [c.path, c.path] if question[0] == 'tm-compare' else [c.path]
    words = [question[0][3:]] + list(question[1:]) + ['-n', '0']
    query = ' '.join(words)
    r = run.run(['tm-view', '-q', '--query', query] + files, status=None)
    run.same('tm-view --query', what, r.out, as_document(doc))
    line = json.dumps({'id': 1, 'query': query}).encode() + b'\n'
    r = run.run(['tm-view', '-q', '--lines'] + files, stdin=line, status=None)
    run.same('tm-view --lines', what, r.out,
             lambda b: forms.same_document(doc, json.loads(b.decode('utf-8', 'replace'), parse_int=Decimal, parse_float=Decimal)['answer']))
    if max(len(t['rows']) for t in forms.tables(doc)) > 500:
        return
    calls = [{'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',
              'params': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'agree', 'version': '1'}}},
             {'jsonrpc': '2.0', 'method': 'notifications/initialized'},
             {'jsonrpc': '2.0', 'id': 2, 'method': 'tools/call', 'params': {'name': 'query', 'arguments': {'question': query, 'limit': 500}}}]
    r = run.run(['tm-view', '-q', '--mcp'] + files, stdin=b''.join(json.dumps(m).encode() + b'\n' for m in calls), status=None)
    run.same('tm-view --mcp', what, r.out.split(b'\n')[1] if r.out.count(b'\n') > 1 else r.out, lambda b: mcp(doc, b))


def mcp(doc, b):
    answer = json.loads(json.loads(b.decode('utf-8', 'replace'))['result']['content'][0]['text'], parse_int=Decimal, parse_float=Decimal)
    found, compared = [], 0
    for table in forms.tables(doc):
        for got in answer.get('tables', []):
            if got['name'] != table['name'] or got.get('offset', 0) or got.get('of', len(got['rows'])) != len(table['rows']):
                continue
            for i, (row, seen) in enumerate(zip(table['rows'], got['rows'])):
                for column in table['columns']:
                    key = column['key']
                    if key in seen and (forms.number(row[key]) or row[key] is None):
                        compared += 1
                        if row[key] != seen[key] and str(row[key]) != seen[key]:
                            found.append('table %s, row %d, %s: %s, and %s' % (table['name'], i + 1, key, row[key], seen[key]))
    return found if compared else None


def numbered_in_part(run, c):
    """Some of its blocks' events have a number and some have none: what is freed before what is then known of all
    events only, and not of those that a filter hands on."""
    if c.mixed is None:
        out = run.run(['tm-dump', '-q', '--no-tables', '--no-symbols', c.trace]).out
        lines = [b' seq=' in line for line in out.split(b'\n') if re.match(rb'(alloc|free|freed) ', line)]
        c.mixed = any(lines) and not all(lines)
    return c.mixed


def keeping(run, c, question, doc, what):
    if '--memory' in question and numbered_in_part(run, c):
        run.skip('what filters leave of memory, of captures whose events are numbered in part')
        return
    options = listed(run, question[0])
    names = [k for k in KEEP if k in options]
    for name in run.random.sample(names, min(4, len(names))):
        if name == '--literal' and '--peek' in question:  # whose expression it would change
            continue
        r = run.run(argv(question, operands(question, c.path))[:-len(operands(question, c.path))] + KEEP[name] + ['--as', 'json'] +
                    operands(question, c.path), status=None)
        if r.status:
            run.skip('filters that this question does not take')
            continue
        kept = re.search(r'kept (\d+) of (\d+)', r.out.decode('utf-8', 'replace'))
        domains = [re.search(r'"counted: \d+ records? of domain (\w+)', t) for t in (json.dumps(doc, default=str), r.out.decode('utf-8', 'replace'))]
        another = [d and d[1] for d in domains]
        if name in KEEP_SOME and (not kept or kept[1] != kept[2] or another[0] != another[1]):
            run.skip('filters that dropped something')
            continue
        run.same('keeps everything: ' + name, what, r.out, as_document(doc, True, c.typed))


ADDED = ('count', 'entries', 'requested', 'real', 'live_count', 'live_requested', 'live_real', 'freed_count', 'calls', 'samples', 'self_time_ns')


def totals_of(doc, table=None, prefix=''):
    """Sums of a report's rows, by metric; a sum with an absent cell is left out."""
    for t in forms.tables(doc):
        if table in (None, t['name']) and t['rows']:
            out = {}
            for metric in ADDED:
                cells = [r.get(prefix + metric) for r in t['rows']]
                if all(forms.number(v) for v in cells):
                    out[metric] = sum(cells)
            return out
    return {}


def sums_differ(want, got, least=1):
    common = [k for k in want if k in got and got[k] is not None]
    if len(common) < least:
        return None
    return ['%s: %s, and %s' % (k, want[k], got[k]) for k in common if want[k] != got[k]]


def sums(run, c):
    """Totals of one capture, in every program that has them."""
    what = 'totals of ' + c.path
    doc = answer_of(run, ('tm-top', '--by', 'type', '--metrics', 'all'), c.path)
    if doc is None:
        run.skip('questions that a capture has no answer to')
        return
    if 'more than 64 bits can hold' in json.dumps(doc, default=str):
        run.skip('answers whose sums end at 64 bits, and say so')
        return
    want = totals_of(doc)
    parse = lambda b: forms.document(b.decode('utf-8', 'replace'))
    for key in ('site', 'function', 'stack', 'thread', 'module'):
        out = run.run(argv(('tm-top', '--by', key, '--metrics', 'all'), [c.path]) + ['--as', 'json'], status=None).out
        run.same('sums: tm-top by each key', what + ', by ' + key, out, lambda b: sums_differ(want, totals_of(parse(b))))
    r = run.run(['tm-top', '-q', '--tree', '--min', '0', '--sort', 'count', '--as', 'json', c.path], status=None)
    if not r.status and 'count' in want:
        run.same('sums: tm-top --tree', what, r.out,
                 lambda b: sums_differ(want, {'count': sum(r.get('count') or 0 for r in forms.tables(parse(b))[0]['rows'])}))
    r = run.run(['tm-frames', '-q', '-n', '0', '--every', '7ms', '--as', 'json', c.path], status=None)
    if not r.status:
        run.same('sums: tm-frames', what, r.out, lambda b: sums_differ(
            {k: v for k, v in want.items() if k in ('count', 'requested', 'real', 'self_time_ns')}, totals_of(parse(b))))
    compared = lambda a, b: run.run(['tm-compare', '-q', '-n', '0', '--all', '--by', 'type', '--as', 'json', a, b], status=None).out
    some = {k: v for k, v in want.items() if k in ('count', 'requested', 'real', 'live_count', 'live_requested', 'live_real', 'self_time_ns')}
    for place, name in (('tm-compare', c.path), ('tm-compare --save-baseline', None), ('tm-merge', None)):
        if place == 'tm-compare --save-baseline':
            name = c.trace + '.tma'
            run.run(['tm-compare', '-q', '--save-baseline', name, c.path])
        elif place == 'tm-merge':
            name = c.trace + '.merged.tma'
            run.run(['tm-merge', '-q', '-o', name, c.trace + '.tma'])
        out = compared(name, name)
        for side in ('base_', 'new_'):
            run.same('sums: ' + place, what, out, lambda b, s=side: sums_differ(some, totals_of(parse(b), 'changes', s)))
    for metric, key in (('count', 'count'), ('requested', 'requested'), ('real', 'real')):
        if key in want:
            out = run.run(['tm-history', 'trend', '-q', '--per', 'run', '--sort', metric, '--as', 'json', history(run, c)], status=None).out
            run.same('sums: tm-history', what + ', ' + metric, out, lambda b, k=key: sums_differ(
                {k: want[k]}, {k: next(t for t in forms.tables(parse(b)) if t['name'] == 'series')['rows'][0]['last']}))
    dumped(run, c, what, doc)
    exported(run, c, what, want)


def dumped(run, c, what, doc):
    """tm-dump's events, added up here: what --domain all of tm-top has."""
    r = run.run(['tm-top', '-q', '-n', '0', '--by', 'type', '--domain', 'all', '--metrics', 'count,requested,real,entries', '--as', 'json', c.path], status=None)
    if r.status:
        return
    want = {k: v for k, v in totals_of(forms.document(r.out.decode('utf-8', 'replace'))).items() if k in ('count', 'requested', 'real')}
    out = run.run(['tm-dump', '-q', '--no-tables', '--no-symbols', c.path], status=None).out

    def compare(b):
        got = {}
        for line in b.split(b'\n'):
            if line.startswith(b'alloc '):
                fields = dict(f.split(b'=', 1) for f in line.split()[1:] if b'=' in f)
                got['count'] = got.get('count', 0) + int(fields.get(b'count', b'1'))
                for k in ('requested', 'real'):
                    if k.encode() in fields:
                        got[k] = got.get(k, 0) + int(fields[k.encode()])
        return sums_differ(want, got)
    run.same('sums: tm-dump', what, out, compare)


def exported(run, c, what, all_sums):
    want = {k: v for k, v in all_sums.items() if k != 'entries'}  # which other formats do not have
    export = lambda form, *more: run.run(['tm-export', '-q', '--as', form, *more, c.path], status=None)
    for metric in ('count', 'requested', 'real', 'live-real', 'self-time'):
        key = {'live-real': 'live_real', 'self-time': 'self_time_ns'}.get(metric, metric)
        r = export('folded', '--sort', metric)
        if not r.status and key in want and r.out:
            run.same('export: folded', '%s, %s' % (what, metric), r.out, lambda b, k=key: sums_differ(
                {k: want[k]}, {k: sum(int(line.rsplit(b' ', 1)[1]) for line in b.split(b'\n') if line)}))
    r = export('speedscope')
    if not r.status:
        run.same('export: speedscope', what, r.out, lambda b: sums_differ(want, speedscope(b)))
    r = export('pprof')
    if not r.status:
        run.same('export: pprof', what, gzip.decompress(r.out), lambda b: sums_differ(want, pprof(b)))
    r = export('chrome')
    if not r.status:
        run.same('export: chrome', what, r.out, lambda b: chrome(want, b))
    base = os.path.join(run.work, 'export.db')
    if os.path.exists(base):
        os.remove(base)
    if not run.run(['tm-export', '-q', '--as', 'sqlite', '-o', base, c.path], status=None).status:
        run.same('export: sqlite', what, sql(base), lambda b: sums_differ(
            {k: v for k, v in want.items() if k in ('count', 'requested', 'real')}, sql_sums(b)))
    for form in ('memtracer', 'loli-stream'):
        r = export(form)
        if not r.status and r.out:
            again = run.run(['tm-top', '-q', '-n', '0', '--by', 'type' if form == 'memtracer' else 'site', '--as', 'json'] +
                            (['--metrics', 'all']) + ['-'], stdin=r.out, status=None)
            if not again.status:
                # An agent's message is of one block: records that count several are left out of counts.
                one_each = want.get('count') == all_sums.get('entries')
                keys = ('requested',) if form == 'memtracer' or not one_each else ('count', 'requested')
                run.same('export: ' + form, what, again.out, lambda b: sums_differ(
                    {k: want[k] for k in keys if k in want}, totals_of(forms.document(b.decode('utf-8', 'replace')))))


def speedscope(b):
    """Sums of the weights of profiles of stacks, named as metrics are."""
    d = json.loads(b.decode('utf-8', 'replace'), parse_int=Decimal, parse_float=Decimal)
    out = {}
    for p in d['profiles']:
        if p['type'] == 'sampled':
            k = p['name'].replace('-', '_')
            out[k] = out.get(k, 0) + sum(p['weights'])
    return out


def pprof(b):
    """profile.proto: 1 sample_type {1 type}, 2 sample {2 value}, 6 string_table."""
    types, strings, sums_by = [], [], []
    for n, v in fields(b):
        if n == 1:
            types.append(dict(fields(v)).get(1, 0))
        elif n == 6:
            strings.append(v.decode('utf-8', 'replace'))
        elif n == 2:
            row = [x for m, w in fields(v) if m == 2 for x in packed(w)]
            sums_by = [a + x for a, x in zip(sums_by or [0] * len(row), row)]
    names = {'alloc_objects': 'count', 'alloc_space': 'requested', 'inuse_objects': 'live_count', 'inuse_space': 'live_requested'}
    out = {}
    for t, v in zip(types, sums_by):
        name = strings[t]
        out[names.get(name, name.replace('-', '_'))] = v
    return out


def chrome(want, b):
    """Counters of allocations of each step add up; so do the times of calls without their children."""
    events = json.loads(b.decode('utf-8', 'replace'), parse_int=Decimal, parse_float=Decimal)['traceEvents']
    got = {}
    for e in events:
        if e['ph'] == 'C':
            for word, key in (('allocations (', 'count'), ('requested bytes (', 'requested'), ('real bytes (', 'real')):
                if e['name'].startswith(word):
                    got.setdefault((e['name'], key), []).append(sum(e['args'].values()))
    sums_of = {}
    for (name, key), values_of in got.items():
        sums_of.setdefault(key, []).append(sum(values_of))
    # Several domains: the one that reports count is not told here.
    return sums_differ(want, {k: v[0] for k, v in sums_of.items() if len(v) == 1})


def sql(base):
    db = sqlite3.connect(base)
    rows = db.execute('SELECT domain, count, requested, real FROM allocations').fetchall()
    db.close()
    return json.dumps(rows).encode()


def sql_sums(b):
    rows = json.loads(b)
    if len({r[0] for r in rows}) != 1:
        return {}
    out = {}
    for i, k in ((1, 'count'), (2, 'requested'), (3, 'real')):
        if all(r[i] is not None for r in rows):
            out[k] = sum(r[i] for r in rows)
    return out
