/* SPDX-License-Identifier: MIT
 *
 * The text of `perf script`: a line per sample, its stack below it, innermost first, a blank line.
 *
 *	comm  12/34 [001] 12345.678901:    10101010 cpu-clock:u:
 *		    55d0c0a01234 game::tick(int)+0x14 (/usr/bin/game)
 *
 * Which of the fields there are depends on the options: the processor, the process before the
 * thread, the time and the period may be missing, and without a stack the address follows the
 * event. Names of commands and functions may hold blanks, digits and parentheses.
 *
 * Equal stacks are equal text, so a stack's lines are looked at once: their hash has its id.
 */
#include "formats/emit.h"
#include "formats/perf/perf_events.h"
#include "formats/perf/perf_line.h"
#include "formats/reader.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/input/stack_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_WINDOW = 64 << 10, SCRIPT_STACK = 16 << 20, SCRIPT_LINE = 1 << 20 };

struct script {
	struct import *im;
	struct map64 stacks;  /* hash of the lines -> stack + 1 */
	struct map64 frames;  /* of one line -> location */
	struct map64 modules; /* string -> module */
	struct perf_events events;
	uint32_t *line; /* locations of a stack, innermost first */
	size_t n_line, cap_line;
	int64_t start;
	bool begun, cut, unended;
	bool timed; /* some sample is of a clock, with its period */
	uint64_t samples, refused, first_refused, sources, lost;
	uint64_t number; /* of the line */
};

/* --- a stack --- */

static uint32_t module_of(struct script *x, const char *s, size_t n)
{
	uint32_t name = trace_string(x->im->t, s, n), *id = map64_put(&x->modules, name);

	if (!*id)
		*id = trace_module(x->im->t, &(struct module){.name = name});
	return *id;
}

/* Where the parentheses at the end begin, behind a blank; NULL: the text ends in none. */
static const char *last_parentheses(const char *s, const char *end)
{
	const char *open = stack_line_parentheses(s, end);

	return open && open > s && perf_blank(open[-1]) ? open : NULL;
}

/* "name+0x14" without the offset. */
static const char *without_offset(const char *s, const char *end)
{
	const char *plus = end > s ? memrchr(s, '+', (size_t)(end - s)) : NULL;
	uint64_t v;

	return plus && plus > s && end - plus > 3 && plus[1] == '0' && plus[2] == 'x' &&
		       num_hex(plus + 3, (size_t)(end - plus) - 3, &v)
		   ? plus
		   : end;
}

static bool is_text(const char *s, const char *end, const char *word)
{
	return (size_t)(end - s) == strlen(word) && !memcmp(s, word, strlen(word));
}

/* "ADDRESS NAME+0x14 (MODULE)"; 0: it is no such line. */
static uint32_t perf_script_frame_of(struct script *x, struct perf_text at, bool innermost)
{
	struct location l = {.space = SPACE_RUNTIME,
			     .kind = innermost ? LOCATION_EXACT : LOCATION_RETURN};
	const char *s = at.s, *dso = last_parentheses(at.s, at.end), *end;
	bool inlined = dso && is_text(dso, at.end, "(inlined)");

	while (at.s < at.end && num_hex_digit(*at.s) >= 0)
		at.s++;
	if (at.s == s || !num_hex(s, (size_t)(at.s - s), &l.raw) ||
	    (at.s < at.end && !perf_blank(*at.s))) {
		if (!inlined)
			return 0;
		at.s = s; /* such a call may have no address */
	}
	perf_skip_blanks(&at);
	end = dso ? dso : at.end;
	while (end > at.s && perf_blank(end[-1]))
		end--;
	if (inlined) {
		l.space = SPACE_NAME;
		l.kind = LOCATION_UNSTATED;
		l.raw = 0;
	} else if (dso && !is_text(dso, at.end, "([unknown])")) {
		l.module = module_of(x, dso + 1, (size_t)(at.end - dso) - 2);
	}
	end = without_offset(at.s, end);
	if (end > at.s && !is_text(at.s, end, "[unknown]"))
		l.name = trace_string(x->im->t, at.s, (size_t)(end - at.s));
	if (l.space == SPACE_NAME && !l.name)
		l.space = SPACE_UNKNOWN;
	return trace_location(x->im->t, &l);
}

static void refuse_line(struct script *x)
{
	if (!x->refused++)
		x->first_refused = x->number;
}

static void perf_script_parse_frame(struct script *x, const char *s, size_t n)
{
	struct perf_text at = {s, s + n};
	uint32_t *known, id;

	perf_skip_blanks(&at);
	known = map64_put(&x->frames, hash_bytes_seeded(at.s, (size_t)(at.end - at.s), !x->n_line));
	if (!*known) {
		id = perf_script_frame_of(x, at, !x->n_line);
		if (!id) { /* the source line of the frame above */
			x->sources += x->n_line > 0;
			id = UINT32_MAX;
		}
		*known = id;
	}
	if (*known == UINT32_MAX && !x->n_line)
		refuse_line(x);
	else if (*known != UINT32_MAX)
		VEC_PUSH(x->line, x->n_line, x->cap_line) = *known;
}

/* --- the whole --- */

static struct perf_event_kind *event_of(struct script *x, const struct perf_line *l)
{
	return perf_event_kind(&x->events, x->im->t, l->event.s,
			       (size_t)(l->event.end - l->event.s));
}

static enum status begin_script(struct script *x, const struct perf_line *l, struct err *e)
{
	struct trace *t = x->im->t;

	x->begun = true;
	x->start = l->has_time ? l->time : 0;
	if (l->has_time) {
		char text[32];

		snprintf(text, sizeof text, "%" PRId64, x->start);
		trace_set(t, "perf.start_ns", text);
	}
	if (x->timed)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	return import_begin(x->im, e);
}

static enum status perf_script_push_sample(struct script *x, const struct perf_line *l,
					   uint32_t stack, struct err *e)
{
	struct perf_event_kind *kind = event_of(x, l);
	struct trace *t = x->im->t;
	struct thread th = {.tid = l->tid,
			    .process = l->has_pid && l->pid <= UINT32_MAX ? (uint32_t)l->pid : 0};
	struct emit_sample sample = {.stack = stack,
				     .time = KNOWN_IF(l->has_time, l->time - x->start)};

	if (!kind)
		return ST_OK;
	th.name = trace_string(t, l->comm.s, (size_t)(l->comm.end - l->comm.s));
	sample.thread = trace_thread_named(t, th);
	perf_events_sample(&x->events, t, kind, l->has_period ? l->period : 0, &sample);
	x->samples++;
	return emit_sample(x->im, &sample, e);
}

/* It begins as no address does, or where perf itself puts no address. */
static bool may_be_sample(const char *s, size_t n)
{
	struct perf_text at = {s, s + n};

	perf_skip_blanks(&at);
	return at.s < at.end && (at.s == s || num_hex_digit(*at.s) < 0);
}

/* A line of n bytes. */
static bool is_sample(const char *s, size_t n)
{
	struct perf_line l;

	return may_be_sample(s, n) && perf_line_parse(s, n, &l);
}

/* The first sample may be of another event, and what is measured is declared before it. */
static enum status find_clock(struct script *x, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	struct perf_line l;
	const char *s;
	size_t n;

	while (!x->timed && (s = cursor_line(c, &n, SCRIPT_LINE)))
		x->timed = n && *s != '#' && may_be_sample(s, n) && perf_line_parse(s, n, &l) &&
			   l.has_period &&
			   perf_event_is_clock(l.event.s, (size_t)(l.event.end - l.event.s));
	return input_rewind(x->im->in) ? err_failure(e) : ST_OK;
}

static size_t line_length(const char *s, const char *end)
{
	return (size_t)(end - s) - (end > s && end[-1] == '\r');
}

/* The bytes up to the blank line or the sample that ends a stack, or to the end; 0: it has none. */
static size_t perf_script_stack_size(struct cursor *c)
{
	size_t want = SCRIPT_WINDOW, n, at = 0;

	for (;;) {
		const char *s, *p;

		n = cursor_available(c, want);
		s = (const char *)c->pos;
		while (at < n && (p = memchr(s + at, '\n', n - at))) {
			size_t len = line_length(s + at, p);

			if (!len || is_sample(s + at, len))
				return at;
			at = (size_t)(p - s) + 1;
		}
		if (n < want)
			return at < n && is_sample(s + at, line_length(s + at, s + n)) ? at : n;
		if (want >= SCRIPT_STACK)
			return at ? at : n;
		want *= 2;
	}
}

/* The last line, which has no end: a module's name does. A name that is cut is another one. */
static bool is_whole(struct script *x, const char *s, size_t n)
{
	x->unended = n && s[n - 1] == ')';
	x->cut = n && !x->unended;
	return x->unended;
}

/* Lines of [s, s + n), none of them a sample. */
static void parse_stack(struct script *x, const char *s, size_t n, bool at_end)
{
	for (size_t used = 0; used < n;) {
		const char *p = memchr(s + used, '\n', n - used);
		size_t len = line_length(s + used, p ? p : s + n);

		x->number++;
		if (!p && at_end && !is_whole(x, s + used, len))
			return;
		if (len)
			perf_script_parse_frame(x, s + used, len);
		used = p ? (size_t)(p - s) + 1 : n;
	}
}

static uint32_t perf_script_read_stack(struct script *x, struct cursor *c)
{
	size_t n = perf_script_stack_size(c);
	uint64_t refused = x->refused;
	const char *s = (const char *)c->pos;
	uint64_t hash;
	uint32_t *known;

	if (!n)
		return 0;
	hash = hash_bytes(s, n);
	known = map64_put(&x->stacks, hash);
	if (*known) {
		for (const char *p = s; (p = memchr(p, '\n', n - (size_t)(p - s))); p++)
			x->number++;
		c->pos += n;
		return *known - 1;
	}
	*known = 1;
	x->n_line = 0;
	parse_stack(x, s, n, n == cursor_window(c) && c->at_end);
	c->pos += n;
	if (x->refused > refused) { /* each time counts */
		map64_remove(&x->stacks, hash);
		return trace_stack_of(x->im->t, x->line, x->n_line);
	}
	known = map64_put(&x->stacks, hash);
	*known = trace_stack_of(x->im->t, x->line, x->n_line) + 1;
	return *known - 1;
}

/* A line that is no sample: a comment, a blank one, a record of another kind. */
static bool parse_other(struct script *x, const char *s, size_t n)
{
	static const char command[] = "# cmdline : ";
	char *text;

	if (*s == '#' && n > sizeof command && !memcmp(s, command, sizeof command - 1)) {
		text = mem_strndup(s + sizeof command - 1, n - sizeof command + 1);
		trace_set(x->im->t, "perf.command", text);
		free(text);
	}
	if (memmem(s, n, "PERF_RECORD_LOST", 16))
		x->lost++;
	return *s == '#' || memmem(s, n, " PERF_RECORD_", 13);
}

static enum status perf_script_parse_sample(struct script *x, const char *s, size_t n,
					    struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	struct perf_line l = {0}, own;
	char *line;
	uint32_t stack;
	enum status st = ST_OK;

	if (!perf_line_parse(s, n, &l)) {
		if (!parse_other(x, s, n))
			refuse_line(x);
		return ST_OK;
	}
	if (!x->begun)
		st = begin_script(x, &l, e);
	if (st)
		return st;
	perf_skip_blanks(&l.rest);
	x->n_line = 0;
	if (l.rest.s < l.rest.end && perf_script_frame_of(x, l.rest, true)) {
		perf_script_parse_frame(x, l.rest.s, (size_t)(l.rest.end - l.rest.s));
		stack = trace_stack_of(x->im->t, x->line, x->n_line);
		return perf_script_push_sample(x, &l, stack, e);
	}
	/* Reading on moves the line. */
	line = mem_strndup(s, n);
	stack = perf_script_read_stack(x, c);
	perf_line_parse(line, n, &own);
	st = perf_script_push_sample(x, &own, stack, e);
	free(line);
	return st;
}

static enum status perf_script_parse_lines(struct script *x, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && !x->cut && (s = cursor_line(c, &n, SCRIPT_LINE))) {
		x->number++;
		if ((const char *)c->pos == s + n && n && !is_whole(x, s, n))
			break;
		if (n && *s != '#')
			st = perf_script_parse_sample(x, s, n, e);
		else if (n)
			parse_other(x, s, n);
	}
	return !st && cursor_failed(c) ? err_failure(e) : st;
}

static void add_notes(const struct script *x)
{
	struct trace *t = x->im->t;

	perf_events_note(&x->events, t);

	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, x->refused,
		      "lines are neither samples nor part of a stack and were left out; the first "
		      "is line {}",
		      x->first_refused),
	    LOSS_IF(NOTE_LOSS, x->cut, "the last line has no newline: the file may be cut short"),
	    LOSS_IF(NOTE_GUESS, x->unended, "the last line has no newline: it is read as it is"),
	    LOSS(NOTE_LOSS, x->lost, "times perf itself lost events"),
	    LOSS(NOTE_INFO, x->sources, "source lines below calls were left out"),
	};

	TRACE_LOSSES(t, losses);
}

static enum status perf_script_read(struct import *im, struct err *e)
{
	struct script x = {.im = im};
	enum status st = find_clock(&x, e);

	if (!st)
		st = perf_script_parse_lines(&x, e);

	if (!st && !x.samples)
		st = err_at(e, ST_BAD, 0, "no line is a sample of perf script");
	if (!st)
		st = perf_events_push(&x.events, im, e);
	if (x.begun)
		add_notes(&x);
	map64_release(&x.stacks);
	map64_release(&x.frames);
	map64_release(&x.modules);
	free(x.line);
	return st;
}

/* The first line that is no comment is a sample, and below it is an address or nothing. */
static int perf_script_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n, *p;
	struct perf_line l;
	bool sample = false;

	(void)whole;
	for (; s < end && (p = memchr(s, '\n', (size_t)(end - s))); s = p + 1) {
		struct perf_text at = {s, p > s && p[-1] == '\r' ? p - 1 : p};
		uint64_t v;

		if (memchr(at.s, 0, (size_t)(at.end - at.s)))
			return 0;
		if (!sample) {
			if (at.s == at.end || *at.s == '#')
				continue;
			sample = perf_line_parse(at.s, (size_t)(at.end - at.s), &l);
			if (!sample)
				return 0;
			perf_skip_blanks(&l.rest);
			if (l.rest.s < l.rest.end && l.has_time)
				return 16;
			continue;
		}
		perf_skip_blanks(&at);
		if (at.s == at.end)
			return l.has_time ? 16 : 0;
		if (stack_line_is_apple(at.s, (size_t)(at.end - at.s)))
			return 0; /* "Thread 0 Crashed:" and the calls of it */
		for (p = at.s; p < at.end && num_hex_digit(*p) >= 0; p++)
			;
		return p > at.s && p < at.end && perf_blank(*p) &&
			       num_hex(at.s, (size_t)(p - at.s), &v)
			   ? 28
			   : 0;
	}
	return sample && l.has_time ? 16 : 0;
}

const struct reader reader_perf_script = {
    .name = "perf-script",
    .family = "perf",
    .page = "perf",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES,
    .what = "text of perf script: samples with their stacks",
    .suffixes = "perf,txt",
    .guesses = true,
    .rewinds = true,
    .cut = CUT_NEVER, /* a stack without its last lines is another one */
    .bid = perf_script_bid,
    .read = perf_script_read,
};
