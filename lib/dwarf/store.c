/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/store.h"

#include "lib/base/mem.h"

#include <stdlib.h>

void store_init(struct dwarf_store *s)
{
	*s = (struct dwarf_store){.n_calls = 0};
	pthread_mutex_init(&s->lock, NULL);
}

void store_release(struct dwarf_store *s)
{
	for (size_t i = 0; i < s->n_arenas; i++)
		arena_release(&s->arenas[i]);
	free(s->arenas);
	free(s->calls);
	free(s->texts);
	pthread_mutex_destroy(&s->lock);
	*s = (struct dwarf_store){.n_calls = 0};
}

/* Of a writer's first block only so much is there: most have little to write. */
enum { STORE_FIRST = 64 };

/* The number of the first of a new block of that size, which the caller puts in its place. */
static uint32_t next_block(size_t *n, uint32_t size)
{
	/* a mapped index, and a writer's first block, end within a block */
	size_t first = (*n + STORE_BLOCK - 1) & ~(size_t)(STORE_BLOCK - 1);

	if (first >= STORE_BIT - STORE_BLOCK)
		mem_exhausted();
	*n = first + size;
	return (uint32_t)first;
}

/* What was not used says nothing. */
static void clear_unused_calls(struct store_writer *w)
{
	for (; w->call < w->end_call; w->call++)
		w->calls[w->call % STORE_BLOCK] = (struct store_node){.outer = 0};
}

void store_more_calls(struct store_writer *w)
{
	uint32_t size = w->calls ? STORE_BLOCK : STORE_FIRST;
	struct dwarf_store *s = w->store;

	clear_unused_calls(w);
	w->calls = arena_alloc(&w->arena, size * sizeof *w->calls);
	pthread_mutex_lock(&s->lock);
	w->call = next_block(&s->n_calls, size);
	if (w->call >> STORE_BITS >= s->cap_calls)
		s->calls = mem_grow(s->calls, &s->cap_calls, (w->call >> STORE_BITS) + 1,
				    sizeof *s->calls);
	s->calls[w->call >> STORE_BITS] = w->calls;
	pthread_mutex_unlock(&s->lock);
	w->end_call = w->call + size;
}

void store_more_texts(struct store_writer *w)
{
	uint32_t size = w->texts ? STORE_BLOCK : STORE_FIRST;
	struct dwarf_store *s = w->store;

	w->texts = arena_alloc(&w->arena, size * sizeof *w->texts);
	pthread_mutex_lock(&s->lock);
	w->text = next_block(&s->n_texts, size);
	if (w->text >> STORE_BITS >= s->cap_texts)
		s->texts = mem_grow(s->texts, &s->cap_texts, (w->text >> STORE_BITS) + 1,
				    sizeof *s->texts);
	s->texts[w->text >> STORE_BITS] = w->texts;
	pthread_mutex_unlock(&s->lock);
	w->end_text = w->text + size;
}

void store_writer_done(struct store_writer *w)
{
	struct dwarf_store *s = w->store;

	if (!s)
		return;
	/* behind the last one there is nothing */
	if (w->end_call == s->n_calls)
		s->n_calls = w->end_call = w->call;
	if (w->end_text == s->n_texts)
		s->n_texts = w->end_text = w->text;
	clear_unused_calls(w);
	for (; w->text < w->end_text; w->text++)
		w->texts[w->text % STORE_BLOCK] = (struct store_text){"", 0};
	if (w->arena.head)
		VEC_PUSH(s->arenas, s->n_arenas, s->cap_arenas) = w->arena;
	*w = (struct store_writer){.store = NULL};
}
