/* SPDX-License-Identifier: MIT */
#include "lib/group/chain.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/rank.h"

#include <inttypes.h>
#include <stdlib.h>

void chain_cut_init(struct stack_cut *cut, const struct grouped_profile *p)
{
	*cut = (struct stack_cut){.most = 0};
	chain_cut_more(cut, p);
}

void chain_cut_more(struct stack_cut *cut, const struct grouped_profile *p)
{
	for (size_t i = cut->n ? cut->n : 1; i < p->stacks.n; i++) {
		const struct names_location *l = &p->names.locations[p->stacks.rows[i].location];
		uint64_t bytes = 0;

		for (uint32_t k = l->first; k < l->first + l->n_calls; k++) {
			uint32_t function = p->names.calls[k].function;
			size_t n;

			names_text(&p->names, p->names.functions[function].display, &n);
			bytes += n;
		}
		stack_cut_add(cut, p->stacks.rows[i].parent, l->n_calls, bytes);
	}
}

void chain_set(struct group_chain *c, const struct grouped_profile *p, const struct stack_cut *cut,
	       uint32_t stack)
{
	uint32_t outer = 0, at;

	c->n = c->cut_at = 0;
	c->left = 0;
	at = cut ? stack_cut_at(cut, stack, &outer, &c->left) : 0;
	while (stack) {
		VEC_PUSH(c->locations, c->n, c->cap) = p->stacks.rows[stack].location;
		if (stack == at)
			c->cut_at = c->n;
		stack = stack == at ? outer : p->stacks.rows[stack].parent;
	}
}

void chain_release(struct group_chain *c)
{
	free(c->locations);
	*c = (struct group_chain){.n = 0};
}

static void chain_name(struct buf *out, const struct grouped_profile *p, const struct names_call *c)
{
	size_t n;
	const char *s = names_text(&p->names, p->names.functions[c->function].display, &n);

	buf_add(out, s, n);
}

void chain_place(struct buf *out, const char *file, size_t n, uint32_t line)
{
	if (!n)
		return;
	buf_add(out, file, n);
	if (line)
		buf_addf(out, ":%" PRIu32, line);
}

void chain_join(const struct group_chain *c, const struct grouped_profile *p, struct buf *out)
{
	size_t start = out->len;

	for (size_t i = c->n; i-- > 0;) {
		const struct names_location *l = &p->names.locations[c->locations[i]];

		if (c->cut_at && i + 1 == c->cut_at)
			buf_addf(out, "%s[%" PRIu64 " call%s left out]",
				 out->len > start ? ";" : "", c->left, plural_s(c->left));
		for (uint32_t k = l->first + l->n_calls; k-- > l->first;) {
			if (out->len > start)
				buf_addc(out, ';');
			chain_name(out, p, &p->names.calls[k]);
		}
	}
	if (!c->n)
		chain_name(out, p, &p->names.calls[0]);
}

static void add_place(struct buf *out, const char *file, size_t n, uint32_t line)
{
	if (n)
		buf_adds(out, "  ");
	chain_place(out, file, n, line);
}

size_t chain_lines(const struct group_chain *c, const struct grouped_profile *p, const char *before,
		   size_t max, struct buf *out)
{
	size_t calls = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct names_location *l = &p->names.locations[c->locations[i]];

		for (uint32_t k = l->first; k < l->first + l->n_calls; k++, calls++) {
			const struct names_call *call = &p->names.calls[k];
			const char *file;
			size_t n;

			if (calls >= max)
				continue;
			buf_adds(out, before);
			chain_name(out, p, call);
			file = names_text(&p->names, call->file, &n);
			add_place(out, file, call->file ? n : 0, call->line);
			buf_addc(out, '\0');
		}
	}
	return calls + (size_t)c->left;
}

void chain_group(struct buf *out, const struct grouped_profile *p, size_t grouping, uint32_t group)
{
	const struct grouping *g = &p->groupings[grouping];
	const struct names_call *script;
	struct group_name name;
	const char *file;
	size_t n;

	group_name(p, grouping, group, &name);
	buf_add(out, name.name, name.name_len);
	add_place(out, name.file, name.file_len, name.line);
	if (!g->key.by_script || !g->groups[group].outer)
		return;
	script = &p->names.calls[p->sites[g->groups[group].outer]];
	buf_adds(out, ", called by ");
	chain_name(out, p, script);
	file = names_text(&p->names, script->file, &n);
	add_place(out, file, script->file ? n : 0, script->line);
}
