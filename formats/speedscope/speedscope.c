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
#include "lib/input/json.h"

#include <stdlib.h>
#include <string.h>

enum { PROFILES_MOST = 65536, DEPTH_MOST = 65536, LEVELS = 6 };
enum key {
	KEY_OTHER,
	KEY_EXPORTER,
	KEY_SHARED,
	KEY_FRAMES,
	KEY_PROFILES,
	KEY_NAME,
	KEY_FILE,
	KEY_LINE,
	KEY_TYPE,
	KEY_UNIT,
	KEY_SAMPLES,
	KEY_WEIGHTS,
	KEY_EVENTS,
	KEY_FRAME,
	KEY_AT,
	KEY_CONTINUED,
	KEY_START,
	KEYS
};

static const char *const key_names[KEYS] = {
    [KEY_EXPORTER] = "exporter",   [KEY_SHARED] = "shared",   [KEY_FRAMES] = "frames",
    [KEY_PROFILES] = "profiles",   [KEY_NAME] = "name",       [KEY_FILE] = "file",
    [KEY_LINE] = "line",           [KEY_TYPE] = "type",       [KEY_UNIT] = "unit",
    [KEY_SAMPLES] = "samples",     [KEY_WEIGHTS] = "weights", [KEY_EVENTS] = "events",
    [KEY_FRAME] = "frame",         [KEY_AT] = "at",           [KEY_START] = "startValue",
    [KEY_CONTINUED] = "continued",
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
	bool second;         /* time through the file */
	unsigned depth;
	enum key keys[LEVELS]; /* by depth */
	size_t profile;        /* index of the one that is read next */
	struct speedscope_frame frame;
	struct event_object event;
	uint32_t *sample; /* locations of a sample, outermost first */
	size_t n_sample, cap_sample;
	uint32_t *stacks; /* of the profile's samples */
	size_t n_stacks, cap_stacks;
	int64_t *weights;
	size_t n_weights, cap_weights;
};

/* Its place: in the brackets of these keys, by depth. */
static bool in_profile(const struct parser *p)
{
	return p->depth >= 3 && p->keys[1] == KEY_PROFILES;
}

static bool in_frame(const struct parser *p)
{
	return p->depth == 4 && p->keys[1] == KEY_SHARED && p->keys[2] == KEY_FRAMES;
}

static bool in_event(const struct parser *p)
{
	return p->depth == 5 && p->keys[1] == KEY_PROFILES && p->keys[3] == KEY_EVENTS;
}

static bool in_sample(const struct parser *p)
{
	return p->depth == 5 && p->keys[1] == KEY_PROFILES && p->keys[3] == KEY_SAMPLES;
}

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

static void take_index(struct parser *p, const char *s, size_t n)
{
	uint64_t index;
	uint32_t location;

	if (!num_dec(s, n, &index) || index >= p->x.n_frames) {
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

static void take_weight(struct parser *p, const char *s, size_t n)
{
	int64_t v = 0;

	if (!speedscope_value(&p->x, s, n, &v)) {
		p->x.odd++;
	} else if (v < 0) {
		p->x.negative++;
		v = 0;
	}
	VEC_PUSH(p->weights, p->n_weights, p->cap_weights) = v;
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

/* --- JSON --- */

static enum status begin_profile(struct parser *p, struct err *e)
{
	struct speedscope *x = &p->x;

	if (p->second) {
		x->profile = p->profile < x->n_profiles ? &x->profiles[p->profile++] : NULL;
		x->any_event = false;
		x->last = 0;
		return ST_OK;
	}
	if (x->n_profiles == PROFILES_MOST)
		return err_set(e, ST_LIMIT, "more than %d profiles", PROFILES_MOST);
	VEC_PUSH(x->profiles, x->n_profiles, x->cap_profiles) = (struct speedscope_profile){0};
	return ST_OK;
}

static enum status speedscope_begin_bracket(void *arg, char bracket, struct err *e)
{
	struct parser *p = arg;

	p->depth++;
	if (p->depth < LEVELS)
		p->keys[p->depth] = KEY_OTHER;
	if (bracket != '{')
		return ST_OK;
	if (in_frame(p))
		p->frame = (struct speedscope_frame){0};
	else if (in_event(p))
		p->event = (struct event_object){0};
	else if (p->depth == 3 && in_profile(p))
		return begin_profile(p, e);
	return ST_OK;
}

static enum status take_event(struct parser *p, struct err *e)
{
	const struct event_object *ev = &p->event;

	if (!ev->type || !ev->has_frame || !ev->has_at || !p->x.profile->evented) {
		p->x.odd++;
		return ST_OK;
	}
	p->x.continued = ev->continued && p->x.own;
	return speedscope_event(&p->x, ev->type == 'O', ev->frame, ev->at, e);
}

static enum status speedscope_end_bracket(void *arg, char bracket, struct err *e)
{
	struct parser *p = arg;
	enum status st = ST_OK;

	if (in_frame(p) && bracket == '}' && !p->second)
		VEC_PUSH(p->x.frames, p->x.n_frames, p->x.cap_frames) = p->frame;
	else if (p->second && p->x.profile && in_sample(p) && bracket == ']')
		end_sample(p);
	else if (p->second && p->x.profile && in_event(p) && bracket == '}')
		st = take_event(p, e);
	else if (p->second && p->x.profile && p->depth == 3)
		st = end_profile(p, e);
	p->depth--;
	return st;
}

static enum status speedscope_take_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct parser *p = arg;

	(void)e;
	if (p->depth >= LEVELS)
		return ST_OK;
	p->keys[p->depth] = KEY_OTHER;
	for (unsigned i = 1; i < KEYS; i++)
		if (strlen(key_names[i]) == n && !memcmp(s, key_names[i], n))
			p->keys[p->depth] = (enum key)i;
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

static enum status speedscope_take_string(void *arg, const char *s, size_t n, struct err *e)
{
	struct parser *p = arg;
	struct speedscope *x = &p->x;
	struct speedscope_profile *of = x->n_profiles ? &x->profiles[x->n_profiles - 1] : NULL;
	enum key key = p->depth < LEVELS ? p->keys[p->depth] : KEY_OTHER;

	(void)e;
	if (p->second) {
		if (in_event(p) && key == KEY_TYPE && n == 1 && (*s == 'O' || *s == 'C'))
			p->event.type = *s;
	} else if (in_frame(p)) {
		if (key == KEY_NAME)
			p->frame.name = trace_string(x->im->t, s, n);
		else if (key == KEY_FILE)
			p->frame.file = trace_string(x->im->t, s, n);
	} else if (p->depth == 3 && in_profile(p) && of) {
		if (key == KEY_NAME)
			of->name = trace_string(x->im->t, s, n);
		else if (key == KEY_UNIT)
			of->unit = trace_string(x->im->t, s, n);
		else if (key == KEY_TYPE)
			of->evented = n == 7 && !memcmp(s, "evented", n);
	} else if (p->depth == 1 && key == KEY_EXPORTER) {
		x->own = n > 10 && !memcmp(s, "tm-export ", 10);
		if (x->own)
			speedscope_set_filtered(x, s, n);
	}
	return ST_OK;
}

/* Its unit may come later. */
static void take_start(struct speedscope_profile *of, const char *s, size_t n)
{
	if (n >= sizeof of->start)
		return;
	memcpy(of->start, s, n);
	of->start[n] = 0;
}

static bool is_value(const struct parser *p, enum key key)
{
	return in_event(p) ? key == KEY_AT
			   : p->depth == 4 && in_profile(p) && p->keys[3] == KEY_WEIGHTS;
}

static enum status speedscope_take_number(void *arg, const char *s, size_t n, struct err *e)
{
	struct parser *p = arg;
	enum key key = p->depth < LEVELS ? p->keys[p->depth] : KEY_OTHER;
	uint64_t v;

	(void)e;
	if (!p->second) {
		if (in_frame(p) && key == KEY_LINE && num_dec(s, n, &v) && v <= UINT32_MAX)
			p->frame.line = (uint32_t)v;
		else if (p->depth == 3 && in_profile(p) && p->x.n_profiles && key == KEY_START)
			take_start(&p->x.profiles[p->x.n_profiles - 1], s, n);
		else if (p->x.n_profiles && is_value(p, key))
			p->x.profiles[p->x.n_profiles - 1].decimals |=
			    speedscope_has_decimals(s, n);
		return ST_OK;
	}
	if (!p->x.profile)
		return ST_OK;
	if (in_event(p) && key == KEY_FRAME)
		p->event.has_frame = num_dec(s, n, &p->event.frame);
	else if (in_event(p) && key == KEY_AT)
		p->event.has_at = speedscope_value(&p->x, s, n, &p->event.at);
	else if (in_event(p) && key == KEY_CONTINUED)
		p->event.continued = n == 1 && *s == '1';
	else if (in_sample(p))
		take_index(p, s, n);
	else if (p->depth == 4 && p->keys[3] == KEY_WEIGHTS)
		take_weight(p, s, n);
	return ST_OK;
}

static enum status parse(struct parser *p, uint64_t *repaired, struct err *e)
{
	static const struct json_handler handler = {.number = speedscope_take_number,
						    .string = speedscope_take_string,
						    .key = speedscope_take_key,
						    .begin = speedscope_begin_bracket,
						    .end = speedscope_end_bracket};
	static const struct json_options options = {.max_depth = 64, .repair_utf8 = true};
	struct json_result result = {0};
	enum status st;

	p->depth = 0;
	memset(p->keys, 0, sizeof p->keys);
	st = json_parse(&p->x.im->in->cur, &handler, p, &options, &result, e);
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
	emit_blocks_note(&x->blocks);
}

/* A file that is cut has what comes before the cut, which may be without the frames. */
static enum status speedscope_read_all(struct parser *p, struct err *e)
{
	struct speedscope *x = &p->x;
	struct err first = ERR_INIT, again = ERR_INIT;
	uint64_t repaired;
	enum status st = parse(p, &repaired, &first), pushed;

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
	p->second = true;
	pushed = parse(p, &repaired, &again);
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
    .carries = CARRIES_ALLOCATIONS | CARRIES_LIVE | CARRIES_STACKS | CARRIES_SAMPLES |
	       CARRIES_CALLS | CARRIES_TIME | CARRIES_THREADS,
    .what = "speedscope's JSON: sampled and evented profiles",
    .suffixes = "json",
    .rewinds = true,
    .cut = CUT_NEVER, /* values come after their stacks */
    .bid = speedscope_bid,
    .read = speedscope_read,
};
