/* SPDX-License-Identifier: MIT */
#include "lib/trace/known_marks.h"

#include "lib/base/mem.h"
#include "lib/trace/allocs.h"

#include <stdlib.h>

struct capture_marks {
	struct trace_marks marks;
	int64_t newest; /* time of any event */
	bool timed;     /* an event had a time */
	bool late;      /* a mark came behind events of its time */
	bool
	    unknown; /* a mark has no time, or times of marks go back: their places say when they were */
};

static enum status find_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct known_marks *k =
	    (struct known_marks *)((char *)s - offsetof(struct known_marks, find));

	(void)t, (void)e;
	VEC_PUSH(k->captures, k->n, k->cap) = (struct capture_marks){.newest = INT64_MIN};
	return ST_OK;
}

static struct capture_marks *found(struct sink *s)
{
	struct known_marks *k =
	    (struct known_marks *)((char *)s - offsetof(struct known_marks, find));

	return &k->captures[k->n - 1];
}

static void reach(struct capture_marks *c, int64_t time)
{
	c->timed = true;
	c->newest = time > c->newest ? time : c->newest;
}

static void add_mark(struct capture_marks *c, const struct event *ev)
{
	struct trace_marks *m = &c->marks;

	c->unknown |= !(ev->has & EV_HAS_TIME) || (m->n && m->items[m->n - 1].time > ev->time);
	c->late |= c->timed && c->newest > ev->time;
	VEC_PUSH(m->items, m->n, m->cap) =
	    (struct trace_mark){.number = ev->value, .time = ev->time, .name = ev->name};
}

static enum status find_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct capture_marks *c = found(s);

	(void)t, (void)e;
	if (ev->kind == EV_FRAME)
		add_mark(c, ev);
	if (ev->has & EV_HAS_TIME)
		reach(c, ev->time);
	return ST_OK;
}

static enum status find_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static unsigned find_fields(struct sink *s, const struct trace *t)
{
	(void)s, (void)t;
	return EV_HAS_TIME;
}

static enum status find_allocs(struct sink *s, struct trace *t, const struct sink_allocs *a,
			       struct err *e)
{
	(void)t, (void)e;
	if (a->times.any)
		reach(found(s), a->times.most);
	return ST_OK;
}

static const struct sink_takes_allocs find_takes_allocs = {find_fields, find_allocs};

static struct known_marks *handing(struct sink *s)
{
	return (struct known_marks *)((char *)s - offsetof(struct known_marks, hand_on));
}

static enum status hand_on_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct known_marks *k = handing(s);
	const struct capture_marks *c = k->at < k->n ? &k->captures[k->at++] : NULL;

	t->marks = c && c->late && !c->unknown ? &c->marks : NULL;
	return k->to->begin(k->to, t, e);
}

static enum status hand_on_event(struct sink *s, struct trace *t, const struct event *ev,
				 struct err *e)
{
	struct known_marks *k = handing(s);

	return k->to->event(k->to, t, ev, e);
}

static enum status hand_on_events(struct sink *s, struct trace *t, const struct event *ev, size_t n,
				  struct err *e)
{
	return sink_pass(handing(s)->to, t, ev, n, e);
}

static enum status hand_on_end(struct sink *s, struct trace *t, struct err *e)
{
	struct known_marks *k = handing(s);
	enum status st = k->to->end(k->to, t, e);

	t->marks = NULL;
	return st;
}

void known_marks_init(struct known_marks *k, struct sink *to)
{
	*k = (struct known_marks){.find = {.begin = find_begin,
					   .event = find_event,
					   .end = find_end,
					   .allocs = &find_takes_allocs},
				  .hand_on = {.begin = hand_on_begin,
					      .event = hand_on_event,
					      .end = hand_on_end,
					      .events = hand_on_events},
				  .to = to};
}

void known_marks_release(struct known_marks *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->captures[i].marks.items);
	free(k->captures);
	*k = (struct known_marks){.n = 0};
}

bool known_marks_none(const struct known_marks *k)
{
	size_t marks = 0;

	for (size_t i = 0; i < k->n; i++)
		marks += k->captures[i].marks.n;
	return k->n && !marks;
}

bool known_marks_any(const struct known_marks *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->captures[i].late && !k->captures[i].unknown)
			return true;
	return false;
}
