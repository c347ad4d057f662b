/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/whole.h"

#include "lib/base/mem.h"

#include <stdlib.h>

void whole_writer_init(struct whole_writer *c, const struct dwarf_answers *from,
		       struct dwarf_whole *to)
{
	*c = (struct whole_writer){.from = from, .to = to};
	c->calls = mem_zarray(from->store.n_calls, sizeof *c->calls);
	c->texts = mem_zarray(from->store.n_texts, sizeof *c->texts);
	dwarf_answers_reserve_calls(&to->answers, from->store.n_calls / 2); /* others are equal */
}

void whole_writer_release(struct whole_writer *c)
{
	free(c->calls);
	free(c->texts);
	free(c->path);
	map64_release(&c->text_of);
}

static uint32_t carry_text(struct whole_writer *c, uint32_t id)
{
	uint32_t *known, number = id & ~STORE_BIT;
	const char *s;
	size_t n;

	if (!id || c->texts[number])
		return id ? c->texts[number] : 0;
	s = dwarf_text(c->from, id, &n);
	/* many units want one name */
	known = map64_put(&c->text_of, (uint64_t)(uintptr_t)s);
	if (!*known)
		*known = intern_add(&c->to->answers.strings, s, n);
	return c->texts[number] = *known;
}

static uint32_t carry_call(struct whole_writer *c, uint32_t call)
{
	uint32_t outer;
	struct dwarf_call made;
	size_t n = 0;

	for (; call && !c->calls[call & ~STORE_BIT]; call = made.outer) {
		dwarf_call_at(c->from, call, &made);
		VEC_PUSH(c->path, n, c->cap_path) = call;
	}
	outer = call ? c->calls[call & ~STORE_BIT] : 0;
	while (n) {
		dwarf_call_at(c->from, c->path[--n], &made);
		made.outer = outer;
		made.function = carry_text(c, made.function);
		made.file = carry_text(c, made.file);
		outer = c->calls[c->path[n] & ~STORE_BIT] =
		    dwarf_answers_call(&c->to->answers, &made);
	}
	return outer;
}

void whole_add(struct whole_writer *c, uint64_t lo, struct dwarf_answer a)
{
	struct dwarf_whole *w = c->to;
	uint32_t call = a.call ? carry_call(c, a.call) : 0;

	if (w->n ? w->all[w->n - 1].call == call && w->all[w->n - 1].found == a.found
		 : a.found == DWARF_NOT_FOUND)
		return;
	VEC_PUSH(w->all, w->n, w->cap) = (struct dwarf_stretch){lo, call, a.found};
}

void dwarf_whole_release(struct dwarf_whole *w)
{
	free(w->all);
	dwarf_answers_release(&w->answers);
	*w = (struct dwarf_whole){.n = 0};
}
