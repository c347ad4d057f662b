/* SPDX-License-Identifier: MIT
 *
 * Profiles of Ruby's stackprof as JSON:
 *
 *	{"version":1.2,"mode":"wall","interval":US,"samples":N,"frames":{ID:{"name":S,"file":S,"line":N,..}..},
 *	 "raw":[N,ID..,COUNT, N,ID..,COUNT, ..],"raw_timestamp_deltas":[US..]}
 *
 * raw: stacks, outermost first, and how many samples in a row had each; a delta for each sample. From stackprof's
 * README and ext/stackprof/stackprof.c.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum stackprof_place {
	FILE_ = JSON_PLACES,
	MODE,
	INTERVAL,
	SAMPLES,
	FRAMES,
	FRAME,
	NAME,
	PATH,
	LINE,
	RAW,
	RAW_NUMBER,
	DELTAS,
	DELTA
};

static const struct json_row stackprof_rows[] = {
    {JSON_TOP, "{", FILE_},        {FILE_, "mode", MODE},
    {FILE_, "interval", INTERVAL}, {FILE_, "samples", SAMPLES},
    {FILE_, "frames{", FRAMES},    {FRAMES, "*{", FRAME},
    {FRAME, "name", NAME},         {FRAME, "file", PATH},
    {FRAME, "line", LINE},         {FILE_, "raw[", RAW},
    {RAW, "", RAW_NUMBER},         {FILE_, "raw_timestamp_deltas[", DELTAS},
    {DELTAS, "", DELTA},           {0},
};

struct stackprof {
	struct import *im;
	struct json_result at;
	uint64_t id, line; /* of the frame */
	uint32_t name, path;
	struct map64 frames; /* id -> location of the trace */
	uint64_t *raw;
	int64_t *deltas; /* us */
	size_t n_raw, cap_raw, n_deltas, cap_deltas;
	uint64_t interval, samples;
	bool has_samples, objects, cpu;
	uint32_t collector; /* the location of "(garbage collection)" */
	uint64_t odd, missing, pushed, backwards;
};

static enum status stackprof_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct stackprof *s = arg;
	uint64_t n = 0;
	int64_t d = 0;

	(void)e;
	switch (place) {
	case MODE:
		s->objects = text_is(v.s, v.n, "object");
		s->cpu = text_is(v.s, v.n, "cpu");
		break;
	case INTERVAL: s->odd += !num_dec(v.s, v.n, &s->interval); break;
	case SAMPLES: s->has_samples = num_dec(v.s, v.n, &s->samples); break;
	case NAME: s->name = v.kind == JSON_STRING ? trace_string(s->im->t, v.s, v.n) : 0; break;
	case PATH:
		s->path = v.kind == JSON_STRING && v.n ? trace_string(s->im->t, v.s, v.n) : 0;
		break;
	case LINE: num_dec(v.s, v.n, &s->line); break;
	case RAW_NUMBER:
		s->odd += !num_dec(v.s, v.n, &n);
		VEC_PUSH(s->raw, s->n_raw, s->cap_raw) = n;
		break;
	case DELTA:
		s->odd += !num_i64(v.s, v.n, &d);
		VEC_PUSH(s->deltas, s->n_deltas, s->cap_deltas) = d;
		break;
	default: break;
	}
	return ST_OK;
}

static enum status stackprof_key(void *arg, unsigned in, const char *text, size_t n, struct err *e)
{
	struct stackprof *s = arg;

	(void)e;
	if (in == FRAMES) {
		s->odd += !num_dec(text, n, &s->id);
		s->name = s->path = 0;
		s->line = 0;
	}
	return ST_OK;
}

static enum status stackprof_end(void *arg, unsigned place, struct err *e)
{
	static const char collector[] = "(garbage collection)";
	struct stackprof *s = arg;
	uint32_t location;
	const char *name;
	size_t n;

	(void)e;
	if (place != FRAME)
		return ST_OK;
	location =
	    emit_named(s->im->t, s->name, s->path, s->line < UINT32_MAX ? (uint32_t)s->line : 0);
	*map64_put(&s->frames, s->id) = location;
	name = intern_text(&s->im->t->strings, s->name, &n);
	if (text_is(name, n, collector))
		s->collector = location;
	return ST_OK;
}

/* The us of n samples from *at on. */
static int64_t stackprof_time(struct stackprof *s, size_t *at, uint64_t n)
{
	int64_t sum = 0;

	for (uint64_t i = 0; i < n && *at < s->n_deltas; i++, (*at)++) {
		int64_t d = s->deltas[*at];

		s->backwards += d < 0;
		if (d > 0 && d < INT64_MAX / 4000 - sum)
			sum += d;
	}
	return sum;
}

static enum status stackprof_push_stack(struct stackprof *s, size_t from, size_t depth, uint64_t n,
					uint32_t *before, size_t *delta, struct err *e)
{
	struct emit_sample sample = {.samples = KNOWN(n)};
	uint32_t stack = 0;

	for (size_t i = 0; i < depth; i++) {
		uint32_t location = map64_get(&s->frames, s->raw[from + i]);

		s->missing += !location;
		if (!location)
			location = emit_named(s->im->t, 0, 0, 0);
		/* The collector is below what it interrupted. */
		if (depth == 1 && location == s->collector)
			stack = *before;
		stack = trace_stack(s->im->t, stack, location);
	}
	*before = stack;
	s->pushed += n;
	sample.stack = stack;
	if (s->cpu && n < UINT64_MAX / 1000000000 && s->interval < 1000000000 && s->interval &&
	    n < UINT64_MAX / s->interval / 1000)
		sample.self = KNOWN(n * s->interval * 1000);
	else if (!s->objects && !s->cpu)
		sample.self = KNOWN(stackprof_time(s, delta, n) * 1000);
	return emit_sample(s->im, &sample, e);
}

static enum status stackprof_push(struct stackprof *s, struct err *e)
{
	struct trace *t = s->im->t;
	uint32_t before = 0;
	size_t delta = 0, i = 0;
	enum status st;

	if (!s->objects)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	st = import_begin(s->im, e);
	while (i < s->n_raw && !st) {
		uint64_t depth = s->raw[i++];

		if (depth >= s->n_raw - i) {
			s->odd++;
			break;
		}
		st = stackprof_push_stack(s, i, depth, s->raw[i + depth], &before, &delta, e);
		i += depth + 1;
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->odd, "impossible numbers"),
	    LOSS(NOTE_LOSS, s->missing, "samples refer to functions that are not in the file"),
	    LOSS_IF(NOTE_LOSS, s->has_samples && s->samples != s->pushed,
		    "the file states another number of samples than its stacks have"),
	    LOSS(NOTE_GUESS, s->backwards, "times of samples go back: they count as none"),
	    LOSS(NOTE_INFO, s->at.repaired, "bytes of invalid UTF-8 became U+FFFD"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status stackprof_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = stackprof_rows,
						  .end = stackprof_end,
						  .value = stackprof_value,
						  .key = stackprof_key};
	static const struct json_options options = {.repair_utf8 = true};
	struct stackprof s = {.im = im};
	enum status st = json_walk(&im->in->cur, &walker, &s, &options, &s.at, NULL, e);

	if (!st && !s.n_raw)
		st = err_set(e, ST_UNSUPPORTED,
			     "a profile of stackprof without raw stacks: record it with raw: true");
	if (!st)
		st = stackprof_push(&s, e);
	map64_release(&s.frames);
	free(s.raw);
	free(s.deltas);
	return st;
}

static int stackprof_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {"\"version\"", "\"mode\"", "\"interval\"",
					    "\"samples\"", "\"frames\""};
	size_t i = 0;

	(void)whole;
	while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
		i++;
	if (i == n || head[i] != '{' || !memmem(head, n, "\"gc_samples\"", 12))
		return 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!memmem(head, n, words[k], strlen(words[k])))
			return 0;
	return 160;
}

const struct reader reader_stackprof = {
    .name = "stackprof",
    .family = "Chrome, node and speedscope",
    .page = "speedscope",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "profiles of Ruby's stackprof (JSON): samples with their stacks",
    .suffixes = "json",
    .cut = CUT_NEVER, /* times come last */
    .bid = stackprof_bid,
    .read = stackprof_read,
};
