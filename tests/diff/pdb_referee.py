# SPDX-License-Identifier: MIT
"""Which of two answers is right by the records of a PDB, as llvm-pdbutil 19 prints them.

pdb_referee.py [--no-inlines] FILE PDB LLVM OURS [DIFFERENCES]: both answers are those of "-a -e FILE" in the style LLVM, for the same
requests. Each answer is compared with what the records say: the procedure that holds the address, the sites of inlined
calls in it with their rows, the rows of the lines, and the names of types, ids and publics. This reading shares nothing
with lib/pdb, nor with LLVM's symbolizer. Where records leave a choice (functions that the linker folded into one, rows
that begin together), each choice counts as right, if all of an answer follows the same one.

The output is one line of words, "FILE asked N resolved N inlined N equal N ours N both N llvm N neither N", and then a
line for each class of differences: "class N SIDE: TEXT". SIDE is who is right by the records. DIFFERENCES gets each
different answer, with all that the records allow.

pdb_referee.py --choose LLVM <ADDRESSES: 3,000 of these, each once; a third of them with inlined calls, if there are so
many.

pdb_referee.py --program PDB FILE: writes a program of zeros that names this PDB, for one whose program is not there."""
import bisect
import collections
import os
import re
import struct
import subprocess
import sys

STEPS = (0xfeefee, 0xf00f00)  # lines that are none: what a debugger is to do there
UNKNOWN = ('??', '??:0:0')


def answers(path):
    """The answers of a program: by request, in their order, lists of a name and a place for each call."""
    lines = open(path, errors='replace').read().split('\n')
    at = 0
    while at < len(lines):
        if not lines[at].startswith('0x'):
            at += 1
            continue
        addr, calls = int(lines[at], 16), []
        at += 1
        while at + 1 < len(lines):
            calls.append((lines[at], lines[at + 1]))
            at += 2
            if at >= len(lines) or not lines[at] and (
                    at + 1 >= len(lines) or not lines[at + 1] or lines[at + 1].startswith('0x')):
                break
        yield addr, calls


def number(text):
    return int(text, 16)


def stream_bytes(pdb, what):
    done = subprocess.run(['llvm-pdbutil-19', 'bytes', '--stream-data=' + what, pdb], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    digits = ''
    for row in done.stdout.decode(errors='replace').split('\n'):
        if b := re.match(r' *[0-9A-F]+: ((?:[0-9A-F]{2,8} ?)+) *\|', row):
            digits += b[1].replace(' ', '')
    return bytes.fromhex(digits)


def class2_name(record):
    """LF_CLASS2 and its like, which llvm-pdbutil 19 does not know: u16 length and kind, u32 flags and others, two numbers."""
    at = 12 if record[2] == 0x0a else 20
    for _ in range(2):
        kind = int.from_bytes(record[at:at + 2], 'little')
        at += 2 + {0x8000: 1, 0x8001: 2, 0x8002: 2, 0x8003: 4, 0x8004: 4, 0x8009: 8, 0x800a: 8}.get(kind, 0)
    return record[at:record.index(b'\0', at)].decode(errors='replace')


class Site:
    """An inlined call: the rows of its code as offsets in its procedure, and the sites in it."""

    def __init__(self, inlinee, end):
        self.inlinee, self.end, self.rows, self.inner = inlinee, end, [], []


class Procedure:
    def __init__(self, module, name, thunk):
        self.module, self.name, self.thunk = module, name, thunk
        self.section = self.offset = self.size = 0
        self.sites = []


class Module:
    def __init__(self):
        self.parts = []      # of lines: section, start, end, rows of (offset, line, column, file)
        self.inlinees = {}   # id: file, line
        self.exports = {}
        self.imports = []


class Records:
    def __init__(self, pdb):
        self.pdb = pdb
        self.modules = collections.defaultdict(Module)
        self.procedures, self.pieces, self.publics = [], [], collections.defaultdict(list)
        self.ids, self.types = {}, {}
        self.read_sections()
        self.read_publics()
        self.read_symbols()
        self.read_lines()
        self.read_inlinees()
        self.read_names()
        self.read_cross()
        self.read_moves()
        self.by_place = collections.defaultdict(list)
        for p in self.procedures:
            self.by_place[p.section].append(p)
        for s in self.by_place.values():
            s.sort(key=lambda p: p.offset)
        self.starts = {s: [p.offset for p in ps] for s, ps in self.by_place.items()}
        self.longest = {s: max(p.size for p in ps) for s, ps in self.by_place.items()}

    def dump(self, *options):
        done = subprocess.run(['llvm-pdbutil-19', 'dump', *options, self.pdb], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.decode(errors='replace').split('\n')

    def read_sections(self):
        self.sections, before, original, self.code_end = [], [], False, 0x2000
        for line in self.dump('--section-headers'):
            if 'Original Section Headers' in line:
                original = True
            if m := re.match(r' *([0-9A-F]+) virtual size', line):
                size = number(m[1])
            if m := re.match(r' *([0-9A-F]+) virtual address', line):
                (before if original else self.sections).append((number(m[1]), size))
            if 'IMAGE_SCN_MEM_EXECUTE' in line and not original:
                self.code_end = sum(self.sections[-1])
        self.before = before or self.sections
        for line in self.dump('--section-contribs'):
            if m := re.search(r'\| mod = (\d+), (\d+):(\d+), size = (-?\d+)', line):
                self.pieces.append((int(m[2]), int(m[3]), int(m[4]), int(m[1])))
        self.pieces.sort(key=lambda p: p[:2])

    def read_publics(self):
        name = None
        for line in self.dump('--publics'):
            if m := re.search(r'\| S_PUB32 \[size = \d+\] `(.*)`$', line):
                name = m[1]
            elif (m := re.search(r'flags = (.*), addr = (\d+):(\d+)', line)) and name is not None:
                self.publics[int(m[2]), int(m[3])].append((name, 'function' in m[1]))
                name = None
        self.public_places = sorted(self.publics)

    def read_symbols(self):
        module, procedure, open_sites, site = 0, None, [], None
        for line in self.dump('--symbols'):
            if m := re.match(r' *Mod (\d+) \|', line):
                module, procedure, open_sites = int(m[1]), None, []
            elif m := re.match(r' *(\d+) \| (S_\w+) \[size = \d+\](?: `(.*)`)?', line):
                at, kind, name = int(m[1]), m[2], m[3] or ''
                site = None
                if re.fullmatch(r'S_[GL](MAN)?PROC(32)?(_DPC)?(_ID)?|S_THUNK32', kind):
                    procedure, open_sites = Procedure(module, name, kind == 'S_THUNK32'), []
                    self.procedures.append(procedure)
                    fresh = True
                elif kind in ('S_INLINESITE', 'S_INLINESITE2'):
                    site, code, base_line, file, row = True, 0, 0, None, None
            elif site and (m := re.match(r' *inlinee = 0x([0-9A-F]+) .*?parent = \d+, end = (\d+)', line) or
                           re.match(r' *inlinee = 0x([0-9A-F]+), parent = \d+, end = (\d+)', line)):
                while open_sites and open_sites[-1].end <= at:
                    open_sites.pop()
                site = Site(number(m[1]), int(m[2]))
                if procedure:
                    (open_sites[-1].inner if open_sites else procedure.sites).append(site)
                open_sites.append(site)
            elif isinstance(site, Site) and re.match(r' +[0-9A-F]{2,} +\S', line):
                # "line" changes the row to come; "code" ends a row and begins the next; "code end" ends it
                if m := re.search(r'setfile .* 0x([0-9A-Fa-f]+)', line):
                    file = number(m[1])
                if m := re.search(r'line (-?\d+) \(', line):
                    base_line = int(m[1])
                if m := re.search(r'code 0x([0-9A-F]+) \(', line):
                    code = number(m[1])
                    if row:
                        site.rows.append((row[0], code, row[1], row[2]))
                    row = (code, base_line, file)
                if m := re.search(r'code end 0x([0-9A-F]+) \(', line):
                    if row:
                        site.rows.append((row[0], number(m[1]), row[1], row[2]))
                    row = None
            elif procedure and fresh and (m := re.search(r'addr = (\d+):(\d+), code size = (\d+)', line)):
                procedure.section, procedure.offset, procedure.size = int(m[1]), int(m[2]), int(m[3])
                fresh = False
            elif procedure and fresh and procedure.thunk and (
                    m := re.search(r'size = (\d+), addr = (\d+):(\d+)', line)):
                procedure.section, procedure.offset, procedure.size = int(m[2]), int(m[3]), int(m[1])
                fresh = False

    def read_lines(self):
        module = part = file = None
        for line in self.dump('-l'):
            if m := re.match(r' *Mod (\d+) \|', line):
                module, file = self.modules[int(m[1])], None
            elif m := re.match(r'  (\d+):([0-9A-F]{8})-([0-9A-F]{8}), ', line):
                place = int(m[1]), number(m[2]), number(m[3])
                if not module.parts or module.parts[-1][:3] != place:
                    module.parts.append((*place, []))
                part = module.parts[-1]
            elif module is not None and line[:1].strip() and not line.startswith('='):
                file = re.sub(r' \((?:MD5|SHA|no checksum|None|unknown)[^)]*\)$', '', line)
            elif part and file is not None:
                # "LINE OFFSET" or "LINE:COLUMN OFFSET"; NSI and ASI are lines that are none
                for m in re.finditer(r'(\d+|NSI|ASI)(?::(\d+))?(?:-\d+(?::\d+)?)? ([0-9A-F]{8})', line):
                    n = int(m[1]) if m[1].isdigit() else 0
                    part[3].append((number(m[3]), 0 if n in STEPS else n, int(m[2] or 0), file))

    def read_inlinees(self):
        module = None
        for line in self.dump('--il'):
            if m := re.match(r' *Mod (\d+) \|', line):
                module = self.modules[int(m[1])]
            elif m := re.match(r' *0x([0-9A-F]+) \| *(\d+) \| (.*?)(?: \((?:MD5|SHA|no checksum|None|unknown)[^)]*\))?$',
                               line):
                module.inlinees.setdefault(number(m[1]), (m[3], int(m[2])))

    def read_names(self):
        at = kind = None
        for line in self.dump('--ids'):
            if m := re.match(r' *0x([0-9A-F]+) \| (LF_\w+) \[size = \d+\](?: ID: .*?, String: (.*))?', line):
                at, kind = number(m[1]), m[2]
                if m[3] is not None:
                    self.ids[at] = (m[3], None, None)
            elif m := re.match(r' *name = (.*), type = (.*?), (class type|parent scope) = (?:0x([0-9A-F]+))?', line):
                self.ids[at] = (m[1], m[3], number(m[4]) if m[4] else None)
        for line in self.dump('--types'):
            if m := re.match(r' *0x([0-9A-F]+) \| LF_(?:CLASS|STRUCTURE|UNION|ENUM|INTERFACE) \[size = \d+\] `(.*)`$',
                             line):
                self.types[number(m[1])] = m[2]
        at, data = None, ''
        for line in self.dump('--types', '--type-data') + ['  0x0 |']:
            if m := re.match(r' *0x([0-9A-F]+) \|(.*)', line):
                if at:
                    self.types[at] = class2_name(bytes.fromhex(data))
                at, data = number(m[1]) if re.search(r'UNKNOWN RECORD \(0x160[89AB]\)', m[2]) else None, ''
            elif at and (m := re.match(r' *[0-9A-F]+: ((?:[0-9A-F]{2,8} ?)+) *\|', line)):
                data += m[1].replace(' ', '')

    def read_cross(self):
        module = None
        for line in self.dump('--xme'):
            if m := re.match(r' *Mod (\d+) \|', line):
                module = self.modules[int(m[1])]
            elif m := re.match(r' *0x([0-9A-F]+) \| 0x([0-9A-F]+)$', line):
                module.exports[number(m[1])] = number(m[2])

    def read_moves(self):
        """OMAP: where code was before a tool moved it, by where it is now."""
        self.moves = []
        for line in self.dump('--streams'):
            if m := re.match(r' *Stream +(\d+) \(.*\[Omap To Source', line):
                data = stream_bytes(self.pdb, m[1])
                self.moves = sorted((int.from_bytes(data[i:i + 4], 'little'), int.from_bytes(data[i + 4:i + 8], 'little'))
                                    for i in range(0, len(data) - 7, 8))

    def place(self, rva):
        """The section and the offset in it that the records have for an address, or None."""
        if self.moves:
            i = bisect.bisect_right(self.moves, (rva, 1 << 32)) - 1
            if i < 0 or not self.moves[i][1]:
                return None
            rva = self.moves[i][1] + rva - self.moves[i][0]
        for i, (start, size) in enumerate(self.before):
            if start <= rva < start + max(size, 1):
                return i + 1, rva - start
        return None

    def pieces_at(self, section, offset):
        i = bisect.bisect_right(self.pieces, (section, offset, 1 << 40, 1 << 40))
        return [p for p in self.pieces[max(0, i - 64):i] if p[0] == section and p[1] <= offset < p[1] + p[2]]

    def piece_begins(self, section, lo, hi):
        i = bisect.bisect_left(self.pieces, (section, lo))
        return i < len(self.pieces) and self.pieces[i][0] == section and self.pieces[i][1] < hi

    def procedures_at(self, section, offset):
        ps = self.by_place.get(section, [])
        hi = bisect.bisect_right(self.starts.get(section, []), offset)
        lo = bisect.bisect_left(self.starts.get(section, []), offset - self.longest.get(section, 0))
        return [p for p in ps[lo:hi] if p.offset <= offset < p.offset + p.size]

    def rows_at(self, module, section, offset):
        """The rows that hold an offset: those that begin last before it, of each part of the module's lines."""
        found = []
        for s, start, end, rows in self.modules[module].parts:
            if s == section and start <= offset < end:
                before = [r for r in rows if r[0] <= offset]
                if before:
                    last = max(r[0] for r in before)
                    found.append([r for r in before if r[0] == last])
        return found

    def inlinee_names(self, module, inlinee):
        if inlinee & 0x80000000:
            inlinees = {m.exports[n] for m in self.modules.values() for n in self.cross(module, inlinee)
                        if n in m.exports}
        else:
            inlinees = {inlinee}
        names = set()
        for i in inlinees:
            name, how, scope = self.ids.get(i, (None, None, None))
            if name is None:
                continue
            above = self.types.get(scope) if how == 'class type' else self.ids.get(scope, (None,))[0]
            names.add(above + '::' + name if above else name)
        return names

    def cross(self, module, inlinee):
        if not self.modules[module].imports:
            self.read_imports()
        lists = self.modules[module].imports
        which, i = inlinee >> 20 & 0x7ff, inlinee & 0xfffff
        return [lists[which][i]] if which < len(lists) and i < len(lists[which]) else []

    def read_imports(self):
        module = None
        for line in self.dump('--xmi'):
            if m := re.match(r' *Mod (\d+) \|', line):
                module = self.modules[int(m[1])]
            elif '|' in line and module is not None and 'Type IDs' not in line or re.match(r' +0x', line):
                if '|' in line:
                    module.imports.append([])
                module.imports[-1] += [number(x) for x in re.findall(r'0x([0-9A-F]+)', line.split('|')[-1])]

    def inlined(self, procedure, offset):
        """All chains of inlined calls at an offset, outermost first: (site, row) each."""
        def below(sites):
            chains = []
            for s in sites:
                for row in s.rows:
                    if row[0] <= offset < row[1]:
                        chains += [[(s, row)] + c for c in below(s.inner)]
            return chains or [[]]
        return below(procedure.sites)


def rust_name(name):
    """A name of Rust from before its own mangling: parts with their lengths, of which the last one is a hash."""
    parts, rest = [], name[3:]
    while m := re.match(r'\d+', rest):
        parts.append(rest[m.end():m.end() + int(m[0])])
        rest = rest[m.end() + int(m[0]):]
    if not parts or not re.fullmatch('h[0-9a-f]{16}', parts[-1]):
        return name
    text = '::'.join(re.sub(r'^_(?=\$)', '', p) for p in parts[:-1]).replace('..', '::')
    for code, char in (('SP', '@'), ('BP', '*'), ('RF', '&'), ('LT', '<'), ('GT', '>'), ('LP', '('), ('RP', ')'), ('C', ',')):
        text = text.replace(f'${code}$', char)
    return re.sub(r'\$u([0-9a-f]+)\$', lambda m: chr(int(m[1], 16)), text)


class Names:
    """Readable names of publics, by llvm-undname 19."""

    def __init__(self, names):
        names = sorted(n for n in set(names) if n.startswith('?'))
        done = subprocess.run(['llvm-undname-19', '--no-calling-convention', '--no-return-type', '--no-access-specifier',
                               '--no-member-type'], input=''.join(n + '\n' for n in names), stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False)
        self.readable = {}
        lines, asked = done.stdout.split('\n'), set(names)
        for name, readable in zip(lines, lines[1:]):
            if name in asked and readable not in asked:
                self.readable[name] = readable

    def forms(self, name, x86):
        """What a name of a record may be called: as it is, and readable."""
        yield name
        if name in self.readable:
            yield self.readable[name]
        if name.startswith('_ZN'):
            yield rust_name(name)
        if x86 and name[:1] in '_@' and name[:1]:
            bare = re.sub(r'@\d+$', '', name[1:])
            yield bare
            yield name[1:]

    def of_procedure(self, p, publics, x86):
        """A name of C in a procedure's record is as the source has it: nothing of the calling convention comes off."""
        names = set()
        names.update(self.forms(p.name, False))
        for public, _ in publics:
            names.update(self.forms(public, x86))
        return names


def right_answers(records, names, x86, rva):
    """All answers that the records allow: a list of calls each, innermost first, as sets of names and of places."""
    place = records.place(rva)
    if not place:
        return [[({'??'}, {('??', 0, 0)})]]
    section, offset = place
    procedures = records.procedures_at(section, offset)
    owners = [p[3] for p in records.pieces_at(section, offset)]
    found = []
    for p in procedures:
        called = names.of_procedure(p, records.publics.get((section, p.offset), []), x86)
        rows = records.rows_at(p.module, section, offset) or [[]]
        for same in rows:
            outer = {(r[3], r[1], r[2]) for r in same} or {('??', 0, 0)}
            for chain in records.inlined(p, offset - p.offset):
                calls = [(called, outer)]
                for site, row in chain:
                    file, line = records.modules[p.module].inlinees.get(site.inlinee, ('??', None))
                    if row[3] is not None:
                        file = None  # any: pdbutil does not say which
                    calls.append((records.inlinee_names(p.module, site.inlinee) or {'??'},
                                  {(file, 0 if line is None else max(0, line + row[2]), 0)}))
                found.append(calls[::-1])
    if found:
        return found
    # No procedure: the public before it in the same piece, if it is a function; and the rows of the piece's module.
    i = bisect.bisect_right(records.public_places, (section, offset)) - 1
    called = {'??'}
    if i >= 0 and records.public_places[i][0] == section:
        before = records.public_places[i]
        functions = [n for n, f in records.publics[before] if f]
        if functions and not records.piece_begins(section, before[1] + 1, offset + 1):  # a public has no length
            called = {form for n, _ in records.publics[before] for form in names.forms(n, x86)}
    rows = [r for m in owners for r in records.rows_at(m, section, offset)] or [[]]
    return [[(called, {(r[3], r[1], r[2]) for r in same} or {('??', 0, 0)})] for same in rows]


def split_place(place):
    file, line, column = place.rsplit(':', 2)
    return file, int(line), int(column)


def call_fits(call, right):
    name, place = call
    names, places = right
    file, line, column = split_place(place)
    return name in names and any((f is None or f == file) and n == line and c in (column, 0) for f, n, c in places)


def fits(calls, right):
    return len(calls) == len(right) and all(map(call_fits, calls, right))


def difference(llvm, ours, rights, moved):
    """In words, what of LLVM's answer the records do not have."""
    if moved:
        return 'code was moved (OMAP): what was at the address before'
    if not llvm:
        return 'LLVM ends by a signal'
    deep = [r for r in rights if len(r) > 1]
    if any(len(llvm) < len(r) for r in deep) and len(llvm) < len(ours):
        return 'inlined calls are left out'
    if len(llvm) > len(ours):
        return 'inlined calls that are none'
    for i, (l, o) in enumerate(zip(llvm, ours)):
        (lf, ln, lc), (of, on, oc) = split_place(l[1]), split_place(o[1])
        outer = i + 1 == len(llvm)
        if ln in STEPS:
            return 'a line that means none'
        if l[0] != o[0]:
            if not l[0]:
                return 'an empty name'
            if o[0] == '_' + l[0]:
                return 'an underscore is taken off a name that has no more than its source'
            if re.search('::h[0-9a-f]{16}$', l[0]):
                return 'a name of Rust as one of C++, with its hash'
            if o[0] == '??':
                return 'the name of a public that is no function, or ends before'
            return 'the name of another function'
        if lf != of:
            if of == '??':
                return 'a line where no row is'
            return 'the file of other rows' if outer else 'the file of an inlined call'
        if ln != on:
            return 'the line of other rows' if outer else 'the row of a neighbour in an inlined call'
        if lc != oc:
            return 'the column'
    return 'other'


def machine_of(path):
    with open(path, 'rb') as f:
        data = f.read(4096)
    at = int.from_bytes(data[60:64], 'little')
    opt = at + 24
    wide = data[opt:opt + 2] == b'\x0b\x02'
    base = int.from_bytes(data[opt + 24:opt + 32] if wide else data[opt + 28:opt + 32], 'little')
    return base, int.from_bytes(data[at + 4:at + 6], 'little') == 0x14c


def write_program(pdb, path):
    """A PE file with one section of code as large as the PDB has it, and a CodeView record."""
    records, dbi, info = Records(pdb), stream_bytes(pdb, '3@64'), stream_bytes(pdb, '1@28')
    machine = int.from_bytes(dbi[58:60], 'little')
    wide = machine != 0x14c
    end = max([records.code_end] + [at for at, _ in records.moves if at < 1 << 30]) + 4095 & ~4095
    record = b'RSDS' + info[12:28] + dbi[8:12] + os.path.basename(pdb).encode() + b'\0'
    directory = struct.pack('<IIHHIIII', 0, 0, 0, 0, 2, len(record), end + 28, 1024 + 28)
    pieces = [(b'.text', 0x1000, end - 0x1000, 2048, 0x60000020), (b'.rdata', end, 512, 1024, 0x40000040)]
    table = b''.join(struct.pack('<8sIIIIIIHHI', name, size, at, size, raw, 0, 0, 0, 0, flags)
                     for name, at, size, raw, flags in pieces)
    front = struct.pack('<HBBIIIII', 0x20b if wide else 0x10b, 14, 0, end - 0x1000, 512, 0, 0x1000, 0x1000)
    front += struct.pack('<Q', 0x140000000) if wide else struct.pack('<II', end, 0x400000)
    front += struct.pack('<IIHHHHHHIIIIHH', 4096, 512, 6, 0, 0, 0, 6, 0, 0, end + 4096, 1024, 0, 3, 0)
    front += struct.pack('<QQQQII' if wide else '<IIIIII', 1 << 20, 4096, 1 << 20, 4096, 0, 16)
    front += b''.join(struct.pack('<II', end, 28) if i == 6 else bytes(8) for i in range(16))
    head = b'MZ' + bytes(58) + struct.pack('<I', 64) + b'PE\0\0'
    head += struct.pack('<HHIIIHH', machine, len(pieces), 0, 0, 0, len(front), 0x22 if wide else 0x102)
    with open(path, 'wb') as f:
        f.write((head + front + table).ljust(1024, b'\0') + (directory + record).ljust(1024, b'\0') + bytes(end - 0x1000))


def choose(llvm_path):
    inlined = {addr for addr, calls in answers(llvm_path) if len(calls) > 1}
    drawn = list(dict.fromkeys(int(line, 16) for line in sys.stdin))
    first = [a for a in drawn if a in inlined][:1000]
    chosen = set(first) | set([a for a in drawn if a not in set(first)][:3000 - len(first)])
    for a in drawn:
        if a in chosen:
            print(f'{a:#x}')


def main():
    if sys.argv[1] == '--choose':
        choose(sys.argv[2])
        return
    if sys.argv[1] == '--program':
        write_program(*sys.argv[2:4])
        return
    outermost = sys.argv[1] == '--no-inlines'
    del sys.argv[1:1 + outermost]
    file, pdb, llvm_path, ours_path = sys.argv[1:5]
    records = Records(pdb)
    names = Names([n for p in records.publics.values() for n, _ in p] + [p.name for p in records.procedures])
    base, x86 = machine_of(file)
    llvm, count, classes = {}, collections.Counter(), collections.Counter()
    for addr, calls in answers(llvm_path):
        llvm[addr] = calls
    log = open(sys.argv[5], 'w') if len(sys.argv) > 5 else None
    for addr, ours in answers(ours_path):
        count['asked'] += 1
        theirs = llvm.get(addr, [])
        known = [tuple(c if c[0] else ('??', c[1])) for c in theirs]
        if known == [UNKNOWN] and ours == [UNKNOWN]:
            continue
        count['resolved'] += 1
        count['inlined'] += len(ours) > 1
        if known == ours:
            count['equal'] += 1
            continue
        rights = right_answers(records, names, x86, addr - base)
        if outermost:
            rights = [r[-1:] for r in rights]
        ours_fits, theirs_fits = (any(fits(a, r) for r in rights) for a in (ours, known))
        side = ('both' if theirs_fits else 'ours') if ours_fits else 'llvm' if theirs_fits else 'neither'
        count[side] += 1
        why = difference(theirs, ours, rights, bool(records.moves))
        classes[side, why] += 1
        if log:
            print(f'{addr:#x} {side}: {why}\n  LLVM {theirs}\n  ours {ours}', *(f'  right {r}' for r in rights[:4]),
                  sep='\n', file=log)
    print(os.path.basename(file), *(f'{k} {count[k]}' for k in
                                    ('asked', 'resolved', 'inlined', 'equal', 'ours', 'both', 'llvm', 'neither')))
    for (side, why), n in sorted(classes.items(), key=lambda c: -c[1]):
        print(f'class {n} {side}: {why}')


main()
