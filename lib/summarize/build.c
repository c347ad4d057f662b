/* SPDX-License-Identifier: MIT */
#include "lib/summarize/build.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* From aggregate_builder_init to aggregate_builder_release. */
struct aggregate_building {
	const char *options;
	void (*captured)(void *arg, struct trace *t);
	void *arg;
	struct aggregate_note *notes;
	size_t n_notes, cap_notes;
	struct arena texts;
};

/* A note of two captures of one file counts once. */
static void add_note(struct aggregate_builder *b, const struct trace_note *n)
{
	struct aggregate_building *x = b->building;
	size_t len = strlen(n->text);

	for (size_t i = 0; i < x->n_notes; i++) {
		struct aggregate_note *had = &x->notes[i];

		if (had->severity == n->severity && had->text.n == len &&
		    !memcmp(had->text.s, n->text, len)) {
			had->count = add_saturating(had->count, n->count);
			return;
		}
	}
	VEC_PUSH(x->notes, x->n_notes, x->cap_notes) = (struct aggregate_note){
	    n->severity, {arena_strndup(&x->texts, n->text, len), len}, n->count};
}

static void summarize_captured(void *arg, struct trace *t)
{
	struct aggregate_builder *b = arg;
	struct aggregate_building *x = b->building;

	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].severity <= NOTE_LOSS)
			add_note(b, &t->notes[i]);
	if (x->captured)
		x->captured(x->arg, t);
}

void aggregate_builder_init(struct aggregate_builder *b, const struct grouped_profile_options *o,
			    const char *options)
{
	struct frames_options f = {.project = *o, .sort = FRAMES_AUTO};

	*b = (struct aggregate_builder){.building = mem_zalloc(sizeof *b->building)};
	*b->building =
	    (struct aggregate_building){.options = options, .captured = o->captured, .arg = o->arg};
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
	entities_init(&b->entities, &b->frames.project.names.strings);
	summarizer_init(&b->summarizer, &b->entities, &b->frames.project);
}

void aggregate_builder_release(struct aggregate_builder *b)
{
	summarizer_release(&b->summarizer);
	frames_release(&b->frames);
	entities_release(&b->entities);
	if (b->building) {
		arena_release(&b->building->texts);
		free(b->building->notes);
	}
	free(b->building);
	b->building = NULL;
}

/* The frames, whose names stay with f. */
static struct aggregate_frame *frames_of(const struct frames *f)
{
	struct aggregate_frame *to = mem_zarray(f->n + 1, sizeof *to);

	for (size_t i = 0; i < f->n; i++) {
		const struct frame *row = &f->rows[i];

		to[i] = (struct aggregate_frame){.number = row->number,
						 .duration = row->duration,
						 .before = row->kind == SLICE_BEFORE,
						 .has_duration = row->has_duration};
		if (row->name)
			to[i].name = intern_text(&f->names, row->name, &to[i].n_name);
	}
	return to;
}

void aggregate_builder_write(struct aggregate_builder *b, const struct aggregate_origin *origin,
			     struct aggregate_writer *w)
{
	struct aggregate_building *x = b->building;
	struct frames *f = &b->frames;
	struct profile p;
	struct aggregate_frame *frames;

	grouped_profile_finish_run(&f->project, &p);
	summarize(&b->summarizer, &p, x->options);
	/* Nothing more is read: what only that needs is as much as what is written. */
	summarizer_release(&b->summarizer);
	entities_own_strings(&b->entities);
	grouped_profile_release(&f->project);
	frames = frames_of(f);
	aggregate_write(&(struct aggregate_source){.entities = &b->entities,
						   .profile = &p,
						   .frames = frames,
						   .n_frames = f->n,
						   .frame_sums = &f->sums,
						   .frames_known = f->known,
						   .notes = x->notes,
						   .n_notes = x->n_notes,
						   .origin = *origin},
			w);
	free(frames);
	profile_release(&p);
}
