/* SPDX-License-Identifier: MIT
 *
 * A row per frame (or per step of time): what it allocated and freed, what was live after it, and
 * over all of them percentiles, spikes, the trend of what is live, and where stacks first appear.
 * Memory is O(frames + distinct cells), and that of tally/slices.h; frames_by has no rows of its own.
 *
 * Frames stay in the order of the capture. Numbers that go back or repeat make rows of their own,
 * and a note. The events before the first frame are a row without a number: a state, not a frame,
 * so no statistics look at it. Steps of time in which nothing happens are no rows, but count as
 * zeros in the statistics.
 */
#ifndef TM_REPORT_FRAMES_FRAMES_H
#define TM_REPORT_FRAMES_FRAMES_H

#include "lib/group/grouped_profile.h"
#include "lib/group/read_aggregate.h"
#include "lib/report/frames/counters.h"
#include "lib/table/document.h"

/* What a frame has in addition to its sums; from FRAME_METRICS on: counters
 * (report/frames/counters.h). */
enum { FRAME_DURATION = SUMS, FRAME_METRICS };
enum { FRAMES_AUTO = -1 }; /* the first that has a value, in the order of sort_first */

enum spike_rule { SPIKE_VALUE, SPIKE_MEDIAN, SPIKE_MAD, SPIKE_SHARE };

struct spike {
	enum spike_rule rule;
	int metric;          /* an enum sum, FRAME_DURATION or FRAMES_AUTO */
	decimal value;       /* SPIKE_VALUE: in the metric's unit; else the factor, or percent */
	const char *text;    /* as given */
	const char *counter; /* NULL, or the name of the counter that metric becomes */
	bool time;           /* of a counter: the value is in ns, whatever the counter's unit is */
};

enum { SPIKES_MAX = 16, FRAMES_TOPS_MAX = 20 };

/* "VALUE", "METRIC>VALUE" or "counter:NAME>VALUE": more than 1MiB, 3x (times the median of all
 * frames), 6mad (so many median absolute deviations above the median), 33ms, 20% (of the frame's
 * duration). Without a metric, a time means the duration, a percentage the time in calls, and the rest
 * what is sorted by. The text is borrowed. */
enum status spike_parse(struct spike *s, const char *text, struct err *e);
/* The words of metrics on the command line: "requested", "live-real", ..., "duration". */
const char *frame_metric_word(int metric); /* below FRAME_METRICS: as options have it */

struct frames_options {
	struct grouped_profile_options
	    project;              /* filters, domain and the like; by[0]: what tops are of */
	int64_t every;            /* ns; 0: by frames */
	int sort;                 /* FRAMES_AUTO, an enum sum or FRAME_DURATION */
	const char *sort_counter; /* NULL, or instead: a counter's name */
	bool sorted;              /* rows by it, largest first; else in the capture's order */
	uint64_t n;               /* rows; 0: all */
	unsigned tops;            /* beneath each frame: the largest groups of by[0] */
	bool page;                /* charts of the frames' time and of counters, too */
	bool news;                /* stacks that appear for the first time (by[1] is stacks) */
	bool bare;                /* only rows are asked for: groups may be none */
	struct spike spikes[SPIKES_MAX];
	size_t n_spikes;
};

struct frame {
	int64_t number, start, duration;
	uint32_t name;    /* in frames.names; 0: none */
	uint32_t capture; /* from 1 */
	uint32_t news;    /* stacks that no frame before had */
	uint32_t first_top, n_tops;
	uint8_t kind; /* enum slice_kind */
	bool has_start, has_duration, has_main;
	uint16_t spikes; /* bits */
	uint64_t main;   /* ns in the main thread's calls */
};

struct frame_top {
	uint32_t group;
	uint64_t value;
};

struct frame_new {
	uint32_t frame, group; /* index of the frame; group of the stack */
	uint64_t entries, value;
};

struct frames {
	struct grouped_profile project;
	struct frames_options options;
	struct intern names;
	struct frame *rows;
	size_t n, cap;
	struct profile_columns sums; /* by row */
	struct frames_counters counters;
	struct frame_top *tops;
	size_t n_tops, cap_tops;
	struct frame_new *fresh;
	size_t n_fresh, cap_fresh;
	uint64_t backward,
	    repeated;   /* frames whose number goes back, or is that of the one before */
	uint64_t early; /* marks of frames behind events of their time */
	uint64_t
	    by_calls; /* frames without a time: their duration is that of the main thread's calls */
	unsigned known; /* SUM_BITs that any capture knows, and that what is selected can have: what
			 * is live only where allocations can be followed, times where calls came */
	unsigned valued;    /* of them: not 0 in a row */
	unsigned estimated; /* of them: live in captures whose events have any order */

	/* Of aggregates: what each metric was in any frame, and how many captures they were made of. */
	struct frames_merged {
		struct aggregate_value values[FRAME_METRICS];
		uint64_t captures;
	} merged;
	int sort; /* options.sort, or what options.sort_counter was found to be */

	struct frames_slicing *slicing; /* what slices are taken in with; frames.c */
};

void frames_init(struct frames *f, const struct frames_options *o); /* f stays where it is */
void frames_release(struct frames *f);
static inline struct sink *frames_sink(struct frames *f)
{
	return grouped_profile_sink(&f->project);
}
/* An aggregate, as if its captures had been read: a row per number of a frame, which is the mean of
 * the captures that have it. ST_UNSUPPORTED: an option on frames needs events. */
enum status frames_aggregate(struct frames *f, struct cursor *c,
			     const struct aggregate_asked *asked, struct err *e);
/* Whether everything came from aggregates: f->merged then has all frames. */
static inline bool frames_are_merged(const struct frames *f)
{
	return f->merged.captures && f->merged.captures == f->project.now.captures;
}
/* The name of the input that a place is in; NULL: not known. */
const char *frames_input(const struct frames *f, uint64_t hash);
/* The metric that an automatic choice settles on. */
int frames_metric(const struct frames *f, int metric);
bool frames_is_time(int metric);
/* What groups within a frame are weighed by: they have no duration and no counters. */
int frames_weight(const struct frames *f);
bool frames_known(const struct frames *f, int metric);
static inline bool frames_signed(int metric)
{
	return metric >= FRAME_METRICS || sum_is_signed((unsigned)metric);
}
/* False: it has none. */
bool frames_value(const struct frames *f, size_t row, int metric, decimal *v);

/* report/frames/report.c: everything as a document of tables and a chart; f must outlive it. NULL:
 * a wanted metric is not known. */
struct frames_report *frames_report_new(struct frames *f, struct err *e);
void frames_report_free(struct frames_report *r);
void frames_report_add(const struct frames_report *r, struct table_document *d);

/* pacing.c: a column for each measure of pacing (enum pacing_metric, in that order). */
void frames_pacing_columns(struct table_column *to);

#endif
