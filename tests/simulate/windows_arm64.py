#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
#	windows_arm64.py FILE.exe OUT
#
# Runs the exported function of a PE file for arm64 in qemu-aarch64, one instruction after the other by its gdb stub. At
# each of them the state becomes a thread of the minidump OUT.dmp: registers, and the stack. OUT.want has the addresses
# of its calls: what bl and blr have put on a shadow stack, and ret has taken off.
import os, socket, struct, subprocess, sys, tempfile

exe, out = sys.argv[1:]
data = open(exe, 'rb').read()
u16 = lambda at: struct.unpack_from('<H', data, at)[0]
u32 = lambda at: struct.unpack_from('<I', data, at)[0]
pe = u32(0x3c)
optional = pe + 24
base = struct.unpack_from('<Q', data, optional + 24)[0]
size = u32(optional + 56)
image = bytearray(size)
for i in range(u16(pe + 6)):
    at = optional + u16(pe + 20) + 40 * i
    virtual, n, raw = u32(at + 12), u32(at + 16), u32(at + 20)
    image[virtual:virtual + n] = data[raw:raw + n]
exports = u32(optional + 112)
entry = base + struct.unpack_from('<I', image, struct.unpack_from('<I', image, exports + 28)[0])[0]
code_id = data[data.index(b'RSDS'):][:24]

# An ELF file that has the image where it belongs, and room for a stack.
STACK, ROOM = 0x10000000, 1 << 20
head = 64 + 2 * 56
elf = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 2, 183, 1, entry, 64, 0, 0, 64, 56, 2, 0, 0, 0)
elf += struct.pack('<IIQQQQQQ', 1, 7, 4096, base, base, size, size, 4096)
elf += struct.pack('<IIQQQQQQ', 1, 6, 0, STACK, STACK, 0, ROOM, 4096)
folder = tempfile.mkdtemp()
program, place = folder + '/program', folder + '/gdb'
open(program, 'wb').write(elf.ljust(4096, b'\0') + image)
os.chmod(program, 0o755)
qemu = subprocess.Popen(['qemu-aarch64', '-cpu', 'max', '-g', place, program], stdin=subprocess.DEVNULL)
gdb = socket.socket(socket.AF_UNIX)
for attempt in range(400):
    try:
        gdb.connect(place)
        break
    except OSError:
        if qemu.poll() is not None:
            sys.exit('qemu-aarch64 ended')
        import time
        time.sleep(0.05)
gdb.settimeout(60)
waiting = b''


def ask(text):
    global waiting
    gdb.sendall(b'$%s#%02x' % (text, sum(text) & 255))
    while True:
        waiting = waiting.lstrip(b'+')
        end = waiting.find(b'#')
        if end >= 0 and len(waiting) >= end + 3:
            answer, waiting = waiting[1:end], waiting[end + 3:]
            gdb.sendall(b'+')
            return answer
        more = gdb.recv(1 << 16)
        if not more:
            sys.exit('qemu-aarch64 ended')
        waiting += more


def registers():
    return list(struct.unpack('<33Q', bytes.fromhex(ask(b'g').decode())[:264]))


def memory(at, n):
    got = b''
    while n:
        part = min(n, 1000)
        got += bytes.fromhex(ask(b'm%x,%x' % (at, part)).decode())
        at, n = at + part, n - part
    return got


TOP, AWAY = STACK + ROOM - 4096, 0x20000000
start = registers()
start[0], start[30], start[31], start[32] = STACK, AWAY, TOP, entry
ask(b'G' + struct.pack('<33Q', *start).hex().encode() + ask(b'g')[528:])
states, shadow, wants = [], [], []
while len(states) < 20000:
    r = registers()
    if not base <= r[32] < base + size:
        break
    states.append((r, memory(r[31], TOP - r[31])))
    wants.append([r[32]] + shadow[::-1])
    word = struct.unpack_from('<I', image, r[32] - base)[0]
    if word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000:
        shadow.append(r[32] + 4)
    elif word & 0xfffffc1f == 0xd65f0000 and shadow:
        shadow.pop()
    ask(b's')
qemu.kill()
qemu.wait()

parts, at = [], 32 + 36


def add(b):
    global at
    parts.append(b)
    at += len(b)
    return at - len(b)


name = 'game.exe'.encode('utf-16le')
system = add(struct.pack('<H', 12).ljust(20, b'\0') + struct.pack('<I', 2).ljust(36, b'\0'))
text = add(struct.pack('<I', len(name)) + name + b'\0\0')
cv = add(code_id)
modules = add(struct.pack('<IQIIII', 1, base, size, 0, 0, text).ljust(4 + 76, b'\0') + struct.pack('<II', 24, cv).ljust(32, b'\0'))
rows = struct.pack('<I', len(states))
for i, (r, stack) in enumerate(states):
    context = add(struct.pack('<Q33Q', 0, *r).ljust(912, b'\0'))
    where = add(stack)
    rows += struct.pack('<I20sQIIII', i + 1, b'', r[31], len(stack), where, 912, context)
threads = add(rows)
with open(out + '.dmp', 'wb') as f:
    f.write(struct.pack('<4sIIIQQ', b'MDMP', 0xa793, 3, 32, 0, 0))
    f.write(struct.pack('<9I', 7, 56, system, 4, 4 + 108, modules, 3, len(rows), threads))
    f.write(b''.join(parts))
with open(out + '.want', 'w') as f:
    for want in wants:
        f.write(' '.join('0x%x' % x for x in want) + '\n')
