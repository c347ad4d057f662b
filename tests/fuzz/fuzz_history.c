/* SPDX-License-Identifier: MIT
 *
 * A store of runs from elsewhere: a SQLite file of any bytes, read as tm-history reads it. What
 * cannot be read says why; texts that are always there are; runs come by date; a series has a value
 * per run; aggregates are read as any aggregate; all views are made.
 *
 * Then one of its aggregates is added as a new run, on a share of the inputs: it is refused with a
 * reason, or is there once, however often it is added.
 */
#include "lib/base/hash.h"
#include "lib/group/metric.h"
#include "lib/history/view.h"
#include "lib/profile/read.h"
#include "lib/render/render.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { AGGREGATES = 4, SHARE_ADDED = 4 };

static char path[2048];

#define must(fact)                                                                         \
	do {                                                                               \
		if (!(fact)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact); \
			abort();                                                           \
		}                                                                          \
	} while (0)

static void clean_up(void)
{
	static const char *const behind[] = {"", "-journal", "-wal", "-shm"};
	char name[2100];

	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		snprintf(name, sizeof name, "%s%s", path, behind[i]);
		unlink(name);
	}
}

static void put_file(const void *p, size_t n)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	if (!*path) {
		snprintf(path, sizeof path, "%.2000s/fuzz-store-%d", tmp ? tmp : "/tmp",
			 (int)getpid());
		atexit(clean_up);
	}
	clean_up();
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static void aggregates(struct history *h, const struct history_runs *runs)
{
	for (size_t i = 0; i < runs->n && i < AGGREGATES; i++) {
		struct buf b = BUF_INIT;
		struct err e = ERR_INIT;
		struct profile s;
		struct profile_entities t;
		struct cursor c;

		if (history_aggregate(h, runs->items[i].id, &b, &e)) {
			must(e.msg[0]);
		} else {
			cursor_init(&c, b.data, b.len, 0, &e);
			entities_init(&t, NULL);
			if (!profile_read(&c, &t, &s, &e))
				profile_release(&s);
			else
				must(e.msg[0]);
			entities_release(&t);
		}
		buf_release(&b);
	}
}

static void show(const struct history_runs *runs, const struct history_lines *l)
{
	struct history_view_options o = {.top = 5, .values = true, .charts = true, .alpha = 0.05};
	struct history_view *v = history_view_new(runs, l, &o);
	struct render_options how = {.width = 80};
	struct table_document d = {.program = "fuzz"};
	FILE *null = fopen("/dev/null", "w");
	struct err e = ERR_INIT;

	history_view_runs(v, &d);
	history_view_trend(v, &d);
	history_view_steps(v, &d);
	must(null && !render(&d, RENDER_TEXT, &how, null, &e));
	must(!render(&d, RENDER_JSON, &how, null, &e));
	fclose(null);
	document_release(&d);
	history_view_free(v);
}

static void series(struct history *h, const struct history_runs *runs, int key)
{
	struct policy_rule rule = {.name = "fuzz", .kind = POLICY_GROWTH, .key = key};
	struct history_steps_options o = {.stats = {0.05, 1}};
	struct history_lines l;
	struct err e = ERR_INIT;

	history_lines_init(&l, runs);
	if (history_metric(h, runs, SORT_AUTO, &rule.metric, &e) ||
	    history_series(h, &l, &rule, PER_FRAME, NULL, &e)) {
		must(e.msg[0]);
	} else {
		history_steps_find(&l, &o);
		history_lines_sort(&l);
		for (size_t i = 0; i < l.n; i++)
			must(l.items[i].present <= runs->n);
		show(runs, &l);
	}
	history_lines_release(&l);
}

/* How many runs have the build that is added here; false: the store cannot be read. */
static bool count_added(uint64_t *n)
{
	struct history_choice ours = {.build = "fuzz-added"};
	struct history_runs runs;
	struct err e = ERR_INIT;
	struct history h;
	bool ok = !history_open(&h, path, DB_READ, 0, &e) && !history_runs(&h, &ours, &runs, &e);

	if (ok) {
		*n = runs.n;
		history_runs_release(&runs);
	}
	must(ok || e.msg[0]);
	history_close(&h);
	return ok;
}

static enum status add(struct history *h, const struct buf *aggregate, struct err *e)
{
	const struct history_labels l = {
	    .build = "fuzz-added", .date = "2026-01-09T00:00:00Z", .status = "green"};
	struct history_added added;
	struct profile_entities t;
	struct profile s;
	struct cursor c;
	enum status st;

	entities_init(&t, NULL);
	cursor_init(&c, aggregate->data, aggregate->len, 0, e);
	st = profile_read(&c, &t, &s, e);
	if (!st) {
		st = history_add(h, aggregate, &t, &s, &l, "fuzz", &added, e);
		profile_release(&s);
	}
	entities_release(&t);
	must(!st || e->msg[0]);
	return st;
}

static void add_to_it(const void *p, size_t n, int64_t run)
{
	uint64_t before, after;
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct history h;
	bool added = false;

	put_file(p, n);
	if (!count_added(&before))
		before = UINT64_MAX;
	if (history_open(&h, path, DB_CREATE, 0, &e))
		must(e.msg[0]);
	else if (!history_aggregate(&h, run, &b, &e))
		added = !add(&h, &b, &e) && !add(&h, &b, &e);
	history_close(&h);
	if (added && before < UINT64_MAX && count_added(&after))
		must(after == before || after == before + 1);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct history_choice any = {.branch = NULL};
	struct history_runs runs = {.items = NULL};
	struct err e = ERR_INIT;
	struct history h;
	int64_t run = 0;

	put_file(data, n);
	if (history_open(&h, path, DB_READ, 0, &e)) {
		must(e.msg[0]);
	} else if (history_runs(&h, &any, &runs, &e)) {
		must(e.msg[0]);
	} else {
		for (size_t i = 0; i < runs.n; i++) {
			const struct history_run *r = &runs.items[i];

			must(r->date && r->added && r->build && r->status);
			must(!i || strcmp(r[-1].date, r->date) <= 0);
		}
		aggregates(&h, &runs);
		for (int key = 0; runs.n && key <= POLICY_TOTAL; key++)
			series(&h, &runs, key);
		run = runs.n ? runs.items[0].id : 0;
		history_runs_release(&runs);
	}
	history_close(&h);
	if (hash_bytes(data, n) % SHARE_ADDED == 0)
		add_to_it(data, n, run);
	return 0;
}
