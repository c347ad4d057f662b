/* SPDX-License-Identifier: MIT
 *
 * The selection of the events that count, by frame, time, size and thread. Several ranges of one
 * kind are alternatives, different kinds all have to hold. Ranges A..B include both ends; A.. and
 * ..B are open, and A alone is A..A (not for times).
 *
 * An allocation counts when it is selected. A free counts unless it comes after the end of the
 * last frame range or of the last time range, whatever its own size or thread: so the live set of
 * a range is what was allocated in it and is still there at its end, and ..T is the live set at T.
 *
 * A frame range looks at the number of the frame an event lies in; events before the first frame
 * are in no range. An event without a time has the time of the last event before it that has one;
 * without such an event, it is in no time range. A size is the requested one, else the real one,
 * else unknown and in no range. Type totals have no size and no thread, so they are in no such
 * selection. Of the time of a call the part counts that lies in the ranges.
 */
#ifndef TM_SELECT_SELECTION_H
#define TM_SELECT_SELECTION_H

#include "lib/base/err.h"
#include "lib/match/match.h"
#include "lib/trace/model.h"

struct selection_range { /* both ends included */
	int64_t lo, hi;
};

struct selection_ranges {
	struct selection_range *items;
	size_t n, cap;
	int64_t end;                   /* the largest hi; INT64_MAX when n is 0 */
	struct selection_range *apart; /* the same in their order, none of which touch */
	size_t n_apart, cap_apart;
};

struct selection_thread {
	struct match *match; /* on its name; NULL: by tid */
	uint64_t tid;
};

struct tally_selection {
	struct selection_ranges frames, times, sizes; /* times in ns */
	struct selection_thread *threads;
	size_t n_threads, cap_threads;
};

void selection_init(struct tally_selection *s); /* everything is selected */
void selection_release(struct tally_selection *s);
static inline bool selection_all(const struct tally_selection *s)
{
	return !s->frames.n && !s->times.n && !s->sizes.n && !s->n_threads;
}

/* It may leave out blocks that are allocated before others that it selects, whatever their size; times are from 0. */
static inline bool selection_begins_later(const struct tally_selection *s)
{
	return s->frames.n || s->n_threads || s->times.n_apart > 1 ||
	       (s->times.n_apart && s->times.apart[0].lo > 0);
}

/* Each adds one alternative; ST_BAD with a reason for people when the text is not a valid range.
 * frames: "10..20", "..-1", "7". times: "1.5s..2s", "..250ms"; units ns us ms s min h, 0 needs
 * none. sizes: "1k..64KiB", "4096": k M G T are powers of 1000, Ki Mi Gi Ti of 1024, B may
 * follow. thread: a tid when it is a number, else a pattern on the name (enum match_flags). */
enum status selection_frames(struct tally_selection *s, const char *text, struct err *e);
enum status selection_times(struct tally_selection *s, const char *text, struct err *e);
enum status selection_sizes(struct tally_selection *s, const char *text, struct err *e);
enum status selection_thread(struct tally_selection *s, const char *text, unsigned flags,
			     struct err *e);

/* True without ranges. */
static inline bool selection_in(const struct selection_ranges *r, int64_t v)
{
	for (size_t i = 0; i < r->n; i++)
		if (v >= r->items[i].lo && v <= r->items[i].hi)
			return true;
	return !r->n;
}

/* What begins and ends then has a part in the ranges; last: its end, too, is a moment of it. */
static inline bool selection_meets(const struct selection_ranges *r, int64_t begin, int64_t end,
				   bool last)
{
	for (size_t i = 0; i < r->n; i++)
		if (begin <= r->items[i].hi &&
		    (last ? end >= r->items[i].lo : end > r->items[i].lo))
			return true;
	return !r->n;
}

bool selection_has_thread(const struct tally_selection *s, const struct trace *t, uint32_t thread);

#endif
