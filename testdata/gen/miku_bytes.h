/* SPDX-License-Identifier: MIT
 *
 * A writer of Miku-LuaProfiler's layouts, piece by piece, into a buffer: for the generator and for
 * the unit tests, which break the pieces. Nothing here is shared with the readers.
 */
#ifndef TM_TESTDATA_MIKU_BYTES_H
#define TM_TESTDATA_MIKU_BYTES_H

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "testdata/gen/gen.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum put_layout {
	PUT_A0,
	PUT_A1,
	PUT_A2,
	PUT_A3,
	PUT_B0,
	PUT_B1,
	PUT_C,
	PUT_D,
	PUT_E,
	PUT_BETA,
	PUT_TOOL
};

/* A node: time in units of 2 ms (the layouts A, exact as float) or 10 us (the others). */
struct put_node {
	const char *name;
	int32_t calls, frame;
	float fps, power;
	uint32_t pss;
	int32_t lua, mono, time, current_lua, current_mono;
	const char *picture; /* NULL: none */
	struct put_node *below;
	uint32_t n;
	int32_t claims; /* added to the number of nodes below that is written */
};

struct put_strings { /* names by number, as one writer gives them */
	const char **names;
	size_t n, cap;
};

static inline void put_int(struct buf *b, int64_t v, unsigned n)
{
	put(b, (uint64_t)v, n);
}

static inline void put_float(struct buf *b, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	put_int(b, bits, 4);
}

static inline void put_text(struct buf *b, const char *s)
{
	put_int(b, (int64_t)strlen(s), 4);
	buf_adds(b, s);
}

static inline void put_string(struct buf *b, struct put_strings *t, const char *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->names[i], s)) {
			put_int(b, 1, 1);
			put_int(b, (int64_t)i, 4);
			return;
		}
	put_int(b, 0, 1);
	put_int(b, (int64_t)t->n, 4);
	put_text(b, s);
	VEC_PUSH(t->names, t->n, t->cap) = s;
}

static inline void put_picture(struct buf *b, enum put_layout l, const struct put_node *n)
{
	if (l > PUT_A0)
		put_int(b, n->picture != NULL, 1);
	if (l == PUT_A0 || n->picture)
		put_text(b, n->picture ? n->picture : "");
	if (l >= PUT_A2 && n->picture)
		put_text(b, "\x89PNG");
}

static inline void put_blob(struct buf *b, enum put_layout l, const struct put_node *n)
{
	size_t at = b->len;
	unsigned wide = l < PUT_C ? 8 : 4;

	put_int(b, 0, 4);
	put_int(b, n->calls, 4);
	put_int(b, n->frame, 4);
	if (l >= PUT_C)
		put_float(b, n->fps);
	if (l == PUT_D) {
		put_int(b, n->pss, 4);
		put_float(b, n->power);
	}
	put_int(b, n->lua, wide);
	if (l >= PUT_B0)
		put_int(b, n->mono, wide);
	put_text(b, n->name);
	if (l < PUT_B0)
		put_float(b, (float)n->time / 512);
	else
		put_int(b, (int64_t)n->time * 100, wide);
	put_int(b, (int64_t)n->n + n->claims, 4);
	for (uint32_t i = 0; i < n->n; i++)
		put_blob(b, l, &n->below[i]);
	put_picture(b, l, n);
	if (l >= PUT_A3)
		put_int(b, n->current_lua, wide);
	if (l >= PUT_B1)
		put_int(b, n->current_mono, wide);
	for (int i = 0; i < 4; i++)
		b->data[at + (size_t)i] = (char)((b->len - at - 4) >> 8 * i);
}

static inline void put_plain(struct buf *b, enum put_layout l, struct put_strings *t,
			     const struct put_node *n)
{
	put_int(b, n->calls, 4);
	put_int(b, n->frame, 4);
	if (l != PUT_TOOL)
		put_float(b, n->fps);
	if (l == PUT_E) {
		put_int(b, n->pss, 4);
		put_float(b, n->power);
	}
	put_int(b, n->lua, 4);
	put_int(b, n->mono, 4);
	put_string(b, t, n->name);
	put_int(b, n->time * 100, 4);
	put_int(b, n->current_lua, 4);
	put_int(b, n->current_mono, 4);
	put_int(b, (int64_t)n->n + n->claims, 2);
	for (uint32_t i = 0; i < n->n; i++)
		put_plain(b, l, t, &n->below[i]);
}

static inline void put_sample_file(struct buf *b, enum put_layout l, const struct put_node *roots,
				   uint32_t n)
{
	struct put_strings strings = {0};

	put_int(b, n, 4);
	for (uint32_t i = 0; i < n; i++)
		if (l < PUT_E)
			put_blob(b, l, &roots[i]);
		else
			put_plain(b, l, &strings, &roots[i]);
	free(strings.names);
}

static inline void put_head(struct buf *b, enum put_layout l, bool old, int id)
{
	put_int(b, old ? 0x23333333 : 0x00114514, 4);
	if (l != PUT_BETA)
		put_int(b, id, 4);
}

static inline void put_sample_message(struct buf *b, enum put_layout l, bool old,
				      struct put_strings *t, const struct put_node *n)
{
	put_head(b, l, old, old ? 0 : 2);
	put_plain(b, l, t, n);
}

static inline void put_ref_message(struct buf *b, bool old, struct put_strings *t, bool added,
				   int32_t frame, const char *name, const char *address, int type)
{
	put_head(b, PUT_E, old, old ? 1 : 3);
	put_int(b, added, 1);
	put_int(b, frame, 4);
	put_string(b, t, name);
	put_string(b, t, address);
	put_int(b, type, 1);
}

#endif
