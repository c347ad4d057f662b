/* SPDX-License-Identifier: MIT
 *
 * Lines that hooks of -finstrument-functions print, in the dialects that are in use:
 *
 *	e|x 0xFUNCTION 0xCALLER TIME        enter|exit|entry|leave FUNCTION [CALLER] [TIME]
 *	E0xFUNCTION, X0xFUNCTION            Enter|Exit NAME [TIME]
 *
 * A line may begin with [THREAD], and "frame N [TIME]" begins a frame. Words are in any case.
 * Nothing says what a time counts: a fraction is taken for seconds, a whole number by its size as
 * a time of day in s, ms, us or ns, or else ns; the guess is a note.
 */
#include "formats/emit.h"
#include "formats/reader.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <strings.h>

enum { LINE_LIMIT = 1 << 20, BID_LINES = 24 };

struct line {
	uint8_t kind; /* enum event_kind; FRAME: number */
	bool has_time, fraction, has_thread, has_address,
	    letter; /* letter: of one, an address follows */
	uint64_t thread, address, number;
	const char *name; /* NULL: address */
	size_t n_name;
	const char *time;
	size_t n_time;
};

struct words {
	struct import *im;
	struct cursor *c;
	uint64_t unit; /* ns of one; 0: not known yet */
	bool has_start;
	uint64_t start; /* ns */
	struct map64 threads;
	uint64_t lines, refused, untimed;
};

static const struct {
	const char *word;
	uint8_t kind;
} first_words[] = {
    {"e", EV_ENTER},   {"enter", EV_ENTER}, {"entry", EV_ENTER}, {"x", EV_EXIT},
    {"exit", EV_EXIT}, {"leave", EV_EXIT},  {"frame", EV_FRAME},
};

static bool hex(const char *s, size_t n, uint64_t *v)
{
	return n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && num_hex(s + 2, n - 2, v);
}

/* The next word; *s moves behind it. */
static size_t word(const char **s, const char *end, const char **w)
{
	while (*s < end && text_is_blank(**s))
		++*s;
	*w = *s;
	while (*s < end && !text_is_blank(**s))
		++*s;
	return (size_t)(*s - *w);
}

/* The last word of [s, *end), which *end is then moved before. */
static size_t last_word(const char *s, const char **end, const char **w)
{
	const char *stop;

	while (*end > s && text_is_blank((*end)[-1]))
		--*end;
	stop = *end;
	while (*end > s && !text_is_blank((*end)[-1]))
		--*end;
	*w = *end;
	return (size_t)(stop - *w);
}

/* Digits with at most one point among them. */
static bool is_time(const char *s, size_t n, bool *fraction)
{
	size_t digits = 0, points = 0;

	for (size_t i = 0; i < n; i++) {
		digits += s[i] >= '0' && s[i] <= '9';
		points += s[i] == '.';
	}
	*fraction = points;
	return digits && points <= 1 && digits + points == n && n <= 40;
}

/* kind, thread and where the rest begins; false: no line of ours. */
static bool instrument_text_parse_start(struct line *l, const char **s, const char *end)
{
	const char *w;
	size_t n = word(s, end, &w);

	if (n > 2 && w[0] == '[' && w[n - 1] == ']') {
		if (!num_auto(w + 1, n - 2, &l->thread))
			return false;
		l->has_thread = true;
		n = word(s, end, &w);
	}
	if (n > 3 && (*w == 'E' || *w == 'X') && hex(w + 1, n - 1, &l->address)) {
		l->kind = *w == 'E' ? EV_ENTER : EV_EXIT;
		l->has_address = true;
		return true;
	}
	if (n > 1 && w[n - 1] == ':')
		n--;
	for (size_t i = 0; i < sizeof first_words / sizeof *first_words; i++)
		if (strlen(first_words[i].word) == n && !strncasecmp(w, first_words[i].word, n)) {
			l->kind = first_words[i].kind;
			l->letter = n == 1;
			return true;
		}
	return false;
}

static bool instrument_text_parse(struct line *l, const char *s, size_t n)
{
	const char *end = s + n, *w, *stop;
	size_t len;

	*l = (struct line){.kind = 0};
	if (!instrument_text_parse_start(l, &s, end))
		return false;
	if (l->kind == EV_FRAME) {
		len = word(&s, end, &w);
		if (!num_dec(w, len, &l->number) || l->number > INT64_MAX)
			return false;
	} else if (!l->has_address) {
		while (s < end && text_is_blank(*s))
			s++;
		stop = s;
		len = word(&stop, end, &w);
		if (!len)
			return false;
		if (hex(w, len, &l->address)) {
			l->has_address = true;
			s = stop;
		} else {
			l->name = w; /* to the end, less the time and the caller */
		}
	}
	stop = end;
	len = last_word(s, &stop, &w);
	if (len && (!l->name || w > l->name) && is_time(w, len, &l->fraction)) {
		l->has_time = true;
		l->time = w;
		l->n_time = len;
		end = stop;
		len = last_word(s, &stop, &w);
	}
	if (l->name) {
		uint64_t caller;

		if (len && w > l->name && hex(w, len, &caller))
			end = stop;
		while (end > l->name && text_is_blank(end[-1]))
			end--;
		l->n_name = (size_t)(end - l->name);
		return true;
	}
	/* Behind an address there may be the caller, and nothing else. */
	if (len && !hex(w, len, &l->number))
		return false;
	if (len)
		len = last_word(s, &stop, &w);
	return !len;
}

/* A letter and a word begin lines of other texts, too: some have an address or a time, or there are enters
 * and exits. */
static int instrument_text_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n;
	int good = 0, other = 0, told = 0, enters = 0, exits = 0;
	struct line l;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl && !whole)
			break;
		if (memchr(s, 0, (size_t)((nl ? nl : end) - s)))
			return 0;
		if (instrument_text_parse(&l, s, (size_t)((nl ? nl : end) - s)) &&
		    !(l.letter && l.name)) {
			good++;
			told += l.has_address || l.has_time;
			enters += l.kind == EV_ENTER;
			exits += l.kind == EV_EXIT;
		} else {
			other += nl != s;
		}
		s = nl ? nl + 1 : end;
	}
	if (good <= 2 * other || !enters || (2 * told < good && !exits))
		return 0;
	good -= other;
	return 8 + (good < BID_LINES ? good : BID_LINES);
}

static const char *instrument_text_learn_unit(struct words *x, const struct line *l)
{
	/* From 2001 on, for a century. */
	static const struct {
		uint64_t from, unit;
		const char *what;
	} sizes[] = {{1000000000, 1000000000, "s since 1970"},
		     {1000000000000, 1000000, "ms since 1970"},
		     {1000000000000000, 1000, "us since 1970"},
		     {1000000000000000000, 1, "ns since 1970"}};
	uint64_t v;

	x->unit = 1000000000;
	if (l->fraction)
		return "s";
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (num_dec(l->time, l->n_time, &v) && v >= sizes[i].from &&
		    v / 4 < sizes[i].from) {
			x->unit = sizes[i].unit;
			return sizes[i].what;
		}
	x->unit = 1;
	return "ns";
}

/* ns; false: more than 64 bits hold. */
static bool in_ns(const struct words *x, const struct line *l, uint64_t *ns)
{
	const char *point = memchr(l->time, '.', l->n_time);
	size_t n = point ? (size_t)(point - l->time) : l->n_time, left = l->n_time - n;
	uint64_t v = 0, unit = x->unit, part = 0;

	if ((n && !num_dec(l->time, n, &v)) || __builtin_mul_overflow(v, unit, ns))
		return false;
	for (size_t i = 1; i < left && unit >= 10; i++) {
		unit /= 10;
		part += (uint64_t)(point[i] - '0') * unit;
	}
	return !__builtin_add_overflow(*ns, part, ns) && *ns <= INT64_MAX;
}

static struct known_number text_time(struct words *x, const struct line *l)
{
	uint64_t ns;

	if (!l->has_time || !in_ns(x, l, &ns)) {
		x->untimed++;
		return ABSENT;
	}
	if (!x->has_start)
		x->start = ns;
	x->has_start = true;
	return KNOWN((int64_t)ns - (int64_t)x->start);
}

static uint32_t stack_of(struct words *x, const struct line *l)
{
	struct trace *t = x->im->t;
	struct location at = {.raw = l->address, .kind = LOCATION_ENTRY};

	if (l->name) {
		at = (struct location){.space = SPACE_NAME};
		at.name = trace_string(t, l->name, l->n_name);
	}
	return trace_stack(t, 0, trace_location(t, &at));
}

static uint32_t thread_of(struct words *x, const struct line *l)
{
	uint32_t *place = map64_put(&x->threads, l->thread);

	if (!*place)
		*place = trace_thread(x->im->t, &(struct thread){.tid = l->thread});
	return *place;
}

static enum status begin(struct words *x, const struct line *l, struct err *e)
{
	struct trace *t = x->im->t;

	trace_set(t, "format", "instrument-text");
	if (l->has_time) {
		const char *unit = instrument_text_learn_unit(x, l);

		trace_set(t, "clock", unit);
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
		trace_note(t, NOTE_GUESS, 0,
			   "the lines do not state the unit of their times: read as %s", unit);
	}
	return import_begin(x->im, e);
}

static enum status instrument_text_on_line(struct words *x, const struct line *l, struct err *e)
{
	struct emit_call call = {.stack = 0};
	enum status st = x->im->begun ? ST_OK : begin(x, l, e);

	if (st)
		return st;
	x->lines++;
	if (x->unit)
		call.time = text_time(x, l);
	if (l->kind == EV_FRAME)
		return emit_frame(x->im, KNOWN(l->number), call.time, e);
	call.stack = stack_of(x, l);
	if (l->has_thread)
		call.thread = thread_of(x, l);
	return l->kind == EV_ENTER ? emit_enter(x->im, &call, e) : emit_exit(x->im, &call, e);
}

static enum status instrument_text_read_words(struct import *im, struct err *e)
{
	struct words x = {.im = im, .c = &im->in->cur};
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(x.c, &n, LINE_LIMIT))) {
		struct line l;

		if (instrument_text_parse(&l, s, n))
			st = instrument_text_on_line(&x, &l, e);
		else
			x.refused += n > 0;
	}
	if (!st && cursor_failed(x.c))
		st = err_failure(e);
	if (!st && !x.lines)
		st = err_at(e, ST_BAD, 0, "no line enters or leaves a function");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x.refused && im->begun ? x.refused : 0,
		 "lines neither enter nor leave a function: left out"),
	    LOSS(NOTE_LOSS, x.untimed && im->begun ? x.untimed : 0, "lines have no readable time"),
	};

	TRACE_LOSSES(im->t, losses);
	map64_release(&x.threads);
	return st;
}

const struct reader reader_instrument_text = {
    .name = "instrument-text",
    .family = "Instrumented code",
    .page = "instrument",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME,
    .what = "lines of enter and exit hooks",
    .suffixes = "txt,log",
    .guesses = true,
    .cut = CUT_AT_LINE,
    .bid = instrument_text_bid,
    .read = instrument_text_read_words,
};
