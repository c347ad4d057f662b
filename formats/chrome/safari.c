/* SPDX-License-Identifier: MIT
 *
 * Recordings of timelines of Safari's developer tools:
 *
 *	{"version":1,"recording":{"displayName":S,"startTime":S,"records":[{..}..],
 *	 "sampleStackTraces":[{"timestamp":SECONDS,"stackFrames":[{"name":S,"line":N,"column":N,"url":S}..]}..],
 *	 "sampleDurations":[SECONDS..]}}
 *
 * Stacks of JavaScript are innermost first; a duration for each, which ends at its timestamp. The records, of networks
 * and layouts, are not read. From WebKit's TimelineRecording.js and ScriptProfilerAgent, and files of Safari 13.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum safari_place {
	FILE_ = JSON_PLACES,
	RECORDING,
	START,
	RECORDS,
	RECORD,
	STACKS,
	STACK,
	TIMESTAMP,
	FRAMES,
	FRAME,
	NAME,
	URL,
	LINE,
	DURATIONS,
	DURATION
};

static const struct json_row safari_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "recording{", RECORDING},
    {RECORDING, "startTime", START},
    {RECORDING, "records[", RECORDS},
    {RECORDS, "{", RECORD},
    {RECORDING, "sampleStackTraces[", STACKS},
    {STACKS, "{", STACK},
    {STACK, "timestamp", TIMESTAMP},
    {STACK, "stackFrames[", FRAMES},
    {FRAMES, "{", FRAME},
    {FRAME, "name", NAME},
    {FRAME, "url", URL},
    {FRAME, "line", LINE},
    {RECORDING, "sampleDurations[", DURATIONS},
    {DURATIONS, "", DURATION},
    {0},
};

struct safari_sample {
	uint32_t stack;
	bool has_time;
	int64_t time; /* ns, of Safari's clock */
};

struct safari {
	struct import *im;
	uint32_t name, url, line;
	uint32_t *locations; /* of the stack that is open */
	size_t n_locations, cap_locations;
	struct safari_sample sample, *samples;
	size_t n_samples, cap_samples;
	int64_t *durations; /* ns; -1: no number */
	size_t n_durations, cap_durations;
	bool has_start;
	int64_t start;
	uint64_t odd, records;
};

static bool parse_seconds(struct json_value v, int64_t *ns)
{
	double d;

	if (v.kind != JSON_NUMBER || !num_double(v.s, v.n, &d) || d < 0 || d > 9e9)
		return false;
	*ns = num_nearest(d * 1e9);
	return true;
}

static enum status safari_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct safari *s = arg;
	struct trace *t = s->im->t;
	uint64_t n = 0;
	int64_t ns;

	(void)e;
	switch (place) {
	case START: s->has_start = parse_seconds(v, &s->start); break;
	case TIMESTAMP: s->sample.has_time = parse_seconds(v, &s->sample.time); break;
	case NAME: s->name = v.kind == JSON_STRING ? trace_string(t, v.s, v.n) : 0; break;
	case URL: s->url = v.kind == JSON_STRING && v.n ? trace_string(t, v.s, v.n) : 0; break;
	case LINE: s->line = num_dec(v.s, v.n, &n) && n < UINT32_MAX ? (uint32_t)n : 0; break;
	case DURATION:
		if (!parse_seconds(v, &ns)) {
			s->odd++;
			ns = -1;
		}
		VEC_PUSH(s->durations, s->n_durations, s->cap_durations) = ns;
		break;
	default: break;
	}
	return ST_OK;
}

static enum status safari_begin(void *arg, unsigned place, struct err *e)
{
	struct safari *s = arg;

	(void)e;
	if (place == STACK) {
		s->n_locations = 0;
		s->sample = (struct safari_sample){0};
	}
	if (place == FRAME)
		s->name = s->url = s->line = 0;
	s->records += place == RECORD;
	return ST_OK;
}

static enum status safari_end(void *arg, unsigned place, struct err *e)
{
	struct safari *s = arg;
	struct trace *t = s->im->t;
	size_t n = 0;

	(void)e;
	if (place == FRAME) {
		if (s->name)
			intern_text(&t->strings, s->name, &n);
		VEC_PUSH(s->locations, s->n_locations, s->cap_locations) =
		    emit_named(t, n ? s->name : trace_strz(t, "(anonymous)"), s->url, s->line);
	} else if (place == STACK) {
		s->sample.stack = trace_stack_of(t, s->locations, s->n_locations);
		VEC_PUSH(s->samples, s->n_samples, s->cap_samples) = s->sample;
	}
	return ST_OK;
}

static enum status safari_push(struct safari *s, struct err *e)
{
	struct trace *t = s->im->t;
	int64_t start = s->start;
	uint64_t bare = 0;
	enum status st;

	trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	st = import_begin(s->im, e);
	for (size_t i = 0; i < s->n_samples && !st; i++) {
		const struct safari_sample *x = &s->samples[i];
		bool timed = i < s->n_durations && s->durations[i] >= 0;
		const struct emit_sample sample = {
		    .stack = x->stack,
		    .samples = KNOWN(1),
		    .self = KNOWN_IF(timed, s->durations[i]),
		    .time = KNOWN_IF(s->has_start && x->has_time, x->time - start)};

		bare += !timed;
		st = emit_sample(s->im, &sample, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->odd, "impossible numbers"),
	    LOSS(NOTE_LOSS, bare, "samples have no duration"),
	    LOSS(NOTE_INFO, s->records, "records of networks, layouts and scripts are not read"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status safari_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {
	    .rows = safari_rows, .begin = safari_begin, .end = safari_end, .value = safari_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct safari s = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &s, &options, &at, NULL, e);

	if (!st && !s.n_samples)
		st = err_set(e, ST_UNSUPPORTED,
			     "a recording of Safari without stacks: record JavaScript & Events");
	if (!st)
		st = safari_push(&s, e);
	free(s.locations);
	free(s.samples);
	free(s.durations);
	return st;
}

static int safari_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {"\"recording\"", "\"displayName\"", "\"startTime\"",
					    "\"instrumentTypes\""};
	size_t i = 0;

	(void)whole;
	while (i < n && text_is_space((char)head[i]))
		i++;
	if (i == n || head[i] != '{')
		return 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!memmem(head, n, words[k], strlen(words[k])))
			return 0;
	return 160;
}

const struct reader reader_safari = {
    .name = "safari",
    .family = "Chrome, node and speedscope",
    .page = "speedscope",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "recordings of Safari's developer tools (JSON): samples with their stacks",
    .suffixes = "json",
    .cut = CUT_NEVER, /* durations come last */
    .bid = safari_bid,
    .read = safari_read,
};
