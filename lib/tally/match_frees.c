/* SPDX-License-Identifier: MIT */
#include "lib/tally/match_frees.h"

#include "lib/base/mem.h"
#include "lib/tally/peak.h"
#include "lib/tally/selected.h"
#include "lib/tally/slices.h"

/* An allocation is over. p: the event that says so, in the same domain; freed: it is its free. */
static void end_block(struct tally *a, const struct live_block *b, const struct queued_event *p,
		      bool freed)
{
	struct tally_state *w = a->state;
	bool temporary = freed && b->newest;
	int64_t lifetime = -1;

	/* The cell is a cache miss that may not be needed. */
	if (!w->running && !w->rarely)
		return;
	if (freed && p->own_time && b->time != INT64_MIN &&
	    __builtin_sub_overflow(p->time, b->time, &lifetime))
		lifetime = -1;
	if (w->running)
		peak_fall(a, b->cell, (const uint64_t[]){b->count, b->requested, b->real},
			  p->domain);
	if (temporary) {
		uint64_t *n = &w->peak_tracker[p->domain].temporary;

		*n = add_saturating(*n, b->count);
		n = &w->peak_tracker[DOMAINS].temporary;
		*n = add_saturating(*n, b->count);
	}
	if (w->rarely) {
		struct cell_extra *r = &w->rare[b->cell];

		if (temporary)
			r->temporary = add_saturating(r->temporary, b->count);
		if (lifetime >= 0) {
			r->lifetime = add_saturating(r->lifetime, (uint64_t)lifetime);
			r->timed++;
		}
	}
	w->timed += lifetime >= 0;
	if (tally_slices_lives(a))
		slices_add_freed(a, b->cell, (const uint64_t[]){b->count, b->requested, b->real},
				 p->domain, temporary, lifetime);
}

/* What is live changes by count, requested and real, at an event's number. A block of a pool has no real bytes. */
static void change_curves(struct tally *a, const struct queued_event *p, uint64_t seq,
			  const uint64_t v[3], bool falls, bool guessed)
{
	struct tally_state *w = a->state;
	unsigned of[] = {p->domain, DOMAINS};
	uint64_t bytes = v[w->weigh == 2 && !v[2] ? 1 : w->weigh];

	bytes = falls ? -bytes : bytes;
	for (size_t i = 0; i < 2; i++) {
		struct live_curve *c = &w->curves[of[i]];

		c->guessed |= guessed;
		c->disordered |= !p->numbered;
		if (p->numbered)
			live_curve_add(c, seq, (int64_t)bytes, p->own_time && seq == p->seq,
				       p->time);
	}
}

static inline void change(struct tally *a, const struct queued_event *p, uint64_t seq,
			  const struct live_block *b, bool falls, bool guessed)
{
	if (a->state->numbering) {
		const uint64_t v[3] = {b->count, b->requested, b->real};

		change_curves(a, p, seq, v, falls, guessed);
	}
}

void match_frees_number(struct tally *a, struct queued_event *p)
{
	struct tally_state *w = a->state;
	int64_t time;

	if (!p->numbered)
		return;
	if (p->own_time) {
		live_curve_add(&w->curves[DOMAINS], p->seq, 0, true, p->time);
	} else if (live_curve_time(&w->curves[DOMAINS], p->seq, &time)) {
		p->time = time;
		p->timed = true;
		p->slice = (uint32_t)frame_marks_of(&w->marks, true, time);
	}
}

/* A block ended that this event allocates: by a free that came before it, or because its address was
 * allocated again, so that it had been freed before, at an unknown time. */
static void end_earlier(struct tally *a, const struct live_block *b, const struct queued_event *p)
{
	const struct live_block *newest = &a->live.blocks[a->live.touched];
	bool again = newest->seq > p->seq;
	uint64_t seq = again ? newest->seq : newest->freed;
	struct queued_event end = *p;

	change(a, p, seq, b, true, again);
	if (!tally_slices_lives(a) || !a->state->numbering) {
		end_block(a, b, p, false);
		return;
	}
	end.kind = EV_FREE;
	end.own_time = false;
	end.seq = seq;
	match_frees_number(a, &end);
	slices_reach(a, &end);
	end_block(a, b, &end, false);
	slices_reach(a, p);
}

/* The block that its thread allocated before is not the newest any more. Returns the owner's
 * number. */
static uint32_t no_longer_newest(struct tally *a, const struct queued_event *p)
{
	struct tally_state *w = a->state;
	uint32_t owner = p->thread_id * DOMAINS + p->domain, block;

	w->newest = mem_grow_zero(w->newest, &w->cap_newest, (size_t)owner + 1, sizeof *w->newest);
	block = w->newest[owner];
	if (block && block <= a->live.n && a->live.blocks[block - 1].newest == owner + 1)
		a->live.blocks[block - 1].newest = 0;
	w->newest[owner] = 0;
	return owner;
}

static void follow_block(struct tally *a, const struct queued_event *p)
{
	struct tally_state *w = a->state;
	struct live_block b = {.requested = p->requested,
			       .real = p->real,
			       .cell = p->cell,
			       .time = p->own_time ? p->time : INT64_MIN},
			  gone;
	uint32_t owner = 0;
	enum live_end ended;

	b.count = (p->count < LIVE_COUNT_MAX ? p->count : LIVE_COUNT_MAX) & LIVE_COUNT_MAX;
	if (w->temporary) {
		owner = no_longer_newest(a, p);
		b.newest = owner + 1;
	}
	ended = live_alloc(&a->live, p->space, p->address, p->seq, &b, &gone);
	if (ended == LIVE_OTHER) {
		change(a, p, p->seq, &gone, true, true);
		end_block(a, &gone, p, false);
	}
	if (w->running)
		peak_rise(a, b.cell, (const uint64_t[]){b.count, b.requested, b.real}, p->domain,
			  b.time);
	change(a, p, p->seq, &b, false, false);
	if (ended == LIVE_SELF)
		end_earlier(a, &gone, p);
	else if (w->temporary)
		w->newest[owner] = (uint32_t)a->live.touched + 1;
}

static void add_listed(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain)
{
	struct tally_state *w = a->state;

	w->listed = mem_grow_zero(w->listed, &w->cap_listed, (size_t)cell + 1, sizeof *w->listed);
	for (size_t m = 0; m < 3; m++)
		w->listed[cell][m] = add_saturating(w->listed[cell][m], v[m]);
	if (a->interval) {
		variance_add(&a->live_variance[domain], v[0], v[1], v[2]);
		variance_add(&a->live_variance[DOMAINS], v[0], v[1], v[2]);
	}
}

/* Blocks whose fate is known: nothing is matched. Freed ones were allocated by the event, and end by the next. */
static void follow_profile(struct tally *a, const struct queued_event *p)
{
	struct tally_state *w = a->state;
	const uint64_t v[3] = {p->count, p->requested, p->real};

	if (w->temporary)
		no_longer_newest(a, p);
	if (w->running)
		peak_rise(a, p->cell, v, p->domain, p->own_time ? p->time : INT64_MIN);
	if (w->numbering)
		change_curves(a, p, p->seq, v, false, false);
	if (p->fate == PROFILE_LIVE + 1) {
		add_listed(a, p->cell, v, p->domain);
		return;
	}
	if (w->running)
		peak_fall(a, p->cell, v, p->domain);
	if (w->numbering)
		change_curves(a, p, p->seq + 1, v, true, false);
	if (tally_slices_lives(a))
		slices_add_freed(a, p->cell, v, p->domain, false, -1);
}

void match_frees_alloc(struct tally *a, const struct queued_event *p)
{
	struct tally_state *w = a->state;

	if (p->address || p->fate) {
		a->cells[p->cell].followed = true;
		a->followed[p->domain] = a->followed[DOMAINS] = true;
	}
	if (p->fate) {
		follow_profile(a, p);
		return;
	}
	if (p->address) {
		follow_block(a, p);
		return;
	}
	if (w->temporary)
		no_longer_newest(a, p);
	if (w->rarely) {
		uint64_t *u = w->rare[p->cell].unfollowed;

		w->unfollowed = true;
		u[0] = add_saturating(u[0], p->count);
		u[1] = add_saturating(u[1], p->requested);
		u[2] = add_saturating(u[2], p->real);
	}
}

void match_frees_free(struct tally *a, const struct queued_event *p)
{
	struct live_block gone;
	uint64_t unknown = a->live.unknown_frees;

	if (!p->address)
		;
	else if (p->kind == EV_FREED ? live_freed(&a->live, p->space, p->address, p->seq, &gone)
				     : live_free(&a->live, p->space, p->address, p->seq, &gone)) {
		change(a, p, p->seq, &gone, true, p->kind == PENDING_COVER);
		end_block(a, &gone, p, p->kind == EV_FREE);
	}
	if (p->kind == PENDING_COVER)
		a->live.unknown_frees = unknown;
	if (p->kind == PENDING_COVER && a->state->temporary)
		no_longer_newest(a, p);
}

uint32_t match_frees_cell(const struct tally *a, uint32_t space, uint64_t address)
{
	const struct live_block *b = address ? live_peek(&a->live, space, address) : NULL;

	return b ? b->cell : UINT32_MAX;
}
