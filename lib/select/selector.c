/* SPDX-License-Identifier: MIT */
#include "lib/select/selector.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

void selector_begin(struct selector *s, const struct trace *t)
{
	if (s->threads)
		memset(s->threads, 0, s->cap_threads);
	frame_marks_begin(&s->marks, t);
	s->mark = NULL;
	s->at = (struct selection_place){.in_frame = false};
}

void selector_take(struct selector *s, const struct event *ev)
{
	if (ev->has & EV_HAS_TIME) {
		s->at.time = ev->time;
		s->at.has_time = true;
	}
	s->mark = frame_marks_advance(&s->marks, ev);
	s->at.in_frame = s->mark != NULL;
	s->at.frame = s->mark ? s->mark->number : 0;
}

bool selector_has_thread(struct selector *s, const struct trace *t, uint32_t thread)
{
	uint8_t *verdict;

	if (!s->selection || !s->selection->n_threads)
		return true;
	s->threads = mem_grow_zero(s->threads, &s->cap_threads, (size_t)thread + 1, 1);
	verdict = &s->threads[thread];
	if (!*verdict)
		*verdict = 1 + selection_has_thread(s->selection, t, thread);
	return *verdict == 2;
}

void selector_release(struct selector *s)
{
	free(s->threads);
	frame_marks_release(&s->marks);
	*s = (struct selector){.selection = NULL};
}
