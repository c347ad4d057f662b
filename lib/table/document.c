/* SPDX-License-Identifier: MIT */
#include "lib/table/document.h"

#include "lib/base/mem.h"

#include <stdlib.h>

static struct section *add(struct document *d, enum section_kind kind)
{
	struct section *s = &VEC_PUSH(d->sections, d->n_sections, d->sections_cap);

	s->kind = kind;
	return s;
}

void document_table(struct document *d, const struct table *t)
{
	add(d, SECTION_TABLE)->table = t;
}

void document_flame(struct document *d, const struct flame *f)
{
	add(d, SECTION_FLAME)->flame = f;
}

void document_series(struct document *d, const struct series *s)
{
	add(d, SECTION_SERIES)->series = s;
}

void document_checks(struct document *d, const struct checks *c)
{
	add(d, SECTION_CHECKS)->checks = c;
}

void document_input(struct document *d, const char *name, const char *what)
{
	VEC_PUSH(d->inputs, d->n_inputs, d->inputs_cap) = (struct document_input){name, what};
}

void document_fact(struct document *d, const char *key, const char *value)
{
	VEC_PUSH(d->facts, d->n_facts, d->facts_cap) = (struct document_fact){key, value};
}

void document_head(struct document *d, const char *line)
{
	VEC_PUSH(d->heads, d->n_heads, d->heads_cap) = line;
}

void document_note(struct document *d, const char *line)
{
	VEC_PUSH(d->notes, d->n_notes, d->notes_cap) = line;
}

void document_release(struct document *d)
{
	free(d->sections);
	free(d->inputs);
	free(d->facts);
	free(d->heads);
	free(d->notes);
	*d = (struct document){.program = d->program};
}
