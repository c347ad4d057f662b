/* SPDX-License-Identifier: MIT
 *
 * Payloads of Apple's MetricKit as JSON: MXDiagnosticPayload, one of its diagnostics, MXCallStackTree, MXMetricPayload.
 *
 *	{"hangDiagnostics":[{"callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,
 *	  "callStackRootFrames":[{"binaryName":"game","binaryUUID":"CD2E...","offsetIntoBinaryTextSegment":257799,
 *	   "address":7489183496,"sampleCount":729,"subFrames":[...]}]}]},
 *	  "diagnosticMetaData":{"hangDuration":"9 sec","osVersion":"iPhone OS 18.6.2"}}]}
 *	{"applicationTimeMetrics":{"cumulativeForegroundTime":"700 sec"},"timeStampEnd":"2022-11-14 23:59:00"}
 *
 * The outermost call of a hang is a root, and what it called is below it, at the call; its samples are those of all below.
 * Of a crash the innermost call of a thread is a root, and its callers are below it, at where they are returned to. Facts:
 * Apple's documentation; payloads of iOS 14 to 18 in public repositories (getsentry/sentry-cocoa, Tests/Resources).
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 8192, NODES_MOST = 1 << 24 };

enum metrickit_place {
	FILE_ = JSON_PLACES,
	PAYLOADS,
	CRASHES,
	HANGS,
	CPUS,
	DISKS,
	LAUNCHES,
	DIAGNOSTIC,
	META,
	META_VALUE,
	TREE,
	STACKS,
	STACK,
	PER_THREAD,
	ATTRIBUTED,
	FRAMES,
	FRAME,
	NAME,
	UUID,
	OFFSET,
	ADDRESS,
	SAMPLES,
	SCALAR,
	GROUP,
	READING,
	INNER,
	INNER_READING,
	HISTOGRAM
};

static const struct json_row metrickit_rows[] = {
    {JSON_TOP, "{", FILE_},
    {JSON_TOP, "[", PAYLOADS},
    {PAYLOADS, "{", FILE_},
    {FILE_, "crashDiagnostics[", CRASHES},
    {FILE_, "hangDiagnostics[", HANGS},
    {FILE_, "cpuExceptionDiagnostics[", CPUS},
    {FILE_, "diskWriteExceptionDiagnostics[", DISKS},
    {FILE_, "appLaunchDiagnostics[", LAUNCHES},
    {CRASHES, "{", DIAGNOSTIC},
    {HANGS, "{", DIAGNOSTIC},
    {CPUS, "{", DIAGNOSTIC},
    {DISKS, "{", DIAGNOSTIC},
    {LAUNCHES, "{", DIAGNOSTIC},
    {DIAGNOSTIC, "callStackTree{", TREE},
    {DIAGNOSTIC, "diagnosticMetaData{", META},
    {FILE_, "callStackTree{", TREE}, /* of a diagnostic alone */
    {FILE_, "diagnosticMetaData{", META},
    {FILE_, "callStacks[", STACKS}, /* of a tree alone */
    {FILE_, "callStackPerThread", PER_THREAD},
    {FILE_, "metaData{", META},
    {META, "*", META_VALUE},
    {TREE, "callStacks[", STACKS},
    {STACKS, "{", STACK},
    {STACK, "threadAttributed", ATTRIBUTED},
    {STACK, "callStackRootFrames[", FRAMES},
    {FRAMES, "{", FRAME},
    {FRAME, "binaryName", NAME},
    {FRAME, "binaryUUID", UUID},
    {FRAME, "offsetIntoBinaryTextSegment", OFFSET},
    {FRAME, "address", ADDRESS},
    {FRAME, "sampleCount", SAMPLES},
    {FRAME, "subFrames[", FRAMES},
    {FILE_, "*", SCALAR},
    {FILE_, "*{", GROUP},
    {GROUP, "*", READING},
    {GROUP, "*{", INNER},
    {INNER, "*", INNER_READING},
    {INNER, "histogramValue{", HISTOGRAM},
    {0},
};

struct metrickit_frame {
	size_t parent; /* index + 1; 0: a root */
	uint32_t name, uuid;
	uint64_t offset, address;
	int64_t samples, below; /* below: of its subframes */
	uint32_t stack_of;      /* number of its stack */
	bool is_parent;
};

struct metrickit_sample {
	uint32_t stack, thread, marker;
	int64_t samples;
};

struct metrickit_reading {
	uint32_t name, unit;
	decimal v;
};

struct metrickit {
	struct import *im;
	uint32_t marker;                   /* of the diagnostics that are read; 0: not known */
	bool crash;                        /* they are crashes */
	struct metrickit_frame *frames;    /* of the tree */
	size_t n_frames, cap_frames, open; /* open: index + 1 */
	bool *attributed;                  /* by stack */
	size_t n_stacks, cap_stacks;
	struct metrickit_sample *samples;
	size_t n_samples, cap_samples;
	struct metrickit_reading *readings;
	size_t n_readings, cap_readings;
	struct buf group, inner, key, text;
	struct map64 modules;
	uint32_t *path;
	size_t cap_path;
	uint64_t odd, grouped, histograms, above, deep, unframed;
};

/* ---- trees ---- */

static uint32_t metrickit_module(struct metrickit *x, const struct metrickit_frame *f)
{
	uint32_t *module = map64_put(&x->modules, (uint64_t)f->name << 32 | f->uuid);
	struct module m = {.name = f->name};
	const char *s = f->uuid ? trace_text(x->im->t, f->uuid) : "";

	if (*module)
		return *module;
	if (!m.name)
		m.name = f->uuid;
	m.build_id = emit_uuid(x->im->t, s, strlen(s));
	return *module = trace_module(x->im->t, &m);
}

/* iOS 14 has the binary's own address in place of the offset: no binary has 4 GiB of code. */
static uint32_t metrickit_location(struct metrickit *x, const struct metrickit_frame *f,
				   enum location_kind kind)
{
	struct location l = {.raw = f->address, .space = SPACE_RUNTIME, .kind = kind};

	if (f->name || f->uuid) {
		l.raw =
		    f->offset >> 32 && f->address > f->offset ? f->address - f->offset : f->offset;
		l.space = SPACE_FILE_OFFSET;
		l.module = metrickit_module(x, f);
	} else if (!f->address) {
		return emit_named(x->im->t, 0, 0, 0);
	}
	return trace_location(x->im->t, &l);
}

/* From a root to this frame: of a crash that is from the innermost call outwards. */
static uint32_t stack_of(struct metrickit *x, size_t frame, bool crash)
{
	size_t n = 0;

	for (size_t at = frame + 1; at; at = x->frames[at - 1].parent)
		n++;
	x->path = mem_grow(x->path, &x->cap_path, n, sizeof *x->path);
	for (size_t at = frame + 1, i = 0; at; at = x->frames[at - 1].parent, i++) {
		const struct metrickit_frame *f = &x->frames[at - 1];
		bool innermost = crash ? !f->parent : !i;

		x->path[crash ? n - 1 - i : i] = metrickit_location(
		    x, f, crash && !innermost ? LOCATION_RETURN : LOCATION_EXACT);
	}
	return trace_stack_of(x->im->t, x->path, n);
}

/* Threads of a crash have a sample and a caller each; what has more was sampled. */
static bool is_crash(const struct metrickit *x)
{
	if (x->marker)
		return x->crash;
	for (size_t i = 0; i < x->n_frames; i++)
		if (x->frames[i].samples > 1 || x->frames[i].below > x->frames[i].samples)
			return false;
	return x->n_stacks > 0;
}

static uint32_t thread_of(struct metrickit *x, uint32_t stack)
{
	x->text.len = 0;
	buf_addf(&x->text, "thread %u%s", stack, x->attributed[stack - 1] ? " (attributed)" : "");
	return trace_thread_named(
	    x->im->t, (struct thread){.name = trace_string(x->im->t, x->text.data, x->text.len)});
}

static void end_tree(struct metrickit *x)
{
	bool crash;

	for (size_t i = x->n_frames; i--;) {
		struct metrickit_frame *f = &x->frames[i];

		if (!f->samples && !f->is_parent)
			f->samples = 1; /* it does not say */
		if (f->parent)
			x->frames[f->parent - 1].below += f->samples;
	}
	crash = is_crash(x);
	for (size_t i = 0; i < x->n_frames; i++) {
		const struct metrickit_frame *f = &x->frames[i];
		int64_t own = f->samples - f->below;

		x->above += own < 0;
		if (own <= 0)
			continue;
		VEC_PUSH(x->samples, x->n_samples, x->cap_samples) = (struct metrickit_sample){
		    stack_of(x, i, crash),
		    x->n_stacks > 1 || x->attributed[f->stack_of - 1] ? thread_of(x, f->stack_of)
								      : 0,
		    x->marker, own};
	}
	x->unframed += !x->n_frames;
	x->n_frames = x->n_stacks = x->open = 0;
}

/* ---- readings ---- */

/* "700 sec", "987,042 kB", 7: a number and a unit. */
static bool parse_reading(struct metrickit *x, struct json_value v, struct metrickit_reading *r)
{
	const char *s = v.s, *end = v.s + v.n, *digits;
	bool groups = false;

	if (v.kind != JSON_STRING && v.kind != JSON_NUMBER)
		return false;
	x->text.len = 0;
	while (s < end && strchr("0123456789.,-+eE", *s) && *s) {
		if (*s == ',') {
			digits = s + 1;
			while (digits < end && *digits >= '0' && *digits <= '9')
				digits++;
			if (digits - s != 4) /* no thousands */
				return false;
			groups = true;
		} else {
			buf_addc(&x->text, *s);
		}
		s++;
	}
	if (!x->text.len || decimal_parse(x->text.data, x->text.len, &r->v) > DECIMAL_ROUNDED)
		return false;
	text_trim(&s, &end);
	r->unit = text_is(s, (size_t)(end - s), "sec") ? trace_strz(x->im->t, "s")
		  : s < end ? trace_string(x->im->t, s, (size_t)(end - s))
			    : 0;
	x->grouped += groups;
	return true;
}

static bool add_reading(struct metrickit *x, const struct buf *group, const struct buf *inner,
			struct json_value v)
{
	struct metrickit_reading r = {0};

	if (!parse_reading(x, v, &r))
		return false;
	x->text.len = 0;
	buf_adds(&x->text, "metrickit");
	if (group)
		buf_addf(&x->text, ".%.*s", (int)group->len, buf_at(group, 0));
	if (inner)
		buf_addf(&x->text, ".%.*s", (int)inner->len, buf_at(inner, 0));
	buf_addf(&x->text, ".%.*s", (int)x->key.len, buf_at(&x->key, 0));
	r.name = trace_string(x->im->t, x->text.data, x->text.len);
	VEC_PUSH(x->readings, x->n_readings, x->cap_readings) = r;
	return true;
}

static void add_attribute(struct metrickit *x, struct json_value v)
{
	struct buf value = BUF_INIT;

	x->text.len = 0;
	buf_addf(&x->text, "metrickit.%.*s", (int)x->key.len, buf_at(&x->key, 0));
	buf_add(&value, v.s, v.n);
	if (v.kind != JSON_NULL)
		trace_set(x->im->t, buf_str(&x->text), buf_str(&value));
	buf_release(&value);
}

/* ---- the file ---- */

static enum status metrickit_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct metrickit *x = arg;

	(void)e;
	x->key.len = 0;
	buf_add(&x->key, s, n);
	if (in == FILE_ || in == GROUP) {
		struct buf *b = in == FILE_ ? &x->group : &x->inner;

		b->len = 0;
		buf_add(b, s, n);
	}
	return ST_OK;
}

static void set_kind(struct metrickit *x, unsigned place)
{
	static const char *const words[] = {"crash", "hang", "cpu exception",
					    "disk write exception", "launch"};

	x->crash = place == CRASHES;
	x->marker = trace_marker(x->im->t,
				 &(struct marker){trace_strz(x->im->t, words[place - CRASHES]), 0});
}

static enum status metrickit_begin(void *arg, unsigned place, struct err *e)
{
	struct metrickit *x = arg;
	struct metrickit_frame f = {.parent = x->open, .stack_of = (uint32_t)x->n_stacks};

	switch (place) {
	case CRASHES:
	case HANGS:
	case CPUS:
	case DISKS:
	case LAUNCHES: set_kind(x, place); break;
	case STACK: VEC_PUSH(x->attributed, x->n_stacks, x->cap_stacks) = false; break;
	case HISTOGRAM: x->histograms++; break;
	case FRAME:
		if (x->n_frames == NODES_MOST)
			return err_set(e, ST_LIMIT, "a tree has more than %d frames", NODES_MOST);
		if (x->open)
			x->frames[x->open - 1].is_parent = true;
		VEC_PUSH(x->frames, x->n_frames, x->cap_frames) = f;
		x->open = x->n_frames;
		break;
	default: break;
	}
	return ST_OK;
}

static enum status metrickit_end(void *arg, unsigned place, struct err *e)
{
	struct metrickit *x = arg;

	(void)e;
	if (place == FRAME && x->open)
		x->open = x->frames[x->open - 1].parent;
	else if (place == STACKS)
		end_tree(x);
	else if (place >= CRASHES && place <= LAUNCHES)
		x->marker = 0;
	return ST_OK;
}

static enum status metrickit_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct metrickit *x = arg;
	struct trace *t = x->im->t;
	struct metrickit_frame none, *f = x->open ? &x->frames[x->open - 1] : &none;
	uint64_t n = 0;

	(void)e;
	switch (place) {
	case NAME: f->name = v.kind == JSON_STRING && v.n ? trace_string(t, v.s, v.n) : 0; break;
	case UUID: f->uuid = v.kind == JSON_STRING && v.n ? trace_string(t, v.s, v.n) : 0; break;
	case OFFSET: x->odd += !num_dec(v.s, v.n, &f->offset); break;
	case ADDRESS: x->odd += !num_dec(v.s, v.n, &f->address); break;
	case SAMPLES:
		x->odd += !num_dec(v.s, v.n, &n) || n > INT32_MAX;
		f->samples = n <= INT32_MAX ? (int64_t)n : 0;
		break;
	case ATTRIBUTED:
		if (x->n_stacks)
			x->attributed[x->n_stacks - 1] = text_is(v.s, v.n, "true");
		break;
	case META_VALUE:
		if (v.kind != JSON_STRING || !add_reading(x, NULL, NULL, v))
			add_attribute(x, v);
		break;
	case SCALAR: add_attribute(x, v); break;
	case READING: x->odd += !add_reading(x, &x->group, NULL, v); break;
	case INNER_READING:
		if (!text_is(x->key.data, x->key.len, "histogramNumBuckets"))
			x->odd += !add_reading(x, &x->group, &x->inner, v);
		break;
	default: break;
	}
	return ST_OK;
}

static enum status push_all(struct metrickit *x, struct err *e)
{
	struct trace *t = x->im->t;
	enum status st = import_begin(x->im, e);

	for (size_t i = 0; i < x->n_readings && !st; i++) {
		const struct metrickit_reading *r = &x->readings[i];
		struct counter row = {r->name, r->unit};

		st = emit_decimal(x->im, trace_counter(t, &row), ABSENT, r->v, e);
	}
	for (size_t i = 0; i < x->n_samples && !st; i++) {
		const struct metrickit_sample *s = &x->samples[i];

		st = emit_sample(x->im,
				 &(struct emit_sample){.stack = s->stack,
						       .thread = s->thread,
						       .marker = s->marker,
						       .samples = KNOWN(s->samples)},
				 e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->odd, "impossible numbers"),
	    LOSS(NOTE_GUESS, x->above, "rows have fewer samples than those below them"),
	    LOSS(NOTE_GUESS, x->grouped, "commas in numbers are taken for those of thousands"),
	    LOSS(NOTE_INFO, x->histograms, "histograms are left out"),
	    LOSS(NOTE_INFO, x->unframed, "call stack trees have no frames"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static enum status metrickit_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = metrickit_rows,
						  .begin = metrickit_begin,
						  .end = metrickit_end,
						  .value = metrickit_value,
						  .key = metrickit_key};
	static const struct json_options options = {.max_depth = DEPTH_MOST, .repair_utf8 = true};
	struct metrickit x = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &x, &options, &at, NULL, e);

	if (!st && !x.n_samples && !x.n_readings)
		st = err_set(e, ST_BAD, "the payload has neither frames nor metrics");
	if (!st)
		st = push_all(&x, e);
	map64_release(&x.modules);
	free(x.frames);
	free(x.attributed);
	free(x.samples);
	free(x.readings);
	free(x.path);
	buf_release(&x.group);
	buf_release(&x.inner);
	buf_release(&x.key);
	buf_release(&x.text);
	return st;
}

static int metrickit_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const marks[] = {"\"callStackRootFrames\"",
					    "\"callStackTree\"",
					    "\"callStacks\"",
					    "\"cumulativeForegroundTime\"",
					    "\"applicationExitMetrics\"",
					    "\"offsetIntoBinaryTextSegment\""};
	size_t i = 0;

	(void)whole;
	while (i < n && text_is_space((char)head[i]))
		i++;
	if (i == n || (head[i] != '{' && head[i] != '['))
		return 0;
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (memmem(head, n, marks[k], strlen(marks[k])))
			return 96;
	return 0;
}

const struct reader reader_metrickit = {
    .name = "metrickit",
    .family = "macOS and iOS",
    .page = "macos",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_THREADS |
		    CAPABILITY_COUNTERS | CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "payloads of MetricKit (JSON): stacks of crashes, hangs and exceptions, metrics",
    .suffixes = "json",
    .cut = CUT_NEVER, /* which call is a root is known at the end of a tree */
    .bid = metrickit_bid,
    .read = metrickit_read,
};
