# SPDX-License-Identifier: MIT
"""Messages of Protocol Buffers, as profile.proto has them: for tests that read pprof's profiles apart from the project."""


def varint(b, i):
    v = shift = 0
    while True:
        v |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return v, i


def fields(b):
    """(number, value) of a message."""
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        if tag & 7 == 0:
            v, i = varint(b, i)
        elif tag & 7 == 2:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
        else:
            raise ValueError('wire type %d' % (tag & 7))
        yield tag >> 3, v


def packed(v):
    """The numbers of a repeated int64, which stands as bytes or, where it is alone, as a number."""
    if not isinstance(v, bytes):
        return [v]
    out, i = [], 0
    while i < len(v):
        x, i = varint(v, i)
        out.append(x - (1 << 64) if x >> 63 else x)
    return out
