/* SPDX-License-Identifier: MIT
 *
 * The curve of live bytes over the numbers of events (seq), for captures whose events come in any order. A window
 * is a range of numbers, with what changed in it: a single number, until the numbers are too far apart for
 * LIVE_WINDOWS. So memory has a bound, and moments are exact up to a window.
 */
#ifndef TM_TALLY_LIVE_CURVE_H
#define TM_TALLY_LIVE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_WINDOWS = 1 << 22 };

struct live_curve { /* zeroed is empty and valid */
	struct live_window {
		int64_t change;
		int64_t time; /* the largest that its events tell; INT64_MIN: none */
	} * windows;
	size_t n, cap;
	uint64_t *timed; /* a bit for each window that has a time */
	size_t cap_timed;
	uint64_t first; /* the number of the first event, without its last shift bits */
	unsigned shift;
	bool guessed;    /* an end follows from what is behind it */
	bool disordered; /* an event had no number */
	bool has_time;   /* an event had a time: the numbers are those of moments */
};

/* timed: time is the event's own. */
void live_curve_add(struct live_curve *c, uint64_t seq, int64_t change, bool timed, int64_t time);
/* The time of the event numbered last before this one that has one, or this one's; false: none
 * near. */
bool live_curve_time(const struct live_curve *c, uint64_t seq, int64_t *time);
/* From the first event on: after each window; time: the largest so far, INT64_MIN: none yet. */
typedef void (*live_curve_step)(void *arg, int64_t live, int64_t time);
void live_curve_walk(const struct live_curve *c, live_curve_step step, void *arg);
/* All numbers are known. Without any time they are no more than names: those of a heap's dump or of
 * a profile's sums follow the file. */
static inline bool live_curve_known(const struct live_curve *c)
{
	return c->n && c->has_time && !c->disordered;
}
/* And what is live at each is, too. */
static inline bool live_curve_exact(const struct live_curve *c)
{
	return live_curve_known(c) && !c->shift && !c->guessed;
}
void live_curve_reset(struct live_curve *c);
void live_curve_release(struct live_curve *c);

#endif
