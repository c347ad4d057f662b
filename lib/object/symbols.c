/* SPDX-License-Identifier: MIT
 *
 * The symbols that the row of an object's kind has read: sorted, with ends, and flattened so that the
 * innermost symbol at an address is one binary search.
 */
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"
#include "lib/object/format.h"

#include <stdlib.h>
#include <string.h>

/* A symbol without a size that starts in one with a size is a label of it, and ends with it. */
static void bound_guesses(struct object_symbol *all, size_t n)
{
	uint64_t reach = 0;

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && all[end].lo == all[first].lo; end++)
			if (all[end].sized && all[end].hi > reach)
				reach = all[end].hi;
		for (size_t i = first; i < end; i++)
			if (!all[i].sized && reach > all[i].lo && reach < all[i].hi)
				all[i].hi = reach;
	}
}

static void symtab_order(struct symtab *s, const uint8_t *ranks, const uint64_t *ends)
{
	struct sort_item *items = pages_array(s->n, sizeof *items);
	struct object_symbol *sorted = pages_array(s->n, sizeof *sorted);
	uint64_t next = UINT64_MAX;
	size_t n = 0;

	/* By rank first and stably by address after it: the order in which all of them are kept. */
	for (unsigned r = 0; r < SYMBOL_RANKS; r++) {
		for (size_t i = 0; i < s->n; i++) {
			if (ranks[i] == r)
				items[n++] = (struct sort_item){s->all[i].lo, (uint32_t)i};
		}
	}
	sort_radix(items, n);
	for (size_t i = n; i-- > 0;) {
		struct object_symbol *t = &sorted[i];

		*t = s->all[items[i].index];
		if (i + 1 < n && sorted[i + 1].lo != t->lo)
			next = sorted[i + 1].lo;
		if (!t->sized)
			t->hi = next < ends[items[i].index] ? next : ends[items[i].index];
	}
	bound_guesses(sorted, n);
	free(items);
	free(s->all);
	s->all = sorted;
}

static void emit(struct symtab *s, size_t *cap, uint64_t lo, uint32_t symbol)
{
	if (s->n_at && s->at[s->n_at - 1].lo == lo)
		s->n_at--;
	if (s->n_at && s->at[s->n_at - 1].symbol == symbol)
		return;
	VEC_PUSH(s->at, s->n_at, *cap) = (struct symbol_span){lo, symbol};
}

/* Closes the symbols of the stack that end at or before limit. */
static void close_until(struct symtab *s, size_t *cap, const uint32_t *stack, size_t *depth,
			uint64_t limit)
{
	while (*depth && s->all[stack[*depth - 1]].hi <= limit) {
		uint64_t hi = s->all[stack[*depth - 1]].hi;

		/* those below that ended earlier were hidden by this one */
		while (*depth && s->all[stack[*depth - 1]].hi <= hi)
			--*depth;
		emit(s, cap, hi, *depth ? stack[*depth - 1] : SYMBOL_NONE);
	}
}

static void index_spans(struct symtab *s)
{
	uint64_t reach = s->n_at ? s->at[s->n_at - 1].lo - s->at[0].lo : 0;

	if (!s->n_at)
		return;
	s->base = s->at[0].lo;
	while (reach >> s->shift > 2 * s->n_at)
		s->shift++;
	s->n_coarse = (size_t)(reach >> s->shift) + 2;
	s->coarse = mem_array(s->n_coarse, sizeof *s->coarse);
	for (size_t i = 0, at = 0; i < s->n_coarse; i++) {
		while (at < s->n_at && (s->at[at].lo - s->base) >> s->shift < i)
			at++;
		s->coarse[i] = (uint32_t)at;
	}
}

static void symtab_flatten(struct symtab *s)
{
	uint32_t *stack = mem_array(s->n, sizeof *stack);
	size_t depth = 0, cap = 0, cap_guesses = 0, first, end;

	for (first = 0; first < s->n; first = end) {
		for (end = first + 1; end < s->n && s->all[end].lo == s->all[first].lo;)
			end++;
		for (size_t i = first; i < end; i++) {
			/* behind the end of its section, the begin of another one may be */
			if (!s->all[i].sized && s->all[i].hi > s->all[i].lo)
				VEC_PUSH(s->guesses, s->n_guesses, cap_guesses) = (uint32_t)i;
		}
		close_until(s, &cap, stack, &depth, s->all[first].lo);
		for (size_t i = end; i-- > first;) { /* the best of one address ends on top */
			if (!s->all[i].sized)
				continue;
			stack[depth++] = (uint32_t)i;
			emit(s, &cap, s->all[i].lo, (uint32_t)i);
		}
	}
	close_until(s, &cap, stack, &depth, UINT64_MAX);
	free(stack);
	index_spans(s);
}

void symtab_leave_out(struct symtab *s, const struct object_image *f, const struct err *e)
{
	if (s->left_out++)
		return;
	s->why = *e;
	if (f)
		err_prefix(&s->why, "%s", f->path);
}

void symtab_finish(struct symtab *s, struct symtab_loading *l)
{
	if (l->ranks && l->ends) {
		symtab_order(s, l->ranks, l->ends);
		symtab_flatten(s);
	}
	free(l->ranks);
	free(l->ends);
	/* there was room for what is no code, too */
	if (s->n)
		s->all = mem_realloc(s->all, s->n, sizeof *s->all);
}

void symtab_load(struct symtab *s, struct object *o)
{
	s->own = true;
	o->file.format->symbols(s, o);
}

void symtab_load_own(struct symtab *s, struct object *o)
{
	if (o->file.format->own_symbols)
		o->file.format->own_symbols(s, o);
}

void symtab_load_any(struct symtab *s, struct object *o)
{
	if (o->file.format->any_symbols)
		o->file.format->any_symbols(s, o);
	else
		symtab_load(s, o);
}

uint64_t symtab_bytes(const struct symtab *s)
{
	uint64_t n = s->n * sizeof *s->all + s->n_at * sizeof *s->at +
		     s->n_coarse * sizeof *s->coarse + s->n_guesses * sizeof *s->guesses;

	for (size_t i = 0; i < SYMTAB_NAMES; i++)
		n += mem_budget_size(s->names[i]);
	return n;
}

void symtab_release(struct symtab *s)
{
	free(s->all);
	for (size_t i = 0; i < SYMTAB_NAMES; i++)
		mem_budget_free(s->names[i]);
	free(s->at);
	free(s->coarse);
	free(s->guesses);
	*s = (struct symtab){0};
}
