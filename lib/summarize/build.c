/* SPDX-License-Identifier: MIT */
#include "lib/summarize/build.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct aggregate_builder *of(struct sink *s)
{
	return (struct aggregate_builder *)s;
}

static enum status summarize_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct sink *to = frames_sink(&of(s)->frames);

	of(s)->timed = false;
	return to->begin(to, t, e);
}

static enum status summarize_event(struct sink *s, struct trace *t, const struct event *ev,
				   struct err *e)
{
	struct aggregate_builder *b = of(s);
	struct sink *to = frames_sink(&b->frames);

	if (ev->has & EV_HAS_TIME) {
		if (!b->timed || ev->time < b->first)
			b->first = ev->time;
		if (!b->timed || ev->time > b->last)
			b->last = ev->time;
		b->timed = true;
	}
	return to->event(to, t, ev, e);
}

static enum status summarize_end(struct sink *s, struct trace *t, struct err *e)
{
	struct aggregate_builder *b = of(s);
	struct sink *to = frames_sink(&b->frames);

	if (b->timed)
		b->duration = add_saturating(b->duration, (uint64_t)b->last - (uint64_t)b->first);
	return to->end(to, t, e);
}

/* A note of two captures of one file counts once. */
static void add_note(struct aggregate_builder *b, const struct trace_note *n)
{
	size_t len = strlen(n->text);

	for (size_t i = 0; i < b->n_notes; i++) {
		struct aggregate_note *had = &b->notes[i];

		if (had->severity == n->severity && had->text.n == len &&
		    !memcmp(had->text.s, n->text, len)) {
			had->count = add_saturating(had->count, n->count);
			return;
		}
	}
	VEC_PUSH(b->notes, b->n_notes, b->cap_notes) = (struct aggregate_note){
	    n->severity, {arena_strndup(&b->texts, n->text, len), len}, n->count};
}

static void summarize_captured(void *arg, struct trace *t)
{
	struct aggregate_builder *b = arg;

	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].severity <= NOTE_LOSS)
			add_note(b, &t->notes[i]);
	if (b->captured)
		b->captured(b->arg, t);
}

void aggregate_builder_init(struct aggregate_builder *b, const struct project_options *o,
			    const char *options)
{
	struct frames_options f = {.project = *o, .sort = FRAMES_AUTO};

	*b = (struct aggregate_builder){
	    .sink = {summarize_begin, summarize_event, summarize_end, NULL},
	    .options = options,
	    .captured = o->captured,
	    .arg = o->arg};
	/* Types first: the sums of filtered frames are theirs. */
	f.project.n_by = 0;
	f.project.by[f.project.n_by++] = (struct grouping_key){.by = KEY_TYPE};
	for (enum key k = 0; k < KEYS; k++)
		if (k != KEY_TYPE && k != KEY_LOCATION && k != KEY_FRAME)
			f.project.by[f.project.n_by++] = (struct grouping_key){.by = k};
	f.project.want = SUMS_ALL;
	f.project.captured = summarize_captured;
	f.project.arg = b;
	frames_init(&b->frames, &f);
	things_init(&b->things, &b->frames.project.names.strings);
	summarizer_init(&b->summarizer, &b->things, &b->frames.project);
}

void aggregate_builder_release(struct aggregate_builder *b)
{
	summarizer_release(&b->summarizer);
	frames_release(&b->frames);
	things_release(&b->things);
	arena_release(&b->texts);
	free(b->notes);
}

void aggregate_builder_write(struct aggregate_builder *b, const struct aggregate_origin *origin,
			     struct aggregate_writer *w)
{
	struct aggregate_summary s;
	struct group_run r;
	struct aggregate_source from = {.things = &b->things,
					.summary = &s,
					.frames = &b->frames,
					.notes = b->notes,
					.n_notes = b->n_notes,
					.origin = *origin};

	project_take(&b->frames.project, &r);
	summarize(&b->summarizer, &r, &s);
	run_release(&r);
	/* Nothing more is read: what only that needs is as much as what is written. */
	summarizer_release(&b->summarizer);
	things_take_strings(&b->things);
	project_release(&b->frames.project);
	s.duration = b->duration;
	if (b->options)
		s.options = things_string(&b->things, b->options, strlen(b->options));
	aggregate_write(&from, w);
	summary_release(&s);
}
