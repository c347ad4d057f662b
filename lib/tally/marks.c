/* SPDX-License-Identifier: MIT */
#include "lib/tally/marks.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

static uint64_t between(int64_t lo, int64_t hi)
{
	return hi > lo ? (uint64_t)hi - (uint64_t)lo : 0;
}

void frame_marks_add(struct frame_marks *m, const struct frame_mark *mark)
{
	const struct frame_mark *last = m->n > m->run ? &m->items[m->n - 1] : NULL;
	struct frame_mark new = *mark;

	new.kept = 0;
	if (!mark->timed)
		m->run = m->n + 1;
	else if (last && mark->start < last->start)
		m->run = m->n;
	else if (last)
		new.kept = last->kept + (last->selected ? between(last->start, mark->start) : 0);
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
	const struct frame_mark *mark = at > m->run ? &m->items[at - 1] : NULL;

	return mark ? mark->kept + (mark->selected ? between(mark->start, time) : 0) : 0;
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
