/* SPDX-License-Identifier: MIT
 *
 * Values along frames or time, for a chart: one x per point, any number of lines over it, marks on
 * ranges of points, limits as horizontal lines. Everything is borrowed.
 */
#ifndef TM_TABLE_SERIES_H
#define TM_TABLE_SERIES_H

#include "lib/table/table.h"

#define SERIES_ABSENT \
	((decimal)((unsigned __int128)1 << 127)) /* no value at this point: a gap, not 0 */

struct series_line {
	const char *key; /* as a column's */
	const char *title;
	enum column_type type; /* any but COLUMN_TEXT */
	unsigned decimals;
	const decimal *y; /* n_points, in the type's unit */
};

struct series_mark {
	size_t first, last; /* points, both included */
	enum mark mark;
	const char *text; /* "spike: 3.2 x the median"; may be NULL */
};

struct series_limit {
	size_t line; /* in whose unit */
	decimal value;
	const char *title; /* "budget", "p95" */
};

struct table_series {
	const char *name; /* as a table's */
	const char *title;
	const char *x_title;     /* "frame", "time" */
	enum column_type x_type; /* COLUMN_INT or COLUMN_TIME */
	/* Differences matter, not sizes: charts begin near the least value and not at 0. */
	bool cropped;
	size_t n_points;
	const int64_t *x;          /* ascending */
	const char *const *labels; /* a name per point, each may be NULL; NULL: none */
	const int64_t *time;       /* ns since the start, per point; NULL: not known */
	struct series_line *lines;
	size_t n_lines;
	struct series_mark *marks;
	size_t n_marks;
	struct series_limit *limits;
	size_t n_limits;
};

#endif
