/* SPDX-License-Identifier: MIT */
#include "lib/tally/extent.h"

#include "lib/base/num.h"
#include "lib/tally/sums.h"
#include "lib/trace/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ns of [from, to] that are in the ranges. */
static uint64_t time_within(const struct selection_ranges *r, int64_t from, int64_t to)
{
	uint64_t sum = 0;

	if (from >= to)
		return 0;
	if (!r->n)
		return (uint64_t)to - (uint64_t)from;
	for (int64_t at = from; at < to;) {
		int64_t lo = to, hi = to;

		/* The range that begins next, or that at is in and ends last. */
		for (size_t i = 0; i < r->n; i++) {
			const struct selection_range *x = &r->items[i];
			int64_t begins = x->lo < at ? at : x->lo;

			if (x->hi > at && (begins < lo || (begins == lo && x->hi > hi))) {
				lo = begins;
				hi = x->hi;
			}
		}
		if (lo >= to)
			break;
		at = hi < to ? hi : to;
		sum += (uint64_t)at - (uint64_t)lo;
	}
	return sum;
}

static uint64_t extent_framed(const struct tally_extent *x, const struct tally_selection *s,
			      int64_t end)
{
	return x->open ? add_saturating(x->framed, time_within(&s->times, x->start, end))
		       : x->framed;
}

static bool extent_attribute(const struct trace *t, const char *key, int64_t *ns)
{
	const char *said = trace_get(t, key);

	return said && num_i64(said, strlen(said), ns);
}

/* The part of time that the capture is of. False: not known. */
static bool extent_covered(const struct tally_extent *x, const struct trace *t, int64_t *from,
			   int64_t *to)
{
	const char *format = trace_get(t, "format");
	int64_t begin = 0, end = 0;
	bool begins = extent_attribute(t, TRACE_BEGIN, &begin) ||
		      (format && (!strcmp(format, TRACE_OF_RECORDER) ||
				  !strcmp(format, TRACE_OF_LUA_RECORDER)));
	bool ends = extent_attribute(t, TRACE_END, &end);

	if (!x->any && !(begins && ends))
		return false;
	*from = begins && (!x->any || begin < x->first) ? begin : x->first;
	*to = ends && (!x->any || end > x->last) ? end : x->last;
	return true;
}

void extent_frame(struct tally_extent *x, const struct tally_selection *s,
		  const struct frame_mark *mark, bool timed, int64_t time)
{
	bool in = !s || selection_in(&s->frames, mark->number);

	x->newest.ends = x->marks && mark->timed && !(mark->lasting && mark->duration >= 0);
	x->newest.selected = in && (!s || !s->times.n || (timed && selection_in(&s->times, time)));
	x->newest.followed = x->last > mark->start;
	x->newest.since = mark->start;
	x->marks += x->newest.selected;
	if (!s || !s->frames.n)
		return;
	if (timed)
		x->framed = extent_framed(x, s, time);
	x->end = x->open ? time : x->end;
	x->open = in && timed;
	x->start = time;
	x->begin = x->open && !x->timed ? time : x->begin;
	x->timed |= x->open;
}

void extent_skip(struct tally_extent *x)
{
	x->newest.selected = false;
}

bool extent_closes(const struct tally_extent *x, const struct trace *t)
{
	return x->newest.ends && !x->newest.followed && !trace_get(t, TRACE_LAST_FRAME);
}

uint64_t extent_frames(const struct tally_extent *x, const struct trace *t)
{
	return x->marks - (x->newest.selected && extent_closes(x, t));
}

bool extent_duration(const struct tally_extent *x, const struct trace *t,
		     const struct tally_selection *s, uint64_t *ns)
{
	static const struct selection_ranges all = {.n = 0};
	const char *said = trace_get(t, TRACE_DURATION);
	int64_t from, to;

	if (said && (!s || (!s->frames.n && !s->times.n)) && num_dec(said, strlen(said), ns))
		return true;
	if (s && s->times.n && !s->frames.n) {
		if (!extent_covered(x, t, &from, &to))
			return false;
		*ns = time_within(&s->times, from, to);
		return true;
	}
	if (!x->any || (s && s->frames.n && !x->timed))
		return false;
	*ns =
	    s && s->frames.n ? extent_framed(x, s, x->last) : time_within(&all, x->first, x->last);
	return true;
}

/* What all of the ranges lie between, as far as the capture goes. */
static bool extent_between(const struct tally_extent *x, const struct trace *t,
			   const struct tally_selection *s, int64_t *from, int64_t *to)
{
	int64_t least = INT64_MAX;

	if (s->frames.n ? !x->timed : !extent_covered(x, t, from, to))
		return false;
	if (s->frames.n) {
		*from = x->begin;
		*to = x->open ? x->last : x->end;
	}
	for (size_t i = 0; i < s->times.n; i++)
		least = s->times.items[i].lo < least ? s->times.items[i].lo : least;
	if (s->times.n && least > *from)
		*from = least;
	if (s->times.n && s->times.end < *to)
		*to = s->times.end;
	return *from < *to;
}

bool extent_span(const struct tally_extent *x, const struct trace *t,
		 const struct tally_selection *s, int64_t *from, int64_t *to)
{
	if (s && s->times.n == 1 && !s->frames.n)
		return extent_between(x, t, s, from, to);
	if (!x->any || trace_get(t, TRACE_DURATION) || (s && (s->frames.n || s->times.n)))
		return false;
	*from = x->first;
	*to = x->last;
	return *from < *to;
}

void extent_mark(const struct tally_extent *x, struct trace *t, const struct tally_selection *s)
{
	char begin[24], end[24];
	int64_t from, to;

	if (!s || (!s->frames.n && !s->times.n) || !extent_between(x, t, s, &from, &to))
		return;
	snprintf(begin, sizeof begin, "%" PRId64, from);
	snprintf(end, sizeof end, "%" PRId64, to);
	trace_set(t, TRACE_BEGIN, begin);
	trace_set(t, TRACE_END, end);
}
