/* SPDX-License-Identifier: MIT
 *
 * Statistics of memory without call sites: allocations by size, live bytes over time, and the pages
 * that hold the last live blocks. Sizes are requested ones where a block has them, else real ones; live
 * bytes, their peak and all bytes are those of tally_totals.
 * Where events come in any order, live bytes follow their numbers; without these no peak is known.
 * Memory: O(live blocks) (live.h), a fixed number of points, and at most LIVE_WINDOWS.
 */
#ifndef TM_TALLY_MEMORY_H
#define TM_TALLY_MEMORY_H

#include "lib/base/hash.h"
#include "lib/tally/live.h"
#include "lib/tally/live_curve.h"
#include "lib/trace/sink.h"

/* Class c has sizes from 2^(c-1) to 2^c - 1; 0 has blocks of no bytes. */
enum { MEMORY_CLASSES = 65, MEMORY_POINTS = 256, MEMORY_PAGE = 4096, MEMORY_LARGE = 128 << 10 };

/* Bytes are exact, as far as so many blocks of 64 bits go; those who print them have 64 (memory_shown). */
typedef unsigned __int128 memory_bytes;

static inline uint64_t memory_shown(memory_bytes v)
{
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

struct memory_class {
	uint64_t count, live_count;
	memory_bytes bytes, live_bytes;
};

/* A step of time: the most that was live in it, and what was at its end. */
struct memory_point {
	memory_bytes most, last;
	bool known;
};

struct memory_pages {
	uint64_t blocks, bytes, pages;
};

static inline uint64_t memory_pages_size(const struct memory_pages *p)
{
	return memory_shown((memory_bytes)p->pages * MEMORY_PAGE);
}

struct memory_domain {
	struct memory_class classes[MEMORY_CLASSES];
	uint64_t count, live_count;
	memory_bytes bytes, live, peak; /* as a tally weighs them: real ones, or else requested */
	memory_bytes sized, live_sized; /* of the classes */
	int64_t peak_at;                /* ns; below 0: not known */
	memory_bytes before;            /* live at this capture's start */
	bool peakless, about;           /* the peak is not known; only about */
	struct live_curve curve;        /* of this capture, where its events come in any order */
	struct memory_point points[MEMORY_POINTS];
	struct memory_pages pages[2]; /* of blocks below MEMORY_LARGE, and of others */
};

struct tally_memory {
	struct sink sink;
	/* After each capture; may be NULL. */
	void (*captured)(void *arg, struct trace *t);
	void *arg;
	struct memory_domain domains[DOMAINS];
	uint64_t captures;
	/* All captures know what is live: of allocations with an address, as in tally.h. Who needs sizes only
	 * sets it to false behind memory_init: that is fast, and takes no memory. */
	bool lives;
	bool follows; /* an allocation had one */
	bool timed;   /* it is known when and in which order, and there is only one capture */
	/* What allocations are, of all captures: pages are of placed blocks, sizes of blocks. */
	enum trace_blocks blocks;
	bool uncounted; /* the captures do not know how many there were */
	bool asked;     /* a size is a requested one */
	unsigned weigh; /* tally_weighs of the present capture */
	/* How well they are known, the worst of all captures: enum metric_state; size: what is weighed. */
	uint8_t count_state, size_state, live_state;
	uint64_t unfollowed; /* allocations of this capture that had none */
	int64_t step;        /* ns of a point */
	uint64_t lost;       /* allocations without a size */
	struct live live;
	uint64_t seq;
};

void memory_init(struct tally_memory *m);
void memory_release(struct tally_memory *m);

/* Adds a block, and the pages under it that are not seen yet of what is whose. seen begins zeroed
 * and is the caller's. */
void memory_pages_add(struct memory_pages *p, struct map64 *seen, uint64_t whose, uint64_t address,
		      uint64_t size, uint64_t count);

/* Of live bytes, over the steps from the first known one on. */
struct memory_growth {
	/* By least squares, in bytes a second, and its standard error, widened by how much neighbouring steps
	 * resemble each other. */
	double slope, error;
	/* What lives on rises, or falls with a slope below 0, from nearly each eighth of the run to the next,
	 * and not in some of them alone. */
	bool throughout;
};

/* False: fewer than 8 steps. */
bool memory_growth(const struct tally_memory *m, const struct memory_domain *d,
		   struct memory_growth *to);

#endif
