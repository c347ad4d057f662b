/* SPDX-License-Identifier: MIT
 *
 * A session: the files of a folder that are of one run, each with its clock, and what is known of each frame. The axis is
 * the clock and the frames of the file with most frames that have times; without such a file it has no frames.
 *
 * Memory is O(frames x parts) and that of lib/tally/slices.h, of one file at a time.
 */
#ifndef TM_CMD_SESSION_SESSION_H
#define TM_CMD_SESSION_SESSION_H

#include "lib/cli/autosymbolize.h"
#include "lib/cli/cli.h"
#include "lib/report/frames/frames.h"
#include "lib/report/frames/lines.h"
#include "lib/session/axis.h"
#include "lib/table/document.h"

enum {
	SESSION_FILES = 4096,
	SESSION_DEPTH = 8,    /* of folders in the folder */
	SESSION_LINES = 32,   /* of a log, of each frame that is shown */
	SESSION_STEPS = 8,    /* of a run, for growth */
	SESSION_PARTS = 16,   /* of a step: so finely its ends are known */
	SESSION_SITES = 3,    /* of a part in a frame */
	SESSION_LONGEST = 5,  /* frames, by duration */
	SESSION_MOST = 3,     /* and by each part */
	SESSION_OUTLIER = 4,  /* times the median: a frame is shown for what a part did in it */
	SESSION_LEAKS = 20,   /* rows */
	SESSION_COUNTERS = 8, /* of a file, that are shown in a frame */
	SESSION_NAMED = 20,   /* of what is passed over, by name */
};

/* Why what lies in the folder is passed over. */
enum session_passed { PASSED_DEEP, PASSED_LINK, PASSED_BROKEN, PASSED_SPECIAL, PASSED_REASONS };

/* What one file says of one domain, of its calls, or its counters. */
enum { PART_CALLS = DOMAINS, PART_COUNTERS };

struct session_part {
	unsigned what; /* an enum domain, PART_CALLS or PART_COUNTERS */
	bool placed;   /* its frames are those of the axis */
	struct frames frames;
	struct frames_lines *lines; /* what is live, by site; NULL: not asked for */
	/* Of growth, times of the file: where each step ends, which has as many frames as the
	 * others; [0]: where the first begins. Without frames, steps are of equal time. */
	int64_t steps[SESSION_STEPS + 1];
	bool cut;        /* the file goes on after the last step */
	int64_t every;   /* of lines */
	uint32_t *rows;  /* by frame of the axis: its row + 1 */
	enum sum bytes;  /* SUM_REQUESTED or SUM_REAL; of calls: SUM_TIME_SELF */
	uint64_t median; /* of a frame; of calls: ns */
};

struct session_line {       /* of a log */
	int64_t time;       /* of the axis */
	int64_t away;       /* ns before or behind the frame; 0: in it */
	uint64_t nth;       /* of the lines that may be of the frame */
	char *text, *level; /* level: "" where it has none */
};

/* Lines of a log that may be of a frame that is shown, within the error of the log's clock: those that are nearest to it,
 * the nearest first, and of equal ones the first of the file. */
struct session_lines {
	struct session_line items[SESSION_LINES];
	size_t n;
	uint64_t all; /* with those that are not kept */
};

struct session_file {
	char *path;
	const char *name; /* below the folder */
	char what[200];
	bool capture;       /* tracemill reads it */
	const char *format; /* by this name only; NULL: as it is */
	bool surveyed;      /* and has */
	bool reading_failed;
	struct survey survey;
	struct session_clock clock, offer; /* offer: the surest so far */
	size_t through;                    /* the file by which it was aligned */
	struct session_part *parts;
	size_t n_parts;
	struct session_lines *lines; /* by frame that is shown; NULL: it has no log, or no clock */
};

struct session_worst {
	size_t frame;
	bool longest; /* by its duration */
	struct buf why;
};

struct session {
	const char *folder;
	struct session_file *files;
	size_t n, cap;
	struct buf
	    passed[PASSED_REASONS]; /* names, below the folder, the first SESSION_NAMED; "a, b" */
	size_t n_passed[PASSED_REASONS];
	size_t reference; /* the file whose clock is the axis; n: none */
	struct session_axis axis;
	size_t frames;               /* of the axis, without a mark that only ends the last */
	int64_t median;              /* duration of a frame, ns; below 0: there are no frames */
	struct session_worst *worst; /* by frame */
	size_t n_worst, cap_worst;
	struct arena texts;
};

/* folder.c: whether a path is a folder, and not one that is a capture by itself. */
bool session_is_folder(const char *path);
/* Its files, before the sandbox. */
enum status session_list(struct session *s, const char *folder, struct err *e);
/* What is passed over for a reason, in words; false: nothing is. */
bool session_passed_over(const struct session *s, enum session_passed why, struct buf *to);
/* What each file is; after the sandbox. */
void session_look(struct session *s);
/* read.c: surveys and clocks */
void session_place(struct session *s, const struct import_options *import);
/* How a file is to be read. */
struct import_options session_options_of(const struct session_file *f,
					 const struct import_options *import);
/* The same as session_place, and what is in the frames. */
void session_read(struct session *s, const struct import_options *import,
		  struct cli_symbols *symbols);
void session_release(struct session *s);

/* Whether its frames can be told apart on the axis: its clock is off by less than half a frame. */
bool session_placed(const struct session *s, const struct session_file *f);
/* The frame of the axis in which a time lies; false: none. */
bool session_frame_at(const struct session *s, int64_t time, size_t *frame);
/* A part's sum in a frame of the axis. False: not known. */
bool part_value(const struct session_part *p, size_t frame, enum sum sum, uint64_t *v);
/* Its numbers are those of a sample. */
bool part_estimated(const struct session_part *p);
const char *part_word(const struct session_part *p);
/* From the first to the last frame, or time, of the reference; 0: not known. */
int64_t session_duration(const struct session *s);

/* What is live of a site: what it had after each step. */
struct session_growth {
	const char *site;
	uint64_t before, after; /* after a quarter of the steps, and at the end */
	int64_t from, until;    /* between these, ns of the file's clock */
	unsigned rises;         /* of the steps between them */
	bool falls;
	bool whole; /* a row of all sites */
};
/* The growth of a part, by lines; n: at most most of the largest sites, and the whole first. The arena has the texts. */
size_t session_growths(struct session_part *p, struct session_growth *to, size_t most);
/* Rises in all but one of the steps at least, and never falls. */
bool session_leaks(const struct session_growth *g);

/* describe.c: what a file is, and how its clock is known */
const char *session_kind(const struct session_file *f);
void session_clock_text(const struct session *s, const struct session_file *f, struct buf *b);
/* How much faster than the session's clock it runs, as a part of 1. */
double session_clock_runs(const struct session_file *f);
/* A note on each capture. */
void session_note(const struct session *s, struct trace *t);

/* report.c */
struct session_report;
struct session_report *session_report_new(struct session *s);
/* brief: without the tables whose rows are lines beneath those of the worst frames. */
void session_report_add(struct session_report *r, struct table_document *d, bool brief);
/* The first file that has leaks; NULL: none has. */
const struct session_file *session_report_leaks(const struct session_report *r);
/* The site of the i-th leak; NULL: there are no more. Valid as long as the report. */
const char *session_report_leak(const struct session_report *r, size_t i);
void session_report_free(struct session_report *r);

/* holders.c: the last snapshot of a heap that the folder has; NULL: none. */
const struct session_file *session_snapshot(const struct session *s);
/* The objects of that snapshot, and the native blocks, that the sites of leaks made; and what holds them. NULL: nothing
 * leaks, or there is no snapshot. */
struct session_holders;
struct session_holders *session_holders_new(const struct session *s, const struct session_report *r,
					    const struct import_options *import,
					    struct cli_symbols *symbols);
void session_holders_add(const struct session_holders *h, struct table_document *d);
void session_holders_free(struct session_holders *h); /* both accept NULL */

/* trace.c: after session_place: the files whose clocks are known as one capture, with notes on all files. */
enum status session_write(const struct session *s, const struct import_options *import,
			  struct cli_symbols *symbols, struct sink *to, struct err *e);

/* compare.c: numbers of a session, and a gate over two. */
struct session_number {
	const char *title;
	char key[80];
	enum column_type type;
	unsigned decimals; /* of COLUMN_NUMBER: the value is in units of 10^-decimals */
	bool by_clock;     /* depends on how fast the machine is */
	const char *doubt; /* why it cannot be judged; NULL: it can */
	bool estimated;    /* from a sample */
	double value;
};
struct session_numbers {
	struct session_number *items;
	size_t n, cap;
	struct arena texts;
};
void session_numbers(const struct session *s, struct session_numbers *to);
void session_numbers_release(struct session_numbers *n);

struct session_limits {
	unsigned growth, slower; /* hundredths of percent */
	bool has_slower, allow_loss;
};
struct session_gate;
struct session_gate *session_gate_new(const struct session_numbers *base,
				      const struct session_numbers *now,
				      const struct session_limits *limits);
void session_gate_add(struct session_gate *g, struct table_document *d);
enum exit_status session_gate_status(const struct session_gate *g);
void session_gate_free(struct session_gate *g);

#endif
