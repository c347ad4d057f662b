/* SPDX-License-Identifier: MIT
 *
 * A sink that adds one capture's events up in cells keyed (type, stack, domain), and by thread
 * where asked. Memory is O(distinct cells + live blocks), whatever the number of events. When a
 * capture ends, done gets the cells; the next capture starts from nothing.
 *
 * Slices: the capture cut at its frames, or into steps of time. When the capture ends, before done, the
 * callback gets in their order what each slice added: per cell that it touched, per type total, and per
 * domain. An event is of the slice of its own time, in any order of the file (slices.h). Memory is
 * O(slices), and O(slices x what each touched) where cells are wanted.
 */
#ifndef TM_TALLY_TALLY_H
#define TM_TALLY_TALLY_H

#include "lib/select/selection.h"
#include "lib/tally/counters.h"
#include "lib/tally/derived.h"
#include "lib/tally/extent.h"
#include "lib/tally/live.h"
#include "lib/tally/sampled.h"
#include "lib/tally/sums.h"
#include "lib/trace/sink.h"

struct tally_cell {
	uint32_t type, stack, thread; /* thread: 0 without SPLIT_THREAD */
	uint8_t domain;
	uint8_t has; /* enum event_field's requested and real, >> 1 */
	bool in_set;
	bool followed; /* an allocation has an address: its live blocks can be known */
	uint64_t count, entries, requested, real;
};

/* Times of samples and of calls, and growth of heaps, belong to no domain: such cells have one of
 * these, and their type is a marker. A call's cell is never a sample's: the stack of a call is its path
 * (CELL_PATH) or, with a tally_listener, the call alone (CELL_CALLED). */
enum { CELL_TIMED = DOMAINS, CELL_CALLED, CELL_PATH };

struct tally_measure {     /* of the cell with the same index, or of a slice */
	int64_t self;      /* ns; below 0: the hook cost is more than was measured */
	uint64_t total;    /* ns of the calls themselves: recursion counts again and again */
	uint64_t calls;    /* of samples, enters */
	uint64_t sampled;  /* of them, those of samples */
	uint64_t samples;  /* of the stack alone, by a sampling profiler */
	uint64_t period;   /* of them */
	uint64_t measured; /* calls of EV_DELTA, which may be the same calls */
	int64_t net[2];    /* Lua, Mono */
	unsigned has;      /* SUM_BITs */
	bool waits;        /* all of it is time off the processor */
};

enum slicing { SLICE_NONE, SLICE_FRAMES, SLICE_TIMES };
/* How reports call what is in SLICE_BEFORE. */
#define SLICES_BEFORE "[before the first frame]"
enum slice_kind {
	SLICE_BEFORE, /* events before the first frame; only when there are some */
	SLICE_FRAME,
	SLICE_TIME /* only those that have events; in time ranges: that start in one, or have
		      allocations */
};

struct tally_slice {
	enum slice_kind kind;
	uint64_t index; /* how many came before it in this capture */
	int64_t number; /* of the frame, as captured; SLICE_TIME: start / every */
	uint32_t name;  /* string id; 0: none */
	bool has_start, has_duration, has_main;
	int64_t start,
	    duration; /* ns; a frame lasts as the capture tells, or until the next begins: then the last has none */
	uint64_t main;         /* ns in calls of the main thread */
	const uint32_t *cells; /* those it touched, by first touch; options.slice_cells */
	size_t n_cells;
	const uint32_t *types; /* those of which it has type totals; options.slice_cells */
	size_t n_types;
	/* What it added, type totals with it; live: after it; peak: when the domain's live bytes
	 * were largest in it, where that is known. DOMAINS: of all domains together. */
	struct tally_sums all[DOMAINS + 1];
	const struct tally_counters
	    *counters; /* options.counters: what was read in it; else NULL */
};

struct tally;
typedef enum status (*tally_done)(void *arg, struct trace *t, struct tally *a, struct err *e);
typedef enum status (*tally_slice_done)(void *arg, struct trace *t, struct tally *a,
					const struct tally_slice *s, struct err *e);

struct open_call;

/* Who adds up what lies in or below calls, and so needs no path of any: then memory does not grow
 * with the number of paths. The stack of a call's cell, which has the domain CELL_CALLED, has no
 * callers then, but for those that a first call has itself, and for the one that the listener needs
 * for what it makes of the cell; and such a cell has no total. Times of samples that have a total
 * themselves are looked at apart, though a call may lie on their path. */
struct tally_listener {
	void *arg;
	bool (*needs_caller)(void *arg, const struct trace *t, uint32_t location);
	/* The cells stay what they are. Of each thread the last that entered ends first. */
	void (*entered)(void *arg, const struct trace *t, uint32_t thread, uint32_t cell);
	/* total below 0: the call was not kept, and only its number is known. outermost: of its
	 * thread. */
	void (*ended)(void *arg, uint32_t thread, uint32_t cell, const struct open_call *call,
		      bool outermost);
};

/* All stacks, all types may have one cell: the fewer cells there are, the more of them are found in caches. */
enum { COLLAPSE_STACKS = 1, COLLAPSE_TYPES = 2 };
enum { SPLIT_THREAD = 1 }; /* cells of different threads are different cells */

/* What is tracked when want is 0. Leaving out all of SUMS_MATCHED is the fastest. */
enum {
	TALLY_WANT = ((1 << SUM_SLACK) - 1) | SUMS_LIVE,
	TALLY_TOP = TALLY_WANT | SUMS_MEASURED /* what a ranking shows unasked */
};

struct tally_options {
	const struct tally_selection *selection; /* borrowed; NULL: all events */
	unsigned split;                          /* SPLIT_THREAD or 0 */
	unsigned want;                           /* SUM_BITs; what is not wanted may be absent */
	bool counters;                           /* readings of counters too */
	bool domains_together; /* cells' peak is that of all domains, not of their own */
	unsigned collapse;     /* TOGETHER bits, of cells of allocations */
	/* The peak of each domain, its time and temporary blocks, whatever is wanted. */
	bool totals;
	enum slicing slicing;
	bool slice_cells; /* slices have what they add per cell and type */
	bool slice_main;  /* with slice_cells: also the main thread's part of the time in calls */
	/* SLICE_FRAMES: of captures that mark frames only, from the first mark on, and without frees and what is
	 * live: a capture without frames costs nothing then. */
	bool slice_marked;
	int64_t every; /* ns, more than 0; SLICE_TIMES */
	/* ns that the profiler itself took for each call, in the time of the caller: a call's time
	 * is less by it times the calls below. */
	uint64_t hook_cost;
	const struct tally_listener *listener; /* borrowed; NULL: calls have their paths */
	tally_done done;
	void *arg; /* of done */
	tally_slice_done slice;
	void *slice_arg;
};

struct call_times;
struct tally_slices;
struct tally_state;

struct tally_frame { /* the sums of one frame, per domain */
	int64_t number;
	uint64_t v[SUM_REAL + 1];
};

struct tally_type { /* EV_TYPE_TOTAL, by type id */
	uint64_t count, requested, real;
	struct derived derived;
	uint8_t has; /* as in a cell, 1 for count */
};

struct tally {
	struct sink sink;
	struct tally_options options;

	struct tally_cell *cells;
	size_t n_cells, cap_cells;
	size_t n_of_blocks;        /* cells of a domain: the others are of calls and samples */
	struct tally_type *types;  /* t->n_types of them */
	uint64_t records[DOMAINS]; /* ALLOC events that are selected */
	struct tally_frame worst[DOMAINS][SUM_REAL + 1]; /* the first of the largest */
	bool followed[DOMAINS +
		      1]; /* live blocks are known: an allocation had an address; last: any */
	/* Of ALLOC events, last: of all. Those without an address live matching cannot follow. */
	uint64_t without_requested[DOMAINS + 1], without_real[DOMAINS + 1],
	    without_address[DOMAINS + 1];
	uint64_t threads[DOMAINS + 1]; /* that have ALLOC events which are selected; last: of all */
	uint64_t unselected;           /* ALLOC and TYPE_TOTAL events */
	uint64_t untimed;  /* of them: there are time ranges, and no event had a time yet */
	uint64_t early;    /* marks of frames behind events of a later time */
	uint64_t backward; /* with slices: allocations and frees behind later ones */
	bool returned;     /* frames of the ranges came again behind frees that were passed over */
	bool has_time;     /* an event had a time */
	uint64_t interval; /* of a sampled recording, bytes; 0: all is recorded */
	struct tally_variance variance[DOMAINS + 1], live_variance[DOMAINS + 1]; /* last: of all */
	struct tally_extent extent; /* of what is selected */
	struct live live;
	unsigned want;                  /* SUM_BITs that are tracked in this capture */
	struct tally_counters counters; /* of the capture; options.counters */

	struct tally_slices *slices;   /* slices.h; NULL: not asked for */
	struct call_times *call_times; /* call_times.h; NULL: not asked for */
	struct tally_state *state;     /* what is kept for the next event; state.h */
};

/* a stays where it is until tally_release, and so does what the options point to. */
void tally_init(struct tally *a, const struct tally_options *o);
void tally_release(struct tally *a);

/* In done: everything wanted of a cell, and of a type's totals. has is what its records have; what
 * the capture knows at all is in tally_states. */
void tally_sums(const struct tally *a, size_t cell, struct tally_sums *s);
void tally_type_sums(const struct tally *a, uint32_t type, struct tally_sums *s);
/* Of a cell of times; tally_sums of it has no SUM_TIME_TOTAL, which does not add
 * up. NULL: of a cell of allocations. */
const struct tally_measure *tally_timed(const struct tally *a, size_t cell);
/* It has a record, or time that passed in the chosen ranges. */
bool tally_touched(const struct tally *a, size_t cell);
/* The ranges have a part only of some calls: time by number of calls is no mean then. */
bool tally_clipped(const struct tally *a);
/* In the slice callback: what the slice added to its i-th cell or type; live: by how much that
 * changed, modulo 2^64. */
void tally_slice_sums(const struct tally *a, size_t i, struct tally_sums *s);
void tally_slice_type_sums(const struct tally *a, size_t i, struct tally_sums *s);
/* ns of that in calls of the main thread; options.slice_main */
uint64_t tally_slice_main(const struct tally *a, size_t i);

/* At the end: how many frames are selected. With ranges of times these are all that have a part in one. */
uint64_t tally_frames(const struct tally *a, const struct trace *t);
/* A record is a block, or says of how many it is. In massif's files it is what a stack has more than before. */
bool tally_counts_blocks(const struct trace *t);
/* Every allocation is there, and frees are, each of a block that is known, and not guessed from what is live. */
bool tally_knows_temporary(const struct trace *t);
/* SUM_BITs that depend on which block a free ended, where the capture does not say that
 * (trace_frees_are_of_kinds): lifetimes and temporary blocks; all matched sums where the ranges leave out
 * blocks that were allocated before them, and where frames of a range come again behind its end (returned). */
unsigned tally_unidentified(const struct tally *a, const struct trace *t);

/* In done: how well the capture knows each sum (enum metric_state, METRIC_ABSENT: not at all or
 * not wanted). Returns SUM_BITs of those that are known per type only, from its type totals.
 * domain: whose records are looked at, DOMAINS: all. */
unsigned tally_states(const struct tally *a, const struct trace *t, unsigned domain,
		      uint8_t state[SUMS]);
/* The same of what is not wanted, too. Of matched sums: where any of them is wanted. */
unsigned tally_states_unasked(const struct tally *a, const struct trace *t, unsigned domain,
			      uint8_t state[SUMS]);

/* In done: SUM_BITs of what is wanted and known of cells, not per type only. */
unsigned tally_cell_states(const struct tally *a, const struct trace *t, unsigned domain);
/* The domain that has most of what allocates in cells that are kept (NULL: all); below 0: none has any. */
int tally_domain_of_most(const struct tally *a,
			 bool (*keeps)(void *arg, const struct tally_cell *c), void *arg);

/* In done, with options.totals: of all blocks of a domain, DOMAINS: of all domains. False: they are
 * not known. */
struct tally_totals {
	enum sum bytes; /* SUM_REQUESTED or SUM_REAL: what live and peak are of */
	uint64_t live_count, live, temporary, peak;
	bool has_temporary, about; /* about: the peak is not exact */
	int64_t peak_at;           /* ns, as --time has it; INT64_MIN: not known */
	uint64_t interval;         /* of a sampled recording; 0: all is recorded */
	struct tally_variance all_variance, live_variance;
};
bool tally_totals(const struct tally *a, unsigned domain, struct tally_totals *to);

#endif
