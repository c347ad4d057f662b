# SPDX-License-Identifier: MIT
"""tracemill/symbolize.h."""
from __future__ import annotations

import ctypes
import os
from typing import Callable, Iterable, List, NamedTuple, Optional, Sequence, Set, SupportsIndex, Union

from ._library import NOTHING, OK, VERSION, Error, declare, lib, named, text, whole

FUNCTION, LINE_ONLY, NO_FUNCTION, NO_DEBUG_INFO, BROKEN, GAVE_UP, NO_BINARY, NO_MODULE, OTHER_BUILD = range(9)
RETURN, EXACT = range(2)
_GUARD_FILES, _CACHE, _NO_SYSTEM_DIRS = 1, 2, 4

_Progress = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", ctypes.c_uint),
        ("threads", ctypes.c_uint),
        ("debug_dirs", ctypes.POINTER(ctypes.c_char_p)),
        ("n_debug_dirs", ctypes.c_size_t),
        ("sysroot", ctypes.c_char_p),
        ("debuginfod_urls", ctypes.POINTER(ctypes.c_char_p)),
        ("n_debuginfod_urls", ctypes.c_size_t),
        ("cache_dir", ctypes.c_char_p),
        ("progress", _Progress),
        ("progress_arg", ctypes.c_void_p),
        ("engine", ctypes.c_char_p),
        ("debuginfod_seconds", ctypes.c_uint),
        ("reading", ctypes.c_void_p),
        ("fetching", ctypes.c_void_p),
        ("arch", ctypes.c_char_p),
        ("dwp", ctypes.c_char_p),
        ("line_maps", ctypes.c_void_p),
        ("n_line_maps", ctypes.c_size_t),
        ("method_maps", ctypes.c_void_p),
        ("n_method_maps", ctypes.c_size_t),
        ("usyms", ctypes.c_void_p),
        ("n_usyms", ctypes.c_size_t),
        ("line_map_window", ctypes.c_uint64),
        ("jit_map", ctypes.c_char_p),
        ("verify", ctypes.c_uint64),
        ("verify_seed", ctypes.c_uint64),
        ("keep", ctypes.c_uint64),
    ]


class _Query(ctypes.Structure):
    _fields_ = [
        ("binary", ctypes.c_void_p),
        ("address", ctypes.c_uint64),
        ("why", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 3),
        ("first", ctypes.c_uint32),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        ("function", ctypes.c_void_p),
        ("file", ctypes.c_void_p),
        ("n_function", ctypes.c_uint32),
        ("n_file", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("discriminator", ctypes.c_uint32),
        ("inlined", ctypes.c_bool),
        ("by", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 2),
        ("id", ctypes.c_uint32),
    ]


class _Views(ctypes.Structure):
    _fields_ = [
        ("calls", ctypes.POINTER(_Call)),
        ("first", ctypes.POINTER(ctypes.c_uint32)),
        ("own", ctypes.c_void_p * 6),
    ]


class _Facts(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("path", ctypes.c_char_p),
        ("debug_path", ctypes.c_char_p),
        ("build_id", ctypes.c_void_p),
        ("n_build_id", ctypes.c_size_t),
        ("base", ctypes.c_uint64),
        ("has_dwarf", ctypes.c_bool),
        ("complaint", ctypes.c_char_p),
    ]


class _Verified(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("seed", ctypes.c_uint64),
        ("asked", ctypes.c_uint64),
        ("equal", ctypes.c_uint64),
        ("different", ctypes.c_uint64),
        ("unknown", ctypes.c_uint64),
    ]


class _Difference(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("path", ctypes.c_char_p),
        ("address", ctypes.c_uint64),
        ("answer", ctypes.c_char_p),
        ("libdwarf", ctypes.c_char_p),
        ("unknown", ctypes.c_bool),
    ]


_handle, _pointer = ctypes.c_void_p, ctypes.POINTER
declare("tracemill_symbolizer_new_of", ctypes.c_int, _pointer(_handle), _pointer(_Options), ctypes.c_uint32)
declare("tracemill_symbolizer_free", None, _handle)
declare("tracemill_error", ctypes.c_char_p, _handle)
declare("tracemill_binary_open", ctypes.c_int, _handle, ctypes.c_char_p, _pointer(_handle))
declare("tracemill_binary_close", ctypes.c_int, _handle, _handle)
declare("tracemill_binary_by_id", ctypes.c_int, _handle, ctypes.c_char_p, ctypes.c_size_t, _pointer(_handle))
declare("tracemill_binary_facts", ctypes.c_int, _handle, _handle, _pointer(_Facts))
declare("tracemill_symbolize", ctypes.c_int, _handle, _pointer(_Query), ctypes.c_size_t)
declare("tracemill_cancel", None, _handle)
declare("tracemill_view", ctypes.c_int, _handle, _pointer(_Query), ctypes.c_size_t, _pointer(_Views))
declare("tracemill_views_release", None, _pointer(_Views))
declare("tracemill_next_warning", ctypes.c_char_p, _handle)
declare("tracemill_verify", ctypes.c_int, _handle, _pointer(_Verified))
declare("tracemill_difference", ctypes.c_int, _handle, ctypes.c_size_t, _pointer(_Difference))
declare("tracemill_demangle", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
declare("tracemill_process_new", ctypes.c_int, _handle, _pointer(_handle))
declare("tracemill_process_maps", ctypes.c_int, _handle, ctypes.c_char_p, ctypes.c_size_t)
declare("tracemill_process_mapping", ctypes.c_int, _handle, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
declare("tracemill_bind", ctypes.c_int, _handle, _pointer(ctypes.c_uint64), ctypes.c_size_t, ctypes.c_int,
        _pointer(_Query))

Path = Union[str, bytes, "os.PathLike[str]"]


class Call(NamedTuple):
    """A function and a place in it. "" and 0: not known."""

    function: str  # as linked, see demangle
    file: str
    line: int
    column: int
    discriminator: int
    inlined: bool  # into the next one


def _shown(call: _Call) -> Call:
    return Call(text(call.function, call.n_function), text(call.file, call.n_file), call.line, call.column,
                call.discriminator, call.inlined)


class Answer(NamedTuple):
    """What is known of an address: its calls, innermost first, and why there are not more."""

    why: int  # FUNCTION, LINE_ONLY, NO_FUNCTION, ...
    calls: "List[Call]"


class Binary(NamedTuple):
    """A binary of a symbolizer, and what is known of it."""

    handle: int
    path: str
    debug_path: str  # where its debug information comes from
    build_id: bytes
    base: int  # lowest link-time address
    has_dwarf: bool
    complaint: str  # what was refused as its debug file, and why


class Difference(NamedTuple):
    """An answer that libdwarf does not give, both as a line for people."""

    path: str
    address: int  # link-time
    answer: str
    libdwarf: str  # its answer, or why it has none
    unknown: bool  # it has none


class Verified(NamedTuple):
    """Answers of which libdwarf was asked again, and what is not equal."""

    seed: int
    asked: int  # the sum of the three that follow
    equal: int
    different: int
    unknown: int  # libdwarf cannot say, or the binary has no DWARF
    differences: "List[Difference]"  # those that are different or unknown, by path and address


def demangle(name: str) -> str:
    """A linkage name as people write it; the name itself when it is not mangled."""
    raw = name.encode("utf-8", "surrogateescape")
    room = 256
    while True:
        shown = ctypes.create_string_buffer(room)
        n = lib.tracemill_demangle(raw, len(raw), shown, room)
        if n < room:
            return shown.value.decode("utf-8", "surrogateescape") if n else name
        room = n + 1


class Symbolizer:
    """Binaries and the answers of batches. Not for several threads at once."""

    def __init__(
        self,
        debug_dirs: Sequence[Path] = (),
        sysroot: Optional[Path] = None,
        debuginfod_urls: Sequence[str] = (),
        cache: bool = False,
        cache_dir: Optional[Path] = None,
        threads: int = 0,
        system_dirs: bool = True,
        progress: Optional[Callable[[int, int], None]] = None,
        keep: int = 0,  # bytes of what was decoded; 0: 64 MiB, 1: nothing
        verify: int = 0,  # how many random answers verify() asks again, at most a million
        verify_seed: int = 0,  # the same seed chooses the same answers
    ) -> None:
        self._open = _handle()
        self._binaries: Set[int] = set()

        def show(_: object, done: int, total: int) -> None:
            if progress:
                progress(done, total)

        self._progress = _Progress(show)  # to live as long as the handle
        dirs = (ctypes.c_char_p * len(debug_dirs))(*[named(d) for d in debug_dirs])
        urls = (ctypes.c_char_p * len(debuginfod_urls))(*[u.encode() for u in debuginfod_urls])
        options = _Options(
            size=ctypes.sizeof(_Options),
            flags=(_CACHE if cache else 0) | (0 if system_dirs else _NO_SYSTEM_DIRS),
            threads=whole(threads, "threads", 32),
            debug_dirs=dirs,
            n_debug_dirs=len(dirs),
            sysroot=named(sysroot) if sysroot else None,
            debuginfod_urls=urls,
            n_debuginfod_urls=len(urls),
            cache_dir=named(cache_dir) if cache_dir else None,
            progress=self._progress,
            keep=whole(keep, "keep"),
            verify=whole(verify, "verify"),
            verify_seed=whole(verify_seed, "verify_seed"),
        )
        status = lib.tracemill_symbolizer_new_of(ctypes.byref(self._open), ctypes.byref(options), VERSION)
        if status != OK:
            raise Error(status, lib.tracemill_status_text(status).decode())

    def close(self) -> None:
        """Frees everything; binaries and processes of it are of no use any more."""
        lib.tracemill_symbolizer_free(self._open)
        self._open = _handle()
        self._binaries.clear()

    @property
    def _s(self) -> ctypes.c_void_p:
        if not self._open:
            raise ValueError("a closed Symbolizer")
        return self._open

    def __enter__(self) -> "Symbolizer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _check(self, status: int, of: Optional[Path] = None) -> None:
        if status == OK:
            return
        why = lib.tracemill_error(self._s).decode("utf-8", "replace")
        raise Error(status, why if of is None else "%s: %s" % (os.fsdecode(of), why))

    def _binary(self, handle: ctypes.c_void_p) -> Binary:
        facts = _Facts(size=ctypes.sizeof(_Facts))
        self._check(lib.tracemill_binary_facts(self._s, handle, ctypes.byref(facts)))
        self._binaries.add(handle.value or 0)
        return Binary(
            handle.value or 0,
            os.fsdecode(facts.path),
            os.fsdecode(facts.debug_path),
            ctypes.string_at(facts.build_id, facts.n_build_id) if facts.n_build_id else b"",
            facts.base,
            facts.has_dwarf,
            facts.complaint.decode("utf-8", "replace"),
        )

    def open(self, path: Path) -> Binary:
        """The binary at a path; FILE!/MEMBER names one in an archive."""
        handle = _handle()
        self._check(lib.tracemill_binary_open(self._s, named(path), ctypes.byref(handle)), path)
        return self._binary(handle)

    def close_binary(self, binary: Binary) -> None:
        """Gives back what a binary holds; it is opened again when it is used."""
        if binary.handle not in self._binaries:
            raise ValueError("%s is not open in this Symbolizer" % binary.path)
        self._check(lib.tracemill_binary_close(self._s, binary.handle))

    def by_build_id(self, build_id: bytes) -> Optional[Binary]:
        """The binary with this build-id; None: there is none."""
        handle = _handle()
        status = lib.tracemill_binary_by_id(self._s, build_id, len(build_id), ctypes.byref(handle))
        if status == NOTHING:
            return None
        self._check(status)
        return self._binary(handle)

    def _answers(self, queries: "ctypes.Array[_Query]") -> List[Answer]:
        self._check(lib.tracemill_symbolize(self._s, queries, len(queries)))
        answers = []
        views = _Views()
        at_once = 48
        for begin in range(0, len(queries), at_once):
            n = min(at_once, len(queries) - begin)
            self._check(lib.tracemill_view(self._s, ctypes.byref(queries[begin]), n, ctypes.byref(views)))
            for i in range(n):
                calls = [_shown(views.calls[k]) for k in range(views.first[i], views.first[i + 1])]
                answers.append(Answer(queries[begin + i].why, calls))
        lib.tracemill_views_release(ctypes.byref(views))
        return answers

    def symbolize(self, binary: Binary, addresses: Iterable[SupportsIndex]) -> List[Answer]:
        """Answers for link-time addresses of a binary, in their order: ask for thousands at once."""
        if binary.handle not in self._binaries:
            raise ValueError("%s is not open in this Symbolizer" % binary.path)
        asked = [whole(a, "address") for a in addresses]
        queries = (_Query * len(asked))(*[_Query(binary=binary.handle, address=a) for a in asked])
        return self._answers(queries)

    def process(self) -> "Process":
        """A process, to be told what is mapped where."""
        return Process(self)

    def verify(self) -> Verified:
        """Asks libdwarf again, in processes of its own, for `verify` random answers of all batches so far."""
        sums = _Verified(size=ctypes.sizeof(_Verified))
        self._check(lib.tracemill_verify(self._s, ctypes.byref(sums)))
        found: List[Difference] = []
        one = _Difference(size=ctypes.sizeof(_Difference))
        while True:
            status = lib.tracemill_difference(self._s, len(found), ctypes.byref(one))
            if status == NOTHING:
                return Verified(sums.seed, sums.asked, sums.equal, sums.different, sums.unknown, found)
            self._check(status)
            found.append(Difference(os.fsdecode(one.path), one.address, one.answer.decode("utf-8", "replace"),
                                    one.libdwarf.decode("utf-8", "replace"), one.unknown))

    def cancel(self) -> None:
        """Ends a batch that another thread runs."""
        lib.tracemill_cancel(self._s)

    def complaints(self) -> List[str]:
        """What went wrong in debug information and was not yet told."""
        told: List[str] = []
        while True:
            line = lib.tracemill_next_warning(self._s)
            if line is None:
                return told
            told.append(line.decode("utf-8", "replace"))


class Process:
    """Which binary is where in a process."""

    def __init__(self, symbolizer: Symbolizer) -> None:
        self._symbolizer = symbolizer
        self._p = _handle()
        symbolizer._check(lib.tracemill_process_new(symbolizer._s, ctypes.byref(self._p)))

    @property
    def _handle(self) -> ctypes.c_void_p:
        self._symbolizer._s  # it goes with its symbolizer
        return self._p

    def maps(self, text: Union[str, bytes]) -> None:
        """A text like /proc/PID/maps."""
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        self._symbolizer._check(lib.tracemill_process_maps(self._handle, raw, len(raw)))

    def mapping(self, name: Path, low: SupportsIndex, high: SupportsIndex, offset: SupportsIndex = 0, build_id: bytes = b"") -> None:
        """Runtime [low, high) is the file from offset on."""
        self._symbolizer._check(
            lib.tracemill_process_mapping(self._handle, named(name), build_id, len(build_id), whole(low, "low"),
                                          whole(high, "high"), whole(offset, "offset")))

    def symbolize(self, addresses: Iterable[SupportsIndex], kind: int = RETURN) -> List[Answer]:
        """Answers for runtime addresses, in their order."""
        asked = [whole(a, "address") for a in addresses]
        raw = (ctypes.c_uint64 * len(asked))(*asked)
        queries = (_Query * len(asked))()
        s = self._symbolizer
        s._check(lib.tracemill_bind(self._handle, raw, len(asked), kind, queries))
        bound = [q.why for q in queries]
        answers = s._answers(queries)
        return [a if why == FUNCTION else Answer(why, a.calls) for a, why in zip(answers, bound)]


def symbolize(path: Path, addresses: Iterable[SupportsIndex], **options: object) -> List[List[Call]]:
    """The calls at each link-time address of a binary, innermost first; options are Symbolizer's."""
    with Symbolizer(**options) as s:  # type: ignore[arg-type]
        return [answer.calls for answer in s.symbolize(s.open(path), addresses)]
