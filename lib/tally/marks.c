/* SPDX-License-Identifier: MIT */
#include "lib/tally/marks.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

static uint64_t between(int64_t lo, int64_t hi)
{
	return hi > lo ? (uint64_t)hi - (uint64_t)lo : 0;
}

/* Time of selected frames up to this one, which begins before time. */
static uint64_t kept_before(const struct frame_mark *mark, int64_t time)
{
	return mark->kept + (mark->selected ? between(mark->start, time) : 0);
}

void frame_marks_add(struct frame_marks *m, const struct frame_mark *mark)
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
