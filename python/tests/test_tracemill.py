# SPDX-License-Identifier: MIT
"""Against binutils, and the sums of examples/library/trace.c."""
import os
import subprocess
import sys
import unittest

import tracemill

TRACE, PROGRAM, NAMELESS = os.environ["TRACE"], os.environ["PROGRAM"], os.environ.get("NAMELESS")


class Symbolizing(unittest.TestCase):
    def main_address(self):
        symbols = subprocess.check_output(["nm", PROGRAM], text=True).splitlines()
        return next(int(s.split()[0], 16) for s in symbols if s.endswith(" T main"))

    def test_main(self):
        at = self.main_address()
        function, place = subprocess.check_output(
            ["addr2line", "-fe", PROGRAM, hex(at)], text=True).splitlines()
        [calls] = tracemill.symbolize(PROGRAM, [at])
        self.assertEqual((calls[-1].function, "%s:%d" % (calls[-1].file, calls[-1].line)),
                         (function, place.split()[0]))

    def test_facts(self):
        with tracemill.Symbolizer(system_dirs=False) as s:
            b = s.open(PROGRAM)
            self.assertTrue(b.has_dwarf)
            notes = subprocess.check_output(["readelf", "-n", PROGRAM], text=True)
            self.assertIn("Build ID: " + b.build_id.hex(), notes)
            self.assertIsNone(s.by_build_id(b"nobody has this"))
            self.assertEqual(s.symbolize(b, [1])[0].why, tracemill.NO_FUNCTION)

    def test_errors(self):
        with tracemill.Symbolizer() as s:
            with self.assertRaisesRegex(tracemill.Error, "No such file"):
                s.open("/nowhere/at/all")
            with self.assertRaisesRegex(tracemill.Error, "no line is from"):
                s.process().maps("not maps")

    def test_numbers_that_do_not_fit(self):
        at = self.main_address()
        for wrong in (2**64 + at, 2**64, -1, at - 2**64):
            with self.assertRaises(OverflowError):
                tracemill.symbolize(PROGRAM, [at, wrong])
            with tracemill.Symbolizer() as s:
                p = s.process()
                for range_ in ((wrong, 2**63, 0), (0, wrong, 0), (0, 2**63, wrong)):
                    with self.assertRaises(OverflowError):
                        p.mapping(PROGRAM, *range_)
                with self.assertRaises(OverflowError):
                    p.symbolize([wrong])
        with self.assertRaises(OverflowError):
            tracemill.Symbolizer(threads=2**32)
        with self.assertRaises(TypeError):
            tracemill.symbolize(PROGRAM, [1.5])
        self.assertEqual(tracemill.symbolize(PROGRAM, [2**64 - 1]), [[]])

    def test_paths(self):
        with tracemill.Symbolizer() as s:
            with self.assertRaisesRegex(tracemill.Error, "^/nowhere/at/all: .*No such file"):
                s.open("/nowhere/at/all")
            with self.assertRaisesRegex(tracemill.Error, "^/etc/passwd: "):
                s.open("/etc/passwd")
            for wrong in (PROGRAM + "\0x", PROGRAM.encode() + b"\0"):
                with self.assertRaises(ValueError):
                    s.open(wrong)
        with self.assertRaises(ValueError):
            next(tracemill.read(TRACE + "\0"))

    def test_what_is_closed(self):
        s, other = tracemill.Symbolizer(), tracemill.Symbolizer()
        b, p = s.open(PROGRAM), s.process()
        with self.assertRaises(ValueError):
            other.symbolize(b, [1])
        s.close()
        for call in (lambda: s.symbolize(b, [1]), lambda: s.open(PROGRAM), s.process, s.complaints, s.cancel,
                     lambda: p.symbolize([1]), lambda: p.maps("")):
            with self.assertRaises(ValueError):
                call()
        s.close()

    def test_one_by_one(self):
        at = self.main_address()
        with tracemill.Symbolizer(keep=1) as s:
            want = [a.calls for a in s.symbolize(s.open(PROGRAM), range(at, at + 16))]
        with tracemill.Symbolizer(keep=1 << 20) as s:
            b = s.open(PROGRAM)
            for _ in range(6):
                self.assertEqual([s.symbolize(b, [a])[0].calls for a in range(at, at + 16)], want)
            s.close_binary(b)
            self.assertEqual(s.symbolize(b, [at])[0].calls, want[0])
            with tracemill.Symbolizer() as other, self.assertRaises(ValueError):
                other.close_binary(b)

    def test_verify(self):
        at = self.main_address()
        with tracemill.Symbolizer(verify=8, verify_seed=7) as s:
            b = s.open(PROGRAM)
            s.symbolize(b, range(at, at + 16))
            v = s.verify()
            self.assertEqual((v.seed, v.asked, v.equal, v.different, v.unknown), (7, 8, 8, 0, 0))
            self.assertEqual(v.differences, [])
        subprocess.check_call(["objcopy", "--strip-debug", PROGRAM, "no-dwarf"])
        with tracemill.Symbolizer(verify=8) as s:
            b = s.open("no-dwarf")
            s.symbolize(b, [at])
            v = s.verify()
            self.assertEqual((v.asked, v.equal, v.different, v.unknown), (1, 0, 0, 1))
            [d] = v.differences
            self.assertEqual((d.path, d.address, d.unknown), (b.path, at, True))
            self.assertIn("no DWARF", d.libdwarf)
        with tracemill.Symbolizer() as s, self.assertRaises(tracemill.Error):
            s.verify()
        with self.assertRaises(tracemill.Error):
            tracemill.Symbolizer(verify=10**6 + 1)
        with self.assertRaises(OverflowError):
            tracemill.Symbolizer(verify_seed=2**64)

    def test_process(self):
        with tracemill.Symbolizer() as s:
            p = s.process()
            at = self.main_address()
            p.mapping(PROGRAM, 0x10000000, 0x10100000)
            [mapped, nowhere] = p.symbolize([0x10000000 + at, 0x1], kind=tracemill.EXACT)
            self.assertEqual(mapped.calls[-1].function, "main")
            self.assertEqual(nowhere, tracemill.Answer(tracemill.NO_MODULE, []))

    def test_demangle(self):
        self.assertEqual(tracemill.demangle("_ZN4game4meshC1Ei"), "game::mesh::mesh(int)")
        self.assertEqual(tracemill.demangle("main"), "main")


@unittest.skipUnless(NAMELESS, "no trace without names")
class Naming(unittest.TestCase):
    """NAMELESS is a trace with one location, the call at the first byte of main + 1, in PROGRAM at 0x10000000."""

    def name_of(self, path):
        [event] = [e for e in tracemill.read(path) if e.kind == tracemill.ALLOC]
        return tracemill.name(event.stack[0])

    def test_names(self):
        self.assertNotEqual(self.name_of(NAMELESS), "main")
        c = tracemill.symbolize_trace(NAMELESS, "named.tmt")
        self.assertEqual((c.locations, c.lines, c.reasons, c.cut), (1, 1, {}, False))
        self.assertEqual(self.name_of("named.tmt"), "main")
        self.assertFalse(os.path.exists("named.tmt.part"))

    def test_files(self):
        c = tracemill.symbolize_trace(NAMELESS, "named.tmt", captured_paths=False)
        self.assertEqual((c.modules, c.reasons), (1, {"no file for its module": 1}))
        with tracemill.Symbolizer(threads=1) as s, open(NAMELESS, "rb") as f, open("fd.tmt", "wb") as to:
            c = tracemill.symbolize_trace(f.fileno(), to.fileno(), files=[PROGRAM], captured_paths=False, symbolizer=s)
        self.assertEqual((c.lines, self.name_of("fd.tmt")), (1, "main"))

    def test_errors(self):
        with self.assertRaisesRegex(tracemill.Error, "^/.*: byte 0: no trace begins here"):
            tracemill.symbolize_trace(PROGRAM, "none.tmt")
        with self.assertRaisesRegex(tracemill.Error, "no line is from"):
            tracemill.symbolize_trace(NAMELESS, "none.tmt", maps="not maps")
        with open("/dev/full", "wb") as full, self.assertRaisesRegex(tracemill.Error, "No space left"):
            tracemill.symbolize_trace(NAMELESS, full.fileno())
        self.assertFalse(os.path.exists("none.tmt") or os.path.exists("none.tmt.part"))


class Traces(unittest.TestCase):
    def test_sums(self):
        events = list(tracemill.read(TRACE))
        blocks = [e for e in events if e.kind == tracemill.ALLOC]
        self.assertEqual((len(blocks), sum(e.requested for e in blocks)), (1000, 48000))
        self.assertEqual(sum(e.kind == tracemill.FREE for e in events), 500)
        self.assertEqual([tracemill.name(x) for x in blocks[0].stack], ["load_meshes", "main"])
        self.assertEqual((blocks[0].type, blocks[0].domain, blocks[0].real), ("Mesh", "pool", None))

    def test_stopping(self):
        events = tracemill.read(TRACE)
        next(events)
        events.close()

    def test_cut(self):
        with open(TRACE, "rb") as f:
            whole = f.read()
        with open("cut.tmt", "wb") as f:
            f.write(whole[:-5])
        with self.assertRaisesRegex(tracemill.Error, r"cut\.tmt: byte [0-9]+: "):
            list(tracemill.read("cut.tmt"))
        self.assertEqual(len(list(tracemill.read("cut.tmt", allow_cut=True))), 1500)

    def test_report(self):
        answer = tracemill.report("top", TRACE, "--no-symbols", "--by", "type")
        self.assertEqual(answer["status"], 0)
        self.assertIn("Mesh", str(answer))
        with self.assertRaises(tracemill.Error):
            tracemill.report("top", "/nowhere/at/all")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
