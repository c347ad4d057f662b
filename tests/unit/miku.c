/* SPDX-License-Identifier: MIT
 *
 * Miku-LuaProfiler's files and network stream (formats/miku).
 */
#include "tests/unit/test.h"

#include "formats/reader.h"
#include "testdata/gen/miku_bytes.h"

struct counts {
	struct sink sink;
	uint64_t samples, frames, objects, references, calls, time, self;
	uint64_t lost; /* counts of loss notes */
	unsigned captures;
	bool lossy;
	enum status status;
	struct err e;
};

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)t;
	(void)e;
	((struct counts *)s)->captures++;
	return ST_OK;
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct counts *c = (struct counts *)s;

	(void)t;
	(void)e;
	c->samples += ev->kind == EV_SAMPLE;
	c->frames += ev->kind == EV_FRAME;
	c->objects += ev->kind == EV_OBJECT;
	c->references += ev->kind == EV_REFERENCE;
	if (ev->kind == EV_SAMPLE) {
		c->calls += ev->count;
		c->time += (uint64_t)ev->value;
		c->self += ev->target;
	}
	return ST_OK;
}

static enum status batch(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	return sink_each(s, t, b, e, event);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	struct counts *c = (struct counts *)s;

	(void)e;
	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].severity == NOTE_LOSS)
			c->lost += t->notes[i].count;
	return ST_OK;
}

static void read_bytes(struct counts *c, const char *format, const void *p, size_t n)
{
	struct import_options o = {.format = format};
	struct input in;

	*c = (struct counts){.sink = {.begin = begin, .batch = batch, .end = end}, .e = ERR_INIT};
	input_memory(&in, "test", p, n, &c->e);
	c->status = capture_read(&in, &o, &c->sink, &c->lossy, &c->e);
	input_close(&in);
}

/* Two roots of three nodes: 3 + 2 + 1 units of time, self 1 each. */
static const char update[] = "[lua]:Main.Update,game/main&line:12";
static struct put_node leaves[2], middles[2], roots[2];

static void make_roots(void)
{
	for (int i = 0; i < 2; i++) {
		leaves[i] = (struct put_node){
		    .name = "[lua]:leaf,game/ui&line:7", .calls = 4, .frame = 10 + i, .time = 1};
		middles[i] = (struct put_node){.name = "[lua]:,game/ui&line:1",
					       .calls = 2,
					       .frame = 10 + i,
					       .lua = 100,
					       .time = 2,
					       .below = &leaves[i],
					       .n = 1};
		roots[i] = (struct put_node){.name = update,
					     .calls = 1,
					     .frame = 10 + i,
					     .fps = 60,
					     .lua = 300,
					     .mono = 64,
					     .time = 3,
					     .current_lua = 5000000,
					     .current_mono = 900000,
					     .picture = i ? "c.png" : NULL,
					     .below = &middles[i],
					     .n = 1};
	}
}

static void make_wire(struct buf *b, enum put_layout l, bool old)
{
	struct put_strings strings = {0};

	for (int i = 0; i < 2; i++)
		put_sample_message(b, l, old, &strings, &roots[i]);
	if (l == PUT_E)
		put_ref_message(b, old, &strings, true, 11, "function:@a.lua&line:3", "0x40", 1);
	free(strings.names);
}

/* The name is one of the readers'; the layout's letters are for messages. */
static const char *make(struct buf *b, int layout)
{
	b->len = 0;
	make_roots();
	if (layout <= PUT_E) {
		put_sample_file(b, (enum put_layout)layout, roots, 2);
		return "miku-sample";
	}
	if (layout <= PUT_TOOL)
		make_wire(b, (enum put_layout)layout, true);
	else
		make_wire(b, PUT_E, layout == PUT_TOOL + 2);
	return "miku-tcp";
}

enum { ALL = PUT_TOOL + 3 };

TEST(every_layout_is_found_and_read)
{
	for (int l = 0; l < ALL; l++) {
		struct buf b = BUF_INIT;
		const char *format = make(&b, l);
		uint64_t unit = l < PUT_B0 ? 1953125 : 10000;
		struct counts c;
		int bid;

		CHECK_STR(reader_by_bid((const uint8_t *)b.data, b.len, true, &bid)->name, format);
		read_bytes(&c, NULL, b.data, b.len);
		CHECK_EQ(c.status, ST_OK);
		CHECK_EQ(c.lossy, false);
		CHECK_EQ(c.samples, 6);
		CHECK_EQ(c.frames, 2);
		CHECK_EQ(c.calls, 14);
		CHECK_EQ(c.time, 12 * unit);
		CHECK_EQ(c.self, 6 * unit);
		CHECK_EQ(c.objects, l > PUT_TOOL ? 1 : 0);
		buf_release(&b);
	}
}

/* A cut file never gives more than the whole one, and says that it is cut. */
TEST(cut_after_every_byte)
{
	for (int l = 0; l < ALL; l++) {
		struct buf b = BUF_INIT;
		const char *format = make(&b, l);
		uint64_t silent = 0;
		struct counts c;

		for (size_t n = 1; n < b.len; n++) {
			char *copy = mem_alloc(n); /* so that a sanitizer sees its end */

			memcpy(copy, b.data, n);
			read_bytes(&c, format, copy, n);
			CHECK(c.samples == 0 || c.samples == 3 || c.samples == 6);
			if (c.status)
				CHECK(c.e.msg[0]);
			else
				silent += !c.lossy;
			free(copy);
		}
		/* behind a message the rest is a sound, shorter stream */
		CHECK(silent <= (l <= PUT_E ? 0 : 2));
		buf_release(&b);
	}
}

/* Whatever bit is wrong: an end, a status, and never more nodes than bytes allow. */
TEST(every_bit_flipped)
{
	for (int l = 0; l < ALL; l++) {
		struct buf b = BUF_INIT;
		const char *format = make(&b, l);
		uint64_t read = 0, refused = 0;

		for (size_t bit = 0; bit < b.len * 8; bit++) {
			struct counts c;

			b.data[bit / 8] = (char)(b.data[bit / 8] ^ 1 << bit % 8);
			read_bytes(&c, format, b.data, b.len);
			CHECK(c.samples <= b.len / 20);
			if (c.status) {
				CHECK(c.e.msg[0]);
				refused++;
			} else {
				read++;
			}
			b.data[bit / 8] = (char)(b.data[bit / 8] ^ 1 << bit % 8);
		}
		CHECK(read > refused); /* most bits are in values and names */
		buf_release(&b);
	}
}

/* A message lost in the middle takes its definitions along; all others are read. */
TEST(stream_goes_on_behind_damage)
{
	struct put_strings strings = {0};
	struct buf b = BUF_INIT;
	struct counts c;
	size_t second;

	make_roots();
	middles[1].name = "[lua]:new,game/ui&line:9";
	put_sample_message(&b, PUT_E, false, &strings, &roots[0]);
	second = b.len;
	put_sample_message(&b, PUT_E, false, &strings, &roots[1]);
	put_sample_message(&b, PUT_E, false, &strings, &roots[1]);
	b.data[second + 8 + 28] = 7; /* the mark of the root's name */
	read_bytes(&c, "miku-tcp", b.data, b.len);
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.samples, 6);
	CHECK(c.lossy);
	CHECK(c.lost > 1);
	free(strings.names);
	buf_release(&b);
}

TEST(a_huge_length_is_no_message)
{
	struct put_strings strings = {0};
	struct buf b = BUF_INIT;
	struct counts c;

	make_roots();
	put_sample_message(&b, PUT_E, false, &strings, &roots[0]);
	b.data[8 + 28 + 5 + 3] = 0x7f; /* the length of the first name */
	put_sample_message(&b, PUT_E, false, &strings, &roots[1]);
	put_sample_message(&b, PUT_E, false, &strings, &roots[1]);
	read_bytes(&c, "miku-tcp", b.data, b.len);
	CHECK_EQ(c.samples, 6);
	CHECK(c.lossy);
	free(strings.names);
	buf_release(&b);
}

TEST_MAIN()
