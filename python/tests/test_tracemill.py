# SPDX-License-Identifier: MIT
"""Against binutils, and the sums of examples/library/trace.c."""
import os
import subprocess
import sys
import unittest

import tracemill

TRACE, PROGRAM = os.environ["TRACE"], os.environ["PROGRAM"]


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
            with self.assertRaisesRegex(tracemill.Error, "no line is one of"):
                s.process().maps("not maps")

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
