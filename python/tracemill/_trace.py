# SPDX-License-Identifier: MIT
"""tracemill/trace.h, reading."""
from __future__ import annotations

import ctypes
import decimal
import os
import queue
import threading
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from ._library import BAD, OK, Error, declare, lib, named, text
from ._symbolize import Call, Path, _Call, _shown

(FRAME, ALLOC, FREE, FREED, TYPE_TOTAL, ENTER, EXIT, SAMPLE, COUNTER, OBJECT, REFERENCE, DELTA) = range(1, 13)
_HAS = {name: 1 << i for i, name in enumerate(
    ("seq", "address", "requested", "real", "type", "stack", "time", "count", "thread", "value", "name", "domain",
     "target"))}
_DOMAINS = ("malloc", "pool", "mmap", "mono", "lua")
_NAME_SPACE = 4
_EXACT = decimal.Context(prec=40)  # 19 digits and 18 decimals


class _Event(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint8),
        ("domain", ctypes.c_uint8),
        ("has", ctypes.c_uint16),
        ("type", ctypes.c_uint32),
        ("stack", ctypes.c_uint32),
        ("thread", ctypes.c_uint32),
        ("name", ctypes.c_uint32),
        ("time", ctypes.c_int64),
        ("seq", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("target", ctypes.c_uint64),
        ("count", ctypes.c_uint64),
        ("requested", ctypes.c_uint64),
        ("real", ctypes.c_uint64),
        ("value", ctypes.c_int64),
    ]


class _Location(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("module", ctypes.c_uint32),
        ("name", ctypes.c_uint32),
        ("file", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("space", ctypes.c_uint8),
        ("kind", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 6),
    ]


_Begin = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
_Events = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_Event), ctypes.c_size_t)


class _Calls(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("begin", _Begin), ("events", _Events), ("end", _Begin)]


_u32 = ctypes.c_uint32
declare("tracemill_trace_read", ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_Calls), ctypes.c_void_p,
        ctypes.c_char_p, ctypes.c_size_t)
declare("tracemill_trace_string", ctypes.c_void_p, ctypes.c_void_p, _u32, ctypes.POINTER(ctypes.c_size_t))
for _name in ("type", "marker", "module"):
    declare("tracemill_trace_" + _name, ctypes.c_char_p, ctypes.c_void_p, _u32)
declare("tracemill_trace_counter", ctypes.c_char_p, ctypes.c_void_p, _u32, ctypes.POINTER(ctypes.c_char_p))
declare("tracemill_trace_stack", _u32, ctypes.c_void_p, _u32, ctypes.POINTER(_u32))
declare("tracemill_trace_location", _Location, ctypes.c_void_p, _u32)
declare("tracemill_trace_calls", ctypes.c_size_t, ctypes.c_void_p, _u32, ctypes.c_bool, ctypes.POINTER(_Call),
        ctypes.c_size_t)


class Location(NamedTuple):
    """An entry of a call stack: what was captured, and the calls that tm-symbolize found there."""

    address: int
    module: str
    name: str  # as captured; "": it had none
    calls: "Tuple[Call, ...]"  # innermost first


class Event(NamedTuple):
    """An event; None is what the capture does not know (see tracemill-trace(5))."""

    kind: int
    time: Optional[int]  # ns since the capture began
    count: int  # type: ignore[assignment]  # a field, as in the trace
    requested: Optional[int]
    real: Optional[int]
    address: Optional[int]
    type: Optional[str]  # of a block; a marker's or a counter's name
    value: "Union[int, decimal.Decimal, None]"  # of a counter with decimals a Decimal
    domain: str
    stack: "Tuple[Location, ...]"  # innermost first


def name(location: Location) -> str:
    """What to call a location: its innermost function, else what the capture has."""
    if location.calls:
        return location.calls[0].function
    return location.name or "%s+0x%x" % (location.module or "?", location.address)


class _Tables:
    """What a capture's numbers mean, made once for each."""

    def __init__(self, trace: int) -> None:
        self.trace = trace
        self.locations: Dict[int, Location] = {}
        self.stacks: Dict[int, Tuple[Location, ...]] = {0: ()}
        self.types: Dict[Tuple[int, int], str] = {}

    def string(self, number: int) -> str:
        n = ctypes.c_size_t()
        return text(lib.tracemill_trace_string(self.trace, number, ctypes.byref(n)), n.value)

    def location(self, number: int) -> Location:
        if number not in self.locations:
            raw = lib.tracemill_trace_location(self.trace, number)
            n = lib.tracemill_trace_calls(self.trace, number, True, None, 0)
            calls = (_Call * n)()
            lib.tracemill_trace_calls(self.trace, number, True, calls, n)
            module = lib.tracemill_trace_module(self.trace, raw.module).decode("utf-8", "surrogateescape")
            self.locations[number] = Location(raw.address, module, self.string(raw.name),
                                              tuple(_shown(c) for c in calls))
        return self.locations[number]

    def stack(self, number: int) -> "Tuple[Location, ...]":
        path, at, callers = [], number, _u32()
        while at not in self.stacks:
            location = lib.tracemill_trace_stack(self.trace, at, ctypes.byref(callers))
            path.append((at, location))
            at = callers.value
        for at_number, location in reversed(path):
            self.stacks[at_number] = (self.location(location),) + self.stacks[at]
            at = at_number
        return self.stacks[number]

    def type(self, kind: int, number: int) -> str:
        key = (2 if kind == COUNTER else 1 if ENTER <= kind <= SAMPLE else 0, number)
        if key not in self.types:
            if key[0] == 2:
                raw = lib.tracemill_trace_counter(self.trace, number, None)
            elif key[0] == 1:
                raw = lib.tracemill_trace_marker(self.trace, number)
            else:
                raw = lib.tracemill_trace_type(self.trace, number)
            self.types[key] = raw.decode("utf-8", "surrogateescape")
        return self.types[key]

    def event(self, e: _Event) -> Event:
        has = e.has

        def known(field: str) -> Optional[int]:
            return getattr(e, field) if has & _HAS[field] else None

        value: Union[int, decimal.Decimal, None] = known("value")
        if e.kind == COUNTER and value is not None and has & _HAS["target"]:
            # The last decimal comes first, so that a 0 behind the point is not lost.
            value = _EXACT.add(decimal.Decimal(value), decimal.Decimal("0." + str(e.target)[::-1]))
        return Event(e.kind, known("time"), e.count, known("requested"), known("real"), known("address"),
                     self.type(e.kind, e.type) if has & _HAS["type"] else None, value,
                     _DOMAINS[e.domain] if e.domain < len(_DOMAINS) else "?",
                     self.stack(e.stack) if has & _HAS["stack"] else ())


def read(path: Path, allow_cut: bool = False) -> Iterator[Event]:
    """The events of a trace, one after the other, whatever number of captures it has.

    A trace that is cut short or damaged gives what is sound and then raises Error; with allow_cut
    it just ends there.
    """
    raw = named(path)
    batches: "queue.Queue[object]" = queue.Queue(maxsize=4)
    stopped = threading.Event()

    def put(item: object) -> bool:
        while not stopped.is_set():
            try:
                batches.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    tables: List[_Tables] = []

    def begin(_: object, trace: int) -> bool:
        tables[:] = [_Tables(trace)]
        return not stopped.is_set()

    def events(_: object, trace: int, all_events: "ctypes.Array[_Event]", n: int) -> bool:
        return put([tables[0].event(all_events[i]) for i in range(n)])

    def end(_: object, trace: int) -> bool:
        return not stopped.is_set()

    calls = _Calls(ctypes.sizeof(_Calls), _Begin(begin), _Events(events), _Begin(end))
    why = ctypes.create_string_buffer(400)

    def run() -> None:
        status = lib.tracemill_trace_read(raw, ctypes.byref(calls), None, why, len(why))
        put(status)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while True:
            item = batches.get()
            if isinstance(item, int):
                if item != OK and not (allow_cut and item == BAD):
                    raise Error(item, "%s: %s" % (os.fsdecode(path), why.value.decode("utf-8", "replace")))
                return
            yield from item  # type: ignore[misc]
    finally:
        stopped.set()
        thread.join()
