/* SPDX-License-Identifier: MIT
 *
 * The reader of the rows of a trace stream's table chunks into the model; the other half of
 * stream.h.
 */
#ifndef TM_TRACE_STREAM_TABLES_H
#define TM_TRACE_STREAM_TABLES_H

#include "lib/base/err.h"
#include "lib/trace/encode.h"
#include "lib/trace/model_index.h"

/* ST_NONE: a chunk kind that this version does not know. */
enum status stream_table(struct trace *t, const struct trace_chunk *c, const uint8_t *payload,
			 uint64_t offset, struct err *e);

/* A stream's numbers of rows that came before. */
static inline size_t stream_ids_n(const struct stream_ids *x)
{
	return x->n ? x->n : 1;
}
static inline uint32_t stream_id(const struct stream_ids *x, uint32_t id)
{
	return x->to ? x->to[id] : id;
}

#endif
