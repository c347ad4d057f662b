/* SPDX-License-Identifier: MIT
 *
 * Internal to heap.c and with.c: a snapshot that is being read.
 */
#ifndef TM_REPORT_HEAP_BUILD_H
#define TM_REPORT_HEAP_BUILD_H

#include "lib/base/intern.h"
#include "lib/report/heap/heap.h"

struct heap_build {
	struct heap heap;
	uint64_t *ids, *sizes; /* heap.ids ... while it grows */
	uint32_t *types;
	uint32_t *direct; /* by id; 0: not there */
	size_t cap_direct;
	struct id_set index;                          /* of the others */
	size_t cap, cap_hashes, cap_sites, cap_names; /* objects there is room for */
	struct heap_edge {
		uint32_t from, to, name;
	} * edges;
	size_t n_edges, cap_edges;
	uint32_t *texts; /* the trace's strings -> ours + 1 */
	size_t cap_texts;
	uint64_t too_many, no_id;
	/* Words of objects' memory that may be addresses of blocks outside of this heap (an EV_REFERENCE with a value). */
	struct heap_word {
		uint64_t from, to, offset;
		uint32_t name;
	} * words;
	size_t n_words, cap_words;
	uint64_t date; /* of the capture's time 0, ns since 1970; 0: not known */
};

/* The object's number, which is made where there is none; 0: there are too many. */
uint32_t heap_build_object(struct heap_build *b, uint64_t id);
/* The number, or 0. */
uint32_t heap_build_find(const struct heap_build *b, uint64_t id);
void heap_build_edge(struct heap_build *b, uint32_t from, uint32_t to, uint32_t name);
/* The object is made by the stack of t, which is the set's locations' capture. */
void heap_build_site(struct heap_set *s, struct heap_build *b, const struct trace *t, uint32_t i,
		     uint32_t stack);

/* An object or a reference of another capture, t, whose texts are not b's: free b->texts before the first. */
void heap_build_event(struct heap_set *s, struct heap_build *b, const struct trace *t,
		      const struct event *ev);

#endif
