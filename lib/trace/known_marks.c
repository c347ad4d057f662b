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
	VEC_PUSH(m->items, m->n, m->cap) = (struct trace_mark){.number = ev->value,
							       .time = ev->time,
							       .duration = (int64_t)ev->target,
							       .name = ev->name,
							       .lasting = ev->has & EV_HAS_TARGET};
}

static enum status find_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	struct capture_marks *c = found(s);

	(void)t, (void)e;
	if (b->columns && b->columns->times.any)
		reach(c, b->columns->times.most);
	for (size_t i = 0; b->rows && i < b->n; i++) {
		if (b->rows[i].kind == EV_FRAME)
			add_mark(c, &b->rows[i]);
		if (b->rows[i].has & EV_HAS_TIME)
			reach(c, b->rows[i].time);
	}
	return ST_OK;
}

static enum status find_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static unsigned find_wants(struct sink *s, const struct trace *t)
{
	(void)s, (void)t;
	return EV_HAS_TIME;
}

static struct known_marks *handing(struct sink_tap *tap)
{
	return (struct known_marks *)((char *)tap - offsetof(struct known_marks, forward));
}

static enum status forward_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct known_marks *k = handing(tap);
	const struct capture_marks *c = k->at < k->n ? &k->captures[k->at++] : NULL;

	(void)e;
	t->marks = c && c->late && !c->unknown ? &c->marks : NULL;
	return ST_OK;
}

static void forward_ended(struct sink_tap *tap, struct trace *t)
{
	(void)tap;
	t->marks = NULL;
}

static const struct tap_hooks forward_hooks = {.begin = forward_begin, .ended = forward_ended};

void known_marks_init(struct known_marks *k, struct sink *to)
{
	*k = (struct known_marks){
	    .find = {
		.begin = find_begin, .batch = find_batch, .end = find_end, .wants = find_wants}};
	sink_tap_init(&k->forward, to, &forward_hooks, false);
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
