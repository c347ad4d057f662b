/* SPDX-License-Identifier: MIT
 *
 * The functions that write the bytes of a trace stream: file mark, chunk headers, events. tracemill-trace(5) is
 * the specification. Nothing here allocates, so the capture runtime can use it inside malloc.
 */
#ifndef TM_TRACE_ENCODE_H
#define TM_TRACE_ENCODE_H

#include "lib/trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TRACE_MAGIC "\x89TMT\r\n\x1a\n"
enum { TRACE_MAGIC_SIZE = 8, TRACE_OLDEST = 1, TRACE_MAJOR = 2, TRACE_MINOR = 1 };
enum { TRACE_MARK_SIZE = 16 }; /* magic, u16 major, u16 minor, u32 zero */
/* The attributes of the time at which a recording ended, and of the date of its time 0: model.h. */
#define TRACE_END  "capture.end_ns"
#define TRACE_DATE "date_ns"
/* Notes that the recorder writes and reports know; behind the second the status, of a program that did not end with 0. */
#define TRACE_NOTE_STARTED "started other processes, which are not recorded (--pid-children)"
#define TRACE_NOTE_ENDED   "ended with exit status "

enum { CHUNK_HEADER_SIZE = 16, CHUNK_MAX = 1 << 20 };

/* The generation of a script's calls as a thread without a number, from 1 on, has this bit: unlike a fiber's, they are
 * inside of calls of the thread that runs them, which go on meanwhile. */
enum { THREAD_SCRIPT = 1 << 24 };

enum chunk_kind {
	CHUNK_HEADER = 1,
	CHUNK_STRINGS,
	CHUNK_MODULES,
	CHUNK_LOCATIONS,
	CHUNK_STACKS,
	CHUNK_TYPES,
	CHUNK_THREADS,
	CHUNK_MARKERS,
	CHUNK_COUNTERS,
	CHUNK_EVENTS,
	CHUNK_NOTES,
	CHUNK_TOTALS,
	CHUNK_COLUMNS,      /* events, field by field; since version 2 */
	CHUNK_MODULE_FILES, /* since version 2.1, as the next */
	CHUNK_LOCATION_NAMES,
	CHUNK_SYMBOL_STRINGS = 32,
	CHUNK_SYMBOL_OBJECTS,
	CHUNK_SYMBOL_FUNCTIONS,
	CHUNK_SYMBOL_CALLS,
	CHUNK_BINDINGS,
	CHUNK_SYMBOL_NOTES, /* rows as in CHUNK_NOTES; replaced with the symbols they are about */
};

/* A bit in addition to the kind, since version 2: the payload is the uleb of how many bytes there
 * are, then a frame of zstd that holds them. */
enum { CHUNK_PACKED = 1 << 16 };
enum { TOTALS_ROWS = 8 }; /* tables that CHUNK_TOTALS counts */

struct trace_chunk {
	uint32_t kind, length;
	uint64_t checksum; /* XXH3, 64 bits, of the payload; the seed is the kind */
};

void trace_mark_encode(uint8_t out[TRACE_MARK_SIZE]);
/* The header of a chunk with this payload. */
void chunk_encode(uint8_t out[CHUNK_HEADER_SIZE], uint32_t kind, const void *payload,
		  uint32_t length);
struct trace_chunk chunk_decode(const uint8_t in[CHUNK_HEADER_SIZE]);
uint64_t chunk_checksum(uint32_t kind, const void *payload, size_t length);

/* seq, time and address are stored as differences to the event before in the same chunk; a
 * zeroed state starts a chunk. */
struct event_state {
	uint64_t seq, address;
	int64_t time;
};

/* An event without a field. One by one: of a struct in one piece compilers make a string instruction, which
 * costs more than all of an event's encoding or decoding. */
static inline void event_clear(struct event *ev)
{
	ev->kind = ev->domain = 0;
	ev->has = 0;
	ev->type = ev->stack = ev->thread = ev->name = 0;
	ev->time = ev->value = 0;
	ev->seq = ev->address = ev->target = 0;
	ev->count = 1;
	ev->requested = ev->real = 0;
}

enum { EVENT_MAX = 1 + 2 + 3 + 13 * 10 }; /* bytes that one event can take */

/* Writes ev's fields that ev->has names; returns the number of bytes, at most EVENT_MAX. */
size_t event_encode(struct event_state *st, const struct event *ev, uint8_t *out);
/* Reads one event from [p, end). Returns its size, or 0 when the bytes are not an event.
 * Unknown fields at its end are skipped; *known is false for an unknown kind. */
size_t event_decode(struct event_state *st, const uint8_t *p, const uint8_t *end, struct event *ev,
		    bool *known);

static inline size_t uleb_encode(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

/* NULL when the bytes end or have more than 64 bits; *v is then untouched. */
static inline const uint8_t *uleb_decode(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint8_t b = *p++;

		if (shift == 63 && b > 1)
			return NULL;
		x |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*v = x;
			return p;
		}
	}
	return NULL;
}

/* The bytes of an integer are as random as what it says, so a branch on each would be guessed
 * wrong about once per field: eight bytes at a time are put together without any. */
static inline uint64_t uleb_seven_bits_of_each(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* uleb_encode where there are 10 bytes of room, whatever it takes; likewise without a branch on how
 * many that is, but for one byte, which a column has nearly always or hardly ever. */
static inline uint8_t *uleb_put(uint8_t *p, uint64_t v)
{
	unsigned n;

	if (v < 0x80) {
		*p = (uint8_t)v;
		return p + 1;
	}
	if (v >> 56)
		return p + uleb_encode(p, v);
	n = (63 - (unsigned)__builtin_clzll(v)) / 7; /* bytes before the last */
	v = (v & 0x000000000fffffff) | (v & 0x00fffffff0000000) << 4;
	v = (v & 0x00003fff00003fff) | (v & 0x0fffc0000fffc000) << 2;
	v = (v & 0x007f007f007f007f) | (v & 0x3f803f803f803f80) << 1;
	v |= 0x8080808080808080 & ((UINT64_C(1) << 8 * n) - 1);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, sizeof v);
	return p + n + 1;
}

static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

#endif
