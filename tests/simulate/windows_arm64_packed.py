#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
#	windows_arm64_packed.py OUT
#
# OUT.exe has packed unwind data of arm64 in all combinations of registers, homed parameters, link and frame size. The
# instructions of each prologue are those that llvm-readobj says; they are run here, and behind each of them the state is
# a thread of OUT.dmp. OUT.want has its calls: the function, one that keeps lr and finds it by sp, one that is found by
# x29, and their caller.
import re, struct, subprocess, sys

out = sys.argv[1]
BASE, TEXT, STEP, LENGTH = 0x140000000, 0x1000, 0x100, 60


def packed(regf, regi, homes, cr, frame):
    return 1 | LENGTH << 2 | regf << 13 | regi << 16 | homes << 20 | cr << 21 | frame // 16 << 23


words = [packed(0, 0, 0, 1, 32), packed(0, 2, 0, 3, 64)]  # by sp; by x29
for regf in range(8):
    for regi in range(11):
        for homes in 0, 1:
            for cr in range(4):
                saved = (regi * 8 + (8 if cr == 1 else 0) + (regf * 8 + 8 if regf else 0) + homes * 64 + 15) & -16
                for local in 0, 16, 512, 528, 4080, 4096:
                    if not (cr >= 2 and not local):
                        words.append(packed(regf, regi, homes, cr, saved + local))
n = len(words)
text_size = n * STEP + 0x1000 & -0x1000
pdata = b''.join(struct.pack('<II', TEXT + i * STEP, w) for i, w in enumerate(words))
at = TEXT + text_size
image = at + len(pdata) + 0xfff & -0x1000
sections = struct.pack('<8sIIIIIIHHI', b'.text', text_size, TEXT, 0, 0, 0, 0, 0, 0, 0x60000020)
sections = struct.pack('<8sIIIIIIHHI', b'.text', text_size, TEXT, text_size, 0x1000, 0, 0, 0, 0, 0x60000020)
sections += struct.pack('<8sIIIIIIHHI', b'.pdata', len(pdata), at, len(pdata), 0x1000 + text_size, 0, 0, 0, 0, 0x40000040)
optional = struct.pack('<HBBIIIIIQIIHHHHHHIIIIHHQQQQII', 0x20b, 14, 0, text_size, len(pdata), 0, TEXT, TEXT, BASE, 0x1000, 0x1000,
                       6, 0, 0, 0, 6, 0, 0, image, 0x1000, 0, 3, 0x160, 1 << 20, 4096, 1 << 20, 4096, 0, 16)
optional += b''.join(struct.pack('<II', at, len(pdata)) if i == 3 else bytes(8) for i in range(16))
head = b'MZ'.ljust(60, b'\0') + struct.pack('<I', 64) + struct.pack('<4sHHIIIHH', b'PE\0\0', 0xaa64, 2, 0, 0, 0, len(optional), 0x22)
with open(out + '.exe', 'wb') as f:
    f.write((head + optional + sections).ljust(0x1000, b'\0') + bytes(text_size) + pdata)

listing = subprocess.run(['llvm-readobj-19', '--unwind', out + '.exe'], capture_output=True, text=True).stdout
prologues = {}
for part in listing.split('RuntimeFunction {')[1:]:
    lines = [line.strip() for line in part.split('Prologue [')[1].split('\n    ]')[0].split('\n')]
    prologues[int(re.search(r'Function: (?:\S+ )?\(?(0x[0-9A-F]+)', part)[1], 16)] = [x for x in lines if x and x != 'end'][::-1]
assert len(prologues) == n, (len(prologues), n)
TOP = 0x10010000


def number(name):
    return {'fp': 29, 'x29': 29, 'lr': 30, 'sp': 31}.get(name) or int(name[1:])


class State:
    def __init__(self):
        self.r = [0x1111 * i for i in range(33)]
        self.r[31] = TOP - 64
        self.stack = bytearray(0x10000)

    def store(self, at, v):
        struct.pack_into('<Q', self.stack, at - TOP + 0x10000, v)

    def run(self, text):
        op, rest = text.split(' ', 1) if ' ' in text else (text, '')
        if op == 'pacibsp':
            self.r[30] |= 0x5a << 56
        elif op in ('stp', 'str'):
            found = re.match(r'((?:\w+, ?)+)\[sp(?:, ?#(-?\d+))?\](!?)$', rest)
            assert found, text
            names = found[1].replace(' ', '').strip(',').split(',')
            offset = abs(int(found[2] or 0)) * (-1 if found[3] else 1)  # LLVM 19 has no sign at pairs of d
            place = self.r[31] + offset
            if found[3]:
                self.r[31] = place
            for i, name in enumerate(names):
                self.store(place + 8 * i, 0xdddd if name[0] == 'd' else self.r[number(name)])
        elif op == 'sub':
            self.r[31] -= int(re.match(r'sp, ?sp, ?#(\d+)$', rest)[1])
        elif op in ('mov', 'add'):
            assert re.match(r'(x29|fp), ?sp(, ?#0)?$', rest), text
            self.r[29] = self.r[31]
        else:
            assert op == 'nop', text


states, wants = [], []
for i in range(2, n):
    if 'INVALID!' in prologues[BASE + TEXT + i * STEP]:
        continue
    s = State()
    addresses = [BASE + TEXT + k * STEP for k in range(n)]
    calls = [addresses[1] + 0x90]
    s.r[30] = calls[0]
    for k, instruction in ((1, 0x80), (0, 0x84)):  # the callers, as far as to their calls
        for text in prologues[addresses[k]]:
            s.run(text)
        s.r[30] = addresses[k] + instruction
        calls.insert(0, s.r[30])
    for done, text in enumerate(prologues[addresses[i]] + [None]):
        states.append((s.r[:32] + [addresses[i] + 4 * done], bytes(s.stack[s.r[31] - TOP:])))
        wants.append([addresses[i] + 4 * done] + calls)
        if text:
            s.run(text)

parts, at = [], 32 + 36


def add(b):
    global at
    parts.append(b)
    at += len(b)
    return at - len(b)


name = (out.split('/')[-1] + '.exe').encode('utf-16le')
system = add(struct.pack('<H', 12).ljust(20, b'\0') + struct.pack('<I', 2).ljust(36, b'\0'))
text = add(struct.pack('<I', len(name)) + name + b'\0\0')
modules = add(struct.pack('<IQIIII', 1, BASE, image, 0, 0, text).ljust(4 + 108, b'\0'))
rows = struct.pack('<I', len(states))
for i, (r, stack) in enumerate(states):
    context = add(struct.pack('<Q33Q', 0, *(x & (1 << 64) - 1 for x in r)))
    rows += struct.pack('<I20sQIIII', i + 1, b'', r[31], len(stack), add(stack), 272, context)
threads = add(rows)
with open(out + '.dmp', 'wb') as f:
    f.write(struct.pack('<4sIIIQQ', b'MDMP', 0xa793, 3, 32, 0, 0))
    f.write(struct.pack('<9I', 7, 56, system, 4, 4 + 108, modules, 3, len(rows), threads))
    f.write(b''.join(parts))
with open(out + '.want', 'w') as f:
    for want in wants:
        f.write(' '.join('0x%x' % x for x in want) + '\n')
