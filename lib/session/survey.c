/* SPDX-License-Identifier: MIT */
#include "lib/session/survey.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/trace/allocs.h"
#include "lib/trace/blocks.h"
#include "lib/trace/encode.h"
#include "lib/trace/origin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { AGREE_LEAST = 3, QUARTER = 900, ZONES = 14 * 4, FEW_FRAMES = 16 };

/* When a text was there: by its id in the capture. */
struct survey_once {
	uint64_t n;
	int64_t time;
};

struct survey_seen {
	bool counts; /* it is the capture that is looked at */
	struct survey_once *strings, *markers;
	size_t cap_strings, cap_markers;
};

static void see(struct survey_once **at, size_t *cap, uint32_t id, const struct event *ev)
{
	struct survey_once *o;

	*at = mem_grow_zero(*at, cap, (size_t)id + 1, sizeof **at);
	o = &(*at)[id];
	if (!o->n++)
		o->time = ev->time;
}

static void add_frame(struct survey *s, const struct event *ev)
{
	const struct frame_mark mark = frame_mark_of(ev);
	struct clock_frame f = {.start = ev->time, .duration = -1};

	extent_frame(&s->extent, NULL, &mark, mark.timed, mark.start);
	if (!(ev->has & EV_HAS_TIME) || (s->n && s->frames[s->n - 1].start > ev->time))
		s->ordered = false;
	if (ev->has & EV_HAS_TARGET && ev->target <= INT64_MAX)
		f.duration = (int64_t)ev->target;
	s->numbers = mem_grow(s->numbers, &s->cap_numbers, s->n + 1, sizeof *s->numbers);
	s->numbers[s->n] = ev->value;
	VEC_PUSH(s->frames, s->n, s->cap) = f;
}

static enum status survey_event(struct sink *sink, struct trace *t, const struct event *ev,
				struct err *e)
{
	struct survey *s = (struct survey *)sink;
	struct survey_seen *seen = s->seen;

	(void)t, (void)e;
	s->events[ev->kind]++;
	if (ev->has & EV_HAS_TIME)
		extent_reach(&s->extent, ev->time);
	else
		extent_follow(&s->extent);
	if (ev->kind == EV_FRAME)
		add_frame(s, ev);
	if (event_allocates(ev->kind) || ev->kind == EV_TYPE_TOTAL) {
		s->domains |= 1u << ev->domain;
		s->requested |= (ev->has & EV_HAS_REQUESTED) != 0;
		s->real |= (ev->has & EV_HAS_REAL) != 0;
	}
	if (!(ev->has & EV_HAS_TIME))
		return ST_OK;
	if (ev->has & EV_HAS_NAME &&
	    (ev->kind == EV_LOG || ev->kind == EV_ENTER || ev->kind == EV_FRAME))
		see(&seen->strings, &seen->cap_strings, ev->name, ev);
	if (ev->has & EV_HAS_TYPE && ev->kind == EV_ENTER)
		see(&seen->markers, &seen->cap_markers, ev->type, ev);
	return ST_OK;
}

static void survey_columns(struct survey *s, const struct sink_allocs *a)
{
	const uint64_t *domains =
	    a->has & EV_HAS_DOMAIN ? a->v[__builtin_ctz(EV_HAS_DOMAIN)] : NULL;

	s->events[EV_ALLOC] += a->n;
	s->events[EV_FREE] += a->n_free;
	s->events[EV_FREED] += a->n_freed;
	s->requested |= (a->has & EV_HAS_REQUESTED) != 0;
	s->real |= (a->has & EV_HAS_REAL) != 0;
	for (size_t i = 0; i < a->n; i++)
		s->domains |= 1u << (domains ? domains[i] : DOMAIN_MALLOC);
	if (a->times.any) {
		extent_reach(&s->extent, a->times.least);
		extent_reach(&s->extent, a->times.most);
	}
	if (a->untimed)
		extent_follow(&s->extent);
}

static void survey_moves(struct survey *s, const struct sink_blocks *b)
{
	s->events[EV_ALLOC] += b->n - b->n_freed;
	s->events[EV_FREE] += b->n_freed;
	s->domains |= 1u << DOMAIN_MALLOC;
	s->requested = true;
	extent_reach(&s->extent, b->time);
}

static enum status survey_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct survey *s = (struct survey *)sink;

	(void)t, (void)e;
	s->captures++;
	s->seen->counts = s->captures == 1;
	return ST_OK;
}

static enum status survey_batch(struct sink *sink, struct trace *t, const struct sink_batch *b,
				struct err *e)
{
	struct survey *s = (struct survey *)sink;

	if (!s->seen->counts)
		return ST_OK;
	if (b->columns)
		survey_columns(s, b->columns);
	else if (b->moves)
		survey_moves(s, b->moves);
	else
		return sink_each(sink, t, b, e, survey_event);
	return ST_OK;
}

static unsigned survey_wants(struct sink *s, const struct trace *t)
{
	(void)s, (void)t;
	return EV_HAS_TIME | EV_HAS_DOMAIN | EV_HAS_REQUESTED | EV_HAS_REAL | EV_HAS_VALUE |
	       EV_HAS_TARGET | EV_HAS_NAME | EV_HAS_TYPE | SINK_WANTS_MOVES;
}

/* --- the end of the capture --- */

/* From the word sync on, wherever a line of a log has it; else all of it, without blanks around. */
static void keep_text(struct survey *s, const char *text, size_t n, const struct survey_once *o)
{
	const char *end = text + n, *from = text;
	bool sync = false;

	if (o->n != 1 || s->n_texts == SURVEY_TEXTS)
		return;
	for (const char *p = text; p + 4 <= end && !sync; p++)
		if (!strncasecmp(p, "sync", 4) && (p == text || !isalnum((unsigned char)p[-1])) &&
		    (p + 4 == end || !isalnum((unsigned char)p[4]))) {
			sync = true;
			from = p;
		}
	while (from < end && isspace((unsigned char)*from))
		from++;
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	if (end > from && end - from <= SURVEY_TEXT_LONGEST)
		VEC_PUSH(s->texts, s->n_texts, s->cap_texts) =
		    (struct survey_text){hash_bytes(from, (size_t)(end - from)), o->time, sync};
}

static int compare_texts(const void *a, const void *b)
{
	const struct survey_text *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* A marker and a line of the log may have the same text. */
static void sort_texts(struct survey *s)
{
	size_t n = 0;

	sort_array(s->texts, s->n_texts, sizeof *s->texts, compare_texts);
	for (size_t i = 0, k; i < s->n_texts; i = k) {
		for (k = i + 1; k < s->n_texts && s->texts[k].hash == s->texts[i].hash;)
			k++;
		if (k == i + 1)
			s->texts[n++] = s->texts[i];
	}
	s->n_texts = n;
}

static void keep_texts(struct survey *s, const struct trace *t)
{
	const struct survey_seen *seen = s->seen;
	size_t n;

	for (size_t i = 1; i < seen->cap_strings && i <= intern_count(&t->strings); i++) {
		const char *text = intern_text(&t->strings, (uint32_t)i, &n);

		keep_text(s, text, n, &seen->strings[i]);
	}
	for (size_t i = 1; i < seen->cap_markers && i < t->n_markers; i++) {
		const char *text = intern_text(&t->strings, t->markers[i].name, &n);

		keep_text(s, text, n, &seen->markers[i]);
	}
	sort_texts(s);
}

static bool number_of(const struct trace *t, const char *key, int64_t *v)
{
	const char *s = trace_get(t, key);
	uint64_t n;

	if (!s || !num_dec(s, strlen(s), &n) || n > INT64_MAX)
		return false;
	*v = (int64_t)n;
	return true;
}

/* The largest step of which all times of frames are multiples, as far as it is decimal: what a CSV rounds to. */
static int64_t resolution_of(const struct survey *s)
{
	int64_t step = s->n > FEW_FRAMES ? INT64_C(1000000000) : 1;

	for (size_t i = 0; i < s->n && step > 1; i++)
		while (s->frames[i].start % step ||
		       (s->frames[i].duration > 0 && s->frames[i].duration % step))
			step /= 10;
	return step;
}

static void keep_build(struct survey *s, const struct trace *t)
{
	struct buf build = BUF_INIT;
	size_t n = 0;
	const char *program = trace_program(t, &n);

	if (program)
		s->program = mem_strndup(program, n);
	s->modules = t->n_modules - 1;
	trace_build_id(t, &build);
	if (build.len)
		s->build = mem_strdup(buf_str(&build));
	buf_release(&build);
}

static enum status survey_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct survey *s = (struct survey *)sink;
	const char *format = trace_get(t, "format"), *zone = trace_get(t, TRACE_DATE_ZONE);

	(void)e;
	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].severity == NOTE_LOSS && !s->loss)
			s->loss = mem_strdup(t->notes[i].text);
	if (!s->seen->counts)
		return ST_OK;
	s->format = format ? mem_strdup(format) : NULL;
	s->n_frames = (size_t)extent_frames(&s->extent, t);
	for (size_t i = 0; i < s->n; i++)
		if (s->frames[i].duration < 0 && i + 1 < s->n)
			s->frames[i].duration = s->frames[i + 1].start - s->frames[i].start;
	if (!number_of(t, "time_resolution_ns", &s->resolution) || s->resolution < 1)
		s->resolution = s->ordered ? resolution_of(s) : 1;
	s->dated = number_of(t, TRACE_DATE, &s->date);
	s->zoned = !zone || strcmp(zone, TRACE_ZONE_UNKNOWN) != 0;
	keep_build(s, t);
	keep_texts(s, t);
	free(s->seen->strings);
	free(s->seen->markers);
	*s->seen = (struct survey_seen){.counts = false};
	return ST_OK;
}

void survey_init(struct survey *s)
{
	*s = (struct survey){.sink = {.begin = survey_begin,
				      .batch = survey_batch,
				      .end = survey_end,
				      .wants = survey_wants},
			     .ordered = true,
			     .resolution = 1,
			     .seen = mem_zalloc(sizeof *s->seen)};
}

void survey_release(struct survey *s)
{
	if (s->seen) {
		free(s->seen->strings);
		free(s->seen->markers);
	}
	free(s->seen);
	free(s->format);
	free(s->program);
	free(s->loss);
	free(s->build);
	free(s->frames);
	free(s->numbers);
	free(s->texts);
}

/* --- the clock --- */

static bool clock_of_texts(const struct survey *a, const struct survey *b, struct session_clock *c)
{
	struct clock_pair *pairs = mem_array(a->n_texts + 1, sizeof *pairs);
	size_t n = 0;
	bool found = false;

	*c = (struct session_clock){.why = CLOCK_NOTHING_SHARED};
	for (int want_sync = 1; !found && want_sync >= 0; want_sync--) {
		n = 0;
		for (size_t i = 0, k = 0; i < a->n_texts && k < b->n_texts;) {
			const struct survey_text *x = &a->texts[i], *y = &b->texts[k];

			if (x->hash != y->hash) {
				*(x->hash < y->hash ? &i : &k) += 1;
				continue;
			}
			if (x->sync || !want_sync)
				pairs[n++] = (struct clock_pair){x->time, y->time};
			i++;
			k++;
		}
		if (n && (want_sync || n >= AGREE_LEAST))
			found = clock_by_markers(pairs, n, a->resolution + b->resolution, c);
	}
	free(pairs);
	return found;
}

/* A clock on the wall without a zone is off by quarters of an hour: sure if one such number alone makes the capture
 * begin within the other one. */
static bool zone_of(const struct survey *a, const struct survey *b, int64_t *offset)
{
	const int64_t step = INT64_C(1000000000) * QUARTER;
	unsigned fits = 0;
	int64_t by = *offset;

	for (int64_t i = -ZONES; i <= ZONES; i++) {
		int64_t o = by + i * step;

		if (b->extent.first + o <= a->extent.last + DATES_ERROR &&
		    b->extent.last + o >= a->extent.first - DATES_ERROR) {
			fits++;
			*offset = o;
		}
	}
	return fits == 1;
}

static bool clock_of_dates(const struct survey *a, const struct survey *b, struct session_clock *c)
{
	int64_t offset;

	if (!a->dated || !b->dated || __builtin_sub_overflow(b->date, a->date, &offset))
		return false;
	if ((!a->zoned || !b->zoned) && a->zoned != b->zoned && !zone_of(a, b, &offset))
		return false;
	*c = (struct session_clock){.by = CLOCK_DATES,
				    .offset = offset,
				    .error = DATES_ERROR + a->resolution + b->resolution};
	return true;
}

static bool clock_of(const struct survey *other, const struct survey *s, struct session_clock *c)
{
	const struct clock_frames a = survey_frames(other), b = survey_frames(s);
	struct session_clock by_texts;
	bool frames = a.n && b.n;

	*c = (struct session_clock){.why = s->extent.any ? CLOCK_NOTHING_SHARED : CLOCK_NO_TIMES};
	if (!s->extent.any)
		return false;
	if (frames && clock_by_frames(&a, &b, c))
		return true;
	if (clock_of_texts(other, s, &by_texts)) {
		*c = by_texts;
		return true;
	}
	if (!frames)
		c->why = by_texts.why;
	return false;
}

bool survey_clock(const struct survey *other, const struct survey *s, struct session_clock *c)
{
	struct session_clock by_dates;
	bool dates = s->extent.any && clock_of_dates(other, s, &by_dates),
	     found = clock_of(other, s, c);
	int64_t off;

	if (!found && dates)
		*c = by_dates;
	if (found && dates && !__builtin_sub_overflow(c->offset, by_dates.offset, &off) &&
	    (off < 0 ? -(double)off : (double)off) > (double)c->error + (double)by_dates.error)
		c->dates = off;
	return found || dates;
}
