/* SPDX-License-Identifier: MIT
 *
 * A table from byte strings to dense ids from 1 and back; 0 is no string: the empty string gets an
 * id like any other. Bytes live until intern_release and never move; they are not aligned. A string
 * takes 17 bytes and its place in an id_set in addition to its own.
 */
#ifndef TM_BASE_INTERN_H
#define TM_BASE_INTERN_H

#include "lib/base/arena.h"
#include "lib/base/hash.h"

#include <stdbool.h>
#include <stdint.h>

struct intern {
	struct intern_row {
		const char *s; /* NUL-terminated, may hold NULs inside */
		uint32_t len;
		uint32_t hash;
	} * rows;      /* rows[0] is "", so that rows[id] is always valid */
	size_t n, cap; /* n counts rows[0] too once something is in */
	struct id_set set;
	struct arena text;
};

#define INTERN_INIT \
	{           \
		0   \
	}

/* s may be NULL where n is 0. */
uint32_t intern_add(struct intern *t, const char *s, size_t n);
/* As intern_add; a string longer than limit (at least 128) is cut there and ends in a mark with
 * its length and hash, so that different strings stay different. True in *cut when it was. */
uint32_t intern_add_cut(struct intern *t, const char *s, size_t n, size_t limit, bool *cut);
uint32_t intern_find(const struct intern *t, const char *s, size_t n); /* 0: not there */
/* Appends without looking for an equal one: for ids that a file has given already. */
uint32_t intern_append(struct intern *t, const char *s, size_t n);
/* The text of an id; "" for 0 and for an id that is not there. *n may be NULL. */
const char *intern_text(const struct intern *t, uint32_t id, size_t *n);
static inline uint32_t intern_count(const struct intern *t) /* the highest id */
{
	return t->n ? (uint32_t)(t->n - 1) : 0;
}
void intern_release(struct intern *t);

#endif
