/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/inputs.h"

#include "lib/aggregate/summary_record.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct compare_inputs_reading { /* from compare_inputs_init to compare_inputs_release */
	const char *options;
	uint64_t duration; /* of the run so far */
	int64_t first, last;
	bool timed; /* the present capture has these two */
};

static struct compare_inputs *of(struct sink *s)
{
	return (struct compare_inputs *)s;
}

static enum status compare_inputs_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct sink *to = project_sink(&of(s)->project);

	of(s)->reading->timed = false;
	return to->begin(to, t, e);
}

static void reach(struct compare_inputs_reading *r, int64_t first, int64_t last)
{
	if (!r->timed || first < r->first)
		r->first = first;
	if (!r->timed || last > r->last)
		r->last = last;
	r->timed = true;
}

static enum status compare_inputs_events(struct sink *s, struct trace *t, const struct event *ev,
					 size_t n, struct err *e)
{
	struct compare_inputs *in = of(s);

	for (size_t i = 0; i < n; i++)
		if (ev[i].has & EV_HAS_TIME)
			reach(in->reading, ev[i].time, ev[i].time);
	return sink_pass(project_sink(&in->project), t, ev, n, e);
}

static enum status compare_inputs_event(struct sink *s, struct trace *t, const struct event *ev,
					struct err *e)
{
	return compare_inputs_events(s, t, ev, 1, e);
}

static bool compare_inputs_digest(struct sink *s, struct trace *t, const struct sink_digest *d)
{
	struct compare_inputs *in = of(s);
	struct sink *to = project_sink(&in->project);

	if (!to->digest(to, t, d))
		return false;
	if (d->all_times.any)
		reach(in->reading, d->all_times.least, d->all_times.most);
	return true;
}

static enum status compare_inputs_end(struct sink *s, struct trace *t, struct err *e)
{
	struct compare_inputs *in = of(s);
	struct compare_inputs_reading *r = in->reading;
	struct sink *to = project_sink(&in->project);

	if (r->timed)
		r->duration = add_saturating(r->duration, (uint64_t)r->last - (uint64_t)r->first);
	return to->end(to, t, e);
}

void compare_inputs_init(struct compare_inputs *in, const struct project_options *o,
			 const char *options)
{
	*in = (struct compare_inputs){.sink = {.begin = compare_inputs_begin,
					       .event = compare_inputs_event,
					       .end = compare_inputs_end,
					       .events = compare_inputs_events,
					       .digest = compare_inputs_digest},
				      .reading = mem_zalloc(sizeof *in->reading)};
	in->reading->options = options;
	project_init(&in->project, o);
	things_init(&in->things, &in->project.names.strings);
	summarizer_init(&in->summarizer, &in->things, &in->project);
	in->compare.things = &in->things;
}

void compare_inputs_done(struct compare_inputs *in)
{
	summarizer_release(&in->summarizer);
	things_take_strings(&in->things);
	project_release(&in->project);
}

void compare_inputs_release(struct compare_inputs *in)
{
	for (size_t g = 0; g < in->compare.n_groups; g++) {
		struct compare_group *group = &in->compare.groups[g];

		for (size_t i = 0; i < group->n; i++) {
			summary_release(group->runs[i]);
			free(group->runs[i]);
		}
		free(group->runs);
		free(group->names);
	}
	summarizer_release(&in->summarizer);
	project_release(&in->project);
	things_release(&in->things);
	arena_release(&in->names);
	free(in->reading);
	in->reading = NULL;
	in->compare.n_groups = 0;
}

enum status compare_inputs_group(struct compare_inputs *in, const char *label, struct err *e)
{
	if (in->compare.n_groups == COMPARE_GROUPS_MAX)
		return err_set(e, ST_LIMIT, "more than %d groups", COMPARE_GROUPS_MAX);
	in->compare.groups[in->compare.n_groups++] = (struct compare_group){.label = label};
	return ST_OK;
}

static struct aggregate_summary *add_run(struct compare_inputs *in, const char *name)
{
	struct compare_group *g = &in->compare.groups[in->compare.n_groups - 1];

	g->runs = mem_realloc(g->runs, g->n + 1, sizeof *g->runs);
	g->names = mem_realloc(g->names, g->n + 1, sizeof *g->names);
	g->names[g->n] = arena_strndup(&in->names, name, strlen(name));
	return g->runs[g->n++] = mem_zalloc(sizeof(struct aggregate_summary));
}

void compare_inputs_drop(struct compare_inputs *in)
{
	struct group_run r;

	project_take(&in->project, &r);
	run_release(&r);
	in->reading->duration = 0;
}

void compare_inputs_take(struct compare_inputs *in, const char *name)
{
	struct aggregate_summary *s = add_run(in, name);
	struct group_run r;

	project_take(&in->project, &r);
	summarize(&in->summarizer, &r, s);
	run_release(&r);
	s->duration = in->reading->duration;
	if (in->reading->options)
		s->options =
		    things_string(&in->things, in->reading->options, strlen(in->reading->options));
	in->reading->duration = 0;
}

enum status compare_inputs_aggregate(struct compare_inputs *in, struct cursor *c, const char *name,
				     struct err *e)
{
	struct aggregate_summary s;
	enum status st = aggregate_summary_read(c, &in->things, &s, e);

	if (!st)
		*add_run(in, name) = s;
	return st;
}
