/* SPDX-License-Identifier: MIT
 *
 * Internal to tally.h: the work that the wanted sums need, and what is kept for it from event to
 * event.
 */
#ifndef TM_TALLY_STATE_H
#define TM_TALLY_STATE_H

#include "lib/base/hash.h"
#include "lib/select/marks.h"
#include "lib/select/selector.h"
#include "lib/tally/kinds.h"
#include "lib/tally/live_curve.h"

enum { TALLY_BATCH = 128 };

struct queued_event { /* an event on its way into the cells */
	uint64_t address, seq, requested, real, count;
	int64_t time, change; /* change: of counters and of growth */
	struct derived derived;
	uint32_t type, stack, space, cell;
	uint32_t thread, thread_id; /* the cell's; the event's */
	uint32_t slice;             /* of marks, + 1; 0: before the first */
	uint16_t has;
	uint8_t kind, domain;
	bool timed;    /* time is the last one seen */
	bool own_time; /* and the event's own */
	bool numbered; /* seq is the capture's */
	bool samples;  /* EV_SAMPLE: count is of samples */
	uint8_t
	    fate; /* allocations of EV_PROFILE: its fate + 1; 0: others, and where it is not known */
};

struct cell_extra { /* of the cell with the same index */
	struct derived derived;
	uint64_t temporary, lifetime, timed;
	uint64_t unfollowed[3]; /* count, requested, real of allocations without an address */
};

struct tally_peak { /* of the cell with the same index: live at peak number id */
	uint64_t v[3];
	uint64_t id;
};

struct peak_crest {
	uint64_t best[3];
	int64_t when; /* of best: the time of the allocation that reached it; INT64_MIN: unknown */
	uint64_t id;  /* peaks that are over */
	bool at_peak;
};

struct peak_tracker { /* the live total of a domain; [DOMAINS]: of all */
	uint64_t live[3];
	struct peak_crest crest;
	struct peak_crest asked; /* by requested bytes; work.asks */
	uint64_t temporary;
	bool overflow;
	bool about;    /* best: as far as numbers of events tell */
	bool peakless; /* it is not known */
};

/* Whether live is more than best: by what the capture weighs, or where it weighs real bytes and the domain has
 * had none by now, as a pool has none, by requested ones. */
static inline bool peak_higher(const uint64_t live[3], const uint64_t best[3], unsigned weigh)
{
	return live[weigh] > best[weigh] || (weigh == 2 && !best[2] && live[1] > best[1]);
}

struct frame_sums { /* of frames, by mark */
	uint64_t (*v)[SUM_REAL + 1];
	size_t n, cap;
};

struct tally_state {          /* from tally_init to tally_release */
	uint64_t (*lives)[3]; /* of cells: count, requested, real that are live; else at the end */
	size_t cap_lives;
	uint64_t (*listed)[3]; /* of cells: the same of EV_PROFILE, beside blocks */
	size_t cap_listed;
	struct cell_extra *rare;
	size_t cap_rare;
	struct tally_peak (*peaks)[2]; /* of peak's crest, and of asked */
	size_t cap_peaks;
	struct peak_tracker peak_tracker[DOMAINS + 1];
	struct frame_sums frames[DOMAINS];
	bool follow;
	bool running;   /* peak is kept at each event */
	bool numbering; /* events come in any order: curves are, too; last: of all domains */
	struct live_curve curves[DOMAINS + 1];
	bool celled;          /* and lives */
	bool rarely, peaking; /* rare and peaks are */
	bool temporary;       /* newest is */
	bool taken;           /* all sums are there: snapshot.h */
	bool touching;        /* slices have what they add per cell */
	bool unfollowed;      /* some cell's rare has unfollowed */
	unsigned known;       /* SUM_BITs of what cells can have in this capture */
	unsigned weigh;       /* 0, 1, 2: the peak by count, requested, real */
	/* Some blocks may have no real bytes, all may have requested ones: the peak is followed by both. */
	bool asks;
	uint64_t timed; /* blocks whose lifetime is known */
	uint16_t from_allocs,
	    from_types;    /* enum event_field that count in EV_ALLOC, EV_TYPE_TOTAL */
	uint8_t *allocate; /* by thread: bit per domain in which it allocates */
	size_t cap_allocate;
	uint32_t *last; /* by stack: the cell used last */
	size_t cap_last;
	struct id_set set; /* of cell indexes + 1; of stacks that have more than one cell */
	size_t cap_types;
	uint64_t seq;
	struct { /* the place of the next event; its time: tally.has_time */
		int64_t frame, time;
		bool in_frame;
	} at;
	struct frame_marks marks; /* so far */
	size_t passed;            /* tally_pass_frees; SIZE_MAX: none were */
	struct selector selector; /* for its threads */
	uint32_t *newest;         /* by thread and domain: the block allocated last, + 1 */
	size_t cap_newest;
	char *samples_in; /* of the captures so far that have samples; NULL: none had */
	char *clock;      /* of their times; NULL: not stated */
	struct tally_kinds kinds;
	struct queued_event batch[TALLY_BATCH];
	size_t n_batch;
};

/* mark: the index + 1 of a frame, 0: before the first. What it has of a domain, to be added to; NULL: the frame
 * is not selected. */
uint64_t *tally_frame_sums(struct tally *a, unsigned domain, size_t mark);

/* At the end: the frame of the mark with this index is selected: with ranges of times, if a part of it lies in one. The
 * frame that begins where a range ends has none. */
bool tally_frame_selected(const struct tally *a, size_t index);

/* Slices of frames are made, or will be with these frames; or each of them is looked at (pacing.h). */
static inline bool tally_is_sliced(const struct tally *a, uint64_t frames)
{
	return a->slices || ((a->options.slice_marked || a->options.counters) && frames);
}

/* Slices have frees and what is live. */
static inline bool tally_slices_lives(const struct tally *a)
{
	return a->slices && !a->options.slice_marked;
}

static inline void tally_reach_time(struct tally *a, int64_t time)
{
	a->state->at.time = time;
	a->has_time = true;
}

/* Of an event whose time is set, and the marks before it are. */
static inline void tally_set_slice(const struct tally *a, struct queued_event *p)
{
	const struct tally_state *w = a->state;

	p->slice = (uint32_t)frame_marks_of(&w->marks, p->own_time, p->time);
}

/* What a cell's records have; values.c. */
unsigned tally_has(const struct tally *a, size_t cell);

/* What live bytes and their peak are of: 2: real bytes, where the records have them, else 1: requested
 * ones, else 0: blocks. */
unsigned tally_weighs(const struct trace *t);
/* At a capture's beginning, from its metrics. */
void tally_choose_state(struct tally *a, const struct trace *t);
/* At its end. Not needed before: the blocks themselves give the sums. Sums saturate here. */
void tally_settle_live(struct tally *a);
/* A thread allocates in the domain. */
void tally_see_thread(struct tally *a, uint32_t thread, unsigned domain);
/* At the end: tally.threads. A thread has a row for each name that it had. */
void tally_count_threads(struct tally *a, const struct trace *t);
/* Some of the domain's blocks so far, of all (DOMAINS), have no real bytes, and all have requested ones. */
bool tally_mixed(const struct tally *a, unsigned domain);
/* At the end: work.weigh of a domain, or of all (DOMAINS); where a block has no real bytes, requested ones. */
unsigned tally_weighed(const struct tally *a, unsigned domain);

#endif
