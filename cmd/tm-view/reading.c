/* SPDX-License-Identifier: MIT
 *
 * The reader of sessions: sums of each capture into the history, one capture after the other. A capture is a
 * stranger's: it is read as a question is answered, in a thread with a scope (lib/view/query.h), by the limits of an
 * answer; what comes of it is an aggregate, which is checked like any other.
 */
#include "cmd/tm-frames/program.h"
#include "cmd/tm-view/sessions.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/base/text.h"
#include "lib/cli/aggregate.h"
#include "lib/cli/report.h"
#include "lib/cli/session.h"
#include "lib/profile/read.h"
#include "lib/render/out.h"
#include "lib/view/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RETAIN_SECONDS = 60, PAUSE_MS = 200 };

/* --- what answers --- */

/* tm-sum CAPTURE: its aggregate, as tm-history add makes it. */
static int reading_sum(int argc, char **argv)
{
	struct cli_report report = {0}; /* a question has a form */
	const struct opt table[] = {CLI_REPORT_ROWS(report), OPT_END};
	const struct opt_program program = {"tm-sum", "CAPTURE", "Sums of a capture.", table};
	struct grouped_profile_options o = {.domain = 0};
	struct cli_filter filter = {.domain = 0};
	struct import_options import = {0};
	struct cli_symbols symbols = {.off = true};

	if (opt_parse(&program, argc, argv) != 1)
		cli_usage("one capture is wanted");
	cli_report_start(&report);
	cli_filter_done(&filter);
	cli_filter_project(&filter, &o);
	cli_save_aggregate(argv[1], NULL, &import, &symbols, &o, NULL);
	cli_filter_release(&filter);
	return cli_exit();
}

static const struct query_program reading_programs[] = {
    {"sum", reading_sum, NULL, NULL},
    {"frames", tm_frames, "--no-symbols", NULL},
    {.name = NULL},
};

static _Thread_local struct cli_session reading_session;
static _Thread_local struct cli_host reading_host;

static void reading_answer(void *arg, struct query_args *q, FILE *out, FILE *err)
{
	(void)arg;
	reading_host = (struct cli_host){.arg = q, .write = query_form_write};
	reading_session = (struct cli_session){.out = out, .err = err, .host = &reading_host};
	cli_now = &reading_session;
	q->program->run((int)q->words.n, q->words.items);
}

static int reading_status(void)
{
	return reading_session.status;
}

static void reading_question(struct buf *to, const char *words, const char *path)
{
	buf_addf(to, "%s ", words);
	buf_add_shell(to, path);
	buf_str(to);
}

/* Answered by text: an aggregate. */
static bool reading_ask(const struct view_sessions *s, const char *path, struct query_result *a,
			struct err *e)
{
	struct buf words = BUF_INIT;
	struct query_args q;
	bool ok;

	*a = (struct query_result){.out = -1, .err = -1};
	reading_question(&words, "sum", path);
	ok = !query_args_make(&q, &s->runner, words.data, words.len, e);
	if (ok) {
		ok = query_result_start(a, &s->runner, &q, e);
		query_args_release(&q);
	}
	if (ok)
		query_result_wait(a);
	buf_release(&words);
	return ok;
}

/* --- what comes of it --- */

/* Why there are no sums: the first line of what was said, behind the path. */
static const char *reason_of(struct query_result *a, const char *path)
{
	char *text, *behind;

	if (a->ended)
		return a->ended;
	buf_str(&a->messages);
	text = a->messages.data;
	behind = strstr(text, path);
	if (behind)
		text = behind + strlen(path) + (strncmp(behind + strlen(path), ": ", 2) ? 0 : 2);
	*strchrnul(text, '\n') = 0;
	return *text ? text : "it holds nothing that has sums";
}

/* Of the table "statistics" of tm-frames: a block of 32 bytes; "": it says nothing of it. */
static void *reading_make_p99(const struct query_form *f, const struct table_document *d, size_t *n)
{
	const struct table *t = d->n_sections ? d->sections[0].table : NULL;
	struct table_row row = {.cells = NULL};
	size_t at = 0;
	char *to;

	(void)f;
	*n = 32;
	to = resource_scope_outside(*n);
	while (t && at < t->n_columns && strcmp(t->columns[at].key, "duration_ns") != 0)
		at++;
	if (!t || at == t->n_columns)
		return to;
	row.cells = mem_array(t->n_columns, sizeof *row.cells);
	for (size_t i = 0; i < t->n_rows; i++) {
		row_fill(t, i, &row);
		if (text_is(row.cells[0].text, row.cells[0].len, "p99") && row.cells[at].present)
			snprintf(to, *n, "%" PRIu64, row.cells[at].number);
	}
	free(row.cells);
	return to;
}

/* tm-frames knows it: the time that 99 % of the frames are not longer than. */
static void reading_p99(const struct view_sessions *s, const char *path, char to[32])
{
	const struct query_form form = {.make = reading_make_p99};
	struct buf words = BUF_INIT;
	struct err e = ERR_INIT;
	struct query_result a;
	char *made;

	reading_question(&words, "frames -n 1 --table statistics", path);
	made = query_ask(&a, &s->runner, words.data, &form, &e);
	snprintf(to, 32, "%s", made ? made : "");
	free(made);
	query_result_release(&a);
	buf_release(&words);
}

/* What names a run has its place of its own; the others are labels. */
static void reading_labels(const struct store_session *one, struct history_labels *l,
			   struct history_label items[STORE_LABELS], char date[HISTORY_DATE])
{
	const struct store_meta *m = &one->meta;
	const char **const places[] = {&l->build, &l->branch, &l->commit, &l->machine, &l->status};
	static const char *const names[] = {"build",   "branch", "commit",
					    "machine", "status", "date"};
	const char *given = store_meta_get(m, "date");

	*l = (struct history_labels){.items = items};
	for (size_t i = 0; i < 5; i++)
		*places[i] = store_meta_get(m, names[i]);
	l->date = given && history_date(given, date) ? date : one->received;
	for (size_t i = 0; i < m->n; i++) {
		bool own = false;

		for (size_t k = 0; k < 6; k++)
			own |= !strcmp(names[k], m->labels[i].name);
		if (!own)
			items[l->n++] =
			    (struct history_label){m->labels[i].name, m->labels[i].value};
	}
}

static enum status reading_add(struct view_sessions *s, const struct store_session *one,
			       const struct buf *aggregate, int64_t *run, struct err *e)
{
	struct history_label items[STORE_LABELS];
	struct profile_entities entities;
	struct history_added added;
	struct history_labels l;
	char date[HISTORY_DATE], build[STORE_NAME];
	struct profile p;
	struct cursor c;
	enum status st;

	reading_labels(one, &l, items, date);
	if (!l.build) {
		const char *from;
		size_t n = history_build_of(one->meta.name, &from);

		snprintf(build, sizeof build, "%.*s", (int)n, from);
		l.build = build;
	}
	entities_init(&entities, NULL);
	cursor_init(&c, aggregate->data, aggregate->len, 0, e);
	st = profile_read(&c, &entities, &p, e);
	if (!st) {
		st = history_add(&s->history, aggregate, &entities, &p, &l, one->meta.name, &added,
				 e);
		*run = added.run;
		profile_release(&p);
	}
	entities_release(&entities);
	return st;
}

static bool reading_open(struct view_sessions *s, struct err *e)
{
	return s->history.db || !history_open(&s->history, s->where, DB_CREATE, 60, e);
}

/* The capture's own failure is a reason; what the history cannot take now is tried again at the next start. */
static void reading_one(struct view_sessions *s, const struct store_session *one)
{
	char *path = store_capture_path(s->store, one->digest), p99[32] = "";
	const char *reason = NULL;
	struct err e = ERR_INIT;
	struct query_result a;
	int64_t run = 0;

	if (!reading_ask(s, path, &a, &e)) {
		reason = e.msg;
	} else if (a.ended || !a.text.len) {
		reason = reason_of(&a, path);
	} else {
		reading_p99(s, path, p99);
		if (!reading_open(s, &e) || reading_add(s, one, &a.text, &run, &e))
			reason = e.msg;
	}
	if (e.code == ST_SYS)
		history_close(&s->history);
	e = reason == e.msg ? e : (struct err)ERR_INIT;
	store_read(s->store, one->id, run, p99, reason, &(struct err)ERR_INIT);
	query_result_release(&a);
	free(path);
}

static void *reading_run(void *arg)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};
	struct view_sessions *s = arg;
	time_t retained = 0;
	uint64_t seen = 0;

	while (!atomic_load(&s->end)) {
		uint64_t version = store_version(s->store);
		struct store_session one;

		if (version != seen)
			store_complete(s->store);
		seen = version;
		if (time(NULL) - retained >= RETAIN_SECONDS) {
			store_retain(s->store);
			retained = time(NULL);
		}
		if (store_next(s->store, &one))
			reading_one(s, &one);
		else
			nanosleep(&pause, NULL);
	}
	return NULL;
}

bool sessions_reader_start(struct view_sessions *s)
{
	sigset_t before;

	s->runner = (struct query_runner){.programs = reading_programs,
					  .seconds = s->view->runner.seconds,
					  .rows = 1000,
					  .bytes = s->view->runner.bytes,
					  .memory = s->view->runner.memory,
					  .working = &s->working,
					  .answer = reading_answer,
					  .status = reading_status};
	query_block_signals(&before);
	s->reads = !pthread_create(&s->reader, NULL, reading_run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->reads;
}

void sessions_reader_stop(struct view_sessions *s)
{
	atomic_store(&s->end, true);
	if (s->reads)
		pthread_join(s->reader, NULL);
}
