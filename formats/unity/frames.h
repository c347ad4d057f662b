/* SPDX-License-Identifier: MIT
 *
 * The frame that a sample belongs to, and the moment at which the sample is written.
 *
 * Streams of threads interleave, and a trace's frame holds what follows it. So what threads
 * record waits in a window of frames: a frame is written when the thread that counts frames (the
 * main thread) is UNITY_WINDOW frames ahead, or when too much waits. A sample belongs to the frame
 * in which it ended: by its thread's own Frame messages, or, of a thread that is not tied to
 * frames, by time among the frames in the window. Before the first Frame message of the main thread
 * a thread without any is in the frame that the ProfilerState names. What comes after its frame was
 * written counts to the oldest one that was not, and is counted.
 */
#ifndef TM_FORMATS_UNITY_FRAMES_H
#define TM_FORMATS_UNITY_FRAMES_H

#include "formats/reader.h"
#include "formats/unity/clock.h"
#include "formats/unity/jit.h"
#include "formats/unity/names.h"

enum unity_kind {
	UNITY_SAMPLE,
	UNITY_ALLOC,       /* total: bytes; node: of the sample within which it is made */
	UNITY_GC_ALLOC,    /* node: of the GC.Alloc sample itself */
	UNITY_MAYBE_ALLOC, /* the same, if its marker, which has no name yet, is GC.Alloc */
	UNITY_COUNTER, /* total: the value; self: its decimals in 10^-18; node: of the trace; time when
			    * start is not 0 */
	UNITY_LOG,     /* total: how severe; node: string of the trace; time likewise */
};

struct unity_item {
	uint64_t start; /* ticks */
	uint64_t total, self;
	uint32_t node, thread;
	uint32_t calls; /* id of a callstack, 0: none */
	uint8_t kind;   /* enum unity_kind */
};

/* What the frames know of a thread. */
struct unity_lane {
	uint64_t tid, started;
	uint32_t generation;
	uint32_t name;  /* string id of the trace */
	uint32_t row;   /* of the trace, 0: not used yet */
	uint32_t frame; /* the last Frame message's number */
	bool has_frame;
	bool untied;
};

enum {
	UNITY_WINDOW = 8,
	UNITY_BUCKETS = 32,      /* more than the window before and the numbers ahead */
	UNITY_WAITING = 1 << 19, /* items: 20 MiB */
	UNITY_BATCH = 64
};

struct unity_bucket {
	uint32_t number;
	bool numbered; /* false: before any frame */
	bool timed;
	uint64_t start; /* ticks */
	struct unity_item *items;
	size_t n, cap;
};

struct unity_frames {
	struct import *im;
	struct unity_clock clock;
	struct unity_names names;
	struct unity_jit jit;
	struct unity_lane *lanes; /* by item.thread; [0] unused */
	size_t n_lanes, cap_lanes;
	struct unity_bucket buckets[UNITY_BUCKETS]; /* ascending by number */
	size_t n_buckets;
	bool announced;   /* the first bucket's frame event was written: it holds nothing */
	uint32_t current; /* the frame of the thread that counts them */
	uint32_t retired; /* the last one written */
	uint32_t state;   /* of the last ProfilerState */
	bool has_current, has_retired, has_state;
	bool main_counts; /* the main thread has Frame messages */
	struct unity_untied {
		struct unity_item item;
		uint64_t end;
	} * untied; /* of threads without frames, ended in the newest frame or later */
	size_t n_untied, cap_untied;
	uint64_t untied_first; /* the earliest end of those that wait */
	size_t n_waiting;      /* items in all buckets */
	struct event batch[UNITY_BATCH];
	size_t n_batch;
	struct intern callstacks; /* addresses, innermost first, 8 bytes each */
	struct map64 addresses, callstack_index;
	uint32_t gc_alloc; /* type of the trace */
	uint64_t late, early, odd, backwards, nameless_threads;
};

void unity_frames_init(struct unity_frames *f, struct import *im, uint32_t ordinal);
void unity_frames_release(struct unity_frames *f); /* accepts a zeroed struct */

/* The frame that a ProfilerState names. */
enum status unity_frames_state(struct unity_frames *f, uint32_t number, uint64_t ticks,
			       struct err *e);
/* A thread's Frame message. */
enum status unity_frames_start(struct unity_frames *f, uint32_t lane, uint32_t number,
			       uint64_t ticks, bool main, struct err *e);
/* A line of the game's log that came now: in the newest frame of this lane, at its begin. */
enum status unity_frames_log(struct unity_frames *f, uint32_t lane, uint32_t level,
			     const char *text, size_t n, struct err *e);
/* Id of a callstack of n addresses, innermost first; 0 for none. */
uint32_t unity_frames_calls(struct unity_frames *f, const uint8_t *addresses, size_t n);
/* Writes all that waits, and adds the notes. */
enum status unity_frames_end(struct unity_frames *f, struct err *e);

enum status unity_frames_push_slow(struct unity_frames *f, const struct unity_item *it,
				   uint64_t end, struct err *e);
/* An item that ended at these ticks. */
static inline enum status unity_frames_push(struct unity_frames *f, const struct unity_item *it,
					    uint64_t end, struct err *e)
{
	const struct unity_lane *l = &f->lanes[it->thread];

	/* the common case: the newest frame waits, and has room */
	if (f->n_buckets > f->announced && l->has_frame && !l->untied) {
		struct unity_bucket *b = &f->buckets[f->n_buckets - 1];

		if (b->number == l->frame && b->numbered && b->n < b->cap &&
		    f->n_waiting < UNITY_WAITING) {
			b->items[b->n++] = *it;
			f->n_waiting++;
			return ST_OK;
		}
	}
	return unity_frames_push_slow(f, it, end, e);
}

#endif
