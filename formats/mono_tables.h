/* SPDX-License-Identifier: MIT
 *
 * What a Mono log's events refer to by address: methods, classes, code, roots. The first look at a
 * log fills it, since names may stand behind what uses them.
 */
#ifndef TM_FORMATS_MONO_TABLES_H
#define TM_FORMATS_MONO_TABLES_H

#include "formats/mono_event.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/trace/model.h"

struct mono_range { /* of addresses, with a name */
	uint64_t lo, hi;
	uint32_t name;  /* in texts */
	uint32_t order; /* later ones win */
};

struct mono_ranges {
	struct mono_range *all; /* sorted by mono_ranges_sort */
	size_t n, cap;
};

void mono_ranges_add(struct mono_ranges *r, uint64_t lo, uint64_t size, uint32_t name);
void mono_ranges_sort(struct mono_ranges *r);
uint32_t mono_ranges_at(const struct mono_ranges *r, uint64_t addr); /* name, 0: none */

struct mono_tables { /* zeroed is empty */
	struct intern texts;
	struct map64 methods, classes, threads; /* address, id -> text */
	struct map64 vtables;                   /* address -> class, an index in keys + 1 */
	uint64_t *keys;
	size_t n_keys, cap_keys;
	struct mono_ranges code, roots, symbols;
	uint64_t renamed;           /* methods whose address had another name before */
	uint64_t kinds[MONO_KINDS]; /* events */
	uint64_t shots;             /* heap snapshots that begin */
};

/* Takes what the event names. */
void mono_tables_take(struct mono_tables *m, const struct mono_event *ev);
/* The class of a vtable (version < 15: of a class) as text, 0: none. */
uint32_t mono_tables_class(const struct mono_tables *m, uint64_t vtable);
void mono_tables_release(struct mono_tables *m);

#endif
