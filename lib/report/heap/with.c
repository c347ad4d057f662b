/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/with.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/report/heap/build.h"
#include "lib/trace/encode.h"

#include <stdlib.h>
#include <string.h>

/* Dates are of the same clock, which may be set slower or faster by a thousandth while a capture lasts. */
enum { SLACK_NS = 1000000, SLACK_SHARE = 1000 };

struct heap_live {
	uint64_t address, size;
	uint32_t stack, type; /* type: a text */
	uint8_t domain;
	bool live;
};

struct heap_moment {
	int64_t time; /* of the capture */
	size_t build;
};

static int moment_order(const void *pa, const void *pb)
{
	const struct heap_moment *a = pa, *b = pb;

	return a->time < b->time ? -1 : a->time > b->time;
}

static int live_order(const void *pa, const void *pb)
{
	const struct heap_live *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool number_of(const struct trace *t, const char *key, uint64_t *v)
{
	const char *s = trace_get(t, key);

	return s && num_dec(s, strlen(s), v);
}

/* When, in the capture's time, the snapshots were made that it belongs to. */
static void find_moments(struct heap_with *w, const struct trace *t)
{
	uint64_t date = 0;

	w->n_moments = w->next = 0;
	w->moments = mem_realloc(w->moments, w->set->n_builds + 1, sizeof *w->moments);
	for (size_t i = 0; i < w->set->n_builds; i++) {
		uint64_t snapshot = w->set->builds[i]->date;
		int64_t at = INT64_MAX;

		if (!number_of(t, TRACE_DATE, &date) || !snapshot) {
			w->undated = true;
		} else {
			at = (int64_t)(snapshot - date);
			if (at < -SLACK_NS)
				continue;
		}
		w->moments[w->n_moments++] = (struct heap_moment){at, i};
	}
	sort_array(w->moments, w->n_moments, sizeof *w->moments, moment_order);
}

/* Its strings have numbers of their own. */
static void forget_texts(struct heap_with *w)
{
	for (size_t i = 0; i < w->n_moments; i++) {
		struct heap_build *b = w->set->builds[w->moments[i].build];

		free(b->texts);
		b->texts = NULL;
		b->cap_texts = 0;
	}
}

static enum status heap_with_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct heap_with *w = (struct heap_with *)sink;

	(void)e;
	names_capture(&w->set->locations, t);
	map64_release(&w->index);
	w->index = (struct map64)MAP64_INIT;
	w->n = 0;
	w->last = 0;
	find_moments(w, t);
	forget_texts(w);
	return ST_OK;
}

/* The live blocks of Lua's domain, or those of all native ones, by address. */
static struct heap_live *blocks_of(const struct heap_with *w, bool lua, size_t *n)
{
	struct heap_live *all = mem_array(w->n + 1, sizeof *all);

	*n = 0;
	for (size_t i = 0; i < w->n; i++)
		if (w->live[i].live && (w->live[i].domain == DOMAIN_LUA) == lua &&
		    w->live[i].domain != DOMAIN_MONO)
			all[(*n)++] = w->live[i];
	sort_array(all, *n, sizeof *all, live_order);
	return all;
}

/* The block that has the address; NULL: none. */
static const struct heap_live *block_at(const struct heap_live *all, size_t n, uint64_t address)
{
	size_t i = BISECT(k, 0, n, all[k].address <= address);

	return i && address - all[i - 1].address < all[i - 1].size ? &all[i - 1] : NULL;
}

static void place_objects(struct heap_with *w, const struct trace *t, struct heap_build *b,
			  const struct heap_live *lua, size_t n)
{
	for (uint32_t i = 1; n && i <= b->heap.n; i++) {
		const struct heap_live *block;

		if (!(b->heap.flags[i] & HEAP_LISTED) || b->ids[i] & 1)
			continue;
		block = block_at(lua, n, b->ids[i]);
		if (!block || !block->stack)
			continue;
		heap_build_site(w->set, b, t, i, block->stack);
		b->heap.placed++;
	}
}

/* The native block becomes an object. */
static uint32_t outside_object(struct heap_with *w, const struct trace *t, struct heap_build *b,
			       const struct heap_live *block)
{
	uint32_t i = heap_build_object(b, block->address);

	if (!i || b->heap.flags[i] & HEAP_LISTED)
		return i;
	b->heap.flags[i] |= HEAP_LISTED | HEAP_SIZED;
	b->heap.has_sizes = true;
	b->heap.n_listed++;
	b->sizes[i] = block->size;
	b->types[i] = block->type ? block->type : intern_add(&w->set->texts, "native block", 12);
	if (block->stack)
		heap_build_site(w->set, b, t, i, block->stack);
	b->heap.outside++;
	b->heap.outside_bytes += block->size;
	return i;
}

/* What the Lua module calls the number that is a userdata's memory; its target is one more. */
static uint32_t number_text(struct heap_with *w)
{
	return intern_add(&w->set->texts, "[number]", 8);
}

/* Words come with what holds them before what they hold. One that has become a reference is not looked at again. */
static void hold_blocks(struct heap_with *w, const struct trace *t, struct heap_build *b,
			const struct heap_live *native, size_t n)
{
	uint32_t number = number_text(w);

	for (size_t k = 0; k < b->n_words; k++) {
		struct heap_word *word = &b->words[k];
		bool address = word->to && word->name != number;
		uint32_t from = address ? heap_build_find(b, word->from) : 0;
		uint32_t to = address ? heap_build_find(b, word->to) : 0;
		const struct heap_live *block = block_at(native, n, word->to), *holder;

		if (!from || !(b->heap.flags[from] & HEAP_LISTED))
			continue;
		holder = block_at(native, n, word->from);
		if (holder && holder->address == word->from && word->offset >= holder->size)
			continue; /* behind the block's end */
		if (block && block->address == word->to)
			to = outside_object(w, t, b, block);
		if (!to || to == from || !(b->heap.flags[to] & HEAP_LISTED))
			continue;
		heap_build_edge(b, from, to, word->name);
		word->to = 0;
	}
}

/* ---- C# objects that Lua knows by number ---- */

/* xLua keeps the C# objects that Lua holds in an array, ObjectPool.Slot[], and gives Lua their index. */
static bool is_pool(const struct heap_set *s, uint32_t type)
{
	static const char *const ends[] = {"ObjectPool.Slot[]", "ObjectPool/Slot[]",
					   "ObjectPool+Slot[]"};
	size_t n;
	const char *text = heap_text(s, type, &n);

	for (size_t i = 0; type && i < sizeof ends / sizeof *ends; i++)
		if (n >= strlen(ends[i]) && !strcmp(text + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* "[17].obj": 17 */
static bool index_of(const struct heap_set *s, uint32_t name, uint64_t *index)
{
	size_t n, digits = 0;
	const char *text = heap_text(s, name, &n);

	if (n < 3 || *text != '[')
		return false;
	while (digits + 1 < n && text[digits + 1] != ']')
		digits++;
	return digits + 1 < n && num_dec(text + 1, digits, index);
}

/* The pool's references become those of the userdata with the number: it holds on behalf of Lua. Where there are several
 * pools it is not known which one is meant. */
static void hold_numbered(struct heap_with *w, struct heap_build *b)
{
	uint32_t pool = 0, number = number_text(w);
	uint32_t csharp = intern_add(&w->set->texts, "[C# object]", 11);
	struct map64 edges = MAP64_INIT;
	uint64_t index;

	for (uint32_t i = 1; i <= b->heap.n; i++) {
		if (!is_pool(w->set, b->types[i]))
			continue;
		if (pool) {
			w->pools = true;
			return;
		}
		pool = i;
	}
	for (size_t i = 0; pool && i < b->n_edges; i++)
		if (b->edges[i].from == pool && index_of(w->set, b->edges[i].name, &index))
			*map64_put(&edges, index + 1) = (uint32_t)i + 1;
	for (size_t k = 0; pool && k < b->n_words; k++) {
		struct heap_word *word = &b->words[k];
		uint32_t from = word->name == number ? heap_build_find(b, word->from) : 0;
		uint32_t at = from ? map64_get(&edges, word->to) : 0;

		if (!at)
			continue;
		if (b->edges[at - 1].from == pool)
			b->edges[at - 1] = (struct heap_edge){from, b->edges[at - 1].to, csharp};
		else
			heap_build_edge(b, from, b->edges[at - 1].to, csharp);
		b->heap.numbered++;
		word->to = 0;
	}
	map64_release(&edges);
}

static void heap_with_join(struct heap_with *w, const struct trace *t, struct heap_build *b)
{
	size_t n;
	struct heap_live *blocks = blocks_of(w, true, &n);

	place_objects(w, t, b, blocks, n);
	free(blocks);
	blocks = blocks_of(w, false, &n);
	hold_numbered(w, b);
	hold_blocks(w, t, b, blocks, n);
	free(blocks);
	b->heap.joined = true;
	w->joined++;
}

static void heap_with_type(struct heap_with *w, const struct trace *t, const struct event *ev,
			   struct heap_live *block)
{
	size_t n;
	const char *s;

	if (!(ev->has & EV_HAS_TYPE) || ev->domain == DOMAIN_LUA)
		return;
	s = intern_text(&t->strings, t->types[ev->type], &n);
	block->type = n ? intern_add(&w->set->texts, s, n) : 0;
}

static enum status heap_with_event(struct sink *sink, struct trace *t, const struct event *ev,
				   struct err *e)
{
	struct heap_with *w = (struct heap_with *)sink;
	uint64_t key = ev->address << 3 | ev->domain;
	uint32_t *place;

	(void)e;
	if (ev->kind == EV_OBJECT || ev->kind == EV_REFERENCE)
		for (size_t i = w->next; i < w->n_moments; i++)
			heap_build_event(w->set, w->set->builds[w->moments[i].build], t, ev);
	if (w->next == w->n_moments || !(ev->has & EV_HAS_ADDRESS) ||
	    (ev->kind != EV_ALLOC && ev->kind != EV_FREE))
		return ST_OK;
	if (ev->has & EV_HAS_TIME && ev->time > w->last)
		w->last = ev->time;
	while (w->next < w->n_moments && ev->has & EV_HAS_TIME &&
	       ev->time > w->moments[w->next].time)
		heap_with_join(w, t, w->set->builds[w->moments[w->next++].build]);
	if (ev->kind == EV_FREE) {
		uint32_t at = map64_get(&w->index, key);

		if (at)
			w->live[at - 1].live = false;
		return ST_OK;
	}
	place = map64_put(&w->index, key);
	if (!*place) {
		VEC_PUSH(w->live, w->n, w->cap) = (struct heap_live){.live = false};
		*place = (uint32_t)w->n;
	}
	w->live[*place - 1] =
	    (struct heap_live){.address = ev->address,
			       .size = ev->has & EV_HAS_REQUESTED ? ev->requested : ev->real,
			       .stack = ev->has & EV_HAS_STACK ? ev->stack : 0,
			       .domain = ev->domain,
			       .live = true};
	heap_with_type(w, t, ev, &w->live[*place - 1]);
	return ST_OK;
}

static enum status heap_with_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				   struct err *e)
{
	return sink_each(s, t, b, e, heap_with_event);
}

static enum status heap_with_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct heap_with *w = (struct heap_with *)sink;
	uint64_t end = 0;
	bool known = number_of(t, TRACE_END, &end) && end < INT64_MAX / 2;
	int64_t last = known ? (int64_t)(end + end / SLACK_SHARE) + SLACK_NS : w->last + SLACK_NS;

	(void)e;
	for (; w->next < w->n_moments; w->next++) {
		struct heap_moment m = w->moments[w->next];

		/* The run ended before this snapshot was made. */
		if (m.time == INT64_MAX || m.time <= last)
			heap_with_join(w, t, w->set->builds[m.build]);
	}
	return ST_OK;
}

void heap_with_init(struct heap_with *w, struct heap_set *set)
{
	*w = (struct heap_with){
	    .sink = {.begin = heap_with_begin, .batch = heap_with_batch, .end = heap_with_end},
	    .set = set};
}

void heap_with_release(struct heap_with *w)
{
	map64_release(&w->index);
	free(w->live);
	free(w->moments);
	*w = (struct heap_with){.n = 0};
}
