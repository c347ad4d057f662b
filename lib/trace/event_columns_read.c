/* SPDX-License-Identifier: MIT
 *
 * The reading half of event_columns.h.
 */
#include "lib/trace/event_columns.h"

#include "lib/base/mem.h"

#include <stdlib.h>

/* Behind each column, so that eight bytes can be read at each of its bytes. */
enum { MARGIN = 16 };
enum { COLUMNS = 1 + EVENT_COLUMNS_FIELDS, MASK_BITS = 64 };
enum { FEW_SHAPES = 12 }; /* counted one by one */
enum {
	SEQ,
	ADDRESS,
	REQUESTED,
	REAL,
	TYPE,
	STACK,
	TIME,
	COUNT,
	THREAD,
	VALUE,
	NAME,
	DOMAIN,
	TARGET
};

struct shape {
	uint64_t mask; /* all bits, also those of a later version */
	uint16_t has;  /* of the wanted ones */
	uint8_t kind;
	bool known;
	bool alloc, apart; /* EV_ALLOC; neither this nor a free */
};

struct column {
	const uint8_t *p, *end; /* what is left; both NULL: not there, or not wanted */
};

struct event_columns_reader {
	struct zstd *zstd;
	uint8_t *room;
	struct column field[EVENT_COLUMNS_FIELDS];
	const uint8_t *shape_of; /* of each event; NULL: all are of the first */
	struct shape shapes[EVENT_COLUMNS_SHAPES];
	size_t n, next, n_shapes;
	bool uniform;                          /* allocations have the same wanted fields */
	bool follow;                           /* addresses are wanted, of frees too */
	unsigned live;                         /* fields whose columns are read */
	uint64_t before[EVENT_COLUMNS_FIELDS]; /* of those that are stored as differences */
	const uint8_t *time_bits;
	size_t n_times; /* so far */
	int64_t unit;
	uint64_t v[EVENT_COLUMNS_FIELDS][EVENT_COLUMNS_BATCH + MARGIN];
	uint8_t frees[EVENT_COLUMNS_BATCH];
};

struct event_columns_reader *event_columns_reader_new(void)
{
	struct event_columns_reader *r = mem_zalloc(sizeof *r);

	r->zstd = zstd_new();
	r->room = mem_alloc(EVENT_COLUMNS_BYTES + COLUMNS * MARGIN);
	return r;
}

void event_columns_reader_free(struct event_columns_reader *r)
{
	if (!r)
		return;
	zstd_free(r->zstd);
	free(r->room);
	free(r);
}

/* Where a payload is taken apart. */
struct place {
	const uint8_t *p, *end;
	size_t used; /* bytes of columns so far */
	uint8_t *to;
};

static bool number(struct place *at, uint64_t *v)
{
	const uint8_t *p = uleb_decode(at->p, at->end, v);

	if (p)
		at->p = p;
	return p;
}

static const char *event_columns_read_shapes(struct event_columns_reader *r, struct place *at,
					     unsigned wanted)
{
	const struct shape *first = NULL;
	uint64_t n, shapes;

	r->uniform = true;
	if (!number(at, &n) || !number(at, &shapes))
		return "columns are cut short";
	if (n > EVENT_COLUMNS_EVENTS)
		return "more than 65536 events in one chunk";
	if (shapes > EVENT_COLUMNS_SHAPES || (n && !shapes))
		return "an illegal number of shapes";
	r->n = (size_t)n;
	r->n_shapes = (size_t)shapes;
	for (size_t i = 0; i < shapes; i++) {
		struct shape *s = &r->shapes[i];

		if (at->p == at->end)
			return "columns are cut short";
		s->kind = *at->p++;
		if (!number(at, &s->mask))
			return "columns are cut short";
		s->known = s->kind > 0 && s->kind < EV_KINDS;
		s->has = (uint16_t)(s->mask & wanted);
		s->alloc = s->kind == EV_ALLOC;
		s->apart = !s->alloc && s->kind != EV_FREE && s->kind != EV_FREED;
		if (s->alloc && first && first->has != s->has)
			r->uniform = false;
		first = s->alloc ? s : first;
	}
	return NULL;
}

/* The next column into *c, or past it. */
static const char *event_columns_read_column(struct event_columns_reader *r, struct place *at,
					     bool wanted, struct column *c)
{
	uint64_t n, packed;
	const uint8_t *from;

	if (!number(at, &n) || !number(at, &packed))
		return "columns are cut short";
	if (n > EVENT_COLUMNS_BYTES - at->used)
		return "columns of more than 1 MiB";
	from = at->p;
	if ((packed ? packed : n) > (uint64_t)(at->end - at->p))
		return "columns are cut short";
	at->p += packed ? packed : n;
	at->used += (size_t)n;
	if (!wanted)
		return NULL;
	if (packed && !zstd_unpack_whole(r->zstd, at->to, (size_t)n, from, (size_t)packed))
		return "a packed column is broken";
	if (!packed)
		memcpy(at->to, from, (size_t)n);
	c->p = at->to;
	c->end = at->to + n;
	memset(at->to + n, 0, MARGIN);
	at->to += n + MARGIN;
	return NULL;
}

static const char *check_shapes(const struct event_columns_reader *r, const struct column *c)
{
	unsigned highest = 0;

	if ((size_t)(c->end - c->p) != r->n)
		return "not one shape for each event";
	for (size_t i = 0; i < r->n; i++)
		highest = c->p[i] > highest ? c->p[i] : highest;
	return r->n && highest >= r->n_shapes ? "a shape that is not there" : NULL;
}

/* The unit, then a bit for each event that has a time; differences are left in the column. */
static const char *event_columns_open_times(struct event_columns_reader *r)
{
	struct column *c = &r->field[TIME];
	size_t per[EVENT_COLUMNS_SHAPES] = {0}, n = 0;
	uint64_t unit;

	for (size_t i = 0; r->shape_of && i < r->n; i++)
		per[r->shape_of[i]]++;
	if (!r->shape_of)
		per[0] = r->n;
	for (size_t i = 0; i < r->n_shapes; i++)
		n += r->shapes[i].mask & EV_HAS_TIME ? per[i] : 0;
	c->p = uleb_decode(c->p, c->end, &unit);
	if (!c->p || !unit || unit > 1000000000 || (n + 7) / 8 > (size_t)(c->end - c->p))
		return "times are cut short, or of an illegal unit";
	r->unit = (int64_t)unit;
	r->time_bits = c->p;
	c->p += (n + 7) / 8;
	return NULL;
}

const char *event_columns_open(struct event_columns_reader *r, const uint8_t *payload, size_t n,
			       unsigned wanted)
{
	struct place at = {payload, payload + n, 0, r->room};
	struct column shapes = {NULL, NULL};
	uint64_t any = 0;
	const char *bad = event_columns_read_shapes(r, &at, wanted);

	memset(r->field, 0, sizeof r->field);
	memset(r->before, 0, sizeof r->before);
	r->next = r->n_times = 0;
	r->shape_of = NULL;
	for (size_t i = 0; !bad && i < r->n_shapes; i++)
		any |= r->shapes[i].mask;
	r->live = (unsigned)any & wanted & EV_FIELDS;
	r->follow = wanted & EV_HAS_ADDRESS;
	if (!bad && r->n_shapes > 1) {
		bad = event_columns_read_column(r, &at, true, &shapes);
		bad = bad ? bad : check_shapes(r, &shapes);
		r->shape_of = shapes.p;
	}
	for (unsigned bit = 0; !bad && bit < MASK_BITS; bit++) {
		struct column skipped;
		bool live = bit < EVENT_COLUMNS_FIELDS && r->live >> bit & 1;

		if (any >> bit & 1)
			bad = event_columns_read_column(r, &at, live,
							live ? &r->field[bit] : &skipped);
	}
	if (!bad && r->live & EV_HAS_TIME)
		bad = event_columns_open_times(r);
	return bad;
}

/* n integers from a column on; false: it has not so many. */
static inline bool event_columns_integers(struct column *c, uint64_t *v, size_t n)
{
	const uint8_t *p = c->p;
	size_t i = 0;

	while (i < n) {
		uint64_t x, ends;

		if (p >= c->end)
			return false;
		x = load64(p);
		ends = ~x & 0x8080808080808080;
		if (ends == 0x8080808080808080 && n - i >= 8) {
			for (unsigned k = 0; k < 8; k++)
				v[i + k] = x >> 8 * k & 0x7f;
			p += 8;
			i += 8;
		} else if (ends) {
			uint64_t last = ends & -ends; /* the top bit of the last byte */

			p += (unsigned)__builtin_ctzll(ends) / 8 + 1;
			v[i++] = uleb_seven_bits_of_each(x & (last - 1) & 0x7f7f7f7f7f7f7f7f);
		} else {
			p = uleb_decode(p, c->end, &v[i++]);
			if (!p)
				return false;
		}
	}
	c->p = p;
	return p <= c->end;
}

static void add_up(uint64_t *v, size_t n, uint64_t *before)
{
	uint64_t x = *before;

	for (size_t i = 0; i < n; i++)
		v[i] = x += (uint64_t)unzigzag(v[i]);
	*before = x;
}

static bool event_columns_times(struct event_columns_reader *r, size_t n)
{
	uint64_t *v = r->v[TIME], d[EVENT_COLUMNS_BATCH + MARGIN], t = r->before[TIME];
	size_t first = r->n_times, changes = 0, k = 0;

	for (size_t i = first; i < first + n; i++)
		changes += r->time_bits[i / 8] >> i % 8 & 1;
	if (!event_columns_integers(&r->field[TIME], d, changes))
		return false;
	d[changes] = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t changed = r->time_bits[(first + i) / 8] >> (first + i) % 8 & 1;

		t += (uint64_t)unzigzag(d[k]) & -changed;
		k += changed;
		v[i] = t * (uint64_t)r->unit;
	}
	r->n_times += n;
	r->before[TIME] = t;
	return true;
}

/* The values of a field that this batch has, n of them. */
static bool event_columns_values(struct event_columns_reader *r, unsigned bit, size_t n)
{
	uint64_t *v = r->v[bit], highest = 0;

	if (bit == TIME)
		return event_columns_times(r, n);
	if (!event_columns_integers(&r->field[bit], v, n))
		return false;
	switch (bit) {
	case SEQ:
	case ADDRESS: add_up(v, n, &r->before[bit]); return true;
	case STACK: add_up(v, n, &r->before[bit]); break;
	case TYPE:
	case THREAD:
	case NAME:
	case DOMAIN: break;
	case VALUE:
		for (size_t i = 0; i < n; i++)
			v[i] = (uint64_t)unzigzag(v[i]);
		return true;
	default: return true;
	}
	for (size_t i = 0; i < n; i++)
		highest |= v[i];
	if (bit == DOMAIN) {
		for (size_t i = 0; i < n; i++)
			if (v[i] >= DOMAINS)
				return false;
	}
	return highest <= UINT32_MAX;
}

/* Field by field, and without a branch on what an event has: which that is changes from one to the
 * next. */
static inline void event_columns_put(struct event *ev, const struct shape *s,
				     struct event_columns_reader *r, unsigned live,
				     uint32_t at[EVENT_COLUMNS_FIELDS])
{
	unsigned mask = (unsigned)s->mask;

#define NEXT(bit)                                                                                  \
	(live >> (bit)&1 ? (at[bit] += mask >> (bit)&1,                                            \
			    r->v[bit][at[bit] - (mask >> (bit)&1)] & -(uint64_t)(mask >> (bit)&1)) \
			 : 0)
	ev->kind = s->kind;
	ev->has = s->has;
	ev->seq = NEXT(SEQ);
	ev->address = NEXT(ADDRESS);
	ev->requested = NEXT(REQUESTED);
	ev->real = NEXT(REAL);
	ev->type = (uint32_t)NEXT(TYPE);
	ev->stack = (uint32_t)NEXT(STACK);
	ev->time = (int64_t)NEXT(TIME);
	ev->count = live >> COUNT & 1 && mask >> COUNT & 1 ? NEXT(COUNT) : 1;
	ev->thread = (uint32_t)NEXT(THREAD);
	ev->value = (int64_t)NEXT(VALUE);
	ev->name = (uint32_t)NEXT(NAME);
	ev->domain = (uint8_t)NEXT(DOMAIN);
	ev->target = NEXT(TARGET);
#undef NEXT
}

/* Each column has said all. */
static bool at_ends(const struct event_columns_reader *r)
{
	for (unsigned bit = 0; bit < EVENT_COLUMNS_FIELDS; bit++)
		if (r->field[bit].p != r->field[bit].end)
			return false;
	return true;
}

/* How many of the next n events are of each shape, where these are few. */
static void count_shapes(const struct event_columns_reader *r, size_t n, size_t of[FEW_SHAPES])
{
	const uint8_t *p = r->shape_of ? r->shape_of + r->next : NULL;

	of[0] = n;
	for (size_t s = 0; p && s < r->n_shapes; s++) {
		uint8_t k = 0;

		if (n == EVENT_COLUMNS_BATCH)
			for (size_t i = 0; i < EVENT_COLUMNS_BATCH; i++)
				k += p[i] == s;
		else
			for (size_t i = 0; i < n; i++)
				k += p[i] == s;
		of[s] = k;
	}
}

/* The values of allocations, where frees have some too, move together. */
static void leave_out_frees(struct event_columns_reader *r, unsigned bit, size_t n)
{
	const uint8_t *shape_of = r->shape_of + r->next;
	uint64_t *v = r->v[bit];
	size_t from = 0, to = 0;

	for (size_t i = 0; i < n; i++) {
		const struct shape *s = &r->shapes[shape_of[i]];

		v[to] = v[from];
		to += s->alloc;
		from += s->mask >> bit & 1;
	}
}

/* The n values of what has them move to the places of their events. */
static void move_apart(struct event_columns_reader *r, unsigned bit, size_t have, size_t n)
{
	const uint8_t *shape_of = r->shape_of + r->next;
	uint64_t *v = r->v[bit];

	while (n--)
		v[n] = r->shapes[shape_of[n]].mask >> bit & 1 ? v[--have] : 0;
}

static void mark_frees(struct event_columns_reader *r, size_t n)
{
	const uint8_t *shape_of = r->shape_of ? r->shape_of + r->next : NULL;

	for (size_t i = 0; i < n; i++)
		r->frees[i] = !r->shapes[shape_of ? shape_of[i] : 0].alloc;
}

static struct sink_span span_of(const uint64_t *v, size_t n)
{
	struct sink_span s = {.any = n > 0};

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)v[i];

		s.least = !i || x < s.least ? x : s.least;
		s.most = !i || x > s.most ? x : s.most;
		s.last = x;
	}
	return s;
}

/* What the next events are, which of[] counts by shape. False: not such as come as columns. */
static bool event_columns_survey(const struct event_columns_reader *r, const size_t of[FEW_SHAPES],
				 struct sink_allocs *a, size_t have[EVENT_COLUMNS_FIELDS])
{
	for (size_t k = 0; k < r->n_shapes; k++) {
		const struct shape *s = &r->shapes[k];
		bool is_free = of[k] && s->kind == EV_FREE;

		if (of[k] && (s->apart || (r->follow && s->kind == EV_FREED)))
			return false;
		if (r->follow && is_free && a->n_free && a->free_has != (s->has & SINK_MOVES))
			return false;
		a->n += s->alloc ? of[k] : 0;
		a->n_free += s->kind == EV_FREE ? of[k] : 0;
		a->n_freed += s->kind == EV_FREED ? of[k] : 0;
		a->untimed |= of[k] && !(s->has & EV_HAS_TIME);
		a->has = s->alloc ? s->has : a->has;
		a->free_has = is_free ? s->has & SINK_MOVES : a->free_has;
		for (unsigned bit = 0; bit < EVENT_COLUMNS_FIELDS; bit++)
			have[bit] += s->mask >> bit & 1 ? of[k] : 0;
	}
	return true;
}

bool event_columns_allocs(struct event_columns_reader *r, struct sink_allocs *a, const char **bad)
{
	size_t n = r->n - r->next < EVENT_COLUMNS_BATCH ? r->n - r->next : EVENT_COLUMNS_BATCH;
	size_t of[FEW_SHAPES], have[EVENT_COLUMNS_FIELDS] = {0};

	*bad = NULL;
	*a = (struct sink_allocs){.n = 0};
	if (!n || !r->uniform || r->n_shapes > FEW_SHAPES)
		return false;
	count_shapes(r, n, of);
	if (!event_columns_survey(r, of, a, have))
		return false;
	for (unsigned bit = 0; bit < EVENT_COLUMNS_FIELDS; bit++) {
		bool each = r->follow && SINK_MOVES >> bit & 1;

		a->v[bit] = r->v[bit];
		if (!(r->live >> bit & 1))
			continue;
		if (!event_columns_values(r, bit, have[bit])) {
			*bad = "a column is cut short, or has a number that is too large";
			return false;
		}
		if (each && have[bit] && have[bit] < n)
			move_apart(r, bit, have[bit], n);
		if (bit == TIME && !r->follow)
			a->times = span_of(r->v[TIME], have[TIME]);
		if (!each && a->has >> bit & 1 && have[bit] > a->n)
			leave_out_frees(r, bit, n);
	}
	if (r->follow) {
		mark_frees(r, n);
		a->frees = r->frees;
	}
	r->next += n;
	return true;
}

bool event_columns_next(struct event_columns_reader *r, struct event ev[EVENT_COLUMNS_BATCH],
			size_t *n, uint64_t *unknown, const char **bad)
{
	size_t all = r->n - r->next < EVENT_COLUMNS_BATCH ? r->n - r->next : EVENT_COLUMNS_BATCH;
	const uint8_t *shape_of = r->shape_of ? r->shape_of + r->next : NULL;
	uint32_t have[EVENT_COLUMNS_FIELDS] = {0}, at[EVENT_COLUMNS_FIELDS] = {0};
	unsigned live = r->live;
	bool few = r->n_shapes <= FEW_SHAPES;
	size_t of[FEW_SHAPES] = {0};

	*n = 0;
	*unknown = 0;
	*bad = NULL;
	if (!all) {
		*bad = at_ends(r) ? NULL : "a column is longer than its events";
		return false;
	}
	if (few)
		count_shapes(r, all, of);
	for (unsigned bit = 0; bit < EVENT_COLUMNS_FIELDS; bit++) {
		if (!(live >> bit & 1))
			continue;
		for (size_t i = 0; few && i < r->n_shapes; i++)
			have[bit] += r->shapes[i].mask >> bit & 1 ? (uint32_t)of[i] : 0;
		for (size_t i = 0; !few && shape_of && i < all; i++)
			have[bit] += r->shapes[shape_of[i]].mask >> bit & 1;
		if (!event_columns_values(r, bit, have[bit])) {
			*bad = "a column is cut short, or has a number that is too large";
			return false;
		}
	}
	for (size_t i = 0; i < all; i++) {
		const struct shape *s = &r->shapes[shape_of ? shape_of[i] : 0];

		event_columns_put(&ev[*n], s, r, live, at);
		*n += s->known;
		*unknown += !s->known;
	}
	r->next += all;
	return true;
}
