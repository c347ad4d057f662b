/* SPDX-License-Identifier: MIT
 *
 * lib/summarize/build.h, lib/profile/file.h and read.h: the sums of a capture have one
 * form whatever the order of its events, give the same reports as the capture, and damage to them
 * is refused.
 */
#include "lib/group/read_aggregate.h"
#include "lib/profile/read.h"
#include "lib/report/compare/inputs.h"
#include "lib/summarize/build.h"
#include "tests/unit/report.h"

static const struct grouped_profile_options by_all = {
    .by = {{.by = KEY_TYPE}, {.by = KEY_FUNCTION}, {.by = KEY_SITE}, {.by = KEY_STACK}},
    .n_by = 4,
    .want = SUMS_ALL};

static void frame(struct grouped_profile *p, struct trace *t, int64_t number)
{
	struct event ev = {.kind = EV_FRAME, .has = EV_HAS_VALUE, .value = number};

	push(p, t, &ev);
}

/* Four allocations on three stacks in two frames; back to front when asked. */
static void capture(struct grouped_profile *p, bool reversed)
{
	struct trace *t = trace_new();
	uint32_t stacks[3];

	t->metrics[METRIC_COUNT].state = METRIC_EXACT;
	t->metrics[METRIC_REQUESTED].state = METRIC_EXACT;
	begin(p, t);
	for (int i = 0; i < 3; i++) {
		int k = reversed ? 2 - i : i;
		static const char *const leaf[] = {"alpha", "beta", "gamma"};
		uint32_t outer = trace_stack(t, 0, named(t, "main", 3));

		stacks[k] = trace_stack(t, outer, named(t, leaf[k], (uint32_t)k + 10));
	}
	for (int i = 0; i < 4; i++) {
		int k = reversed ? 3 - i : i;

		if (i % 2 == 0)
			frame(p, t, 7 + k / 2);
		alloc(p, t, k % 2 ? "Odd" : "Even", stacks[k % 3], 1 + (uint64_t)k, 100u << k);
	}
	end(p, t);
	trace_free(t);
}

static struct buf written(bool reversed)
{
	static const struct aggregate_origin origin = {.hash = 77, .bytes = 5, .name = "run"};
	struct grouped_profile_options o = {.domain = DOMAIN_DEFAULT};
	struct aggregate_builder b;
	struct buf out = BUF_INIT;
	struct aggregate_writer w;

	aggregate_builder_init(&b, &o, "--focus x");
	capture(&b.frames.project, reversed);
	aggregate_writer_init(&w, NULL, &out);
	aggregate_builder_write(&b, &origin, &w);
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	aggregate_builder_release(&b);
	return out;
}

static enum status reads(const void *p, size_t n, struct profile_entities *t, struct profile *s)
{
	struct err e = ERR_INIT;
	struct cursor c;
	enum status st;

	cursor_init(&c, p, n, 0, &e);
	st = profile_read(&c, t, s, &e);
	CHECK(!st || e.msg[0]);
	return st;
}

TEST(one_form)
{
	struct buf a = written(false), b = written(true);
	struct profile_entities t;
	struct profile s;

	CHECK_MEM(a.data, a.len, b.data, b.len);
	entities_init(&t, NULL);
	CHECK_EQ(reads(a.data, a.len, &t, &s), ST_OK);
	CHECK_STR(entities_text(&t, s.options, NULL), "--focus x");
	CHECK_EQ(s.captures, 1);
	CHECK_EQ(s.frames, 2);
	CHECK_EQ(s.all.v[SUM_REQUESTED], 100 + 200 + 400 + 800);
	CHECK_EQ(s.all.v[SUM_COUNT], 1 + 2 + 3 + 4);
	CHECK_EQ(s.worst[SUM_REQUESTED].number, 8);
	CHECK_EQ(s.worst[SUM_REQUESTED].v[SUM_REQUESTED], 400 + 800);
	CHECK(!profile_knows(&s.known, SUM_REAL));
	profile_release(&s);
	entities_release(&t);
	buf_release(&a);
	buf_release(&b);
}

TEST(frames_have_their_places)
{
	struct buf a = written(false);
	struct aggregate_record r = {.has = 0};
	struct aggregate_reader reader;
	struct err e = ERR_INIT;
	struct cursor c;
	int frames = 0;

	cursor_init(&c, a.data, a.len, 0, &e);
	aggregate_reader_init(&reader, &c);
	while (!aggregate_reader_record(&reader, &r, &e)) {
		const struct aggregate_value *v = aggregate_record_value(&r, SUM_REQUESTED);

		if (r.key.kind == AGG_FRAMES && CHECK(v != NULL)) {
			CHECK(v->n == 2 && v->sum == 1500 && v->min == 300 && v->max == 1200);
			CHECK(v->min_at.frame == 7 && v->max_at.frame == 8);
			CHECK_EQ(v->max_at.input, 77);
		}
		if (r.key.kind == AGG_FRAME && CHECK(v != NULL)) {
			CHECK(r.key.which == 1 && r.key.frame == 7 + frames++);
			CHECK(v->n == 1 && v->sum == (r.key.frame == 7 ? 300 : 1200));
		}
	}
	CHECK_EQ(frames, 2);
	aggregate_record_release(&r);
	aggregate_reader_release(&reader);
	buf_release(&a);
}

/* Against the capture it was made from, nothing differs, by any key. */
TEST(stands_for_its_capture)
{
	static const enum key keys[] = {KEY_TYPE, KEY_FUNCTION, KEY_SITE, KEY_STACK};
	static const size_t n_rows[] = {2, 4, 3, 3};
	struct buf b = written(true);
	struct compare_inputs in;
	struct err e = ERR_INIT;
	struct cursor c;

	compare_inputs_init(&in, &by_all, "--focus x");
	CHECK_EQ(compare_inputs_group(&in, "base", &e), ST_OK);
	capture(&in.project, false);
	CHECK_EQ(compare_inputs_add_run(&in, "run", &(struct profile_input){.hash = 0}, &e), ST_OK);
	CHECK_EQ(compare_inputs_group(&in, "new", &e), ST_OK);
	cursor_init(&c, b.data, b.len, 0, &e);
	CHECK_EQ(compare_inputs_aggregate(&in, &c, "file", &e), ST_OK);
	for (size_t k = 0; k < 4; k++) {
		struct compare_rows r;

		CHECK(compare_holds(&in.compare, keys[k]));
		compare_rows_init(&r, &in.compare, keys[k]);
		CHECK_EQ(r.n, n_rows[k]);
		for (size_t i = 0; i < r.n; i++) {
			CHECK_EQ(r.rows[i].in, 3);
			for (enum sum s = 0; s < SUMS; s++)
				for (int total = 0; total < 2; total++) {
					struct compare_number x = compare_value(&r, i, 0, s, total);
					struct compare_number y = compare_value(&r, i, 1, s, total);

					CHECK(x.present == y.present && x.v == y.v);
				}
		}
		compare_rows_release(&r);
	}
	compare_inputs_release(&in);
	buf_release(&b);
}

/* Each site has its own function, called by one of seven, and its own size. */
static void many_sites(struct grouped_profile *p, uint32_t n)
{
	struct trace *t = trace_new();

	t->metrics[METRIC_COUNT].state = METRIC_EXACT;
	t->metrics[METRIC_REQUESTED].state = METRIC_EXACT;
	begin(p, t);
	for (uint32_t i = 0; i < n; i++) {
		char leaf[16], caller[16], type[16];

		snprintf(leaf, sizeof leaf, "f%u", i);
		snprintf(caller, sizeof caller, "caller%u", i % 7);
		snprintf(type, sizeof type, "T%u", i % 100);
		alloc(p, t, type,
		      trace_stack(t, trace_stack(t, 0, named(t, caller, 1)), named(t, leaf, i + 2)),
		      1, 1000000 + i * i);
	}
	end(p, t);
	trace_free(t);
}

/* What tm-top says of an aggregate is what it says of the capture, however many sites there are:
 * the arrays behind the names grow at other numbers of them each. */
TEST(ranked_as_its_capture)
{
	static const enum key keys[] = {KEY_SITE, KEY_FUNCTION, KEY_STACK, KEY_TYPE,
					KEY_FILE, KEY_MODULE,   KEY_THREAD};
	static const struct aggregate_origin origin = {.name = "run"};

	for (uint32_t n = 1; n <= 5000; n = n < 40 ? n + 1 : n * 5 / 4) {
		struct grouped_profile_options options = {.domain = DOMAIN_DEFAULT};
		struct aggregate_asked asked = {.options = NULL};
		struct buf file = BUF_INIT;
		struct aggregate_builder b;
		struct aggregate_writer w;
		struct err e = ERR_INIT;

		aggregate_builder_init(&b, &options, "");
		many_sites(&b.frames.project, n);
		aggregate_writer_init(&w, NULL, &file);
		aggregate_builder_write(&b, &origin, &w);
		aggregate_writer_end(&w);
		aggregate_writer_release(&w);
		aggregate_builder_release(&b);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
			struct grouped_profile_options by = {.by = {{.by = keys[k]}},
							     .domain = DOMAIN_DEFAULT};
			struct grouped_profile direct, loaded;
			struct cursor c;
			char *want, *got;

			grouped_profile_init(&direct, &by);
			grouped_profile_init(&loaded, &by);
			many_sites(&direct, n);
			cursor_init(&c, file.data, file.len, 0, &e);
			CHECK_EQ(grouped_profile_read_aggregate(&c, &loaded, &asked, &e), ST_OK);
			want = csv_of(&direct, &by_requested);
			got = csv_of(&loaded, &by_requested);
			if (!CHECK_STR(got, want))
				printf("    %u sites, key %zu\n", n, k);
			free(want);
			free(got);
			grouped_profile_release(&direct);
			grouped_profile_release(&loaded);
		}
		buf_release(&file);
	}
}

TEST(damage_is_refused)
{
	struct buf b = written(false);
	struct profile_entities t;
	struct profile s;
	char *copy = mem_alloc(b.len + 1);

	entities_init(&t, NULL);
	for (size_t n = 0; n < b.len; n++) {
		char *exact = mem_alloc(n + 1);

		memcpy(exact, b.data, n);
		CHECK(reads(exact, n, &t, &s) != ST_OK);
		free(exact);
	}
	memcpy(copy, b.data, b.len);
	copy[b.len] = 0;
	CHECK_EQ(reads(copy, b.len + 1, &t, &s), ST_BAD);
	for (size_t i = 0; i < b.len; i++) {
		copy[i] = (char)(copy[i] ^ 0x21);
		if (!reads(copy, b.len, &t, &s)) {
			CHECK(i == 10 || i == 11); /* the minor version */
			profile_release(&s);
		}
		copy[i] = b.data[i];
	}
	copy[8] = 1;
	CHECK_EQ(reads(copy, b.len, &t, &s), ST_UNSUPPORTED);
	free(copy);
	entities_release(&t);
	buf_release(&b);
}

/* What calls share with those of the key before is in the bytes of the present key, wherever these are. */
TEST(calls_of_keys_that_move)
{
	static const struct aggregate_call calls[] = {
	    {{"main", 4}, {"m", 1}}, {{"beta", 4}, {"m", 1}}, {{"gamma", 5}, {"m", 1}}};
	struct aggregate_key key = {.kind = AGG_ROW, .by = KEY_STACK, .calls = calls};
	struct aggregate_record r = {.has = 0};
	struct buf keys[2] = {BUF_INIT, BUF_INIT};
	struct err e;

	for (size_t i = 0; i < 2; i++) {
		key.n_calls = i + 2;
		aggregate_key_write(&key, &keys[i]);
	}
	CHECK(!aggregate_key_read_same(&r, 0, keys[0].data, keys[0].len, &e));
	memset(keys[0].data, 'z', keys[0].len);
	CHECK(!aggregate_key_read_same(&r, keys[0].len, keys[1].data, keys[1].len, &e));
	CHECK_EQ(r.key.n_same, 2);
	for (size_t i = 0; i < 3; i++) {
		CHECK(!memcmp(r.key.calls[i].raw.s, calls[i].raw.s, calls[i].raw.n));
		CHECK(!memcmp(r.key.calls[i].module.s, "m", 1));
	}
	aggregate_record_release(&r);
	buf_release(&keys[0]);
	buf_release(&keys[1]);
}

TEST_MAIN()
