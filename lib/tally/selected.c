/* SPDX-License-Identifier: MIT */
#include "lib/tally/selected.h"

/* Of an event that comes now; its frame, where a range looks at it. mark: the index + 1 of that frame; 0: none. */
static struct selection_place place_of(const struct tally *a, const struct event *ev, size_t *mark)
{
	const struct tally_state *w = a->state;
	struct selection_place at = {.has_time = a->has_time, .time = w->at.time};

	*mark = a->options.selection->frames.n
		    ? frame_marks_of(&w->marks, ev->has & EV_HAS_TIME, ev->time)
		    : 0;
	if (*mark) {
		at.in_frame = true;
		at.frame = w->marks.items[*mark - 1].number;
	}
	return at;
}

unsigned tally_selected(struct tally *a, const struct trace *t, const struct event *ev)
{
	struct tally_state *w = a->state;
	const struct tally_selection *s = a->options.selection;
	size_t mark;
	struct selection_place at = place_of(a, ev, &mark);
	bool after = selection_is_over(s, &at);

	if (ev->kind == EV_FREE || ev->kind == EV_FREED) {
		if (selection_may_return(s, &at))
			tally_pass_frees(a, mark);
		return after ? 0 : ev->kind;
	}
	if (ev->kind == EV_FRAME)
		return selection_in(&s->frames, ev->value) ? EV_FRAME : (unsigned)PENDING_NO_FRAME;
	if (selection_has_place(s, &at) && selection_has_size(s, ev) &&
	    (!s->n_threads ||
	     (ev->kind != EV_TYPE_TOTAL && selector_has_thread(&w->selector, t, ev->thread))))
		return ev->kind;
	a->unselected++;
	a->untimed += s->times.n && !a->has_time;
	return ev->kind == EV_ALLOC && w->follow && !after ? (unsigned)PENDING_COVER : 0;
}

bool tally_has_returned(const struct tally *a)
{
	const struct tally_state *w = a->state;
	const struct tally_selection *s = a->options.selection;

	if (!s || !s->frames.n)
		return false;
	for (size_t i = w->passed; i < w->marks.n; i++)
		if (w->marks.items[i].number <= s->frames.end)
			return true;
	return false;
}
