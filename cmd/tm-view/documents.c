/* SPDX-License-Identifier: MIT
 *
 * What the server of sessions says of its history: the list, a trend with its change points, two runs side by side.
 * Trend and comparison are the documents of tm-history trend and blame, made by the same functions of lib/history.
 */
#include "cmd/tm-view/sessions.h"
#include "lib/base/mem.h"
#include "lib/cli/report.h"
#include "lib/group/metric.h"
#include "lib/history/blame.h"
#include "lib/history/view.h"
#include "lib/profile/key.h"
#include "lib/profile/per.h"
#include "lib/render/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREND_SERIES = 10, COMPARE_ROWS = 100, WAIT_SECONDS = 20 };
static const double error_rate = 0.05;

struct opened {
	struct history h;
	struct history_runs runs;
};

static enum status documents_open(const struct view_sessions *s, const struct history_choice *c,
				  struct opened *o, struct err *e)
{
	*o = (struct opened){.h = {.db = NULL}};
	if (history_open(&o->h, s->where, DB_READ, WAIT_SECONDS, e) ||
	    db_begin_reading(o->h.db, e) || history_runs(&o->h, c, &o->runs, e)) {
		history_close(&o->h);
		return err_failure(e);
	}
	return ST_OK;
}

static void documents_close(struct opened *o)
{
	history_runs_release(&o->runs);
	history_close(&o->h);
}

/* --- the list --- */

static void number(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_add_u64(b, v);
}

static void text(struct buf *b, const char *key, const char *v)
{
	json_key(b, key);
	json_string(b, v && *v ? v : NULL);
}

/* The total of every run; false: no run has it. */
static bool totals(struct opened *o, enum sum sum, struct history_lines *l)
{
	const struct policy_rule r = {.name = "",
				      .kind = POLICY_MAX,
				      .key = POLICY_TOTAL,
				      .metric = sum,
				      .stat = COUNTER_MEAN,
				      .each = true};
	struct err e = ERR_INIT;

	history_lines_init(l, &o->runs);
	return !history_series(&o->h, l, &r, PER_RUN, NULL, &e) && l->n;
}

static void list_peak(struct buf *b, const struct history_lines l[2], size_t i)
{
	static const char *const of[] = {"real", "requested"};

	for (size_t k = 0; k < 2; k++)
		if (l[k].n && !isnan(l[k].items[0].v[i])) {
			json_key(b, "peak");
			buf_addf(b, "%.0f", l[k].items[0].v[i]);
			text(b, "peak_of", of[k]);
			return;
		}
	text(b, "peak", NULL);
}

static void list_run(struct buf *b, const struct history_run *r)
{
	number(b, "run", (uint64_t)r->id);
	text(b, "date", r->date);
	text(b, "build", r->build);
	text(b, "branch", r->branch);
	text(b, "commit", r->commit);
	text(b, "machine", r->machine);
	text(b, "status", r->status);
	text(b, "file", r->file);
	text(b, "format", r->format);
	text(b, "program", r->program);
	text(b, "labels", r->labels);
	text(b, "note", r->note);
	number(b, "captures", (uint64_t)r->captures);
	number(b, "frames", (uint64_t)r->frames);
	json_key(b, "duration_ns");
	if (r->duration > 0)
		buf_add_u64(b, (uint64_t)r->duration);
	else
		buf_adds(b, "null");
	number(b, "losses", (uint64_t)r->losses);
	number(b, "guesses", (uint64_t)r->guesses);
}

static void list_runs(struct opened *o, struct buf *b)
{
	struct history_lines l[2];

	totals(o, SUM_PEAK_REAL, &l[0]);
	totals(o, SUM_PEAK_REQUESTED, &l[1]);
	json_key(b, "runs");
	buf_addc(b, '[');
	for (size_t i = 0; i < o->runs.n; i++) {
		buf_adds(b, i ? ",{" : "{");
		list_run(b, &o->runs.items[i]);
		list_peak(b, l, i);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	history_lines_release(&l[0]);
	history_lines_release(&l[1]);
}

static void list_meta(struct buf *b, const struct store_meta *m)
{
	text(b, "name", m->name);
	json_key(b, "labels");
	buf_addc(b, '{');
	for (size_t i = 0; i < m->n; i++)
		text(b, m->labels[i].name, m->labels[i].value);
	buf_addc(b, '}');
}

static void list_sessions(struct session_store *s, struct buf *b)
{
	size_t n;
	struct store_session *all = store_sessions(s, &n);

	json_key(b, "sessions");
	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		const struct store_session *one = &all[i];

		buf_adds(b, i ? ",{" : "{");
		number(b, "id", one->id);
		list_meta(b, &one->meta);
		text(b, "digest", one->digest);
		number(b, "bytes", one->bytes);
		text(b, "received", one->received);
		text(b, "state", store_states[one->state]);
		number(b, "run", (uint64_t)one->run);
		text(b, "p99_ns", one->p99);
		text(b, "reason", one->reason);
		json_key(b, "kept");
		buf_adds(b, one->gone ? "false}" : "true}");
	}
	buf_addc(b, ']');
	free(all);
}

static void list_arrivals(struct session_store *s, struct buf *b)
{
	size_t n;
	struct store_arrival *all = store_arrivals(s, &n);

	json_key(b, "arrivals");
	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_adds(b, i ? ",{" : "{");
		list_meta(b, &all[i].meta);
		number(b, "bytes", all[i].bytes);
		json_key(b, "total");
		if (all[i].file.total == STORE_UNKNOWN)
			buf_adds(b, "null");
		else
			buf_add_u64(b, all[i].file.total);
		json_key(b, "live");
		buf_adds(b, all[i].live ? "true}" : "false}");
	}
	buf_addc(b, ']');
	free(all);
}

enum status sessions_list(struct view_sessions *s, struct buf *to, struct err *e)
{
	const struct history_choice any = {.last = 0};
	struct opened o;

	if (documents_open(s, &any, &o, e))
		return err_failure(e);
	buf_addc(to, '{');
	text(to, "tracemill", TM_VERSION);
	number(to, "version", store_version(s->store));
	text(to, "store", o.h.shown);
	text(to, "gate", s->view->gate);
	text(to, "language", cli_language());
	list_sessions(s->store, to);
	list_arrivals(s->store, to);
	list_runs(&o, to);
	buf_addc(to, '}');
	documents_close(&o);
	return ST_OK;
}

/* --- documents --- */

static ssize_t documents_write(void *cookie, const char *p, size_t n)
{
	buf_add(cookie, p, n);
	return (ssize_t)n;
}

static enum status documents_render(struct table_document *d, struct buf *to, struct err *e)
{
	const struct render_options o = {.width = 0};
	FILE *f = fopencookie(to, "w", (cookie_io_functions_t){.write = documents_write});
	enum status st;

	if (!f)
		return err_sys(e, "no memory for an answer");
	st = render(d, RENDER_JSON, &o, f, e);
	fclose(f);
	return st;
}

static int word_of(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

/* What is asked of each run: a metric, and the key of rows; POLICY_TOTAL where none is given. */
static enum status take_question(struct opened *o, const struct sessions_question *q, int *key,
				 enum sum *sum, struct err *e)
{
	int sort = *q->sort ? word_of(sort_words, q->sort) : 0;

	*key = !*q->by || !strcmp(q->by, "total") ? POLICY_TOTAL : word_of(key_words, q->by);
	if (*q->by && strcmp(q->by, "total") != 0 && *key < 0)
		return err_set(e, ST_BAD, "by: '%s' is no key", q->by);
	if (sort < 0)
		return err_set(e, ST_BAD, "sort: '%s' is no metric", q->sort);
	if (!o->runs.n)
		return err_set(e, ST_ABSENT, "no run is left");
	return history_metric(&o->h, &o->runs, sort_of(sort), sum, e);
}

static struct history_choice choice_of(const struct sessions_question *q)
{
	return (struct history_choice){.branch = *q->branch ? q->branch : NULL,
				       .machine = *q->machine ? q->machine : NULL};
}

static size_t place_of_run(const struct history_runs *runs, int64_t id)
{
	size_t i = 0;

	while (i < runs->n && runs->items[i].id != id)
		i++;
	return i;
}

/* The history has sums; of frame times the store has what 99 % of the frames are no longer than. */
static enum status trend_p99(const struct view_sessions *s, struct history_lines *l, struct err *e)
{
	size_t n;
	struct store_session *all = store_sessions(s->store, &n);
	struct history_line *line;

	l->items = mem_grow(l->items, &l->cap, l->n + 1, sizeof *l->items);
	line = &l->items[l->n++];
	*line = (struct history_line){
	    .key = "total", .name = "total", .metric = "p99 frame", .type = COLUMN_TIME};
	line->v = mem_array(l->runs->n + 1, sizeof *line->v);
	for (size_t i = 0; i < l->runs->n; i++)
		line->v[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		size_t at = place_of_run(l->runs, all[i].run);

		if (at == l->runs->n || !*all[i].p99)
			continue;
		line->present += isnan(line->v[at]);
		line->v[at] = strtod(all[i].p99, NULL);
	}
	free(all);
	return line->present ? ST_OK : err_set(e, ST_ABSENT, "no run has frame times");
}

static enum status trend_sums(struct opened *o, const struct sessions_question *q,
			      struct history_lines *l, struct err *e)
{
	struct policy_rule r = {.name = "", .kind = POLICY_MAX, .stat = COUNTER_MEAN, .each = true};
	struct match *match = NULL;
	enum status st = take_question(o, q, &r.key, &r.metric, e);

	if (!st && *q->name) {
		match = match_new((struct match_place){"name", 0}, q->name, strlen(q->name), 0, e);
		st = match ? ST_OK : err_failure(e);
		r.match = &match;
		r.n_match = 1;
	}
	if (!st)
		st = history_series(&o->h, l, &r, PER_CAPTURE, NULL, e);
	match_free(match);
	return st;
}

static enum status trend_series(const struct view_sessions *s, struct opened *o,
				const struct sessions_question *q, struct history_lines *l,
				struct err *e)
{
	const struct history_steps_options steps = {{error_rate, 1}, 0, false};
	bool frames = !strcmp(q->sort, "p99-frame");
	enum status st;

	if (frames && *q->by && strcmp(q->by, "total") != 0)
		return err_set(e, ST_BAD, "sort: p99-frame is of a run as a whole");
	st = frames ? trend_p99(s, l, e) : trend_sums(o, q, l, e);
	if (st)
		return st;
	history_steps_find(l, &steps);
	history_lines_sort(l);
	return ST_OK;
}

enum status sessions_trend(struct view_sessions *s, const struct sessions_question *q,
			   struct buf *to, struct err *e)
{
	const struct history_view_options how = {
	    .top = TREND_SERIES, .values = true, .charts = true, .alpha = error_rate};
	const struct history_choice c = choice_of(q);
	struct table_document d = {.program = "tm-history", .title = "trend"};
	struct history_view *v;
	struct history_lines l;
	struct opened o;
	enum status st;

	if (documents_open(s, &c, &o, e))
		return err_failure(e);
	history_runs_gather(&o.runs);
	history_lines_init(&l, &o.runs);
	st = trend_series(s, &o, q, &l, e);
	if (!st) {
		v = history_view_new(&o.runs, &l, &how);
		document_input(&d, o.h.shown, "history");
		history_view_steps(v, &d);
		history_view_trend(v, &d);
		st = documents_render(&d, to, e);
		document_release(&d);
		history_view_free(v);
	}
	history_lines_release(&l);
	documents_close(&o);
	return st;
}

static const struct history_run *documents_run(const struct opened *o, const char *id,
					       struct err *e)
{
	char named[32];
	const struct history_run *r;

	snprintf(named, sizeof named, "#%s", id);
	r = history_run_named(&o->runs, named);
	if (!r)
		err_set(e, ST_ABSENT, "no run #%s", id);
	return r;
}

/* By the key that was asked for, else by the first of these that both know. */
static struct history_blame *compare_new(struct opened *o, const struct history_sides *sides,
					 int key, enum sum sum, bool step, struct err *e)
{
	static const enum key keys[] = {KEY_STACK, KEY_SITE, KEY_TYPE};
	struct history_blame_options how = {
	    .sum = sum, .per = -1, .top = step ? 0 : COMPARE_ROWS, .flame = !step};
	struct history_blame *b = NULL;
	bool chosen = key != POLICY_TOTAL;

	for (size_t i = 0; i < (chosen ? 1 : 3) && !b; i++) {
		*e = (struct err)ERR_INIT;
		how.by = chosen ? (enum key)key : keys[i];
		b = history_blame_new(&o->h, &sides->base, &sides->new, &how, e);
		if (!b && e->code != ST_UNSUPPORTED)
			break;
	}
	return b;
}

/* The sides of the step that the trend of this question has at a run. */
static enum status sides_of_step(const struct view_sessions *s, struct opened *o,
				 const struct sessions_question *q, struct history_sides *to,
				 struct err *e)
{
	struct sessions_question total = *q;
	const struct history_run *run;
	struct history_lines l;
	enum status st;

	snprintf(total.by, sizeof total.by, "total");
	history_runs_gather(&o->runs);
	run = documents_run(o, q->step, e);
	if (!run)
		return err_failure(e);
	history_lines_init(&l, &o->runs);
	st = trend_series(s, o, &total, &l, e);
	for (size_t i = 0; !st && !to->new.n &&i < l.n; i++)
		for (size_t k = 0; k < l.items[i].n_steps; k++)
			if (!l.items[i].steps[k].trend &&
			    &o->runs.items[l.items[i].steps[k].at] == run)
				history_sides_of(&o->runs, &l.items[i], &l.items[i].steps[k], to);
	if (!st && !to->new.n)
		st = err_set(e, ST_ABSENT, "no step at run #%s", q->step);
	history_lines_release(&l);
	return st;
}

static enum status sides_of_two(const struct opened *o, const struct sessions_question *q,
				struct history_sides *to, struct err *e)
{
	to->items[0][0] = documents_run(o, q->from, e);
	to->items[1][0] = to->items[0][0] ? documents_run(o, q->to, e) : NULL;
	to->base = (struct history_side){to->items[0], 1};
	to->new = (struct history_side){to->items[1], 1};
	return to->items[1][0] ? ST_OK : err_failure(e);
}

enum status sessions_compare(struct view_sessions *s, const struct sessions_question *q,
			     struct buf *to, struct err *e)
{
	const struct history_choice c = choice_of(q);
	struct table_document d = {.program = "tm-history"};
	struct history_sides sides = {.new = {NULL, 0}};
	struct history_blame *b = NULL;
	struct opened o;
	enum status st;
	enum sum sum;
	int key;

	if (documents_open(s, &c, &o, e))
		return err_failure(e);
	st = *q->step ? sides_of_step(s, &o, q, &sides, e) : sides_of_two(&o, q, &sides, e);
	if (!st && !take_question(&o, q, &key, &sum, e))
		b = compare_new(&o, &sides, key, sum, *q->step, e);
	st = b ? ST_OK : err_failure(e);
	if (b) {
		document_input(&d, sides.base.runs[sides.base.n - 1]->build, "base");
		document_input(&d, sides.new.runs[0]->build, "new");
		history_blame_add(b, &d);
		st = documents_render(&d, to, e);
		document_release(&d);
		history_blame_free(b);
	}
	documents_close(&o);
	return st;
}

enum status sessions_note(struct view_sessions *s, int64_t run, const char *note, struct err *e)
{
	struct history h;
	enum status st = history_open(&h, s->where, DB_WRITE, WAIT_SECONDS, e);

	if (!st)
		st = history_set_note(&h, run, note, e);
	history_close(&h);
	return st;
}
