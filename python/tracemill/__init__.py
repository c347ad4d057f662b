# SPDX-License-Identifier: MIT
"""Addresses to functions and lines, traces and reports.

    import tracemill

    for calls in tracemill.symbolize("a.out", [0x1189, 0x11a2]):
        for call in calls:                       # innermost first
            print(call.function, call.file, call.line)

    with tracemill.Symbolizer(verify=1000) as s:     # libdwarf is asked again for 1000 random answers
        s.symbolize(s.open("a.out"), [0x1189, 0x11a2])
        print(s.verify().differences)

    for event in tracemill.read("run.tmt"):
        if event.kind == tracemill.ALLOC:
            print(event.requested, [tracemill.name(l) for l in event.stack])

    tracemill.symbolize_trace("run.tmt", "named.tmt", files=["bin/game"]).lines

    rows = tracemill.report("top", "run.tmt", "--by", "type")["tables"][0]["rows"]

libtracemill.so.1 and, for reports, the tm-* programs are found as the system finds them;
$TRACEMILL_LIBRARY names another library.
"""
from ._library import Error, library_version
from ._names import Coverage, symbolize_trace
from ._report import report
from ._symbolize import (
    BROKEN,
    EXACT,
    FUNCTION,
    GAVE_UP,
    LINE_ONLY,
    NO_BINARY,
    NO_DEBUG_INFO,
    NO_FUNCTION,
    NO_MODULE,
    OTHER_BUILD,
    RETURN,
    Answer,
    Binary,
    Call,
    Difference,
    Process,
    Symbolizer,
    Verified,
    demangle,
    symbolize,
)
from ._trace import (
    ALLOC,
    COUNTER,
    DELTA,
    ENTER,
    EXIT,
    FRAME,
    FREE,
    FREED,
    OBJECT,
    REFERENCE,
    SAMPLE,
    TYPE_TOTAL,
    Event,
    Location,
    name,
    read,
)

__all__ = [name for name in dir() if not name.startswith("_")]
