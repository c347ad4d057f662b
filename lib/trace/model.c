/* SPDX-License-Identifier: MIT */
#include "lib/trace/model_index.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/trace/encode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Row 0 of every table is "none". */
#define START_TABLE(t, name) VEC_PUSH((t)->name, (t)->n_##name, (t)->cap_##name) = zero_##name

struct trace *trace_new(void)
{
	static const struct module zero_modules;
	static const struct location zero_locations = {.space = SPACE_UNKNOWN};
	static const struct stack zero_stacks;
	static const uint32_t zero_types;
	static const struct thread zero_threads;
	static const struct marker zero_markers;
	static const struct counter zero_counters;
	static const struct module_file zero_module_files;
	static const struct location_name zero_location_names;
	struct trace *t = mem_zalloc(sizeof *t);

	t->index = mem_zalloc(sizeof *t->index);
	START_TABLE(t, modules);
	START_TABLE(t, locations);
	START_TABLE(t, stacks);
	START_TABLE(t, types);
	START_TABLE(t, threads);
	START_TABLE(t, markers);
	START_TABLE(t, counters);
	START_TABLE(t, module_files);
	START_TABLE(t, location_names);
	return t;
}

struct trace *trace_share(const struct trace *t)
{
	struct trace *s = mem_alloc(sizeof *s);

	*s = *t;
	s->index = mem_zalloc(sizeof *s->index);
	s->index->shared = t;
	s->attributes = mem_array(t->n_attributes + 1, sizeof *s->attributes);
	s->cap_attributes = t->n_attributes + 1;
	if (t->n_attributes)
		memcpy(s->attributes, t->attributes, t->n_attributes * sizeof *s->attributes);
	s->notes = NULL;
	s->cap_notes = 0;
	trace_set_notes(s, t->notes, t->n_notes);
	return s;
}

static void *copy_array(const void *from, size_t n, size_t size)
{
	return n ? memcpy(mem_array(n, size), from, n * size) : NULL;
}

static void copy_set(struct id_set *to, const struct id_set *from)
{
	*to = *from;
	to->slots = copy_array(from->slots, from->slots ? from->mask + 1 : 0, sizeof *to->slots);
}

static __attribute__((noinline)) void copy_rows(struct trace *t)
{
	struct trace_index *x = t->index, now = *x;
	const struct trace_index *from = x->shared->index;

	t->locations = copy_array(t->locations, t->n_locations, sizeof *t->locations);
	t->cap_locations = t->n_locations;
	t->stacks = copy_array(t->stacks, t->n_stacks, sizeof *t->stacks);
	t->cap_stacks = t->n_stacks;
	*x = *from;
	x->shared = NULL;
	x->copies = true;
	x->arena = now.arena;
	x->notes = now.notes;
	x->types = x->threads = x->markers = x->counters = (struct map64)MAP64_INIT;
	x->named_threads = x->thread_names = (struct map64)MAP64_INIT;
	x->stream_locations = x->stream_stacks = (struct stream_ids){.n = 0};
	copy_set(&x->location_set, &from->location_set);
	copy_set(&x->stack_set, &from->stack_set);
	x->below = copy_array(from->below, from->n_below, sizeof *x->below);
	x->cap_below = from->n_below;
	x->last = NULL;
	x->n_last = x->cap_last = 0;
	x->recent = NULL;
}

/* Before a row is appended, or put where it is found. */
static inline void own_rows(struct trace *t)
{
	if (t->index->shared)
		copy_rows(t);
}

static void free_shared(struct trace *t)
{
	struct trace_index *x = t->index;

	if (x->copies) {
		free(t->locations);
		free(t->stacks);
		id_set_release(&x->location_set);
		id_set_release(&x->stack_set);
		free(x->below);
		free(x->last);
		free(x->recent);
	}
	free(t->attributes);
	free(t->notes);
	map64_release(&x->notes);
	arena_release(&x->arena);
	free(x);
	free(t);
}

void trace_free(struct trace *t)
{
	struct trace_index *x;

	if (!t)
		return;
	x = t->index;
	if (x->shared || x->copies) {
		free_shared(t);
		return;
	}
	intern_release(&t->strings);
	symbols_release(&t->symbols);
	free(t->modules);
	free(t->locations);
	free(t->stacks);
	free(t->types);
	free(t->threads);
	free(t->markers);
	free(t->counters);
	free(t->module_files);
	free(t->location_names);
	free(t->attributes);
	free(t->notes);
	id_set_release(&x->location_set);
	id_set_release(&x->stack_set);
	map64_release(&x->types);
	map64_release(&x->notes);
	map64_release(&x->threads);
	map64_release(&x->named_threads);
	map64_release(&x->thread_names);
	map64_release(&x->markers);
	map64_release(&x->counters);
	arena_release(&x->arena);
	free(x->below);
	free(x->stream_locations.to);
	free(x->stream_stacks.to);
	free(x->last);
	free(x->recent);
	free(x);
	free(t);
}

struct trace *trace_take(struct trace *t)
{
	struct trace *taken = mem_alloc(sizeof *taken), *empty = trace_new();

	*taken = *t;
	*t = *empty;
	free(empty);
	return taken;
}

uint32_t trace_string(struct trace *t, const char *s, size_t n)
{
	bool cut;
	uint32_t id = intern_add_cut(&t->strings, s, n, TRACE_STRING_MAX, &cut);

	t->cut_strings += cut;
	return id;
}

uint32_t trace_symbol_string(struct trace *t, const char *s, size_t n)
{
	bool cut;
	uint32_t id = intern_add_cut(&t->symbols.strings, s, n, TRACE_STRING_MAX, &cut);

	t->cut_strings += cut;
	return id;
}

uint32_t trace_strz(struct trace *t, const char *s)
{
	return trace_string(t, s, strlen(s));
}

const char *trace_text(const struct trace *t, uint32_t string)
{
	return intern_text(&t->strings, string, NULL);
}

uint32_t trace_type(struct trace *t, const char *s, size_t n)
{
	uint32_t string = trace_string(t, s, n);
	uint32_t *id = map64_put(&t->index->types, string);

	if (!*id) {
		*id = (uint32_t)t->n_types;
		VEC_PUSH(t->types, t->n_types, t->cap_types) = string;
	}
	return *id;
}

static uint64_t location_hash(const struct location *l)
{
	uint64_t h = hash_u64(l->raw ^ (uint64_t)l->space << 56 ^ (uint64_t)l->kind << 48);

	h = hash_u64(h ^ ((uint64_t)l->module << 32 | l->name));
	h = hash_u64(h ^ ((uint64_t)l->file << 32 | l->line));
	return hash_u64(h ^ ((uint64_t)l->process << 32 | l->epoch));
}

static uint64_t model_location_row_hash(const void *table, uint32_t id)
{
	return location_hash(&((const struct location *)table)[id]);
}

static bool model_location_equal(const void *table, uint32_t id, const void *key)
{
	const struct location *a = &((const struct location *)table)[id], *b = key;

	return a->raw == b->raw && a->process == b->process && a->epoch == b->epoch &&
	       a->module == b->module && a->name == b->name && a->file == b->file &&
	       a->line == b->line && a->space == b->space && a->kind == b->kind;
}

static const struct id_rows location_rows = {model_location_row_hash, model_location_equal};

/* Of equal rows of a stream the first is the one that is found. */
static void look_at_rows(struct trace *t)
{
	struct trace_index *x = t->index;

	own_rows(t);

	while (x->locations_in_set + 1 < t->n_locations) {
		uint32_t id = (uint32_t)++x->locations_in_set;
		const struct location *l = &t->locations[id];
		uint64_t hash = location_hash(l);

		if (!id_set_find(&x->location_set, &location_rows, t->locations, hash, l))
			id_set_add(&x->location_set, &location_rows, t->locations, hash, id);
	}
}

/* look_at_rows has been called. */
static inline uint32_t find_or_append(struct trace *t, const struct location *l, uint64_t hash)
{
	struct trace_index *x = t->index;
	uint32_t id = id_set_find(&x->location_set, &location_rows, t->locations, hash, l);

	if (!id) {
		id = (uint32_t)t->n_locations;
		VEC_PUSH(t->locations, t->n_locations, t->cap_locations) = *l;
		id_set_add(&x->location_set, &location_rows, t->locations, hash, id);
		x->locations_in_set = id;
	}
	return id;
}

uint32_t trace_location(struct trace *t, const struct location *l)
{
	look_at_rows(t);
	return find_or_append(t, l, location_hash(l));
}

void trace_locations(struct trace *t, const struct location *l, size_t n, uint32_t *ids)
{
	enum { AT_ONCE = 32 };
	const struct id_set *set = &t->index->location_set;
	uint64_t hashes[AT_ONCE];

	look_at_rows(t);
	for (size_t from = 0, k; from < n; from += k) {
		k = n - from < AT_ONCE ? n - from : AT_ONCE;
		for (size_t i = 0; i < k; i++) {
			hashes[i] = location_hash(&l[from + i]);
			id_set_prefetch(set, hashes[i]);
		}
		for (size_t i = 0; i < k; i++) {
			uint32_t first = id_set_first(set, hashes[i]);

			if (first < t->n_locations)
				__builtin_prefetch(&t->locations[first]);
		}
		for (size_t i = 0; i < k; i++)
			ids[from + i] = find_or_append(t, &l[from + i], hashes[i]);
	}
}

static uint64_t stack_hash(const struct stack *s)
{
	return hash_u64((uint64_t)s->parent << 32 | s->location);
}

static uint64_t model_stack_row_hash(const void *table, uint32_t id)
{
	return stack_hash(&((const struct stack *)table)[id]);
}

static bool model_stack_equal(const void *table, uint32_t id, const void *key)
{
	const struct stack *a = &((const struct stack *)table)[id], *b = key;

	return a->parent == b->parent && a->location == b->location;
}

static const struct id_rows stack_rows = {model_stack_row_hash, model_stack_equal};

/* Rows that wait: most were asked for from memory when they came, so they wait together. */
static void model_settle_stacks(struct trace *t)
{
	enum { AHEAD = 8 };
	struct trace_index *x = t->index;
	bool any;

	own_rows(t);
	any = x->any_waiting;

	if (x->stacks_waiting)
		memset(x->waiting, 0, sizeof x->waiting);
	if (any)
		id_set_reserve(&x->stack_set, x->stack_set.n + x->stacks_waiting, &stack_rows,
			       t->stacks);
	x->any_waiting = false;
	for (; x->stacks_waiting; x->stacks_waiting--) {
		uint32_t id = x->first_waiting++;

		if (any && x->stacks_waiting > AHEAD)
			id_set_prefetch(&x->stack_set, stack_hash(&t->stacks[id + AHEAD]));
		id_set_add(&x->stack_set, &stack_rows, t->stacks, stack_hash(&t->stacks[id]), id);
	}
}

/* The place in waiting for a row that is, or would be, there. */
static uint16_t *model_waiting_stack(struct trace *t, const struct stack *s, uint64_t hash)
{
	enum { MASK = STACKS_WAITING * 4 - 1 };
	struct trace_index *x = t->index;
	size_t i = (size_t)(hash >> 40) & MASK;

	while (x->waiting[i] &&
	       !model_stack_equal(t->stacks + x->first_waiting - 1, x->waiting[i], s))
		i = (i + 1) & MASK;
	return &x->waiting[i];
}

static uint32_t below_bit(uint32_t location)
{
	return UINT32_C(1) << (location * UINT32_C(0x9e3779b1) >> 27);
}

/* False: there is no such row. */
static bool model_may_be_below(const struct trace *t, const struct stack *s)
{
	const struct trace_index *x = t->index;

	return x->n_below != t->n_stacks || x->below[s->parent] & below_bit(s->location);
}

static void model_put_below(struct trace *t, const struct stack *s)
{
	struct trace_index *x = t->index;

	if (x->n_below != t->n_stacks)
		return;
	x->below[s->parent] |= below_bit(s->location);
	VEC_PUSH(x->below, x->n_below, x->cap_below) = 0;
}

void trace_stacks_near(struct trace *t)
{
	struct trace_index *x = t->index;

	if (!x->n_below && t->n_stacks == 1)
		VEC_PUSH(x->below, x->n_below, x->cap_below) = 0;
}

/* Its row is put in the set later. */
static uint32_t append_stack(struct trace *t, const struct stack *s, uint64_t hash)
{
	struct trace_index *x = t->index;
	uint32_t id = (uint32_t)t->n_stacks;

	if (x->first_waiting + x->stacks_waiting != id || /* a stream's rows came in between */
	    x->stacks_waiting == STACKS_WAITING || x->any_waiting) {
		model_settle_stacks(t);
		x->first_waiting = id;
	}
	*model_waiting_stack(t, s, hash) = (uint16_t)++x->stacks_waiting;
	id_set_prefetch(&x->stack_set, hash);
	model_put_below(t, s);
	VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) = *s;
	return id;
}

uint32_t trace_stack(struct trace *t, uint32_t parent, uint32_t location)
{
	struct trace_index *x = t->index;
	struct stack s = {.parent = parent, .location = location};
	uint64_t hash = stack_hash(&s);
	uint32_t id = 0;

	own_rows(t);
	/* the newest one calls nothing yet */
	if ((!parent || parent + 1 != t->n_stacks) && model_may_be_below(t, &s)) {
		if (x->any_waiting)
			model_settle_stacks(t);
		id = id_set_find(&x->stack_set, &stack_rows, t->stacks, hash, &s);
		if (!id && x->stacks_waiting) {
			id = *model_waiting_stack(t, &s, hash);
			id += id ? x->first_waiting - 1 : 0;
		}
	}
	return id ? id : append_stack(t, &s, hash);
}

uint32_t trace_stack_new(struct trace *t, uint32_t parent, uint32_t location)
{
	struct trace_index *x = t->index;
	uint32_t id = (uint32_t)t->n_stacks;

	if (!x->any_waiting || x->first_waiting + x->stacks_waiting != id) {
		model_settle_stacks(t);
		x->first_waiting = id;
		x->any_waiting = true;
	}
	x->stacks_waiting++;
	VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) =
	    (struct stack){.parent = parent, .location = location};
	return id;
}

/* One call more of each path: all are asked for before any is looked at. */
static size_t model_seek_level(struct trace *t, struct trace_path *paths, uint32_t *open, size_t n,
			       size_t depth)
{
	const struct id_set *set = &t->index->stack_set;
	uint64_t hashes[TRACE_PATHS];
	size_t left = 0;

	for (size_t k = 0; k < n; k++) {
		const struct trace_path *p = &paths[open[k]];
		struct stack s;

		if (depth < p->same)
			continue;
		s = (struct stack){p->stack, p->locations[depth]};
		hashes[k] = stack_hash(&s);
		id_set_prefetch(set, hashes[k]);
	}
	for (size_t k = 0; k < n; k++)
		if (depth >= paths[open[k]].same)
			__builtin_prefetch(&t->stacks[id_set_first(set, hashes[k])]);
	for (size_t k = 0; k < n; k++) {
		struct trace_path *p = &paths[open[k]];
		uint32_t id;

		if (depth < p->same) {
			id = p[-1].known > depth ? p[-1].stack : 0;
		} else {
			struct stack s = {p->stack, p->locations[depth]};

			id = id_set_find(set, &stack_rows, t->stacks, hashes[k], &s);
		}
		if (!id)
			continue;
		p->stack = id;
		if (++p->known < p->n)
			open[left++] = open[k];
	}
	return left;
}

enum { RECENT = 1 << 16, RECENT_PAIR = 2 };

/* Whether a stack is these, the outermost same of which are those of the last one; that then is this. */
static bool model_is_stack(struct trace *t, uint32_t id, const uint32_t *locations, size_t n,
			   size_t same)
{
	struct trace_index *x = t->index;
	size_t left = n - same;

	x->last = mem_grow(x->last, &x->cap_last, n, sizeof *x->last);
	x->n_last = same;
	for (size_t i = 0; i < left; i++) {
		if (!id || t->stacks[id].location != locations[i])
			return false;
		x->last[n - 1 - i] = (struct stack_step){locations[i], id};
		id = t->stacks[id].parent;
	}
	if (id != (same ? x->last[same - 1].stack : 0))
		return false;
	x->n_last = n;
	return true;
}

/* Where stacks with a hash are that were asked for lately: the newer one first. */
static struct stack_recent *model_recent_pair(struct trace_index *x, uint64_t hash)
{
	if (!x->recent)
		x->recent = mem_zarray(RECENT, sizeof *x->recent);
	return &x->recent[hash % (RECENT / RECENT_PAIR) * RECENT_PAIR];
}

static void model_remember(struct stack_recent *pair, uint32_t stack, uint64_t hash)
{
	if (pair[0].stack == stack)
		return;
	pair[1] = pair[0];
	pair[0] = (struct stack_recent){stack, (uint32_t)(hash >> 32)};
}

static bool model_is_path(const struct trace *t, uint32_t id, const struct trace_path *p)
{
	for (size_t left = p->n; left--; id = t->stacks[id].parent)
		if (!id || t->stacks[id].location != p->locations[left])
			return false;
	return !id;
}

/* A path that came before is found at once, unless others took its place. */
static bool model_recall_path(struct trace *t, struct trace_path *p)
{
	const struct stack_recent *pair = model_recent_pair(t->index, p->hash);

	for (int i = 0; i < RECENT_PAIR; i++)
		if (pair[i].check == (uint32_t)(p->hash >> 32) &&
		    model_is_path(t, pair[i].stack, p)) {
			p->known = p->n;
			p->stack = pair[i].stack;
			return true;
		}
	return false;
}

/* Each step is taken for all of them before the next, so that the memory which it needs is there. */
void trace_paths_seek(struct trace *t, struct trace_path *paths, size_t n)
{
	uint32_t open[TRACE_PATHS];
	size_t n_open = 0;

	model_settle_stacks(t);
	for (size_t i = 0; i < n; i++) {
		struct trace_path *p = &paths[i];

		p->stack = p->known = p->same = 0;
		p->hash = hash_bytes(p->locations, p->n * sizeof *p->locations);
		__builtin_prefetch(model_recent_pair(t->index, p->hash));
	}
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&t->stacks[model_recent_pair(t->index, paths[i].hash)->stack]);
	for (size_t i = 0; i < n; i++) {
		struct trace_path *p = &paths[i];

		if (!p->n || model_recall_path(t, p))
			continue;
		/* The one before is at the same depth all the time, or was recalled. */
		while (i && !p[-1].known && p->same < p->n && p->same < p[-1].n &&
		       p->locations[p->same] == p[-1].locations[p->same])
			p->same++;
		open[n_open++] = (uint32_t)i;
	}
	for (size_t depth = 0; n_open; depth++)
		n_open = model_seek_level(t, paths, open, n_open, depth);
}

uint32_t trace_path_stack(struct trace *t, struct trace_path *p)
{
	for (; p->known < p->n; p->known++)
		p->stack = trace_stack(t, p->stack, p->locations[p->known]);
	if (p->n)
		model_remember(model_recent_pair(t->index, p->hash), p->stack, p->hash);
	return p->stack;
}

/* How many of the outermost are those of the last one. */
static size_t same_as_last(const struct trace_index *x, const uint32_t *locations, size_t n)
{
	size_t same = 0;

	while (same < n && same < x->n_last && x->last[same].location == locations[n - 1 - same])
		same++;
	return same;
}

/* Stacks that follow each other share their outer callers: of those nothing is looked up. A stack that
 * came before is found at once, unless others took its place. */
static uint32_t model_stack_hashed(struct trace *t, const uint32_t *locations, size_t n,
				   size_t same, uint64_t hash)
{
	struct trace_index *x = t->index;
	struct stack_recent *pair = model_recent_pair(x, hash);
	uint32_t id = same ? x->last[same - 1].stack : 0, check = (uint32_t)(hash >> 32);

	for (int i = 0; i < RECENT_PAIR; i++)
		if (pair[i].check == check && model_is_stack(t, pair[i].stack, locations, n, same))
			return pair[i].stack;
	x->n_last = same;
	for (size_t left = n - same; left--;) {
		id = trace_stack(t, id, locations[left]);
		VEC_PUSH(x->last, x->n_last, x->cap_last) =
		    (struct stack_step){locations[left], id};
	}
	model_remember(pair, id, hash);
	return id;
}

uint32_t trace_stack_of(struct trace *t, const uint32_t *locations, size_t n)
{
	struct trace_index *x = t->index;
	size_t same = same_as_last(x, locations, n);

	if (same < n)
		return model_stack_hashed(t, locations, n, same,
					  hash_bytes(locations, n * sizeof *locations));
	x->n_last = same;
	return same ? x->last[same - 1].stack : 0;
}

uint32_t trace_thread(struct trace *t, const struct thread *th)
{
	struct trace_index *x = t->index;
	uint64_t key = hash_u64(hash_u64((uint64_t)th->process << 32 | th->generation) ^ th->tid);
	uint32_t id;

	for (; (id = map64_get(&x->threads, key)); key++)
		if (t->threads[id].process == th->process && t->threads[id].tid == th->tid &&
		    t->threads[id].generation == th->generation)
			return id;
	id = *map64_put(&x->threads, key) = (uint32_t)t->n_threads;
	VEC_PUSH(t->threads, t->n_threads, t->cap_threads) = *th;
	return id;
}

uint32_t trace_thread_named(struct trace *t, struct thread th)
{
	struct trace_index *x = t->index;
	uint64_t of = hash_u64((uint64_t)th.process << 32 ^ th.tid), key = of ^ hash_u64(th.name);
	uint32_t id;

	for (; (id = map64_get(&x->named_threads, key)); key++)
		if (t->threads[id].process == th.process && t->threads[id].tid == th.tid &&
		    t->threads[id].name == th.name)
			return id;
	th.generation = (*map64_put(&x->thread_names, of))++;
	id = trace_thread(t, &th);
	return *map64_put(&x->named_threads, key) = id;
}

uint32_t trace_marker(struct trace *t, const struct marker *m)
{
	uint32_t *id = map64_put(&t->index->markers, (uint64_t)m->name << 32 | m->category);

	if (!*id) {
		*id = (uint32_t)t->n_markers;
		VEC_PUSH(t->markers, t->n_markers, t->cap_markers) = *m;
	}
	return *id;
}

uint32_t trace_counter(struct trace *t, const struct counter *c)
{
	uint32_t *id = map64_put(&t->index->counters, (uint64_t)c->name << 32 | c->unit);

	if (!*id) {
		*id = (uint32_t)t->n_counters;
		VEC_PUSH(t->counters, t->n_counters, t->cap_counters) = *c;
	}
	return *id;
}

static int model_range_order(const void *a, const void *b)
{
	const struct map_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

uint32_t trace_module(struct trace *t, const struct module *m)
{
	struct module copy = *m;

	copy.ranges = NULL;
	if (copy.n_ranges > MODULE_RANGES) {
		trace_note(t, NOTE_LOSS, copy.n_ranges - MODULE_RANGES,
			   "mapped ranges beyond %d of one module were left out", MODULE_RANGES);
		copy.n_ranges = MODULE_RANGES;
	}
	if (copy.n_ranges) {
		copy.ranges = arena_alloc(&t->index->arena, copy.n_ranges * sizeof *copy.ranges);
		memcpy(copy.ranges, m->ranges, copy.n_ranges * sizeof *copy.ranges);
		sort_array(copy.ranges, copy.n_ranges, sizeof *copy.ranges, model_range_order);
	}
	VEC_PUSH(t->modules, t->n_modules, t->cap_modules) = copy;
	return (uint32_t)(t->n_modules - 1);
}

void trace_module_file(struct trace *t, const struct module_file *f)
{
	t->modules[f->module].file = (uint32_t)t->n_module_files;
	VEC_PUSH(t->module_files, t->n_module_files, t->cap_module_files) = *f;
}

bool trace_other_build(const struct trace *t, uint32_t module, uint32_t other)
{
	const struct module *a = &t->modules[module], *b = &t->modules[other];
	const struct module_file *x = &t->module_files[a->file], *y = &t->module_files[b->file];

	if (a->build_id && b->build_id)
		return a->build_id != b->build_id;
	return a->file && b->file &&
	       (x->device != y->device || x->inode != y->inode || x->size != y->size ||
		x->modified != y->modified);
}

void trace_location_name(struct trace *t, const struct location_name *n)
{
	t->locations[n->location].symbol = n->name;
	VEC_PUSH(t->location_names, t->n_location_names, t->cap_location_names) = *n;
}

const struct module *trace_module_at(const struct trace *t, uint32_t process, uint32_t epoch,
				     uint64_t addr)
{
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];
		size_t lo;

		if (m->process != process || epoch < m->epoch_lo ||
		    (m->epoch_hi && epoch >= m->epoch_hi))
			continue;
		lo = BISECT(k, 0, m->n_ranges, m->ranges[k].hi <= addr);
		if (lo < m->n_ranges && m->ranges[lo].lo <= addr)
			return m;
	}
	return NULL;
}

void trace_set(struct trace *t, const char *key, const char *value)
{
	struct trace_index *x = t->index;
	const char *copy = arena_strndup(&x->arena, value, strlen(value));

	for (size_t i = 0; i < t->n_attributes; i++)
		if (!strcmp(t->attributes[i].key, key)) {
			t->attributes[i].value = copy;
			return;
		}
	VEC_PUSH(t->attributes, t->n_attributes, t->cap_attributes) =
	    (struct trace_attribute){arena_strndup(&x->arena, key, strlen(key)), copy};
}

const char *trace_get(const struct trace *t, const char *key)
{
	for (size_t i = 0; i < t->n_attributes; i++)
		if (!strcmp(t->attributes[i].key, key))
			return t->attributes[i].value;
	return NULL;
}

static const char *const blocks_words[] = {
    [TRACE_BLOCKS_PLACED] = "blocks",
    [TRACE_BLOCKS_NUMBERED] = "numbered blocks",
    [TRACE_BLOCKS_SUMMED] = "sums of blocks",
};

void trace_set_date(struct trace *t, int64_t ns)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, ns);
	trace_set(t, TRACE_DATE, text);
}

void trace_set_blocks(struct trace *t, enum trace_blocks are)
{
	trace_set(t, TRACE_BLOCKS, blocks_words[are]);
}

enum trace_blocks trace_blocks(const struct trace *t)
{
	const char *s = trace_get(t, TRACE_BLOCKS);
	unsigned are = TRACE_BLOCKS_SUMMED;

	while (s && are && strcmp(s, blocks_words[are]) != 0)
		are--;
	return s ? are : TRACE_BLOCKS_PLACED;
}

bool trace_frees_are_of_kinds(const struct trace *t)
{
	const char *s = trace_get(t, TRACE_FREES);

	return s && !strcmp(s, TRACE_FREES_OF_KINDS);
}

const char *trace_period_unit(const struct trace *t, uint32_t marker, size_t *n)
{
	const char *s = trace_text(t, marker < t->n_markers ? t->markers[marker].category : 0);
	const char *unit = strrchr(s, '('), *end = s + strlen(s);

	*n = unit && end[-1] == ')' ? (size_t)(end - unit) - 2 : 0;
	return *n ? unit + 1 : "";
}

uint32_t trace_period_marker(struct trace *t, uint32_t name, const char *what, const char *unit)
{
	char category[64];

	snprintf(category, sizeof category, *unit ? "%s (%.40s)" : "%s", what, unit);
	return trace_marker(t, &(struct marker){name, trace_strz(t, category)});
}

const char *trace_samples_in(const struct trace *t)
{
	return trace_samples_unit(trace_get(t, TRACE_SAMPLING));
}

void trace_recorded(const struct trace *t, struct buf *to)
{
	static const struct {
		const char *key, *before, *behind;
	} ways[] = {
	    {TRACE_SAMPLING, "", ""},
	    {TRACE_SAMPLE_INTERVAL, "sampled every ", " bytes"},
	    {"heap.sample_bytes", "sampled every ", " bytes"},
	    {TRACE_LEAST, "blocks of ", " bytes and more"},
	    {TRACE_FILTERED, "filtered by ", ""},
	};
	size_t begin = to->len;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		const char *s = trace_get(t, ways[i].key);

		if (s && *s)
			buf_addf(to, "%s%s%s%s", to->len > begin ? ", " : "", ways[i].before, s,
				 ways[i].behind);
	}
}

double trace_sampled_every(const char *recorded)
{
	static const char before[] = "sampled every ";
	const char *s = recorded ? strstr(recorded, before) : NULL;

	return s ? strtod(s + sizeof before - 1, NULL) : 0;
}

/* A program with its arguments. */
static const char *model_command(const struct trace *t)
{
	static const char *const keys[] = {"heaptrack.command", "callgrind.command",
					   "massif.command"};
	const char *s = NULL;

	for (size_t i = 0; i < sizeof keys / sizeof *keys && !s; i++)
		s = trace_get(t, keys[i]);
	return s;
}

bool trace_arguments(const struct trace *t, char to[17])
{
	const char *s = trace_get(t, "capture.arguments"), *end;

	if (s && strlen(s) == 16) {
		memcpy(to, s, 17);
		return true;
	}
	s = s ? NULL : model_command(t);
	if (!s)
		return false;
	s += strspn(s, " ");
	s += strcspn(s, " ");
	s += strspn(s, " ");
	for (end = s + strlen(s); end > s && end[-1] == ' ';)
		end--;
	snprintf(to, 17, "%016" PRIx64, hash_bytes(s, (size_t)(end - s)));
	return true;
}

uint64_t trace_run(const struct trace *t)
{
	const char *s = trace_get(t, "capture.run");

	return s ? hash_bytes(s, strlen(s)) | 1 : 0;
}

const char *trace_program(const struct trace *t, size_t *n)
{
	const char *s = trace_get(t, "capture.program"), *base;

	s = s ? s : model_command(t);
	if (!s)
		return NULL;
	s += strspn(s, " ");
	*n = strcspn(s, " ");
	base = memrchr(s, '/', *n);
	if (base) {
		*n -= (size_t)(base + 1 - s);
		s = base + 1;
	}
	return *n ? s : NULL;
}

const char *trace_samples_unit(const char *sampling)
{
	size_t n = strlen(TRACE_SAMPLES_IN);

	return sampling && !strncmp(sampling, TRACE_SAMPLES_IN, n) ? sampling + n : "";
}

void trace_samples_are_millionths(struct trace *t)
{
	trace_set(t, TRACE_SAMPLING, TRACE_SAMPLES_IN "millionths");
	trace_note(
	    t, NOTE_GUESS, 0,
	    "numbers have decimals, and are shown as whole ones: %d stands for 1 of the file",
	    TRACE_MILLION);
}

enum status trace_samples_agree(const char *in, const char *before, struct err *e)
{
	if (!strcmp(in, before))
		return ST_OK;
	return err_set(e, ST_UNSUPPORTED,
		       "its samples are counted in %s, those before in %s: they are not comparable",
		       *in ? in : "ones", *before ? before : "ones");
}

enum status trace_clocks_agree(const char *clock, const char *before, struct err *e)
{
	if (!clock || !before || !*clock || !*before || !strcmp(clock, before))
		return ST_OK;
	return err_set(e, ST_UNSUPPORTED,
		       "its times are of %s, those before of %s: they do not add up, and are not "
		       "comparable",
		       clock, before);
}

void trace_metric(struct trace *t, enum metric m, enum metric_state state, enum metric_key key)
{
	t->metrics[m].state = (uint8_t)state;
	t->metrics[m].key = (uint8_t)key;
}

static uint64_t note_key(const char *text, unsigned severity)
{
	return hash_bytes(text, strlen(text)) ^ severity;
}

void trace_note_status(const char *text, size_t n, unsigned *status)
{
	static const char begin[] = TRACE_NOTE_ENDED;
	size_t k = sizeof begin - 1;
	uint64_t v;

	if (n > k && !memcmp(text, begin, k) && num_dec(text + k, n - k, &v) && v < 256)
		*status = (unsigned)v;
}

void trace_set_notes(struct trace *t, const struct trace_note *notes, size_t n)
{
	struct trace_index *x = t->index;

	map64_release(&x->notes);
	t->n_notes = 0;
	for (size_t i = 0; i < n; i++) {
		VEC_PUSH(t->notes, t->n_notes, t->cap_notes) = notes[i];
		*map64_put(&x->notes, note_key(notes[i].text, notes[i].severity)) =
		    (uint32_t)t->n_notes;
	}
}

void trace_note(struct trace *t, enum severity severity, uint64_t count, const char *fmt, ...)
{
	static const char further[] = "more different notes were left out";
	struct trace_index *x = t->index;
	char text[1024];
	va_list ap;
	uint64_t key;
	uint32_t found;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	key = note_key(text, severity);
	found = map64_get(&x->notes, key);
	if (found) {
		t->notes[found - 1].count += count;
		return;
	}
	if (t->n_notes >= TRACE_NOTES && strcmp(text, further)) {
		trace_note(t, severity, 1, "%s", further);
		return;
	}
	VEC_PUSH(t->notes, t->n_notes, t->cap_notes) =
	    (struct trace_note){.severity = (uint8_t)severity,
				.count = count,
				.text = arena_strndup(&x->arena, text, strlen(text))};
	*map64_put(&x->notes, key) = (uint32_t)t->n_notes;
}

/* Names of enumerations; "?" for what a later version may add. */
#define NAME(table, i) ((i) < sizeof(table) / sizeof *(table) ? (table)[i] : "?")

const char *space_name(unsigned space)
{
	static const char *const names[] = {"runtime",         "file-offset", "vaddr",
					    "offset-or-vaddr", "name",        "unknown"};

	return NAME(names, space);
}

const char *location_kind_name(unsigned kind)
{
	static const char *const names[] = {"unstated", "return", "exact", "entry"};

	return NAME(names, kind);
}

const char *metric_name(unsigned metric)
{
	static const char *const names[] = {"count", "requested", "real", "live", "time", "net"};

	return NAME(names, metric);
}

const char *metric_state_name(unsigned state)
{
	static const char *const names[] = {"absent", "exact", "lower-bound", "estimated"};

	return NAME(names, state);
}

const char *severity_name(unsigned severity)
{
	static const char *const names[] = {"info", "guess", "loss"};

	return NAME(names, severity);
}
