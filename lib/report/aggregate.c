/* SPDX-License-Identifier: MIT */
#include "lib/report/aggregate.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_HAS_COUNT = 1,
	CELL_HAS_REQUESTED = EV_HAS_REQUESTED >> 1,
	CELL_HAS_REAL = EV_HAS_REAL >> 1
};

static size_t cell_hash(uint32_t type, uint32_t stack, uint8_t domain)
{
	return (size_t)hash_u64(((uint64_t)type << 32 | stack) +
				(uint64_t)domain * 0x9e3779b97f4a7c15u);
}

static void enlarge(struct aggregate *a)
{
	size_t size = a->slots ? (a->mask + 1) * 2 : 4096;

	free(a->slots);
	a->slots = mem_zarray(size, sizeof *a->slots);
	a->mask = size - 1;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct aggregate_cell *c = &a->cells[i];
		size_t k = cell_hash(c->type, c->stack, c->domain) & a->mask;

		while (a->slots[k])
			k = (k + 1) & a->mask;
		a->slots[k] = (uint32_t)i + 1;
	}
}

static struct aggregate_cell *find_cell(struct aggregate *a, uint32_t type, uint32_t stack,
					uint8_t domain)
{
	size_t i;

	if (!a->slots || a->n_cells > a->mask / 2)
		enlarge(a);
	for (i = cell_hash(type, stack, domain) & a->mask; a->slots[i]; i = (i + 1) & a->mask) {
		struct aggregate_cell *c = &a->cells[a->slots[i] - 1];

		if (c->stack == stack && c->type == type && c->domain == domain)
			return c;
	}
	VEC_PUSH(a->cells, a->n_cells, a->cap_cells) =
	    (struct aggregate_cell){.type = type, .stack = stack, .domain = domain};
	a->slots[i] = (uint32_t)a->n_cells;
	return &a->cells[a->n_cells - 1];
}

static void end_frame(struct aggregate *a)
{
	if (!a->in_frame)
		return;
	for (size_t d = 0; d < DOMAINS; d++)
		for (size_t m = 0; m <= SUM_REAL; m++)
			if (a->frame[d].v[m] > a->worst[d][m].v[m])
				a->worst[d][m] = a->frame[d];
	memset(a->frame, 0, sizeof a->frame);
}

static void start_frame(struct aggregate *a, int64_t number)
{
	end_frame(a);
	a->in_frame = true;
	a->frames++;
	for (size_t d = 0; d < DOMAINS; d++)
		a->frame[d].number = number;
}

static void add_type_total(struct aggregate *a, const struct aggregate_pending *p)
{
	struct aggregate_type *ty = &a->types[p->type];
	uint64_t *v = a->frame[p->domain].v;

	ty->has |= (uint8_t)((p->has & (EV_HAS_REQUESTED | EV_HAS_REAL)) >> 1) |
		   (p->has & EV_HAS_COUNT ? CELL_HAS_COUNT : 0);
	ty->count = add_saturating(ty->count, p->count);
	ty->requested = add_saturating(ty->requested, p->requested);
	ty->real = add_saturating(ty->real, p->real);
	if (a->in_frame) {
		v[SUM_COUNT] = add_saturating(v[SUM_COUNT], p->count);
		v[SUM_REQUESTED] = add_saturating(v[SUM_REQUESTED], p->requested);
		v[SUM_REAL] = add_saturating(v[SUM_REAL], p->real);
	}
}

static void add_to_cell(struct aggregate *a, struct aggregate_cell *c,
			const struct aggregate_pending *p)
{
	c->entries++;
	c->count = add_saturating(c->count, p->count);
	c->requested = add_saturating(c->requested, p->requested);
	c->real = add_saturating(c->real, p->real);
	c->has |= (uint8_t)((p->has & (EV_HAS_REQUESTED | EV_HAS_REAL)) >> 1);
	if (a->in_frame) {
		uint64_t *v = a->frame[p->domain].v;

		v[SUM_ENTRIES]++;
		v[SUM_COUNT] = add_saturating(v[SUM_COUNT], p->count);
		v[SUM_REQUESTED] = add_saturating(v[SUM_REQUESTED], p->requested);
		v[SUM_REAL] = add_saturating(v[SUM_REAL], p->real);
	}
}

static void add_alloc(struct aggregate *a, struct aggregate_pending *p)
{
	struct aggregate_cell *c = p->cell < a->n_cells ? &a->cells[p->cell] : NULL;

	if (!c || c->stack != p->stack || c->type != p->type || c->domain != p->domain) {
		c = find_cell(a, p->type, p->stack, p->domain);
		p->cell = (uint32_t)(c - a->cells);
		a->last[p->stack] = p->cell;
	}
	add_to_cell(a, c, p);
	if (a->follow && p->address) {
		uint64_t count = p->count < UINT32_MAX ? p->count : UINT32_MAX;
		struct live_block b = {.requested = p->requested,
				       .real = p->real,
				       .cell = p->cell,
				       .count = (uint32_t)count};

		live_alloc(&a->live, p->space, p->address, p->seq, &b);
	}
}

/* The place of each event is asked for before the first is needed: with a million stacks nearly
 * every look is a cache miss, and a batch of them is answered in the time of a few. */
static void flush(struct aggregate *a)
{
	struct aggregate_pending *end = a->batch + a->n_batch;

	for (struct aggregate_pending *p = a->batch; p < end; p++) {
		if (p->kind == EV_ALLOC)
			__builtin_prefetch(&a->last[p->stack], 1);
		if (a->follow && p->address)
			live_prefetch_slot(&a->live, p->space, p->address);
	}
	for (struct aggregate_pending *p = a->batch; p < end; p++) {
		if (p->kind == EV_ALLOC) {
			p->cell = a->last[p->stack];
			if (p->cell < a->n_cells) {
				__builtin_prefetch(&a->cells[p->cell], 1);
				__builtin_prefetch(&a->cells[p->cell].real, 1);
			}
		}
		if (a->follow && p->address)
			live_prefetch_block(&a->live, p->space, p->address);
	}
	for (struct aggregate_pending *p = a->batch; p < end; p++) {
		switch (p->kind) {
		case EV_ALLOC: add_alloc(a, p); break;
		case EV_FREE: live_free(&a->live, p->space, p->address, p->seq); break;
		case EV_FREED: live_freed(&a->live, p->space, p->address, p->seq); break;
		case EV_TYPE_TOTAL: add_type_total(a, p); break;
		case EV_FRAME: start_frame(a, (int64_t)p->address); break;
		default: break;
		}
	}
	a->n_batch = 0;
}

static void grow_tables(struct aggregate *a, const struct trace *t)
{
	if (t->n_stacks > a->cap_last) {
		size_t old = a->cap_last;

		a->last = mem_grow(a->last, &a->cap_last, t->n_stacks, sizeof *a->last);
		memset(a->last + old, 0xff, (a->cap_last - old) * sizeof *a->last);
	}
	if (t->n_types > a->cap_types) {
		size_t old = a->cap_types;

		a->types = mem_grow(a->types, &a->cap_types, t->n_types, sizeof *a->types);
		memset(a->types + old, 0, (a->cap_types - old) * sizeof *a->types);
	}
}

/* A metric known per type comes from type totals, any other from allocations: never both. */
static void set_fields(struct aggregate *a, const struct trace *t)
{
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};

	a->from_allocs = a->from_types = 0;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++)
		if (t->metrics[m].state != METRIC_ABSENT)
			*(t->metrics[m].key == METRIC_AT_TYPE ? &a->from_types : &a->from_allocs) |=
			    fields[m];
}

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	struct aggregate *a = (struct aggregate *)s;

	(void)e;
	a->n_cells = a->n_batch = 0;
	if (a->slots)
		memset(a->slots, 0, (a->mask + 1) * sizeof *a->slots);
	memset(a->last, 0xff, a->cap_last * sizeof *a->last);
	memset(a->types, 0, a->cap_types * sizeof *a->types);
	memset(a->records, 0, sizeof a->records);
	memset(a->worst, 0, sizeof a->worst);
	memset(a->frame, 0, sizeof a->frame);
	a->frames = a->seq = 0;
	a->without_address = a->without_requested = a->without_real = 0;
	a->in_frame = false;
	a->follow = t->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	set_fields(a, t);
	live_reset(&a->live);
	a->live.unordered = t->unordered;
	free(a->live_sums);
	a->live_sums = NULL;
	grow_tables(a, t);
	return ST_OK;
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct aggregate *a = (struct aggregate *)s;
	struct aggregate_pending *p = &a->batch[a->n_batch];

	(void)e;
	if (ev->kind > EV_TYPE_TOTAL)
		return ST_OK;
	if (ev->kind == EV_FREE || ev->kind == EV_FREED) {
		/* Freeing nothing is legal and frees nothing. */
		if (!a->follow || !ev->address)
			return ST_OK;
	}
	if (t->n_stacks > a->cap_last || t->n_types > a->cap_types)
		grow_tables(a, t);
	p->kind = ev->kind;
	p->domain = ev->domain < DOMAINS ? ev->domain : DOMAIN_MALLOC;
	p->has = ev->has & (ev->kind == EV_TYPE_TOTAL ? a->from_types : a->from_allocs);
	p->type = ev->type < t->n_types ? ev->type : 0;
	p->stack = ev->stack < t->n_stacks ? ev->stack : 0;
	p->count = p->has & EV_HAS_COUNT ? ev->count : ev->kind == EV_ALLOC;
	p->requested = p->has & EV_HAS_REQUESTED ? ev->requested : 0;
	p->real = p->has & EV_HAS_REAL ? ev->real : 0;
	p->address = ev->kind == EV_FRAME ? (uint64_t)ev->value : ev->address;
	if (a->follow) {
		uint32_t process = ev->thread < t->n_threads ? t->threads[ev->thread].process : 0;

		p->space = process * DOMAINS + p->domain;
		p->seq = ev->has & EV_HAS_SEQ ? ev->seq : a->seq + 1;
		if (ev->kind != EV_FREED && p->seq > a->seq)
			a->seq = p->seq;
	}
	if (ev->kind == EV_ALLOC) {
		a->records[p->domain]++;
		a->without_address += a->follow && !(ev->has & EV_HAS_ADDRESS);
		a->without_requested += !(ev->has & EV_HAS_REQUESTED);
		a->without_real += !(ev->has & EV_HAS_REAL);
	}
	if (++a->n_batch == AGGREGATE_BATCH)
		flush(a);
	return ST_OK;
}

static void settle_live(struct aggregate *a)
{
	live_finish(&a->live);
	a->live_sums = mem_zarray(a->n_cells + 1, sizeof *a->live_sums);
	for (size_t i = 0; i < a->live.n; i++) {
		const struct live_block *b = &a->live.blocks[i];
		struct aggregate_live *l = &a->live_sums[b->cell];

		if (!b->allocated)
			continue;
		l->count = add_saturating(l->count, b->count);
		l->requested = add_saturating(l->requested, b->requested);
		l->real = add_saturating(l->real, b->real);
	}
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	struct aggregate *a = (struct aggregate *)s;

	grow_tables(a, t);
	flush(a);
	end_frame(a);
	if (a->follow)
		settle_live(a);
	return a->done ? a->done(a->arg, t, a, e) : ST_OK;
}

void aggregate_init(struct aggregate *a)
{
	*a = (struct aggregate){.sink = {begin, event, end}};
	/* So that the tables are never NULL. */
	a->last = mem_grow(NULL, &a->cap_last, 1024, sizeof *a->last);
	a->types = mem_grow(NULL, &a->cap_types, 64, sizeof *a->types);
}

void aggregate_release(struct aggregate *a)
{
	free(a->cells);
	free(a->live_sums);
	free(a->types);
	free(a->last);
	free(a->slots);
	live_release(&a->live);
	*a = (struct aggregate){.n_cells = 0};
}
