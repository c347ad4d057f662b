/* SPDX-License-Identifier: MIT
 *
 * Profiles of Cleopatra, Firefox's viewer of before 2013:
 *
 *	{"format":"profileJSONWithSymbolicationTable,1","meta":{..},
 *	 "profileJSON":[{"frames":[N..],"extraInfo":{"time":MS,"responsiveness":MS}}..],
 *	 "symbolicationTable":{"N":"function (in library)"..}}
 *
 * Stacks are outermost first, and the names of their numbers stand behind them. The time up to the next
 * sample is that of a stack.
 * From Firefox Profiler's src/test/fixtures/upgrades/ancient-cleopatra-profile.sps.json; of later ones no file was at hand.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum cleopatra_place {
	FILE_ = JSON_PLACES,
	SAMPLES,
	SAMPLE,
	FRAMES,
	FRAME,
	OTHER_FRAME,
	EXTRA,
	TIME,
	TABLE,
	NAME
};

static const struct json_row cleopatra_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "profileJSON[", SAMPLES},
    {SAMPLES, "{", SAMPLE},
    {SAMPLE, "frames[", FRAMES},
    {FRAMES, "", FRAME},
    {FRAMES, "{", OTHER_FRAME},
    {SAMPLE, "extraInfo{", EXTRA},
    {EXTRA, "time", TIME},
    {FILE_, "symbolicationTable{", TABLE},
    {TABLE, "*", NAME},
    {0},
};

struct cleopatra_sample {
	size_t from, n; /* of frames */
	bool has_time;
	double ms;
};

struct cleopatra {
	struct import *im;
	uint64_t *frames; /* of all samples */
	size_t n_frames, cap_frames;
	struct cleopatra_sample *samples;
	size_t n_samples, cap_samples;
	uint64_t id; /* of the name that comes next */
	bool has_id;
	struct map64 names; /* id -> location */
	uint64_t odd, nameless, backwards;
};

static enum status cleopatra_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct cleopatra *x = arg;
	struct trace *t = x->im->t;
	struct cleopatra_sample none = {0};
	struct cleopatra_sample *s = x->n_samples ? &x->samples[x->n_samples - 1] : &none;
	uint64_t n = 0;

	(void)e;
	switch (place) {
	case TIME: s->has_time = num_double(v.s, v.n, &s->ms) && s->ms >= 0 && s->ms < 9e12; break;
	case FRAME:
		x->odd += !num_dec(v.s, v.n, &n);
		VEC_PUSH(x->frames, x->n_frames, x->cap_frames) = n;
		s->n++;
		break;
	case NAME:
		if (x->has_id && v.kind == JSON_STRING)
			*map64_put(&x->names, x->id) =
			    emit_named(t, trace_string(t, v.s, v.n), 0, 0);
		else
			x->odd++;
		break;
	default: break;
	}
	return ST_OK;
}

static enum status cleopatra_begin(void *arg, unsigned place, struct err *e)
{
	struct cleopatra *x = arg;

	(void)e;
	if (place == SAMPLE)
		VEC_PUSH(x->samples, x->n_samples, x->cap_samples) =
		    (struct cleopatra_sample){.from = x->n_frames};
	x->odd += place == OTHER_FRAME;
	return ST_OK;
}

static enum status cleopatra_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct cleopatra *x = arg;

	(void)e;
	if (in == TABLE)
		x->has_id = num_dec(s, n, &x->id);
	return ST_OK;
}

static uint32_t cleopatra_stack(struct cleopatra *x, const struct cleopatra_sample *s)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t location = map64_get(&x->names, x->frames[s->from + i]);

		x->nameless += !location;
		if (!location)
			location = emit_named(x->im->t, 0, 0, 0);
		stack = trace_stack(x->im->t, stack, location);
	}
	return stack;
}

static enum status cleopatra_push(struct cleopatra *x, struct err *e)
{
	struct trace *t = x->im->t;
	double start = 0;
	bool has_start = false;
	enum status st;

	trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	st = import_begin(x->im, e);
	for (size_t i = 0; i < x->n_samples && !st; i++) {
		const struct cleopatra_sample *s = &x->samples[i];
		struct emit_sample sample = {.samples = KNOWN(1)};

		if (s->has_time && !has_start) {
			has_start = true;
			start = s->ms;
		}
		sample.time = KNOWN_IF(s->has_time, num_nearest((s->ms - start) * 1e6));
		if (s->has_time && i + 1 < x->n_samples && s[1].has_time) {
			x->backwards += s[1].ms < s->ms;
			sample.self =
			    KNOWN(s[1].ms > s->ms ? num_nearest((s[1].ms - s->ms) * 1e6) : 0);
		}
		sample.stack = cleopatra_stack(x, s);
		st = emit_sample(x->im, &sample, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->odd, "impossible numbers"),
	    LOSS(NOTE_GUESS, x->backwards, "times of samples go back: they count as none"),
	    LOSS(NOTE_LOSS, x->nameless, "entries of stacks have no name in the file"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status cleopatra_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = cleopatra_rows,
						  .begin = cleopatra_begin,
						  .value = cleopatra_value,
						  .key = cleopatra_key};
	static const struct json_options options = {.repair_utf8 = true};
	struct cleopatra x = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &x, &options, &at, NULL, e);

	if (!st && !x.n_samples)
		st = err_set(
		    e, ST_UNSUPPORTED,
		    "a profile of Cleopatra without a list of samples: profiler.firefox.com "
		    "converts it");
	if (!st)
		st = cleopatra_push(&x, e);
	map64_release(&x.names);
	free(x.frames);
	free(x.samples);
	return st;
}

static int cleopatra_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char word[] = "\"profileJSONWithSymbolicationTable,1\"";
	const uint8_t *at = memmem(head, n < 128 ? n : 128, word, sizeof word - 1);

	(void)whole;
	return at && *head == '{' && memmem(head, (size_t)(at - head), "\"format\"", 8) ? 240 : 0;
}

const struct reader reader_cleopatra = {
    .name = "cleopatra",
    .family = "Chrome, node and speedscope",
    .page = "firefox",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "profiles of Cleopatra, Firefox's viewer of before 2013 (JSON)",
    .suffixes = "json",
    .cut = CUT_NEVER, /* names come last */
    .bid = cleopatra_bid,
    .read = cleopatra_read,
};
