/* SPDX-License-Identifier: MIT
 *
 * Snapshots of a heap as graphs, from OBJECT and REFERENCE events, a capture being a snapshot.
 * Objects are dense numbers from 1 in the order in which their ids were met; 0 is the root above
 * all roots. An id that only references name is an object too, but one that the snapshot does not
 * list: it holds others and counts nowhere.
 *
 * Texts (types, names, fields) are interned across the snapshots of a set, so that these compare
 * by number. Memory: 8 to 25 bytes per object (id, size and type take what their range needs) and 4 for its name, 5
 * to 8 per reference. While a capture is read: 25 per object, 4 to 13 for the index of ids, and 12 per reference.
 */
#ifndef TM_REPORT_HEAP_HEAP_H
#define TM_REPORT_HEAP_HEAP_H

#include "lib/names/names.h"
#include "lib/report/heap/numbers.h"
#include "lib/trace/sink.h"

enum heap_flag {
	HEAP_LISTED = 1 << 0,    /* there was an OBJECT event */
	HEAP_SIZED = 1 << 1,     /* with a size */
	HEAP_DESTROYED = 1 << 2, /* a shell: what it stands for is gone */
	HEAP_HASHED = 1 << 3     /* its contents' hash is known */
};

#define HEAP_NONE UINT32_MAX

struct heap {
	uint32_t n;                            /* objects are 1 to n; arrays have n + 1 entries */
	uint32_t n_listed;                     /* of them with HEAP_LISTED */
	struct heap_numbers ids, sizes, types; /* heap_id, heap_size, heap_type */
	uint64_t *hashes;                      /* NULL: no object has one */
	uint32_t *names;                       /* NULL: no object has one; a text, 0: none */
	uint32_t *sites;                       /* NULL: no object has a stack; a text, 0: none */
	uint8_t *flags;

	/* References by source: of object i they are [out_start[i], out_start[i + 1]). */
	uint32_t n_references;
	uint32_t *out_start, *out;
	struct heap_numbers out_names; /* heap_reference_name */
	uint32_t n_roots;              /* references from 0 */
	bool guessed_roots; /* the capture names none: objects that nothing refers to are taken */

	bool has_sizes; /* some listed object has one */
	bool
	    has_addresses; /* ids are addresses, but odd ones (TRACE_OBJECT_IDS), or has_kept_ids */
	bool has_kept_ids; /* all ids are an object's in all snapshots of its process */
	uint8_t size_state;  /* enum metric_state of the sizes */
	const char *file;    /* borrowed */
	const char *label;   /* in the set's arena: "a.tmt", "a.tmt (2)" */
	uint64_t repeated;   /* objects whose id was there already */
	uint64_t not_listed; /* objects that only references name */
	/* Blocks outside of the heap that its objects hold, by with.h; and objects whose allocation it knows. */
	uint64_t outside, outside_bytes, placed, numbered;
	bool joined; /* with a capture of its process */
};

struct heap_set {
	struct sink sink; /* first */
	struct heap *heaps;
	size_t n, cap;
	struct intern texts; /* of all heaps; id 0 is not used */
	struct group_names locations;
	struct arena arena;
	const char *const *file; /* the caller's: which one is being read; may be NULL */
	/* After each capture, with the notes of reading it in the trace. */
	void (*captured)(void *arg, struct trace *t);
	void *arg;

	/* The caller's: snapshots wait for heap_set_finish, so that with.h can add to them. */
	bool keep;

	struct heap_build *build;   /* of the capture being read; build.h */
	struct heap_build **builds; /* those that wait: of the last heaps */
	size_t n_builds, cap_builds;
};

/* s stays where it is until heap_set_release. */
void heap_set_init(struct heap_set *s);
void heap_set_release(struct heap_set *s);
/* Where keep is set: after all was read. */
void heap_set_finish(struct heap_set *s);

static inline const char *heap_text(const struct heap_set *s, uint32_t text, size_t *len)
{
	return intern_text(&s->texts, text, len);
}

static inline uint64_t heap_id(const struct heap *h, uint32_t object)
{
	return heap_number(&h->ids, object);
}
static inline uint64_t heap_size(const struct heap *h,
				 uint32_t object) /* 0 where it is not known */
{
	return heap_number(&h->sizes, object);
}
static inline uint32_t heap_type(const struct heap *h, uint32_t object) /* a text */
{
	return (uint32_t)heap_number(&h->types, object);
}
static inline uint32_t heap_reference_name(const struct heap *h, uint32_t reference) /* a text */
{
	return (uint32_t)heap_number(&h->out_names, reference);
}

static inline uint32_t heap_name(const struct heap *h, uint32_t object)
{
	return h->names ? h->names[object] : 0;
}

/* Lists of objects with a path each do not: what an object retains would be itself alone. */
static inline bool heap_knows_holders(const struct heap *h)
{
	return h->n_references > h->n_roots;
}

/* The object with this id of the capture; 0: none. */
uint32_t heap_find(const struct heap *h, uint64_t id);
/* The source of a reference. */
uint32_t heap_source(const struct heap *h, uint32_t reference);

#endif
