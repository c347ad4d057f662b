/* SPDX-License-Identifier: MIT
 *
 * lib/profile/merge.h, profile/value.h and lines.h: the laws of merging, on random aggregates,
 * and values against a naive twin that keeps all numbers.
 */
#include "lib/base/mem.h"
#include "lib/profile/lines.h"
#include "lib/profile/merge.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

static uint64_t seed = 1;

static uint64_t chance(uint64_t below)
{
	return lcg_below(&seed, below);
}

static __int128 some_number(void)
{
	uint64_t size = (uint64_t)1 << chance(40);
	int64_t v = (int64_t)chance(size);

	switch (chance(16)) {
	case 0: return UINT64_MAX;
	case 1: return -(__int128)UINT64_MAX;
	case 2: return 0;
	case 3: return -v;
	default: return v;
	}
}

static struct aggregate_text text(const char *s)
{
	return (struct aggregate_text){s, strlen(s)};
}

/* --- values --- */

enum { NUMBERS = 400 };

static int number_order(const void *a, const void *b)
{
	const __int128 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static __int128 distance(__int128 a, __int128 b)
{
	return a > b ? a - b : b - a;
}

TEST(values_against_all_numbers)
{
	for (int round = 0; round < 200; round++) {
		struct aggregate_value parts[5] = {{.n = 0}}, all = {.n = 0};
		__int128 numbers[NUMBERS], sum = 0;
		size_t n = 1 + (size_t)chance(NUMBERS);

		for (size_t i = 0; i < n; i++) {
			struct aggregate_place at = {
			    .input = chance(3), .frame = (int64_t)chance(9), .has_frame = true};

			numbers[i] = some_number();
			sum += numbers[i];
			aggregate_value_add(&parts[chance(5)], numbers[i], at, true);
		}
		for (size_t i = 0; i < 5; i++)
			aggregate_value_join(&all, &parts[i]);
		qsort(numbers, n, sizeof *numbers, number_order);
		CHECK_EQ(all.n, n);
		CHECK(all.sum == sum && all.min == numbers[0] && all.max == numbers[n - 1]);
		for (unsigned percent = 0; percent <= 100; percent++) {
			size_t rank = (n * percent + 99) / 100;
			__int128 want = numbers[rank ? rank - 1 : 0], got;

			CHECK(aggregate_value_quantile(&all, percent, &got));
			/* The bound that the header states. */
			CHECK(distance(got, want) * 128 <= (want < 0 ? -want : want));
		}
		for (size_t i = 0; i < 5; i++)
			aggregate_value_release(&parts[i]);
		aggregate_value_release(&all);
	}
}

TEST(a_value_without_a_spread)
{
	struct aggregate_value a = {.n = 0}, b = {.n = 0};
	struct aggregate_place at = {.input = 7};
	__int128 q;

	aggregate_value_set(&a, 3, 30, 5, 15, at);
	aggregate_value_add(&b, 1, at, true);
	aggregate_value_join(&a, &b);
	CHECK(a.n == 4 && a.sum == 31 && a.min == 1 && a.max == 15 && !a.spread);
	CHECK(!aggregate_value_quantile(&a, 50, &q));
	CHECK(aggregate_value_quantile(&a, 100, &q) && q == 15);
	aggregate_value_release(&a);
	aggregate_value_release(&b);
}

/* --- aggregates --- */

static const char *const words[] = {"", "alpha", "alphabet", "beta", "a\1b", "gamma", "z"};
enum { WORDS = sizeof words / sizeof *words, ROUNDS = 60, AGGREGATES = 9 };

static struct aggregate_text some_word(void)
{
	return text(words[chance(WORDS)]);
}

static void fill_key(struct aggregate_key *k, struct aggregate_call *calls)
{
	static const char nul[] = {'n', 0, 'l'};

	*k = (struct aggregate_key){
	    .kind = (enum aggregate_kind)(AGG_INPUT + chance(AGG_KINDS - AGG_INPUT))};
	k->hash = chance(4);
	k->bytes = chance(2);
	k->which = (unsigned)chance(3);
	k->frame = (int64_t)chance(20) - 10;
	k->by = (enum key)chance(KEYS);
	k->name = some_word();
	k->second = chance(2) ? some_word() : (struct aggregate_text){nul, sizeof nul};
	k->raw = some_word();
	k->module = some_word();
	k->file = some_word();
	k->line = (uint32_t)chance(3);
	k->inside = chance(2);
	k->calls = calls;
	k->n_calls = (size_t)chance(4);
	for (size_t i = 0; i < k->n_calls; i++)
		calls[i] = (struct aggregate_call){some_word(), some_word()};
}

static void fill_known(struct aggregate_record *r)
{
	for (size_t i = 0; i < AGG_TEXTS; i++)
		r->texts[i] = some_word();
	for (size_t i = 0; i < AGG_COUNTS; i++)
		r->counts[i] = chance(5) ? chance(100) : UINT64_MAX - chance(3);
	for (size_t i = 0; i < AGG_MARKS; i++)
		r->marks[i] = (uint8_t)chance(3);
	for (size_t i = 0, n = (size_t)chance(5); i < n; i++) {
		struct aggregate_value *v = aggregate_record_make(r, (unsigned)chance(AGG_METRICS));
		struct aggregate_place at = {.input = chance(3), .frame = (int64_t)chance(3) - 1};

		at.has_frame = chance(2);
		if (!at.has_frame)
			at.frame = 0;
		for (size_t k = 1 + (size_t)chance(4); k; k--)
			aggregate_value_add(v, some_number(), at, true);
	}
}

static int line_order(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Lines are what sorts them here; the same key may come twice, and is then joined. */
static struct buf sorted(struct buf *lines)
{
	size_t n = 0, cap = 0;
	char **all = NULL, *rest = NULL;
	struct buf out = BUF_INIT;

	buf_str(lines);
	for (char *s = strtok_r(lines->data, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest))
		VEC_PUSH(all, n, cap) = s;
	if (n)
		qsort(all, n, sizeof *all, line_order);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&out, all[i]);
		buf_addc(&out, '\n');
	}
	free(all);
	buf_release(lines);
	return out;
}

static struct buf of_lines(struct buf *lines)
{
	struct buf text_of = sorted(lines), out = BUF_INIT;
	struct err e = ERR_INIT;
	struct aggregate_writer w;
	struct aggregate_lines l;
	struct cursor c;
	enum status st;

	cursor_init(&c, text_of.data, text_of.len, 0, &e);
	aggregate_lines_init(&l, &c);
	aggregate_writer_init(&w, NULL, &out);
	while (!(st = aggregate_lines_next(&l, &e)))
		aggregate_writer_add(&w, l.key.data, l.key.len, l.known.data, l.known.len);
	CHECK_EQ(st, ST_NONE);
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	aggregate_lines_release(&l);
	buf_release(&text_of);
	return out;
}

static void add_record(struct buf *lines, struct aggregate_record *r)
{
	struct buf key = BUF_INIT, known = BUF_INIT;

	aggregate_key_write(&r->key, &key);
	aggregate_record_write(r, &known);
	aggregate_line_add(lines, key.data, key.len, known.data, known.len);
	buf_release(&key);
	buf_release(&known);
}

static struct buf random_aggregate(const char *options)
{
	struct aggregate_record r = {.has = 0};
	struct buf lines = BUF_INIT;
	struct aggregate_call calls[4];

	r.key.kind = AGG_HEAD;
	r.texts[0] = text(options);
	r.counts[0] = chance(9);
	add_record(&lines, &r);
	for (size_t n = (size_t)chance(60); n; n--) {
		aggregate_record_clear(&r);
		fill_key(&r.key, calls);
		fill_known(&r);
		add_record(&lines, &r);
	}
	aggregate_record_release(&r);
	return of_lines(&lines);
}

static enum status merged(const struct buf *in, size_t n, struct buf *out, struct err *e)
{
	struct aggregate_merge_options o = {.input = NULL};
	struct aggregate_merge_fault fault;
	struct aggregate_reader readers[AGGREGATES];
	struct cursor cursors[AGGREGATES];
	struct aggregate_writer w;
	enum status st;

	*out = (struct buf)BUF_INIT;
	for (size_t i = 0; i < n; i++) {
		cursor_init(&cursors[i], in[i].data, in[i].len, 0, e);
		aggregate_reader_init(&readers[i], &cursors[i]);
	}
	aggregate_writer_init(&w, NULL, out);
	st = aggregate_merge(readers, n, &o, &w, &fault, e);
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	for (size_t i = 0; i < n; i++)
		aggregate_reader_release(&readers[i]);
	return st;
}

/* Merges two or three of them at a time, in any order, until one is left. */
static struct buf merged_anyhow(struct buf *in, size_t n)
{
	struct err e = ERR_INIT;

	while (n > 1) {
		size_t take = 2 + (size_t)chance(2);
		struct buf made, some[3];

		take = take > n ? n : take;
		for (size_t i = 0; i < take; i++) {
			size_t k = (size_t)chance(n);

			some[i] = in[k];
			in[k] = in[--n];
		}
		CHECK_EQ(merged(some, take, &made, &e), ST_OK);
		for (size_t i = 0; i < take; i++)
			buf_release(&some[i]);
		in[n++] = made;
	}
	return in[0];
}

static struct buf copy(const struct buf *b)
{
	struct buf to = BUF_INIT;

	buf_add(&to, b->data, b->len);
	return to;
}

TEST(any_order_and_grouping_gives_the_same_bytes)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct buf in[AGGREGATES], again[AGGREGATES], flat, tree, lines = BUF_INIT, text_of;
		struct err e = ERR_INIT;
		size_t n = 2 + (size_t)chance(AGGREGATES - 1);

		for (size_t i = 0; i < n; i++)
			in[i] = random_aggregate("--focus x");
		CHECK_EQ(merged(in, n, &flat, &e), ST_OK);
		for (int tries = 0; tries < 4; tries++) {
			for (size_t i = 0; i < n; i++)
				again[i] = copy(&in[i]);
			tree = merged_anyhow(again, n);
			CHECK_MEM(tree.data, tree.len, flat.data, flat.len);
			buf_release(&tree);
		}
		/* And by way of lines that another program sorts. */
		for (size_t i = 0; i < n; i++) {
			struct aggregate_reader r;
			struct cursor c;

			cursor_init(&c, in[i].data, in[i].len, 0, &e);
			aggregate_reader_init(&r, &c);
			while (!aggregate_reader_next(&r, &e))
				aggregate_line_add(&lines, r.key.data, r.key.len, r.known,
						   r.n_known);
			aggregate_reader_release(&r);
		}
		text_of = of_lines(&lines);
		CHECK_MEM(text_of.data, text_of.len, flat.data, flat.len);
		buf_release(&text_of);
		for (size_t i = 0; i < n; i++)
			buf_release(&in[i]);
		buf_release(&flat);
	}
}

TEST(one_alone_stays_what_it_is)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct buf in = random_aggregate(""), out;
		struct err e = ERR_INIT;

		CHECK_EQ(merged(&in, 1, &out, &e), ST_OK);
		CHECK_MEM(in.data, in.len, out.data, out.len);
		buf_release(&in);
		buf_release(&out);
	}
}

TEST(what_is_read_is_what_was_written)
{
	for (int round = 0; round < 500; round++) {
		struct aggregate_record r = {.has = 0}, back = {.has = 0};
		struct buf key = BUF_INIT, known = BUF_INIT, again = BUF_INIT;
		struct aggregate_call calls[4];
		struct err e = ERR_INIT;

		fill_key(&r.key, calls);
		fill_known(&r);
		aggregate_key_write(&r.key, &key);
		aggregate_record_write(&r, &known);
		CHECK_EQ(aggregate_key_read(&back, key.data, key.len, &e), ST_OK);
		aggregate_key_write(&back.key, &again);
		CHECK_MEM(again.data, again.len, key.data, key.len);
		again.len = 0;
		CHECK_EQ(aggregate_record_read(&back, known.data, known.len, 0, &e), ST_OK);
		aggregate_record_write(&back, &again);
		CHECK_MEM(again.data, again.len, known.data, known.len);
		aggregate_record_release(&r);
		aggregate_record_release(&back);
		buf_release(&key);
		buf_release(&known);
		buf_release(&again);
	}
}

TEST(different_heads_do_not_merge)
{
	struct buf in[2] = {random_aggregate("--focus x"), random_aggregate("")}, out;
	struct err e = ERR_INIT;

	CHECK_EQ(merged(in, 2, &out, &e), ST_UNSUPPORTED);
	CHECK_STR(e.msg, "options: '--focus x' there, none here");
	buf_release(&in[0]);
	buf_release(&in[1]);
	buf_release(&out);
}

/* What is kept and what is stated as lost is what there was. */
TEST(pruning_states_what_it_lost)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct buf in = random_aggregate(""), out = BUF_INIT, lines = BUF_INIT, with_keys;
		__int128 sums[2][KEYS] = {{0}};
		uint64_t entities[2][KEYS] = {{0}};
		struct aggregate_prune p;
		struct aggregate_record rec = {.has = 0};
		struct aggregate_reader r;
		struct aggregate_writer w;
		struct cursor c;
		struct err e = ERR_INIT;

		/* Every key has its record; rows have a sum to judge by. */
		for (enum key k = 0; k < KEYS; k++) {
			aggregate_record_clear(&rec);
			rec.key = (struct aggregate_key){.kind = AGG_KEY, .by = k};
			add_record(&lines, &rec);
			for (size_t i = 1; i < WORDS; i++) {
				struct aggregate_place at = {.input = 1};
				struct aggregate_call call = {text(words[i]), text("m")};

				aggregate_record_clear(&rec);
				rec.key = (struct aggregate_key){.kind = AGG_ROW,
								 .by = k,
								 .name = text(words[i]),
								 .raw = text(words[i]),
								 .calls = &call,
								 .n_calls = 1};
				aggregate_value_add(aggregate_record_make(&rec, SUM_REAL),
						    (__int128)chance(200), at, true);
				add_record(&lines, &rec);
			}
		}
		aggregate_record_clear(&rec);
		rec.key.kind = AGG_HEAD;
		add_record(&lines, &rec);
		with_keys = of_lines(&lines);
		CHECK_EQ(aggregate_prune_parse(&p, "real:100", &e), ST_OK);
		aggregate_writer_init(&w, NULL, &out);
		cursor_init(&c, with_keys.data, with_keys.len, 0, &e);
		aggregate_reader_init(&r, &c);
		CHECK_EQ(aggregate_prune(&r, &p, &w, &e), ST_OK);
		aggregate_writer_end(&w);
		aggregate_writer_release(&w);
		aggregate_reader_release(&r);
		for (int side = 0; side < 2; side++) {
			const struct buf *b = side ? &out : &with_keys;

			cursor_init(&c, b->data, b->len, 0, &e);
			aggregate_reader_init(&r, &c);
			while (!aggregate_reader_record(&r, &rec, &e)) {
				const struct aggregate_value *v =
				    aggregate_record_value(&rec, SUM_REAL);

				if (rec.key.kind != AGG_ROW && rec.key.kind != AGG_KEY)
					continue;
				sums[side][rec.key.by] += v ? v->sum : 0;
				entities[side][rec.key.by] +=
				    rec.key.kind == AGG_ROW ? 1 : rec.counts[1];
				if (side && rec.key.kind == AGG_ROW)
					CHECK(v->sum >= 100);
			}
			aggregate_reader_release(&r);
		}
		CHECK_MEM((char *)sums[0], sizeof sums[0], (char *)sums[1], sizeof sums[1]);
		CHECK_MEM((char *)entities[0], sizeof entities[0], (char *)entities[1],
			  sizeof entities[1]);
		aggregate_record_release(&rec);
		buf_release(&in);
		buf_release(&out);
		buf_release(&with_keys);
	}
}

TEST_MAIN()
