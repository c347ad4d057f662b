/* SPDX-License-Identifier: MIT
 *
 * Folded stacks, the text that flame graph tools read (Brendan Gregg's FlameGraph, stackcollapse
 * scripts): a line for each stack, its entries outermost first with ';' between them, a blank,
 * and one number. Text is changed as text.h says, so that a line has as many entries as it
 * should; stacks whose number is 0 are left out, and what is written alike is one line.
 */
#include "lib/export/profile.h"
#include "lib/export/text.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

struct folded {
	struct export export; /* first */
	struct export_profile profile;
	FILE *out;
	struct intern words;         /* entries as they are written */
	struct profile_stacks nodes; /* of words */
	uint64_t *sums;              /* by node: of the line that ends there; 0: none */
	size_t cap_sums;
	uint32_t *of_stack; /* by stack of the profile: its node, 0: not asked yet */
	uint32_t *lines;    /* nodes, in the order of their stacks */
	size_t n_lines, cap_lines;
	uint32_t *path;
	size_t cap_path;
	struct buf text;
};

/* The entry below parent that is written so. */
static uint32_t export_folded_node_of(struct folded *f, uint32_t parent, const char *s, size_t n)
{
	f->text.len = 0;
	text_add_separated(&f->text, s, n);
	return stacks_add(&f->nodes, parent, intern_add(&f->words, buf_str(&f->text), f->text.len));
}

static uint32_t add_location(struct folded *f, uint32_t node, uint32_t location)
{
	const struct group_names *names = &f->profile.groups.names;
	const struct names_location *l = &names->locations[location];

	for (uint32_t k = l->first + l->n_calls; k-- > l->first;) {
		size_t n;
		const char *s =
		    names_text(names, names->functions[names->calls[k].function].display, &n);

		node = export_folded_node_of(f, node, s, n);
	}
	return node;
}

/* Calls in different lines are different stacks, and one text. */
static uint32_t stack_node(struct folded *f, uint32_t stack)
{
	const struct export_profile *p = &f->profile;
	size_t depth = 0;
	uint32_t node = 0, s = stack;

	if (!stack)
		return add_location(f, 0, p->groups.stacks.rows[0].location);
	for (; s && !f->of_stack[s]; s = p->groups.stacks.rows[s].parent) {
		f->path = mem_grow(f->path, &f->cap_path, depth + 1, sizeof *f->path);
		f->path[depth++] = s;
	}
	node = s ? f->of_stack[s] : 0;
	while (depth--)
		node = f->of_stack[f->path[depth]] =
		    add_location(f, node, p->groups.stacks.rows[f->path[depth]].location);
	return node;
}

static void add_row(struct folded *f, uint32_t row, uint64_t sum)
{
	const struct export_profile *p = &f->profile;
	uint32_t node = stack_node(f, export_profile_stack(p, row));
	uint32_t type = export_profile_type(p, row);

	if (p->options->types && type) {
		size_t n;
		const char *s = intern_text(&p->types, type, &n);

		node = export_folded_node_of(f, node, s, n);
	}
	f->sums = mem_grow_zero(f->sums, &f->cap_sums, (size_t)node + 1, sizeof *f->sums);
	if (!f->sums[node])
		VEC_PUSH(f->lines, f->n_lines, f->cap_lines) = node;
	f->sums[node] = add_saturating(f->sums[node], sum);
}

static void export_folded_write_line(struct folded *f, uint32_t node)
{
	uint64_t sum = f->sums[node];
	size_t depth = 0;

	for (; node; node = f->nodes.rows[node].parent) {
		f->path = mem_grow(f->path, &f->cap_path, depth + 1, sizeof *f->path);
		f->path[depth++] = f->nodes.rows[node].location;
	}
	f->text.len = 0;
	while (depth--) {
		size_t n;
		const char *s = intern_text(&f->words, f->path[depth], &n);

		if (f->text.len)
			buf_addc(&f->text, ';');
		buf_add(&f->text, s, n);
	}
	buf_addc(&f->text, ' ');
	buf_add_u64(&f->text, sum);
	buf_addc(&f->text, '\n');
	fwrite(f->text.data, 1, f->text.len, f->out);
}

/* Stacks that were first seen first come first. */
static int export_folded_by_stack(const void *a, const void *b, void *arg)
{
	const struct export_profile *p = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t s = export_profile_stack(p, x), t = export_profile_stack(p, y);

	if (s == t) {
		s = export_profile_type(p, x);
		t = export_profile_type(p, y);
	}
	if (s != t)
		return s < t ? -1 : 1;
	return (x > y) - (x < y);
}

static enum status export_folded_finish(struct export *x, struct err *e)
{
	struct folded *f = (struct folded *)x;
	struct export_profile *p = &f->profile;
	uint32_t *order;
	enum sum weight;
	enum status st = export_profile_sort(p, true, &weight, e);

	if (st)
		return st;
	if (export_profile_check_depth(p, true, e))
		return err_failure(e);
	export_profile_close(p);
	order = mem_array(p->rows.n, sizeof *order);
	for (uint32_t i = 0; i < p->rows.n; i++)
		order[i] = i;
	sort_array_by(order, p->rows.n, sizeof *order, export_folded_by_stack, p);
	f->of_stack = mem_zarray(p->groups.stacks.n, sizeof *f->of_stack);
	stacks_init(&f->nodes);
	for (size_t i = 0; i < p->rows.n; i++) {
		uint64_t sum = export_profile_sum(p, order[i], weight);

		if (sum)
			add_row(f, order[i], sum);
	}
	free(order);
	for (size_t i = 0; i < f->n_lines; i++)
		export_folded_write_line(f, f->lines[i]);
	return export_written(f->out, e);
}

static void export_folded_release(struct export *x)
{
	struct folded *f = (struct folded *)x;

	export_profile_release(&f->profile);
	intern_release(&f->words);
	stacks_release(&f->nodes);
	free(f->sums);
	free(f->of_stack);
	free(f->lines);
	free(f->path);
	buf_release(&f->text);
	free(f);
}

static struct export *export_folded_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct folded *f = mem_zalloc(sizeof *f);

	(void)e;
	export_profile_init(&f->profile, o);
	f->export = (struct export){.sink = &f->profile.tally.sink,
				    .finish = export_folded_finish,
				    .free = export_folded_release};
	f->out = out;
	return &f->export;
}

const struct exporter exporter_folded = {
    .name = "folded",
    .what = "folded stacks, one line each, for flame graph tools",
    .endings = {".folded"},
    .flags = EXPORT_VIEW,
    .open = export_folded_open,
};
