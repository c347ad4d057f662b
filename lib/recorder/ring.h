/* SPDX-License-Identifier: MIT
 *
 * The rings through which threads hand records to the writer: one for each thread, filled by the
 * thread and emptied by the holder of the writer's lock. Every record has a number from one
 * counter, taken while the block is the thread's alone (after malloc, before free), so that the
 * order of the numbers is the order in which an address was handed out and given back; the writer
 * merges the rings by it, up to the first number that some thread has taken and not written down
 * yet. A thread that was stopped right there (a collector's signal, a debugger) is waited for until
 * others have no room, and then CAP_PATIENCE_MS: its record is given up, and left out when it
 * comes.
 *
 * A ring outlives its thread: another thread goes on with it, behind a record that says so. Rings
 * of threads that ended without a word are found by their number (see capture.c).
 */
#ifndef TM_RECORDER_RING_H
#define TM_RECORDER_RING_H

#include "lib/recorder/base/lock.h"
#include "lib/recorder/code.h"
#include "lib/recorder/stacks/bounds.h"
#include "lib/recorder/stacks/stacks.h"
#include "lib/recorder/stacks/unwind.h"

#include <stdint.h>

enum { CAP_RECORDS = 2048, CAP_RINGS = 1024, CAP_TEXT_MAX = 32, CAP_TEXTS = 256, CAP_COMM = 64 };
enum { CAP_LOOK_NS = 10000000 };

enum cap_record_kind {
	CAP_ALLOC = 1,
	CAP_FREE,
	CAP_THREAD,  /* address = tid: what follows in this ring is this thread's */
	CAP_FRAME,   /* address = number, name = row of the names or 0 */
	CAP_COUNTER, /* address = value (signed), requested = its decimals in 10^-18, name = row of
		      * the names */
	CAP_TYPED,   /* an allocation without an address; name = row of the names, its type */
	CAP_ENTER, /* a call (calls.h); count = 1: it has a time; address = value; with fiber: requested =
		      * its number, name = row of the names or 0 */
	CAP_EXIT,
	CAP_TEXT, /* of the call or line that follows in this ring; count = bytes */
	CAP_LINE, /* of the program's log; count = its severity, CAP_TEXT = its text */
	CAP_NAMED /* text = the name that the thread of this ring has; count = bytes */
};

/* In place of a fiber's: a row of a script's calls, which its number tells from others. */
enum { CAP_STRAND = UINT16_MAX };

/* Of a record's real size: an engine's pool does not say. */
#define CAP_UNKNOWN UINT64_MAX

struct cap_record {
	uint64_t seq;
	union {
		struct {
			int64_t time; /* ns of the monotonic clock */
			uint64_t address;
			uint64_t requested, real;
		};
		char text[CAP_TEXT_MAX];
	};
	uint32_t count; /* allocations that it stands for */
	uint32_t stack;
	uint32_t name;
	uint8_t kind;   /* enum cap_record_kind */
	uint8_t domain; /* enum domain */
	uint16_t fiber; /* place of a fiber; 0: the thread's own stack; CAP_STRAND: a script's */
};

struct cap_ring {
	_Alignas(64) _Atomic uint64_t head; /* records put in; the thread's */
	_Atomic uint64_t pending; /* at most the number that is being taken; UINT64_MAX: none */
	uint64_t room;            /* the tail as the thread last saw it */
	_Atomic uint64_t deep;    /* stacks of more than depth locations */
	_Atomic uint64_t stray;   /* that end before what is no code */
	uint64_t random;          /* state of the sampler */
	int64_t until;            /* bytes to the next sample */
	uint32_t announce;        /* tid to say before the next record; 0: said */
	uint32_t seen_in;         /* flushed of last, for which rules and pages hold */
	_Alignas(64) _Atomic uint64_t tail; /* records taken out; the writer's */
	uint64_t end;                       /* head as this pass of the writer saw it */
	uint64_t watched;                   /* pending, the writer's, when it began to wait */
	uint64_t given_up;                  /* pending + 1 that is waited for no more; 0: none */
	uint32_t thread;                    /* row of the trace, */
	uint32_t tid, generation, n_comm;   /* and what it says; tid 0: nothing yet */
	char comm[CAP_COMM];
	uint32_t n_text; /* gathered for the next call */
	char text[CAP_TEXTS];
	_Alignas(64) _Atomic uint32_t owner; /* tid; 0: free */
	uint64_t ticks; /* of the processor, when the owner last looked at the clock for a block; */
	int64_t time;   /* which showed this */
	struct cap_bounds bounds; /* of the owner's stack */
	struct cap_last last;
	/* The stack that is being taken: a program's own stacks may be small. */
	uint64_t pc[CAP_DEPTH_MAX + 1]; /* one more than is kept: is that all? */
	void *entry[CAP_DEPTH_MAX + 1];
	/* Of a thread that runs a script: the stack pointers of pc, and pc with the script's functions. */
	uintptr_t sp[CAP_DEPTH_MAX + 1];
	uint64_t joined[CAP_DEPTH_MAX + 1];
	struct cap_known *known; /* calls.c */
	struct cap_rules rules;
	struct cap_code_pages pages;
	struct cap_record records[CAP_RECORDS];
};

/* Rings by the number of their first record, as a heap. */
struct cap_turn {
	uint64_t seq;
	struct cap_ring *ring;
};

struct cap_rings {
	_Alignas(64) _Atomic uint64_t seq;
	_Alignas(64) _Atomic uint32_t n;
	struct cap_lock lock;    /* of the thread that adds or hands over */
	_Atomic uint64_t full;   /* no ring, there are too many */
	_Atomic uint64_t waited; /* no ring, the lock was given up; and records that were */
	uint64_t written;        /* the writer's: no record of a number below it is to come */
	int64_t watched_at;  /* the writer's: when it last looked, while it waits; 0: it does not */
	int64_t watched_for; /* ns that it has waited */
	_Atomic(struct cap_ring *) ring[CAP_RINGS];
	struct cap_turn heap[CAP_RINGS]; /* of cap_rings_drain: the program's stacks may be small */
};

/* A ring for the thread tid, which is to announce itself in it; NULL when there are CAP_RINGS in
 * use, or no memory, which is counted. A ring whose owner has the same tid is the ring of a thread
 * that ended. */
struct cap_ring *cap_rings_consume(struct cap_rings *r, uint32_t tid);
void cap_ring_give_back(struct cap_ring *ring);
/* The same of a thread that is no more and may have been in the middle of a record. */
void cap_rings_gone(struct cap_rings *r, struct cap_ring *ring);
/* Puts the record of kind CAP_THREAD, for which there is room. */
void cap_ring_announce(struct cap_rings *r, struct cap_ring *ring);
/* In a child after fork: nothing is in any ring, and no thread has one. */
void cap_rings_reset(struct cap_rings *r);
/* While nothing is recorded: nothing is in any ring, and each is its thread's, which announces
 * itself again. */
void cap_rings_empty(struct cap_rings *r);

/* Room for n more records? */
static inline bool cap_ring_room(struct cap_ring *ring, unsigned n)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head + n <= ring->room + CAP_RECORDS)
		return true;
	ring->room = atomic_load_explicit(&ring->tail, memory_order_acquire);
	return head + n <= ring->room + CAP_RECORDS;
}

/* Takes a number. Until cap_ring_done the writer goes no further than it. */
static inline uint64_t cap_ring_number(struct cap_rings *r, struct cap_ring *ring)
{
	atomic_store_explicit(&ring->pending, atomic_load_explicit(&r->seq, memory_order_relaxed),
			      memory_order_relaxed);
	return atomic_fetch_add_explicit(&r->seq, 1, memory_order_acq_rel);
}

/* Where the next record goes; there is room for it. */
static inline struct cap_record *cap_ring_next(struct cap_ring *ring)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	return &ring->records[head % CAP_RECORDS];
}

static inline void cap_ring_put(struct cap_ring *ring)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

static inline void cap_ring_done(struct cap_ring *ring)
{
	atomic_store_explicit(&ring->pending, UINT64_MAX, memory_order_release);
}

/* The writer's side: for each record whose number is below the horizon and below end, in the order
 * of the numbers. One caller at a time. */
typedef void (*cap_consume)(void *arg, struct cap_ring *ring, const struct cap_record *rec);
void cap_rings_drain(struct cap_rings *r, uint64_t end, cap_consume take, void *arg);
/* When that has left too much: gives up the records for which it has waited since a call that is
 * at least wait ns ago; 0: whatever it waits for now. Between two calls at most CAP_LOOK_NS count:
 * where nothing ran for a while, those that are waited for did not either. */
void cap_rings_wait(struct cap_rings *r, int64_t now, int64_t wait);

#endif
