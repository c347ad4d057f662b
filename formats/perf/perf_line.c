/* SPDX-License-Identifier: MIT */
#include "formats/perf/perf_line.h"

#include "lib/base/num.h"

/* Digits at t->s; false: none, and t stays. */
static bool digits(struct perf_text *t, uint64_t *v)
{
	const char *s = t->s;

	while (s < t->end && *s >= '0' && *s <= '9')
		s++;
	if (s == t->s || !num_dec(t->s, (size_t)(s - t->s), v))
		return false;
	t->s = s;
	return true;
}

/* "12345.678901:", of seconds. */
static bool perf_line_parse_time(struct perf_text *t, int64_t *ns)
{
	struct perf_text at = *t;
	uint64_t seconds, fraction;
	const char *dot;
	size_t n;

	if (!digits(&at, &seconds) || at.s == at.end || *at.s != '.')
		return false;
	dot = ++at.s;
	if (!digits(&at, &fraction) || at.s == at.end || *at.s != ':')
		return false;
	n = (size_t)(at.s - dot);
	if (n > 9 || seconds > INT64_MAX / 1000000000 - 1)
		return false;
	for (; n < 9; n++)
		fraction *= 10;
	*ns = (int64_t)(seconds * 1000000000 + fraction);
	t->s = at.s + 1;
	return true;
}

/* What follows the command: "12/34 [001] 5.5:  100 event:". */
static bool perf_line_parse_fields(struct perf_text at, struct perf_line *l)
{
	uint64_t v;

	if (!digits(&at, &l->tid))
		return false;
	l->has_pid = false;
	if (at.s < at.end && *at.s == '/') {
		l->pid = l->tid;
		at.s++;
		l->has_pid = digits(&at, &l->tid);
		if (!l->has_pid)
			return false;
	}
	if (at.s == at.end || !perf_blank(*at.s))
		return false;
	perf_skip_blanks(&at);
	if (at.s < at.end && *at.s == '[') {
		at.s++;
		if (!digits(&at, &v) || at.s == at.end || *at.s != ']')
			return false;
		at.s++;
		perf_skip_blanks(&at);
	}
	l->has_time = perf_line_parse_time(&at, &l->time);
	perf_skip_blanks(&at);
	l->event.s = at.s;
	/* Without a time a number before the thread's is the end of a command's name. */
	l->has_period =
	    l->has_time && digits(&at, &l->period) && at.s < at.end && perf_blank(*at.s);
	if (l->has_period)
		perf_skip_blanks(&at);
	else
		at.s = l->event.s;
	l->event.s = at.s;
	while (at.s < at.end && !perf_blank(*at.s))
		at.s++;
	l->rest = at;
	while (at.s > l->event.s && at.s[-1] == ':')
		at.s--;
	l->event.end = at.s;
	return l->event.end > l->event.s && l->rest.s > l->event.end;
}

/* The command ends where all that follows it is as it must be. */
bool perf_line_parse(const char *s, size_t n, struct perf_line *l)
{
	struct perf_text at = {s, s + n};

	perf_skip_blanks(&at);
	l->comm.s = at.s;
	for (const char *p = at.s + 1; p + 1 < at.end; p++)
		if (perf_blank(p[-1]) && *p >= '0' && *p <= '9' && p - 1 > at.s &&
		    perf_line_parse_fields((struct perf_text){p, at.end}, l)) {
			for (l->comm.end = p; perf_blank(l->comm.end[-1]);)
				l->comm.end--;
			return true;
		}
	return false;
}
