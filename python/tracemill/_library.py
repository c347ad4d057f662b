# SPDX-License-Identifier: MIT
"""The shared library, and its statuses."""
from __future__ import annotations

import ctypes
import operator
import os
from typing import Any, SupportsIndex, Union

OK, NOTHING, BAD, UNSUPPORTED, LIMIT, SYSTEM, MEMORY, CANCELLED, MISUSE, VERSIONS, PIPE = range(11)
VERSION = 1 << 16

lib = ctypes.CDLL(os.environ.get("TRACEMILL_LIBRARY", "libtracemill.so.1"))


class Error(Exception):
    """A call that failed; status is one of the library's enum tracemill_status."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def declare(name: str, result: object, *arguments: object) -> None:
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = list(arguments)


declare("tracemill_library_version", ctypes.c_uint32)
declare("tracemill_status_text", ctypes.c_char_p, ctypes.c_int)


def library_version() -> "tuple[int, int]":
    """Major and minor version of the library that is loaded."""
    version = lib.tracemill_library_version()
    return version >> 16, version & 0xFFFF


if library_version()[0] != VERSION >> 16:
    raise ImportError("libtracemill has major version %d, this module is for %d"
                      % (library_version()[0], VERSION >> 16))


def whole(value: SupportsIndex, what: str, bits: int = 64) -> int:
    """A number that fits: ctypes takes any, and drops what does not."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise OverflowError("%s: %d is not from 0 to 2**%d - 1" % (what, number, bits))
    return number


def named(path: "Union[str, bytes, os.PathLike[str]]") -> bytes:
    """A path that the library sees whole: C's texts end at the first NUL."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("a NUL in the path %r" % raw)
    return raw


def text(pointer: Any, n: int) -> str:
    """n bytes of the library's, copied. What is no UTF-8 is kept as surrogates."""
    return ctypes.string_at(pointer, n).decode("utf-8", "surrogateescape") if n else ""
