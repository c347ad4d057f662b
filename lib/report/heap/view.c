/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const heap_sort_words[] = {"auto", "size", "count", "retained", NULL};

enum { RANKED_AT_ONCE = 1 << 16 }; /* at least */

static void choose_sort(struct heap_view *v)
{
	v->sort = v->options.sort;
	if (v->sort == HEAP_SORT_RETAINED && !v->retained)
		v->sort = HEAP_SORT_AUTO;
	if (v->sort == HEAP_SORT_AUTO || (v->sort == HEAP_SORT_SIZE && !v->sizes))
		v->sort = v->sizes ? HEAP_SORT_SIZE : HEAP_SORT_COUNT;
}

struct heap_view *heap_view_new(const struct heap_set *s, const struct heap_part *parts,
				size_t n_parts, const struct heap_view_options *o)
{
	struct heap_view *v = mem_zalloc(sizeof *v);

	v->s = s;
	v->parts = parts;
	v->n_parts = n_parts;
	v->options = *o;
	v->retained = true;
	for (size_t i = 0; i < n_parts; i++) {
		v->sizes |= parts[i].h->has_sizes;
		v->retained &= parts[i].dominators.idom && heap_knows_holders(parts[i].h);
	}
	choose_sort(v);
	v->table.columns = v->columns;
	v->table.arg = v;
	v->table.notes = v->notes;
	return v;
}

void heap_view_free(struct heap_view *v)
{
	if (!v)
		return;
	heap_groups_release(&v->groups[0]);
	heap_groups_release(&v->groups[1]);
	arena_release(&v->arena);
	buf_release(&v->text);
	buf_release(&v->path);
	buf_release(&v->through);
	for (size_t i = 0; v->held && i < v->n_parts; i++)
		heap_held_release(&v->held[i]);
	free(v->held);
	free(v->rows);
	free(v->own);
	free(v);
}

void heap_view_hold(struct heap_view *v)
{
	v->held = mem_zarray(v->n_parts + 1, sizeof *v->held);
	for (size_t i = 0; i < v->n_parts; i++)
		if (v->parts[i].dominators.idom)
			heap_held_init(&v->held[i], &v->parts[i].dominators, v->parts[i].h);
}

void heap_retained_known(struct heap_view *v)
{
	if (!v->groups[0].unknown_retained && !v->groups[1].unknown_retained)
		return;
	v->retained = false;
	choose_sort(v);
	heap_note(v, "too many %s hold each other: retained sizes are not known",
		  heap_key_plurals[v->options.by]);
}

const struct table *heap_view_table(const struct heap_view *v)
{
	return &v->table;
}

void heap_column(struct heap_view *v, uint8_t what, struct table_column c)
{
	v->whats[v->table.n_columns] = what;
	v->columns[v->table.n_columns++] = c;
}

static const char *format(struct heap_view *v, const char *fmt, va_list ap)
{
	char text[512];
	int n = vsnprintf(text, sizeof text, fmt, ap);

	return arena_strndup(&v->arena, text, (size_t)n < sizeof text ? (size_t)n : 511);
}

void heap_note(struct heap_view *v, const char *fmt, ...)
{
	va_list ap;

	if (v->table.n_notes == HEAP_LINES_MAX)
		return;
	va_start(ap, fmt);
	v->notes[v->table.n_notes++] = format(v, fmt, ap);
	va_end(ap);
}

void heap_title(struct heap_view *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	v->table.title = format(v, fmt, ap);
	v->table.empty = "none: no object matches, or the filters leave none";
	va_end(ap);
}

static void joined_note(struct heap_view *v, const struct heap *h)
{
	if (h->numbered)
		heap_note(
		    v, "%s: C# objects that userdata hold by their number in xLua's pool: %" PRIu64,
		    h->label, h->numbered);
	v->text.len = 0;
	size_text(&v->text, h->outside_bytes);
	heap_note(v,
		  "%s: allocated by known stacks: %" PRIu64
		  " objects; native blocks that objects hold: %" PRIu64
		  ", %s; found by address, a guess, and what native code holds itself is not seen",
		  h->label, h->placed, h->outside, buf_str(&v->text));
}

void heap_notes(struct heap_view *v)
{
	for (size_t i = 0; i < v->n_parts; i++) {
		const struct heap_part *p = &v->parts[i];
		const struct heap *h = p->h;
		uint64_t unsized = 0, lost = 0, lost_bytes = 0;

		for (uint32_t k = 1; k <= h->n; k++) {
			if (!heap_counts(p, k))
				continue;
			unsized += !(h->flags[k] & HEAP_SIZED);
			if (!p->paths.distance[k]) {
				lost++;
				lost_bytes = heap_size(h, k) > UINT64_MAX - lost_bytes
						 ? UINT64_MAX
						 : lost_bytes + heap_size(h, k);
			}
		}
		if (h->joined)
			joined_note(v, h);
		if (!h->n_references)
			heap_note(v,
				  "%s: no references in the snapshot: roots and retained sizes are "
				  "not known",
				  h->label);
		else if (lost && h->has_sizes) {
			v->text.len = 0;
			size_text(&v->text, lost_bytes);
			heap_note(v, "%s: no root reaches %" PRIu64 " of them, %s", h->label, lost,
				  buf_str(&v->text));
		} else if (lost) {
			heap_note(v, "%s: no root reaches %" PRIu64 " of them", h->label, lost);
		}
		if (h->n_references && !heap_knows_holders(h))
			heap_note(v,
				  "%s: paths, but no references between objects: retained sizes "
				  "are not known",
				  h->label);
		if (!h->has_sizes)
			heap_note(v, "%s: no sizes in the snapshot", h->label);
		else if (unsized)
			heap_note(v,
				  "%s: %" PRIu64 " object%s without a size: sizes are lower bounds",
				  h->label, unsized, plural_s(unsized));
		else if (h->size_state == METRIC_LOWER_BOUND)
			heap_note(v, "%s: sizes are lower bounds", h->label);
		else if (h->size_state == METRIC_ESTIMATED)
			heap_note(v, "%s: sizes are estimated", h->label);
	}
}

static void rank_sort(struct heap_ranking *r)
{
	sort_radix(r->items, r->n);
	if (r->most && r->n > r->most) {
		r->n = r->most;
		r->limit = r->items[r->n - 1].key;
	}
}

void heap_rank(struct heap_ranking *r, uint64_t key, uint32_t index)
{
	r->all++;
	if (r->most && ~key >= r->limit && r->n >= r->most)
		return;
	if (r->most && r->n / 2 >= r->most && r->n >= RANKED_AT_ONCE) {
		rank_sort(r);
		if (~key >= r->limit)
			return;
	}
	VEC_PUSH(r->items, r->n, r->cap) = (struct sort_item){~key, index};
}

void heap_ranked(struct heap_ranking *r)
{
	rank_sort(r);
}

void heap_ranking_release(struct heap_ranking *r)
{
	free(r->items);
	*r = (struct heap_ranking){.n = 0};
}

size_t heap_best(uint32_t *indexes, const uint64_t *keys, size_t n_all, size_t n)
{
	struct sort_item *items = mem_array(n_all ? n_all : 1, sizeof *items);

	for (size_t i = 0; i < n_all; i++)
		items[i] = (struct sort_item){~keys[i], indexes[i]};
	sort_radix(items, n_all);
	if (!n || n > n_all)
		n = n_all;
	for (size_t i = 0; i < n; i++)
		indexes[i] = items[i].index;
	free(items);
	return n;
}
