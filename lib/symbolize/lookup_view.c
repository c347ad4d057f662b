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
	return q->file && q->file->part ? &l->parts[q->file->part - 1].answers : NULL;
}

static void set_symbol(const struct object_symbol *sym, struct lookup_call *c)
{
	if (!sym)
		return;
	c->name = sym->name;
	c->n_name = (uint32_t)strlen(sym->name);
}

/* A call of a chain. */
struct lookup_node {
	struct dwarf_call call;
	uint32_t outer; /* index of the next one */
};

enum { NO_NODE = UINT32_MAX };

static inline void fetch_text(const struct dwarf_answers *a, uint32_t id)
{
	if (id & STORE_BIT)
		__builtin_prefetch(store_text_row(&a->store, id));
}

/* False: there is no such call. */
static inline bool fetch_call(const struct dwarf_answers *a, uint32_t id)
{
	if (id & STORE_BIT)
		__builtin_prefetch(store_node_at(&a->store, id));
	return id & STORE_BIT ? (id & ~STORE_BIT) < a->store.n_calls : id && id < a->n_calls;
}

/* Lists the nodes of all chains, each as heads has its first, and fetches where their texts are.
 * They are brought near: the next of every chain before the second of any. */
static void lookup_view_list(const struct lookup *l, const struct lookup_query *queries, size_t n,
			     struct lookup_views *v, uint32_t *heads)
{
	struct {
		const struct dwarf_answers *of;
		uint32_t id, before, query;
	} ends[LOOKUP_VIEWS];
	size_t live = 0, listed = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct dwarf_answers *a = answers_of(l, &queries[i]);
		uint32_t id = queries[i].named.call;

		heads[i] = NO_NODE;
		ends[live].of = a;
		ends[live].id = id;
		ends[live].before = NO_NODE;
		ends[live].query = i;
		live += a && fetch_call(a, id);
	}
	while (live) {
		size_t next = 0;

		if (listed + live > v->cap_nodes)
			v->nodes =
			    mem_grow(v->nodes, &v->cap_nodes, listed + live, sizeof *v->nodes);
		for (size_t i = 0; i < live; i++) {
			const struct dwarf_answers *a = ends[i].of;
			uint32_t node = (uint32_t)listed++, id;
			struct dwarf_call *c = &v->nodes[node].call;

			dwarf_call_at(a, ends[i].id, c);
			id = dwarf_outer(c, ends[i].id);
			fetch_text(a, c->function);
			fetch_text(a, c->file);
			v->nodes[node].outer = NO_NODE;
			if (ends[i].before == NO_NODE)
				heads[ends[i].query] = node;
			else
				v->nodes[ends[i].before].outer = node;
			ends[next].of = a;
			ends[next].id = id;
			ends[next].before = node;
			ends[next].query = ends[i].query;
			next += fetch_call(a, id);
		}
		live = next;
	}
	v->n = listed;
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

/* What the symbol table has to say of an answer's n calls. */
static void name_by_symbol(const struct lookup *l, const struct lookup_query *q,
			   struct lookup_call *c, size_t n)
{
	struct lookup_call *last = &c[n - 1];
	struct object *o = q->file->object;
	const struct object_symbol *sym;

	if (q->named.found == DWARF_FUNCTION || n > 1) {
		if (last->n_name && !l->options.dwarf_names &&
		    !calls_is_mangled(last->name, last->n_name))
			set_symbol(calls_symbol(o, q->addr, last->name, last->n_name), last);
	}
	if (q->named.found == DWARF_FUNCTION || !o)
		return;
	/* what has no DIE: thunks, assembler, files without DWARF */
	sym = calls_symbol_alone(o, q->addr, l->options.plt_names);
	set_symbol(sym, &c[0]);
	if (sym)
		c[0].by = LOOKUP_NAME_BY_SYMBOL | (sym->sized ? 0 : LOOKUP_NAME_BY_UNSIZED);
}

/* A call of its symbol's alone, if that is all that is known. */
static bool by_symbol_alone(const struct lookup *l, const struct lookup_query *q)
{
	return q->named.found != DWARF_FUNCTION && q->file && q->file->object &&
	       calls_symbol_alone(q->file->object, q->addr, l->options.plt_names);
}

/* A call that was made of an answer. */
static struct lookup_call lookup_made_call(const struct lookup *l, const struct lookup_query *q,
					   uint32_t id)
{
	const struct trace_symbols *y = &l->symbols;
	const struct symbol_call *from = &y->calls[id];
	struct lookup_call c = {.line = from->line,
				.column = from->column,
				.discriminator = lookup_extra(l, id)->discriminator,
				.inlined = from->outer != 0,
				.id = id};
	uint32_t name = 0;
	size_t n;

	if (from->function)
		name = l->options.demangle ? y->functions[from->function].display
					   : y->functions[from->function].raw;
	c.name = intern_text(&y->strings, name, &n);
	c.n_name = (uint32_t)n;
	c.file = intern_text(&y->strings, from->file, &n);
	c.n_file = (uint32_t)n;
	if (id == q->named.call && q->named.flags & BINDING_FROM_SYMTAB)
		c.by = LOOKUP_NAME_BY_SYMBOL |
		       (q->named.flags & BINDING_UNSIZED ? LOOKUP_NAME_BY_UNSIZED : 0);
	return c;
}

static void view_made(const struct lookup *l, const struct lookup_query *queries, size_t n,
		      struct lookup_views *v)
{
	if (n >= v->cap_first)
		v->first = mem_grow(v->first, &v->cap_first, n + 1, sizeof *v->first);
	v->n = 0;
	for (size_t i = 0; i < n; i++) {
		v->first[i] = (uint32_t)v->n;
		for (uint32_t id = queries[i].named.call; id; id = l->symbols.calls[id].outer) {
			struct lookup_call c = lookup_made_call(l, &queries[i], id);

			VEC_PUSH(v->calls, v->n, v->cap) = c;
		}
	}
	v->first[n] = (uint32_t)v->n;
}

void lookup_view(const struct lookup *l, const struct lookup_query *queries, size_t n,
		 struct lookup_views *v)
{
	uint32_t heads[LOOKUP_VIEWS], k = 0;

	if (!l->viewing) {
		view_made(l, queries, n, v);
		return;
	}
	lookup_view_list(l, queries, n, v, heads);
	if (n >= v->cap_first)
		v->first = mem_grow(v->first, &v->cap_first, n + 1, sizeof *v->first);
	if (v->n + n > v->cap)
		v->calls = mem_grow(v->calls, &v->cap, v->n + n, sizeof *v->calls);
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_answers *a = answers_of(l, &queries[i]);

		v->first[i] = k;
		for (uint32_t at = heads[i]; at != NO_NODE; at = v->nodes[at].outer)
			fill_call(a, &v->nodes[at].call, v->nodes[at].outer != NO_NODE,
				  &v->calls[k++]);
		if (v->first[i] == k && by_symbol_alone(l, &queries[i]))
			v->calls[k++] = (struct lookup_call){.name = "", .file = ""};
	}
	v->n = v->first[n] = k;
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
