/* SPDX-License-Identifier: MIT
 *
 * The trace stream: writer -> bytes -> reader gives the same model and events, and the bytes are
 * those of tracemill-trace(5).
 */
#include "tests/unit/trace.h"
#include "lib/trace/writer.h"
#include "testdata/gen/lcg.h"
#include "testdata/gen/random_trace.h"
#include "tests/unit/test.h"

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

/* The bytes of a trace read and written again. */
static char *written_again(const char *bytes, size_t size, size_t *again)
{
	static const struct import_options options = {.format = "trace"};
	char *out;
	FILE *f = open_memstream(&out, again);
	struct writer *w = writer_new(f);
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	input_memory(&in, "test", bytes, size, &e);
	CHECK_EQ(capture_read(&in, &options, writer_sink(w), &lossy, &e), ST_OK);
	input_close(&in);
	writer_free(w);
	fclose(f);
	return out;
}

/* What turned out to be absent is so in the second header, whatever the first said. */
TEST(a_second_header_replaces_the_first)
{
	struct event ev = {.kind = EV_FREE, .has = EV_HAS_ADDRESS, .address = 1};
	char *bytes, *again;
	size_t size, again_size;
	FILE *f = open_memstream(&bytes, &size);
	struct writer *w = writer_new(f);
	struct trace *t = trace_new();
	struct collector given = collector(writer_sink(w)), got;
	struct err e = ERR_INIT;
	bool lossy;

	for (int m = 0; m < METRICS; m++)
		trace_metric(t, (enum metric)m, METRIC_EXACT, METRIC_AT_TYPE);
	CHECK_EQ(given.sink.begin(&given.sink, t, &e), ST_OK);
	CHECK_EQ(sink_event(&given.sink, t, &ev, &e), ST_OK);
	for (int m = 1; m < METRICS; m++)
		trace_metric(t, (enum metric)m, METRIC_ABSENT, METRIC_AT_ALL);
	trace_set(t, "late", "known at the end");
	CHECK_EQ(given.sink.end(&given.sink, t, &e), ST_OK);
	trace_free(t);
	writer_free(w);
	fclose(f);
	CHECK_EQ(read_bytes(bytes, size, &got, &lossy, &e), ST_OK);
	CHECK_STR(buf_str(&got.model), buf_str(&given.model));
	again = written_again(bytes, size, &again_size);
	CHECK_MEM(again, again_size, bytes, size);
	collector_release(&given);
	collector_release(&got);
	free(bytes);
	free(again);
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

/* Where more bytes follow the decoder reads eight at a time: it must not matter, be they what
 * they may, nor what is wrong with the event. */
TEST(what_follows_an_event_does_not_matter)
{
	uint64_t rng = 11;
	unsigned bad = 0, sound = 0, damaged = 0;

	for (unsigned round = 0; round < 100000; round++) {
		struct event_state start = {.seq = rng, .address = ~rng, .time = -7}, a = start,
				   b = start;
		uint8_t kind = (uint8_t)(1 + draw_below(&rng, EV_KINDS - 1));
		uint16_t has = (uint16_t)draw_below(&rng, EV_FIELDS + 1);
		struct event ev = draw_fields(&rng, NULL, kind, has), one, two;
		uint8_t bytes[5 * EVENT_MAX], fill = (uint8_t)draw_below(&rng, 256);
		bool known_one = false, known_two = false;
		size_t n, got;

		memset(bytes, fill, sizeof bytes);
		n = event_encode(&(struct event_state){.seq = rng}, &ev, bytes);
		if (round % 2) /* not the length: that would move the end */
			bytes[n > 3 ? 3 + draw_below(&rng, n - 3) : 0] ^=
			    (uint8_t)(1 << draw_below(&rng, 8));
		got = event_decode(&a, bytes, bytes + n, &one, &known_one);
		bad += event_decode(&b, bytes, bytes + sizeof bytes, &two, &known_two) != got;
		sound += got != 0;
		damaged += got == 0;
		if (!got)
			continue;
		bad += known_one != known_two;
		bad += known_one && (!event_equal(&one, &two) || a.seq != b.seq ||
				     a.address != b.address || a.time != b.time);
	}
	CHECK_EQ(bad, 0);
	CHECK(sound > 50000 && damaged > 1000);
}

/* --- bytes, as tracemill-trace(5) lays them out --- */

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
	trace_module_file(t, &(struct module_file){1, 0xfe00, 300, 5, -1});
	trace_location(
	    t, &(struct location){
		   .raw = 0x1234, .module = 1, .space = SPACE_VADDR, .kind = LOCATION_RETURN});
	trace_location(t, &(struct location){.raw = 0x1230, .process = 7, .epoch = 1});
	trace_location(t, &(struct location){.name = trace_strz(t, "f"),
					     .file = trace_strz(t, "a.c"),
					     .line = 200,
					     .space = SPACE_NAME});
	trace_location_name(t, &(struct location_name){2, 3});
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

	add_mark(&want, 2, 1);
	/* flags; 5 metrics of (state, key); 1 attribute */
	add_hex(&want, 1, "00 05 0100 0201 0000 0000 0000 01 05'clock' 04'wall'");
	/* first id, then length and bytes */
	add_hex(&want, 2, "01 09'libUE4.so' 03 010002 01'f' 03'a.c' 03'T[]'");
	/* name process epochs build-id has-slide slide(300) ranges: lo size offset executable */
	add_hex(&want, 3, "01 01 07 00 02 02 01 ac02 01 8020 8040 8010 01");
	/* module device inode size zigzag time; the first number counts nothing */
	add_hex(&want, 14, "01 01 80fc03 ac02 05 01");
	/* space | kind << 3 | placed << 6 | named << 7; zigzag difference; module */
	add_hex(&want, 4, "01 0a e848 01  40 07 00 07 01  84 df48 00 03 04 c801");
	add_hex(&want, 15, "01 02 03");
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
	/* events; shapes, each a kind and a mask; which has which; then by field: length, 0 as it is not
	 * packed, values: seq +1 +2, address +0x100 -0x40, requested, stack +3, time in units of 1 ns,
	 * both of another than before: +1000 -1; value, domain */
	add_hex(&want, 13,
		"03 03 01c004 02e710 0303  03 00 000102"
		"02 00 0204  03 00 8004 7f  02 00 8001  01 00 06  05 00 01 03 d00f 01"
		"01 00 03  01 00 01");
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
		struct trace_chunk c = chunk_decode((uint8_t *)bytes + at);

		CHECK(c.length <= 1 << 20);
		string_chunks += c.kind == (CHUNK_STRINGS | CHUNK_PACKED);
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

/* A capture may have a thread per job, and a marker per call site. */
TEST(equal_rows_are_found_among_many)
{
	enum { N = 200000 };
	struct trace *t = trace_new();
	unsigned wrong = 0;

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < N; i++) {
			struct thread th = {.process = i % 3, .generation = i % 2, .tid = i / 6};

			wrong += trace_thread(t, &th) != i + 1;
			wrong += trace_marker(t, &(struct marker){i / 2, i % 2}) != i + 1;
			wrong += trace_counter(t, &(struct counter){i % 2, i / 2}) != i + 1;
		}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(t->n_threads, N + 1);
	CHECK_EQ(t->n_markers, N + 1);
	CHECK_EQ(t->n_counters, N + 1);
	trace_free(t);
}

/* Equal ones within a batch too, and batches of any size. */
TEST(locations_at_once_are_those_one_by_one)
{
	enum { MOST = 100 };
	struct trace *one = trace_new(), *many = trace_new();
	struct location batch[MOST];
	uint32_t ids[MOST];
	size_t different = 0;

	for (uint64_t n = 0, i = 0; n <= MOST; n++) {
		for (uint64_t k = 0; k < n; k++, i++)
			batch[k] = (struct location){.raw = i % 3 ? i / 2 : n,
						     .kind = i % 5 ? LOCATION_RETURN : 0};
		trace_locations(many, batch, n, ids);
		for (uint64_t k = 0; k < n; k++)
			different += ids[k] != trace_location(one, &batch[k]);
	}
	CHECK_EQ(different, 0);
	CHECK_EQ(many->n_locations, one->n_locations);
	CHECK(many->n_locations > 2000 && many->n_locations < 5000);
	trace_free(one);
	trace_free(many);
}

/* Whole stacks have the numbers that their calls get one by one, whatever they share with the stack
 * before: outer callers, all, nothing; and whatever is looked up in between. */
TEST(whole_stacks_are_those_of_their_calls)
{
	enum { N = 30000, DEEP = 12 };
	struct trace *whole = trace_new(), *by_call = trace_new();
	uint64_t random = 1;
	unsigned wrong = 0;

	for (unsigned i = 0; i < N; i++) {
		uint32_t calls[DEEP], id = 0;
		size_t n;

		lcg(&random);
		n = random >> 33 & 15;
		n = n < DEEP ? n : DEEP;
		/* The outer calls are of few kinds, the inner ones of more. */
		for (size_t k = 0; k < n; k++)
			calls[k] = 1 + (uint32_t)(random >> (20 + 3 * k) & (k < n / 2 ? 7 : 1));
		for (size_t k = n; k--;)
			id = trace_stack(by_call, id, calls[k]);
		wrong += trace_stack_of(whole, calls, n) != id;
		if (i % 7 == 0) {
			uint32_t more = 9 + i % 3;

			wrong += trace_stack(whole, id, more) != trace_stack(by_call, id, more);
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(whole->n_stacks, by_call->n_stacks);
	CHECK(whole->n_stacks > N && whole->n_stacks < N * 4); /* of N * 6: many are shared */
	trace_free(whole);
	trace_free(by_call);
}

static int trace_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* More different stacks than are remembered whole, asked for twice, from both ends, with rows that a
 * stream has appended in between. Of a stack of 1 to 4 of 30 locations its digits to the base of 31
 * are a number of its own, which tells how many rows there must be: one for each beginning. */
TEST(many_stacks_have_one_row_for_each_beginning)
{
	enum { N = 300000, DEEP = 4, APPENDED = 10 };
	struct trace *t = trace_new();
	uint32_t *ids = mem_array(N, sizeof *ids);
	uint64_t *beginnings = mem_array((size_t)N * DEEP, sizeof *beginnings);
	unsigned wrong = 0;
	size_t n = 0, distinct = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		uint64_t random = 7;

		for (unsigned i = 0; i < N; i++) {
			uint32_t inner[DEEP], id, row;
			size_t depth = 1 + (lcg(&random) >> 40) % DEEP;
			uint64_t number = 0;

			for (size_t k = 0; k < depth; k++) {
				inner[depth - 1 - k] = 1 + (lcg(&random) >> 40) % 30;
				number = number * 31 + inner[depth - 1 - k];
				if (!pass)
					beginnings[n++] = number;
			}
			id = trace_stack_of(t, inner, depth);
			if (pass)
				wrong += id != ids[i];
			ids[i] = row = id;
			for (size_t k = 0; k < depth; k++, row = t->stacks[row].parent)
				wrong += t->stacks[row].location != inner[k];
			wrong += row != 0;
			if (!pass && i % (N / APPENDED) == 0) /* it is never looked up */
				VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) =
				    (struct stack){id, 99};
		}
	}
	qsort(beginnings, n, sizeof *beginnings, trace_by_number);
	for (size_t i = 0; i < n; i++)
		distinct += !i || beginnings[i] != beginnings[i - 1];
	CHECK_EQ(wrong, 0);
	CHECK_EQ(t->n_stacks, distinct + 1 + APPENDED);
	CHECK(distinct > 65536); /* places of those that are remembered */
	free(ids);
	free(beginnings);
	trace_free(t);
}

/* The ids are those that trace_stack gives, level by level; among the rows are some that are known to
 * be new, and some that come between the search and the end. */
TEST(paths_have_the_stacks_that_are_made_one_by_one)
{
	enum { ROUNDS = 3000, DEEP = 12, NEW = 1000 };
	struct trace *t = trace_new(), *slow = trace_new();
	uint32_t(*locations)[DEEP] = mem_array(TRACE_PATHS, sizeof *locations);
	uint64_t random = 3, wrong = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct trace_path paths[TRACE_PATHS];
		size_t n = (lcg(&random) >> 40) % (TRACE_PATHS + 1);

		for (size_t i = 0; i < n; i++) {
			size_t same = i && (lcg(&random) >> 40) % 2 ? DEEP / 2 : 0;

			for (size_t k = 0; k < DEEP; k++)
				locations[i][k] = k < same ? locations[i - 1][k]
							   : 1 + (uint32_t)(lcg(&random) >> 40) % 4;
			paths[i].locations = locations[i];
			paths[i].n = (uint32_t)(lcg(&random) >> 40) % (DEEP + 1);
		}
		trace_paths_seek(t, paths, n);
		for (size_t i = 0; i < n; i++) {
			uint32_t id = 0;

			for (size_t k = 0; k < paths[i].n; k++)
				id = trace_stack(slow, id, locations[i][k]);
			wrong += trace_path_stack(t, &paths[i]) != id;
		}
		if (round % 3)
			continue;
		wrong += trace_stack_new(t, 0, NEW + round) != trace_stack(slow, 0, NEW + round);
		wrong += trace_stack_new(t, 1, NEW + round) != trace_stack(slow, 1, NEW + round);
		if (round % 2)
			wrong +=
			    trace_stack(t, 0, NEW + round) != trace_stack(slow, 0, NEW + round);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(t->n_stacks, slow->n_stacks);
	CHECK(t->n_stacks > 100000);
	CHECK(!memcmp(t->stacks, slow->stacks, t->n_stacks * sizeof *t->stacks));
	free(locations);
	trace_free(t);
	trace_free(slow);
}

/* Rows and ids are those of a trace that looks for all; rows that come another way end it. */
TEST(near_stacks_are_the_same_stacks)
{
	struct trace *plain = trace_new(), *near = trace_new();
	uint64_t seed = 1;

	trace_stacks_near(near);
	for (int i = 0; i < 40000; i++) {
		uint64_t v = seed = hash_u64(seed + 1);
		uint32_t back = (uint32_t)(v >> 8) % 64, location = 1 + (uint32_t)(v >> 40) % 100;
		uint32_t n = (uint32_t)plain->n_stacks, parent = back && back < n ? n - back : 0;

		if (i % 5 == 0)
			parent = (uint32_t)(v >> 20) % n;
		if (i == 30000) {
			CHECK_EQ(trace_stack_new(near, 7, 1000), n);
			CHECK_EQ(trace_stack_new(plain, 7, 1000), n);
			parent = 7;
			location = 1000;
		}
		if (!CHECK_EQ(trace_stack(near, parent, location),
			      trace_stack(plain, parent, location)))
			break;
	}
	CHECK_EQ(near->n_stacks, plain->n_stacks);
	CHECK(!memcmp(near->stacks, plain->stacks, near->n_stacks * sizeof *near->stacks));
	trace_free(plain);
	trace_free(near);
}

TEST_MAIN()
