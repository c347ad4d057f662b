/* SPDX-License-Identifier: MIT
 *
 * speedscope's JSON: a table of frames, and profiles that refer to it, sampled or evented. Facts: the
 * published schema (speedscope.app/file-format-schema.json) and files that speedscope, other tools and
 * tm-export wrote.
 *
 * Keys come in any order, so the file is read twice: frames and what a profile is first. Equal stacks
 * are added up; tm-export writes a profile for each value, which become one row again.
 */
#include "formats/speedscope/speedscope.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum { PROFILES_MOST = 65536, DEPTH_MOST = 65536 };

enum place {
	WHOLE = JSON_PLACES,
	EXPORTER,
	SHARED,
	FRAMES,
	FRAME,
	FRAME_NAME,
	FRAME_FILE,
	FRAME_LINE,
	PROFILES,
	PROFILE,
	PROFILE_NAME,
	PROFILE_UNIT,
	PROFILE_TYPE,
	PROFILE_START,
	SAMPLES,
	SAMPLE,
	INDEX,
	WEIGHTS,
	WEIGHT,
	EVENTS,
	EVENT,
	EVENT_TYPE,
	EVENT_FRAME,
	EVENT_AT,
	EVENT_CONTINUED
};

/* Of both times through the file, of the first, and of the second. */
static const struct json_row both_rows[] = {
    {JSON_TOP, "{", WHOLE},         {WHOLE, "profiles[", PROFILES}, {PROFILES, "{", PROFILE},
    {PROFILE, "weights[", WEIGHTS}, {WEIGHTS, "", WEIGHT},          {PROFILE, "events[", EVENTS},
    {EVENTS, "{", EVENT},           {EVENT, "at", EVENT_AT},        {0},
};
static const struct json_row first_rows[] = {
    {WHOLE, "exporter", EXPORTER},
    {WHOLE, "shared{", SHARED},
    {SHARED, "frames[", FRAMES},
    {FRAMES, "{", FRAME},
    {FRAME, "name", FRAME_NAME},
    {FRAME, "file", FRAME_FILE},
    {FRAME, "line", FRAME_LINE},
    {PROFILE, "name", PROFILE_NAME},
    {PROFILE, "unit", PROFILE_UNIT},
    {PROFILE, "type", PROFILE_TYPE},
    {PROFILE, "startValue", PROFILE_START},
    {0},
};
static const struct json_row second_rows[] = {
    {PROFILE, "samples[", SAMPLES},
    {SAMPLES, "[", SAMPLE},
    {SAMPLE, "", INDEX},
    {EVENT, "type", EVENT_TYPE},
    {EVENT, "frame", EVENT_FRAME},
    {EVENT, "continued", EVENT_CONTINUED},
    {0},
};

struct event_object { /* {"type":"O","frame":1,"at":2} */
	char type;
	bool has_frame, has_at;
	bool continued; /* by tm-export: the call began before */
	uint64_t frame;
	int64_t at;
};

struct parser {
	struct speedscope x; /* first */
	size_t profile;      /* index of the one that is read next */
	struct speedscope_frame frame;
	struct event_object event;
	uint32_t *sample; /* locations of a sample, outermost first */
	size_t n_sample, cap_sample;
	uint32_t *stacks; /* of the profile's samples */
	size_t n_stacks, cap_stacks;
	int64_t *weights;
	size_t n_weights, cap_weights;
};

/* --- samples --- */

static void end_sample(struct parser *p)
{
	struct trace *t = p->x.im->t;
	uint32_t stack = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		stack = trace_stack(t, stack, p->sample[i]);
	VEC_PUSH(p->stacks, p->n_stacks, p->cap_stacks) = stack;
	p->n_sample = 0;
}

static void parse_index(struct parser *p, struct json_value v)
{
	uint64_t index;
	uint32_t location;

	if (!num_dec(v.s, v.n, &index) || index >= p->x.n_frames) {
		p->x.missing++;
		return;
	}
	if (p->n_sample == DEPTH_MOST) {
		p->x.deep++;
		return;
	}
	location = speedscope_location(&p->x, index);
	VEC_PUSH(p->sample, p->n_sample, p->cap_sample) = location;
}

static void parse_weight(struct parser *p, struct json_value v)
{
	int64_t weight = 0;

	if (!speedscope_value(&p->x, v.s, v.n, &weight)) {
		p->x.odd++;
	} else if (weight < 0) {
		p->x.negative++;
		weight = 0;
	}
	VEC_PUSH(p->weights, p->n_weights, p->cap_weights) = weight;
}

static void end_samples(struct parser *p)
{
	const struct speedscope_profile *of = p->x.profile;
	size_t n = p->n_stacks < p->n_weights ? p->n_stacks : p->n_weights;

	if (of->evented)
		n = 0;
	for (size_t i = 0; i < n && of->role != ROLE_NONE; i++)
		if (p->weights[i])
			speedscope_add(&p->x, p->stacks[i], of->role, p->weights[i]);
	p->x.odd += p->n_stacks - n + p->n_weights - n;
	p->n_stacks = p->n_weights = 0;
}

static enum status end_profile(struct parser *p, struct err *e)
{
	enum status st = speedscope_end_calls(&p->x, e);

	end_samples(p);
	p->x.profile = NULL;
	return st;
}

/* --- the first time through the file: frames, and what profiles are --- */

static enum status first_begin(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;
	struct speedscope *x = &p->x;

	if (place == FRAME)
		p->frame = (struct speedscope_frame){0};
	if (place != PROFILE)
		return ST_OK;
	if (x->n_profiles == PROFILES_MOST)
		return err_set(e, ST_LIMIT, "more than %d profiles", PROFILES_MOST);
	VEC_PUSH(x->profiles, x->n_profiles, x->cap_profiles) = (struct speedscope_profile){0};
	return ST_OK;
}

static enum status first_end(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;

	(void)e;
	if (place == FRAME)
		VEC_PUSH(p->x.frames, p->x.n_frames, p->x.cap_frames) = p->frame;
	return ST_OK;
}

/* What tm-export says of a filtered trace. */
static void speedscope_set_filtered(struct speedscope *x, const char *s, size_t n)
{
	static const char filtered[] = TRACE_FILTERED_COMMENT;
	const char *at = memmem(s, n, filtered, sizeof filtered - 1);
	struct buf b = BUF_INIT;

	if (!at)
		return;
	at += sizeof filtered - 1;
	buf_add(&b, at, n - (size_t)(at - s));
	trace_set(x->im->t, TRACE_FILTERED, buf_str(&b));
	buf_release(&b);
}

static void first_text(struct parser *p, unsigned place, struct json_value v)
{
	struct speedscope *x = &p->x;
	size_t last = x->n_profiles - 1; /* of the places of a profile */

	switch (place) {
	case FRAME_NAME: p->frame.name = trace_string(x->im->t, v.s, v.n); break;
	case FRAME_FILE: p->frame.file = trace_string(x->im->t, v.s, v.n); break;
	case PROFILE_NAME: x->profiles[last].name = trace_string(x->im->t, v.s, v.n); break;
	case PROFILE_UNIT: x->profiles[last].unit = trace_string(x->im->t, v.s, v.n); break;
	case PROFILE_TYPE: x->profiles[last].evented = text_is(v.s, v.n, "evented"); break;
	case EXPORTER:
		x->own = v.n > 10 && !memcmp(v.s, "tm-export ", 10);
		if (x->own)
			speedscope_set_filtered(x, v.s, v.n);
		break;
	default: break;
	}
}

/* Its unit may come later. */
static void parse_start(struct speedscope_profile *of, struct json_value v)
{
	if (v.n >= sizeof of->start)
		return;
	memcpy(of->start, v.s, v.n);
	of->start[v.n] = 0;
}

static enum status first_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct parser *p = arg;
	struct speedscope *x = &p->x;
	uint64_t line;

	(void)e;
	if (v.kind == JSON_STRING)
		first_text(p, place, v);
	else if (v.kind != JSON_NUMBER)
		return ST_OK;
	else if (place == EVENT_AT || place == WEIGHT)
		x->profiles[x->n_profiles - 1].decimals |= speedscope_has_decimals(v.s, v.n);
	else if (place == PROFILE_START)
		parse_start(&x->profiles[x->n_profiles - 1], v);
	else if (place == FRAME_LINE && num_dec(v.s, v.n, &line) && line <= UINT32_MAX)
		p->frame.line = (uint32_t)line;
	return ST_OK;
}

/* --- the second time: samples and events --- */

static enum status second_begin(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;
	struct speedscope *x = &p->x;

	(void)e;
	if (place == EVENT) {
		p->event = (struct event_object){0};
	} else if (place == PROFILE) {
		x->profile = p->profile < x->n_profiles ? &x->profiles[p->profile++] : NULL;
		x->any_event = false;
		x->last = 0;
	}
	return ST_OK;
}

static enum status on_event(struct parser *p, struct err *e)
{
	const struct event_object *ev = &p->event;

	if (!ev->type || !ev->has_frame || !ev->has_at || !p->x.profile->evented) {
		p->x.odd++;
		return ST_OK;
	}
	p->x.continued = ev->continued && p->x.own;
	return speedscope_event(&p->x, ev->type == 'O', ev->frame, ev->at, e);
}

static enum status second_end(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;

	if (!p->x.profile)
		return ST_OK;
	if (place == SAMPLE)
		end_sample(p);
	return place == EVENT ? on_event(p, e) : place == PROFILE ? end_profile(p, e) : ST_OK;
}

static enum status second_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct parser *p = arg;
	struct event_object *ev = &p->event;

	(void)e;
	if (v.kind == JSON_STRING && place == EVENT_TYPE && v.n == 1 &&
	    (*v.s == 'O' || *v.s == 'C'))
		ev->type = *v.s;
	if (v.kind != JSON_NUMBER || !p->x.profile)
		return ST_OK;
	switch (place) {
	case INDEX: parse_index(p, v); break;
	case WEIGHT: parse_weight(p, v); break;
	case EVENT_FRAME: ev->has_frame = num_dec(v.s, v.n, &ev->frame); break;
	case EVENT_AT: ev->has_at = speedscope_value(&p->x, v.s, v.n, &ev->at); break;
	case EVENT_CONTINUED: ev->continued = v.n == 1 && *v.s == '1'; break;
	default: break;
	}
	return ST_OK;
}

static enum status parse(struct parser *p, bool second, uint64_t *repaired, struct err *e)
{
	static const struct json_walker walkers[] = {{.rows = first_rows,
						      .more = both_rows,
						      .begin = first_begin,
						      .end = first_end,
						      .value = first_value},
						     {.rows = second_rows,
						      .more = both_rows,
						      .begin = second_begin,
						      .end = second_end,
						      .value = second_value}};
	static const struct json_options options = {.max_depth = 64, .repair_utf8 = true};
	struct json_result result = {0};
	enum status st =
	    json_walk(&p->x.im->in->cur, &walkers[second], p, &options, &result, NULL, e);

	*repaired = result.repaired;
	return st;
}

/* --- the whole --- */

static void speedscope_add_notes(const struct speedscope *x, uint64_t repaired)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->missing,
		 "references go to frames that are not in the file: left out"),
	    LOSS(NOTE_LOSS, x->odd, "impossible samples, weights or events were left out"),
	    LOSS(NOTE_LOSS, x->negative, "weights are negative: left out"),
	    LOSS(NOTE_LOSS, x->huge, "rows have too many blocks: left out"),
	    LOSS(NOTE_LOSS, x->unpaired, "ends of calls have no begin: left out"),
	    LOSS(NOTE_LOSS, x->deep, "calls of very deep stacks were left out"),
	    LOSS(NOTE_LOSS, x->beside,
		 "samples are in the file beside calls: only the calls were read"),
	    LOSS(NOTE_LOSS, x->beside_ns,
		 "ns of samples are in the file beside calls: only the time of the calls was read"),
	    LOSS(NOTE_GUESS, x->unended,
		 "calls have no end of their own: they end with their caller or with the profile"),
	    LOSS(NOTE_GUESS, x->backwards, "times go backwards: the time before is used"),
	    LOSS(NOTE_INFO, x->rounded, "values have decimals: rounded"),
	    LOSS(NOTE_INFO, repaired, "bytes of names are not UTF-8"),
	};

	TRACE_LOSSES(x->im->t, losses);
	emit_places_note(&x->places, x->im->t);
	emit_blocks_note(&x->blocks);
}

/* A file that is cut has what comes before the cut, which may be without the frames. */
static enum status speedscope_read_all(struct parser *p, struct err *e)
{
	struct speedscope *x = &p->x;
	struct err first = ERR_INIT, again = ERR_INIT;
	uint64_t repaired;
	enum status st = parse(p, false, &repaired, &first), pushed;

	if (!x->n_profiles || (st && st != ST_BAD)) {
		*e = first;
		return st ? st : err_at(e, ST_BAD, 0, "the file has no profile");
	}
	speedscope_decide(x);
	pushed = input_rewind(x->im->in);
	if (!pushed)
		pushed = import_begin(x->im, e);
	if (pushed)
		return pushed;
	pushed = parse(p, true, &repaired, &again);
	if (pushed && pushed != ST_BAD) {
		*e = again;
		return pushed;
	}
	if (x->profile && end_profile(p, e))
		return err_failure(e);
	if (speedscope_push_rows(x, e))
		return err_failure(e);
	speedscope_add_notes(x, repaired);
	if (pushed)
		*e = again;
	return pushed;
}

static enum status speedscope_read(struct import *im, struct err *e)
{
	struct parser p = {.x.im = im};
	enum status st = speedscope_read_all(&p, e);

	map64_release(&p.x.row_of);
	emit_places_release(&p.x.places);
	free(p.x.frames);
	free(p.x.profiles);
	free(p.x.rows);
	free(p.x.open);
	free(p.x.path);
	free(p.sample);
	free(p.stacks);
	free(p.weights);
	return st;
}

static int speedscope_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t i = 0;

	(void)whole;
	while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
		i++;
	if (i == n || head[i] != '{')
		return 0;
	if (memmem(head, n, "speedscope.app/file-format-schema.json", 38))
		return 60;
	/* Its address may be at the end. */
	return memmem(head, n, "\"shared\"", 8) && memmem(head, n, "\"frames\"", 8) &&
		       memmem(head, n, "\"name\"", 6)
		   ? 24
		   : 0;
}

const struct reader reader_speedscope = {
    .name = "speedscope",
    .family = "Chrome, node and speedscope",
    .page = "speedscope",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS |
		    CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES,
    .what = "speedscope's JSON: sampled and evented profiles",
    .suffixes = "json",
    .rewinds = true,
    .cut = CUT_NEVER, /* values come after their stacks */
    .bid = speedscope_bid,
    .read = speedscope_read,
};
