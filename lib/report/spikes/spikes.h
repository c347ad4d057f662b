/* SPDX-License-Identifier: MIT
 *
 * A sink that finds calls that took longer than they may, as the PET profiler does (its logs:
 * formats/pet/pet.c): enter and exit events per thread, and complete samples. Each call has a limit, by
 * the rules in this order: its own threshold; that which a caller gives its children; its
 * subsystem's; its thread's; that of all. A call with a rule "parents" replaces the limit of the
 * calls above it, for this time. What is ignored or paused is not judged. Before the threshold of
 * all goes the limit that the program itself gave the call (a value of its exit), if strict is not
 * set.
 *
 * Times are ns. A call's total is what passed from enter to exit, less the cost of the hooks of
 * the calls below it (their number x cost), less what passed in calls that pause; self is the
 * total less that of the calls it made directly. A wait (ENTER_WAIT) is not judged: it is time of its callers. Samples carry both; one of several calls is
 * judged by the mean.
 *
 * Memory: O(threads x depth + functions), whatever the number of events. Calls deeper than the
 * depth are counted and not judged; their time stays in the self time of the last that is.
 * Enters without exits, exits without enters and times that go back are counted in notes. Which
 * calls are open, and what an exit ends, is open_calls.h's business; here is what is kept in
 * addition for each.
 */
#ifndef TM_REPORT_SPIKES_SPIKES_H
#define TM_REPORT_SPIKES_SPIKES_H

#include "lib/report/spikes/functions.h"
#include "lib/select/selection.h"
#include "lib/trace/sink.h"

enum { SPIKES_DEPTH = 1024, SPIKES_DEPTH_MAX = 1 << 20 };
#define SPIKES_THRESHOLD 1000000 /* ns, of all calls where nothing else is said */

struct spike_text { /* a message of the call (at = depth), or a description of path[at] */
	size_t at;
	const char *s;
	size_t n;
};

struct spike_seen { /* what it points to is valid until the callback returns */
	const struct trace *t;
	uint32_t thread;      /* the trace's id, 0: not known */
	const uint32_t *path; /* function ids, outermost first; at least one */
	/* By path: 0, or what the callback has put there for a spike of the same open calls, whose paths begin
	 * alike. NULL: of a sample. */
	uint32_t *nodes;
	size_t depth;
	uint32_t cut; /* outer calls that are not in path */
	uint64_t total, self, limit;
	uint64_t waited; /* of total, off the processor; 0 also where the capture does not tell */
	uint64_t calls;  /* a mean of so many; 1 otherwise */
	bool has_self, has_time, has_frame;
	bool unmeasured; /* logged as a spike, without how long it took: total and limit are 0 */
	int64_t time, frame; /* its start; the frame in which it ended */
	bool sample;         /* from a sample: listed is not known */
	bool listed;         /* the thread's last spike was below this same call */
	uint32_t owner;      /* rank */
	const struct spike_text *texts;
	size_t n_texts;
};

struct spikes_options {
	const struct spike_rules *rules;         /* borrowed, as all here */
	struct filters *filters;                 /* NULL: none */
	const struct tally_selection *selection; /* NULL: all */
	struct owners *owners;                   /* NULL: no owners */
	uint64_t threshold;                      /* of all; the rules' goes before it */
	bool mangled;                            /* functions are shown by their linkage names */
	bool strict;        /* it goes before the limits that the program gave its calls */
	uint64_t hook_cost; /* ns per call */
	size_t depth;       /* 1 to SPIKES_DEPTH_MAX */
	enum status (*spiked)(void *arg, const struct spike_seen *s, struct err *e);
	/* After each capture, its notes complete. */
	void (*captured)(void *arg, struct trace *t);
	void *arg;
};

struct spikes {
	struct sink sink;
	struct spikes_options options;
	struct spike_functions functions;
	uint64_t captures, calls, found, filtered;
	uint64_t frames; /* that the captures mark */
	uint64_t stacks; /* samples of stacks, or of times in them alone: they are not of calls */
	bool waits;      /* some capture tells when threads were off the processor */
	bool merged;     /* there are samples of several calls */
	uint64_t unmeasured; /* of found: how long they took is not known */

	struct spikes_reading *reading; /* of the present capture; reading.h */
};

/* s stays where it is until spikes_release. */
void spikes_init(struct spikes *s, const struct spikes_options *o);
void spikes_release(struct spikes *s);
static inline struct sink *spikes_sink(struct spikes *s)
{
	return &s->sink;
}

#endif
