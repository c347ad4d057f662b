/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/inputs.h"

#include "lib/base/mem.h"
#include "lib/profile/read.h"

#include <stdlib.h>
#include <string.h>

void compare_inputs_init(struct compare_inputs *in, const struct grouped_profile_options *o,
			 const char *options)
{
	struct grouped_profile_options of = *o;

	/* What is of two domains does not compare. */
	of.one_domain = true;
	*in = (struct compare_inputs){.options = options};
	grouped_profile_init(&in->project, &of);
	entities_init(&in->entities, &in->project.names.strings);
	summarizer_init(&in->summarizer, &in->entities, &in->project);
	in->compare.entities = &in->entities;
}

void compare_inputs_done(struct compare_inputs *in)
{
	summarizer_release(&in->summarizer);
	entities_own_strings(&in->entities);
	grouped_profile_release(&in->project);
}

void compare_inputs_release(struct compare_inputs *in)
{
	for (size_t g = 0; g < in->compare.n_groups; g++) {
		struct compare_group *group = &in->compare.groups[g];

		for (size_t i = 0; i < group->n; i++) {
			profile_release(group->runs[i]);
			free(group->runs[i]);
		}
		free(group->runs);
		free(group->names);
	}
	summarizer_release(&in->summarizer);
	grouped_profile_release(&in->project);
	entities_release(&in->entities);
	arena_release(&in->names);
	in->compare.n_groups = 0;
}

enum status compare_inputs_group(struct compare_inputs *in, const char *label, struct err *e)
{
	if (in->compare.n_groups == COMPARE_GROUPS_MAX)
		return err_set(e, ST_LIMIT, "the limit is %d groups", COMPARE_GROUPS_MAX);
	in->compare.groups[in->compare.n_groups++] = (struct compare_group){.label = label};
	return ST_OK;
}

/* What its samples are counted in; NULL: it has none, or captures with different attributes. */
static const char *samples_in(const struct compare_inputs *in, const struct profile *s)
{
	if (!(s->all.has & SUM_BIT(SUM_SAMPLES)) || s->sampling == PROFILE_MIXED)
		return NULL;
	return trace_samples_unit(s->sampling ? entities_text(&in->entities, s->sampling, NULL)
					      : NULL);
}

/* "cycles"; NULL: they are not known. */
static const char *periods_of(const struct compare_inputs *in, const struct profile *s)
{
	bool known = s->all.has >> SUM_PERIOD & 1 && s->period[0] && s->period[0] != PROFILE_MIXED;

	return known ? entities_text(&in->entities, s->period[0], NULL) : NULL;
}

/* "cpu-clock"; NULL: it is not stated, or it has no times. */
static const char *clock_of(const struct compare_inputs *in, const struct profile *s)
{
	return s->clock ? entities_text(&in->entities, s->clock, NULL) : NULL;
}

static enum status runs_agree(const struct compare_inputs *in, const struct profile *s,
			      struct err *e)
{
	const char *unit = samples_in(in, s), *event = periods_of(in, s);
	enum status st = ST_OK;

	for (size_t g = 0; g < in->compare.n_groups; g++)
		for (size_t i = 0; i < in->compare.groups[g].n && !st; i++) {
			const struct profile *run = in->compare.groups[g].runs[i];
			const char *before = samples_in(in, run), *other = periods_of(in, run);

			st = trace_clocks_agree(clock_of(in, s), clock_of(in, run), e);
			if (!st && unit && before)
				st = trace_samples_agree(unit, before, e);
			if (!st && event && other && strcmp(event, other) != 0)
				st = err_set(
				    e, ST_UNSUPPORTED,
				    "the periods are of %s, those of the files before are of "
				    "%s: not comparable",
				    event, other);
		}
	return st;
}

/* s is the group's then, or released. */
static enum status add_run(struct compare_inputs *in, const char *name, struct profile *s,
			   struct err *e)
{
	struct compare_group *g = &in->compare.groups[in->compare.n_groups - 1];

	if (runs_agree(in, s, e)) {
		profile_release(s);
		return err_failure(e);
	}

	g->runs = mem_realloc(g->runs, g->n + 1, sizeof *g->runs);
	g->names = mem_realloc(g->names, g->n + 1, sizeof *g->names);
	g->names[g->n] = arena_strndup(&in->names, name, strlen(name));
	g->runs[g->n] = mem_alloc(sizeof *s);
	*g->runs[g->n++] = *s;
	return ST_OK;
}

void compare_inputs_drop(struct compare_inputs *in)
{
	struct profile r;

	grouped_profile_finish_run(&in->project, &r);
	profile_release(&r);
}

enum status compare_inputs_add_run(struct compare_inputs *in, const char *name,
				   const struct profile_input *from, struct err *e)
{
	struct profile s;

	grouped_profile_finish_run(&in->project, &s);
	summarize(&in->summarizer, &s, in->options);
	VEC_PUSH(s.inputs, s.n_inputs, s.cap_inputs) =
	    (struct profile_input){.hash = from->hash, .bytes = from->bytes, .run = s.run};
	return add_run(in, name, &s, e);
}

enum status compare_inputs_aggregate(struct compare_inputs *in, struct cursor *c, const char *name,
				     struct err *e)
{
	struct profile s;
	enum status st = profile_read(c, &in->entities, &s, e);

	if (st)
		return st;
	if (in->project.domain == DOMAIN_DEFAULT && s.domain)
		in->project.domain = (int)s.domain - 1;
	return add_run(in, name, &s, e);
}
