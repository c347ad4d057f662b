/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/claims.h"

#include "lib/base/mem.h"
#include "lib/dwarf/sections.h"

#include <stdlib.h>

enum { SECONDS = 60 };

static void claims_add(void *arg, uint64_t lo, uint64_t hi)
{
	struct fast_claims *c = arg;

	VEC_PUSH(c->items, c->n, c->cap) = (struct fast_claim){lo, hi, c->unit};
}

enum status fast_claims_load(struct fast_claims *c, struct object *o, struct err *e)
{
	struct sections sections = {.abbrev = NULL};
	enum status st;

	c->options.jobs = 1;
	c->job = (struct dwarf_job){.object = o, .out = &c->answers};
	c->g = (struct fast_engine){.options = &c->options, .job = &c->job, .file = &c->file};
	c->worker.budget.seconds = clock_thread_seconds() + SECONDS;
	dwarf_answers_init(&c->answers, 0);
	st = fast_load(&c->g, &sections, e);
	buf_release(&sections.complaint);
	if (st) {
		dwarf_answers_release(&c->answers);
		return st;
	}
	fast_units_index(&c->file);
	for (size_t i = 0; i < c->file.n_units; i++) {
		c->unit = (uint32_t)i;
		fast_own(&c->file, &c->worker, &c->file.units[i], claims_add, c);
	}
	return ST_OK;
}

void fast_claims_release(struct fast_claims *c)
{
	fast_worker_release(&c->worker);
	fast_file_release(&c->file);
	dwarf_answers_release(&c->answers);
	free(c->items);
}
