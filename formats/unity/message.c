/* SPDX-License-Identifier: MIT
 *
 * The messages of a block. They have no length: behind one of an unknown type nothing in its block
 * can be read. Facts: unity3d-jp/ProfilerReader, wotakuro/ProfilerBinarylogSplit and Unity's
 * DOTS runtime; types 0, 1, 33, 34, 36, 37, 39, 42 and 57 were checked on a log of Unity 2019.4.4,
 * in which the fields of ThreadInfo have another order than in some descriptions.
 */
#include "formats/unity/stats.h"
#include "formats/unity/stream.h"

#include "lib/base/decimal_split.h"
#include "lib/base/mem.h"

#include <string.h>

enum {
	MESSAGE_MAX = 1 << 20, /* a longer one is damage, not a message that goes on */
	CALLSTACK_MAX = 32,
};

enum type {
	PROFILER_STATE = 0,
	MARKER_INFO = 1,
	CALLSTACK = 3,
	ALL_PROFILER_STATS = 4,
	METHOD_JIT_INFO = 8,
	THREAD_INFO = 33,
	FRAME = 34,
	BEGIN_SAMPLE = 36,
	END_SAMPLE = 37,
	SAMPLE = 38,
	WITH_INSTANCE_ID = 3, /* added to the three before */
	WITH_METADATA = 6,
	LAST_SAMPLE = 44,
	GC_ALLOC = 52,
	CATEGORY_INFO = 62,
};

/* Layouts of what is only stepped over, and the names of all: 1, 2, 4, 8 bytes, a padding, s
 * string, i array of u32, y array of bytes; * is read elsewhere. */
static const struct {
	const char *name, *layout;
} known[UNITY_MESSAGES] = {
    [0] = {"ProfilerState", "*"},
    [1] = {"MarkerInfo", "*"},
    [3] = {"Callstack", "*"},
    [4] = {"AllProfilerStats", "*"},
    [5] = {"AudioInstanceData", "iiis"},
    [6] = {"UISystemCanvas", "yy"},
    [7] = {"UIEvents", "yyy"},
    [8] = {"MethodJitInfo", "*"},
    [10] = {"UnityNativeTypeInfo", "44s"},
    [11] = {"UnityObjectInfo", "44s4488"},
    [12] = {"GfxResourceInfo", "888"},
    [33] = {"ThreadInfo", "*"},
    [34] = {"Frame", "*"},
    [36] = {"BeginSample", "*"},
    [37] = {"EndSample", "*"},
    [38] = {"Sample", "*"},
    [39] = {"BeginSampleWithInstanceId", "*"},
    [40] = {"EndSampleWithInstanceId", "*"},
    [41] = {"SampleWithInstanceId", "*"},
    [42] = {"BeginSampleWithMetadata", "*"},
    [43] = {"EndSampleWithMetadata", "*"},
    [44] = {"SampleWithMetadata", "*"},
    [52] = {"GCAlloc", "*"},
    [53] = {"LocalAsyncMetadataAnchor", "4"},
    [55] = {"LocalGPUSample", "441a"},
    [56] = {"CleanupThread", "8"},
    [57] = {"FlowEvent", "1a4"},
    [62] = {"CategoryInfo", "*"},
    [63] = {"CategoryState", "22a"},
};

const char *unity_message_name(unsigned type)
{
	return type < UNITY_MESSAGES ? known[type].name : NULL;
}

static void step_over(struct unity_bytes *b, const char *layout)
{
	for (; *layout && !b->cut; layout++)
		switch (*layout) {
		case 'a': unity_align(b); break;
		case 's':
		case 'y':
			unity_read_bytes(b, unity_u32(b));
			unity_align(b);
			break;
		case 'i': unity_read_bytes(b, (uint64_t)unity_u32(b) * 4); break;
		default: unity_read_bytes(b, (uint64_t)(*layout - '0')); break;
		}
}

enum { UNSIGNED_64 = 5, FLOAT = 6 }; /* of value.type */

struct value {
	uint64_t u;
	double f;
	uint8_t type;
	bool integer, number;
};

/* False: of a type whose length is unknown. */
static bool unity_message_value(struct unity_bytes *b, struct value *v)
{
	uint32_t type = unity_u8(b), half;
	uint64_t bits;
	float f;

	unity_align(b);
	*v = (struct value){0};
	switch (b->cut ? 0 : type) {
	case 2:
		v->u = (uint64_t)(int64_t)(int32_t)unity_u32(b);
		v->integer = true;
		break;
	case 1:
	case 3:
	case 12:
	case 13:
		v->u = unity_u32(b);
		v->integer = type == 3;
		break;
	case 4:
	case UNSIGNED_64:
		v->u = unity_u64(b);
		v->integer = true;
		break;
	case FLOAT:
		half = unity_u32(b);
		memcpy(&f, &half, sizeof f);
		v->f = f;
		v->number = true;
		break;
	case 7:
		bits = unity_u64(b);
		memcpy(&v->f, &bits, sizeof v->f);
		v->number = true;
		break;
	case 8:
	case 9:
	case 11:
		unity_read_bytes(b, unity_u32(b));
		unity_align(b);
		break;
	case 10: unity_read_bytes(b, 12); break;
	default: return b->cut;
	}
	v->type = (uint8_t)type;
	return true;
}

static enum status unity_message_counter(struct unity_stream *s, const struct unity_thread *t,
					 uint32_t marker, const struct value *v, uint64_t ticks,
					 struct err *e)
{
	static const char *const units[] = {"", "ns", "B", "", "%", "Hz"};
	struct unity_names *names = &s->frames.names;
	const struct unity_marker *m = &names->markers[marker];
	struct unity_item it = {
	    .kind = UNITY_COUNTER, .total = v->u, .start = ticks, .thread = t->lane};
	struct counter row;
	unsigned unit = m->param >> 8;
	const char *name;
	int64_t whole;
	size_t n;

	if (v->number
		? !decimal_split(v->f, v->type == FLOAT ? DECIMAL_OF_FLOAT : DECIMAL_OF_DOUBLE,
				 &whole, &it.self)
		: v->type == UNSIGNED_64 && v->u > INT64_MAX) {
		s->no_number++;
		return ST_OK;
	}
	if (v->number)
		it.total = (uint64_t)whole;
	name = intern_text(&names->texts, m->name, &n);
	names->text.len = 0;
	buf_adds(&names->text, "unity.");
	buf_add(&names->text, name, n);
	row.name = trace_string(s->im->t, names->text.data, names->text.len);
	row.unit = trace_strz(s->im->t, unit < sizeof units / sizeof *units ? units[unit] : "");
	it.node = trace_counter(s->im->t, &row);
	return unity_frames_push(&s->frames, &it, ticks, e);
}

/* Of the messages that Begin, End and Sample are the first of. */
static enum status unity_message_sample(struct unity_stream *s, struct unity_thread *t,
					struct unity_bytes *b, unsigned type, bool *readable,
					struct err *e)
{
	unsigned form = (type - BEGIN_SAMPLE) / 3,
		 action = (type - BEGIN_SAMPLE) % 3 + BEGIN_SAMPLE;
	struct value first = {0}, other;
	const struct unity_marker *m;
	uint32_t id, n = 0, marker;
	uint8_t types[UINT8_MAX];
	uint64_t ticks;
	enum status st;

	unity_u8(b);
	unity_align(b);
	id = unity_u32(b);
	ticks = unity_u64(b);
	if (form == WITH_INSTANCE_ID / 3) {
		unity_u32(b);
	} else if (form == WITH_METADATA / 3) {
		n = unity_u8(b);
		unity_align(b);
	}
	for (uint32_t i = 0; i < n && *readable; i++) {
		*readable = unity_message_value(b, i ? &other : &first);
		types[i] = (i ? other : first).type;
	}
	s->unknown_values += !*readable;
	if (b->cut || !*readable)
		return ST_OK;
	for (uint32_t i = 0; i < n; i++)
		s->values[types[i]]++;
	if (action == END_SAMPLE)
		return unity_thread_end_sample(s, t, id, ticks, e);
	marker = unity_marker(&s->frames.names, id);
	m = &s->frames.names.markers[marker];
	if (n && (m->flags & UNITY_MARKER_COUNTER) && (first.integer || first.number)) {
		st = unity_message_counter(s, t, marker, &first, ticks, e);
		if (st || action == SAMPLE)
			return st;
	}
	st = unity_thread_begin_sample(s, t, id, ticks, e);
	if (st || t->waiting)
		return st;
	t->instant = action == SAMPLE;
	if (first.integer && (m->gc_alloc || !m->name)) {
		struct unity_open *o = &t->open[t->n_open - 1];

		o->bytes = first.u;
		o->alloc = m->gc_alloc ? UNITY_GC_ALLOC : UNITY_MAYBE_ALLOC;
	}
	return ST_OK;
}

static void marker_info(struct unity_stream *s, struct unity_bytes *b)
{
	uint32_t id = unity_u32(b), flags = unity_u16(b), category = unity_u16(b), n, param = 0;
	size_t length;
	const char *name = unity_text(b, &length);

	n = unity_u8(b);
	unity_align(b);
	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t p = unity_u16(b);

		unity_align(b);
		step_over(b, "s");
		param = i ? param : p;
	}
	if (!b->cut)
		unity_marker_name(&s->frames.names, id, name, length, flags, category, param);
}

static void callstack(struct unity_stream *s, struct unity_thread *t, struct unity_bytes *b)
{
	const uint8_t *p;
	uint32_t n;

	unity_u32(b);
	n = unity_u8(b);
	p = unity_read_bytes(b, (uint64_t)n * 8);
	if (p && t->n_open && !t->waiting)
		t->open[t->n_open - 1].calls = unity_frames_calls(
		    &s->frames, p, n > CALLSTACK_MAX ? (size_t)CALLSTACK_MAX : n);
}

static void method_jit_info(struct unity_stream *s, struct unity_bytes *b)
{
	uint64_t code;
	uint32_t size, line;
	size_t n_name, n_file;
	const char *name, *file;

	unity_u64(b);
	code = unity_u64(b);
	size = unity_u32(b);
	name = unity_text(b, &n_name);
	file = unity_text(b, &n_file);
	line = unity_u32(b);
	if (!b->cut)
		unity_jit_add(&s->frames.jit, code, size, name, n_name, file, n_file, line);
}

static void thread_info(struct unity_stream *s, struct unity_bytes *b)
{
	uint64_t id = unity_u64(b);
	uint64_t start = s->ordinal >= UNITY_2018_2 ? unity_u64(b) : 0;
	uint32_t flags = unity_u32(b);
	size_t n_group, n_name;
	const char *group = unity_text(b, &n_group), *name = unity_text(b, &n_name);

	if (!b->cut && id != UNITY_GLOBAL)
		unity_thread_info(s, id, start, flags, group, n_group, name, n_name);
}

static enum status profiler_state(struct unity_stream *s, struct unity_bytes *b, struct err *e)
{
	uint32_t flags = unity_u32(b), number;
	uint64_t ticks = unity_u64(b);

	number = unity_u32(b);
	/* when recording stops the number is that of the frame that is being recorded */
	return b->cut || !(flags & 1) ? ST_OK : unity_frames_state(&s->frames, number, ticks, e);
}

static enum status frame(struct unity_stream *s, struct unity_thread *t, struct unity_bytes *b,
			 struct err *e)
{
	uint32_t number = unity_u32(b);
	uint64_t ticks = unity_u64(b);
	enum status st;

	if (b->cut)
		return ST_OK;
	st = unity_thread_settle(s, t, e);
	t->waiting = false;
	t->framed = true;
	return st ? st
		  : unity_frames_start(&s->frames, t->lane, number, ticks, t->id == s->main_thread,
				       e);
}

/* What the words are is inferred: they are used when they are as many as .data has. */
static enum status unity_message_all_profiler_stats(struct unity_stream *s,
						    const struct unity_thread *t,
						    struct unity_bytes *b, struct err *e)
{
	struct unity_bytes words = {0};
	struct unity_stats stats;
	uint64_t n;

	if (s->ordinal >= UNITY_2018_3)
		unity_u32(b);
	n = (uint64_t)unity_u32(b) * 4;
	words.base = words.p = unity_read_bytes(b, n);
	if (b->cut || !n)
		return ST_OK;
	words.end = words.p + n;
	unity_stats_read(&words, s->ordinal, &stats);
	if (words.cut || words.p != words.end) {
		s->stats++;
		return ST_OK;
	}
	s->guessed_stats++;
	return unity_stats_push(&s->frames, t->lane, &stats, 0, e);
}

static void category_info(struct unity_stream *s, struct unity_bytes *b)
{
	uint32_t id = unity_u16(b);
	size_t n;
	const char *name;

	unity_read_bytes(b, 4);
	name = unity_text(b, &n);
	if (!b->cut)
		unity_category_name(&s->frames.names, id, name, n);
}

static enum status unity_message_body(struct unity_stream *s, struct unity_thread *t,
				      struct unity_bytes *b, unsigned type, bool *readable,
				      struct err *e)
{
	uint32_t bytes;

	if (type >= BEGIN_SAMPLE && type <= LAST_SAMPLE)
		return unity_message_sample(s, t, b, type, readable, e);
	switch (type) {
	case PROFILER_STATE: return profiler_state(s, b, e);
	case MARKER_INFO: marker_info(s, b); break;
	case CALLSTACK: callstack(s, t, b); break;
	case ALL_PROFILER_STATS: return unity_message_all_profiler_stats(s, t, b, e);
	case METHOD_JIT_INFO: method_jit_info(s, b); break;
	case THREAD_INFO: thread_info(s, b); break;
	case FRAME: return frame(s, t, b, e);
	case GC_ALLOC:
		bytes = unity_u32(b);
		return b->cut || t->waiting ? ST_OK : unity_thread_alloc(s, t, bytes, e);
	case CATEGORY_INFO: category_info(s, b); break;
	case 11: step_over(b, s->ordinal >= UNITY_2022_2 ? known[11].layout : "4s448"); break;
	default: step_over(b, known[type].layout); break;
	}
	return ST_OK;
}

/* A type that can occur in the thread's blocks. */
static bool legal(const struct unity_thread *t, unsigned type)
{
	bool of_threads = type >= FRAME && type < CATEGORY_INFO;

	return type < UNITY_MESSAGES && known[type].name && !(of_threads && t->id == UNITY_GLOBAL);
}

/* Two kinds are nearly all of a stream: without the steps of the others. */
static enum status unity_message_simple_samples(struct unity_stream *s, struct unity_thread *t,
						struct unity_bytes *b, struct err *e)
{
	enum { SIZE = 2 + 1 + 4 + 8 };
	enum status st = ST_OK;

	while (!st && unity_left(b) >= SIZE) {
		const uint8_t *p = b->p;
		unsigned type = le16(p);

		if (type == BEGIN_SAMPLE)
			st = unity_thread_begin_sample(s, t, le32(p + 3), le64(p + 7), e);
		else if (type == END_SAMPLE)
			st = unity_thread_end_sample(s, t, le32(p + 3), le64(p + 7), e);
		else
			break;
		s->messages[type]++;
		b->p += SIZE;
	}
	return st;
}

enum status unity_messages(struct unity_stream *s, struct unity_thread *t, const uint8_t *p,
			   size_t n, size_t *used, struct err *e)
{
	struct unity_bytes b = {.base = p,
				.p = p,
				.end = p + n,
				.aligned = s->aligned,
				.phase = t->n_carry ? t->phase : 0};
	bool simple = !s->aligned && t->id != UNITY_GLOBAL;
	enum status st = ST_OK;

	*used = n;
	while (!st && b.p < b.end) {
		const uint8_t *begin;
		bool readable = true;
		unsigned type;

		if (simple)
			st = unity_message_simple_samples(s, t, &b, e);
		begin = b.p;
		if (st || begin == b.end)
			break;
		type = unity_u16(&b);
		unity_align(&b);
		if (b.cut || !legal(t, type)) {
			readable = b.cut;
			if (!b.cut && type < UNITY_MESSAGES)
				s->unknown[type]++;
			else
				s->unknown_others += !b.cut;
		} else {
			st = unity_message_body(s, t, &b, type, &readable, e);
			s->messages[type] += !b.cut && readable;
		}
		if (st)
			break;
		if (b.cut && (size_t)(b.end - begin) < MESSAGE_MAX && b.wanted < MESSAGE_MAX) {
			*used = (size_t)(begin - p);
			t->phase = (b.phase + (unsigned)*used) & 3;
			break;
		}
		if (b.cut || !readable) {
			s->too_long += b.cut;
			s->unknown_bytes += (uint64_t)(b.end - begin);
			return t->id == UNITY_GLOBAL ? ST_OK : unity_thread_break(s, t, e);
		}
	}
	return st;
}
