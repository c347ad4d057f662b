/* SPDX-License-Identifier: MIT
 *
 * Capture readers. One file per wire layout, ending in one const struct reader. A capture's
 * reader is chosen by bid over the first bytes (the highest wins) or by name, and then
 * committed: the winner's error is the error.
 *
 * To add a format:
 *  - write formats/<family>/<name>.c with a const struct reader reader_<name>: the Makefile finds it;
 *  - say in carries what it may have;
 *  - set the metrics it has (trace_metric), and leave absent what the format cannot say;
 *  - add a generator testdata/gen/<name>.c, and good/bad/unsupported golden cases;
 *  - describe it in man/tracemill-<page>.5, with where its facts come from.
 */
#ifndef TM_FORMATS_READER_H
#define TM_FORMATS_READER_H

#include "formats/smaps.h"
#include "lib/input/input.h"
#include "lib/trace/sink.h"

struct frame_walker;

struct import_options {
	const char *format; /* reader name; NULL: by bid */
	const char *maps;   /* /proc/PID/maps or smaps text; NULL: none */
	const char *config; /* loli3.conf; NULL: none */
	bool has_slide;
	uint64_t slide;
	uint8_t locations; /* enum location_kind forced by --locations; 0: as the format says */
	uint8_t offsets;   /* enum space forced by --offsets; 0: as the format says */
	/* of Lua profilers: */
	bool unclamped;        /* own bytes of a node may be negative */
	bool collapse_resumes; /* a chain of the same coroutine's resumes is one */
	uint64_t tick_rate;    /* of the clock, a second; 0: as the tool takes it */
	const char *
	    table; /* of a table: which column is what, as tm-import --columns has it; NULL: as its tool */
	const struct frame_walker *walker; /* of stacks in dumps, by unwind tables; NULL: none */
};

struct import {
	struct input *in;
	struct trace *t; /* the capture in progress; import_next starts another */
	struct sink *sink;
	const struct import_options *options;
	bool begun;
	uint64_t captures;
	uint64_t broken;                /* input_broken that was noted */
	struct smaps smaps;             /* of --maps; pushed when the capture ends */
	const struct reader *reader;    /* that reads */
	const struct reader_part *part; /* of the reader's parts; NULL: the file as a whole */
	bool *lossy;                    /* the caller's: some capture was salvaged */
	struct err mostly_lost;         /* of what a bid took: it failed before the half of it */
};

/* What captures of a format may have. */
enum capabilities {
	CAPABILITY_ALLOCATIONS = 1 << 0,
	CAPABILITY_LIVE = 1 << 1, /* or frees: what is in use is known */
	CAPABILITY_TYPES = 1 << 2,
	CAPABILITY_STACKS = 1 << 3,
	CAPABILITY_SAMPLES = 1 << 4,
	CAPABILITY_CALLS = 1 << 5,
	CAPABILITY_TIME = 1 << 6,
	CAPABILITY_THREADS = 1 << 7,
	CAPABILITY_FRAMES = 1 << 8, /* of the game */
	CAPABILITY_COUNTERS = 1 << 9,
	CAPABILITY_OBJECTS = 1 << 10,
	CAPABILITY_REFERENCES = 1 << 11,
	CAPABILITY_ADDRESSES = 1 << 12, /* which symbols can name */
	CAPABILITY_BUILD_IDS = 1 << 13, /* of modules: say which binary on this machine is theirs */
};
extern const char *const capabilities_words[]; /* by bit; ends with NULL */

/* Where a file may be cut so that its events are the first of those of the whole file. */
enum reader_cut {
	CUT_ANYWHERE, /* what is not whole is refused */
	CUT_AT_LINE,  /* behind a line's end: a number that is cut is another number */
	CUT_BUT_LAST, /* counters behind all other events sum up what there was */
	CUT_NEVER,
};

/* A part of a file that is read as a format of its own, if it is asked for by name. */
struct reader_part {
	const char *name;      /* "memreport-objects" */
	unsigned capabilities; /* enum capabilities */
	const char *what;      /* one line for --list-formats */
};

struct reader {
	const char *name;      /* "memtracer" */
	const char *family;    /* "Unity": formats are listed by it */
	const char *page;      /* "unity": tracemill-unity(5) describes it; NULL: tm-import(1) */
	unsigned capabilities; /* enum capabilities */
	const char *what;      /* one line for --list-formats */
	const char *suffixes;  /* "mem,jsonl": a hint for people; never decides */
	bool rewinds;          /* reads its input twice: input_keep is called first */
	bool own_tables;       /* brings its modules by id (traces): --maps must not add any */
	/* Ends with a part without name; NULL: the file is one format. */
	const struct reader_part *parts;
	enum reader_cut cut; /* a promise that fuzz targets check; of one that rewinds, CUT_NEVER */
	bool guesses;        /* has no mark: bids by what the head holds, behind known marks */
	/* What its report lacks, and the command that adds it, up to the file's name; NULL: nothing. */
	const char *advice;
	bool by_name; /* nothing but its name chooses it: alone it makes no report */
	/* 0: not mine; else how many bits of the first n bytes (at most INPUT_HEAD) speak for it,
	 * at least 8 for a text that can only guess. Without a mark all of the head must be it: counts
	 * that fit, records one behind the other, names that can be read. Pure; n may be 0. whole: head
	 * is all. */
	int (*bid)(const uint8_t *head, size_t n, bool whole);
	/* Pushes one or more captures. On an error what was sound has been pushed already. */
	enum status (*read)(struct import *im, struct err *e);
};

extern const struct reader *const readers[]; /* ends with NULL */
/* The reader of the format, of which *part (or part itself) may be NULL. */
const struct reader *reader_by_name(const char *name, const struct reader_part **part);
/* "Unity memory snapshot .snap: ..."; NULL: no format has this name. */
const char *reader_what(const char *name);
/* The highest bid, of equal ones the first by name; not of one that guesses where there is the mark of a format that is not read. */
const struct reader *reader_by_bid(const uint8_t *head, size_t n, bool whole, int *bid);

/* "a zip file", where members are read each as an input of its own; NULL: it is no archive. */
const char *capture_archive(const uint8_t *head, size_t n);

/* Reads a whole input into the sink: chooses the reader, adds maps and options to each
 * capture, turns a failure after the first event into a loss note (lib/README.md, Manners).
 * ST_OK also then; *lossy says so. ST_BAD and ST_UNSUPPORTED: nothing usable, or, where no format was
 * given, more than half of the bytes are behind the failure: what comes before was pushed then. */
enum status capture_read(struct input *in, const struct import_options *o, struct sink *sink,
			 bool *lossy, struct err *e);

/* Whether some reader takes it, by its first bytes; ST_UNSUPPORTED, ST_BAD: what it is instead. */
enum status capture_recognize(struct input *in, struct err *e);

/* For readers. import_begin hands the capture to the sink: call it once the metrics and
 * attributes are set and before the first event (maps and forced options are in by then).
 * import_next ends it and starts a new one in the same file. */
enum status import_begin(struct import *im, struct err *e);
enum status import_next(struct import *im, struct err *e);
static inline enum status import_event(struct import *im, const struct event *ev, struct err *e)
{
	return sink_event(im->sink, im->t, ev, e);
}

/* formats/maps.c: /proc/PID/maps and smaps text -> modules of t, and what smaps has beyond them
 * (sizes may be NULL). ST_BAD when no line is one. */
enum status maps_read(struct cursor *in, struct trace *t, struct smaps *sizes, struct err *e);
/* Whether a file that begins so is one: "55d0c0a00000-55d0c0a05000 r--p ...". */
bool maps_head(const uint8_t *p, size_t n);

#endif
