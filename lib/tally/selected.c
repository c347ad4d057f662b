/* SPDX-License-Identifier: MIT */
#include "lib/tally/selected.h"

#include "lib/base/mem.h"

#include <string.h>

bool tally_has_thread(struct tally *a, const struct trace *t, uint32_t thread)
{
	uint8_t *verdict;

	a->thread_selected =
	    mem_grow_zero(a->thread_selected, &a->cap_thread_selected, (size_t)thread + 1, 1);
	verdict = &a->thread_selected[thread];
	if (!*verdict)
		*verdict = 1 + selection_has_thread(a->options.selection, t, thread);
	return *verdict == 2;
}

static bool in_size(const struct tally_selection *s, const struct event *ev)
{
	uint64_t size = ev->has & EV_HAS_REQUESTED ? ev->requested : ev->real;

	if (!s->sizes.n)
		return true;
	if (!(ev->has & (EV_HAS_REQUESTED | EV_HAS_REAL)) || ev->kind != EV_ALLOC)
		return false;
	return selection_in(&s->sizes, size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

unsigned tally_selected(struct tally *a, const struct trace *t, const struct event *ev)
{
	const struct tally_selection *s = a->options.selection;
	bool after = (a->at.in_frame && a->at.frame > s->frames.end) ||
		     (a->at.has_time && a->at.time > s->times.end);

	if (ev->kind == EV_FREE || ev->kind == EV_FREED)
		return after ? 0 : ev->kind;
	if (ev->kind == EV_FRAME)
		return selection_in(&s->frames, ev->value) ? EV_FRAME : (unsigned)PENDING_NO_FRAME;
	if ((!s->frames.n || (a->at.in_frame && selection_in(&s->frames, a->at.frame))) &&
	    (!s->times.n || (a->at.has_time && selection_in(&s->times, a->at.time))) &&
	    in_size(s, ev) &&
	    (!s->n_threads || (ev->kind != EV_TYPE_TOTAL && tally_has_thread(a, t, ev->thread))))
		return ev->kind;
	a->unselected++;
	a->untimed += s->times.n && !a->at.has_time;
	return ev->kind == EV_ALLOC && a->follow && !after ? (unsigned)PENDING_COVER : 0;
}
