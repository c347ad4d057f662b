/* SPDX-License-Identifier: MIT
 *
 * Tables of frames and counters as CSV, of any tool: a row of the file is a frame, or a reading of counters. What
 * one tool's columns are is a struct table_tool; columns that it does not name are counters, with the unit that
 * stands in parentheses or brackets behind their names.
 */
#ifndef TM_FORMATS_TABLE_TABLE_H
#define TM_FORMATS_TABLE_TABLE_H

#include "formats/reader.h"

enum table_role {
	TABLE_COUNTER,
	TABLE_LEFT_OUT,
	TABLE_BEGIN,    /* when the row's frame begins, or its readings were taken */
	TABLE_END,      /* when its frame ends */
	TABLE_DURATION, /* of its frame */
	TABLE_FRAME,    /* its frame's number; rows with the same number are of one frame */
	TABLE_EVENTS,   /* texts, separated by ';' */
	TABLE_PROCESS,  /* rows in which these are equal are a capture of their own */
	TABLE_MOMENT,   /* ns; a counter of the time since its frame's begin */
	TABLE_UNUSUAL,  /* where it is not 0, the row does not count */
};

struct table_rule {
	const char *name; /* in any case; "*X" and "X*" are all names that end and begin with X */
	enum table_role role;
	const char *unit; /* of a counter; NULL: as the name says */
	int64_t ns;       /* of a time's unit */
};

enum table_rows {
	TABLE_READINGS, /* a row is a frame only where there is a column of numbers */
	TABLE_FRAMES,   /* each is a frame */
	TABLE_EITHER,   /* each is a frame if durations add up to the time between the rows */
};

enum { TABLE_MARKS = 64 };

struct table_tool {
	const char *name, *what;
	const char
	    *marks[TABLE_MARKS]; /* the header of a table of this tool has all of them; rest NULL */
	const struct table_rule
	    *rules; /* the first that fits a column holds; without name: the end */
	/* Of these columns the first that there is tells the duration, the one behind it (NULL: none) when the frame
	 * begins or ends. */
	struct table_axis {
		const char *duration;
		int64_t duration_ns;
		const char *time;
		enum table_role time_role;
		int64_t time_ns;
	} axes[3];
	enum table_rows rows;
	bool
	    header_at_end; /* a more complete header may stand behind the rows, and attributes behind it */
	bool from_first; /* times count from the first row's */
	bool texts;      /* lines of other texts stand around the rows */
	bool
	    strict; /* our own counters: all columns are numbers, the first one is a time or a frame's number */
};

/* All rows of the file, with the tool that is asked for, or whose marks it has. */
enum status table_read(struct import *im, const struct table_tool *tool, struct err *e);
/* The tool of which a header stands in the first lines; NULL: none. */
const struct table_tool *table_tool_of(const uint8_t *head, size_t n,
				       const struct table_tool *tools, size_t n_tools);

#endif
