/* SPDX-License-Identifier: MIT
 *
 * One session of a Unity profiler stream: its threads, their block chains and open samples, and the
 * losses. formats/unity/raw.c finds the blocks, formats/unity/message.c reads what is in them,
 * formats/unity/thread.c keeps the stacks of open samples, formats/unity/frames.c says when they
 * are written.
 */
#ifndef TM_FORMATS_UNITY_STREAM_H
#define TM_FORMATS_UNITY_STREAM_H

#include "formats/unity/bytes.h"
#include "formats/unity/frames.h"
#include "formats/unity/version.h"

enum { UNITY_MESSAGES = 64, UNITY_VALUES = 14 };

#define UNITY_GLOBAL UINT64_MAX /* thread id of blocks with tables */

/* A sample that was begun. */
struct unity_open {
	uint64_t start;    /* ticks */
	uint64_t children; /* ns of the direct ones that ended */
	uint64_t bytes;    /* when alloc */
	uint32_t marker, node, calls;
	uint8_t alloc; /* 0, UNITY_GC_ALLOC or UNITY_MAYBE_ALLOC */
};

struct unity_thread {
	uint64_t id;
	uint32_t lane;
	uint32_t next; /* block id; when chained */
	bool chained;
	bool waiting; /* something was lost: for the next Frame message */
	bool framed;  /* it has Frame messages */
	bool instant; /* the last open one is a Sample, and ends where it began */
	struct unity_open *open;
	size_t n_open, cap_open;
	uint8_t *carry; /* the begin of a message that the next block goes on with */
	size_t n_carry, cap_carry;
	unsigned phase; /* of the carry, in aligned streams */
};

struct unity_stream {
	struct import *im;
	struct unity_frames frames;
	uint64_t main_thread;
	uint32_t version, ordinal;
	bool aligned;
	struct map64 thread_index;     /* id -> place in threads */
	struct unity_thread **threads; /* [0] unused; each stays where it is */
	size_t n_threads, cap_threads;
	struct unity_thread *last;

	uint64_t blocks, messages[UNITY_MESSAGES], values[UNITY_VALUES];
	uint64_t unknown[UNITY_MESSAGES], unknown_others, unknown_bytes, unknown_values;
	uint64_t gaps, lost_blocks, reordered, dropped, waited, misnested, too_long,
	    capabilities_lost;
	uint64_t orphans, unclosed, backward, clamped, clamped_ns, no_number, stats, guessed_stats;
};

void unity_stream_init(struct unity_stream *s, struct import *im, uint32_t version);
void unity_stream_release(struct unity_stream *s); /* accepts a zeroed struct */
struct unity_thread *unity_stream_thread(struct unity_stream *s, uint64_t id);
/* Closes the session: writes what waits, counts what is open, adds the notes. */
enum status unity_stream_end(struct unity_stream *s, struct err *e);

/* A block of a thread. whole: false when the file ends within it. */
enum status unity_block(struct unity_stream *s, uint64_t thread, uint32_t id, uint32_t next,
			const uint8_t *bytes, size_t n, bool whole, struct err *e);
/* The messages in these bytes; *used is how many were. A message that goes on behind them is left
 * when it can; what cannot be read is counted, and used. */
enum status unity_messages(struct unity_stream *s, struct unity_thread *t, const uint8_t *p,
			   size_t n, size_t *used, struct err *e);

/* formats/unity/thread.c. Something of the thread is lost: its open samples are. */
enum status unity_thread_break(struct unity_stream *s, struct unity_thread *t, struct err *e);
enum status unity_thread_settle(struct unity_stream *s, struct unity_thread *t, struct err *e);
enum status unity_thread_end_sample(struct unity_stream *s, struct unity_thread *t, uint32_t id,
				    uint64_t ticks, struct err *e);
enum status unity_thread_alloc(struct unity_stream *s, struct unity_thread *t, uint64_t bytes,
			       struct err *e);
void unity_thread_open(struct unity_stream *s, struct unity_thread *t, uint32_t id, uint64_t ticks);
void unity_thread_info(struct unity_stream *s, uint64_t id, uint64_t start, uint32_t flags,
		       const char *group, size_t n_group, const char *name, size_t n_name);

static inline enum status unity_thread_begin_sample(struct unity_stream *s, struct unity_thread *t,
						    uint32_t id, uint64_t ticks, struct err *e)
{
	enum status st = t->instant ? unity_thread_settle(s, t, e) : ST_OK;

	if (t->waiting)
		s->waited++;
	else
		unity_thread_open(s, t, id, ticks);
	return st;
}

const char *unity_message_name(unsigned type); /* NULL: of an unknown type */

#endif
