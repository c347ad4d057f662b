/* SPDX-License-Identifier: MIT
 *
 * lib/report/baseline.h: what is written is read again, in one form whatever the order it came in,
 * and damage is refused.
 */
#include "lib/report/compare_inputs.h"
#include "tests/unit/report.h"

static const struct project_options by_all = {
    .by = {{.by = KEY_TYPE}, {.by = KEY_FUNCTION}, {.by = KEY_SITE}, {.by = KEY_STACK}},
    .n_by = 4,
    .want = SUMS_ALL};

/* Four allocations on three stacks; back to front when asked. */
static void capture(struct compare_inputs *in, bool reversed)
{
	struct trace *t = trace_new();
	struct project *p = &in->project;
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

		alloc(p, t, k % 2 ? "Odd" : "Even", stacks[k % 3], 1 + (uint64_t)k, 100u << k);
	}
	end(p, t);
	trace_free(t);
}

static void fill(struct compare_inputs *in, bool reversed)
{
	struct err e = ERR_INIT;

	compare_inputs_init(in, &by_all, "--focus x");
	CHECK_EQ(compare_inputs_group(in, "base", &e), ST_OK);
	capture(in, reversed);
	compare_inputs_take(in, "run");
}

static struct buf written(bool reversed)
{
	struct compare_inputs in;
	struct buf b = BUF_INIT;

	fill(&in, reversed);
	baseline_write(&in.things, in.compare.groups[0].runs[0], &b);
	compare_inputs_release(&in);
	return b;
}

static enum status reads(const void *p, size_t n, struct things *t, struct summary *s)
{
	struct err e = ERR_INIT;
	struct cursor c;
	enum status st;

	cursor_init(&c, p, n, 0, &e);
	st = baseline_read(&c, t, s, &e);
	CHECK(!st || e.msg[0]);
	return st;
}

TEST(one_form)
{
	struct buf a = written(false), b = written(true), again = BUF_INIT;
	struct things t;
	struct summary s;

	CHECK_MEM(a.data, a.len, b.data, b.len);
	things_init(&t);
	CHECK_EQ(reads(a.data, a.len, &t, &s), ST_OK);
	baseline_write(&t, &s, &again);
	CHECK_MEM(again.data, again.len, a.data, a.len);
	CHECK_STR(things_text(&t, s.options, NULL), "--focus x");
	CHECK_EQ(s.all.v[SUM_REQUESTED], 100 + 200 + 400 + 800);
	CHECK_EQ(s.all.v[SUM_COUNT], 1 + 2 + 3 + 4);
	CHECK(!run_knows(&s.known, SUM_REAL));
	summary_release(&s);
	things_release(&t);
	buf_release(&a);
	buf_release(&b);
	buf_release(&again);
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

	fill(&in, false);
	CHECK_EQ(compare_inputs_group(&in, "new", &e), ST_OK);
	cursor_init(&c, b.data, b.len, 0, &e);
	CHECK_EQ(compare_inputs_baseline(&in, &c, "file", &e), ST_OK);
	for (size_t k = 0; k < 4; k++) {
		struct compare_rows r;

		CHECK(compare_holds(&in.compare, keys[k]));
		compare_rows_init(&r, &in.compare, keys[k]);
		CHECK_EQ(r.n, n_rows[k]);
		for (size_t i = 0; i < r.n; i++) {
			CHECK_EQ(r.rows[i].in, 3);
			for (enum sum s = 0; s < SUMS; s++)
				for (int total = 0; total < 2; total++) {
					struct number x = compare_value(&r, i, 0, s, total);
					struct number y = compare_value(&r, i, 1, s, total);

					CHECK(x.present == y.present && x.v == y.v);
				}
		}
		compare_rows_release(&r);
	}
	compare_inputs_release(&in);
	buf_release(&b);
}

TEST(damage_is_refused)
{
	struct buf b = written(false);
	struct things t;
	struct summary s;
	char *copy = mem_alloc(b.len + 1);

	things_init(&t);
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
			summary_release(&s);
		}
		copy[i] = b.data[i];
	}
	copy[8] = 2;
	CHECK_EQ(reads(copy, b.len, &t, &s), ST_UNSUPPORTED);
	free(copy);
	things_release(&t);
	buf_release(&b);
}

/* Of more stacks than are kept the smallest are left out: nothing is known of them, and what they
 * sum up to is. */
TEST(what_is_left_out_is_unknown)
{
	enum { MORE = 50 };
	struct compare_inputs in;
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct buf b = BUF_INIT;
	struct compare_rows r;
	struct cursor c;
	size_t unknown = 0;

	compare_inputs_init(&in, &by_all, NULL);
	compare_inputs_group(&in, "base", &e);
	t->metrics[METRIC_COUNT].state = METRIC_EXACT;
	t->metrics[METRIC_REQUESTED].state = METRIC_EXACT;
	begin(&in.project, t);
	for (uint32_t i = 0; i < BASELINE_STACKS + MORE; i++) {
		char name[32];

		snprintf(name, sizeof name, "f%u", i);
		alloc(&in.project, t, "T", trace_stack(t, 0, named(t, name, 0)), 1, i + 1);
	}
	end(&in.project, t);
	trace_free(t);
	compare_inputs_take(&in, "run");
	baseline_write(&in.things, in.compare.groups[0].runs[0], &b);
	compare_inputs_group(&in, "new", &e);
	cursor_init(&c, b.data, b.len, 0, &e);
	CHECK_EQ(compare_inputs_baseline(&in, &c, "file", &e), ST_OK);
	CHECK_EQ(in.compare.groups[1].runs[0]->keys[KEY_STACK].cut, MORE);
	CHECK_EQ(in.compare.groups[1].runs[0]->keys[KEY_STACK].rest.v[SUM_REQUESTED],
		 MORE * (MORE + 1) / 2);
	CHECK_EQ(in.compare.groups[1].runs[0]->keys[KEY_FUNCTION].cut, 0);
	compare_rows_init(&r, &in.compare, KEY_STACK);
	CHECK_EQ(r.n, BASELINE_STACKS + MORE);
	for (size_t i = 0; i < r.n; i++) {
		struct number d = compare_difference(compare_value(&r, i, 0, SUM_REQUESTED, false),
						     compare_value(&r, i, 1, SUM_REQUESTED, false));

		unknown += !d.present;
		CHECK(!d.present || !d.v);
		CHECK(d.present == !r.rows[i].unknown);
	}
	CHECK_EQ(unknown, MORE);
	compare_rows_release(&r);
	compare_inputs_release(&in);
	buf_release(&b);
}

TEST_MAIN()
