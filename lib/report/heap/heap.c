/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/build.h"
#include "lib/trace/encode.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids that are dense numbers are looked up in an array, which may be a few times as long
 * as there are objects; addresses in a table. */
enum { DIRECT_SLACK = 4, DIRECT_FIRST = 1 << 16 };
#define OBJECTS_MAX 0xfffffff0u

static void build_free(struct heap_build *b)
{
	if (!b)
		return;
	free(b->direct);
	id_set_release(&b->index);
	free(b->edges);
	free(b->texts);
	free(b->ids);
	free(b->sizes);
	free(b->types);
	free(b->words);
	free(b);
}

static void heap_release(struct heap *h)
{
	heap_numbers_release(&h->ids);
	heap_numbers_release(&h->sizes);
	heap_numbers_release(&h->types);
	free(h->hashes);
	free(h->names);
	free(h->sites);
	free(h->flags);
	free(h->out_start);
	free(h->out);
	heap_numbers_release(&h->out_names);
}

static uint32_t text(struct heap_set *s, const struct trace *t, uint32_t string)
{
	struct heap_build *b = s->build;
	size_t n;
	const char *p;

	if (!string)
		return 0;
	b->texts = mem_grow_zero(b->texts, &b->cap_texts, (size_t)string + 1, sizeof *b->texts);
	if (!b->texts[string]) {
		p = intern_text(&t->strings, string, &n);
		b->texts[string] = (n ? intern_add(&s->texts, p, n) : 0) + 1;
	}
	return b->texts[string] - 1;
}

static void enlarge(struct heap_build *b)
{
	struct heap *h = &b->heap;
	size_t old = b->cap;

	b->ids = mem_grow(b->ids, &b->cap, (size_t)h->n + 2, sizeof *b->ids);
	b->sizes = mem_realloc(b->sizes, b->cap, sizeof *b->sizes);
	b->types = mem_realloc(b->types, b->cap, sizeof *b->types);
	h->flags = mem_realloc(h->flags, b->cap, sizeof *h->flags);
	memset(b->ids + old, 0, (b->cap - old) * sizeof *b->ids);
	memset(b->sizes + old, 0, (b->cap - old) * sizeof *b->sizes);
	memset(b->types + old, 0, (b->cap - old) * sizeof *b->types);
	memset(h->flags + old, 0, (b->cap - old) * sizeof *h->flags);
}

static uint64_t hash_object(const void *table, uint32_t object)
{
	return hash_u64(((const struct heap_build *)table)->ids[object]);
}

static bool is_object(const void *table, uint32_t object, const void *key)
{
	return ((const struct heap_build *)table)->ids[object] == *(const uint64_t *)key;
}

static const struct id_rows by_id = {hash_object, is_object};

static uint32_t new_object(struct heap_build *b, uint64_t id)
{
	struct heap *h = &b->heap;

	h->n++;
	if (h->n >= b->cap)
		enlarge(b);
	b->ids[h->n] = id;
	return h->n;
}

uint32_t heap_build_object(struct heap_build *b, uint64_t id)
{
	struct heap *h = &b->heap;
	bool direct = id < (uint64_t)h->n * DIRECT_SLACK + DIRECT_FIRST;
	uint32_t found;

	if (h->n == OBJECTS_MAX) {
		b->too_many++;
		return 0;
	}
	if (id < b->cap_direct && b->direct[id])
		return b->direct[id];
	/* It may have come when it was out of the array's reach. */
	found = b->index.n ? id_set_find(&b->index, &by_id, b, hash_u64(id), &id) : 0;
	if (!found) {
		found = new_object(b, id);
		if (!direct)
			id_set_add(&b->index, &by_id, b, hash_u64(id), found);
	}
	if (direct) {
		b->direct =
		    mem_grow_zero(b->direct, &b->cap_direct, (size_t)id + 1, sizeof *b->direct);
		b->direct[id] = found;
	}
	return found;
}

uint32_t heap_build_find(const struct heap_build *b, uint64_t id)
{
	if (id < b->cap_direct && b->direct[id])
		return b->direct[id];
	return b->index.n ? id_set_find(&b->index, &by_id, b, hash_u64(id), &id) : 0;
}

/* A lazily made column: 0 for all that were before. */
static void *column(void *p, size_t *cap, const struct heap_build *b, size_t size)
{
	return *cap > b->heap.n ? p : mem_grow_zero(p, cap, b->cap, size);
}

/* The innermost call of the object's stack, as one text. */
static uint32_t heap_set_site(struct heap_set *s, const struct trace *t, uint32_t stack)
{
	uint32_t id = names_location(&s->locations, t, t->stacks[stack].location), call;
	struct buf b = BUF_INIT;
	const char *p;
	uint32_t found;
	size_t n;

	call = s->locations.locations[id].first;
	p = names_text(&s->locations,
		       s->locations.functions[s->locations.calls[call].function].display, &n);
	buf_add(&b, p, n);
	p = names_text(&s->locations, s->locations.calls[call].file, &n);
	if (n) {
		buf_adds(&b, " (");
		buf_add(&b, p, n);
		if (s->locations.calls[call].line)
			buf_addf(&b, ":%u", s->locations.calls[call].line);
		buf_addc(&b, ')');
	}
	found = intern_add(&s->texts, b.data ? b.data : "", b.len);
	buf_release(&b);
	return found;
}

void heap_build_site(struct heap_set *s, struct heap_build *b, const struct trace *t, uint32_t i,
		     uint32_t stack)
{
	b->heap.sites = column(b->heap.sites, &b->cap_sites, b, sizeof *b->heap.sites);
	b->heap.sites[i] = heap_set_site(s, t, stack);
}

static void heap_add_object(struct heap_set *s, const struct trace *t, const struct event *ev)
{
	struct heap_build *b = s->build;
	struct heap *h = &b->heap;
	uint32_t i = ev->address ? heap_build_object(b, ev->address) : 0, name;

	b->no_id += !ev->address;
	if (!i)
		return;
	if (h->flags[i] & HEAP_LISTED) {
		h->repeated++;
		return;
	}
	h->flags[i] |= HEAP_LISTED;
	h->n_listed++;
	b->types[i] = ev->has & EV_HAS_TYPE ? text(s, t, t->types[ev->type]) : 0;
	name = text(s, t, ev->name);
	if (name) {
		h->names = column(h->names, &b->cap_names, b, sizeof *h->names);
		h->names[i] = name;
	}
	if (ev->has & EV_HAS_REQUESTED) {
		b->sizes[i] = ev->requested;
		h->flags[i] |= HEAP_SIZED;
		h->has_sizes = true;
	}
	if (ev->has & EV_HAS_VALUE && ev->value & OBJECT_DESTROYED)
		h->flags[i] |= HEAP_DESTROYED;
	if (ev->has & EV_HAS_TARGET) {
		h->hashes = column(h->hashes, &b->cap_hashes, b, sizeof *h->hashes);
		h->hashes[i] = ev->target;
		h->flags[i] |= HEAP_HASHED;
	}
	if (ev->has & EV_HAS_STACK && ev->stack)
		heap_build_site(s, b, t, i, ev->stack);
}

void heap_build_edge(struct heap_build *b, uint32_t from, uint32_t to, uint32_t name)
{
	if (b->n_edges == OBJECTS_MAX)
		b->too_many++;
	else
		VEC_PUSH(b->edges, b->n_edges, b->cap_edges) = (struct heap_edge){from, to, name};
}

static void add_reference(struct heap_set *s, const struct trace *t, const struct event *ev)
{
	struct heap_build *b = s->build;
	uint32_t to, from;

	if (ev->has & EV_HAS_VALUE) {
		if (s->keep)
			VEC_PUSH(b->words, b->n_words, b->cap_words) = (struct heap_word){
			    ev->address, ev->target, (uint64_t)ev->value, text(s, t, ev->name)};
		return;
	}
	to = ev->target ? heap_build_object(b, ev->target) : 0;
	from = ev->address ? heap_build_object(b, ev->address) : 0;
	if (to && (!ev->address || from)) /* a reference to nothing is left out */
		heap_build_edge(b, from, to, text(s, t, ev->name));
}

static enum status heap_set_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct heap_set *s = (struct heap_set *)sink;
	const char *ids;

	(void)e;
	build_free(s->build);
	s->build = mem_zalloc(sizeof *s->build);
	enlarge(s->build);
	s->build->heap.size_state = t->metrics[METRIC_REQUESTED].state;
	ids = trace_get(t, TRACE_DATE);
	if (ids && !num_dec(ids, strlen(ids), &s->build->date))
		s->build->date = 0;
	ids = trace_get(t, TRACE_OBJECT_IDS);
	s->build->heap.has_kept_ids = ids && !strcmp(ids, TRACE_OBJECT_KEPT);
	s->build->heap.has_addresses =
	    s->build->heap.has_kept_ids || (ids && !strcmp(ids, TRACE_OBJECT_ADDRESSES));
	names_capture(&s->locations, t);
	return ST_OK;
}

void heap_build_event(struct heap_set *s, struct heap_build *b, const struct trace *t,
		      const struct event *ev)
{
	struct heap_build *now = s->build;

	s->build = b;
	if (ev->kind == EV_OBJECT)
		heap_add_object(s, t, ev);
	else if (ev->kind == EV_REFERENCE && !(ev->has & EV_HAS_VALUE))
		add_reference(s, t, ev);
	s->build = now;
}

static enum status heap_set_on_event(struct sink *sink, struct trace *t, const struct event *ev,
				     struct err *e)
{
	struct heap_set *s = (struct heap_set *)sink;

	(void)e;
	if (ev->kind == EV_OBJECT)
		heap_add_object(s, t, ev);
	else if (ev->kind == EV_REFERENCE)
		add_reference(s, t, ev);
	return ST_OK;
}

static enum status heap_set_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				  struct err *e)
{
	return sink_each(s, t, b, e, heap_set_on_event);
}

/* A snapshot without roots: what nothing refers to is taken for them. */
static void guess_roots(struct heap_build *b)
{
	struct heap *h = &b->heap;
	bool *held = mem_zarray((size_t)h->n + 1, sizeof *held);

	for (size_t i = 0; i < b->n_edges; i++)
		if (b->edges[i].from != b->edges[i].to)
			held[b->edges[i].to] = true;
	for (uint32_t i = 1; i <= h->n && b->n_edges < OBJECTS_MAX; i++)
		if (!held[i])
			VEC_PUSH(b->edges, b->n_edges, b->cap_edges) = (struct heap_edge){0, i, 0};
	free(held);
	h->guessed_roots = true;
}

static void heap_sort_edges(struct heap_build *b)
{
	struct heap *h = &b->heap;
	size_t m = b->n_edges;
	uint32_t last_name = 0;

	h->n_references = (uint32_t)m;
	h->out_start = mem_zarray((size_t)h->n + 3, sizeof *h->out_start);
	h->out = mem_array(m ? m : 1, sizeof *h->out);
	for (size_t i = 0; i < m; i++) {
		h->out_start[b->edges[i].from + 2]++;
		last_name = b->edges[i].name > last_name ? b->edges[i].name : last_name;
	}
	heap_numbers_init(&h->out_names, m, 0, last_name);
	for (uint32_t i = 2; i <= h->n + 1; i++)
		h->out_start[i] += h->out_start[i - 1];
	/* out_start[from + 1] moves up to where the next object's begin. */
	for (size_t i = 0; i < m; i++) {
		uint32_t at = h->out_start[b->edges[i].from + 1]++;

		h->out[at] = b->edges[i].to;
		heap_number_set(&h->out_names, at, b->edges[i].name);
	}
}

static void shrink(struct heap_build *b)
{
	struct heap *h = &b->heap;
	size_t n = (size_t)h->n + 1;

	if (h->sites)
		h->sites = column(h->sites, &b->cap_sites, b, sizeof *h->sites);
	if (h->names)
		h->names = column(h->names, &b->cap_names, b, sizeof *h->names);
	h->ids = heap_numbers_of_64(b->ids, n);
	h->sizes = heap_numbers_of_64(b->sizes, n);
	h->types = heap_numbers_of_32(b->types, n);
	b->ids = b->sizes = NULL;
	b->types = NULL;
	h->flags = mem_realloc(h->flags, n, sizeof *h->flags);
	id_set_release(&b->index);
	free(b->direct);
	b->direct = NULL;
}

static void heap_add_notes(struct heap_build *b, struct trace *t)
{
	struct heap *h = &b->heap;

	if (h->guessed_roots)
		trace_note(t, NOTE_GUESS, 0,
			   "no roots in the snapshot: objects that nothing refers to are taken");
	if (h->repeated)
		trace_note(t, NOTE_LOSS, h->repeated,
			   "objects whose id was there already were left out");
	if (h->not_listed)
		trace_note(t, NOTE_INFO, h->not_listed,
			   "ids that references name, but no object has");
	if (b->no_id)
		trace_note(t, NOTE_LOSS, b->no_id, "objects without an id were left out");
	if (b->too_many)
		trace_note(t, NOTE_LOSS, b->too_many,
			   "objects or references beyond what 32-bit numbers can count");
}

static const char *label(struct heap_set *s, const char *file)
{
	size_t before = 0;
	struct buf b = BUF_INIT;
	const char *p;

	for (size_t i = 0; i < s->n; i++)
		before += file && s->heaps[i].file && !strcmp(s->heaps[i].file, file);
	buf_adds(&b, file ? file : "snapshot");
	if (before)
		buf_addf(&b, " (%zu)", before + 1);
	p = arena_strndup(&s->arena, b.data, b.len);
	buf_release(&b);
	return p;
}

static enum status heap_set_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct heap_set *s = (struct heap_set *)sink;
	struct heap_build *b = s->build;
	struct heap *h = &b->heap;

	(void)e;
	if (!h->n) {
		trace_note(t, NOTE_INFO, 0, "no snapshot: it has no objects");
	} else {
		for (size_t i = 0; i < b->n_edges; i++)
			h->n_roots += !b->edges[i].from;
		if (!h->n_roots && b->n_edges)
			guess_roots(b);
		h->not_listed = h->n - h->n_listed;
		heap_add_notes(b, t);
		h->file = s->file ? *s->file : NULL;
		h->label = label(s, h->file);
		VEC_PUSH(s->heaps, s->n, s->cap) = (struct heap){.file = h->file};
		VEC_PUSH(s->builds, s->n_builds, s->cap_builds) = b;
		if (!s->keep)
			heap_set_finish(s);
		s->build = b = NULL;
	}
	if (s->captured)
		s->captured(s->arg, t);
	if (b)
		heap_release(&b->heap);
	build_free(b);
	s->build = NULL;
	return ST_OK;
}

void heap_set_finish(struct heap_set *s)
{
	for (size_t i = 0; i < s->n_builds; i++) {
		struct heap_build *b = s->builds[i];

		shrink(b);
		heap_sort_edges(b);
		s->heaps[s->n - s->n_builds + i] = b->heap;
		build_free(b);
	}
	s->n_builds = 0;
}

void heap_set_init(struct heap_set *s)
{
	*s = (struct heap_set){
	    .sink = {.begin = heap_set_begin, .batch = heap_set_batch, .end = heap_set_end}};
	names_init(&s->locations);
}

void heap_set_release(struct heap_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		heap_release(&s->heaps[i]);
	free(s->heaps);
	for (size_t i = 0; i < s->n_builds; i++) {
		heap_release(&s->builds[i]->heap);
		build_free(s->builds[i]);
	}
	free(s->builds);
	if (s->build)
		heap_release(&s->build->heap);
	build_free(s->build);
	names_release(&s->locations);
	intern_release(&s->texts);
	arena_release(&s->arena);
	*s = (struct heap_set){.n = 0};
}

uint32_t heap_find(const struct heap *h, uint64_t id)
{
	for (uint32_t i = 1; i <= h->n; i++)
		if (heap_id(h, i) == id)
			return i;
	return 0;
}

uint32_t heap_source(const struct heap *h, uint32_t reference)
{
	/* the last i with out_start[i] <= reference: never before 0 */
	return BISECT(i, 1, h->n + 1, h->out_start[i] <= reference) - 1;
}
