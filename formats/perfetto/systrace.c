/* SPDX-License-Identifier: MIT
 *
 * The kernel's trace as text, as atrace, systrace and trace-cmd write it, also in a page of HTML:
 *
 *	            game-4711  ( 4700) [003] d..3  9876.543210: sched_switch: prev_comm=game prev_pid=4711 ...
 *	   TASK-PID [(TGID)] [CPU] [FLAGS] SECONDS: EVENT: ARGUMENTS
 *
 * Facts: Documentation/trace/ftrace.rst and events.rst of Linux, and the files of catapult-project/catapult. A page has
 * the text in a script; in those of 2012 each line ends in "\n\". What the events become is decided where those of
 * Perfetto's traces are: perfetto_android.c, perfetto_sched.c and perfetto_system.c.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };

struct text {
	const char *s;
	size_t n;
};

struct ftrace_line {
	struct text task, event, arguments;
	uint32_t tid, tgid; /* tgid: 0: not known */
	int64_t ns;
};

static const char title[] = "<title>Android System Trace</title>";

/* --- a line --- */

static struct text text_of(const char *s, const char *end)
{
	return (struct text){s, end > s ? (size_t)(end - s) : 0};
}

static bool parse_id(const char *s, const char *end, uint32_t *id)
{
	uint64_t v;

	text_trim(&s, &end);
	if (end <= s || !num_dec(s, (size_t)(end - s), &v) || v > INT32_MAX)
		return false;
	*id = (uint32_t)v;
	return true;
}

/* "TASK-PID (TGID)" before the processor. */
static bool parse_task(struct ftrace_line *l, const char *s, const char *end)
{
	const char *open, *dash;

	text_trim(&s, &end);
	l->tgid = 0;
	if (end > s && end[-1] == ')' && (open = memrchr(s, '(', (size_t)(end - s)))) {
		parse_id(open + 1, end - 1, &l->tgid); /* "-----": not known */
		end = open;
		text_trim(&s, &end);
	}
	dash = end > s ? memrchr(s, '-', (size_t)(end - s)) : NULL;
	if (!dash || !parse_id(dash + 1, end, &l->tid))
		return false;
	l->task = text_of(s, dash);
	return true;
}

static const char *skip_digits(const char *s, const char *end)
{
	while (s < end && isdigit((unsigned char)*s))
		s++;
	return s;
}

/* "9876.543210:" at *s; behind it afterwards. */
static bool parse_seconds(const char **s, const char *end, int64_t *ns)
{
	const char *point = skip_digits(*s, end), *colon;
	uint64_t seconds, fraction;
	size_t digits;

	if (point == end || *point != '.')
		return false;
	colon = skip_digits(point + 1, end);
	digits = (size_t)(colon - point - 1);
	if (colon == end || *colon != ':' || digits > 9 ||
	    !num_dec(*s, (size_t)(point - *s), &seconds) ||
	    !num_dec(point + 1, digits, &fraction) || seconds > INT64_MAX / 4000000000)
		return false;
	for (; digits < 9; digits++)
		fraction *= 10;
	*ns = (int64_t)(seconds * 1000000000 + fraction);
	*s = colon + 1;
	return true;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && text_is_blank(*s))
		s++;
	return s;
}

/* Behind the processor: flags, where the kernel has them, the time, and the event. */
static bool parse_event(struct ftrace_line *l, const char *s, const char *end)
{
	const char *colon;

	s = skip_blanks(s, end);
	if (!parse_seconds(&s, end, &l->ns)) {
		while (s < end && !text_is_blank(*s))
			s++;
		s = skip_blanks(s, end);
		if (!parse_seconds(&s, end, &l->ns))
			return false;
	}
	s = skip_blanks(s, end);
	colon = s < end ? memchr(s, ':', (size_t)(end - s)) : NULL;
	if (!colon || colon == s)
		return false;
	l->event = text_of(s, colon);
	l->arguments = text_of(skip_blanks(colon + 1, end), end);
	return true;
}

/* A task's name may have brackets, too. */
static bool parse_line(struct ftrace_line *l, const char *s, size_t n)
{
	const char *end = s + n, *open = s, *close;

	while (open < end && (open = memchr(open, '[', (size_t)(end - open)))) {
		close = skip_digits(open + 1, end);
		if (close > open + 1 && close < end && *close == ']' && parse_task(l, s, open) &&
		    parse_event(l, close + 1, end))
			return true;
		open++;
	}
	return false;
}

/* --- arguments --- */

/* Behind "key=": up to the next blank. */
static bool argument(struct text all, const char *key, struct text *value)
{
	size_t n = strlen(key);
	const char *at = all.s, *end = all.s + all.n, *stop;

	while (at < end && (at = memmem(at, (size_t)(end - at), key, n))) {
		if (at == all.s || text_is_blank(at[-1])) {
			stop = at += n;
			while (stop < end && !text_is_blank(*stop))
				stop++;
			*value = text_of(at, stop);
			return true;
		}
		at++;
	}
	return false;
}

static bool number_argument(struct text all, const char *key, uint64_t *v)
{
	struct text value;

	return argument(all, key, &value) && num_dec(value.s, value.n, v);
}

static bool id_argument(struct text all, const char *key, uint32_t *id)
{
	uint64_t v;

	if (!number_argument(all, key, &v) || v > INT32_MAX)
		return false;
	*id = (uint32_t)v;
	return true;
}

/* A name may have blanks: up to the key behind it. */
static struct text name_argument(struct text all, const char *key, const char *behind)
{
	const char *end = all.s + all.n;
	const char *at = memmem(all.s, all.n, key, strlen(key));
	const char *stop = at ? memmem(at, (size_t)(end - at), behind, strlen(behind)) : NULL;

	return stop ? text_of(at + strlen(key), stop) : (struct text){"", 0};
}

/* The bits that perfetto_switch has, of letters: "S", "R+", "D|K". */
static uint32_t state_bits(struct text state)
{
	if (!state.n || *state.s == 'R')
		return 0;
	return *state.s == 'S' ? 1 : *state.s == 'D' || *state.s == 'I' ? 2 : 4;
}

static bool read_switch(struct perfetto *x, struct text a, struct perfetto_time at)
{
	const char *arrow = a.n ? memmem(a.s, a.n, "==>", 3) : NULL;
	struct text of_prev = arrow ? text_of(a.s, arrow) : a,
		    of_next = arrow ? text_of(arrow, a.s + a.n) : a, state = {"", 0};
	struct text prev = name_argument(of_prev, "prev_comm=", " prev_pid="),
		    next = name_argument(of_next, "next_comm=", " next_pid=");
	struct perfetto_switch w = {
	    .prev_comm = prev.s, .n_prev_comm = prev.n, .next_comm = next.s, .n_next_comm = next.n};

	if (!id_argument(of_prev, "prev_pid=", &w.prev) ||
	    !id_argument(of_next, "next_pid=", &w.next))
		return false;
	argument(of_prev, "prev_state=", &state);
	w.state = state_bits(state);
	perfetto_sched_switch(x, &w, at);
	return true;
}

/* What was printed: behind the address of the printing code, where there is one. */
static struct text printed(struct text a)
{
	static const char mark[] = "tracing_mark_write: ";
	const char *colon;

	if (text_begins(a.s, a.n, "0x") && (colon = memchr(a.s, ':', a.n)))
		a = text_of(skip_blanks(colon + 1, a.s + a.n), a.s + a.n);
	if (text_begins(a.s, a.n, mark))
		a = text_of(a.s + sizeof mark - 1, a.s + a.n);
	return a;
}

static enum status read_frequency(struct perfetto *x, const struct ftrace_line *l, bool gpu,
				  struct perfetto_time at, bool *read, struct err *e)
{
	uint64_t state;
	uint32_t number;

	*read = number_argument(l->arguments, "state=", &state) &&
		id_argument(l->arguments, gpu ? "gpu_id=" : "cpu_id=", &number);
	return *read ? perfetto_clock_rate(x, gpu ? "gpu" : "cpu", number, gpu ? "" : "kHz", state,
					   at, e)
		     : ST_OK;
}

static enum status read_event(struct perfetto *x, const struct ftrace_line *l, struct err *e)
{
	struct perfetto_time at = perfetto_time_at(x, PERFETTO_BOOTTIME, l->ns);
	struct text event = l->event, text;
	enum status st = ST_OK;
	bool read = true;
	uint32_t tid;

	if (text_is(event.s, event.n, "tracing_mark_write") || text_is(event.s, event.n, "print")) {
		text = printed(l->arguments);
		return perfetto_atrace(x, text.s, text.n, l->tid, at, e);
	}
	if (text_is(event.s, event.n, "sched_switch")) {
		read = read_switch(x, l->arguments, at);
	} else if (text_is(event.s, event.n, "sched_waking") ||
		   text_is(event.s, event.n, "sched_wakeup")) {
		read = id_argument(l->arguments, "pid=", &tid);
		if (read)
			perfetto_sched_ready(x, tid, at);
	} else if (text_is(event.s, event.n, "cpu_frequency") ||
		   text_is(event.s, event.n, "gpu_frequency")) {
		st = read_frequency(x, l, *event.s == 'g', at, &read, e);
	} else {
		x->android.others += x->pass == PERFETTO_SCAN;
	}
	x->android.odd += !read && x->pass == PERFETTO_SCAN;
	return st;
}

static enum status read_line(struct perfetto *x, const char *s, size_t n, struct err *e)
{
	struct ftrace_line l;

	while (n && s[n - 1] == '\r')
		n--;
	n -= n > 3 && !memcmp(s + n - 3, "\\n\\", 3) ? 3 : 0; /* a string of a script goes on */
	if (!n || *s == '#' || !parse_line(&l, s, n))
		return ST_OK;
	x->packets += x->pass == PERFETTO_SCAN;
	if (x->pass == PERFETTO_SCAN) {
		perfetto_thread_pid(x, l.tid, l.tgid);
		if (!text_is(l.task.s, l.task.n, "<...>"))
			perfetto_comm(x, l.tid, l.task.s, l.task.n);
	}
	return read_event(x, &l, e);
}

static enum status systrace_walk(struct perfetto *x, enum perfetto_pass pass, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	x->pass = pass;
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(x, s, n, e);
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status systrace_read(struct import *im, struct err *e)
{
	return perfetto_read_by(im, systrace_walk, "the file has no line of the kernel's trace", e);
}

/* The first line that is no comment is an event, or the file is a page of systrace. */
static int systrace_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n, *stop;
	struct ftrace_line l;

	(void)whole;
	if (n && *s == '<' && memmem(s, n < 65536 ? n : 65536, title, sizeof title - 1))
		return 120;
	for (; s < end; s = stop + 1) {
		stop = memchr(s, '\n', (size_t)(end - s));
		if (!stop)
			break;
		if (stop == s || *s == '#')
			continue;
		return parse_line(&l, s, (size_t)(stop - s)) ? 100 : 0;
	}
	return text_begins((const char *)head, n, "# tracer: nop\n") ? 100 : 0;
}

const struct reader reader_systrace = {
    .name = "systrace",
    .family = "Perfetto",
    .page = "perfetto",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_COUNTERS,
    .what = "the kernel's trace as text, of atrace and systrace (also HTML): calls, scheduling, "
	    "counters",
    .suffixes = "html,txt,systrace",
    .rewinds = true,
    .cut = CUT_NEVER, /* names and ends come later */
    .bid = systrace_bid,
    .read = systrace_read,
};
