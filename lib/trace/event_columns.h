/* SPDX-License-Identifier: MIT
 *
 * Events as columns: the payload of CHUNK_COLUMNS, field by field, each packed by itself, as
 * tracemill-trace(5) says. One side gathers events (column_encoder.h) and makes a payload of them, or of one
 * that a recorder has made; the other takes a payload apart again.
 */
#ifndef TM_TRACE_EVENT_COLUMNS_H
#define TM_TRACE_EVENT_COLUMNS_H

#include "lib/base/buf.h"
#include "lib/pack/zstd.h"
#include "lib/trace/allocs.h"
#include "lib/trace/column_encoder.h"

struct event_columns;

struct event_columns *event_columns_new(void);
void event_columns_free(struct event_columns *c); /* accepts NULL */
/* As column_encoder_add. */
bool event_columns_add(struct event_columns *c, const struct event *ev);
size_t event_columns_count(const struct event_columns *c);
/* Appends the payload of what was added, at most CHUNK_MAX bytes, and forgets it. */
void event_columns_finish(struct event_columns *c, struct buf *payload);
/* A payload whose columns are all there and plain, of kinds and fields that we know, and how many events it
 * says that it has; whether its numbers are right is not looked at. */
bool event_columns_is_plain(const uint8_t *payload, size_t n, size_t *events);
/* Appends such a payload with its columns packed, which are what they were: of events that are
 * wrong, too. What was gathered is not touched. */
void event_columns_pack(struct event_columns *c, const uint8_t *payload, size_t n,
			struct buf *packed);

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
