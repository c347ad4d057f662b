/* SPDX-License-Identifier: MIT */
#include "lib/select/marks.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/select/selection.h"
#include "lib/trace/model.h"

static uint64_t between(int64_t lo, int64_t hi)
{
	return hi > lo ? (uint64_t)hi - (uint64_t)lo : 0;
}

/* Time of selected frames up to this one, which begins before time. */
static uint64_t kept_before(const struct frame_mark *mark, int64_t time)
{
	return mark->kept + (mark->selected ? between(mark->start, time) : 0);
}

static void add(struct frame_marks *m, const struct frame_mark *mark)
{
	const bool follows = m->n > m->run;
	struct frame_mark new = *mark;

	new.kept = 0;
	if (!mark->timed)
		m->run = m->n + 1;
	else if (follows && mark->start < m->items[m->n - 1].start)
		m->run = m->n;
	else if (follows)
		new.kept = kept_before(&m->items[m->n - 1], mark->start);
	VEC_PUSH(m->items, m->n, m->cap) = new;
}

struct frame_mark frame_mark_of(const struct event *ev)
{
	return (struct frame_mark){.number = ev->value,
				   .start = ev->time,
				   .duration = (int64_t)ev->target,
				   .timed = ev->has & EV_HAS_TIME,
				   .lasting = ev->has & EV_HAS_TARGET};
}

void frame_marks_add(struct frame_marks *m, const struct frame_mark *mark)
{
	if (!m->known)
		add(m, mark);
	m->at++;
}

void frame_marks_know(struct frame_marks *m, const struct trace_marks *all,
		      const struct selection_ranges *frames)
{
	for (size_t i = 0; i < all->n; i++)
		add(m, &(struct frame_mark){
			   .number = all->items[i].number,
			   .start = all->items[i].time,
			   .duration = all->items[i].duration,
			   .lasting = all->items[i].lasting,
			   .timed = true,
			   .selected = !frames || selection_in(frames, all->items[i].number)});
	m->known = true;
}

void frame_marks_begin(struct frame_marks *m, const struct trace *t)
{
	frame_marks_reset(m);
	if (t->marks)
		frame_marks_know(m, t->marks, NULL);
}

int64_t frame_marks_span(const struct frame_marks *m, size_t index)
{
	const struct frame_mark *mark = &m->items[index];
	const struct frame_mark *next = index + 1 < m->n ? mark + 1 : NULL;
	int64_t span;

	if (!next || !mark->timed || !next->timed || next->start < mark->start ||
	    __builtin_sub_overflow(next->start, mark->start, &span))
		return -1;
	return span;
}

bool frame_marks_duration(const struct frame_marks *m, size_t index, int64_t *ns)
{
	const struct frame_mark *mark = &m->items[index];
	int64_t lasts =
	    mark->lasting && mark->duration >= 0 ? mark->duration : frame_marks_span(m, index);

	*ns = lasts >= 0 ? lasts : 0;
	return lasts >= 0;
}

const struct frame_mark *frame_marks_advance(struct frame_marks *m, const struct event *ev)
{
	size_t at;

	if (ev->kind == EV_FRAME) {
		struct frame_mark mark = frame_mark_of(ev);

		frame_marks_add(m, &mark);
		return &m->items[m->at - 1];
	}
	at = frame_marks_of(m, ev->has & EV_HAS_TIME, ev->time);
	return at ? &m->items[at - 1] : NULL;
}

size_t frame_marks_search(const struct frame_marks *m, int64_t time)
{
	size_t at = BISECT(i, m->run, m->n, m->items[i].start <= time);

	/* Before a second start of the game it is not known which of its frames the time is of. */
	return at == m->run && m->run ? m->n : at;
}

/* Before this time. */
static uint64_t selected_before(const struct frame_marks *m, int64_t time)
{
	size_t at = BISECT(i, m->run, m->n, m->items[i].start <= time);

	return at > m->run ? kept_before(&m->items[at - 1], time) : 0;
}

uint64_t frame_marks_selected(const struct frame_marks *m, int64_t lo, int64_t hi)
{
	return selected_before(m, hi) - selected_before(m, lo);
}

void frame_marks_release(struct frame_marks *m)
{
	free(m->items);
	*m = (struct frame_marks){.n = 0};
}
