/* SPDX-License-Identifier: MIT
 *
 * The model of one capture: the tables that its events refer to. Readers fill it, the stream writer
 * and the reports read it; nothing downstream knows the format of the capture.
 *
 * Ids are dense u32 from 1; 0 means absent. Rows are only ever appended, so a consumer that
 * remembers how many rows it has seen can follow along; a sink may append too, locations and stacks
 * (tally/open_calls.h). Everything lives until trace_free.
 * Words: location, stack, module, frame: see lib/README.md and tracemill(7).
 */
#ifndef TM_TRACE_MODEL_H
#define TM_TRACE_MODEL_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/trace/event.h"
#include "lib/trace/symbols.h"

#include <stdbool.h>

/* What a location's raw value is. */
enum space {
	SPACE_RUNTIME,         /* address in the process */
	SPACE_FILE_OFFSET,     /* offset in the module's file */
	SPACE_VADDR,           /* link-time address in the module */
	SPACE_OFFSET_OR_VADDR, /* one of the two; the format does not say */
	SPACE_NAME,            /* no address: name (and file, line) as captured */
	SPACE_UNKNOWN,         /* the capture knows that there was a location, nothing more */
	SPACES
};

/* Where in the instruction stream it points. */
enum location_kind {
	LOCATION_UNSTATED, /* the capture does not say: binding decides by evidence, and says so */
	LOCATION_RETURN,   /* after a call: looked up at address-1 */
	LOCATION_EXACT,    /* at the instruction */
	LOCATION_ENTRY,    /* where a function is entered: its first byte, or behind a hook's call
			    * there (instrumented builds). It stands for the whole function, whatever
			    * is inlined at that place */
	LOCATION_KINDS
};
/* Where options force a kind of all locations: of stacks of samples the innermost is exact, and callers are return addresses. */
enum { LOCATION_SAMPLE = LOCATION_KINDS };

struct location {
	uint64_t raw;
	uint32_t process; /* 0 when the capture has one */
	uint32_t epoch;   /* number of the module map in force; 0 for the only one */
	uint32_t module;  /* id; required for offset and vaddr spaces, else 0 or the captured one */
	uint32_t name, file, line; /* what the capture knew: string ids, and the line or 0 */
	uint32_t symbol;           /* of its location_name, which may come later; 0: none */
	uint8_t space;             /* enum space */
	uint8_t kind;              /* enum location_kind */
};

struct map_range { /* a mapping of a module: runtime [lo, hi) is its file from offset on */
	uint64_t lo, hi, offset;
	bool executable;
};

struct module { /* one load of one binary */
	uint32_t
	    name; /* string id: path or base name as captured; "" when only the slide is known */
	uint32_t process;
	uint32_t epoch_lo, epoch_hi; /* loaded during [lo, hi) of the map epochs */
	uint32_t build_id;           /* string id of raw bytes, 0: not captured */
	uint32_t
	    arch; /* string id: which part of a universal Mach-O file, as lipo calls it; 0: not captured. No stream has
			* it. */
	bool has_slide;
	uint64_t slide;           /* runtime address minus link-time address; when has_slide */
	struct map_range *ranges; /* ascending by lo; in the trace's arena */
	uint32_t n_ranges;
	uint32_t file; /* id of its module_file; 0: not captured */
};

/* Which file a module was loaded from, where its path may lead to another one by now. */
struct module_file {
	uint32_t module;
	/* A file that was replaced before it was looked at has neither size nor time. */
	uint64_t device, inode, size;
	int64_t modified; /* ns since 1970 */
};

/* The symbol of a location, which the recorder read when the module's file was about to be out of
 * reach. */
struct location_name {
	uint32_t location;
	uint32_t name; /* string id: the linkage name */
};

struct stack { /* innermost location, and the stack of its callers */
	uint32_t parent;
	uint32_t location;
};

struct thread {
	uint32_t process, generation, name;
	uint64_t tid;
};

struct marker {
	uint32_t name, category; /* string ids */
};

struct counter {
	uint32_t name, unit; /* string ids */
};

enum metric {
	METRIC_COUNT,
	METRIC_REQUESTED,
	METRIC_REAL,
	METRIC_LIVE,
	METRIC_TIME,
	METRIC_NET, /* of EV_DELTA */
	METRICS
};
enum metric_state { METRIC_ABSENT, METRIC_EXACT, METRIC_LOWER_BOUND, METRIC_ESTIMATED };
/* At which keys a metric is known: everywhere, or per type (and frame) only. */
enum metric_key { METRIC_AT_ALL, METRIC_AT_TYPE };

enum severity { NOTE_INFO, NOTE_GUESS, NOTE_LOSS };

struct trace_note {
	uint8_t severity;
	uint64_t count;   /* how many things it is about; 0 when it is not a count */
	bool symbolizing; /* made by tm-symbolize: replaced when it runs again */
	const char *text; /* does not repeat the count: it is shown behind the text */
};

struct trace_mark { /* of a frame */
	int64_t number, time, duration;
	uint32_t name;
	bool lasting; /* its duration is told */
};

struct trace_marks {
	struct trace_mark *items;
	size_t n, cap;
};

struct trace_attribute {
	const char *key, *value; /* own text: a stream's header comes before its strings */
};

struct trace {
	struct intern strings;
	struct module *modules; /* [0] unused, as in all tables */
	size_t n_modules, cap_modules;
	struct location *locations;
	size_t n_locations, cap_locations;
	struct stack *stacks;
	size_t n_stacks, cap_stacks;
	uint32_t *types; /* string ids */
	size_t n_types, cap_types;
	struct thread *threads;
	size_t n_threads, cap_threads;
	struct module_file *module_files;
	size_t n_module_files, cap_module_files;
	struct location_name *location_names;
	size_t n_location_names, cap_location_names;
	size_t more_names; /* rows of threads that came again, with the name that they have now */
	struct marker *markers;
	size_t n_markers, cap_markers;
	struct counter *counters;
	size_t n_counters, cap_counters;
	struct trace_symbols symbols;

	struct {
		uint8_t state, key;
	} metrics[METRICS];
	bool unordered; /* events do not come in the order of seq: match frees by number */
	struct trace_attribute *attributes; /* "format", "clock", "loli.mode", ...; last wins */
	size_t n_attributes, cap_attributes;
	struct trace_note *notes;
	size_t n_notes, cap_notes;
	bool notes_told; /* what follows says it in one line: they are not for people then */
	uint64_t events[EV_KINDS]; /* pushed so far, by kind; kept by sink_event */
	bool complete; /* it was read to its end; a trace: its totals were there and agreed */
	uint64_t cut_strings;

	/* Of the whole capture, in their order, where some of them come behind events of their time: from a
	 * reading before this one, and borrowed. NULL: each mark is known from its place on. */
	const struct trace_marks *marks;

	struct trace_index *index; /* by what rows are found again; model_index.h */
};

struct trace *trace_new(void);
void trace_free(struct trace *t); /* accepts NULL */
/* A trace with the rows of t, which outlives it and stays as it is: notes, attributes and numbers of events are its
 * own, and so are locations and stacks from the first that is appended. Nothing else can be appended. In any number of
 * threads at once. */
struct trace *trace_share(const struct trace *t);
/* All that t holds, as a new trace; t is left empty, to be freed by its maker. */
struct trace *trace_take(struct trace *t);

/* Longer strings are cut (intern_add_cut) and counted in cut_strings. */
enum { TRACE_STRING_MAX = 64 << 10 };

/* Each finds the equal row or appends one, and returns its id. */
uint32_t trace_string(struct trace *t, const char *s, size_t n);
uint32_t trace_strz(struct trace *t, const char *s);
uint32_t trace_symbol_string(struct trace *t, const char *s, size_t n); /* of t->symbols */
uint32_t trace_type(struct trace *t, const char *s, size_t n);
uint32_t trace_location(struct trace *t, const struct location *l);
/* Of n at once, which does not wait for the memory of one after the other. */
void trace_locations(struct trace *t, const struct location *l, size_t n, uint32_t *ids);
uint32_t trace_stack(struct trace *t, uint32_t parent, uint32_t location);
/* The same where no such row is there: the caller knows it, and it is not looked for. */
uint32_t trace_stack_new(struct trace *t, uint32_t parent, uint32_t location);
/* Before the first stack: trace_stack will be asked for calls of stacks that it was asked for lately.
 * What is new then is mostly known to be by its caller's memory, and is not looked for. */
void trace_stacks_near(struct trace *t);
uint32_t trace_thread(struct trace *t, const struct thread *th);
/* The row of a thread under the name that it has now: a thread that is called something else later
 * has a row for each name, of which the generation tells them apart. Of samples alone: calls that
 * are open stay with their row. */
uint32_t trace_thread_named(struct trace *t, struct thread th);
uint32_t trace_marker(struct trace *t, const struct marker *m);
uint32_t trace_counter(struct trace *t, const struct counter *c);
/* Always appends; the ranges are copied. Ranges after the first MODULE_RANGES are a noted loss. */
enum { MODULE_RANGES = 16384 };
uint32_t trace_module(struct trace *t, const struct module *m);
void trace_module_file(struct trace *t, const struct module_file *f);
/* Is the other module certainly of another build? By build-id, else by file. */
bool trace_other_build(const struct trace *t, uint32_t module, uint32_t other);
void trace_location_name(struct trace *t, const struct location_name *n);
/* Innermost first, as captures have it; 0 for n = 0. */
uint32_t trace_stack_of(struct trace *t, const uint32_t *locations, size_t n);

/* Many stacks: of at most TRACE_PATHS at once what is there already is looked up side by side, in
 * the time that memory takes for a few. Then each one's stack is asked for, in any order, which appends
 * the rows that are missing, as trace_stack does. Rows may be added in between. */
enum { TRACE_PATHS = 64 };
struct trace_path {
	const uint32_t *locations; /* outermost first */
	uint32_t n;
	uint32_t known, stack; /* the outermost ones that are there, and their stack */
	uint32_t same;         /* locations that it has in common with the path before it */
	uint64_t hash;
};
void trace_paths_seek(struct trace *t, struct trace_path *paths, size_t n);
uint32_t trace_path_stack(struct trace *t, struct trace_path *p);

const char *trace_text(const struct trace *t, uint32_t string); /* NUL-terminated */
void trace_set(struct trace *t, const char *key, const char *value);
/* The date of the capture's time 0 (TRACE_DATE), ns since 1970 in UTC. */
void trace_set_date(struct trace *t, int64_t ns);
const char *trace_get(const struct trace *t, const char *key); /* NULL: not set */
void trace_metric(struct trace *t, enum metric m, enum metric_state state, enum metric_key key);
/* The attribute of a snapshot whose objects' ids are their addresses in memory, which other
 * snapshots of the same process may be compared by; odd ids are numbers of objects without an
 * address. Or they are numbers that an object keeps, odd ones, too. */
#define TRACE_OBJECT_IDS       "objects.ids"
#define TRACE_OBJECT_ADDRESSES "addresses"
#define TRACE_OBJECT_KEPT      "kept"
/* What the allocations of a trace are, as an attribute: blocks at their addresses in memory, which has none;
 * blocks with made-up numbers for addresses, so that they can be freed; or sums of blocks, with such numbers. */
enum trace_blocks { TRACE_BLOCKS_PLACED, TRACE_BLOCKS_NUMBERED, TRACE_BLOCKS_SUMMED };
#define TRACE_BLOCKS "allocations.are"
void trace_set_blocks(struct trace *t, enum trace_blocks are);
enum trace_blocks trace_blocks(const struct trace *t);
/* The attribute of a trace in which a free names a size and a stack: it is not known which of the blocks that
 * have both it ended. The newest is taken. */
#define TRACE_FREES          "frees.are"
#define TRACE_FREES_OF_KINDS "of a size and a stack"
bool trace_frees_are_of_kinds(const struct trace *t);
/* The attribute of a part of a capture: how many ns it took, where that is not from the first time in it to
 * the last. */
#define TRACE_DURATION "duration_ns"
/* The attributes of the times at which a recording, or the part of it that a trace has, begins and ends: TRACE_END
 * (encode.h) as well. They lie before the first event, and behind the last. A recorder's times count from its start,
 * so it writes the end only. */
#define TRACE_BEGIN "capture.begin_ns"
/* The attribute of the date of a capture's time 0, ns since 1970 in UTC; and that of its time zone, where the capture
 * does not say it: then the date is that of a clock on the wall. */
#define TRACE_DATE_ZONE    "date.zone"
#define TRACE_ZONE_UNKNOWN "unknown"
/* The formats of recorders' own traces. */
#define TRACE_OF_RECORDER     "capture"
#define TRACE_OF_LUA_RECORDER "capture.lua"
/* The attribute of how a capture was sampled. One that begins with TRACE_SAMPLES_IN says what its samples
 * are counted in: they are added up with no others, and compared with none. */
#define TRACE_SAMPLING   "sampling"
#define TRACE_SAMPLES_IN "samples in "
/* What the periods of samples of a marker are counted in: what its category has in brackets at its end ("perf event
 * (ns)"); "" where they are numbers of events. Adds such a marker. */
const char *trace_period_unit(const struct trace *t, uint32_t marker, size_t *n);
uint32_t trace_period_marker(struct trace *t, uint32_t name, const char *what, const char *unit);
/* The attribute of a trace whose samples' periods were counted, each event of them; else they are estimated. */
#define TRACE_PERIODS         "periods.are"
#define TRACE_PERIODS_COUNTED "counted"
/* What the samples of a trace, or of a value of that attribute (NULL: none), are counted in:
 * "millionths", or "" where each counts as one. */
enum { TRACE_MILLION = 1000000 };
const char *trace_samples_in(const struct trace *t);
const char *trace_samples_unit(const char *sampling);
/* Of a file some of whose samples have decimals: each 1 of it is TRACE_MILLION samples. */
void trace_samples_are_millionths(struct trace *t);
/* How a trace was recorded where not all of it was, in words; appends nothing where it was. */
void trace_recorded(const struct trace *t, struct buf *to);
/* Bytes from sample to sample, of what trace_recorded says; 0: not known. */
double trace_sampled_every(const char *recorded);
/* The program that was recorded, without its folder and arguments; NULL: not known. */
const char *trace_program(const struct trace *t, size_t *n);
/* A digest of the arguments that it was started with, in 16 digits of base 16; false: they are not known. */
bool trace_arguments(const struct trace *t, char to[17]);
/* What tells the recorded process from any other run of a program, but by chance; 0: not known. */
uint64_t trace_run(const struct trace *t);
/* The attribute of what the times of samples are of, where that is stated: "cpu-clock", "wall". Those of two clocks
 * do not add up, and are not compared. */
#define TRACE_CLOCK "times.of"
/* Fails where two such clocks are known and differ. */
enum status trace_clocks_agree(const char *clock, const char *before, struct err *e);
/* Fails where two such units differ. */
enum status trace_samples_agree(const char *in, const char *before, struct err *e);
/* Of a trace that tm-filter wrote: the filters, as they were given. */
#define TRACE_FILTERED "filtered"
#define TRACE_FILTERED_COMMENT \
	"filtered: " /* the same in comments of other formats, before the words */
/* In comments of other formats: which values of a trace are estimated, "heap, time, period". */
#define TRACE_ESTIMATED_COMMENT "estimated: "
/* Of tm-record --sample: bytes from point to point, on average. */
#define TRACE_SAMPLE_INTERVAL "capture.sample_interval"
/* Of tm-record --min: bytes of the smallest blocks that were recorded. */
#define TRACE_LEAST "capture.threshold"
/* A note with the same text is not added again; its count grows. After TRACE_NOTES different
 * ones the others are only counted. */
enum { TRACE_NOTES = 1000 };
void trace_note(struct trace *t, enum severity severity, uint64_t count, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The exit status in a note of TRACE_NOTE_ENDED; another note leaves *status as it is. */
void trace_note_status(const char *text, size_t n, unsigned *status);

/* The notes become these n, whose texts are of this trace. */
void trace_set_notes(struct trace *t, const struct trace_note *notes, size_t n);

/* The module that maps a runtime address, NULL when none does. Looks at ranges only,
 * one module after the other: module_index.h is for many addresses. */
const struct module *trace_module_at(const struct trace *t, uint32_t process, uint32_t epoch,
				     uint64_t addr);

const char *space_name(unsigned space);
const char *location_kind_name(unsigned kind);
const char *metric_name(unsigned metric);
const char *metric_state_name(unsigned state);
const char *severity_name(unsigned severity);

#endif
