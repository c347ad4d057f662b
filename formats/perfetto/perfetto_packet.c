/* SPDX-License-Identifier: MIT
 *
 * Packets: what they say of their sequence, and what is to be done with the rest.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"
#include "lib/pack/deflate.h"
#include "lib/pack/zstd.h"

#include <stdlib.h>
#include <string.h>

enum { SEQ_CLEARED = 1, SEQ_NEEDS_STATE = 2 };
enum { PACKED_ZLIB = 50, PACKED_ZSTD = 133 };

struct perfetto_seq *perfetto_seq_of(struct perfetto *x, uint32_t id)
{
	uint32_t have = map64_get(&x->seq_ids, id), *at;

	if (!have && x->n_seqs >= PERFETTO_SEQS_MOST)
		return NULL;
	at = map64_put(&x->seq_ids, id);
	if (!*at) {
		VEC_PUSH(x->seqs, x->n_seqs, x->cap_seqs) = (struct perfetto_seq){.id = id};
		*at = (uint32_t)x->n_seqs;
	}
	return &x->seqs[*at - 1];
}

void perfetto_seqs_release(struct perfetto *x)
{
	for (size_t i = 0; i < x->n_seqs; i++) {
		struct perfetto_seq *s = &x->seqs[i];

		perfetto_tables_free(s->tables);
		perfetto_tables_free(s->own);
		map64_release(&s->sums);
		free(s->values);
		free(s->rows);
	}
	free(x->seqs);
	x->seqs = NULL;
	x->n_seqs = x->cap_seqs = 0;
	map64_release(&x->seq_ids);
}

/* --- a packet's fields --- */

/* The field of data that counts: packets have one. */
static bool is_data(const struct pb_field *f)
{
	static const uint8_t others[] = {3, 8, 10, 12, 13, 36, 41, 42, 58, 59, 79, 87, 98};

	if (f->number >= PERFETTO_DATA || f->wire != PB_BYTES)
		return false;
	for (size_t i = 0; i < sizeof others; i++)
		if (others[i] == f->number)
			return false;
	return true;
}

static void perfetto_parse_field(struct perfetto_packet *p, const struct pb_field *f)
{
	switch (f->number) {
	case 8:
		p->timestamp = f->value;
		p->has_time = true;
		return;
	case 10: p->seq = (uint32_t)f->value; return;
	case 12: p->interned = *f; return;
	case 13: p->flags = (uint32_t)f->value; return;
	case 41: p->cleared = f->value; return;
	case 42: p->dropped = (uint32_t)f->value; return;
	case 58:
		p->clock = (uint32_t)f->value;
		p->has_clock = true;
		return;
	case 59: p->defaults = *f; return;
	default:
		if (is_data(f))
			p->data = *f;
	}
}

/* The counter that samples are weighed by, where they do not say. */
static void parse_weight(struct perfetto *x, struct perfetto_seq *s, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 2 && f.wire == PB_BYTES) {
			struct perfetto_weight w = perfetto_weight_of(pb_of(&f));

			s->unit = w.unit;
			s->factor = w.factor;
			x->timed |= w.unit == PERFETTO_UNIT_NS;
		}
}

static void parse_tracks(const struct pb_field *f, uint64_t *list, uint32_t *n)
{
	struct pb b = pb_of(f);
	uint64_t v = f->value;

	if (f->wire == PB_VARINT && *n < PERFETTO_EXTRA_MOST)
		list[(*n)++] = v;
	while (f->wire == PB_BYTES && *n < PERFETTO_EXTRA_MOST && pb_packed(&b, &v))
		list[(*n)++] = v;
}

static void forget_defaults(struct perfetto_seq *s)
{
	s->clock = 0;
	s->has_track = false;
	s->n_extra = s->n_doubles = 0;
	s->unit = 0;
}

static void perfetto_parse_defaults(struct perfetto *x, struct perfetto_seq *s, struct pb b)
{
	struct pb_field f, of;

	forget_defaults(s);
	while (pb_next(&b, &f)) {
		struct pb events = pb_of(&f);

		if (f.number == 58)
			s->clock = (uint32_t)f.value;
		if (f.number == 100)
			parse_weight(x, s, pb_of(&f));
		while (f.number == 11 && pb_next(&events, &of))
			if (of.number == 11) {
				s->track = of.value;
				s->has_track = true;
			} else if (of.number == 31) {
				parse_tracks(&of, s->extra, &s->n_extra);
			} else if (of.number == 45) {
				parse_tracks(&of, s->doubles, &s->n_doubles);
			}
	}
}

static void seq_clear(struct perfetto *x, struct perfetto_seq *s)
{
	if (x->pass == PERFETTO_EVENTS)
		perfetto_profile_flush(x, s);
	if (s->tables)
		perfetto_tables_clear(s->tables);
	forget_defaults(s);
	map64_release(&s->sums);
	s->n_values = 0;
}

static void scan_weights(struct perfetto *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 50 && f.wire == PB_BYTES)
			x->timed |= perfetto_weight_of(pb_of(&f)).unit == PERFETTO_UNIT_NS;
}

/* What the packet says of its sequence; false: it needs what was lost. */
static bool perfetto_apply_state(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p)
{
	if (p->dropped && s->state == PERFETTO_VALID)
		x->dropped += x->pass == PERFETTO_SCAN;
	if (p->dropped)
		s->state = s->state == PERFETTO_NEW ? PERFETTO_NEW : PERFETTO_LOST;
	if (p->cleared || p->flags & SEQ_CLEARED) {
		seq_clear(x, s);
		s->state = PERFETTO_VALID;
	}
	if (p->flags & SEQ_NEEDS_STATE && s->state != PERFETTO_VALID) {
		x->unneeded += x->pass == PERFETTO_SCAN;
		return false;
	}
	if (p->defaults.number)
		perfetto_parse_defaults(x, s, pb_of(&p->defaults));
	if (p->interned.number && x->pass == PERFETTO_SCAN)
		scan_weights(x, pb_of(&p->interned));
	if (p->interned.number && x->pass == PERFETTO_EVENTS && s->state != PERFETTO_LOST) {
		if (!s->tables)
			s->tables = mem_zalloc(sizeof *s->tables);
		perfetto_intern(x, s->tables, pb_of(&p->interned), false);
	}
	return true;
}

static void perfetto_find_time(struct perfetto *x, struct perfetto_seq *s,
			       struct perfetto_packet *p)
{
	uint64_t id = p->has_clock ? p->clock : s ? s->clock : 0;
	uint64_t key = id >= 64 && id < 128 ? (uint64_t)p->seq << 32 | id : id;
	uint32_t clock;
	const struct perfetto_clock *c;
	int64_t ns;

	if (!p->has_time)
		return;
	clock = perfetto_clock_of(x, key);
	if (!clock)
		return;
	c = &x->clocks.list[clock - 1];
	if (p->timestamp > INT64_MAX || __builtin_mul_overflow((int64_t)p->timestamp, c->unit, &ns))
		return;
	if (c->steps && s && s->step_clock == key)
		ns = s->step = __builtin_add_overflow(s->step, ns, &ns) ? s->step : ns;
	p->time = (struct perfetto_time){clock, ns};
}

/* --- packed packets --- */

struct unpacked {
	struct inflate_to to; /* first */
	struct perfetto *x;
	bool full;
};

static size_t perfetto_packet_unpacked_room(struct inflate_to *to, uint8_t **place)
{
	struct unpacked *u = (struct unpacked *)to;
	struct buf *b = &u->x->unpacked;

	if (b->len >= PERFETTO_UNPACKED_MOST) {
		u->full = true;
		return 0;
	}
	*place = (uint8_t *)buf_reserve(b, 1 << 16);
	return 1 << 16;
}

static void perfetto_packet_unpacked_consumed(struct inflate_to *to, size_t n)
{
	((struct unpacked *)to)->x->unpacked.len += n;
}

static enum status perfetto_unpack(struct perfetto *x, const struct pb_field *f, uint64_t offset,
				   struct err *e)
{
	struct unpacked u = {
	    .to = {perfetto_packet_unpacked_room, perfetto_packet_unpacked_consumed}, .x = x};
	const char *why;
	enum status st = ST_OK;
	struct pb_field packet;
	struct pb b;

	x->unpacked.len = 0;
	if (f->number == PACKED_ZLIB) {
		why = inflate_zlib(&u.to, f->s, f->n);
	} else {
		struct zstd *z = zstd_new();

		why = zstd_unpack(z, &u.to, f->s, f->n);
		zstd_free(z);
	}
	b = (struct pb){(const uint8_t *)buf_at(&x->unpacked, 0),
			(const uint8_t *)buf_at(&x->unpacked, x->unpacked.len), false};
	while (!st && pb_next(&b, &packet))
		if (packet.number == 1 && packet.wire == PB_BYTES) {
			struct pb inner = pb_of(&packet);

			st = perfetto_on_packet(x, &inner, offset, 1, e);
		}
	if (x->pass == PERFETTO_SCAN && (why || u.full || b.bad) && !x->broken++)
		x->first_broken = offset;
	return st;
}

/* --- the whole --- */

enum status perfetto_on_packet(struct perfetto *x, const struct pb *message, uint64_t offset,
			       unsigned depth, struct err *e)
{
	struct pb b = *message;
	struct perfetto_packet p = {.offset = offset};
	struct perfetto_seq *s = NULL;
	struct pb_field f;

	while (pb_next(&b, &f))
		perfetto_parse_field(&p, &f);
	if (x->pass == PERFETTO_SCAN) {
		x->packets++;
		if (b.bad && !x->broken++)
			x->first_broken = offset;
	}
	if (b.bad)
		return ST_OK;
	if (p.data.number == PACKED_ZLIB || p.data.number == PACKED_ZSTD) {
		if (!depth)
			return perfetto_unpack(x, &p.data, offset, e);
		x->broken += x->pass == PERFETTO_SCAN;
		return ST_OK;
	}
	if (p.seq) {
		s = perfetto_seq_of(x, p.seq);
		x->more_seqs += !s && x->pass == PERFETTO_SCAN;
		if (!s || !perfetto_apply_state(x, s, &p))
			return ST_OK;
	}
	perfetto_find_time(x, s, &p);
	if (x->pass == PERFETTO_SCAN && p.data.number)
		x->kinds[p.data.number]++;
	return perfetto_dispatch(x, &p, e);
}
