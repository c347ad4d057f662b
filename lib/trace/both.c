/* SPDX-License-Identifier: MIT */
#include "lib/trace/both.h"

static enum status both_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct sink_both *b = (struct sink_both *)s;
	enum status st = b->to[0]->begin(b->to[0], t, e);

	return st ? st : b->to[1]->begin(b->to[1], t, e);
}

static enum status both_events(struct sink *s, struct trace *t, const struct event *ev, size_t n,
			       struct err *e)
{
	struct sink_both *b = (struct sink_both *)s;
	enum status st = sink_pass(b->to[0], t, ev, n, e);

	return st ? st : sink_pass(b->to[1], t, ev, n, e);
}

static enum status both_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	return both_events(s, t, ev, 1, e);
}

static enum status both_end(struct sink *s, struct trace *t, struct err *e)
{
	struct sink_both *b = (struct sink_both *)s;
	enum status st = b->to[0]->end(b->to[0], t, e);

	return st ? st : b->to[1]->end(b->to[1], t, e);
}

void sink_both_init(struct sink_both *b, struct sink *first, struct sink *second)
{
	*b = (struct sink_both){
	    {.begin = both_begin, .event = both_event, .end = both_end, .events = both_events},
	    {first, second}};
}
