# SPDX-License-Identifier: MIT
"""tracemill/symbolize_trace.h: names for traces."""
from __future__ import annotations

import ctypes
import os
from typing import Dict, NamedTuple, Optional, Sequence, Union

from ._library import NOTHING, declare, lib, named, whole
from ._symbolize import Path, Symbolizer

_SLIDE, _NO_CAPTURED_PATHS = 2, 1
_handle, _pointer = ctypes.c_void_p, ctypes.POINTER


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", ctypes.c_uint),
        ("locations", ctypes.c_uint8),
        ("offsets", ctypes.c_uint8),
        ("files", _pointer(ctypes.c_char_p)),
        ("n_files", ctypes.c_size_t),
        ("modules", _pointer(ctypes.c_char_p)),
        ("n_modules", ctypes.c_size_t),
        ("slide", ctypes.c_uint64),
    ]


class _Stream(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("fd", ctypes.c_int), ("ends", ctypes.c_char_p)]


class _Scanned(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("n", ctypes.c_size_t),
        ("cut", ctypes.c_bool),
        ("already_symbolized", ctypes.c_bool),
        ("build_id_matched", ctypes.c_bool),
    ]


class _Coverage(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("n", ctypes.c_uint64),
        ("lines", ctypes.c_uint64),
        ("names", ctypes.c_uint64),
        ("modules", ctypes.c_uint64),
        ("nothing", ctypes.c_uint64),
        ("guesses", ctypes.c_uint64),
        ("reasons", ctypes.c_uint64 * 32),
    ]


declare("tracemill_trace_symbolizer_new", ctypes.c_int, _handle, _pointer(_Options), _pointer(_handle))
declare("tracemill_trace_symbolizer_maps", ctypes.c_int, _handle, ctypes.c_char_p, ctypes.c_size_t)
declare("tracemill_trace_symbolizer_scan", ctypes.c_int, _handle, _pointer(_Stream), _pointer(_Scanned))
declare("tracemill_trace_symbolizer_copy", ctypes.c_int, _handle, ctypes.c_int)
declare("tracemill_trace_symbolizer_coverage", ctypes.c_int, _handle, ctypes.c_size_t, ctypes.c_size_t, _pointer(_Coverage))
declare("tracemill_reason_text", ctypes.c_char_p, ctypes.c_uint)


class Coverage(NamedTuple):
    """How many locations of a trace have a line, else a name, else a module; and why not more."""

    locations: int
    lines: int
    names: int
    modules: int
    nothing: int
    reasons: "Dict[str, int]"
    cut: bool  # the trace was cut short or damaged: what was sound was written


def _coverage(s: Symbolizer, naming: ctypes.c_void_p, cut: bool) -> Coverage:
    sums = [0] * 5
    reasons: Dict[str, int] = {}
    capture = 0
    while True:
        c = _Coverage(size=ctypes.sizeof(_Coverage))
        status = lib.tracemill_trace_symbolizer_coverage(naming, capture, 0, ctypes.byref(c))
        if status == NOTHING:
            return Coverage(sums[0], sums[1], sums[2], sums[3], sums[4], reasons, cut)
        s._check(status)
        for i, n in enumerate((c.n, c.lines, c.names, c.modules, c.nothing)):
            sums[i] += n
        for i in range(1, len(c.reasons)):
            if c.reasons[i]:
                why = lib.tracemill_reason_text(i).decode()
                reasons[why] = reasons.get(why, 0) + c.reasons[i]
        capture += 1


def symbolize_trace(
    trace: Union[Path, int],
    to: Union[Path, int],
    files: Sequence[Path] = (),
    maps: Optional[str] = None,
    slide: Optional[int] = None,
    captured_paths: bool = True,
    symbolizer: Optional[Symbolizer] = None,
) -> Coverage:
    """Writes a trace with functions, files and lines, as tm-symbolize does; both are paths or file descriptors.

    files: binaries of the trace, FILE or MODULE=FILE; maps: its modules, a text like /proc/PID/maps; slide: of
    addresses that no module maps; captured_paths=False looks at no captured path on this machine. What a
    Symbolizer was made with says where debug files are. A path is written whole or not at all.
    """
    s = symbolizer or Symbolizer()
    names = (ctypes.c_char_p * len(files))(*[named(f) for f in files])
    options = _Options(
        size=ctypes.sizeof(_Options),
        flags=(0 if captured_paths else _NO_CAPTURED_PATHS) | (0 if slide is None else _SLIDE),
        files=names,
        n_files=len(names),
        slide=whole(slide % (1 << 64) if slide and -(1 << 63) <= slide < 0 else slide or 0, "slide"),
    )
    naming = _handle()
    scanned = _Scanned(size=ctypes.sizeof(_Scanned))
    s._check(lib.tracemill_trace_symbolizer_new(s._s, ctypes.byref(options), ctypes.byref(naming)))
    if maps is not None:
        text = maps.encode("utf-8", "surrogateescape")
        s._check(lib.tracemill_trace_symbolizer_maps(naming, text, len(text)))
    source = trace if isinstance(trace, int) else os.open(trace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        stream = _Stream(size=ctypes.sizeof(_Stream), fd=source)
        s._check(lib.tracemill_trace_symbolizer_scan(naming, ctypes.byref(stream), ctypes.byref(scanned)),
                 None if isinstance(trace, int) else trace)
        if isinstance(to, int):
            s._check(lib.tracemill_trace_symbolizer_copy(naming, to))
        else:
            _write_whole(s, naming, os.fsencode(to))
    finally:
        if source != trace:
            os.close(source)
    return _coverage(s, naming, scanned.cut)


def _write_whole(s: Symbolizer, naming: ctypes.c_void_p, path: bytes) -> None:
    aside = path + b".part"
    target = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        s._check(lib.tracemill_trace_symbolizer_copy(naming, target), path)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
    finally:
        os.close(target)
