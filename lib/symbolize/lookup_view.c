/* SPDX-License-Identifier: MIT
 *
 * Answers as views into the engine's store, or the mapped index: nothing is copied until it is
 * printed. The symbol table is read only here, and only where DWARF has no name or a poor one.
 */
#include "lib/base/mem.h"
#include "lib/symbolize/lookup.h"
#include "lib/trace/model.h"

#include <stdlib.h>
#include <string.h>

static const struct dwarf_answers *answers_of(const struct lookup *l, const struct lookup_query *q)
{
	return q->file && q->file->index < l->n_answers ? &l->answers[q->file->index] : NULL;
}

/* What is longer than a trace may have is shown as a trace has it. */
static void cut(struct lookup *l, const char **s, uint32_t *n)
{
	uint32_t id;
	size_t length;
	bool was;

	if (l->options.whole)
		return;
	pthread_mutex_lock(&l->cut_lock);
	id = intern_add_cut(&l->cut, *s, *n, TRACE_STRING_MAX, &was);
	*s = intern_text(&l->cut, id, &length);
	*n = (uint32_t)length;
	pthread_mutex_unlock(&l->cut_lock);
}

static void take_symbol(const struct object_symbol *sym, struct lookup_call *c)
{
	if (!sym)
		return;
	c->name = sym->name;
	c->n_name = (uint32_t)strlen(sym->name);
}

/* Brings the nodes of all chains near: the next of every chain before the second of any. */
static void lookup_view_fetch_nodes(const struct lookup *l, const struct lookup_query *queries,
				    size_t n)
{
	struct {
		const struct dwarf_answers *of;
		const struct dwarf_call *c;
		uint32_t id;
	} ends[LOOKUP_VIEWS];
	size_t live = 0;

	for (size_t i = 0; i < n && live < LOOKUP_VIEWS; i++) {
		const struct dwarf_answers *a = answers_of(l, &queries[i]);
		uint32_t id = queries[i].named.call;

		ends[live].of = a;
		ends[live].id = id;
		ends[live].c = a && id ? dwarf_call_at(a, id) : NULL;
		__builtin_prefetch(ends[live].c);
		live += ends[live].c != NULL;
	}
	while (live) {
		size_t next = 0;

		for (size_t i = 0; i < live; i++) {
			uint32_t id = dwarf_outer(ends[i].c, ends[i].id);

			if (!id)
				continue;
			ends[next].of = ends[i].of;
			ends[next].id = id;
			ends[next].c = dwarf_call_at(ends[i].of, id);
			__builtin_prefetch(ends[next].c);
			next += ends[next].c != NULL;
		}
		live = next;
	}
}

static void fetch_text(const struct dwarf_answers *a, uint32_t id)
{
	if (id & STORE_BIT)
		__builtin_prefetch(store_text_row(&a->store, id));
}

/* Puts down the chain of a query, and fetches where its texts are. */
static void list_chain(const struct dwarf_answers *a, uint32_t id, struct lookup_views *v)
{
	const struct dwarf_call *c = a ? dwarf_call_at(a, id) : NULL;

	while (c) {
		uint32_t outer = dwarf_outer(c, id);

		fetch_text(a, c->function);
		fetch_text(a, c->file);
		VEC_PUSH(v->nodes, v->n, v->cap_nodes) = c;
		c = dwarf_call_at(a, outer);
		id = outer;
	}
}

/* Fills in a call, and fetches its texts. */
static inline void fill_call(const struct dwarf_answers *a, const struct dwarf_call *from,
			     bool inlined, struct lookup_call *c)
{
	size_t n_name, n_file;
	const char *name = dwarf_text(a, from->function, &n_name);
	const char *file = dwarf_text(a, from->file, &n_file);

	__builtin_prefetch(name);
	__builtin_prefetch(name + (n_name > 64 ? 64 : 0));
	__builtin_prefetch(file);
	*c = (struct lookup_call){
	    .name = name,
	    .file = file,
	    .n_name = (uint32_t)n_name,
	    .n_file = (uint32_t)n_file,
	    .line = from->line,
	    .column = from->column,
	    .discriminator = dwarf_extra_of(a, from).discriminator,
	    .inlined = inlined,
	};
}

/* What the symbol table has to say of the answer [first, v->n). */
static void name_by_symbol(struct lookup *l, const struct lookup_query *q, struct lookup_call *c,
			   size_t n)
{
	struct lookup_call *last = &c[n - 1];
	struct object *o = q->file->object;

	if (q->named.reason == DWARF_FUNCTION || n > 1) {
		if (last->n_name && !l->options.dwarf_names &&
		    !calls_is_mangled(last->name, last->n_name))
			take_symbol(calls_symbol(o, q->addr, last->name, last->n_name), last);
	}
	/* what has no DIE: thunks, assembler, files without DWARF */
	if (q->named.reason != DWARF_FUNCTION && o)
		take_symbol(object_symbol_at(o, q->addr), &c[0]);
	for (size_t i = 0; i < n; i++) {
		if (c[i].n_name > TRACE_STRING_MAX)
			cut(l, &c[i].name, &c[i].n_name);
		if (c[i].n_file > TRACE_STRING_MAX)
			cut(l, &c[i].file, &c[i].n_file);
	}
}

void lookup_view(struct lookup *l, const struct lookup_query *queries, size_t n,
		 struct lookup_views *v)
{
	lookup_view_fetch_nodes(l, queries, n);
	if (n >= v->cap_first)
		v->first = mem_grow(v->first, &v->cap_first, n + 1, sizeof *v->first);
	v->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct lookup_query *q = &queries[i];

		v->first[i] = (uint32_t)v->n;
		list_chain(answers_of(l, q), q->named.call, v);
		/* a call of its symbol's alone */
		if (v->first[i] == v->n && q->named.reason != DWARF_FUNCTION && q->file &&
		    q->file->object && object_symbol_at(q->file->object, q->addr))
			VEC_PUSH(v->nodes, v->n, v->cap_nodes) = NULL;
	}
	v->first[n] = (uint32_t)v->n;
	if (v->n > v->cap)
		v->calls = mem_grow(v->calls, &v->cap, v->n, sizeof *v->calls);
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_answers *a = answers_of(l, &queries[i]);
		uint32_t end = v->first[i + 1];

		for (uint32_t k = v->first[i]; k < end; k++) {
			if (v->nodes[k])
				fill_call(a, v->nodes[k], k + 1 < end, &v->calls[k]);
			else
				v->calls[k] = (struct lookup_call){.name = "", .file = ""};
		}
	}
	for (size_t i = 0; i < n; i++)
		if (v->first[i] < v->first[i + 1])
			name_by_symbol(l, &queries[i], v->calls + v->first[i],
				       v->first[i + 1] - v->first[i]);
}

void lookup_views_release(struct lookup_views *v)
{
	free(v->calls);
	free(v->first);
	free(v->nodes);
	*v = (struct lookup_views){.n = 0};
}

enum status lookup_intact(const struct lookup *l, struct err *e)
{
	for (size_t f = 0; f < l->n_files; f++)
		if (l->files[f]->object && object_intact(l->files[f]->object, e))
			return ST_BAD;
	return cache_intact(&l->cache, e);
}
