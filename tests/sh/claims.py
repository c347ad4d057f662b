# SPDX-License-Identifier: MIT
#
# claims.py SEED FOLDER: files of formats that are not read, as their descriptions say, with contents by chance. Prints
# "FILE<tab>WORDS" for each: WORDS are to be in what is said of it; none where nothing tells its format.
import gzip, io, json, os, py_compile, random, sqlite3, struct, sys, tarfile, zipfile, zlib

r = random.Random(int(sys.argv[1]))
folder = sys.argv[2]
os.makedirs(folder, exist_ok=True)

def put(name, data, words=''):
    with open(os.path.join(folder, name), 'wb') as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    print(name + '\t' + words)

def u32(order, n, most):
    return struct.pack('%s%dI' % (order, n), *[r.randrange(most) for _ in range(n)])

def pe(flags, size, machine=0x8664, at=0x80):
    """DOS header with e_lfanew at 0x3c, stub, COFF header, optional header, sections"""
    head = struct.pack('<2sHHHHHHHHHHHHH', b'MZ', 0x90, 3, 0, 4, 0, 0xffff, 0, 0xb8, 0, 0, 0, 0x40, 0).ljust(0x3c, b'\0') + struct.pack('<I', at)
    head = (head + b'\x0e\x1f\xba\x0e\0\xb4\x09\xcd\x21This program cannot be run in DOS mode.\r\r\n$').ljust(at, b'\0')
    head += b'PE\0\0' + struct.pack('<HHIIIHH', machine, 2, r.randrange(1 << 31), 0, 0, 240, flags) + struct.pack('<H', 0x20b) + bytes(238)
    for name in (b'.text', b'.rdata'):
        head += name.ljust(8, b'\0') + struct.pack('<6I2HI', size, 0x1000, size, 0x400, 0, 0, 0, 0, 0x60000020)
    return head.ljust(0x400, b'\0') + b''.join(r.choice((b'\x55\x48\x8b\xec', b'\xc3\xcc\xcc\xcc', b'\0\0\0\0', b'\x48\x83\xec\x28')) for _ in range(size // 4))

for i in range(8):
    put('program%d.exe' % i, pe(0x22, r.randrange(200, 90000), r.choice((0x8664, 0x14c, 0xaa64)), r.choice((0x80, 0xf0, 0x100))), 'program of Windows')
    put('library%d.dll' % i, pe(0x2022, r.randrange(200, 90000)), 'DLL')
put('old.exe', b'MZ' + bytes(58) + struct.pack('<I', 0x50) + bytes(200), 'program of DOS')

# Xcode's bundles are zips of plists, of archived objects and of tables of small numbers.
for i in range(4):
    z = io.BytesIO()
    with zipfile.ZipFile(z, 'w', r.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as f:
        f.writestr('a.trace/form.template', b'bplist00' + r.randbytes(900))
        f.writestr('a.trace/Trace1.run/RunIssues.storedata', b'SQLite format 3\0' + r.randbytes(4000))
        f.writestr('a.trace/corespace/run1/core/table', struct.pack('<IIIIIII', 0x1234567, 660350, 1, 0, 1, 0, 4096) + bytes(r.randrange(9000)))
        f.writestr('a.trace/corespace/run1/core/uniquing', u32('<', r.randrange(3000), 400) + u32('>', r.randrange(3000), 400))
    put('instruments%d.trace.zip' % i, z.getvalue(), 'zip')

put('Game.class', bytes.fromhex('cafebabe0000003d') + r.randbytes(900), 'class of Java')
put('fat.dylib', bytes.fromhex('cafebabe00000002') + struct.pack('>5I', 0x1000007, 3, 4096, 900, 12) + bytes(5000), 'Mach-O')
put('stats.txt', 'Test results: passed: %d; failed: %d; error: %d\n' % (r.randrange(9000), r.randrange(30), r.randrange(9)))
put('a.heapsnapshot', '{"snapshot":{"meta":{"node_fields":["type","name"]},"node_count":2},"nodes":[%s]}' % ','.join(str(r.randrange(900)) for _ in range(3000)), 'V8')
put('trace.txt', '# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n 0)   0.146 us    |  up_write();\n', 'ftrace')
put('server.nettrace', b'Nettrace\x14\0\0\0!FastSerialization.1' + r.randbytes(900), '.NET')
put('crash.dmp', struct.pack('<4sHHIIII', b'MDMP', 0xa793, 0, 5, 32, 0, 0) + r.randbytes(900), 'minidump')
put('picture.png', b'\x89PNG\r\n\x1a\n' + struct.pack('>I4sIIBBBBB', 13, b'IHDR', 40, 40, 8, 2, 0, 0, 0) + r.randbytes(4) + r.randbytes(3000), 'PNG')
put('texture.dds', b'DDS ' + struct.pack('<7I', 124, 0x1007, 512, 512, 1024, 0, 1) + bytes(44) + struct.pack('<II', 32, 4) + b'DXT1' + bytes(40) + r.randbytes(4000))
put('mesh.obj', ''.join('v %.4f %.4f %.4f\n' % (r.random(), r.random(), r.random()) for _ in range(300)) + ''.join('f %d %d %d\n' % (i, i + 1, i + 2) for i in range(1, 290)))
put('sound.wav', b'RIFF' + struct.pack('<I4s', 3000, b'WAVE') + r.randbytes(3000), 'RIFF')

# A table of message strings: magic, revision, number, offsets.
texts = [b'message %d' % i for i in range(40)]
table = b''.join(struct.pack('<II', len(t), 700 + 16 * i) for i, t in enumerate(texts))
put('de.mo', struct.pack('<7I', 0x950412de, 0, 40, 28, 28 + 320, 0, 0) + table + table + b'\0'.join(texts), 'gettext')

with open(os.path.join(folder, 'mod.py'), 'w') as f:
    f.write('def f(x):\n    return x + %d\n' % r.randrange(99))
py_compile.compile(os.path.join(folder, 'mod.py'), os.path.join(folder, 'mod.pyc'))
print('mod.pyc\tPython')
print('mod.py\t')

db = sqlite3.connect(os.path.join(folder, 'game.db'))
db.execute('create table t (a, b)')
db.executemany('insert into t values (?, ?)', [(i, 'x%d' % i) for i in range(500)])
db.commit()
db.close()
print('game.db\tSQLite')

tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode='w') as t:
    i = tarfile.TarInfo('a/b.txt')
    i.size = 900
    t.addfile(i, io.BytesIO(b'line of text\n' * 75))
put('folder.tar', tar.getvalue(), 'tar')
put('folder.tar.gz', gzip.compress(tar.getvalue()), 'tar')
put('paper.pdf', b'%PDF-1.5\n%\xd0\xd4\xc5\xd8\n3 0 obj\n<<\n/Length 99\n>>\nstream\n' + zlib.compress(r.randbytes(2000)) + b'\nendstream\n', 'PDF')

# Messages of protobuf that are others: a graph of nodes, a model, a list of key and value.
def varint(v):
    out = b''
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])
def field(n, v):
    return varint(n << 3 | 2) + varint(len(v)) + v if isinstance(v, bytes) else varint(n << 3) + varint(v)
put('graph.pb', b''.join(field(1, field(1, b'node%d' % i) + field(2, b'MatMul') + field(3, b'in%d' % i) + field(5, field(1, b'T') + field(2, field(6, 1)))) for i in range(200)) + field(4, field(1, 27)))
put('model.onnx', field(1, 8) + field(2, b'pytorch') + field(7, b''.join(field(1, field(1, b'x%d' % i) + field(4, b'Conv')) for i in range(90)) + field(2, b'net')) + field(8, field(2, 13)))
put('labels.pb', b''.join(field(1, field(1, b'k%d' % i) + field(2, i)) for i in range(300)))

# Numbers, of all widths and orders.
put('noise.bin', r.randbytes(r.randrange(1, 90000)))
for order, name in (('<', 'little'), ('>', 'big')):
    for most in (2, 200, 70000):
        put('%s-endian-%d.bin' % (name, most), u32(order, r.randrange(20, 30000), most))
put('floats.bin', struct.pack('<3000f', *[r.random() for _ in range(3000)]))
put('zeros.bin', bytes(r.randrange(1, 80000)))

# Texts in columns.
put('sqlca.cpy', '       01  SQLCA.\n' + ''.join('           03  SQL%c               PIC X(8).\n' % (65 + i) for i in range(26)))
put('regex.dat', 'NOTE\tnull subexpressions\n\n' + ''.join('E\t(a*)*\t\t%s\t\t(0,%d)\n' % ('a' * i, i) for i in range(1, 30)))
put('protocols', '# names\n\n' + ''.join('%d   name%d\n' % (i, i) for i in range(40)))
put('igmp6', ''.join('%-4d lo%d             ff02%028x     1 %08X 0\n' % (i, i, i, i) for i in range(9)))
put('stroke', ''.join('<U%04X> <U%04X>;IGNORE;IGNORE;IGNORE # %d\n' % (0x4e00 + i, 0x4e00 + i, i // 9) for i in range(400)))
put('constants.ads', 'package A is\n' + ''.join('      L.LC_%d                        &  -- LC_%d;               %d\n' % (i, i, i) for i in range(99)) + 'end A;\n')
put('assign.go', 'package p\n' + '\tX = 0\n' * 60)
put('symbolize.py', '#!/usr/bin/env python3\n# HWAddressSanitizer: tag-mismatch\n#  #0 0x7f6e35cf2e45  (/blah/foo.so+0x11fe45)\nimport sys\n', 'script')
put('punycode.md', "### decode\n\n```js\npunycode.ucs2.decode('abc'); // [0x61, 0x62, 0x63]\n```\n\npunycode.ucs2.encode([0x61]); // 'a'\n")
put('table.csv', 'id,name,price\n' + ''.join('%d,item %d,%d.50\n' % (i, i, i * 3) for i in range(100)))
put('sums.md5', ''.join('%032x  file%d.bin\n' % (r.getrandbits(128), i) for i in range(60)))
put('package.json', json.dumps({'name': 'game', 'version': '1.2.3', 'dependencies': {'a': '^1'}, 'nodes': [], 'frames': 3}, indent=2))
put('server.log', ''.join('2026-01-%02d 10:%02d:00 INFO [worker-%d] request /a/b took %d ms\n' % (i % 28 + 1, i % 60, i % 4, i * 7 % 90) for i in range(300)))
put('notes.txt', ''.join(' '.join(r.choice('the of frame malloc 12 3.5 heap; a:b 0x1f4 main() -- total 77 free'.split()) for _ in range(r.randrange(1, 14))) + '\n' for _ in range(200)))

# Of terminfo: magic 0432, sizes, names.
names = b'xterm|a terminal\0'
put('xterm', struct.pack('<6H', 0o432, len(names), 38, 16, 9, 40) + names + bytes(r.randrange(2) for _ in range(39)) + struct.pack('<16H', *[r.choice((80, 24, 0xffff)) for _ in range(16)]) + struct.pack('<9H', *range(9)) + b'\x1b[H\0' * 10)
