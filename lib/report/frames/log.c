/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/log.h"

#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/select/selector.h"
#include "lib/trace/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_COLUMNS = 6, LOG_MOST = 10000 };

struct log_line {
	uint32_t text, level, thread; /* of texts; 0: not known */
	bool has_frame, has_time;
	int64_t frame, time;
	uint64_t capture; /* which, from 1 */
};

struct frames_log {
	struct sink_tap tap; /* first */
	uint64_t most, all, captures;
	struct intern texts;
	struct log_line *lines;
	size_t n, cap;
	/* of the capture */
	struct selector selector;
	struct table table;
	struct table_column columns[LOG_COLUMNS];
	char title[80];
};

static enum status frames_log_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct frames_log *l = (struct frames_log *)tap;

	(void)e;
	l->captures++;
	selector_begin(&l->selector, t);
	return ST_OK;
}

static uint32_t log_text(struct frames_log *l, const struct trace *t, uint32_t string)
{
	size_t n;
	const char *s = intern_text(&t->strings, string, &n);

	return string ? intern_add(&l->texts, s, n) : 0;
}

static bool log_is_selected(struct frames_log *l, const struct trace *t, const struct event *ev)
{
	const struct tally_selection *s = l->selector.selection;

	return selector_has_place(&l->selector) && selection_has_size(s, ev) &&
	       (!s->n_threads ||
		(ev->has & EV_HAS_THREAD && selector_has_thread(&l->selector, t, ev->thread)));
}

static void frames_log_line(struct frames_log *l, const struct trace *t, const struct event *ev)
{
	struct log_line line = {.has_frame = l->selector.mark != NULL,
				.has_time = ev->has & EV_HAS_TIME,
				.frame = l->selector.at.frame,
				.time = ev->time,
				.capture = l->captures};

	if (!log_is_selected(l, t, ev))
		return;
	l->all++;
	if (l->n == l->most)
		return;
	line.text = log_text(l, t, ev->has & EV_HAS_NAME ? ev->name : 0);
	line.level = log_text(l, t, ev->has & EV_HAS_TYPE ? t->markers[ev->type].name : 0);
	if (ev->has & EV_HAS_THREAD) {
		char tid[32];
		int n = snprintf(tid, sizeof tid, "%" PRIu64, t->threads[ev->thread].tid);

		line.thread = log_text(l, t, t->threads[ev->thread].name);
		if (!line.thread)
			line.thread = intern_add(&l->texts, tid, (size_t)n);
	}
	VEC_PUSH(l->lines, l->n, l->cap) = line;
}

static enum status frames_log_batch(struct sink_tap *tap, struct trace *t,
				    const struct sink_batch *b, struct err *e)
{
	struct frames_log *l = (struct frames_log *)tap;
	const struct event *ev = b->rows;

	(void)e;
	for (size_t i = 0; i < b->n; i++) {
		selector_take(&l->selector, &ev[i]);
		if (ev[i].kind == EV_LOG)
			frames_log_line(l, t, &ev[i]);
	}
	return ST_OK;
}

static const struct tap_hooks frames_log_hooks = {.begin = frames_log_begin,
						  .batch = frames_log_batch};

static struct table_cell log_cell(const struct frames_log *l, uint32_t text)
{
	size_t n;
	const char *s = intern_text(&l->texts, text, &n);

	return text ? cell_text(s, n) : (struct table_cell){.present = false};
}

static void frames_log_fill(void *arg, size_t i, struct table_row *row)
{
	const struct frames_log *l = arg;
	const struct log_line *line = &l->lines[i];

	if (line->has_frame)
		row->cells[0] = cell_signed(line->frame);
	if (line->has_time)
		row->cells[1] = cell_signed(line->time);
	row->cells[2] = log_cell(l, line->level);
	row->cells[3] = log_cell(l, line->thread);
	row->cells[4] = log_cell(l, line->text);
	row->cells[5] = cell_number(line->capture);
}

const struct table *frames_log_table(struct frames_log *l)
{
	if (!l->all)
		return NULL;
	l->columns[0] = (struct table_column){.key = "frame", .title = "frame", .type = COLUMN_INT};
	l->columns[1] =
	    (struct table_column){.key = "time_ns", .title = "time", .type = COLUMN_TIME};
	l->columns[2] =
	    (struct table_column){.key = "level", .title = "level", .type = COLUMN_TEXT};
	l->columns[3] =
	    (struct table_column){.key = "thread", .title = "thread", .type = COLUMN_TEXT};
	l->columns[4] = (struct table_column){
	    .key = "text", .title = "log", .type = COLUMN_TEXT, .flags = COLUMN_SHORTEN};
	/* Behind the others: scripts cut lines of CSV by their first columns. */
	l->columns[5] = (struct table_column){.key = "capture",
					      .title = "capture",
					      .type = COLUMN_INT,
					      .flags = l->captures > 1 ? 0 : COLUMN_NOT_TEXT};
	snprintf(l->title, sizeof l->title, "%zu of %" PRIu64 " line%s of the log", l->n, l->all,
		 plural_s(l->all));
	l->table = (struct table){.name = "log",
				  .title = l->title,
				  .columns = l->columns,
				  .n_columns = LOG_COLUMNS,
				  .n_rows = l->n,
				  .fill = frames_log_fill,
				  .arg = l};
	return &l->table;
}

struct frames_log *frames_log_new(struct sink *to, const struct tally_selection *selection,
				  uint64_t n)
{
	struct frames_log *l = mem_zalloc(sizeof *l);

	sink_tap_init(&l->tap, to, &frames_log_hooks, true);
	l->selector.selection = selection;
	l->most = n && n < LOG_MOST ? n : LOG_MOST;
	return l;
}

void frames_log_free(struct frames_log *l)
{
	if (!l)
		return;
	intern_release(&l->texts);
	selector_release(&l->selector);
	free(l->lines);
	free(l);
}

struct sink *frames_log_sink(struct frames_log *l)
{
	return &l->tap.sink;
}
