/* SPDX-License-Identifier: MIT
 *
 * A buffer of events in plain columns, until they are a chunk. It then is the payload of CHUNK_COLUMNS as
 * tracemill-trace(5) has it, nothing of it packed. Nothing here allocates, so the capture runtime writes its
 * events by this, too.
 */
#ifndef TM_TRACE_COLUMN_ENCODER_H
#define TM_TRACE_COLUMN_ENCODER_H

#include "lib/trace/encode.h"

/* Of one chunk: events, bytes of all columns as they are unpacked, pairs of a kind and its fields. */
enum {
	EVENT_COLUMNS_EVENTS = 1 << 16,
	EVENT_COLUMNS_BYTES = CHUNK_MAX,
	EVENT_COLUMNS_SHAPES = 256
};
enum { EVENT_COLUMNS_FIELDS = EV_FIELD_BITS };

/* Column 0 says of each event which shape it has; column 1 + bit is the field with that bit. Which
 * events have another time than the one before stands apart while they are gathered. */
enum {
	COLUMN_ENCODER_FIELD = 1,
	COLUMN_ENCODER_TIME = COLUMN_ENCODER_FIELD + 6,
	COLUMN_ENCODER_COLUMNS = COLUMN_ENCODER_FIELD + EVENT_COLUMNS_FIELDS
};
/* Room for a chunk's header and shapes in front, then for each column as much as it can take, in a
 * distance that is no power of two, since all of them grow at once. Only what is used is touched. */
enum {
	COLUMN_ENCODER_HEAD = 1024,
	COLUMN_ENCODER_BITS = EVENT_COLUMNS_EVENTS / 8 + 64,
	COLUMN_ENCODER_COLUMN = EVENT_COLUMNS_EVENTS * 10 + 640,
	COLUMN_ENCODER_ROOM = COLUMN_ENCODER_HEAD + COLUMN_ENCODER_COLUMNS * COLUMN_ENCODER_COLUMN +
			      COLUMN_ENCODER_BITS
};

struct column_encoder {
	uint8_t *room;                        /* COLUMN_ENCODER_ROOM bytes, borrowed */
	uint8_t *end[COLUMN_ENCODER_COLUMNS]; /* of what each column has */
	uint8_t *bits;                        /* the last of the times' bits; n_times 0: none yet */
	uint32_t n, n_times, n_shapes, size;  /* size: bytes of all columns */
	uint32_t last;                        /* index of the last event's shape */
	uint32_t shapes[EVENT_COLUMNS_SHAPES]; /* kind, mask << 8 */
	uint32_t stack;
	unsigned has; /* fields of any event */
	int64_t unit; /* ns, of which all times are multiples */
	int64_t time;
	uint64_t seq, address;
};

void column_encoder_init(struct column_encoder *g, uint8_t *room, int64_t unit);
/* False: that was the last there is room for, and all must be taken before the next. It depends on no
 * later event, so a trace that is written again has the same chunks. */
bool column_encoder_add(struct column_encoder *g, const struct event *ev);
/* The payload of what was added, n bytes in the room, at most CHUNK_MAX, with CHUNK_HEADER_SIZE bytes
 * in front of it that are the caller's; valid until the next event. Forgets what was added. */
uint8_t *column_encoder_finish(struct column_encoder *g, uint32_t *n);
/* Before that: times are in a unit of 1 ns, and are made multiples of the coarsest of 1 ns, 1 us and
 * 1 ms that they all are. */
void column_encoder_coarsen(struct column_encoder *g);

#endif
