/* SPDX-License-Identifier: MIT
 *
 * Recordings of Java's Flight Recorder (.jfr, 2.0 and 2.1), and of async-profiler: samples of stacks, what was allocated,
 * and readings. The file is chunks, which jfr_chunk.h describes; threads write their events in blocks, so that those of a
 * chunk are sorted by their time here.
 *
 * What events mean: metadata.xml of OpenJDK, and flightRecorder.cpp of async-profiler. What an allocation stands for:
 * bytes of its weight, or of the buffer of its thread (TLAB) that it began, in which others lie as well.
 */
#include "formats/emit.h"
#include "formats/java/jfr_chunk.h"
#include "formats/java/names.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum jfr_role { ROLE_SAMPLE, ROLE_ALLOC, ROLE_MALLOC, ROLE_FREE, ROLE_READING };
enum unit { UNIT_PLAIN, UNIT_SHARE, UNIT_TICKS };
enum { FRAMES_MOST = 1 << 16 };

static const struct jfr_interest {
	const char *event;
	enum jfr_role role;
	enum jfr_field value;
	const char *counter, *unit;
	enum unit in;
} interests[] = {
    {"jdk.ExecutionSample", ROLE_SAMPLE, JFR_NONE, NULL, NULL, 0},
    {"jdk.NativeMethodSample", ROLE_SAMPLE, JFR_NONE, NULL, NULL, 0},
    {"profiler.WallClockSample", ROLE_SAMPLE, JFR_SAMPLES, NULL, NULL, 0},
    {"jdk.ObjectAllocationInNewTLAB", ROLE_ALLOC, JFR_TLAB_SIZE, NULL, NULL, 0},
    {"jdk.ObjectAllocationOutsideTLAB", ROLE_ALLOC, JFR_ALLOCATION_SIZE, NULL, NULL, 0},
    {"jdk.ObjectAllocationSample", ROLE_ALLOC, JFR_WEIGHT, NULL, NULL, 0},
    {"profiler.Malloc", ROLE_MALLOC, JFR_SIZE, NULL, NULL, 0},
    {"profiler.Free", ROLE_FREE, JFR_NONE, NULL, NULL, 0},
    {"jdk.GCHeapSummary", ROLE_READING, JFR_HEAP_USED, "java.heap.used", "B", UNIT_PLAIN},
    {"jdk.GCHeapSummary", ROLE_READING, JFR_HEAP_COMMITTED, "java.heap.committed", "B", UNIT_PLAIN},
    {"jdk.MetaspaceSummary", ROLE_READING, JFR_METASPACE_USED, "java.metaspace.used", "B",
     UNIT_PLAIN},
    {"jdk.GarbageCollection", ROLE_READING, JFR_SUM_OF_PAUSES, "java.gc.pause", "ns", UNIT_TICKS},
    {"jdk.CPULoad", ROLE_READING, JFR_JVM_USER, "cpu.process.user", "%", UNIT_SHARE},
    {"jdk.CPULoad", ROLE_READING, JFR_JVM_SYSTEM, "cpu.process.system", "%", UNIT_SHARE},
    {"jdk.CPULoad", ROLE_READING, JFR_MACHINE_TOTAL, "cpu.machine", "%", UNIT_SHARE},
    {"jdk.PhysicalMemory", ROLE_READING, JFR_USED_SIZE, "memory.used", "B", UNIT_PLAIN},
    {"jdk.ResidentSetSize", ROLE_READING, JFR_SIZE, "process.rss", "B", UNIT_PLAIN},
    {"jdk.JavaThreadStatistics", ROLE_READING, JFR_ACTIVE_COUNT, "java.threads", "", UNIT_PLAIN},
    {"jdk.ClassLoadingStatistics", ROLE_READING, JFR_LOADED_CLASSES, "java.classes.loaded", "",
     UNIT_PLAIN},
    {"jdk.DirectBufferStatistics", ROLE_READING, JFR_MEMORY_USED, "java.direct_buffers.used", "B",
     UNIT_PLAIN},
};
enum {
	INTERESTS = sizeof interests / sizeof *interests,
	FIRST_TLAB = 3,
	SECOND_TLAB = 4,
	WEIGHTED = 5 /* places in interests */
};

struct jfr_found { /* an event that is read */
	int64_t ticks;
	uint32_t body, end, class; /* offsets in the chunk; a place in classes */
};

struct jfr {
	struct import *im;
	uint8_t *bytes; /* of the chunk */
	size_t cap_bytes;
	struct jfr_chunk chunk;
	uint64_t zero; /* ns since 1970 at the start of the first chunk */
	bool begun;
	uint64_t seen[INTERESTS];
	uint32_t counters[INTERESTS], markers[INTERESTS];
	struct jfr_found *found;
	size_t n_found, cap_found;
	struct map64 stacks, methods, threads, types; /* of the chunk, by key */
	struct buf text;
	uint32_t *locations;
	size_t cap_locations;
	uint64_t chunks, odd, others, weighted, cut, no_stack, constants, unread, bad;
};

/* --- what constants are in the trace --- */

static uint32_t method_of(struct jfr *j, const struct jfr_values *frame)
{
	uint32_t *id = map64_put(&j->methods, jfr_value(frame, JFR_METHOD));
	struct jfr_values method, class;

	if (*id)
		return *id - 1;
	*id = 1;
	j->text.len = 0;
	if (!jfr_constant(&j->chunk, frame, JFR_METHOD, &method))
		return 0;
	if (jfr_constant(&j->chunk, &method, JFR_TYPE, &class)) {
		struct buf name = BUF_INIT;

		jfr_text(&j->chunk, &class, JFR_NAME, &name);
		java_class_name(&j->text, buf_str(&name), name.len);
		buf_release(&name);
		if (j->text.len)
			buf_addc(&j->text, '.');
	}
	jfr_text(&j->chunk, &method, JFR_NAME, &j->text);
	*id = trace_string(j->im->t, buf_str(&j->text), j->text.len) + 1;
	return *id - 1;
}

static uint32_t read_stack(struct jfr *j, const struct jfr_values *stack)
{
	const struct jfr_op *op = jfr_op_of(&j->chunk, stack, JFR_FRAMES);
	struct jfr_values frame;
	struct jfr_op frames;
	size_t at = (size_t)jfr_value(stack, JFR_FRAMES), n = 0;
	uint64_t left = 0;

	if (!op)
		return 0;
	frames = *op;
	while (n < FRAMES_MOST && jfr_element(&j->chunk, &frames, &at, &left, &frame)) {
		int32_t line = (int32_t)jfr_value(&frame, JFR_LINE);

		j->locations =
		    mem_grow(j->locations, &j->cap_locations, n + 1, sizeof *j->locations);
		j->locations[n++] =
		    emit_named(j->im->t, method_of(j, &frame), 0, line > 0 ? (uint32_t)line : 0);
	}
	return trace_stack_of(j->im->t, j->locations, n);
}

static uint32_t stack_of(struct jfr *j, const struct jfr_values *ev)
{
	uint64_t key = jfr_value(ev, JFR_STACK);
	struct jfr_values stack;
	uint32_t at, id = map64_get(&j->stacks, key);

	if (id)
		return id - 1;
	if (!key || !jfr_constant(&j->chunk, ev, JFR_STACK, &stack)) {
		j->no_stack++;
		return 0;
	}
	j->cut += jfr_value(&stack, JFR_TRUNCATED) != 0;
	at = read_stack(j, &stack);
	*map64_put(&j->stacks, key) = at + 1;
	return at;
}

static uint32_t thread_of(struct jfr *j, const struct jfr_values *ev)
{
	enum jfr_field f = jfr_has(ev, JFR_THREAD) ? JFR_THREAD : JFR_SAMPLED;
	uint64_t key = jfr_value(ev, f);
	uint32_t id = map64_get(&j->threads, key);
	struct jfr_values thread;
	struct thread row = {.tid = 0};

	if (id || !jfr_constant(&j->chunk, ev, f, &thread))
		return id;
	j->text.len = 0;
	jfr_text(&j->chunk, &thread, JFR_JAVA_NAME, &j->text);
	if (!j->text.len)
		jfr_text(&j->chunk, &thread, JFR_OS_NAME, &j->text);
	row.name = j->text.len ? trace_string(j->im->t, buf_str(&j->text), j->text.len) : 0;
	/* Virtual threads have Java's number alone. */
	row.tid = jfr_value(&thread, JFR_OS_ID);
	if (!row.tid)
		row.tid = jfr_value(&thread, JFR_JAVA_ID);
	return *map64_put(&j->threads, key) = trace_thread_named(j->im->t, row);
}

static uint32_t type_of(struct jfr *j, const struct jfr_values *ev)
{
	uint64_t key = jfr_value(ev, JFR_OBJECT_CLASS);
	uint32_t id = map64_get(&j->types, key);
	struct jfr_values class;
	struct buf name = BUF_INIT;

	if (id || !jfr_constant(&j->chunk, ev, JFR_OBJECT_CLASS, &class))
		return id;
	jfr_text(&j->chunk, &class, JFR_NAME, &name);
	j->text.len = 0;
	java_class_name(&j->text, buf_str(&name), name.len);
	buf_release(&name);
	if (!j->text.len)
		return 0;
	return *map64_put(&j->types, key) = trace_type(j->im->t, buf_str(&j->text), j->text.len);
}

/* --- events --- */

static struct known_number time_of(const struct jfr *j, int64_t ticks)
{
	const struct jfr_chunk *c = &j->chunk;
	__int128 ns = ((__int128)ticks - (int64_t)c->ticks) * 1000000000 / c->rate + c->nanos;

	ns -= j->zero;
	return KNOWN_IF(ns >= INT64_MIN && ns <= INT64_MAX, (int64_t)ns);
}

static enum status push_reading(struct jfr *j, size_t i, struct known_number time,
				const struct jfr_values *v, struct err *e)
{
	const struct jfr_interest *is = &interests[i];
	uint64_t value = jfr_value(v, is->value);
	uint32_t counter;

	if (!jfr_has(v, is->value))
		return ST_OK;
	if (!j->counters[i])
		j->counters[i] = emit_counter_id(j->im, is->counter, is->unit);
	counter = j->counters[i];
	if (is->in == UNIT_SHARE) {
		uint32_t bits = (uint32_t)value;
		float share;

		memcpy(&share, &bits, sizeof share);
		if (!(share >= 0 && share <= 1e6f)) {
			j->odd++;
			return ST_OK;
		}
		return emit_decimal(j->im, counter, time,
				    (decimal)llround(share * 1e6) * (DECIMAL_ONE / 10000), e);
	}
	if (is->in == UNIT_TICKS)
		value = (uint64_t)((unsigned __int128)value * 1000000000 / j->chunk.rate);
	return emit_counter(j->im, counter, time, (int64_t)value, e);
}

static enum status push_sample(struct jfr *j, size_t i, struct known_number time,
			       const struct jfr_values *v, struct err *e)
{
	struct emit_sample s = {.stack = stack_of(j, v), .thread = thread_of(j, v), .time = time};
	enum jfr_field n = interests[i].value;

	if (!j->markers[i]) {
		struct marker m = {trace_strz(j->im->t, interests[i].event),
				   trace_strz(j->im->t, "event of the Flight Recorder")};

		j->markers[i] = trace_marker(j->im->t, &m);
	}
	s.marker = j->markers[i];
	s.samples = KNOWN(jfr_has(v, n) ? (uint32_t)jfr_value(v, n) : 1);
	return emit_sample(j->im, &s, e);
}

static enum status push_event(struct jfr *j, const struct jfr_found *f, struct err *e)
{
	struct jfr_class *class = &j->chunk.classes[f->class];
	size_t i = class->interest - 1;
	struct known_number time = time_of(j, f->ticks);
	struct jfr_values v;
	enum status st = ST_OK;

	if (!jfr_values(&j->chunk, class, f->body, f->end, &v)) {
		j->odd++;
		return ST_OK;
	}
	if (i == WEIGHTED && (j->seen[FIRST_TLAB] || j->seen[SECOND_TLAB])) {
		j->weighted++;
		return ST_OK;
	}
	switch (interests[i].role) {
	case ROLE_SAMPLE: return push_sample(j, i, time, &v, e);
	case ROLE_ALLOC:
	case ROLE_MALLOC: {
		bool heap = interests[i].role == ROLE_ALLOC;
		enum jfr_field size =
		    jfr_has(&v, interests[i].value) ? interests[i].value : JFR_ALLOCATION_SIZE;
		struct emit_alloc a = {.stack = stack_of(j, &v),
				       .thread = thread_of(j, &v),
				       .type = heap ? type_of(j, &v) : 0,
				       .time = time,
				       .address = KNOWN_IF(!heap, jfr_value(&v, JFR_ADDRESS)),
				       .requested = KNOWN(jfr_value(&v, size)),
				       .domain = KNOWN(heap ? DOMAIN_POOL : DOMAIN_MALLOC)};

		return emit_alloc(j->im, &a, e);
	}
	case ROLE_FREE:
		return emit_free(j->im,
				 &(struct emit_free){.address = jfr_value(&v, JFR_ADDRESS),
						     .thread = thread_of(j, &v),
						     .time = time,
						     .domain = KNOWN(DOMAIN_MALLOC)},
				 e);
	case ROLE_READING:
		for (; i < INTERESTS && !st &&
		       interests[i].event == interests[class->interest - 1].event;
		     i++)
			st = push_reading(j, i, time, &v, e);
	}
	return st;
}

/* --- chunks --- */

static void note_interests(struct jfr *j)
{
	struct jfr_chunk *c = &j->chunk;

	for (size_t k = 0; k < c->n_classes; k++)
		for (size_t i = 0; i < INTERESTS && !c->classes[k].interest; i++)
			if (!strcmp(intern_text(&c->texts, c->classes[k].name, NULL),
				    interests[i].event))
				c->classes[k].interest = (uint32_t)i + 1;
}

static int by_time(const void *a, const void *b)
{
	const struct jfr_found *x = a, *y = b;

	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* The first reading of the file counts events, the second one pushes them. */
static enum status jfr_events(struct jfr *j, bool second, struct err *e)
{
	struct jfr_chunk *c = &j->chunk;
	struct jfr_event ev;
	struct jfr_values v;
	enum status st = ST_OK;
	size_t at = 0;

	note_interests(j);
	j->n_found = 0;
	while (jfr_event_next(c, &at, &ev)) {
		if (!ev.class || !ev.class->interest) {
			j->others += second && ev.class;
			continue;
		}
		if (!second) {
			j->seen[ev.class->interest - 1]++;
			continue;
		}
		if (!jfr_values(c, ev.class, ev.body, ev.end, &v)) {
			j->odd++;
			continue;
		}
		VEC_PUSH(j->found, j->n_found, j->cap_found) =
		    (struct jfr_found){(int64_t)jfr_value(&v, JFR_START), (uint32_t)ev.body,
				       (uint32_t)ev.end, (uint32_t)(ev.class - c->classes)};
	}
	if (second && (at ? at : JFR_HEADER) < c->n)
		j->unread += c->n - (at ? at : JFR_HEADER);
	sort_stable(j->found, j->n_found, sizeof *j->found, by_time);
	for (size_t i = 0; i < j->n_found && !st; i++)
		st = push_event(j, &j->found[i], e);
	return st;
}

static void jfr_chunk_done(struct jfr *j)
{
	j->constants += j->chunk.lost;
	jfr_chunk_release(&j->chunk);
	map64_release(&j->stacks);
	map64_release(&j->methods);
	map64_release(&j->threads);
	map64_release(&j->types);
	j->stacks = j->methods = j->threads = j->types = (struct map64)MAP64_INIT;
}

static enum status read_chunk(struct jfr *j, uint64_t at, uint64_t n, bool second, struct err *e)
{
	enum status st;

	j->bytes = mem_grow(j->bytes, &j->cap_bytes, (size_t)n, 1);
	st = input_at(j->im->in, at, j->bytes, (size_t)n, "a chunk", e);
	st = st ? st : jfr_chunk_open(&j->chunk, j->bytes, (size_t)n, at, e);
	if (!st && !j->chunks++)
		j->zero = j->chunk.nanos;
	st = st ? st : jfr_events(j, second, e);
	jfr_chunk_done(j);
	return st;
}

/* The others are read where one is damaged; *first is why the first was not. */
static enum status read_sound_chunk(struct jfr *j, uint64_t at, uint64_t n, bool second,
				    struct err *first, struct err *e)
{
	enum status st = read_chunk(j, at, n, second, e);

	if (st != ST_BAD && st != ST_UNSUPPORTED)
		return st;
	if (!j->bad++)
		*first = *e;
	return ST_OK;
}

/* The chunk at *at, and where it ends. A recording that goes on, or was cut, has fewer bytes than it says. */
static enum status chunk_bounds(struct jfr *j, uint64_t at, uint64_t *n, struct err *e)
{
	struct input *in = j->im->in;
	uint8_t head[JFR_HEADER];
	struct cursor c;
	enum status st;
	unsigned major;

	if (in->size - at < JFR_HEADER)
		return err_at(e, ST_BAD, at, "a chunk of %" PRIu64 " bytes", in->size - at);
	st = input_at(in, at, head, sizeof head, "head of a chunk", e);
	if (st)
		return st;
	if (memcmp(head, "FLR", 4) != 0)
		return err_at(e, ST_BAD, at, "this is no chunk of a recording");
	cursor_init(&c, head + 4, sizeof head - 4, at + 4, e);
	c.big_endian = true;
	major = cursor_u16(&c);
	if (major != 2)
		return err_at(e, ST_UNSUPPORTED, at + 4,
			      "version %u.%u of the Flight Recorder; 2.0 and 2.1 are read", major,
			      cursor_u16(&c));
	cursor_u16(&c);
	*n = cursor_u64(&c);
	if (*n < JFR_HEADER || *n > in->size - at)
		*n = in->size - at;
	return *n > UINT32_MAX ? err_at(e, ST_LIMIT, at, "a chunk of more than 4 GiB") : ST_OK;
}

static enum status jfr_pass(struct jfr *j, bool second, struct err *e)
{
	struct err first = {0};
	enum status st = ST_OK;
	uint64_t n = 0;

	j->chunks = j->bad = 0;
	for (uint64_t at = 0; at < j->im->in->size && !st; at += n) {
		st = chunk_bounds(j, at, &n, e);
		st = st ? st : read_sound_chunk(j, at, n, second, &first, e);
	}
	if (!st && j->bad && !j->chunks) {
		*e = first;
		return err_failure(e);
	}
	return st;
}

static enum status jfr_begin(struct jfr *j, struct err *e)
{
	struct trace *t = j->im->t;
	bool heap = false, native = false, frees = false;

	for (size_t i = 0; i < INTERESTS; i++) {
		heap |= j->seen[i] && interests[i].role == ROLE_ALLOC;
		native |= j->seen[i] && interests[i].role == ROLE_MALLOC;
		frees |= j->seen[i] && interests[i].role == ROLE_FREE;
	}
	if (heap || native)
		trace_metric(t, METRIC_REQUESTED, heap ? METRIC_ESTIMATED : METRIC_LOWER_BOUND,
			     METRIC_AT_ALL);
	if (frees && !heap)
		trace_metric(t, METRIC_LIVE, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	j->begun = true;
	j->constants = 0;
	if (j->zero <= INT64_MAX)
		trace_set_date(t, (int64_t)j->zero);
	return import_begin(j->im, e);
}

static void jfr_note(const struct jfr *j)
{
	uint64_t kinds = 0;

	for (size_t i = 0; i < INTERESTS; i++)
		kinds += j->seen[i] && interests[i].role == ROLE_SAMPLE;

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, kinds > 1 ? kinds : 0,
		 "kinds of samples are in the file: totals add them up, markers separate them"),
	    LOSS(NOTE_INFO, j->weighted,
		 "events ObjectAllocationSample were left out: they estimate what those of TLABs "
		 "tell"),
	    LOSS(NOTE_INFO, j->others, "events of other kinds were left out"),
	    LOSS(NOTE_INFO, j->cut,
		 "stacks were cut by the recorder, at the depth that it was set to"),
	    LOSS(NOTE_INFO, j->no_stack, "events have no stack"),
	    LOSS(NOTE_LOSS, j->bad, "chunks could not be read"),
	    LOSS(NOTE_LOSS, j->odd, "events do not hold what their class says"),
	    LOSS(NOTE_LOSS, j->constants,
		 "blocks of constants could not be read: names and stacks may be missing"),
	    LOSS(NOTE_LOSS, j->unread, "bytes at the ends of chunks are no events"),
	};

	TRACE_LOSSES(j->im->t, losses);
}

static enum status jfr_read(struct import *im, struct err *e)
{
	struct jfr j = {.im = im};
	struct err first = {0};
	enum status st = input_random(im->in, e);

	if (!st) {
		/* A failure of the first reading is one of the second one, behind what is sound. */
		st = jfr_pass(&j, false, &first);
		if (st && !j.chunks)
			*e = first;
		else
			st = jfr_begin(&j, e);
	}
	if (j.begun) {
		st = st ? st : jfr_pass(&j, true, e);
		jfr_note(&j);
	}
	free(j.bytes);
	free(j.found);
	free(j.locations);
	buf_release(&j.text);
	return st;
}

static int jfr_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= 8 && !memcmp(head, "FLR", 4) && !head[4] && head[5] < 16 ? 48 : 0;
}

const struct reader reader_jfr = {
    .name = "jfr",
    .family = "Java and Android",
    .page = "java",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_COUNTERS,
    .what = "recordings of Java's Flight Recorder and of async-profiler: samples, allocations, "
	    "readings",
    .suffixes = "jfr",
    .cut = CUT_NEVER,
    .bid = jfr_bid,
    .read = jfr_read,
};
