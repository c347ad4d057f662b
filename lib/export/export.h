/* SPDX-License-Identifier: MIT
 *
 * The exporters, which write captures as files of other tools. Each format is one file of this folder that ends
 * in one const struct exporter. An export takes captures through its sink, as many as come, and writes when it
 * is finished (or on the way, where its format allows). Text that a format cannot hold is changed as text.h
 * says.
 */
#ifndef TM_EXPORT_EXPORT_H
#define TM_EXPORT_EXPORT_H

#include "lib/base/cursor.h"
#include "lib/tally/metrics.h"
#include "lib/trace/sink.h"

#include <stdio.h>

/* The metrics that exporters of stacks write, in the order of their columns. SUM_TIME_SELF: of samples whose own
 * time is not known it is the time with their callees. */
struct export_metric {
	enum sum sum;
	const char *sample_type; /* pprof's word */
};

enum { EXPORT_METRICS = 11 };
extern const struct export_metric export_metrics[EXPORT_METRICS];
const char *export_metric_name(
    enum sum sum); /* in files and messages: the metric's word, or "time" */

/* Words of --sort: "auto", those of export_metrics, "time"; ends with NULL. */
const char *const *export_sort_words(void);
int export_sort_of(int word); /* an index of these -> enum sum or SORT_AUTO */

enum {
	EXPORT_DOMAIN_DEFAULT = -1,
	EXPORT_DOMAIN_ALL = DOMAINS,
	EXPORT_DOMAIN_AGENT /* LoliProfiler's stream: malloc and pool, as its agent sends both */
};

struct grouped_profile_options;

struct export_options {
	const char *const *file; /* the name of the input being read; what it points to changes */
	const char *path;        /* formats that are no stream: the file to make */
	struct cursor *original; /* formats that names are written into: the capture */
	int sort;     /* what stacks are weighted by: an enum sum or SORT_AUTO (metric.h) */
	int domain;   /* an enum domain or EXPORT_DOMAIN_... */
	bool types;   /* the type is a stack's innermost entry */
	bool mangled; /* functions are written by their linkage names */
	bool events;  /* SQLite: every event as well */
	const struct grouped_profile_options
	    *view;              /* the caller's: which calls are taken out of stacks,
						     * paths, the cost of hooks; NULL: none */
	const char *view_words; /* the same in words, for readers; NULL: nothing is taken out */
	bool live;              /* a reader waits: what came at once is written */
};

struct export
{
	struct sink *sink;
	/* Writes what is left to write. Not called when no capture came. */
	enum status (*finish)(struct export * x, struct err * e);
	void (*free)(struct export * x);
	char summary[400]; /* what finish did, in words; may be empty */
	/* Set by finish when nothing was to be written: "nothing in it ..." */
	bool loses; /* summary says what the format cannot hold */
	const char *lacks;
};

enum {
	EXPORT_BINARY = 1,   /* nothing for a terminal */
	EXPORT_FILE = 2,     /* needs a file, path */
	EXPORT_ORIGINAL = 4, /* needs the capture, original */
	EXPORT_FRAMES =
	    8, /* has frames: an event is in that which its place in the file lies behind */
	EXPORT_VIEW = 32,     /* takes calls out of stacks as options.view says */
	EXPORT_FILTERED = 16, /* says what tm-filter left of a trace */
};

enum { EXPORT_ENDINGS = 2 };

/* Ends its file, as `const struct exporter exporter_x = {`: so it is found. */
struct exporter {
	const char *name;
	const char *what;                    /* one line */
	const char *endings[EXPORT_ENDINGS]; /* of files: ".pprof"; no other exporter has them */
	unsigned flags;
	/* out and *o must outlive the export. NULL: *e says why. */
	struct export *(*open)(const struct export_options *o, FILE *out, struct err *e);
};

extern const struct exporter *const exporters[]; /* ends with NULL */
const char *const *export_words(void);           /* their names, in their order; ends with NULL */
const struct exporter *exporter_by_name(const char *name); /* NULL: none */
/* The exporter that the ending of a file's name says; NULL: none. */
const struct exporter *exporter_of_file(const char *name);

/* ST_OK, or the failure of a stdio stream. */
enum status export_written(FILE *out, struct err *e);

#endif
