/* SPDX-License-Identifier: MIT */
#include "lib/profile/record.h"

#include "lib/base/mem.h"
#include "lib/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(AGG_METRICS <= 64, "a bit each");

/* The sums of version 2.0 come first; a later one has its two bits, and its two marks, behind all others, so
 * that files without it read as before. */
enum { SUMS_FIRST = SUM_SAMPLES + 1, FIRST_LATER = 2 * SUMS_FIRST + AGG_METRICS - AGG_DURATION };

/* In the file; metric: as in values. */
static unsigned bit_of(unsigned metric)
{
	unsigned sum = metric % SUMS, total = metric >= AGG_TOTAL;

	if (metric >= AGG_DURATION)
		return metric - AGG_DURATION + 2 * SUMS_FIRST;
	return sum < SUMS_FIRST ? sum + total * SUMS_FIRST
				: FIRST_LATER + 2 * (sum - SUMS_FIRST) + total;
}

static unsigned metric_of(unsigned bit)
{
	if (bit >= FIRST_LATER)
		return SUMS_FIRST + (bit - FIRST_LATER) / 2 + (bit - FIRST_LATER) % 2 * AGG_TOTAL;
	if (bit >= 2 * SUMS_FIRST)
		return AGG_DURATION + bit - 2 * SUMS_FIRST;
	return bit < SUMS_FIRST ? bit : AGG_TOTAL + bit - SUMS_FIRST;
}

/* The same of marks: states, and reasons behind them. */
static unsigned mark_of(unsigned place)
{
	if (place >= 2 * SUMS_FIRST)
		return SUMS_FIRST + (place - 2 * SUMS_FIRST) / 2 + (place % 2) * SUMS;
	return place < SUMS_FIRST ? place : SUMS + place - SUMS_FIRST;
}

bool aggregate_is_several(const char *s, size_t n)
{
	return n == 9 && !memcmp(s, "(several)", 9);
}

void aggregate_record_release(struct aggregate_record *r)
{
	for (size_t i = 0; i < AGG_METRICS; i++)
		aggregate_value_release(&r->values[i]);
	free(r->calls);
	free(r->ends);
	free(r->places.items);
	buf_release(&r->text);
	*r = (struct aggregate_record){.has = 0};
}

static void clear_known(struct aggregate_record *r)
{
	for (uint64_t has = r->has; has; has &= has - 1) {
		struct aggregate_value *v = &r->values[__builtin_ctzll(has)];

		v->n = 0;
		v->n_buckets = 0;
	}
	r->has = 0;
	memset(r->texts, 0, sizeof r->texts);
	memset(r->counts, 0, sizeof r->counts);
	r->parts = 0;
	memset(r->marks, 0, sizeof r->marks);
}

void aggregate_record_clear(struct aggregate_record *r)
{
	clear_known(r);
	r->key = (struct aggregate_key){.kind = 0};
}

const struct aggregate_value *aggregate_record_value(const struct aggregate_record *r,
						     unsigned metric)
{
	return r->has >> metric & 1 ? &r->values[metric] : NULL;
}

struct aggregate_value *aggregate_record_make(struct aggregate_record *r, unsigned metric)
{
	struct aggregate_value *v = &r->values[metric];

	if (!(r->has >> metric & 1)) {
		r->has |= (uint64_t)1 << metric;
		*v = (struct aggregate_value){.buckets = v->buckets, .cap_buckets = v->cap_buckets};
		v->sum = 0;
	}
	return v;
}

/* --- what is known --- */

static void add_place(struct aggregate_places *p, const struct aggregate_place *at)
{
	size_t i = p->n;

	while (i && aggregate_place_order(&p->items[i - 1], at) > 0)
		i--;
	if (i && !aggregate_place_order(&p->items[i - 1], at))
		return;
	VEC_PUSH(p->items, p->n, p->cap) = *at;
	memmove(&p->items[i + 1], &p->items[i], (p->n - 1 - i) * sizeof *p->items);
	p->items[i] = *at;
}

static void add_u64(struct buf *b, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		buf_addc(b, (char)(v >> (8 * i)));
}

static void aggregate_record_write_places(struct aggregate_record *r, struct buf *out)
{
	struct aggregate_places *p = &r->places;

	p->n = 0;
	for (uint64_t has = r->has; has; has &= has - 1) {
		add_place(p, &r->values[__builtin_ctzll(has)].min_at);
		add_place(p, &r->values[__builtin_ctzll(has)].max_at);
	}
	buf_add_uleb(out, p->n);
	for (size_t i = 0; i < p->n; i++) {
		int64_t f = p->items[i].frame;

		add_u64(out, p->items[i].input);
		buf_addc(out, p->items[i].has_frame);
		if (p->items[i].has_frame)
			buf_add_uleb(out, (uint64_t)f << 1 ^ (uint64_t)(f >> 63));
	}
}

void aggregate_record_write(struct aggregate_record *r, struct buf *out)
{
	size_t texts = AGG_TEXTS, counts = AGG_COUNTS, marks = AGG_MARKS;
	uint64_t bits = 0;

	for (; texts && !r->texts[texts - 1].n; texts--)
		;
	for (; counts && !r->counts[counts - 1]; counts--)
		;
	for (; marks && !r->marks[mark_of((unsigned)marks - 1)]; marks--)
		;
	buf_add_uleb(out, r->parts ? r->parts : 1);
	buf_add_uleb(out, texts);
	for (size_t i = 0; i < texts; i++) {
		buf_add_uleb(out, r->texts[i].n);
		buf_add(out, r->texts[i].s, r->texts[i].n);
	}
	buf_add_uleb(out, counts);
	for (size_t i = 0; i < counts; i++)
		buf_add_uleb(out, r->counts[i]);
	buf_add_uleb(out, marks);
	for (size_t i = 0; i < marks; i++)
		buf_addc(out, (char)r->marks[mark_of((unsigned)i)]);
	for (unsigned i = 0; i < AGG_METRICS; i++)
		if (r->has >> i & 1 && !r->values[i].n)
			r->has &= ~((uint64_t)1 << i);
	for (unsigned i = 0; i < AGG_METRICS; i++)
		bits |= (r->has >> i & 1) << bit_of(i);
	buf_add_uleb(out, bits);
	if (!bits)
		return;
	aggregate_record_write_places(r, out);
	for (; bits; bits &= bits - 1)
		aggregate_value_write(&r->values[metric_of((unsigned)__builtin_ctzll(bits))],
				      &r->places, out);
}

static void aggregate_record_read_places(struct aggregate_record *r, struct cursor *c)
{
	struct aggregate_places *p = &r->places;
	uint64_t n = cursor_uleb(c);

	p->n = 0;
	if (n > cursor_window(c) / 9)
		cursor_fail(c, ST_BAD, "places: the count is larger than the rest");
	for (uint64_t i = 0; i < n && !cursor_failed(c); i++) {
		struct aggregate_place at = {.input = cursor_u64(c)};
		uint8_t has_frame = cursor_u8(c);

		at.has_frame = has_frame;
		if (has_frame) {
			uint64_t f = cursor_uleb(c);

			at.frame = (int64_t)(f >> 1 ^ (0 - (f & 1)));
		}
		if (cursor_failed(c))
			return;
		if (has_frame > 1 ||
		    (p->n && aggregate_place_order(&p->items[p->n - 1], &at) >= 0)) {
			cursor_fail(c, ST_BAD, "places are not in order");
			return;
		}
		VEC_PUSH(p->items, p->n, p->cap) = at;
	}
}

static size_t at_most(struct cursor *c, size_t most, const char *what)
{
	uint64_t n = cursor_uleb(c);

	if (n > most)
		cursor_fail(c, ST_BAD, "a record has more than %zu %s", most, what);
	return cursor_failed(c) ? 0 : (size_t)n;
}

enum status aggregate_record_read(struct aggregate_record *r, const char *p, size_t n,
				  uint64_t offset, struct err *e)
{
	struct cursor c;
	uint64_t bits;
	size_t count;

	cursor_init(&c, p, n, offset, e);
	clear_known(r);
	r->parts = cursor_uleb(&c);
	if (!r->parts)
		cursor_fail(&c, ST_BAD, "a record of nothing");
	count = at_most(&c, AGG_TEXTS, "texts");
	for (size_t i = 0; i < count; i++) {
		uint64_t len = cursor_uleb(&c);

		if (len > cursor_window(&c))
			cursor_fail(&c, ST_BAD, "a text is longer than its record");
		if (cursor_failed(&c))
			return err_failure(e);
		r->texts[i] = (struct aggregate_text){
		    (const char *)cursor_bytes(&c, (size_t)len, "text"), (size_t)len};
	}
	count = at_most(&c, AGG_COUNTS, "counts");
	for (size_t i = 0; i < count; i++)
		r->counts[i] = cursor_uleb(&c);
	count = at_most(&c, AGG_MARKS, "marks");
	for (size_t i = 0; i < count; i++)
		r->marks[mark_of((unsigned)i)] = cursor_u8(&c);
	bits = cursor_uleb(&c);
	if (bits >> AGG_METRICS)
		cursor_fail(&c, ST_BAD, "a metric that there is not");
	if (cursor_failed(&c))
		return err_failure(e);
	if (bits)
		aggregate_record_read_places(r, &c);
	for (; bits; bits &= bits - 1) {
		unsigned metric = metric_of((unsigned)__builtin_ctzll(bits));

		r->has |= (uint64_t)1 << metric;
		aggregate_value_read(&r->values[metric], &r->places, &c);
	}
	if (!cursor_failed(&c) && c.pos != c.end)
		cursor_fail(&c, ST_BAD, "a record has bytes left over");
	if (cursor_failed(&c))
		clear_known(r);
	return cursor_failed(&c) ? err_failure(e) : ST_OK;
}

static int text_order(struct aggregate_text a, struct aggregate_text b)
{
	int r = a.n && b.n ? memcmp(a.s, b.s, a.n < b.n ? a.n : b.n) : 0;

	return r ? r : (a.n > b.n) - (a.n < b.n);
}

static bool text_begins(struct aggregate_text s, struct aggregate_text with)
{
	return s.n >= with.n && (!with.n || !memcmp(s.s, with.s, with.n));
}

static enum status differ(struct err *e, const char *what, struct aggregate_text a,
			  struct aggregate_text b)
{
	const char *quote[2] = {a.n ? "'" : "", b.n ? "'" : ""};

	return err_set(e, ST_UNSUPPORTED, "%s: %s%.*s%s there, %s%.*s%s here", what, quote[0],
		       a.n ? (int)(a.n < 120 ? a.n : 120) : 4, a.n ? a.s : "none", quote[0],
		       quote[1], b.n ? (int)(b.n < 120 ? b.n : 120) : 4, b.n ? b.s : "none",
		       quote[1]);
}

/* A program that did not know of a sum said nothing of it, where it did of entries. */
static bool is_silent(const struct aggregate_record *r, unsigned sum)
{
	return r->marks[SUM_ENTRIES] && !r->marks[sum] && !r->marks[SUMS + sum];
}

static void join_marks(struct aggregate_record *to, const struct aggregate_record *from)
{
	for (unsigned s = SUMS_FIRST; s < SUMS; s++)
		if (is_silent(to, s) || is_silent(from, s))
			to->marks[SUMS + s] =
			    to->marks[SUMS + s] ? to->marks[SUMS + s] : UNKNOWN_ABSENT;
	for (size_t i = 0; i < AGG_MARKS; i++)
		if (from->marks[i] > to->marks[i])
			to->marks[i] = from->marks[i];
}

enum status aggregate_record_join(struct aggregate_record *to, const struct aggregate_record *from,
				  struct err *e)
{
	enum { AGG_METRICS_LISTED = 2, AGG_PERIODS = 3, AGG_CLOCK = 4 };
	static const char *const words[AGG_TEXTS] = {"options", "sampling", "metrics and units",
						     "periods", "clock",    "texts"};

	for (size_t i = 0; i < AGG_TEXTS; i++) {
		int order = text_order(from->texts[i], to->texts[i]);

		if (to->key.kind == AGG_HEAD && i == AGG_METRICS_LISTED) {
			/* An older program knows the first of them only. */
			if (!text_begins(to->texts[i], from->texts[i]) &&
			    !text_begins(from->texts[i], to->texts[i]))
				return differ(e, words[i], to->texts[i], from->texts[i]);
			if (from->texts[i].n > to->texts[i].n)
				to->texts[i] = from->texts[i];
			continue;
		}
		if (to->key.kind == AGG_HEAD && (i == AGG_PERIODS || i == AGG_CLOCK) &&
		    (!to->texts[i].n || !from->texts[i].n))
			order = 0; /* what has none merges with what has */
		if (to->key.kind == AGG_HEAD && order)
			return differ(e, words[i], to->texts[i], from->texts[i]);
		if (from->texts[i].n && (!to->texts[i].n || order < 0))
			to->texts[i] = from->texts[i];
	}
	to->parts = add_saturating(to->parts ? to->parts : 1, from->parts ? from->parts : 1);
	for (size_t i = 0; i < AGG_COUNTS; i++)
		to->counts[i] = add_saturating(to->counts[i], from->counts[i]);
	join_marks(to, from);
	for (uint64_t has = from->has; has; has &= has - 1) {
		unsigned i = (unsigned)__builtin_ctzll(has);

		aggregate_value_join(aggregate_record_make(to, i), &from->values[i]);
	}
	return ST_OK;
}

void aggregate_account_add(struct aggregate_account *a, const struct aggregate_record *r)
{
	a->parts = add_saturating(a->parts, r->parts ? r->parts : 1);
	if (r->key.kind == AGG_KEY)
		a->parts = add_saturating(a->parts, r->counts[2]);
	if (r->key.kind == AGG_INPUT)
		a->records = add_saturating(a->records, r->counts[3]);
}

enum status aggregate_account_check(const struct aggregate_account *a, struct err *e)
{
	if (a->parts == a->records)
		return ST_OK;
	return err_set(e, ST_BAD,
		       "its inputs had %" PRIu64 " records, of which %" PRIu64 " are here",
		       a->records, a->parts);
}
