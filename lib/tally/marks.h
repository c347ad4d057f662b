/* SPDX-License-Identifier: MIT
 *
 * Marks of frames. A mark holds for what follows it until the next one, and for an event that follows
 * with a time of its own which lies before the newest mark, the mark that its time lies behind. Marks
 * without times, or whose times go back (the game started again), are known by their place alone.
 */
#ifndef TM_TALLY_MARKS_H
#define TM_TALLY_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_mark {
	int64_t number, start;
	uint64_t kept; /* ns of selected frames before it, since times went on without going back */
	bool timed, selected;
};

struct frame_marks { /* zeroed is empty and valid */
	struct frame_mark *items;
	size_t n, cap;
	size_t run; /* the first mark from which on times are there and do not go back */
};

void frame_marks_add(struct frame_marks *m, const struct frame_mark *mark);
/* Of an event that comes now: 0: before the first mark; else the mark's index + 1. */
size_t frame_marks_search(const struct frame_marks *m, int64_t time);
static inline size_t frame_marks_of(const struct frame_marks *m, bool timed, int64_t time)
{
	const struct frame_mark *newest = m->n ? &m->items[m->n - 1] : NULL;

	return !newest || !timed || !newest->timed || time >= newest->start
		   ? m->n
		   : frame_marks_search(m, time);
}
/* The newest mark has a time: */
static inline bool frame_marks_timed(const struct frame_marks *m)
{
	return m->n && m->items[m->n - 1].timed;
}
/* ns from lo up to hi that selected frames have. */
uint64_t frame_marks_selected(const struct frame_marks *m, int64_t lo, int64_t hi);
static inline void frame_marks_reset(struct frame_marks *m)
{
	m->n = m->run = 0;
}
void frame_marks_release(struct frame_marks *m);

#endif
