/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: the place of an event relative to the selected ranges and threads.
 */
#ifndef TM_TALLY_SELECTED_H
#define TM_TALLY_SELECTED_H

#include "lib/tally/state.h"

/* Kinds of pending that are no events: an allocation that is not selected takes the place of one
 * that is; a frame that is not selected ends the one before. */
enum { PENDING_COVER = EV_KINDS, PENDING_NO_FRAME };

/* The trace may have more stacks than before. */
void tally_fit(struct tally *a, const struct trace *t);
/* The cell of a pending event, made when it is new. */
uint32_t tally_place(struct tally *a, const struct queued_event *p);
static inline bool tally_is_cell(const struct tally_cell *c, const struct queued_event *p)
{
	return c->stack == p->stack && c->type == p->type && c->thread == p->thread &&
	       c->domain == p->domain;
}
/* What is pending has its effect. */
enum status tally_flush(struct tally *a, struct trace *t, struct err *e);
/* The kind that the event has for us; 0: it does not count. */
unsigned tally_selected(struct tally *a, const struct trace *t, const struct event *ev);

/* Frees behind the last range of frames were passed over, the first of them in the frame of this mark (index + 1). */
static inline void tally_pass_frees(struct tally *a, size_t mark)
{
	a->state->passed = mark < a->state->passed ? mark : a->state->passed;
}
/* At the end: frames up to the end of the last range came again behind such frees. */
bool tally_has_returned(const struct tally *a);

#endif
