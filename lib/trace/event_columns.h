/* SPDX-License-Identifier: MIT
 *
 * Events as columns: the payload of CHUNK_COLUMNS, field by field, each packed by itself, as
 * tracemill-trace(5) says. One side gathers events and makes a payload of them, the other takes a
 * payload apart again.
 */
#ifndef TM_TRACE_EVENT_COLUMNS_H
#define TM_TRACE_EVENT_COLUMNS_H

#include "lib/base/buf.h"
#include "lib/pack/zstd.h"
#include "lib/trace/allocs.h"
#include "lib/trace/encode.h"

/* Of one chunk: events, bytes of all columns as they are unpacked, pairs of a kind and its fields. */
enum {
	EVENT_COLUMNS_EVENTS = 1 << 16,
	EVENT_COLUMNS_BYTES = CHUNK_MAX,
	EVENT_COLUMNS_SHAPES = 256
};
enum { EVENT_COLUMNS_FIELDS = EV_FIELD_BITS };

struct event_columns;

struct event_columns *event_columns_new(void);
void event_columns_free(struct event_columns *c); /* accepts NULL */
/* False: that was the last there is room for, and all must be taken before the next. It depends on no
 * later event, so a trace that is written again has the same chunks. */
bool event_columns_add(struct event_columns *c, const struct event *ev);
size_t event_columns_count(const struct event_columns *c);
/* Appends the payload of what was added, at most CHUNK_MAX bytes, and forgets it. */
void event_columns_take(struct event_columns *c, struct buf *payload);

struct event_columns_reader;

struct event_columns_reader *event_columns_reader_new(void);
void event_columns_reader_free(struct event_columns_reader *r); /* accepts NULL */
/* Begins with a payload. wanted: EV_HAS_*, fields that will be looked at; the others may be left
 * absent, and are then not unpacked. NULL, or what is wrong. */
const char *event_columns_open(struct event_columns_reader *r, const uint8_t *payload, size_t n,
			       unsigned wanted);
/* The next events, at most EVENT_COLUMNS_BATCH: those of known kinds into ev, how many in *n; references
 * are not checked. *unknown: how many of other kinds there were. False: that was all, or *bad says
 * what is wrong. */
enum { EVENT_COLUMNS_BATCH = SINK_ALLOCS_MOST };
bool event_columns_next(struct event_columns_reader *r, struct event ev[EVENT_COLUMNS_BATCH],
			size_t *n, uint64_t *unknown, const char **bad);
/* The next events, where all of as many as a batch has are allocations with the same wanted fields,
 * or frees. False: they are not, and nothing was taken; or *bad says what is wrong. */
bool event_columns_allocs(struct event_columns_reader *r, struct sink_allocs *a, const char **bad);

#endif
