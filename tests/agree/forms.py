# SPDX-License-Identifier: MIT
"""Readers of what the programs print, from tracemill-report(5) alone: each returns the differences to
the tables of a JSON report."""
import collections
import csv
import html.parser
import io
import json
import re
from decimal import Decimal, InvalidOperation

SIZES = {'B': 1, 'KiB': 2 ** 10, 'MiB': 2 ** 20, 'GiB': 2 ** 30, 'TiB': 2 ** 40, 'PiB': 2 ** 50, 'EiB': 2 ** 60}
TIMES = {'ns': 1, 'us': 10 ** 3, 'ms': 10 ** 6, 's': 10 ** 9, 'min': 60 * 10 ** 9, 'h': 3600 * 10 ** 9}
NUMBERS = ('count', 'bytes', 'time', 'ns', 'percent', 'number', 'float', 'ratio')


def document(text):
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def tables(doc):
    return [s for s in doc['sections'] if s['kind'] == 'table']


def number(value):
    return isinstance(value, Decimal)


def branches(rows, key):
    """Rows of a tree, its outermost ones with what is below them in the order of key."""
    at = [i for i, r in enumerate(rows) if not r['_depth']] + [len(rows)]
    return [r for a, b in sorted(zip(at, at[1:]), key=lambda x: key(rows[x[0]])) for r in rows[a:b]]


# What an event of type-total says: no filter can tell which of its blocks it keeps.
OF_TYPES = re.compile(r'count|entries|requested|real|slack|live|freed|share|percent')


def same_document(want, doc, filtered=False, typed=False):
    """All numbers of two JSON reports, but for what names the inputs. filtered: doc went through a filter,
    with which peaks, sums that are known by type only and tables of the whole capture may be absent. typed: the
    capture has such sums, so that rows by type, and sums of everything, may lack them."""
    if not filtered:
        return differences(want.get('facts'), doc.get('facts'), 'facts') + differences(want['sections'], doc['sections'], 'sections')
    by_name = {(s['kind'], s['name']): s for s in doc['sections']}
    found = []
    for i, s in enumerate(want['sections']):
        other = by_name.get((s['kind'], s['name']))
        if other is None and i == 0:
            found.append('%s is absent' % s['name'])
            continue
        if not other or s['kind'] != 'table':
            continue
        # A row of nothing but zeros may be left out; a step may be there for the time of such a sum.
        idle = ('rank', 'frame', 'line', 'step', 'capture') + (('start_ns', 'duration_ns') if typed else ())
        s, other = ({**t, 'rows': [r for r in t['rows'] if any(number(v) and v for k, v in r.items() if k not in idle)]}
                    for t in (s, other))
        # What is ranked by may be absent, and then the order is another one.
        key = lambda row: [(k, str(v)) for k, v in row.items() if k in ('frame', 'line', '_depth') or (v is not None and not number(v) and k != '_details')]
        if typed and 'type' in (c['key'] for c in s['columns']):
            # Of two rows of one name, as of two types without one, that without records has such sums alone.
            there = collections.Counter(map(repr, map(key, other['rows'])))
            kept = []
            for r in sorted(s['rows'], key=lambda r: not any(k.endswith('entries') and v for k, v in r.items())):
                there[repr(key(r))] -= 1
                if there[repr(key(r))] >= 0:
                    kept.append(r)
            s = {**s, 'rows': [r for r in s['rows'] if any(r is k for k in kept)]}
        if typed and s['name'] == 'spread':
            continue  # all of its numbers are of such sums
        by_type = typed and ('type' in (c['key'] for c in s['columns']) or s['name'] == 'runs')
        if len(s['rows']) != len(other['rows']):
            found.append('%s: %d rows, and %d' % (s['name'], len(s['rows']), len(other['rows'])))
        else:
            ordered = lambda t: sorted(t['rows'], key=key) if not t['tree'] else branches(t['rows'], key) if typed else t['rows']
            for r, (row, seen) in enumerate(zip(ordered(s) + s['totals'], ordered(other) + other['totals'])):
                found += ['%s, row %d, %s: %s, and %s' % (s['name'], r + 1, k, v, seen[k]) for k, v in row.items()
                          if number(v) and k not in ('run', 'rank') and not (by_type and OF_TYPES.search(k)) and seen.get(k) is not None and v != seen[k]]
    return found


def flame(nodes):
    """Path -> what its nodes have themselves: nodes of one parent stand in any order."""
    paths, out = [], {}
    for n in nodes:
        path = (paths[int(n['parent'])] if paths else ()) + ((n['name'], n.get('at')),)
        paths.append(path)
        out[path] = out.get(path, 0) + n['self']
    return out


def differences(a, b, where):
    if isinstance(a, dict) and a.get('kind') == 'flame' and isinstance(b, dict) and not a['differential']:
        p, q = flame(a['nodes']), flame(b.get('nodes', []))
        return ['%s, %s: %s, and %s' % (where, k[-1], p.get(k), q.get(k)) for k in set(p) | set(q) if p.get(k) != q.get(k)]
    if isinstance(a, dict) and isinstance(b, dict):
        out = []
        for k in list(a) + [k for k in b if k not in a]:
            if k not in ('title', 'notes', 'run', 'file'):  # which name the input
                out += differences(a.get(k), b.get(k), '%s.%s' % (where, k))
        return out
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return ['%s: %d, and %d' % (where, len(a), len(b))]
        return [x for i, (p, q) in enumerate(zip(a, b)) for x in differences(p, q, '%s[%d]' % (where, i))]
    return [] if a == b else ['%s: %s, and %s' % (where, a, b)]


def shown(text):
    """A number as people see it: (value, how far the true one may be). None: blank or no number."""
    text = text.strip().lstrip('~').strip()
    text = re.sub(r'^[<>]=?', '', text).strip()
    m = re.fullmatch(r'([+-]?)([\d,]*\.?\d+)\s*(%|[A-Za-z]+)?', text)
    if not m:
        return None
    digits = m[2].replace(',', '')
    unit = m[3] or ''
    scale = Decimal(SIZES.get(unit, TIMES.get(unit, 1)))
    if unit not in SIZES and unit not in TIMES and unit not in ('', '%', 'x'):
        return None
    value = Decimal(digits) * scale * (-1 if m[1] == '-' else 1)
    places = len(digits.split('.')[1]) if '.' in digits else 0
    far = Decimal(0) if unit in ('B', 'ns') or not places else Decimal('0.5001') * scale / 10 ** places
    if unit and unit not in ('B', 'ns', '%', 'x') and not places:
        far = scale / 2
    return value, far


def cell(want, text):
    """text: of a form for people; None where it agrees, else what is seen."""
    got = shown(text)
    if want is None:
        return None if not text.strip() or text.strip() in ('-',) else text
    if got is None:
        return text if text.strip() else 'blank'
    if want != int(want) and text.strip()[-1:] in 'Bs':  # a mean, of whole bytes or ns
        got = got[0], max(got[1], Decimal('0.5'))
    if '%' in text and text.strip()[0] in '<>':  # beside 0 or the whole
        return None if 0 < abs(got[0] - want) < 2 * got[1] and (want < got[0]) == (text.strip()[0] == '<') else text
    return None if abs(got[0] - want) <= got[1] else text


def delimited(doc, name, text, tab):
    """CSV or TSV of one table."""
    table = next(t for t in tables(doc) if t['name'] == name)
    if tab:
        lines = [line.split('\t') for line in text.split('\n')[:-1]]
        plain = {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\'}
        lines = [[re.sub(r'\\(.)', lambda m: plain.get(m[1], m[0]), c) for c in line] for line in lines]
    else:
        lines = list(csv.reader(io.StringIO(text, newline='')))
    if not lines:
        return None
    keys = [c['key'] for c in table['columns']]
    head = (['depth'] if table['tree'] else []) + keys
    if lines[0] != head:
        return ['columns %s, and %s' % (head, lines[0])]
    if len(lines) - 1 != len(table['rows']):
        return ['%d rows, and %d' % (len(table['rows']), len(lines) - 1)]
    found, compared = [], 0
    for i, (row, line) in enumerate(zip(table['rows'], lines[1:])):
        for key, text_of in zip(head, line):
            want = row['_depth'] if key == 'depth' else row.get(key)
            if number(want):
                compared += 1
                try:
                    if Decimal(text_of) == want:
                        continue
                except InvalidOperation:
                    pass
                found.append('row %d, %s: %s, and "%s"' % (i + 1, key, want, text_of))
            elif want is None and text_of != '':
                found.append('row %d, %s: absent, and "%s"' % (i + 1, key, text_of))
    return found if compared else None


def title_keys(table, titles, more=False):
    """Titles of a form, in order -> keys; columns may be left out. more: the form may have further ones,
    as a page has. None: another table's."""
    columns, out, at = table['columns'], [], 0
    if len(titles) < min(2, len(columns)):
        return None
    for title in titles:
        if title in ('at', ''):  # file and line in one, and the triangle of rows that fold
            out.append({'key': '', 'title': title, 'type': 'text'})
            continue
        if out and not out[-1]['key'] and out[-1]['title'] not in ('at', '') and sum(c['title'] == title for c in columns) > 1:
            out.append({'key': '', 'title': title, 'type': 'text'})  # whose it is was not found
            continue
        start = at
        while at < len(columns) and columns[at]['title'] != title:
            at += 1
        if at == len(columns) and more and start:
            out.append({'key': '', 'title': title, 'type': 'text'})
            at = start
            continue
        if at == len(columns):
            return None
        out.append(columns[at])
        at += 1
    return out


def is_number(column):
    return column['type'] != 'text' and column['type'] != 'name' and column['type'] != 'address'


def text_row(found, where, columns, row, line):
    """Numbers before the first name, and those after the last one; blanks leave no trace in a line."""
    tokens = [t for t in re.split(r'\s{2,}', line.strip()) if t]
    kinds = [is_number(c) for c in columns]
    first = kinds.index(False) if False in kinds else len(kinds)
    last = len(kinds) - kinds[::-1].index(False) if False in kinds else len(kinds)
    compared = 0
    for part, take in ((columns[:first], tokens), (columns[last:][::-1], tokens[::-1])):
        want = [(c['key'], row.get(c['key'])) for c in part if row.get(c['key']) is not None]
        for (key, value), token in zip(want, take):
            if not number(value):
                break
            compared += 1
            bad = cell(value, token)
            if bad is not None:
                found.append('%s, %s: %s, and "%s"' % (where, key, value, bad))
                break
        if len(take) < len(want):
            found.append('%s: %d numbers, and "%s"' % (where, len(want), line.strip()[:80]))
    return compared


def text(doc, out):
    lines = out.split('\n')
    found, compared, at = [], 0, 0
    for table in sorted(tables(doc), key=lambda t: not t.get('ahead')):  # text begins with these
        if not table['rows']:
            continue
        for i in range(at, len(lines)):
            columns = title_keys(table, [t for t in re.split(r'\s{2,}', lines[i].strip()) if t])
            if columns:
                break
        else:
            continue  # sizes, which are of the page
        at = i + 1
        for r, row in enumerate(table['rows'] + table.get('totals', [])):
            if at < len(lines) and not lines[at].strip() and all(row.get(c['key']) in (None, '') for c in columns):
                at += 1  # nothing is known of it
                continue
            # Calls of the stacks below a type are four blanks in; a row whose first cells are blank begins further on.
            while at < len(lines) and (not lines[at].strip() or table['name'] == 'types' and re.match(r' {4}\S', lines[at]) and
                                       not shown(re.split(r'\s{2,}', lines[at].strip())[0])):
                at += 1
            if at == len(lines):
                found.append('table %s ends after %d rows' % (table['name'], r))
                break
            compared += text_row(found, 'table %s, row %d' % (table['name'], r + 1), columns, row, lines[at])
            at += 1 + len(row.get('_details') or []) + ('_more' in row)
    return found if compared else None


def markdown(doc, out):
    blocks, head = [], None
    for line in out.split('\n'):
        if not line.startswith('|'):
            head = None if not line.startswith('<') and line.strip() else head
            continue
        cells = [c.strip() for c in re.split(r'(?<!\\)\|', line.strip()[1:-1])]
        if all(re.fullmatch(r':?-+:?', c) for c in cells):
            continue
        cells = [html_text(c) for c in cells]
        if head is None:
            head = cells
            blocks.append((head, []))
        elif cells != head:
            blocks[-1][1].append(cells)
    found, compared, at = [], 0, 0
    for table in tables(doc):
        if not table['rows']:
            continue
        for i in range(at, len(blocks)):
            columns = title_keys(table, blocks[i][0])
            if columns:
                break
        else:
            continue
        at = i + 1
        # Rows of sums stand behind those that are folded; between these there is a second heading.
        rows = blocks[i][1]
        sums = [r for r in rows if columns[0]['key'] == 'rank' and r[0] == '' and r[-1:] != ['x']]
        plain = [r for r in rows if r not in sums] if columns[0]['key'] == 'rank' else rows
        wanted = table['rows'] if columns[0]['key'] == 'rank' else table['rows'][:10]
        for r, (row, cells) in enumerate(zip(wanted, plain)):
            for column, seen in zip(columns, cells):
                if is_number(column) and (number(row.get(column['key'])) or row.get(column['key']) is None):
                    compared += 1
                    bad = cell(row.get(column['key']), seen)
                    if bad is not None:
                        found.append('table %s, row %d, %s: %s, and "%s"' % (table['name'], r + 1, column['key'], row.get(column['key']), bad))
        for row, cells in zip(table.get('totals', []), sums):
            for column, seen in zip(columns, cells):
                if is_number(column) and number(row.get(column['key'])):
                    compared += 1
                    bad = cell(row[column['key']], seen)
                    if bad is not None:
                        found.append('table %s, sums, %s: %s, and "%s"' % (table['name'], column['key'], row[column['key']], bad))
    return found if compared else None


def html_text(s):
    return re.sub(r'&#(\d+);', lambda m: chr(int(m[1])), s).replace('&lt;', '<').replace('&gt;', '>').replace('&amp;', '&').strip('`')


class Page(html.parser.HTMLParser):
    """Tables of a page (titles, and rows of data-v or text), and its embedded JSON."""

    def __init__(self, text_of):
        super().__init__()
        self.tables, self.json, self.in_script, self.in_head, self.cell = [], [], False, False, None
        self.feed(text_of)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == 'table':
            self.tables.append(([], []))
        elif tag == 'script':
            self.in_script = a.get('type') == 'application/json'
            if self.in_script:
                self.json.append('')
        elif tag == 'th' and self.tables:
            self.in_head = True
            self.tables[-1][0].append('')
        elif tag == 'tr' and self.tables:
            self.tables[-1][1].append([])
        elif tag == 'td' and self.tables:
            self.cell = [a.get('data-v'), '']
            self.tables[-1][1][-1].append(self.cell)

    def handle_endtag(self, tag):
        if tag == 'th':
            self.in_head = False
        elif tag == 'td':
            self.cell = None
        elif tag == 'script':
            self.in_script = False

    def handle_data(self, data):
        if self.in_script:
            self.json[-1] += data
        elif self.in_head:
            self.tables[-1][0][-1] += data
        elif self.cell:
            self.cell[1] += data


def page(doc, out):
    p = Page(out)
    found, compared, at = [], 0, 0
    for table in tables(doc):
        if not table['rows']:
            continue
        for i in range(at, len(p.tables)):
            columns = title_keys(table, p.tables[i][0], True)
            if columns:
                break
        else:
            found.append('table %s is not in the page' % table['name'])
            continue
        at = i + 1
        rows = [r for r in p.tables[i][1] if r][:1000]  # a script makes the others
        for r, (row, cells) in enumerate(zip(table['rows'], rows)):
            for column, (value, seen) in zip(columns, cells):
                want = row.get(column['key'])
                if not number(want):
                    continue
                compared += 1
                if value is not None:
                    if Decimal(value) != want:
                        found.append('table %s, row %d, %s: %s, and %s' % (table['name'], r + 1, column['key'], want, value))
                bad = cell(want, seen)
                if bad is not None:
                    found.append('table %s, row %d, %s: %s, and "%s"' % (table['name'], r + 1, column['key'], want, bad))
    # A flame graph: what its nodes have themselves.
    flames = [s for s in doc['sections'] if s['kind'] == 'flame' and not s['differential']]
    for embedded in p.json:
        d = json.loads(embedded, parse_float=Decimal)
        if isinstance(d, dict) and 'self' in d and flames:
            want = sum(n['self'] for n in flames[0]['nodes'])
            compared += 1
            if sum(d['self']) != want:
                found.append('flame graph: %s, and %s' % (want, sum(d['self'])))
            flames = flames[1:]
    return found if compared else None
