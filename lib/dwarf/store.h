/* SPDX-License-Identifier: MIT
 *
 * A store of calls and texts, each stored once and read in place until printed. It is in the memory of the
 * worker that found them, or in a mapped index.
 *
 * A call is a node of a trie: it points to the one that it was inlined into, so that a chain is
 * stored once however many addresses are in it. Text is not copied either: it is bytes in a section
 * that stays with the object (joined paths, and names of files that go, are in memory of the
 * store). Ids have STORE_BIT set, below it is a number: its high bits choose a block. A worker
 * fills blocks of its own, so workers meet once in STORE_BLOCK calls, and nothing is merged,
 * hashed or renumbered afterwards; a unit's answers become the job's by being written there.
 * Blocks are handed out in ascending order, so a call's outer one has the lower id, always.
 *
 * A mapped index is the same store: its blocks point into the file, whose calls are as struct
 * store_node has them, and its texts are found by offsets. Whatever an id says is checked against
 * what is there when it is used, and read once: a file may change under its mapping.
 */
#ifndef TM_DWARF_STORE_H
#define TM_DWARF_STORE_H

#include "lib/base/arena.h"
#include "lib/base/bytes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define STORE_BIT UINT32_C(0x80000000)

enum { STORE_BITS = 12, STORE_BLOCK = 1 << STORE_BITS };

/* One call: a function at a place, called from outer. */
struct dwarf_call {
	uint32_t outer;        /* id of the call it was inlined into; 0: none */
	uint32_t function;     /* raw name (linkage name, else DW_AT_name); 0: unknown */
	uint32_t file;         /* path joined as DWARF says (directory + name); 0: unknown */
	uint32_t line, column; /* of the address (innermost) or of the call site; 0: unknown */
	uint32_t extra;        /* discriminator or dwarf_extra_of; 0: not wanted, or nothing */
};

/* A call as it is stored. Its column and its extra share a word, the column in its low bits. Those
 * that do not fit leave STORE_WIDE there and take the node behind, too, whose line is the column
 * and whose rest is the extra. */
struct store_node {
	uint32_t outer, function, file, line, rest;
};

#define STORE_WIDE UINT32_MAX

enum { STORE_COLUMN_BITS = 11 };

/* Not NUL-terminated for our purposes: sections may be rewritten under us. */
struct store_text {
	const char *s;
	uint32_t n;
};

struct dwarf_store {
	const struct store_node **calls; /* blocks */
	const struct store_text **texts;
	size_t n_calls, n_texts; /* numbers below these may be used; of nodes, of texts */
	size_t cap_calls, cap_texts;
	/* of a mapped index, instead of texts: text i is the bytes from offsets[i] up to
	 * offsets[i + 1], of which the last is NUL; u32, little-endian */
	const uint8_t *offsets, *bytes;
	uint64_t n_bytes;
	struct arena *arenas; /* of the writers that are done */
	size_t n_arenas, cap_arenas;
	pthread_mutex_t lock; /* of all this while there are writers */
};

/* What one worker fills. */
struct store_writer {
	struct dwarf_store *store;
	struct store_node *calls; /* the present block; NULL: none yet */
	struct store_text *texts;
	uint32_t call, end_call, text, end_text; /* numbers: the next one, behind the last */
	struct arena arena;                      /* blocks, and text that is copied */
};

void store_init(struct dwarf_store *s);
void store_release(struct dwarf_store *s);

void store_more_calls(struct store_writer *w);
void store_more_texts(struct store_writer *w);
/* Hands over the writer's memory; the writer is empty then. */
void store_writer_done(struct store_writer *w);

/* How many nodes, 1 or 2, the call is. */
static inline uint32_t store_pack(const struct dwarf_call *c, struct store_node to[2])
{
	to[0] = (struct store_node){c->outer, c->function, c->file, c->line,
				    c->extra << STORE_COLUMN_BITS | c->column};
	if (!(c->column >> STORE_COLUMN_BITS) && c->extra < STORE_WIDE >> STORE_COLUMN_BITS)
		return 1;
	to[0].rest = STORE_WIDE;
	to[1] = (struct store_node){.line = c->column, .rest = c->extra};
	return 2;
}

static inline uint32_t store_call(struct store_writer *w, const struct dwarf_call *c)
{
	struct store_node made[2];
	uint32_t n = store_pack(c, made), id;

	if (w->end_call - w->call < n)
		store_more_calls(w);
	id = w->call | STORE_BIT;
	for (uint32_t i = 0; i < n; i++)
		w->calls[w->call++ % STORE_BLOCK] = made[i];
	return id;
}

/* The text stays the caller's, and must stay. */
static inline uint32_t store_text(struct store_writer *w, const char *s, size_t n)
{
	if (w->text == w->end_text)
		store_more_texts(w);
	w->texts[w->text % STORE_BLOCK] = (struct store_text){s, (uint32_t)n};
	return w->text++ | STORE_BIT;
}

/* The text that was stored last, whose length may still be corrected by its writer. */
static inline struct store_text *store_last_text(const struct store_writer *w)
{
	return &w->texts[(w->text - 1) % STORE_BLOCK];
}

static inline uint32_t store_copy(struct store_writer *w, const char *s, size_t n)
{
	return store_text(w, arena_strndup(&w->arena, s, n), n);
}

/* Of an id with STORE_BIT. NULL: none. */
static inline const struct store_node *store_node_at(const struct dwarf_store *s, uint32_t id)
{
	uint32_t number = id & ~STORE_BIT;

	return number < s->n_calls ? &s->calls[number >> STORE_BITS][number % STORE_BLOCK] : NULL;
}

/* False: no such call, and *c is zeroes. */
static inline bool store_call_at(const struct dwarf_store *s, uint32_t id, struct dwarf_call *c)
{
	const struct store_node *at = store_node_at(s, id);
	uint32_t rest;

	*c = (struct dwarf_call){.outer = 0};
	if (!at)
		return false;
	rest = at->rest;
	*c = (struct dwarf_call){
	    .outer = at->outer,
	    .function = at->function,
	    .file = at->file,
	    .line = at->line,
	    .column = rest & ((UINT32_C(1) << STORE_COLUMN_BITS) - 1),
	    .extra = rest >> STORE_COLUMN_BITS,
	};
	if (rest == STORE_WIDE) {
		at = store_node_at(s, id + 1);
		c->column = at ? at->line : 0;
		c->extra = at ? at->rest : 0;
	}
	return true;
}

/* The row of a text, to be fetched ahead. */
static inline const void *store_text_row(const struct dwarf_store *s, uint32_t id)
{
	uint32_t number = id & ~STORE_BIT;

	if (number >= s->n_texts)
		return s;
	return s->texts ? (const void *)&s->texts[number >> STORE_BITS][number % STORE_BLOCK]
			: (const void *)(s->offsets + 4 * (size_t)number);
}

/* "" if none. */
static inline const char *store_text_at(const struct dwarf_store *s, uint32_t id, size_t *n)
{
	uint32_t number = id & ~STORE_BIT, from, to;
	const struct store_text *t;

	*n = 0;
	if (number >= s->n_texts)
		return "";
	if (s->texts) {
		t = &s->texts[number >> STORE_BITS][number % STORE_BLOCK];
		*n = t->n;
		return t->s;
	}
	from = le32(s->offsets + 4 * (size_t)number);
	to = le32(s->offsets + 4 * (size_t)number + 4);
	if (from >= to || to > s->n_bytes)
		return "";
	*n = to - from - 1;
	return (const char *)s->bytes + from;
}

#endif
