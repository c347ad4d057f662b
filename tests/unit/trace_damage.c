/* SPDX-License-Identifier: MIT
 *
 * Reading traces that are cut, damaged, hostile or of another version: damage is never taken for
 * data.
 */
#include "lib/event_store/event_store.h"
#include "lib/trace/event_columns.h"
#include "lib/trace/trace_follow.h"
#include "lib/trace/writer.h"
#include "tests/unit/test.h"
#include "tests/unit/trace.h"

/* --- damage --- */

/* A small trace with three event chunks; each event has its own sequence number. */
static void small_trace_of(struct buf *b, unsigned major)
{
	struct event_columns *columns = event_columns_new();
	uint64_t seq = 1;

	add_mark(b, major, 0);
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
			if (major > 1)
				event_columns_add(columns, &ev);
			else
				events.len += event_encode(
				    &state, &ev, (uint8_t *)buf_reserve(&events, EVENT_MAX));
		}
		if (major > 1)
			event_columns_finish(columns, &events);
		add_chunk(b, major > 1 ? CHUNK_COLUMNS : CHUNK_EVENTS, events.data, events.len);
		buf_release(&events);
		if (!chunk)
			add_hex(b, 2, "04 04'more'");
	}
	add_hex(b, 11, "00 00 00 04'fine'");
	add_hex(b, 12, "04 00 00 09 03 08 04 00 02 02 02 00 00 00");
	event_columns_free(columns);
}

static void small_trace(struct buf *b)
{
	small_trace_of(b, 1);
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

/* --- a trace that grows --- */

/* Two traces in one file, in pieces of so many bytes: no loss anywhere, and the whole at the end. What has
 * come can be walked at any time, and is what a cut file has, whose loss is not here. */
static void grow_by(unsigned major, size_t step)
{
	struct buf b = BUF_INIT;
	struct collector whole, part;
	struct trace_follow g = {.t = NULL};
	struct event_store k;
	struct err e = ERR_INIT;
	bool lossy, ok = true;

	small_trace_of(&b, major);
	small_trace_of(&b, major);
	read_bytes(b.data, b.len, &whole, &lossy, &e);
	CHECK_EQ(whole.ended, 2);
	event_store_init(&k, "a");
	for (size_t at = 0; at < b.len; at += step) {
		size_t n = b.len - at < step ? b.len - at : step;

		CHECK_EQ(trace_follow_add(&g, b.data + at, n, &k.sink, &e), ST_OK);
		if (g.begun)
			event_store_open(&k, g.t);
		read_bytes(b.data, at + n, &part, &lossy, &e);
		ok = ok && part.n == k.events + k.n_staged && !g.damaged;
		ok = ok && (!g.t || !g.t->n_notes || strstr(g.t->notes[0].text, "fine"));
		collector_release(&part);
	}
	CHECK(ok);
	CHECK_EQ(g.ended, 2);
	CHECK(!g.t && !g.rest.len);
	part = collector(NULL);
	CHECK_EQ(event_store_replay(&k, &part.sink, &e), ST_OK);
	CHECK(events_equal(&part, &whole));
	CHECK_STR(buf_str(&part.notes), buf_str(&whole.notes));
	CHECK_STR(buf_str(&part.model), buf_str(&whole.model));
	collector_release(&part);
	collector_release(&whole);
	event_store_release(&k);
	trace_follow_release(&g);
	buf_release(&b);
}

TEST(a_trace_that_grows)
{
	for (unsigned major = 1; major <= 2; major++) {
		grow_by(major, 1);
		grow_by(major, 7);
		grow_by(major, 64);
		grow_by(major, SIZE_MAX);
	}
}

/* The half of a trace, twice: a walk takes nothing from what comes later. */
TEST(walked_while_it_grows)
{
	struct buf b = BUF_INIT;
	struct collector first, second;
	struct trace_follow g = {.t = NULL};
	struct event_store k;
	struct err e = ERR_INIT;

	small_trace_of(&b, 2);
	event_store_init(&k, "a");
	CHECK_EQ(trace_follow_add(&g, b.data, b.len - 20, &k.sink, &e), ST_OK);
	event_store_open(&k, g.t);
	first = collector(NULL);
	second = collector(NULL);
	CHECK_EQ(event_store_replay(&k, &first.sink, &e), ST_OK);
	CHECK_EQ(event_store_replay(&k, &second.sink, &e), ST_OK);
	CHECK_EQ(first.n, 12);
	CHECK(events_equal(&first, &second));
	collector_release(&first);
	collector_release(&second);
	event_store_release(&k);
	trace_follow_release(&g);
	buf_release(&b);
}

/* A bit in each byte: chunks of events that it breaks are left out and counted, another damage is an
 * error; no event is made up. */
TEST(damage_while_it_grows)
{
	struct buf b = BUF_INIT;
	struct collector whole;
	struct err e = ERR_INIT;
	bool lossy;

	small_trace_of(&b, 2);
	read_bytes(b.data, b.len, &whole, &lossy, &e);
	for (size_t at = 0; at < b.len; at++) {
		struct trace_follow g = {.t = NULL};
		struct collector c = collector(NULL);
		enum status st;

		e = (struct err)ERR_INIT;
		b.data[at] ^= 4;
		st = trace_follow_add(&g, b.data, b.len, &c.sink, &e);
		if (!CHECK(is_part(&c, &whole) && (st || g.damaged || g.rest.len || c.ended)))
			printf("  byte %zu\n", at);
		CHECK(!g.damaged || !c.ended || strstr(buf_str(&c.notes), "damaged chunks"));
		b.data[at] ^= 4;
		collector_release(&c);
		trace_follow_release(&g);
	}
	collector_release(&whole);
	buf_release(&b);
}

static void cut_at_every_byte_of(unsigned major)
{
	struct buf b = BUF_INIT;
	struct collector whole, c;
	struct err e;
	bool lossy;
	size_t last = 0;

	small_trace_of(&b, major);
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

TEST(cut_at_every_byte)
{
	cut_at_every_byte_of(1);
	cut_at_every_byte_of(2);
}

static void every_changed_byte_of(unsigned major)
{
	struct buf b = BUF_INIT;
	struct collector whole, c;
	struct err e;
	bool lossy;
	unsigned kept = 0;

	small_trace_of(&b, major);
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

TEST(every_changed_byte_is_found)
{
	every_changed_byte_of(1);
	every_changed_byte_of(2);
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

	add_mark(&b, 3, 1);
	CHECK_EQ(read_bytes(b.data, b.len, &c, &lossy, &e), ST_UNSUPPORTED);
	CHECK_STR(e.msg, "trace of version 3.1; this program reads versions 1 to 2");
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
	add_hex(
	    &b, 12,
	    "11 00 00 01 01 00 00 00 00 00 00 00 00 00 00 00 05 05  09 00 00 00 00 00 00 00 00 63");
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
	    {5, "02 01 00", "stack without a location"},
	    {5, "02 02 01 01 01 05", "needs"},
	    {6, "02 02", "refers to string 2"},
	    {7, "01 00 01 00 02", "refers to string 2"},
	    {8, "01 01 02", "refers to string 2"},
	    {9, "01 02 00", "refers to string 2"},
	    {11, "00 03 00 01'x'", "note of unknown severity"},
	    {11, "00 00 00 7f'x'", "text: needs"},
	    {1, "00 ffffffffffffffffff01 01", "needs"},
	    {1, "00 00 ffffffffffffffffff01", "attributes"},
	    {1, "00 02 0100 0400 00", "requested: unknown state 4 or key 0"},
	    {1, "00 01 0102 00", "count: unknown state 1 or key 2"},
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
	    {13, "", "columns are cut short"},
	    {13, "01 00", "an illegal number of shapes"},
	    {13, "01 8102", "an illegal number of shapes"},
	    {13, "818004 01 0220 01 00 02", "more than 65536 events"},
	    {13, "01 01 02", "columns are cut short"},
	    {13, "01 01 0220", "columns are cut short"},
	    {13, "01 01 0220 02 00 02", "columns are cut short"},
	    {13, "01 01 0220 05 02 00", "columns are cut short"},
	    {13, "01 01 0220 05 01 00", "a packed column is broken"},
	    {13, "01 01 0220 81808001 00", "columns of more than 1 MiB"},
	    {13, "01 01 0220 01 00 80", "a column is cut short"},
	    {13, "02 01 0220 01 00 02", "a column is cut short"},
	    {13, "01 01 028002 05 00 8080808010", "a number that is too large"}, /* of 33 bits */
	    {13, "01 01 028010 01 00 05", "a number that is too large"},         /* domain 5 */
	    {13, "01 01 0240 01 00 00", "illegal unit"},
	    {13, "01 01 0240 01 00 01", "times are cut short"},
	    {13, "02 02 0200 0300 02 00 0002", "a shape that is not there"},
	    {13, "02 02 0200 0300 01 00 00", "not one shape for each event"},
	    {13, "01 01 0210 01 00 02", "alloc refers to a type, marker or counter"},
	    {13, "01 01 0220 01 00 04", "alloc refers to a stack"},
	    {13, "01 01 0220 01 00 01", "a number that is too large"}, /* -1 */
	    {14, "01 00 01 01 01 01", "file of no module"},
	    {14, "01 01 01 01 01 01", "refers to module 1"},
	    {15, "01 00 01", "name of no location"},
	    {15, "01 01 02", "refers to string 2"},
	    {15, "01 02 01", "refers to location 2"},
	    {2 | CHUNK_PACKED, "05 00", "packed chunk of kind 2 is broken"},
	    {2 | CHUNK_PACKED, "81808001 00", "more than 1048576 bytes as it is unpacked"},
	    {2 | CHUNK_PACKED, "", "more than 1048576 bytes as it is unpacked"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = BUF_INIT;
		struct collector c;
		struct err e;
		bool lossy;
		size_t start;

		add_mark(&b, 2, 0);
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
