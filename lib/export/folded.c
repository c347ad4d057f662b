/* SPDX-License-Identifier: MIT
 *
 * Folded stacks, the text that flame graph tools read (Brendan Gregg's FlameGraph, stackcollapse
 * scripts): a line for each stack, its entries outermost first with ';' between them, a blank,
 * and one number. Text is changed as text.h says, so that a line has as many entries as it
 * should; stacks whose number is 0 are left out.
 */
#include "lib/export/profile.h"
#include "lib/export/text.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

struct folded {
	struct export export; /* first */
	struct profile profile;
	FILE *out;
};

/* Samples of one stack stand together, so that each stack has one line. */
static int by_stack(const void *a, const void *b, void *arg)
{
	const struct profile *p = arg;
	const struct profile_sample *x = &p->samples[*(const uint32_t *)a];
	const struct profile_sample *y = &p->samples[*(const uint32_t *)b];

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

static uint32_t *order_of(struct profile *p)
{
	uint32_t *order = mem_array(p->n_samples, sizeof *order);

	for (uint32_t i = 0; i < p->n_samples; i++)
		order[i] = i;
	sort_array_by(order, p->n_samples, sizeof *order, by_stack, p);
	return order;
}

static void add_name(struct folded *f, struct buf *b, uint32_t string)
{
	size_t n;
	const char *s = names_text(&f->profile.names, string, &n);

	if (b->len)
		buf_addc(b, ';');
	text_add_separated(b, s, n);
}

static void add_stack(struct folded *f, struct buf *b, uint32_t stack)
{
	const struct profile *p = &f->profile;
	const struct names_location *l = &p->names.locations[p->stacks[stack].location];
	size_t depth = 0, cap = 0;
	uint32_t *path = NULL;

	for (uint32_t s = stack; s; s = p->stacks[s].parent) {
		path = mem_grow(path, &cap, depth + 1, sizeof *path);
		path[depth++] = p->stacks[s].location;
	}
	do {
		if (depth)
			l = &p->names.locations[path[--depth]];
		for (uint32_t k = l->first + l->n_calls; k-- > l->first;)
			add_name(f, b, p->names.functions[p->names.calls[k].function].display);
	} while (depth);
	free(path);
}

static enum status finish(struct export *x, struct err *e)
{
	struct folded *f = (struct folded *)x;
	struct profile *p = &f->profile;
	bool types = p->options->types;
	uint32_t *order;
	struct buf b = BUF_INIT;
	enum value v;
	enum status st = profile_value(p, true, &v, e);

	if (st)
		return st;
	profile_close(p);
	order = order_of(p);
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct profile_sample *s = &p->samples[order[i]], *next;
		uint64_t sum = profile_sum(p, order[i], v);

		/* Domains are added up, and types too where they are no entry. */
		for (; i + 1 < p->n_samples; i++) {
			next = &p->samples[order[i + 1]];
			if (next->stack != s->stack || (types && next->type != s->type))
				break;
			sum = add_saturating(sum, profile_sum(p, order[i + 1], v));
		}
		if (!sum)
			continue;
		b.len = 0;
		add_stack(f, &b, s->stack);
		if (types && s->type) {
			size_t n;
			const char *type = intern_text(&p->types, s->type, &n);

			buf_addc(&b, ';');
			text_add_separated(&b, type, n);
		}
		buf_addc(&b, ' ');
		buf_add_u64(&b, sum);
		buf_addc(&b, '\n');
		fwrite(b.data, 1, b.len, f->out);
	}
	free(order);
	buf_release(&b);
	return export_written(f->out, e);
}

static void release(struct export *x)
{
	struct folded *f = (struct folded *)x;

	profile_release(&f->profile);
	free(f);
}

static struct export *open_folded(const struct export_options *o, FILE *out, struct err *e)
{
	struct folded *f = mem_zalloc(sizeof *f);

	(void)e;
	profile_init(&f->profile, o);
	f->export = (struct export){.sink = &f->profile.sink, .finish = finish, .free = release};
	f->out = out;
	return &f->export;
}

const struct exporter exporter_folded = {
    .name = "folded",
    .what = "folded stacks, one line each, for flame graph tools",
    .open = open_folded,
};
