/* SPDX-License-Identifier: MIT
 *
 * Internal to frames.h: the tables of a report on frames.
 */
#ifndef TM_REPORT_FRAMES_REPORT_H
#define TM_REPORT_FRAMES_REPORT_H

#include "lib/base/arena.h"
#include "lib/group/chain.h"
#include "lib/report/frames/frames.h"
#include "lib/report/frames/stats.h"

enum frames_what {
	FRAMES_CAPTURE,
	FRAMES_NUMBER,
	FRAMES_NAME,
	FRAMES_START,
	FRAMES_METRIC,
	FRAMES_NEWS,
	FRAMES_SPIKES,
};

enum {
	COUNTERS_SHOWN = 8, /* people see no more */
	FRAMES_STATS = 7,
	FRAMES_NEW_COLUMNS = 8,
	FRAMES_RUN_COLUMNS = 10
};

struct frames_run { /* rows [first, last] that break a rule one after the other */
	uint32_t first, last, worst;
	uint8_t spike;
};

enum { FRAMES_LINES = 12 }; /* of a chart */

struct frames_report {
	struct frames *f;
	int sort;
	struct arena arena;
	struct table table; /* a row per frame */
	struct table_column *columns;
	size_t cap_columns, cap_sources;
	struct frames_source {
		enum frames_what what;
		int metric;
	} * sources;
	uint32_t *order; /* of rows */
	struct buf text, top_text, run_text, new_text;
	const char *details[FRAMES_TOPS_MAX];
	const char **notes;
	size_t n_notes, cap_notes;

	bool has_growth;
	struct frames_growth growth; /* of what is live */

	struct table statistics;
	struct table_column *stat_columns; /* in the arena, as are the cells */
	struct table_cell *stat_cells[FRAMES_STATS];

	struct table pacing;
	struct frames_section *sections; /* pacing.c */
	size_t n_sections, cap_sections;

	struct table spikes;
	struct frames_run *runs;
	size_t n_runs, cap_runs;
	decimal limits[SPIKES_MAX];
	uint16_t limited; /* rules that have a limit */

	struct table news;
	struct stack_cut new_cut;
	struct table_column new_columns[FRAMES_NEW_COLUMNS];
	struct table_column run_columns[FRAMES_RUN_COLUMNS];

	struct table_series series;
	struct series_line lines[FRAMES_LINES];
	struct series_mark *series_marks;
	struct series_limit series_limits[SPIKES_MAX];
};

const char *frames_title(struct frames_report *r, int metric);
const char *frames_key(struct frames_report *r, int metric);      /* of CSV */
enum column_type frames_type(const struct frames *f, int metric); /* f: for counters only */
void frames_value_text(struct buf *b, const struct frames *f, int metric, decimal v);
/* The calls of a stack of the profile, as chain_join has them. cut: NULL: it is whole. */
void frames_stack_text(struct buf *b, const struct grouped_profile *p, const struct stack_cut *cut,
		       uint32_t stack);
void frames_note(struct frames_report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void frames_find_spikes(struct frames_report *r); /* marks rows, fills r->spikes, r->news */
/* How evenly frames came, all of a capture and section by section; no rows: too few frames have durations. */
void frames_add_pacing(struct frames_report *r);
void frames_add_statistics(struct frames_report *r);
void frames_add_chart(struct frames_report *r);

#endif
