/* SPDX-License-Identifier: MIT
 *
 * The tables that the events of a Mono log refer to by address: methods, classes, code, roots. The
 * first pass over a log fills them, since names may come after their users.
 */
#ifndef TM_FORMATS_MONO_TABLES_H
#define TM_FORMATS_MONO_TABLES_H

#include "formats/mono/event.h"
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

void mono_ranges_sort(struct mono_ranges *r);
uint32_t mono_ranges_at(const struct mono_ranges *r, uint64_t addr); /* name, 0: none */
/* The same of what came without a size: the nearest one below, at most MONO_SYMBOL_REACH before it. */
#define MONO_SYMBOL_REACH (UINT64_C(1) << 20)
uint32_t mono_ranges_below(const struct mono_ranges *r, uint64_t addr);

struct mono_tables { /* zeroed is empty */
	struct intern texts;
	struct map64 methods, classes; /* address -> text */
	struct mono_thread_event {
		uint64_t tid, time;
		uint32_t order; /* in the log */
		uint32_t name;  /* in texts; 0: the thread ends */
	} * thread_events;      /* sorted by mono_tables_sort */
	size_t n_thread_events, cap_thread_events;
	struct map64 vtables; /* address -> class, an index in keys + 1 */
	uint64_t *keys;
	size_t n_keys, cap_keys;
	struct mono_ranges code, roots, symbols;
	uint64_t renamed;           /* methods whose address had another name before */
	uint64_t kinds[MONO_KINDS]; /* events */
	uint64_t shots;             /* heap snapshots that begin */
};

/* Takes what the event names. */
void mono_tables_on_event(struct mono_tables *m, const struct mono_event *ev);
/* When the log has been looked at. */
void mono_tables_sort(struct mono_tables *m);
/* The thread that has a number at a time. Numbers are those of pthread_self():
 * another thread gets them again when one has ended. */
struct mono_thread {
	uint64_t after, until; /* times at which the answer is this, until included */
	uint32_t generation;   /* how many had the number before */
	uint32_t name;         /* in texts, 0: none */
};
struct mono_thread mono_tables_thread(const struct mono_tables *m, uint64_t tid, uint64_t time);
/* The class of a vtable (version < 15: of a class) as text, 0: none. */
uint32_t mono_tables_class(const struct mono_tables *m, uint64_t vtable);
void mono_tables_release(struct mono_tables *m);

#endif
