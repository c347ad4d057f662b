/* SPDX-License-Identifier: MIT
 *
 * The trace stream: writer -> bytes -> reader gives the same model and events; the bytes are
 * those of tracemill-trace(5); damage is never taken for data.
 */
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/trace/encode.h"
#include "lib/trace/writer.h"
#include "testdata/gen/random_trace.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <xxhash.h>

/* A sink that keeps everything: events, and the model as text at the end of each capture. */
struct collector {
	struct sink sink, *to; /* to: also goes there, may be NULL */
	struct event *events;
	size_t n, cap;
	unsigned begun, ended;
	struct buf model; /* of the last capture */
	struct buf notes; /* of all captures, a line each */
};

static void add_bytes(struct buf *b, const char *what, const struct intern *strings, uint32_t id)
{
	size_t n;
	const char *s = intern_text(strings, id, &n);

	buf_addf(b, " %s=%u:", what, id);
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%02x", (unsigned char)s[i]);
}

static void describe_symbols(struct buf *b, const struct symbols *y)
{
	for (uint32_t i = 1; i <= intern_count(&y->strings); i++) {
		add_bytes(b, "symbol string", &y->strings, i);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < y->n_objects; i++)
		buf_addf(b, "object %u %u %u %u\n", y->objects[i].name, y->objects[i].path,
			 y->objects[i].debug_path, y->objects[i].build_id);
	for (size_t i = 1; i < y->n_functions; i++)
		buf_addf(b, "function %u %u\n", y->functions[i].raw, y->functions[i].display);
	for (size_t i = 1; i < y->n_calls; i++)
		buf_addf(b, "call %u %u %u %u %u\n", y->calls[i].outer, y->calls[i].function,
			 y->calls[i].file, y->calls[i].line, y->calls[i].column);
	for (size_t i = 1; i < y->n_bindings; i++) {
		const struct binding *x = &y->bindings[i];

		buf_addf(b, "binding %" PRIx64 " %u %u %u %u %u %u\n", x->vaddr, x->object, x->call,
			 x->reason, x->tier, x->flags, x->kind);
	}
}

static void describe_rows(struct buf *b, const struct trace *t)
{
	for (uint32_t i = 1; i <= intern_count(&t->strings); i++) {
		add_bytes(b, "string", &t->strings, i);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];

		buf_addf(b, "module %u %u %u %u %u %d %" PRIx64, m->name, m->process, m->epoch_lo,
			 m->epoch_hi, m->build_id, m->has_slide, m->slide);
		for (uint32_t r = 0; r < m->n_ranges; r++)
			buf_addf(b, " %" PRIx64 "-%" PRIx64 "@%" PRIx64 "/%d", m->ranges[r].lo,
				 m->ranges[r].hi, m->ranges[r].offset, m->ranges[r].executable);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < t->n_locations; i++) {
		const struct location *l = &t->locations[i];

		buf_addf(b, "location %" PRIx64 " %u %u %u %u %u %u %u %u\n", l->raw, l->process,
			 l->epoch, l->module, l->name, l->file, l->line, l->space, l->kind);
	}
	for (size_t i = 1; i < t->n_stacks; i++)
		buf_addf(b, "stack %u %u\n", t->stacks[i].parent, t->stacks[i].location);
	for (size_t i = 1; i < t->n_types; i++)
		buf_addf(b, "type %u\n", t->types[i]);
	for (size_t i = 1; i < t->n_threads; i++)
		buf_addf(b, "thread %u %u %u %" PRIx64 "\n", t->threads[i].process,
			 t->threads[i].generation, t->threads[i].name, t->threads[i].tid);
	for (size_t i = 1; i < t->n_markers; i++)
		buf_addf(b, "marker %u %u\n", t->markers[i].name, t->markers[i].category);
	for (size_t i = 1; i < t->n_counters; i++)
		buf_addf(b, "counter %u %u\n", t->counters[i].name, t->counters[i].unit);
}

static void describe(struct buf *b, const struct trace *t)
{
	b->len = 0;
	buf_addf(b, "unordered %d\n", t->unordered);
	for (int m = 0; m < METRICS; m++)
		buf_addf(b, "metric %d %u %u\n", m, t->metrics[m].state, t->metrics[m].key);
	for (size_t i = 0; i < t->n_attributes; i++)
		buf_addf(b, "attribute %s=%s\n", t->attributes[i].key, t->attributes[i].value);
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(b, "note %u %" PRIu64 " %s\n", t->notes[i].severity, t->notes[i].count,
			 t->notes[i].text);
	for (int k = 0; k < EV_KINDS; k++)
		buf_addf(b, "events %d %" PRIu64 "\n", k, t->events[k]);
	describe_rows(b, t);
	describe_symbols(b, &t->symbols);
}

static enum status collect_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	c->begun++;
	return c->to ? c->to->begin(c->to, t, e) : ST_OK;
}

static enum status collect_event(struct sink *s, struct trace *t, const struct event *ev,
				 struct err *e)
{
	struct collector *c = (struct collector *)s;

	VEC_PUSH(c->events, c->n, c->cap) = *ev;
	return c->to ? c->to->event(c->to, t, ev, e) : ST_OK;
}

static enum status collect_end(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	c->ended++;
	describe(&c->model, t);
	for (size_t i = 0; i < t->n_notes; i++) {
		buf_addf(&c->notes, "%s: %s", severity_name(t->notes[i].severity),
			 t->notes[i].text);
		buf_addf(&c->notes, t->notes[i].count ? " (%" PRIu64 ")\n" : "\n",
			 t->notes[i].count);
	}
	return c->to ? c->to->end(c->to, t, e) : ST_OK;
}

static struct collector collector(struct sink *to)
{
	return (struct collector){.sink = {collect_begin, collect_event, collect_end}, .to = to};
}

static void collector_release(struct collector *c)
{
	free(c->events);
	buf_release(&c->model);
	buf_release(&c->notes);
}

/* Reads n bytes in a heap block of just that size. */
static enum status read_bytes(const void *p, size_t n, struct collector *c, bool *lossy,
			      struct err *e)
{
	static const struct import_options options = {.format = "trace"};
	uint8_t *copy = mem_alloc(n ? n : 1);
	struct input in;
	enum status st;

	memcpy(copy, p, n);
	*e = (struct err)ERR_INIT;
	input_memory(&in, "test", copy, n, e);
	*c = collector(NULL);
	st = capture_read(&in, &options, &c->sink, lossy, e);
	input_close(&in);
	free(copy);
	return st;
}

static bool event_equal(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->domain == b->domain && a->has == b->has &&
	       a->type == b->type && a->stack == b->stack && a->thread == b->thread &&
	       a->name == b->name && a->time == b->time && a->seq == b->seq &&
	       a->address == b->address && a->target == b->target && a->count == b->count &&
	       a->requested == b->requested && a->real == b->real && a->value == b->value;
}

static bool events_equal(const struct collector *a, const struct collector *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = event_equal(&a->events[i], &b->events[i]);
	return same;
}

/* --- round trips --- */

static void round_trip(uint64_t seed, uint64_t events)
{
	char *bytes;
	size_t size;
	FILE *f = open_memstream(&bytes, &size);
	struct writer *w = writer_new(f);
	struct trace *t = trace_new();
	struct collector given = collector(writer_sink(w)), got;
	struct err e = ERR_INIT;
	bool lossy = true;

	CHECK_EQ(draw_capture(seed, events, t, &given.sink, &e), ST_OK);
	trace_free(t);
	writer_free(w);
	fclose(f);
	CHECK_EQ(given.n, events);
	CHECK_EQ(read_bytes(bytes, size, &got, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK_EQ(got.begun, 1);
	CHECK_EQ(got.ended, 1);
	CHECK(events_equal(&got, &given));
	CHECK_STR(buf_str(&got.model), buf_str(&given.model));
	collector_release(&given);
	collector_release(&got);
	free(bytes);
}

TEST(random_traces_come_back_equal)
{
	for (uint64_t seed = 1; seed <= 60; seed++)
		round_trip(seed, seed * seed % 400);
}

TEST(a_trace_of_many_chunks_comes_back_equal)
{
	round_trip(99, 40000); /* over 1 MiB of events, and of most tables */
}

/* Every set of fields of every kind, through the codec alone. */
TEST(every_set_of_fields_comes_back_equal)
{
	uint64_t rng = 7;
	unsigned bad = 0;

	for (uint8_t kind = 1; kind < EV_KINDS; kind++)
		for (uint16_t has = 0; has <= EV_FIELDS; has++) {
			struct event_state out = {.seq = rng, .address = ~rng, .time = 5}, in = out;
			struct event ev = draw_fields(&rng, NULL, kind, has), back;
			uint8_t bytes[EVENT_MAX];
			bool known = false;
			size_t n = event_encode(&out, &ev, bytes);

			bad += n > EVENT_MAX;
			bad += event_decode(&in, bytes, bytes + n, &back, &known) != n;
			bad += !known || !event_equal(&ev, &back) || in.seq != out.seq ||
			       in.address != out.address || in.time != out.time;
			/* Without its last byte it is no event. */
			bad += event_decode(&in, bytes, bytes + n - 1, &back, &known) != 0;
		}
	CHECK_EQ(bad, 0);
}

/* --- bytes, as tracemill-trace(5) lays them out --- */

static void put_number(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void add_chunk(struct buf *b, uint32_t kind, const void *payload, size_t n)
{
	uint8_t header[16];

	put_number(header, kind, 4);
	put_number(header + 4, n, 4);
	put_number(header + 8, XXH3_64bits_withSeed(payload, n, kind), 8);
	buf_add(b, header, sizeof header);
	buf_add(b, payload, n);
}

static int hex_digit(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* A chunk whose payload is written as hexadecimal digits and 'text'; blanks are ignored. */
static void add_hex(struct buf *b, uint32_t kind, const char *hex)
{
	struct buf payload = BUF_INIT;

	buf_reserve(&payload, 1);
	for (; *hex; hex++) {
		if (*hex == '\'') {
			for (hex++; *hex != '\''; hex++)
				buf_addc(&payload, *hex);
		} else if (*hex != ' ') {
			buf_addc(&payload, (char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1])));
			hex++;
		}
	}
	add_chunk(b, kind, payload.data, payload.len);
	buf_release(&payload);
}

static void add_mark(struct buf *b, unsigned major, unsigned minor)
{
	uint8_t mark[16] = {0x89, 'T', 'M', 'T', 13, 10, 26, 10};

	put_number(mark + 8, major, 2);
	put_number(mark + 10, minor, 2);
	buf_add(b, mark, sizeof mark);
}

TEST(the_writers_bytes_are_the_specified_ones)
{
	char *bytes;
	size_t size;
	FILE *f = open_memstream(&bytes, &size);
	struct writer *w = writer_new(f);
	struct sink *sink = writer_sink(w);
	struct trace *t = trace_new();
	struct buf want = BUF_INIT;
	struct map_range range = {0x1000, 0x3000, 0x800, true};
	struct err e = ERR_INIT;
	struct event ev;

	trace_set(t, "clock", "wall");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_LOWER_BOUND, METRIC_AT_TYPE);
	CHECK_EQ(sink->begin(sink, t, &e), ST_OK);
	trace_module(t, &(struct module){.name = trace_strz(t, "libUE4.so"),
					 .process = 7,
					 .epoch_hi = 2,
					 .build_id = trace_string(t, "\1\0\2", 3),
					 .has_slide = true,
					 .slide = 300,
					 .ranges = &range,
					 .n_ranges = 1});
	trace_location(
	    t, &(struct location){
		   .raw = 0x1234, .module = 1, .space = SPACE_VADDR, .kind = LOCATION_RETURN});
	trace_location(t, &(struct location){.raw = 0x1230, .process = 7, .epoch = 1});
	trace_location(t, &(struct location){.name = trace_strz(t, "f"),
					     .file = trace_strz(t, "a.c"),
					     .line = 200,
					     .space = SPACE_NAME});
	trace_stack_of(t, (const uint32_t[]){1, 2, 3}, 3);
	trace_type(t, "T[]", 3);
	trace_thread(t, &(struct thread){.process = 7, .tid = 1000, .generation = 1});
	trace_marker(t, &(struct marker){3, 4});
	trace_counter(t, &(struct counter){3, 0});
	intern_add(&t->symbols.strings, "_Zf", 3);
	symbols_object(&t->symbols, &(struct symbol_object){.name = 1});
	symbols_function(&t->symbols, &(struct symbol_function){1, 1});
	symbols_call(&t->symbols,
		     &(struct symbol_call){.function = 1, .file = 1, .line = 5, .column = 2});
	symbols_call(&t->symbols, &(struct symbol_call){.outer = 1, .function = 1, .line = 9});
	symbols_bind(&t->symbols, 1,
		     &(struct binding){.vaddr = 0x1234,
				       .object = 1,
				       .call = 2,
				       .reason = REASON_RESOLVED,
				       .tier = TIER_LINE,
				       .kind = LOCATION_RETURN,
				       .flags = BINDING_STRIPPED_BITS});
	ev = (struct event){.kind = EV_FRAME, .has = EV_HAS_VALUE | EV_HAS_TIME, .value = -2};
	ev.time = 1000;
	CHECK_EQ(sink_event(sink, t, &ev, &e), ST_OK);
	ev = (struct event){.kind = EV_ALLOC,
			    .has = EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_STACK |
				   EV_HAS_TIME | EV_HAS_DOMAIN,
			    .seq = 1,
			    .address = 0x100,
			    .requested = 128,
			    .stack = 3,
			    .time = 999,
			    .domain = DOMAIN_POOL};
	CHECK_EQ(sink_event(sink, t, &ev, &e), ST_OK);
	ev = (struct event){
	    .kind = EV_FREE, .has = EV_HAS_SEQ | EV_HAS_ADDRESS, .seq = 3, .address = 0xc0};
	CHECK_EQ(sink_event(sink, t, &ev, &e), ST_OK);
	trace_note(t, NOTE_LOSS, 2, "two");
	CHECK_EQ(sink->end(sink, t, &e), ST_OK);
	fclose(f);

	add_mark(&want, 1, 0);
	/* flags; 5 metrics of (state, key); 1 attribute */
	add_hex(&want, 1, "00 05 0100 0201 0000 0000 0000 01 05'clock' 04'wall'");
	/* first id, then length and bytes */
	add_hex(&want, 2, "01 09'libUE4.so' 03 010002 01'f' 03'a.c' 03'T[]'");
	/* name process epochs build-id has-slide slide(300) ranges: lo size offset executable */
	add_hex(&want, 3, "01 01 07 00 02 02 01 ac02 01 8020 8040 8010 01");
	/* space | kind << 3 | placed << 6 | named << 7; zigzag difference; module */
	add_hex(&want, 4, "01 0a e848 01  40 07 00 07 01  84 df48 00 03 04 c801");
	/* id - parent; location: 3 (outermost), then 2, then 1 */
	add_hex(&want, 5, "01 01 03 01 02 01 01");
	add_hex(&want, 6, "01 05");
	add_hex(&want, 7, "01 07 e807 01 00");
	add_hex(&want, 8, "01 03 04");
	add_hex(&want, 9, "01 03 00");
	add_hex(&want, 32, "01 03'_Zf'");
	add_hex(&want, 33, "01 01 00 00 00");
	add_hex(&want, 34, "01 01 01");
	/* id - outer; function file line column */
	add_hex(&want, 35, "01 01 01 01 05 02  01 01 00 09 00");
	/* reason; tier | kind << 3; flags; object; vaddr difference; call */
	add_hex(&want, 36, "01 00 0b 04 01 e848 02");
	/* kind, length, has, fields in the order of their bits */
	add_hex(&want, 10,
		"01 05 c004 d00f 03"
		"02 0a e710 02 8004 8001 03 01 01"
		"03 03 03 04 7f");
	/* notes are counted from 0: severity, count, text */
	add_hex(&want, 11, "00 02 02 03'two'");
	add_hex(&want, 12, "0c 00 01 01 01 00 00 00 00 00 00 00 00  08 05 01 03 03 01 01 01 01");
	CHECK_EQ(size, want.len);
	for (size_t i = 0; i < size && i < want.len; i++)
		if ((uint8_t)bytes[i] != (uint8_t)want.data[i]) {
			printf("  byte %zu: %02x, expected %02x\n", i, (uint8_t)bytes[i],
			       (uint8_t)want.data[i]);
			CHECK(false);
			break;
		}
	buf_release(&want);
	writer_free(w);
	trace_free(t);
	free(bytes);
}

/* --- damage --- */

/* A small trace with three event chunks; each event has its own sequence number. */
static void small_trace(struct buf *b)
{
	uint64_t seq = 1;

	add_mark(b, 1, 0);
	add_hex(b, 1, "00 05 0100 0100 0000 0100 0000 01 06'format' 04'test'");
	add_hex(b, 2, "01 01'a' 02'bc' 03'def'");
	add_hex(b, 4, "01 08 8004 00 08 10 00");
	add_hex(b, 5, "01 01 01 01 02");
	add_hex(b, 6, "01 01 02");
	for (int chunk = 0; chunk < 3; chunk++) {
		struct buf events = BUF_INIT;
		struct event_state state = {0};

		for (int i = 0; i < 4; i++, seq++) {
			struct event ev = {.kind = i == 3 ? EV_FREE : EV_ALLOC,
					   .has = EV_HAS_SEQ | EV_HAS_ADDRESS,
					   .seq = seq,
					   .address = 0x1000 * (i == 3 ? seq - 1 : seq)};

			if (i < 3) {
				ev.has |= EV_HAS_REQUESTED | EV_HAS_STACK | EV_HAS_TYPE;
				ev.requested = 100 + seq;
				ev.stack = 1 + (uint32_t)seq % 2;
				ev.type = 1 + (uint32_t)seq % 2;
			}
			events.len +=
			    event_encode(&state, &ev, (uint8_t *)buf_reserve(&events, EVENT_MAX));
		}
		add_chunk(b, 10, events.data, events.len);
		buf_release(&events);
		if (!chunk)
			add_hex(b, 2, "04 04'more'");
	}
	add_hex(b, 11, "00 00 00 04'fine'");
	add_hex(b, 12, "04 00 00 09 03 08 04 00 02 02 02 00 00 00");
}

static bool is_prefix(const struct collector *part, const struct collector *whole)
{
	bool same = part->n <= whole->n;

	for (size_t i = 0; same && i < part->n; i++)
		same = event_equal(&part->events[i], &whole->events[i]);
	return same;
}

/* Every event is one of the whole, unchanged and in order. */
static bool is_part(const struct collector *part, const struct collector *whole)
{
	size_t k = 0;

	for (size_t i = 0; i < part->n; i++, k++) {
		while (k < whole->n && !event_equal(&part->events[i], &whole->events[k]))
			k++;
		if (k == whole->n)
			return false;
	}
	return true;
}

TEST(the_small_trace_is_sound)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	small_trace(&b);
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK_EQ(c.n, 12);
	CHECK_EQ(c.events[4].requested, 105);
	CHECK_STR(buf_str(&c.notes), "info: fine\n");
	collector_release(&c);
	buf_release(&b);
}

TEST(cut_at_every_byte)
{
	struct buf b = BUF_INIT;
	struct collector whole, c;
	struct err e;
	bool lossy;
	size_t last = 0;

	small_trace(&b);
	read_bytes(b.data, b.len, &whole, &lossy, &e);
	for (size_t n = 0; n < b.len; n++) {
		enum status st = read_bytes(b.data, n, &c, &lossy, &e);
		bool ok = is_prefix(&c, &whole) && c.n >= last;

		last = c.n;
		if (c.n) /* what was sound is kept, and the loss is said with its place */
			ok = ok && st == ST_OK && lossy && c.ended == 1 &&
			     strstr(buf_str(&c.notes), "loss: ") &&
			     strstr(buf_str(&c.notes), "at byte ");
		else
			ok = ok && st == ST_BAD && e.msg[0] && !c.begun && !c.ended;
		if (!CHECK(ok))
			printf("  cut at %zu: status %d, %zu events, %s, %s\n", n, st, c.n, e.msg,
			       buf_str(&c.notes));
		collector_release(&c);
	}
	CHECK_EQ(last, 12);
	collector_release(&whole);
	buf_release(&b);
}

TEST(every_changed_byte_is_found)
{
	struct buf b = BUF_INIT;
	struct collector whole, c;
	struct err e;
	bool lossy;
	unsigned kept = 0;

	small_trace(&b);
	read_bytes(b.data, b.len, &whole, &lossy, &e);
	for (size_t i = 0; i < b.len; i++)
		for (unsigned mask = 1; mask < 256; mask += mask < 0x80 ? mask : 0x7f) {
			bool silent = i >= 10 && i < 16; /* minor version, reserved */
			enum status st;
			bool ok;

			b.data[i] = (char)((uint8_t)b.data[i] ^ mask);
			st = read_bytes(b.data, b.len, &c, &lossy, &e);
			b.data[i] = (char)((uint8_t)b.data[i] ^ mask);
			ok = is_part(&c, &whole);
			if (silent)
				ok = ok && !st && !lossy && c.n == 12;
			else
				ok = ok && (st ? c.n == 0 && e.msg[0] : lossy && c.ended == 1);
			kept += !silent && c.n == 8; /* a damaged chunk costs just its events */
			if (!CHECK(ok))
				printf("  byte %zu ^ %02x: status %d, %zu events, %s\n", i, mask,
				       st, c.n, buf_str(&c.notes));
			collector_release(&c);
		}
	CHECK(kept > 300); /* three chunks of over 40 bytes, nine changes each */
	collector_release(&whole);
	buf_release(&b);
}

TEST(concatenation_is_two_captures)
{
	struct buf b = BUF_INIT;
	struct collector one, two;
	struct err e;
	bool lossy;
	size_t n;

	small_trace(&b);
	n = b.len;
	read_bytes(b.data, n, &one, &lossy, &e);
	small_trace(&b);
	CHECK_EQ(read_bytes(b.data, b.len, &two, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK_EQ(two.begun, 2);
	CHECK_EQ(two.ended, 2);
	CHECK_EQ(two.n, 24);
	CHECK_STR(buf_str(&two.model), buf_str(&one.model));
	for (size_t i = 0; i < 24; i++)
		CHECK(event_equal(&two.events[i], &one.events[i % 12]));
	collector_release(&two);

	/* The second one cut anywhere: the first one stays whole. */
	for (size_t cut = n + 1; cut < b.len; cut += 7) {
		CHECK_EQ(read_bytes(b.data, cut, &two, &lossy, &e), ST_OK);
		CHECK(lossy);
		CHECK(two.n >= 12 && is_prefix(&one, &two));
		collector_release(&two);
	}
	b.data[n + 3] ^= 1;
	CHECK_EQ(read_bytes(b.data, b.len, &two, &lossy, &e), ST_OK);
	CHECK(lossy);
	CHECK_EQ(two.n, 12);
	CHECK(strstr(buf_str(&two.notes), "no trace begins here (at byte ") != NULL);
	collector_release(&two);
	collector_release(&one);
	buf_release(&b);
}

/* --- other versions --- */

TEST(another_major_version_is_refused)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	add_mark(&b, 2, 3);
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_UNSUPPORTED);
	CHECK_STR(e.msg, "trace of version 2.3; this program reads version 1");
	CHECK_EQ(e.offset, 0);
	collector_release(&c);
	buf_release(&b);
}

TEST(a_later_minor_version_is_skipped_and_counted)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	add_mark(&b, 1, 7);
	/* more metrics than we know */
	add_hex(&b, 1, "00 07 0100 0100 0000 0000 0000 0100 0200 00");
	add_hex(&b, 13, "01 02 03");
	add_hex(&b, 4000, "");
	/* kind 60; an alloc with a field of bit 13 and bytes behind it; kind 255, empty */
	add_hex(&b, 10, "3c 03 aabbcc  02 07 818001 04 ff01 99  ff 00  03 02 01 08");
	add_hex(&b, 12,
		"0e 00 00 01 01 00 00 00 00 00 00 00 00 05 05  09 00 00 00 00 00 00 00 00 63");
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK_STR(buf_str(&c.notes),
		  "info: chunks and events of a later version (1.7) were skipped (4)\n");
	if (CHECK_EQ(c.n, 2)) {
		CHECK_EQ(c.events[0].has, EV_HAS_SEQ);
		CHECK_EQ(c.events[0].seq, 2);
		CHECK_EQ(c.events[1].seq, 6);
	}
	collector_release(&c);
	buf_release(&b);
}

/* --- hostile rows --- */

TEST(hostile_rows_are_refused_with_their_place)
{
	static const struct {
		uint32_t kind;
		const char *payload, *message;
	} rows[] = {
	    {2, "03 01'x'",
	     "table chunk of kind 2 starts at row 3, expected 2: a chunk is missing"},
	    {2, "01 01'x'",
	     "table chunk of kind 2 starts at row 1, expected 2: a chunk is missing"},
	    {2, "02 05'x'", "text: needs"},
	    {2, "02 ffffffffffffffffff01 'x'", "text: needs"},
	    {2, "02 ffffffffffffffffff03", "variable-length integer has more than 64 bits"},
	    {2, "ffffffffffffffffffff01", "variable-length integer has more than 64 bits"},
	    {3, "01 02 00 00 00 00 00 00", "refers to string 2, which has not been defined"},
	    {3, "01 01 ffffffff10 00 00 00 00 00", "process 4563402751 has more than 32 bits"},
	    {3, "01 01 00 00 00 09 00 00", "refers to string 9"},
	    {3, "01 01 00 00 00 00 00 8080808010", "module with 4294967296 ranges"},
	    {3, "01 01 00 00 00 00 00 03 01 01 01 01", "module with 3 ranges"},
	    {3, "01 01 00 00 00 00 00 01 02 ffffffffffffffffff01 00 00", "wraps around"},
	    {4, "02 06 00 00", "unknown space or kind"},
	    {4, "02 20 00 00", "unknown space or kind"},
	    {4, "02 02 00 01", "refers to module 1"},
	    {4, "02 84 00 00 02 00 00", "refers to string 2"},
	    {4, "02 84 00 00 01", "needs"},
	    {5, "02 00 01", "stack refers forward"},
	    {5, "02 03 01", "stack refers forward"},
	    {5, "02 01 02", "refers to location 2"},
	    {5, "02 02 01 01 01 05", "needs"},
	    {6, "02 02", "refers to string 2"},
	    {7, "01 00 01 00 02", "refers to string 2"},
	    {8, "01 01 02", "refers to string 2"},
	    {9, "01 02 00", "refers to string 2"},
	    {11, "00 03 00 01'x'", "note of unknown severity"},
	    {11, "00 00 00 7f'x'", "text: needs"},
	    {1, "00 ffffffffffffffffff01 01", "needs"},
	    {1, "00 00 ffffffffffffffffff01", "attributes"},
	    {32, "02 01'x'", "expected 1"},
	    {33, "01 01 00 00 00", "refers to string 1"},
	    {34, "01 00 01", "refers to string 1"},
	    {35, "01 02 00 00 00 00", "call refers forward"},
	    {35, "01 00 00 00 00 00", "call refers forward"},
	    {35, "01 01 01 00 00 00", "refers to function 1"},
	    {36, "01 ff 00 00 00 00 00", "binding of unknown reason"},
	    {36, "01 01 05 00 00 00 00", "binding of unknown reason"},
	    {36, "01 01 f8 00 00 00 00", "binding of unknown reason"},
	    {36, "01 01 00 00 01 00 00", "refers to object 1"},
	    {36, "01 01 00 00 00 00 01", "refers to call 1"},
	    {36, "01 01 00 00 00 00 00  01 00 00 00 00 00", "location that has not been defined"},
	    {10, "02 02 10 02", "alloc refers to a type, marker or counter"},
	    {10, "06 02 10 01", "enter refers to a type, marker or counter"},
	    {10, "09 02 10 01", "counter refers to a type, marker or counter"},
	    {10, "02 02 20 02", "alloc refers to a stack"},
	    {10, "02 03 8002 01", "alloc refers to a thread"},
	    {10, "0a 03 8008 02", "object refers to a string"},
	    {10, "02 03 8010 05", "event is cut short"}, /* domain 5 */
	    {10, "02 02 20", "event is cut short"},
	    {10, "02 01 20", "event is cut short"},
	    {10, "02 06 20 8080808010", "event is cut short"}, /* a stack of 33 bits */
	    {10, "02", "event is cut short"},
	    {10, "02 ffffffffffffffffff01", "event is cut short"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = BUF_INIT;
		struct collector c;
		struct err e;
		bool lossy;
		size_t start;

		add_mark(&b, 1, 0);
		add_hex(&b, 1, "00 00 00");
		add_hex(&b, 2, "01 01's'");
		add_hex(&b, 4, "01 00 00 00");
		add_hex(&b, 5, "01 01 01");
		add_hex(&b, 6, "01 01");
		start = b.len + 16;
		add_hex(&b, rows[i].kind, rows[i].payload);
		if (!CHECK(read_bytes(b.data, b.len, &c, &lossy, &e) == ST_BAD ||
			   e.code == ST_LIMIT) ||
		    !CHECK(strstr(e.msg, rows[i].message) && e.offset >= start &&
			   e.offset <= b.len && c.n == 0))
			printf("  row %zu (kind %u, %s): byte %" PRIu64 ": %s\n", i, rows[i].kind,
			       rows[i].payload, e.offset, e.msg);
		collector_release(&c);

		/* After a sound event it is a loss with the same words. */
		b.len = start - 16;
		add_hex(&b, 10, "03 02 02 08");
		add_hex(&b, rows[i].kind, rows[i].payload);
		CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
		CHECK(lossy);
		CHECK_EQ(c.n, 1);
		CHECK(strstr(buf_str(&c.notes), rows[i].message) != NULL);
		collector_release(&c);
		buf_release(&b);
	}
}

TEST(a_chunk_longer_than_the_limit_is_refused)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;
	uint8_t header[16] = {10, 0, 0, 0, 1, 0, 16, 0};
	bool lossy;

	add_mark(&b, 1, 0);
	buf_add(&b, header, sizeof header);
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_BAD);
	CHECK_STR(e.msg, "chunk of 1048577 bytes: at most 1048576 are legal");
	CHECK_EQ(e.offset, 16);
	collector_release(&c);
	buf_release(&b);
}

TEST(totals_that_disagree_are_a_loss)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	add_mark(&b, 1, 0);
	add_hex(&b, 1, "00 00 00");
	add_hex(&b, 10, "03 02 02 08");
	add_hex(&b, 12, "04 00 00 00 02 00");
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
	CHECK(lossy);
	CHECK_STR(buf_str(&c.notes),
		  "loss: the trace says it has 2 free events, 1 are there (1)\n");
	collector_release(&c);
	b.len = 0;
	add_mark(&b, 1, 0);
	add_hex(&b, 1, "00 00 00");
	add_hex(&b, 10, "03 02 02 08");
	add_hex(&b, 12, "04 00 00 00 01 08 00 00 00 05 00 00 00 00");
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
	CHECK(lossy);
	CHECK_STR(buf_str(&c.notes), "loss: the trace's tables are shorter than its totals say\n");
	collector_release(&c);
	buf_release(&b);
}

/* Were each compared with all others, this would take minutes. */
TEST(many_notes_cost_no_more_than_their_number)
{
	struct buf b = BUF_INIT, notes = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	add_mark(&b, 1, 0);
	add_hex(&b, 1, "00 00 00");
	add_hex(&b, 10, "03 02 02 08");
	for (unsigned chunk = 0; chunk < 20; chunk++) {
		notes.len = 0;
		buf_addc(&notes, 0);
		for (unsigned i = 0; i < 80000; i++) {
			buf_add(&notes, "\1\1\7", 3);
			buf_addf(&notes, "%07u", chunk * 80000 + i);
		}
		add_chunk(&b, 11, notes.data, notes.len);
	}
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_OK);
	CHECK(strstr(buf_str(&c.model), "note 1 1599000 more different notes were left out") !=
	      NULL);
	collector_release(&c);
	buf_release(&notes);
	buf_release(&b);
}

/* --- sizes --- */

TEST(tables_are_split_into_chunks_of_at_most_a_mebibyte)
{
	char *bytes, *text = mem_zalloc(TRACE_STRING_MAX);
	size_t size, at = 16;
	FILE *f = open_memstream(&bytes, &size);
	struct writer *w = writer_new(f);
	struct trace *t = trace_new();
	struct collector given = collector(writer_sink(w)), got;
	struct event ev = {.kind = EV_FREE, .has = EV_HAS_ADDRESS};
	unsigned string_chunks = 0;
	struct err e = ERR_INIT;
	bool lossy;

	CHECK_EQ(given.sink.begin(&given.sink, t, &e), ST_OK);
	for (unsigned i = 0; i < 70; i++) {
		memset(text, 'a' + (int)i % 26, TRACE_STRING_MAX);
		put_number((uint8_t *)text, i, 4);
		CHECK_EQ(trace_string(t, text, TRACE_STRING_MAX), 1 + i);
	}
	CHECK_EQ(t->cut_strings, 0);
	CHECK_EQ(sink_event(&given.sink, t, &ev, &e), ST_OK);
	CHECK_EQ(given.sink.end(&given.sink, t, &e), ST_OK);
	fclose(f);
	while (at + 16 <= size) {
		struct chunk c = chunk_decode((uint8_t *)bytes + at);

		CHECK(c.length <= 1 << 20);
		string_chunks += c.kind == CHUNK_STRINGS;
		at += 16 + c.length;
	}
	CHECK_EQ(at, size);
	CHECK_EQ(string_chunks, 5); /* 15 strings of 64 KiB and their lengths fit into one */
	CHECK_EQ(read_bytes(bytes, size, &got, &lossy, &e), ST_OK);
	CHECK_STR(buf_str(&got.model), buf_str(&given.model));
	collector_release(&got);
	collector_release(&given);
	writer_free(w);
	trace_free(t);
	free(bytes);
	free(text);
}

TEST(names_that_are_cut_stay_different)
{
	enum { LENGTH = 3 * TRACE_STRING_MAX };
	struct trace *t = trace_new();
	char *a = mem_zalloc(LENGTH), *b = mem_zalloc(LENGTH);
	uint32_t x, y;
	size_t n;

	memset(a, 'x', LENGTH);
	memset(b, 'x', LENGTH);
	b[LENGTH - 1] = 'y';
	x = trace_string(t, a, LENGTH);
	y = trace_string(t, b, LENGTH);
	CHECK(x != y);
	CHECK_EQ(trace_string(t, a, LENGTH), x);
	CHECK(trace_string(t, a, LENGTH - 1) != x);
	CHECK_EQ(t->cut_strings, 4);
	intern_text(&t->strings, x, &n);
	CHECK_EQ(n, TRACE_STRING_MAX);
	CHECK(trace_symbol_string(t, a, LENGTH) != trace_symbol_string(t, b, LENGTH));
	CHECK(trace_string(t, a, TRACE_STRING_MAX) != x); /* as long as may be: not cut */
	CHECK_EQ(t->cut_strings, 6);
	free(a);
	free(b);
	trace_free(t);
}

TEST(a_string_longer_than_the_limit_is_refused)
{
	struct buf b = BUF_INIT, payload = BUF_INIT;
	struct collector c;
	struct err e;
	bool lossy;

	buf_add(&payload, "\1\x81\x80\4", 4); /* row 1, 65537 bytes */
	for (int i = 0; i < 65537; i++)
		buf_addc(&payload, 'x');
	add_mark(&b, 1, 0);
	add_hex(&b, 1, "00 00 00");
	add_chunk(&b, 2, payload.data, payload.len);
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_BAD);
	CHECK_STR(e.msg, "string of 65537 bytes: at most 65536 are legal");
	collector_release(&c);
	buf_release(&payload);
	buf_release(&b);
}

TEST(a_full_disk_stops_the_reader)
{
	struct buf b = BUF_INIT;
	FILE *full = fopen("/dev/full", "w");
	struct import_options options = {.format = "trace"};
	struct writer *w;
	struct input in;
	struct err e = ERR_INIT;
	bool lossy;

	if (!full)
		TEST_SKIP("no /dev/full");
	setvbuf(full, NULL, _IONBF, 0);
	small_trace(&b);
	w = writer_new(full);
	input_memory(&in, "test", b.data, b.len, &e);
	CHECK_EQ(capture_read(&in, &options, writer_sink(w), &lossy, &e), ST_SYS);
	CHECK(strstr(e.msg, "No space left") != NULL);
	input_close(&in);
	writer_free(w);
	fclose(full);
	buf_release(&b);
}

TEST_MAIN()
