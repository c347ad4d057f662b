/* SPDX-License-Identifier: MIT
 *
 * Answers as views into the engine's store, or the mapped index: nothing is copied until it is
 * printed. The symbol table is asked only here, and only where DWARF has no name or a poor one.
 */
#include "lib/symbolize/lookup.h"
#include "lib/trace/model.h"

static const struct dwarf_answers *answers_of(const struct lookup *l, const struct lookup_query *q)
{
	return q->file && q->file->index < l->n_answers ? &l->answers[q->file->index] : NULL;
}

/* What is longer than a trace may have is shown as a trace has it. */
static void cut(struct lookup *l, const char **s, size_t *n)
{
	uint32_t id;
	bool was;

	if (*n <= TRACE_STRING_MAX || l->options.whole)
		return;
	pthread_mutex_lock(&l->cut_lock);
	id = intern_add_cut(&l->cut, *s, *n, TRACE_STRING_MAX, &was);
	*s = intern_text(&l->cut, id, n);
	pthread_mutex_unlock(&l->cut_lock);
}

static void take_symbol(const struct object_symbol *sym, struct lookup_call *c)
{
	if (!sym)
		return;
	c->name = sym->name;
	c->n_name = strlen(sym->name);
}

/* What the engine says of c->id. False: there is no such call. */
static bool take_call(struct lookup *l, const struct lookup_query *q, struct lookup_call *c)
{
	const struct dwarf_answers *a = answers_of(l, q);
	const struct dwarf_call *from = a ? dwarf_call_at(a, c->id) : NULL;

	if (!from)
		return false;
	c->name = dwarf_text(a, from->function, &c->n_name);
	c->file = dwarf_text(a, from->file, &c->n_file);
	c->line = from->line;
	c->column = from->column;
	c->discriminator = dwarf_extra_of(a, from).discriminator;
	c->inlined = dwarf_outer(from, c->id) && dwarf_call_at(a, from->outer);
	if (!c->inlined && c->n_name && !l->options.dwarf_names &&
	    !calls_is_mangled(c->name, c->n_name))
		take_symbol(calls_symbol(q->file->object, q->addr, c->name, c->n_name), c);
	return true;
}

bool lookup_first(struct lookup *l, const struct lookup_query *q, struct lookup_call *c)
{
	bool known;

	*c = (struct lookup_call){.name = "", .file = "", .id = q->named.call};
	known = take_call(l, q, c);
	/* what has no DIE: thunks, assembler, files without DWARF */
	if (q->named.reason != DWARF_FUNCTION && q->file && q->file->object) {
		const struct object_symbol *sym = object_symbol_at(q->file->object, q->addr);

		take_symbol(sym, c);
		known |= sym != NULL;
	}
	cut(l, &c->name, &c->n_name);
	cut(l, &c->file, &c->n_file);
	return known;
}

bool lookup_next(struct lookup *l, const struct lookup_query *q, struct lookup_call *c)
{
	const struct dwarf_answers *a = answers_of(l, q);
	const struct dwarf_call *from = a && c->inlined ? dwarf_call_at(a, c->id) : NULL;

	if (!from)
		return false;
	c->id = dwarf_outer(from, c->id);
	if (!take_call(l, q, c))
		return false;
	cut(l, &c->name, &c->n_name);
	cut(l, &c->file, &c->n_file);
	return true;
}

/* Everybody's next step before anybody's second: so the processor waits for many at once. */
void lookup_fetch(const struct lookup *l, const struct lookup_query *queries, size_t n)
{
	enum { AT_ONCE = 64, DEEP = 24 };

	for (size_t first = 0; first < n; first += AT_ONCE) {
		size_t k = n - first < AT_ONCE ? n - first : AT_ONCE, live = 0, met = 0;
		uint32_t ids[AT_ONCE];
		const struct dwarf_answers *of[AT_ONCE], *met_of[AT_ONCE * DEEP];
		uint32_t names[AT_ONCE * DEEP];

		for (size_t i = 0; i < k; i++) {
			const struct lookup_query *q = &queries[first + i];
			const struct dwarf_answers *a = answers_of(l, q);

			if (!a || !q->named.call)
				continue;
			of[live] = a;
			ids[live++] = q->named.call;
			__builtin_prefetch(dwarf_call_at(a, q->named.call));
		}
		for (unsigned deep = 0; live && deep < DEEP; deep++) {
			size_t next = 0;

			for (size_t i = 0; i < live; i++) {
				const struct dwarf_call *c = dwarf_call_at(of[i], ids[i]);

				if (!c)
					continue;
				if (c->function & STORE_BIT) {
					__builtin_prefetch(
					    store_text_row(&of[i]->store, c->function));
					met_of[met] = of[i];
					names[met++] = c->function;
				}
				if (!dwarf_outer(c, ids[i]))
					continue;
				of[next] = of[i];
				ids[next] = c->outer;
				__builtin_prefetch(dwarf_call_at(of[i], c->outer));
				next++;
			}
			live = next;
		}
		for (size_t i = 0; i < met; i++) {
			size_t len;
			const char *s = dwarf_text(met_of[i], names[i], &len);

			__builtin_prefetch(s);
			if (len > 64)
				__builtin_prefetch(s + 64);
		}
	}
}

enum status lookup_intact(const struct lookup *l, struct err *e)
{
	for (size_t f = 0; f < l->n_files; f++)
		if (l->files[f]->object && object_intact(l->files[f]->object, e))
			return ST_BAD;
	return cache_intact(&l->cache, e);
}
