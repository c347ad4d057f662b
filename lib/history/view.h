/* SPDX-License-Identifier: MIT
 *
 * The documents of tm-history: the runs of a store, values along them with their steps, as tables
 * and charts. Everything a view is made from outlives it.
 */
#ifndef TM_HISTORY_VIEW_H
#define TM_HISTORY_VIEW_H

#include "lib/history/series.h"
#include "lib/table/document.h"

struct history_view;

struct history_view_options {
	size_t top;        /* series to show; 0: all */
	bool values;       /* a row per run and series too */
	bool values_first; /* before the others: for what holds one table */
	bool charts;
	double alpha; /* that steps were found with, for the notes, */
	bool joint;   /* and whether all series share it */
};

struct history_view *history_view_new(const struct history_runs *runs,
				      const struct history_lines *l, /* NULL: runs only */
				      const struct history_view_options *o);
void history_view_free(struct history_view *v); /* accepts NULL */

/* Table "runs". */
void history_view_runs(struct history_view *v, struct table_document *d);
/* Table "series", charts, table "values". */
void history_view_trend(struct history_view *v, struct table_document *d);
/* Table "steps": all of them, the latest first. */
void history_view_steps(struct history_view *v, struct table_document *d);

/* Which series are one by a guess, as a sentence; nothing where none are. */
void history_renamed_text(const struct history_lines *l, struct buf *to);

/* The latest step upwards, of the line where it is largest; NULL: none. */
const struct stats_step *history_last_rise(const struct history_lines *l,
					   const struct history_line **line);

#endif
