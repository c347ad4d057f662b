/* SPDX-License-Identifier: MIT */
#include "lib/tally/selected.h"

#include "lib/base/mem.h"

#include <string.h>

bool tally_has_thread(struct tally *a, const struct trace *t, uint32_t thread)
{
	struct tally_work *w = a->work;
	uint8_t *verdict;

	w->thread_selected =
	    mem_grow_zero(w->thread_selected, &w->cap_thread_selected, (size_t)thread + 1, 1);
	verdict = &w->thread_selected[thread];
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

/* The number of the frame in which an event is that comes now; false: before the first. */
static bool frame_of(const struct tally_work *w, const struct event *ev, int64_t *number)
{
	size_t mark = frame_marks_of(&w->marks, ev->has & EV_HAS_TIME, ev->time);

	*number = mark ? w->marks.items[mark - 1].number : 0;
	return mark > 0;
}

unsigned tally_selected(struct tally *a, const struct trace *t, const struct event *ev)
{
	struct tally_work *w = a->work;
	const struct tally_selection *s = a->options.selection;
	int64_t number = 0;
	bool in_frame = s->frames.n && frame_of(w, ev, &number);
	bool after =
	    (in_frame && number > s->frames.end) || (a->has_time && w->at.time > s->times.end);

	if (ev->kind == EV_FREE || ev->kind == EV_FREED)
		return after ? 0 : ev->kind;
	if (ev->kind == EV_FRAME)
		return selection_in(&s->frames, ev->value) ? EV_FRAME : (unsigned)PENDING_NO_FRAME;
	if ((!s->frames.n || (in_frame && selection_in(&s->frames, number))) &&
	    (!s->times.n || (a->has_time && selection_in(&s->times, w->at.time))) &&
	    in_size(s, ev) &&
	    (!s->n_threads || (ev->kind != EV_TYPE_TOTAL && tally_has_thread(a, t, ev->thread))))
		return ev->kind;
	a->unselected++;
	a->untimed += s->times.n && !a->has_time;
	return ev->kind == EV_ALLOC && w->follow && !after ? (unsigned)PENDING_COVER : 0;
}
