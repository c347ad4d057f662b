/* SPDX-License-Identifier: MIT
 *
 * Names of functions, and the places from which inlined calls are called.
 */
#ifndef TM_DWARF_FAST_NAME_H
#define TM_DWARF_FAST_NAME_H

#include "lib/base/hash.h"
#include "lib/dwarf/fast/unit.h"

struct fast_text {
	const char *s; /* n bytes in a section */
	size_t n;
	/* It has not been looked at: it ends with the first NUL in these n bytes, if there is one. A look
	 * waits for memory, so many are taken at once (fast_text_measure). */
	bool open;
};

/* The length of an open one; 0: it has no end, or is empty. */
static inline size_t fast_text_measure(const struct fast_text *t)
{
	const char *nul = memchr(t->s, 0, t->n);

	return nul ? (size_t)(nul - t->s) : 0;
}

/* The names met in one unit; each function that others are copies of is looked at once. */
struct fast_names {
	struct fast_text *all;
	size_t n, cap;
	struct map64 known; /* DIE -> index in all + 2; 1: it has none */
	/* the present unit and its table, which no other worker may have compiled */
	const struct fast_unit *unit;
	const struct abbrevs *table;
	bool closed; /* no open ones are wanted */
};

/* Raw name of the function at a DIE: its linkage name, else its name, along specifications and
 * abstract origins. Index in names + 1; 0: it has none. An open one that turns out to have no end, or
 * to be empty, is to be looked for again in closed names. */
uint32_t fast_names_find(struct fast_names *names, struct fast_file *f, const struct fast_unit *u,
			 uint64_t die);
void fast_names_clear(struct fast_names *names);
void fast_names_release(struct fast_names *names);

/* What struct dwarf_extra has of a function; file counts as the unit's line table does. */
struct fast_facts {
	uint64_t start;
	uint32_t name; /* index in names + 1 */
	uint32_t file, line;
	bool has_file;
};

void fast_facts_read(struct fast_names *names, struct fast_file *f, const struct fast_unit *u,
		     uint64_t die, struct fast_facts *x);

struct fast_call_site {
	uint32_t file, line, column, discriminator;
	bool has_file;
};

/* u and abbrev are those of the DIE. */
void fast_call_site_read(const struct fast_file *f, const struct fast_unit *u,
			 const struct abbrevs *t, const struct abbrev *a, uint64_t die,
			 struct fast_call_site *c);

#endif
