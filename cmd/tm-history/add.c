/* SPDX-License-Identifier: MIT
 *
 * tm-history add: captures and aggregates into a store, each as a run with its labels.
 */
#include "cmd/tm-history/history.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/aggregate.h"
#include "lib/profile/read.h"
#include "lib/summarize/build.h"

#include <stdlib.h>
#include <string.h>

struct done {
	const char *file, *build, *what;
	int64_t run;
};

struct adder {
	struct cli_history *c;
	struct cli_loop loop;
	struct aggregate_builder builder;
	struct input_digest digest;
	struct buf aggregate;
	bool chosen; /* there are filters */
	struct done *done;
	size_t n_done, cap_done;
	struct arena texts;
};

static const char *build_of(struct adder *a, const char *path)
{
	const char *build;
	size_t n = history_build_of(path, &build);

	return arena_strndup(&a->texts, build, n);
}

static void history_add_capture_notes(void *arg, struct trace *t)
{
	const struct adder *a = arg;

	cli_report_notes(a->loop.file, t);
}

/* An aggregate is kept as it is, record by record, so that all of it was looked at. */
static enum status history_add_read_aggregate(void *arg, struct input *in, bool *taken,
					      struct err *e)
{
	struct adder *a = arg;
	struct aggregate_reader r;
	struct aggregate_writer w;
	enum status st;

	*taken = aggregate_is(&in->cur);
	if (!*taken)
		return ST_OK;
	if (a->chosen)
		return err_set(e, ST_UNSUPPORTED, "an aggregate has no events to select from");
	aggregate_reader_init(&r, &in->cur);
	aggregate_writer_init(&w, NULL, &a->aggregate);
	while (!(st = aggregate_reader_next(&r, e)))
		aggregate_writer_add(&w, r.key.data, r.key.len, r.known, r.n_known);
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	aggregate_reader_release(&r);
	return st == ST_NONE ? ST_OK : st;
}

static bool history_add_same(const struct profile_entities *t, const char *before, uint32_t now)
{
	return !strcmp(before ? before : "",
		       now && now != PROFILE_MIXED ? entities_text(t, now, NULL) : "");
}

/* A gate takes neither as the base of the other: beside the newest run of the branch. */
static void history_add_compare(struct adder *a, const char *path, const struct history_labels *l,
				const struct profile_entities *t, const struct profile *s,
				int64_t run)
{
	struct history_choice choice = {.branch = l->branch, .last = 2};
	struct err e = ERR_INIT;
	struct history_runs runs;
	const struct history_run *r;
	const char *what;

	if (history_runs(&a->c->h, &choice, &runs, &e))
		return; /* it is added */
	r = &runs.items[runs.n > 1 && runs.items[runs.n - 1].id == run ? runs.n - 2 : runs.n - 1];
	what = !runs.n || r->id == run                          ? NULL
	       : !history_add_same(t, r->format, s->format)     ? "of another format"
	       : !history_add_same(t, r->sampling, s->sampling) ? "recorded in another way"
	       : s->program && r->program && !history_add_same(t, r->program, s->program)
		   ? "of a program of another name"
	       : s->arguments && r->arguments && !history_add_same(t, r->arguments, s->arguments)
		   ? "started with other arguments"
		   : NULL;
	if (s->status)
		cli_note(path, "ended with exit status %u: gates do not use it as a base",
			 s->status);
	if (what)
		cli_note(path, "is %s than the earlier run %lld: gates do not compare the two",
			 what, (long long)r->id);
	history_runs_release(&runs);
}

static enum status store(struct adder *a, const char *path, const struct history_labels *l,
			 struct history_added *added, struct err *e)
{
	struct profile_entities entities;
	struct profile s;
	struct cursor c;
	enum status st;

	entities_init(&entities, NULL);
	cursor_init(&c, a->aggregate.data, a->aggregate.len, 0, e);
	st = profile_read(&c, &entities, &s, e);
	if (!st) {
		st = history_add(&a->c->h, &a->aggregate, &entities, &s, l, path_name(path), added,
				 e);
		if (!st && !added->was_there)
			history_add_compare(a, path, l, &entities, &s, added->run);
		profile_release(&s);
	}
	entities_release(&entities);
	return st;
}

static void finish_capture(struct adder *a, const char *path)
{
	struct aggregate_origin origin = {a->digest.hash, a->digest.bytes, path_name(path)};
	struct aggregate_writer w;

	aggregate_writer_init(&w, NULL, &a->aggregate);
	aggregate_builder_write(&a->builder, &origin, &w);
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
}

static void history_add_one(struct adder *a, const struct grouped_profile_options *o,
			    const char *options, char *path)
{
	const struct cli_history *c = a->c;
	const char *build = c->build ? c->build : build_of(a, path);
	struct history_labels l = {.build = build,
				   .branch = c->branch,
				   .commit = c->commit,
				   .machine = c->machine,
				   .date = c->date,
				   .status = c->status < 0 ? NULL : history_statuses[c->status],
				   .items = c->label_items,
				   .n = c->labels.n};
	struct history_added added;
	struct err e = ERR_INIT;

	a->aggregate.len = 0;
	a->loop.read = 0;
	a->digest = (struct input_digest){.hash = 0};
	aggregate_builder_init(&a->builder, o, options);
	a->loop.sink = frames_sink(&a->builder.frames);
	cli_inputs(&a->loop, 1, &path);
	if (a->loop.read && !a->aggregate.len && aggregate_builder_has(&a->builder))
		finish_capture(a, path);
	digest_release(&a->digest);
	aggregate_builder_release(&a->builder);
	if (!a->loop.read || !a->aggregate.len)
		return;
	if (store(a, path, &l, &added, &e)) {
		cli_fail(c->h.shown, &e);
		return;
	}
	VEC_PUSH(a->done, a->n_done, a->cap_done) =
	    (struct done){path, build,
			  added.changed_to  ? "status changed"
			  : added.was_there ? "was there"
					    : "added",
			  added.run};
}

static void history_add_fill(void *arg, size_t i, struct table_row *r)
{
	const struct adder *a = arg;
	const struct done *d = &a->done[i];

	r->cells[0] = cell_signed(d->run);
	r->cells[1] = cell_text(d->build, strlen(d->build));
	r->cells[2] = cell_text(d->what, strlen(d->what));
	r->cells[3] = cell_text(d->file, strlen(d->file));
}

void cli_history_add(struct cli_history *c, const struct import_options *import,
		     const struct cli_filter *filter, int n, char **files, struct cli_report *r)
{
	struct table_column columns[] = {
	    {"run", "run", COLUMN_INT, 0, 0},
	    {"build", "build", COLUMN_TEXT, 0, 0},
	    {"what", "", COLUMN_TEXT, COLUMN_PROSE, 0},
	    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH, 0},
	};
	struct adder a = {.c = c};
	struct grouped_profile_options o = {.domain = 0};
	struct table_document d = {.program = "tm-history"};
	struct buf words = BUF_INIT;
	struct table t = {.name = "added", .columns = columns, .n_columns = 4};

	cli_filter_project(filter, &o);
	cli_filter_words(filter, &words);
	a.chosen = words.len > 0;
	o.captured = history_add_capture_notes;
	o.arg = &a;
	a.loop = (struct cli_loop){.import = import,
				   .symbols = &c->symbols,
				   .marks = true,
				   .instead = history_add_read_aggregate,
				   .arg = &a,
				   .digest = &a.digest};
	for (int i = 0; i < n; i++)
		history_add_one(&a, &o, words.len ? buf_str(&words) : NULL, files[i]);
	t.n_rows = a.n_done;
	t.fill = history_add_fill;
	t.arg = &a;
	document_input(&d, c->h.shown, "history");
	document_table(&d, &t);
	if (a.n_done)
		cli_report_print(r, &d);
	document_release(&d);
	buf_release(&words);
	buf_release(&a.aggregate);
	arena_release(&a.texts);
	free(a.done);
}
