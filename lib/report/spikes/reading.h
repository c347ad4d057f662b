/* SPDX-License-Identifier: MIT
 *
 * Internal to spikes.h: what is known of a capture while its events come: the calls that are open,
 * the limits that samples gave their callers, and what was odd.
 */
#ifndef TM_REPORT_SPIKES_READING_H
#define TM_REPORT_SPIKES_READING_H

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/report/spikes/spikes.h"
#include "lib/select/marks.h"
#include "lib/tally/open_calls.h"

/* What the rules say of a call. */
struct spike_state {
	uint64_t limit;
	uint64_t child_limit, parents;
	bool has_child_limit, has_parents;
	bool paused, ignored, children_ignored;
	bool by_rule;               /* limit */
	bool by_call;               /* limit: the largest that calls below gave */
	uint32_t message, describe; /* rule + 1; 0: none */
};

struct spike_open { /* a call that has not ended */
	struct spike_state state;
	int64_t time;
	uint64_t children;     /* total of the calls it made directly */
	uint64_t paused;       /* of it, what passed in calls that pause */
	uint64_t below;        /* calls below it, at all depths */
	uint64_t waited;       /* of it, what its thread was off the processor */
	uint32_t text, marker; /* text: of its enter event */
	uint32_t kept, owner;  /* of it and its callers: bits of filters, the first owner */
	bool has_time;
	bool pause; /* no call, or in a pause: enum enter_value */
	bool waits; /* ENTER_WAIT: no call that is judged */
};

struct spike_thread {
	struct spike_open *open; /* outermost first */
	size_t n, cap;
	uint32_t *path;  /* by open: its function */
	uint32_t *nodes; /* by open: spike_seen.nodes */
	size_t cap_path, cap_nodes;
	uint32_t *described; /* indexes into open of those with a description, ascending */
	size_t n_described, cap_described;
	size_t listed; /* so many of open were in the last listing */
	bool asked, inactive, selected;
	bool by_rule; /* limit */
	uint64_t limit;
};

enum spike_odd {
	ODD_UNTIMED,
	ODD_STACKS,
	ODD_BACK,
	ODD_NEGATIVE,
	ODD_NO_ENTER,
	ODD_UNCLOSED,
	ODD_OPEN,
	ODD_DEEPER,
	ODD_MERGED,
	ODD_VALUE,
	ODD_OVERCORRECTED,
	ODD_UNCORRECTED,
	ODD_UNKNOWN,
	ODDS
};

struct spikes_reading { /* from spikes_init to spikes_release */
	struct open_calls calls_open;
	struct spike_thread *threads; /* by thread id */
	size_t n_threads;
	struct frame_marks marks;
	bool in_frame; /* of the present event, as frame */
	bool
	    logged; /* samples are spikes that a profiler of spikes wrote, also without their time */
	int64_t frame;
	struct map64 parents; /* of samples: stack -> index into parent_limits, + 1 */
	uint64_t *parent_limits;
	size_t n_parent_limits, cap_parent_limits;
	uint64_t least; /* no limit is below it */
	uint32_t *path;
	size_t cap_path;
	struct spike_text *texts; /* each one's s is set by spikes_report */
	size_t n_texts, cap_texts;
	struct buf text; /* theirs, one behind the other */
	uint64_t odd[ODDS], deepest, longest_open;
};

#endif
