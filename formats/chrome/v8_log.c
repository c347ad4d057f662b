/* SPDX-License-Identifier: MIT
 *
 * Profiles that node --prof-process --preprocess makes of V8's log:
 *
 *	{"code":[{"name":S,"type":"CODE"|"CPP"|"JS"|"SHARED_LIB",["kind":S]}..],"functions":[..],
 *	 "ticks":[{"tm":US,"vm":N,"s":[CODE,OFFSET, CODE,OFFSET ..]}..]}
 *
 * A stack is pairs, innermost first: a number of code, or -1 where there is none, and an offset in it. Of code that V8
 * made for JavaScript the name is "NAME FILE:LINE:COLUMN", of C++ it is a line of nm, "T NAME". Times are those of the
 * log: the time up to a tick, from the tick before or the start, is that of its stack. From V8's
 * tools/profile.mjs (writeJson) and tools/profview, and files of node 8 and 20.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum v8_log_place {
	FILE_ = JSON_PLACES,
	CODES,
	CODE,
	NAME,
	TYPE,
	KIND,
	TICKS,
	TICK,
	TIME,
	PAIRS,
	PAIR
};

static const struct json_row v8_log_rows[] = {
    {JSON_TOP, "{", FILE_}, {FILE_, "code[", CODES}, {CODES, "{", CODE},       {CODE, "name", NAME},
    {CODE, "type", TYPE},   {CODE, "kind", KIND},    {FILE_, "ticks[", TICKS}, {TICKS, "{", TICK},
    {TICK, "tm", TIME},     {TICK, "s[", PAIRS},     {PAIRS, "", PAIR},        {0},
};

enum { NAME_MOST = 65536 };

struct v8_tick {
	uint64_t us;
	uint32_t stack;
};

struct v8_log {
	struct import *im;
	char type[16], kind[24];
	struct buf name;
	uint32_t *codes; /* locations */
	size_t n_codes, cap_codes;
	int64_t *pairs;
	size_t n_pairs, cap_pairs;
	uint32_t *locations;
	size_t n_locations, cap_locations;
	struct v8_tick tick, *ticks;
	size_t n_ticks, cap_ticks;
	bool timed;
	uint64_t odd, missing, codeless;
};

static void copy_word(char *to, size_t room, struct json_value v)
{
	size_t n = v.kind == JSON_STRING && v.n < room ? v.n : 0;

	memcpy(to, v.s, n);
	to[n] = 0;
}

/* "update /game/a.js:12:3": the name, which may be missing, and the place. */
static uint32_t script_location(struct trace *t, const char *s, size_t n)
{
	const char *end = s + n, *column = memrchr(s, ':', n), *line, *file;
	uint64_t number, ignored;
	size_t name_n;

	line = column ? memrchr(s, ':', (size_t)(column - s)) : NULL;
	if (!line || !num_dec(column + 1, (size_t)(end - column - 1), &ignored) ||
	    !num_dec(line + 1, (size_t)(column - line - 1), &number) || number > UINT32_MAX)
		return emit_named(t, trace_string(t, s, n), 0, 0);
	file = memchr(s, ' ', (size_t)(line - s));
	name_n = file ? (size_t)(file - s) : 0;
	file = file ? file + 1 : s;
	return emit_named(t, name_n ? trace_string(t, s, name_n) : trace_strz(t, "(anonymous)"),
			  line > file ? trace_string(t, file, (size_t)(line - file)) : 0,
			  (uint32_t)number);
}

static uint32_t code_location(struct v8_log *v)
{
	struct trace *t = v->im->t;
	const char *s = v->name.data;
	size_t n = v->name.len;

	if (!strcmp(v->type, "JS"))
		return script_location(t, n ? s : "", n);
	if (!strcmp(v->type, "CPP") && n > 2 && s[1] == ' ' && (s[0] | 0x20) == 't') {
		s += 2;
		n -= 2;
	}
	if (!strcmp(v->type, "CODE") && *v->kind) { /* as --prof-process prints it */
		struct buf b = {0};
		uint32_t name;

		buf_addf(&b, "%s: ", v->kind);
		buf_add(&b, n ? s : "", n);
		name = trace_string(t, b.data, b.len);
		buf_release(&b);
		return emit_named(t, name, 0, 0);
	}
	return emit_named(t, n ? trace_string(t, s, n) : 0, 0, 0);
}

static enum status v8_log_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct v8_log *x = arg;
	int64_t n = -1;

	(void)e;
	switch (place) {
	case NAME:
		x->name.len = 0;
		buf_add(&x->name, v.s, v.n < NAME_MOST ? v.n : NAME_MOST);
		break;
	case TYPE: copy_word(x->type, sizeof x->type, v); break;
	case KIND: copy_word(x->kind, sizeof x->kind, v); break;
	case TIME:
		x->timed = num_dec(v.s, v.n, &x->tick.us) && x->tick.us < INT64_MAX / 1000;
		break;
	case PAIR:
		x->odd += !num_i64(v.s, v.n, &n);
		VEC_PUSH(x->pairs, x->n_pairs, x->cap_pairs) = n;
		break;
	default: break;
	}
	return ST_OK;
}

static enum status v8_log_begin(void *arg, unsigned place, struct err *e)
{
	struct v8_log *x = arg;

	(void)e;
	if (place == CODE) {
		x->name.len = 0;
		*x->type = *x->kind = 0;
	}
	if (place == TICK) {
		x->n_pairs = 0;
		x->timed = false;
	}
	return ST_OK;
}

static void end_tick(struct v8_log *x)
{
	x->n_locations = 0;
	for (size_t i = 0; i < x->n_pairs; i += 2) {
		int64_t code = x->pairs[i];

		if (code < 0 || (uint64_t)code >= x->n_codes) {
			x->codeless += code < 0;
			x->missing += code >= 0;
			continue;
		}
		VEC_PUSH(x->locations, x->n_locations, x->cap_locations) = x->codes[code];
	}
	if (!x->timed) {
		x->odd++;
		return;
	}
	x->tick.stack = trace_stack_of(x->im->t, x->locations, x->n_locations);
	VEC_PUSH(x->ticks, x->n_ticks, x->cap_ticks) = x->tick;
}

static enum status v8_log_end(void *arg, unsigned place, struct err *e)
{
	struct v8_log *x = arg;

	(void)e;
	if (place == CODE) {
		uint32_t location = code_location(x);

		VEC_PUSH(x->codes, x->n_codes, x->cap_codes) = location;
	} else if (place == TICK) {
		end_tick(x);
	}
	return ST_OK;
}

static int v8_log_by_time(const void *a, const void *b)
{
	const struct v8_tick *x = a, *y = b;

	return (x->us > y->us) - (x->us < y->us);
}

static enum status v8_log_push(struct v8_log *x, struct err *e)
{
	struct trace *t = x->im->t;
	uint64_t before = 0;
	enum status st;

	trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	sort_array(x->ticks, x->n_ticks, sizeof *x->ticks, v8_log_by_time);
	st = import_begin(x->im, e);
	for (size_t i = 0; i < x->n_ticks && !st; i++) {
		const struct v8_tick *tick = &x->ticks[i];
		const struct emit_sample sample = {.stack = tick->stack,
						   .samples = KNOWN(1),
						   .self = KNOWN((tick->us - before) * 1000),
						   .time = KNOWN(tick->us * 1000)};

		before = tick->us;
		st = emit_sample(x->im, &sample, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->odd, "impossible numbers"),
	    LOSS(NOTE_LOSS, x->missing, "entries of stacks refer to code that is not in the file"),
	    LOSS(NOTE_INFO, x->codeless, "addresses in stacks are of no known code: left out"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status v8_log_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {
	    .rows = v8_log_rows, .begin = v8_log_begin, .end = v8_log_end, .value = v8_log_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct v8_log x = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &x, &options, &at, NULL, e);

	if (!st && !x.n_ticks)
		st = err_set(e, ST_UNSUPPORTED, "a profile of V8 without ticks");
	if (!st)
		st = v8_log_push(&x, e);
	buf_release(&x.name);
	free(x.codes);
	free(x.pairs);
	free(x.locations);
	free(x.ticks);
	return st;
}

static int v8_log_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const types[] = {"\"type\":\"CODE\"", "\"type\":\"CPP\"",
					    "\"type\":\"JS\"", "\"type\":\"SHARED_LIB\""};
	const uint8_t *code = memmem(head, n < 64 ? n : 64, "\"code\":", 7);

	(void)whole;
	if (!code || !n || *head != '{' ||
	    !memmem(code, n - (size_t)(code - head), "{\"name\":", 8))
		return 0;
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (memmem(head, n, types[k], strlen(types[k])))
			return 160;
	return 0;
}

const struct reader reader_v8_log = {
    .name = "v8-log",
    .family = "Chrome, node and speedscope",
    .page = "chrome",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "profiles of node --prof-process --preprocess (JSON): samples with their stacks",
    .suffixes = "json",
    .cut = CUT_NEVER, /* in the order of times */
    .bid = v8_log_bid,
    .read = v8_log_read,
};
