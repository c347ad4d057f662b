/* SPDX-License-Identifier: MIT */
#include "lib/table/document.h"

#include "lib/base/mem.h"

#include <stdlib.h>

static struct table_section *add(struct table_document *d, enum section_kind kind)
{
	struct table_section *s = &VEC_PUSH(d->sections, d->n_sections, d->sections_cap);

	s->kind = kind;
	return s;
}

void document_table(struct table_document *d, const struct table *t)
{
	add(d, SECTION_TABLE)->table = t;
}

void document_flame(struct table_document *d, const struct flame *f)
{
	add(d, SECTION_FLAME)->flame = f;
}

void document_series(struct table_document *d, const struct table_series *s)
{
	add(d, SECTION_SERIES)->series = s;
}

void document_checks(struct table_document *d, const struct table_checks *c)
{
	add(d, SECTION_CHECKS)->checks = c;
}

void document_input(struct table_document *d, const char *name, const char *what)
{
	VEC_PUSH(d->inputs, d->n_inputs, d->inputs_cap) = (struct document_input){name, what};
}

void document_fact(struct table_document *d, const char *key, const char *value)
{
	VEC_PUSH(d->facts, d->n_facts, d->facts_cap) = (struct document_fact){key, value};
}

void document_number(struct table_document *d, const char *key, enum column_type type,
		     unsigned decimals, struct table_cell value)
{
	if (value.present)
		VEC_PUSH(d->numbers, d->n_numbers, d->numbers_cap) = (struct document_number){
		    key, {.key = key, .type = type, .decimals = decimals}, value};
}

void document_head(struct table_document *d, const char *line)
{
	VEC_PUSH(d->heads, d->n_heads, d->heads_cap) = line;
}

void document_note(struct table_document *d, const char *line)
{
	VEC_PUSH(d->notes, d->n_notes, d->notes_cap) = line;
}

void document_release(struct table_document *d)
{
	free(d->sections);
	free(d->inputs);
	free(d->facts);
	free(d->numbers);
	free(d->heads);
	free(d->notes);
	*d = (struct table_document){.program = d->program};
}
