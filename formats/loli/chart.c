/* SPDX-License-Identifier: MIT
 *
 * The memory chart of a `.loli` file as counters: what `dumpsys meminfo` said every so often while
 * the capture ran, in MB with decimals. The series have no names in the file; programs have
 * always written the same six.
 *
 * Times are seconds. Early builds without Qt wrote ms under the same version number, which the last
 * record's time shows, and where that is too early, the distance between points: no agent asks only
 * every 100 seconds. (LoliProfiler's own rule.)
 */
#include "formats/loli/file.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINT_SIZE = 16, NAMED = 6 };

static const char *const names[NAMED] = {"total",      "native-heap", "gfx-dev",
					 "egl-mtrack", "gl-mtrack",   "unknown"};

static double be_double(const uint8_t *p)
{
	uint64_t bits = be64(p);
	double d;

	memcpy(&d, &bits, sizeof d);
	return d;
}

void loli_chart_index(struct loli_file *f)
{
	struct loli_chart *c = &f->chart;

	loli_file_u32(f); /* the ceiling of the chart as it was shown */
	c->series = loli_file_count(f);
	for (uint32_t i = 0; i < c->series && !cursor_failed(f->c); i++) {
		uint32_t n = loli_file_count(f);
		const uint8_t *p;
		double before = 0;

		for (uint32_t k = 0; k < n && (p = cursor_bytes(f->c, POINT_SIZE, "chart")); k++) {
			double x = be_double(p);

			c->last = x > c->last ? x : c->last;
			if (!i && k && x > before && c->n_gaps < LOLI_CHART_GAPS)
				c->gaps[c->n_gaps++] = x - before;
			before = x;
			c->points++;
		}
	}
}

static int loli_chart_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool in_ms(struct loli_file *f)
{
	struct loli_chart *c = &f->chart;
	double ratio = c->last > 0 ? f->last_ms / c->last : 0;

	if (f->last_ms >= 10000 && ratio >= 100)
		return false;
	if (f->last_ms >= 10000 && c->last > 0 && ratio <= 10)
		return true;
	sort_array(c->gaps, c->n_gaps, sizeof *c->gaps, loli_chart_by_value);
	return c->n_gaps && c->gaps[c->n_gaps / 2] >= 100;
}

static uint32_t counter_of(struct loli_file *f, uint32_t series)
{
	struct buf name = BUF_INIT;
	uint32_t counter;

	if (f->chart.series == NAMED)
		buf_addf(&name, "meminfo.%s", names[series]);
	else
		buf_addf(&name, "meminfo.series-%u", series + 1);
	counter = emit_counter_id(f->l.im, buf_str(&name), "B");
	buf_release(&name);
	return counter;
}

/* False: a number that is no time, or no size. */
static bool reading(const uint8_t *p, double unit, int64_t *at, int64_t *bytes)
{
	double time = be_double(p) * unit, value = be_double(p + 8) * (1 << 20);

	if (!(time >= 0 && time < 9e18 && value >= 0 && value < 9e18))
		return false;
	*at = llround(time);
	*bytes = llround(value);
	return true;
}

enum status loli_chart_push(struct loli_file *f, struct err *e)
{
	struct loli_chart *c = &f->chart;
	bool ms = c->points && in_ms(f);
	enum status st = ST_OK;
	uint32_t series;

	if (ms)
		trace_note(f->l.im->t, NOTE_GUESS, 0,
			   "times of the memory chart are read as ms, not seconds");
	loli_file_u32(f);
	series = loli_file_count(f);
	for (uint32_t i = 0; !st && i < series && !cursor_failed(f->c); i++) {
		uint32_t n = loli_file_count(f);
		uint32_t counter = n && i < LOLI_CHART_SERIES ? counter_of(f, i) : 0;
		int64_t at, bytes;
		const uint8_t *p;

		for (uint32_t k = 0; !st && k < n; k++) {
			p = cursor_bytes(f->c, POINT_SIZE, "chart");
			if (!p)
				break;
			if (i >= LOLI_CHART_SERIES)
				c->unnamed++;
			else if (reading(p, ms ? 1e6 : 1e9, &at, &bytes))
				st = emit_counter(f->l.im, counter, KNOWN(at), bytes, e);
			else
				c->refused++;
		}
	}
	return st;
}

void loli_chart_notes(const struct loli_file *f)
{
	const struct loli_chart *c = &f->chart;
	struct trace *t = f->l.im->t;
	const struct trace_loss losses[] = {
	    LOSS_WITH(
		NOTE_GUESS, c->points && c->series != NAMED ? c->series : 0,
		"series are in the memory chart, where programs write {}: their names are unknown",
		NAMED),
	    LOSS(NOTE_LOSS, c->refused,
		 "points of the memory chart have an invalid time or size: left out"),
	    LOSS_WITH(NOTE_LOSS, c->unnamed,
		      "points are of series of the memory chart above the limit of {}: left out",
		      LOLI_CHART_SERIES),
	};

	TRACE_LOSSES(t, losses);
}
