/* SPDX-License-Identifier: MIT
 *
 * The memory chart of a .loli file: what dumpsys meminfo said about the process, some six numbers
 * every few seconds, as counters of the trace. Points are (x, y): x in seconds since the start, y
 * in MiB, which are KiB / 1024 when they are made. Two builds wrote milliseconds for x; nothing
 * says so but the times of the records, so that is a guess.
 */
#include "formats/loli_file.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1 << 20, SECONDS_RATIO = 10, LONG_MS = 10000 };

static double f64(const uint8_t *p)
{
	uint64_t bits = loli_be64(p);
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static void take(struct loli_chart *c, uint32_t series, const uint8_t *p)
{
	double x = f64(p), y = f64(p + 8);

	/* Also false for what is no number. */
	if (!(x >= 0 && x < 1e9 && y >= 0 && y < 1e9) || c->n == POINTS_MAX) {
		c->odd++;
		return;
	}
	VEC_PUSH(c->points, c->n, c->cap) =
	    (struct loli_point){x, llround(y * 1024) * 1024, series};
	if (x > c->last)
		c->last = x;
}

void loli_chart_read(struct loli_file *f, bool keep)
{
	uint32_t series;

	loli_file_u32(f); /* the top of the chart, in MiB */
	series = loli_file_count(f);
	for (uint32_t i = 0; i < series && !cursor_failed(f->c); i++) {
		uint32_t n = loli_file_count(f);

		if (!keep)
			cursor_skip(f->c, (uint64_t)n * 16, "chart");
		for (uint32_t k = 0; keep && k < n; k++) {
			const uint8_t *p = cursor_bytes(f->c, 16, "chart");

			if (!p)
				return;
			take(&f->chart, i, p);
		}
	}
}

static int order(const void *a, const void *b)
{
	const struct loli_point *p = a, *q = b;

	if (p->x < q->x || q->x < p->x)
		return p->x < q->x ? -1 : 1;
	return p->series < q->series ? -1 : p->series > q->series;
}

void loli_chart_sort(struct loli_file *f)
{
	struct loli_chart *c = &f->chart;

	if (!c->n)
		return;
	qsort(c->points, c->n, sizeof *c->points, order);
	c->ms = f->diff.last_ms >= LONG_MS && c->last > 0 &&
		(double)f->diff.last_ms / c->last <= SECONDS_RATIO;
}

enum status loli_chart_push(struct loli_file *f, int64_t until_ms, struct err *e)
{
	static const char *const names[] = {"loli.memory",     "loli.native-heap", "loli.gfx-dev",
					    "loli.egl-mtrack", "loli.gl-mtrack",   "loli.unknown"};
	struct loli_chart *c = &f->chart;
	struct trace *t = f->l.im->t;
	enum status st = ST_OK;

	for (; !st && c->next < c->n; c->next++) {
		const struct loli_point *p = &c->points[c->next];
		struct event ev = {.kind = EV_COUNTER,
				   .has = EV_HAS_TYPE | EV_HAS_VALUE | EV_HAS_TIME,
				   .count = 1,
				   .value = p->bytes};
		char other[32];
		const char *name = other;

		ev.time = llround(p->x * (c->ms ? 1e6 : 1e9));
		if (ev.time / 1000000 > until_ms)
			break;
		if (p->series < sizeof names / sizeof *names)
			name = names[p->series];
		else
			snprintf(other, sizeof other, "loli.series-%" PRIu32, p->series + 1);
		ev.type =
		    trace_counter(t, &(struct counter){trace_strz(t, name), trace_strz(t, "B")});
		st = import_event(f->l.im, &ev, e);
	}
	return st;
}

void loli_chart_end(struct loli_file *f)
{
	struct trace *t = f->l.im->t;

	if (f->chart.odd)
		trace_note(t, NOTE_LOSS, f->chart.odd,
			   "points of the memory chart are left out: no numbers, negative, or more "
			   "than %d",
			   POINTS_MAX);
	if (f->chart.ms)
		trace_note(t, NOTE_GUESS, 0,
			   "times of the memory chart are taken for milliseconds, as those of the "
			   "records are");
}
