/* SPDX-License-Identifier: MIT
 *
 * Chrome's trace events: the JSON that chrome://tracing shows and that Perfetto, Tracy, Unity,
 * engines and tm-export write. An array of events, whose end may be missing, or an object with such
 * an array (traceEvents), a table of stack frames (stackFrames) and samples. Facts: the public
 * document "Trace Event Format".
 *
 * Events come in any order and a complete one (X) when it is over, so all calls are kept until the
 * end of the file, 32 bytes each, and put in order then. Times are microseconds with decimals.
 */
#include "formats/chrome/chrome.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum key {
	KEY_PH,
	KEY_NAME,
	KEY_CAT,
	KEY_TS,
	KEY_DUR,
	KEY_PID,
	KEY_TID,
	KEY_ID,
	KEY_SF,
	KEY_WEIGHT,
	KEY_PARENT,
	KEYS
};

enum place { /* behind those of a profile of V8 */
	     WHOLE = V8_PLACES,
	     EVENTS,
	     SAMPLES,
	     FRAMES,
	     OTHER,
	     FILTERED,
	     EVENT,
	     SAMPLE,
	     FRAME,
	     ARGS,
	     ARG,
	     ID2,
	     ID2_TEXT,
	     VALUES /* by enum key */
};

static const struct json_row chrome_rows[] = {
    {JSON_TOP, "{", WHOLE},
    {JSON_TOP, "[", EVENTS},
    {WHOLE, "traceEvents[", EVENTS},
    {WHOLE, "samples[", SAMPLES},
    {WHOLE, "stackFrames{", FRAMES},
    {WHOLE, "otherData{", OTHER},
    {OTHER, TRACE_FILTERED, FILTERED}, /* tm-export's word for what tm-filter left */
    {EVENTS, "{", EVENT},
    {EVENT, "ph", VALUES + KEY_PH},
    {EVENT, "name", VALUES + KEY_NAME},
    {EVENT, "cat", VALUES + KEY_CAT},
    {EVENT, "ts", VALUES + KEY_TS},
    {EVENT, "dur", VALUES + KEY_DUR},
    {EVENT, "pid", VALUES + KEY_PID},
    {EVENT, "tid", VALUES + KEY_TID},
    {EVENT, "id", VALUES + KEY_ID},
    {EVENT, "sf", VALUES + KEY_SF},
    {EVENT, "weight", VALUES + KEY_WEIGHT},
    {EVENT, "id2{", ID2},
    {ID2, "*", ID2_TEXT}, /* {"local": "0x1"} */
    {EVENT, "args{", ARGS},
    {ARGS, "*", ARG},
    {ARGS, "data{", V8_DATA}, /* may be a piece of a profile */
    {SAMPLES, "{", SAMPLE},
    {SAMPLE, "ts", VALUES + KEY_TS},
    {SAMPLE, "dur", VALUES + KEY_DUR},
    {SAMPLE, "pid", VALUES + KEY_PID},
    {SAMPLE, "tid", VALUES + KEY_TID},
    {SAMPLE, "sf", VALUES + KEY_SF},
    {SAMPLE, "weight", VALUES + KEY_WEIGHT},
    {FRAMES, "*{", FRAME},
    {FRAME, "name", VALUES + KEY_NAME},
    {FRAME, "parent", VALUES + KEY_PARENT},
    {0},
};

struct value { /* of a key: text as it is written, also of numbers */
	struct buf text;
	bool there, is_number;
};

struct reading { /* of a counter */
	struct buf name;
	decimal value;
};

struct parser {
	struct chrome x;          /* first */
	bool in_whole;            /* an object with an array of events */
	struct v8_json v8;        /* args.data of the item */
	struct buf arg, frame_id; /* keys: of args, and of the table of frames */
	struct value values[KEYS];
	struct reading *readings;
	size_t n_readings, cap_readings;            /* those beyond n keep their memory */
	uint64_t no_number, text_readings, rounded; /* of the item: they count if it is a counter */
	struct value label;                         /* args.name of metadata */
	struct map64 async_open; /* hash of what belongs together -> index in asyncs + 1 */
	struct chrome_point *asyncs;
	size_t n_asyncs, cap_asyncs;
};

static bool is(const struct buf *b, const char *word)
{
	return text_is(b->data, b->len, word);
}

/* --- numbers --- */

static bool to_ns(const struct value *v, int64_t *ns)
{
	return v->there && v->text.len && chrome_time(v->text.data, v->text.len, v->is_number, ns);
}

/* A process or thread: a number, or a text that stands for one. */
static uint64_t to_id(struct parser *p, const struct value *v, bool *is_text)
{
	int64_t number;

	*is_text = false;
	if (!v->there || !v->text.len)
		return 0;
	if (num_i64(v->text.data, v->text.len, &number))
		return (uint64_t)number;
	*is_text = true;
	return trace_string(p->x.im->t, v->text.data, v->text.len) | 1ull << 31;
}

/* --- items --- */

static uint32_t text_of(struct parser *p, enum key key)
{
	const struct buf *b = &p->values[key].text;

	return p->values[key].there && b->len ? trace_string(p->x.im->t, b->data, b->len) : 0;
}

static uint32_t chrome_thread_of(struct parser *p, bool async)
{
	struct chrome *x = &p->x;
	bool text;
	struct {
		uint64_t pid, tid, async;
	} key = {.async = async};
	struct chrome_thread row = {.async = async};

	key.pid = to_id(p, &p->values[KEY_PID], &text) & UINT32_MAX;
	key.tid = async ? 0 : to_id(p, &p->values[KEY_TID], &text);
	row.pid = key.pid;
	row.tid = key.tid;
	row.name = !async && text ? (uint32_t)(key.tid & ~(1ull << 31)) : 0;
	return chrome_thread(x, &key, sizeof key, &row);
}

static uint32_t marker_of(struct parser *p)
{
	struct trace *t = p->x.im->t;
	struct marker m = {text_of(p, KEY_NAME), text_of(p, KEY_CAT)};

	if (!m.name)
		m.name = trace_strz(t, "(unnamed)");
	return trace_marker(t, &m);
}

/* Times of which any two have a difference. */
static bool is_time(int64_t ns)
{
	return ns >= -(INT64_MAX / 2) && ns <= INT64_MAX / 2;
}

static bool read_ts(struct parser *p, int64_t *ts)
{
	struct chrome *x = &p->x;

	if (!to_ns(&p->values[KEY_TS], ts) || !is_time(*ts)) {
		x->no_time++;
		return false;
	}
	x->start = !x->any || *ts < x->start ? *ts : x->start;
	x->any = true;
	return true;
}

/* The categories that tm-export gives to what is no call. */
static bool has_category(const struct parser *p, const char *category)
{
	const struct value *v = &p->values[KEY_CAT];

	return v->there && is(&v->text, category);
}

static void chrome_add_call(struct parser *p, char ph)
{
	struct chrome *x = &p->x;
	struct chrome_call c = {.ph = ph};
	int64_t dur = 0;

	if (has_category(p, "tracemill.frame")) {
		x->game_frames++;
		return;
	}
	if (!read_ts(p, &c.ts))
		return;
	c.pause = has_category(p, "tracemill.pause")  ? ENTER_PAUSE
		  : has_category(p, "tracemill.away") ? ENTER_AWAY
						      : ENTER_CALL;
	c.thread = chrome_thread_of(p, false);
	/* An end without a name is that of the innermost. */
	c.marker = ph == 'E' && !(p->values[KEY_NAME].there && p->values[KEY_NAME].text.len)
		       ? 0
		       : marker_of(p);
	if (ph == 'X')
		to_ns(&p->values[KEY_DUR], &dur);
	if (dur < 0 || __builtin_add_overflow(c.ts, dur, &c.end) || !is_time(c.end))
		c.end = c.ts;
	VEC_PUSH(x->calls, x->n_calls, x->cap_calls) = c;
}

/* The key of a single value is a unit where it is one. */
static uint32_t unit_of(struct trace *t, const struct buf *key)
{
	static const char *const units[] = {"B", "bytes", "ns", "ms", "%", "fps"};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (is(key, units[i]))
			return trace_strz(t, i == 1 ? "B" : units[i]);
	return 0;
}

static void chrome_add_counter(struct parser *p)
{
	struct chrome *x = &p->x;
	struct trace *t = x->im->t;
	struct chrome_point at = {.kind = EV_COUNTER};
	struct buf b = BUF_INIT;

	if (!read_ts(p, &at.ts))
		return;
	x->no_number += p->no_number + (!p->n_readings && p->text_readings);
	x->rounded += p->rounded;
	for (size_t i = 0; i < p->n_readings; i++) {
		const struct value *name = &p->values[KEY_NAME];
		const struct reading *r = &p->readings[i];
		struct counter row = {0};

		/* One value is called as the counter; of several each has a name. */
		b.len = 0;
		if (name->there)
			buf_add(&b, name->text.data, name->text.len);
		if (p->n_readings > 1 || !b.len) {
			if (b.len)
				buf_addc(&b, '.');
			buf_add(&b, r->name.data, r->name.len);
		} else {
			row.unit = unit_of(t, &r->name);
		}
		row.name = trace_string(t, b.data ? b.data : "", b.len);
		at.what = trace_counter(t, &row);
		at.value = decimal_whole(r->value);
		at.fraction = decimal_fraction(r->value);
		VEC_PUSH(x->points, x->n_points, x->cap_points) = at;
	}
	buf_release(&b);
}

static void add_metadata(struct parser *p)
{
	const struct value *name = &p->values[KEY_NAME], *label = &p->label;
	struct trace *t = p->x.im->t;
	uint32_t thread;

	if (!name->there || !label->there || name->text.len != 11 ||
	    memcmp(name->text.data, "thread_name", 11) != 0)
		return;
	thread = chrome_thread_of(p, false);
	p->x.threads[thread].name = trace_string(t, buf_at(&label->text, 0), label->text.len);
}

/* b and S begin, e and F end what has the same process, category and id. */
static void chrome_add_async(struct parser *p, bool begins)
{
	static const enum key keys[] = {KEY_PID, KEY_CAT, KEY_ID, KEY_NAME};
	struct chrome *x = &p->x;
	struct chrome_point done;
	uint64_t hash = 0;
	uint32_t *open;
	int64_t ts;

	if (!read_ts(p, &ts))
		return;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct value *v = &p->values[keys[i]];

		hash = hash_bytes_seeded(buf_at(&v->text, 0), v->there ? v->text.len : 0, hash + i);
	}
	if (begins) {
		struct chrome_point at = {.kind = EV_SAMPLE, .ts = ts};

		at.thread = chrome_thread_of(p, true);
		at.what = marker_of(p);
		open = map64_put(&p->async_open, hash);
		at.value = *open; /* the one that is open around it */
		VEC_PUSH(p->asyncs, p->n_asyncs, p->cap_asyncs) = at;
		*open = (uint32_t)p->n_asyncs;
		return;
	}
	open = map64_put(&p->async_open, hash);
	if (!*open) {
		map64_remove(&p->async_open, hash);
		x->unmatched++;
		return;
	}
	done = p->asyncs[*open - 1];
	if (done.value)
		*open = (uint32_t)done.value;
	else
		map64_remove(&p->async_open, hash);
	if (ts < done.ts) {
		x->unmatched++;
		return;
	}
	done.value = ts - done.ts;
	VEC_PUSH(x->points, x->n_points, x->cap_points) = done;
	x->asyncs++;
}

static uint32_t frame_of(struct parser *p, const char *s, size_t n)
{
	struct chrome *x = &p->x;
	uint32_t before = intern_count(&x->frame_keys);
	uint32_t id = intern_add(&x->frame_keys, s, n);

	if (id > before)
		VEC_PUSH(x->frames, x->n_frames, x->cap_frames) = (struct chrome_frame){0};
	return id;
}

static void add_sample(struct parser *p)
{
	struct chrome *x = &p->x;
	struct chrome_point at = {.kind = EV_SAMPLE, .of_frames = true, .value = 1, .dur = -1};
	const struct value *sf = &p->values[KEY_SF], *weight = &p->values[KEY_WEIGHT];

	if (!sf->there || !read_ts(p, &at.ts))
		return;
	if (weight->there && num_i64(buf_at(&weight->text, 0), weight->text.len, &at.value) &&
	    at.value < 1)
		at.value = 1;
	if (to_ns(&p->values[KEY_DUR], &at.dur) && at.dur < 0)
		at.dur = -1;
	x->sampled_time |= at.dur >= 0;
	at.thread = chrome_thread_of(p, false);
	at.what = frame_of(p, buf_at(&sf->text, 0), sf->text.len);
	VEC_PUSH(x->points, x->n_points, x->cap_points) = at;
}

static void add_frame(struct parser *p)
{
	uint32_t id = frame_of(p, buf_at(&p->frame_id, 0), p->frame_id.len), parent = 0;
	const struct value *of = &p->values[KEY_PARENT];

	if (of->there && of->text.len)
		parent = frame_of(p, of->text.data, of->text.len);
	p->x.frames[id - 1].name = text_of(p, KEY_NAME);
	p->x.frames[id - 1].parent = parent;
}

/* A piece of a profile; the one it belongs to has the same process and id. The thread that is
 * profiled is that of "Profile", chunks come from another. A "CpuProfile" is all of one, without an id. */
static void chrome_add_profile(struct parser *p, bool begins)
{
	struct chrome *x = &p->x;
	const struct value *id = &p->values[KEY_ID];
	bool text;
	uint64_t pid = to_id(p, &p->values[KEY_PID], &text);
	struct chrome_profile **at = NULL;
	uint64_t hash = hash_bytes_seeded(buf_at(&id->text, 0), id->there ? id->text.len : 0, pid);
	uint32_t whole = 0, *index = is(&p->values[KEY_NAME].text, "CpuProfile")
					 ? &whole
					 : map64_put(&x->profile_of, hash);

	if (!*index) {
		VEC_PUSH(x->profiles, x->n_profiles, x->cap_profiles) = mem_zalloc(sizeof **at);
		*index = (uint32_t)x->n_profiles;
		begins = true;
	}
	at = &x->profiles[*index - 1];
	if (begins)
		(*at)->thread = chrome_thread_of(p, false);
	v8_append(&(*at)->v8, &x->piece);
}

static bool is_profile(const struct parser *p)
{
	const struct value *name = &p->values[KEY_NAME];

	return name->there && (is(&name->text, "Profile") || is(&name->text, "ProfileChunk") ||
			       is(&name->text, "CpuProfile"));
}

static void chrome_on_event(struct parser *p)
{
	const struct buf *ph = &p->values[KEY_PH].text;
	char kind = p->values[KEY_PH].there && ph->len == 1 ? *ph->data : 0;

	switch (kind) {
	case 'X':
		/* As tm-export writes them: their names are those of their stacks. */
		if (p->values[KEY_SF].there && p->values[KEY_CAT].there &&
		    is(&p->values[KEY_CAT].text, "sample")) {
			add_sample(p);
			break;
		}
		chrome_add_call(p, kind);
		break;
	case 'B':
	case 'E': chrome_add_call(p, kind); break;
	case 'C': chrome_add_counter(p); break;
	case 'M': add_metadata(p); break;
	case 'b':
	case 'S': chrome_add_async(p, true); break;
	case 'e':
	case 'F': chrome_add_async(p, false); break;
	case 'P':
		if (p->values[KEY_SF].there) {
			add_sample(p);
			break;
		}
		if (is_profile(p))
			chrome_add_profile(p, !is(&p->values[KEY_NAME].text, "ProfileChunk"));
		else
			p->x.other++;
		break;
	case 'I':
		if (is_profile(p)) /* of Chrome before 70 */
			chrome_add_profile(p, true);
		else
			p->x.other++;
		break;
	default: p->x.other++;
	}
}

/* --- JSON --- */

static void begin_item(struct parser *p)
{
	for (size_t i = 0; i < KEYS; i++)
		p->values[i].there = false;
	p->label.there = false;
	p->n_readings = 0;
	p->no_number = p->text_readings = p->rounded = 0;
	v8_clear(&p->x.piece);
}

static enum status chrome_begin(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;

	if (place == EVENT || place == SAMPLE || place == FRAME)
		begin_item(p);
	else if (place == WHOLE)
		p->in_whole = true;
	else if (place < V8_PLACES)
		return v8_begin(&p->v8, place, e);
	return ST_OK;
}

static enum status chrome_end(void *arg, unsigned place, struct err *e)
{
	struct parser *p = arg;

	if (place == EVENT)
		chrome_on_event(p);
	else if (place == SAMPLE)
		add_sample(p);
	else if (place == FRAME)
		add_frame(p);
	else if (place == WHOLE)
		p->in_whole = false;
	else if (place < V8_PLACES)
		return v8_end(&p->v8, place, e);
	return ST_OK;
}

static void set_text(struct buf *b, const char *s, size_t n)
{
	b->len = 0;
	buf_add(b, s, n);
}

static enum status chrome_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct parser *p = arg;

	(void)e;
	set_text(in == FRAMES ? &p->frame_id : &p->arg, s, n);
	return ST_OK;
}

static void set_value(struct value *to, struct json_value v)
{
	set_text(&to->text, v.s, v.n);
	to->there = true;
	to->is_number = v.kind == JSON_NUMBER;
}

/* Texts may be numbers, too. False: it is not a number. */
static bool chrome_parse_reading(struct parser *p, const char *s, size_t n)
{
	bool rounded;
	decimal v;

	if (!chrome_number(s, n, &v, &rounded))
		return false;
	p->rounded += rounded;
	if (p->n_readings == p->cap_readings) {
		size_t before = p->cap_readings;

		p->readings =
		    mem_grow(p->readings, &p->cap_readings, p->n_readings + 1, sizeof *p->readings);
		memset(p->readings + before, 0, (p->cap_readings - before) * sizeof *p->readings);
	}
	set_text(&p->readings[p->n_readings].name, buf_at(&p->arg, 0), p->arg.len);
	p->readings[p->n_readings++].value = v;
	return true;
}

static void parse_arg(struct parser *p, struct json_value v)
{
	bool no_number = !chrome_parse_reading(p, v.s, v.n);

	*(v.kind == JSON_NUMBER ? &p->no_number : &p->text_readings) += no_number;
	if (v.kind == JSON_STRING && is(&p->arg, "name"))
		set_value(&p->label, v);
}

static enum status chrome_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct parser *p = arg;

	if (v.kind != JSON_STRING && v.kind != JSON_NUMBER)
		return ST_OK;
	if (place >= VALUES) {
		set_value(&p->values[place - VALUES], v);
	} else if (place == ARG) {
		parse_arg(p, v);
	} else if (place < V8_PLACES) {
		return v8_value(&p->v8, place, v, e);
	} else if (v.kind == JSON_STRING && place == ID2_TEXT) {
		set_value(&p->values[KEY_ID], v);
	} else if (v.kind == JSON_STRING) { /* FILTERED */
		set_text(&p->arg, v.s, v.n);
		trace_set(p->x.im->t, TRACE_FILTERED, buf_str(&p->arg));
	}
	return ST_OK;
}

/* The array of events may go without its end, and with a comma before that. */
static bool only_the_end(const struct parser *p, unsigned depth, const struct err *e)
{
	const struct cursor *c = &p->x.im->in->cur;
	uint64_t end = c->base_offset + (uint64_t)(c->end - c->base);

	return e->code == ST_BAD && !p->in_whole && depth == 1 && c->at_end &&
	       (e->offset == ERR_NO_OFFSET || e->offset + 8 >= end);
}

static bool has_something(const struct parser *p)
{
	return p->x.n_calls || p->x.n_points || p->x.n_profiles;
}

static enum status chrome_read_events(struct parser *p, struct err *e)
{
	static const struct json_walker walker = {.rows = chrome_rows,
						  .more = v8_rows,
						  .begin = chrome_begin,
						  .end = chrome_end,
						  .value = chrome_value,
						  .key = chrome_key};
	static const struct json_options options = {.max_depth = 512, .repair_utf8 = true};
	struct json_result result = {0};
	struct err own = ERR_INIT;
	unsigned depth;
	enum status st = json_walk(&p->x.im->in->cur, &walker, p, &options, &result, &depth, &own);
	struct trace *t = p->x.im->t;

	if (st && only_the_end(p, depth, &own) && has_something(p))
		st = ST_OK;
	if (!has_something(p)) {
		if (st) {
			*e = own;
			return st;
		}
		return err_at(e, ST_BAD, 0, "the file has no trace event");
	}
	p->x.unended_asyncs = p->async_open.n;
	if (result.repaired)
		trace_note(t, NOTE_INFO, result.repaired, "bytes of names are not UTF-8");
	if (st) { /* what there is is pushed before the failure is reported */
		enum status out = chrome_push(&p->x, e);

		if (!out)
			*e = own;
		return out ? out : st;
	}
	return chrome_push(&p->x, e);
}

static void chrome_parser_release(struct parser *p)
{
	for (size_t i = 0; i < KEYS; i++)
		buf_release(&p->values[i].text);
	for (size_t i = 0; i < p->cap_readings; i++)
		buf_release(&p->readings[i].name);
	buf_release(&p->label.text);
	buf_release(&p->frame_id);
	buf_release(&p->arg);
	map64_release(&p->async_open);
	free(p->readings);
	free(p->asyncs);
	free(p->v8.open);
	chrome_release(&p->x);
	free(p);
}

static enum status chrome_read(struct import *im, struct err *e)
{
	struct parser *p = mem_zalloc(sizeof *p);
	enum status st;

	p->x.im = p->v8.im = im;
	p->v8.to = &p->x.piece;
	st = chrome_read_events(p, e);
	chrome_parser_release(p);
	return st;
}
static int chrome_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t i = 0;
	int bits = 0;

	(void)whole;
	while (i < n && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	if (i == n || (head[i] != '[' && head[i] != '{'))
		return 0;
	if (memmem(head, n, "\"traceEvents\"", 13))
		bits = 40;
	else if (head[i] == '{')
		return 0;
	if (!memmem(head, n, "\"ph\"", 4))
		return bits / 2;
	return memmem(head, n, "\"ts\"", 4) || memmem(head, n, "\"M\"", 3) ? bits + 16 : bits;
}

const struct reader reader_chrome = {
    .name = "chrome",
    .family = "Chrome, node and speedscope",
    .page = "chrome",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_COUNTERS,
    .what = "Chrome's trace events, JSON: calls by thread, counters, samples",
    .suffixes = "json",
    .cut = CUT_NEVER, /* calls are put in order when all are there */
    .bid = chrome_bid,
    .read = chrome_read,
};
