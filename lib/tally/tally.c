/* SPDX-License-Identifier: MIT */
#include "lib/tally/tally.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/tally/add.h"
#include "lib/tally/allocs.h"
#include "lib/tally/call_times.h"
#include "lib/tally/digest.h"
#include "lib/tally/kinds.h"
#include "lib/tally/match_frees.h"
#include "lib/tally/peak.h"
#include "lib/tally/selected.h"
#include "lib/tally/slices.h"
#include "lib/tally/state.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_HAS_COUNT = 1,
	CELL_HAS_REQUESTED = EV_HAS_REQUESTED >> 1,
	CELL_HAS_REAL = EV_HAS_REAL >> 1,
};

static uint64_t cell_hash(uint32_t type, uint32_t stack, uint32_t thread, uint8_t domain)
{
	return hash_u64(((uint64_t)type << 32 | stack) +
			((uint64_t)domain << 32 | thread) * 0x9e3779b97f4a7c15u);
}

/* Ids are cell indexes + 1. */
static const struct tally_cell *cell_at(const void *table, uint32_t id)
{
	return &((const struct tally_cell *)table)[id - 1];
}

static uint64_t tally_cell_row_hash(const void *table, uint32_t id)
{
	const struct tally_cell *c = cell_at(table, id);

	return cell_hash(c->type, c->stack, c->thread, c->domain);
}

static bool tally_cell_equal(const void *table, uint32_t id, const void *key)
{
	return tally_is_cell(cell_at(table, id), key);
}

static const struct id_rows cell_rows = {tally_cell_row_hash, tally_cell_equal};

/* The arrays parallel to the cells; a new row is all zeros. */
static void grow_beside(struct tally *a)
{
	struct tally_state *w = a->state;
	size_t n = a->n_cells;

	if (w->celled) {
		w->lives = mem_grow(w->lives, &w->cap_lives, n, sizeof *w->lives);
		memset(w->lives[n - 1], 0, sizeof *w->lives);
	}
	if (w->rarely) {
		w->rare = mem_grow(w->rare, &w->cap_rare, n, sizeof *w->rare);
		w->rare[n - 1] = (struct cell_extra){.temporary = 0};
	}
	if (w->peaking) {
		w->peaks = mem_grow(w->peaks, &w->cap_peaks, n, sizeof *w->peaks);
		memset(&w->peaks[n - 1], 0, sizeof *w->peaks);
	}
}

static uint32_t add_cell(struct tally *a, const struct queued_event *p)
{
	VEC_PUSH(a->cells, a->n_cells, a->cap_cells) = (struct tally_cell){
	    .type = p->type, .stack = p->stack, .thread = p->thread, .domain = p->domain};
	a->n_of_blocks += p->domain < DOMAINS;
	grow_beside(a);
	return (uint32_t)a->n_cells - 1;
}

static void into_set(struct tally *a, uint32_t cell)
{
	id_set_add(&a->state->set, &cell_rows, a->cells, tally_cell_row_hash(a->cells, cell + 1),
		   cell + 1);
	a->cells[cell].in_set = true;
}

/* last: a cell of the same stack, though not this one. Most stacks have one cell only, which
 * a->last finds: it comes into the set when the stack gets a second one. */
static uint32_t find_cell(struct tally *a, const struct queued_event *p, uint32_t last)
{
	uint32_t id, cell;

	if (last >= a->n_cells)
		return add_cell(a, p);
	if (!a->cells[last].in_set)
		into_set(a, last);
	id = id_set_find(&a->state->set, &cell_rows, a->cells,
			 cell_hash(p->type, p->stack, p->thread, p->domain), p);
	if (id)
		return id - 1;
	cell = add_cell(a, p);
	into_set(a, cell);
	return cell;
}

uint32_t tally_place(struct tally *a, const struct queued_event *p)
{
	struct tally_state *w = a->state;
	uint32_t last = w->last[p->stack];

	if (last >= a->n_cells || !tally_is_cell(&a->cells[last], p))
		w->last[p->stack] = find_cell(a, p, last);
	return w->last[p->stack];
}

uint64_t *tally_frame_sums(struct tally *a, unsigned domain, size_t mark)
{
	struct tally_state *w = a->state;
	struct frame_sums *f = &w->frames[domain];

	if (!mark || !w->marks.items[mark - 1].selected)
		return NULL;
	f->v = mem_grow_zero(f->v, &f->cap, mark, sizeof *f->v);
	f->n = mark > f->n ? mark : f->n;
	return f->v[mark - 1];
}

/* The first of the largest by each sum. */
static void find_worst(struct tally *a)
{
	const struct tally_state *w = a->state;

	for (size_t d = 0; d < DOMAINS; d++)
		for (size_t i = 0; i < w->frames[d].n; i++)
			for (size_t m = 0; m <= SUM_REAL; m++) {
				struct tally_frame *worst = &a->worst[d][m];

				if (w->frames[d].v[i][m] <= worst->v[m])
					continue;
				worst->number = w->marks.items[i].number;
				memcpy(worst->v, w->frames[d].v[i], sizeof worst->v);
			}
}

static void tally_add_type_total(struct tally *a, const struct queued_event *p)
{
	struct tally_type *ty = &a->types[p->type];
	const uint64_t v[SUM_REAL + 1] = {
	    [SUM_COUNT] = p->count, [SUM_REQUESTED] = p->requested, [SUM_REAL] = p->real};

	ty->has |= (uint8_t)((p->has & (EV_HAS_REQUESTED | EV_HAS_REAL)) >> 1) |
		   (p->has & EV_HAS_COUNT ? CELL_HAS_COUNT : 0);
	ty->count = add_saturating(ty->count, p->count);
	ty->requested = add_saturating(ty->requested, p->requested);
	ty->real = add_saturating(ty->real, p->real);
	derived_add(&ty->derived, &p->derived);
	if (a->slices)
		slices_add(a, p);
	tally_frame_add(tally_frame_sums(a, p->domain, p->slice), v);
}

static void tally_add_alloc(struct tally *a, struct queued_event *p)
{
	const uint64_t v[SUM_REAL + 1] = {[SUM_COUNT] = p->count,
					  [SUM_ENTRIES] = 1,
					  [SUM_REQUESTED] = p->requested,
					  [SUM_REAL] = p->real};

	/* Looked up again: an event before in the batch may have made the stack's first cell. */
	p->cell = tally_place(a, p);
	tally_add_allocation(a, p);
	tally_frame_add(tally_frame_sums(a, p->domain, p->slice), v);
	if (a->state->follow)
		match_frees_alloc(a, p);
}

/* What is kept beside the cell of each event, as far as blocks are where they are looked for first. */
static void prefetch_beside(const struct tally *a, const struct queued_event *end)
{
	const struct tally_state *w = a->state;

	for (const struct queued_event *p = w->batch; p < end; p++) {
		uint32_t cell = p->kind == EV_ALLOC ? w->last[p->stack]
				: w->follow         ? match_frees_cell(a, p->space, p->address)
						    : UINT32_MAX;

		if (cell < a->n_cells)
			match_frees_fetch(a, cell);
	}
}

static bool is_of_slice(const struct tally *a, const struct queued_event *p)
{
	switch (p->kind) {
	case EV_FRAME:
	case PENDING_NO_FRAME: return false;
	case EV_FREE:
	case EV_FREED:
	case PENDING_COVER: return tally_slices_lives(a);
	default: return a->slices;
	}
}

/* The place of each event is fetched before the first is needed: with a million stacks nearly
 * every look is a cache miss, and a batch of them is answered in the time of a few. */
enum status tally_flush(struct tally *a, struct trace *t, struct err *e)
{
	struct tally_state *w = a->state;
	struct queued_event *end = w->batch + w->n_batch;

	for (struct queued_event *p = w->batch; p < end; p++) {
		if (p->kind == EV_ALLOC)
			__builtin_prefetch(&w->last[p->stack], 1);
		if (w->follow && p->address)
			live_prefetch_slot(&a->live, p->space, p->address);
	}
	for (struct queued_event *p = w->batch; p < end; p++) {
		if (p->kind == EV_ALLOC) {
			uint32_t last = w->last[p->stack];

			if (last < a->n_cells) {
				__builtin_prefetch(&a->cells[last], 1);
				__builtin_prefetch(&a->cells[last].real, 1);
			}
		}
		if (w->follow && p->address)
			live_prefetch_block(&a->live, p->space, p->address);
	}
	if (w->celled || w->rarely)
		prefetch_beside(a, end);
	w->n_batch = 0;
	for (struct queued_event *p = w->batch; p < end; p++) {
		if (is_of_slice(a, p))
			slices_reach(a, p);
		switch (p->kind) {
		case EV_ALLOC: tally_add_alloc(a, p); break;
		case EV_FREE:
		case EV_FREED:
		case PENDING_COVER: match_frees_free(a, p); break;
		case EV_TYPE_TOTAL: tally_add_type_total(a, p); break;
		case EV_FRAME: break;
		case EV_ENTER:
		case EV_EXIT:
		case EV_SAMPLE:
		case EV_DELTA: call_times_add(a, t, p); break;
		case EV_COUNTER: call_times_counter(a, p); break;
		default: break;
		}
	}
	return a->slices ? slices_check(a, e) : ST_OK;
}

static void grow_tables(struct tally *a, const struct trace *t)
{
	struct tally_state *w = a->state;

	if (t->n_stacks > w->cap_last) {
		size_t old = w->cap_last;

		w->last = mem_grow(w->last, &w->cap_last, t->n_stacks, sizeof *w->last);
		memset(w->last + old, 0xff, (w->cap_last - old) * sizeof *w->last);
	}
	a->types = mem_grow_zero(a->types, &w->cap_types, t->n_types, sizeof *a->types);
}

void tally_fit(struct tally *a, const struct trace *t)
{
	if (t->n_stacks > a->state->cap_last)
		grow_tables(a, t);
}

/* Slices begin with the first mark. */
static void slice_from_here(struct tally *a)
{
	if (!a->options.slice_marked || a->slices)
		return;
	a->slices = slices_new();
	slices_reset(a->slices);
}

/* Of a second reading: all marks are there before the first event. */
static void know_marks(struct tally *a, const struct trace *t)
{
	const struct tally_selection *s = a->options.selection;
	struct tally_state *w = a->state;

	if (!t->marks)
		return;
	frame_marks_know(&w->marks, t->marks, s ? &s->frames : NULL);
	if (t->marks->n)
		slice_from_here(a);
	for (size_t i = 0; a->slices && i < t->marks->n; i++)
		slices_mark(a, i, t->marks->items[i].name);
}

static enum status tally_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct tally *a = (struct tally *)s;
	struct tally_state *w = a->state;
	const char *interval = trace_get(t, TRACE_SAMPLE_INTERVAL);

	(void)e;
	a->n_cells = a->n_of_blocks = w->n_batch = 0;
	id_set_clear(&w->set);
	memset(w->last, 0xff, w->cap_last * sizeof *w->last);
	memset(a->types, 0, w->cap_types * sizeof *a->types);
	memset(a->records, 0, sizeof a->records);
	memset(a->followed, 0, sizeof a->followed);
	memset(a->worst, 0, sizeof a->worst);
	for (size_t d = 0; d < DOMAINS; d++) {
		if (w->frames[d].v)
			memset(w->frames[d].v, 0, w->frames[d].n * sizeof *w->frames[d].v);
		w->frames[d].n = 0;
	}
	memset(w->peak_tracker, 0, sizeof w->peak_tracker);
	memset(&w->at, 0, sizeof w->at);
	for (size_t d = 0; d <= DOMAINS; d++)
		live_curve_reset(&w->curves[d]);
	a->has_time = false;
	a->extent = (struct tally_extent){.any = false};
	if (w->newest)
		memset(w->newest, 0, w->cap_newest * sizeof *w->newest);
	selector_begin(&w->selector, t);
	if (w->allocate)
		memset(w->allocate, 0, w->cap_allocate);
	w->seq = w->timed = 0;
	memset(a->without_address, 0, sizeof a->without_address);
	memset(a->variance, 0, sizeof a->variance);
	memset(a->live_variance, 0, sizeof a->live_variance);
	if (w->listed)
		memset(w->listed, 0, w->cap_listed * sizeof *w->listed);
	a->interval = 0;
	if (interval)
		num_dec(interval, strlen(interval), &a->interval);
	memset(a->without_requested, 0, sizeof a->without_requested);
	memset(a->without_real, 0, sizeof a->without_real);
	a->unselected = a->untimed = a->backward = a->early = 0;
	a->returned = false;
	frame_marks_reset(&w->marks);
	w->passed = SIZE_MAX;
	w->taken = w->unfollowed = false;
	live_reset(&a->live);
	kinds_reset(&w->kinds);
	tally_choose_state(a, t);
	if (a->slices)
		slices_reset(a->slices);
	know_marks(a, t);
	call_times_begin(a, t);
	counters_reset(&a->counters);
	grow_tables(a, t);
	return ST_OK;
}

static inline __attribute__((always_inline)) void count_alloc(struct tally *a,
							      const struct trace *t,
							      const struct event *ev,
							      unsigned domain, unsigned fate)
{
	a->records[domain]++;
	tally_see_thread(a, ev->has & EV_HAS_THREAD && ev->thread < t->n_threads ? ev->thread : 0,
			 domain);
	for (unsigned d = domain;; d = DOMAINS) {
		a->without_requested[d] += !(ev->has & EV_HAS_REQUESTED);
		a->without_real[d] += !(ev->has & EV_HAS_REAL);
		a->without_address[d] += a->state->follow && !fate && !(ev->has & EV_HAS_ADDRESS);
		if (a->interval)
			variance_add(&a->variance[d], ev->has & EV_HAS_COUNT ? ev->count : 1,
				     ev->has & EV_HAS_REQUESTED ? ev->requested : 0,
				     ev->has & EV_HAS_REAL ? ev->real : 0);
		if (d == DOMAINS)
			break;
	}
}

static void tally_mark(struct tally *a, const struct event *ev, bool selected)
{
	struct tally_state *w = a->state;
	struct frame_mark mark = frame_mark_of(ev);

	mark.selected = selected;
	frame_marks_add(&w->marks, &mark);
	if (w->marks.known)
		return;
	a->early += selected && ev->has & EV_HAS_TIME && a->extent.last > ev->time;
	slice_from_here(a);
	if (a->slices)
		slices_mark(a, w->marks.n - 1, ev->name);
}

static enum status tally_add_profile(struct tally *a, struct trace *t, const struct event *ev,
				     struct err *e);

/* Of what calls take, how heaps grow, and what counters say; allocations of profiles, too. */
static enum status tally_add_measure(struct tally *a, struct trace *t, const struct event *ev,
				     struct err *e)
{
	struct tally_state *w = a->state;
	bool nests = ev->kind == EV_ENTER || ev->kind == EV_EXIT;
	bool counter = ev->kind == EV_COUNTER && a->options.counters;

	if (ev->kind == EV_PROFILE)
		return tally_add_profile(a, t, ev, e);
	if (!counter &&
	    (!a->call_times || (!nests && ev->kind != EV_SAMPLE && ev->kind != EV_DELTA)))
		return ST_OK;
	if (ev->has & EV_HAS_TIME)
		tally_reach_time(a, ev->time);
	tally_fit(a, t);
	if (counter && !(ev->has & EV_HAS_VALUE))
		return ST_OK;
	if (!call_times_pending(a, t, ev, &w->batch[w->n_batch]))
		return ST_OK;
	tally_set_slice(a, &w->batch[w->n_batch]);
	if (a->options.selection && !tally_selected(a, t, ev)) {
		/* What is open has to be known in the ranges too. */
		if (!nests || !selector_has_thread(&w->selector, t, ev->thread))
			return ST_OK;
		w->batch[w->n_batch].count = 0;
	}
	return ++w->n_batch == TALLY_BATCH ? tally_flush(a, t, e) : ST_OK;
}

/* fate: as in queued_event, of an allocation that was EV_PROFILE; else 0. */
static inline __attribute__((always_inline)) enum status tally_add_event(
    struct tally *a, struct trace *t, const struct event *ev, unsigned fate, struct err *e)
{
	struct tally_state *w = a->state;
	struct queued_event *p = &w->batch[w->n_batch];
	unsigned kind = ev->kind;

	if (ev->has & EV_HAS_TIME)
		extent_reach(&a->extent, ev->time);
	else
		extent_follow(&a->extent);
	if (kind > EV_TYPE_TOTAL)
		return tally_add_measure(a, t, ev, e);
	if (kind == EV_FREE || kind == EV_FREED) {
		/* Freeing nothing is legal and frees nothing. */
		if (!w->follow || !ev->address)
			return ST_OK;
	}
	p->own_time = ev->has & EV_HAS_TIME;
	if (p->own_time)
		tally_reach_time(a, ev->time);
	if (kind == EV_FRAME) {
		const struct frame_mark mark = frame_mark_of(ev);

		w->at.frame = ev->value;
		w->at.in_frame = true;
		extent_frame(&a->extent, a->options.selection, &mark, a->has_time, w->at.time);
	}
	if (a->options.selection)
		kind = tally_selected(a, t, ev);
	if (!kind)
		return ST_OK;
	if (ev->kind == EV_FRAME)
		tally_mark(a, ev, kind == EV_FRAME);
	if (t->n_stacks > w->cap_last || t->n_types > w->cap_types)
		grow_tables(a, t);
	p->kind = (uint8_t)kind;
	p->domain = ev->domain < DOMAINS ? ev->domain : DOMAIN_MALLOC;
	p->has = ev->has & (ev->kind == EV_TYPE_TOTAL ? w->from_types : w->from_allocs);
	p->type = ev->type < t->n_types ? ev->type : 0;
	p->stack = ev->stack < t->n_stacks ? ev->stack : 0;
	if (kind == EV_ALLOC && a->options.collapse & COLLAPSE_STACKS)
		p->stack = 0;
	if (kind == EV_ALLOC && a->options.collapse & COLLAPSE_TYPES)
		p->type = 0;
	p->thread_id = ev->thread < t->n_threads ? ev->thread : 0;
	p->thread = a->options.split & SPLIT_THREAD ? p->thread_id : 0;
	p->count = p->has & EV_HAS_COUNT ? ev->count : ev->kind == EV_ALLOC;
	p->requested = p->has & EV_HAS_REQUESTED ? ev->requested : 0;
	p->real = p->has & EV_HAS_REAL ? ev->real : 0;
	p->address = ev->address;
	p->fate = (uint8_t)fate;
	p->timed = a->has_time;
	p->time = w->at.time;
	tally_set_slice(a, p);
	derived_set(&p->derived, derived_of(a->want, ev->has), ev->requested, ev->real);
	if (w->follow) {
		p->space = t->threads[p->thread_id].process * DOMAINS + p->domain;
		p->numbered = fate || ev->has & EV_HAS_SEQ;
		p->seq = ev->has & EV_HAS_SEQ ? ev->seq : w->seq + 1;
		if (ev->kind != EV_FREED && p->seq > w->seq)
			w->seq = p->seq + (fate == PROFILE_FREED + 1);
		if (w->numbering)
			match_frees_number(a, p);
	}
	if (kind == EV_ALLOC)
		count_alloc(a, t, ev, p->domain, fate);
	return ++w->n_batch == TALLY_BATCH ? tally_flush(a, t, e) : ST_OK;
}

/* As an allocation, which has no address and need not be matched. */
static enum status tally_add_profile(struct tally *a, struct trace *t, const struct event *ev,
				     struct err *e)
{
	struct event alloc = *ev;

	alloc.kind = EV_ALLOC;
	alloc.address = 0;
	alloc.has &= (uint16_t) ~(EV_HAS_ADDRESS | EV_HAS_SEQ);
	return tally_add_event(a, t, &alloc,
			       ev->has & EV_HAS_VALUE ? 1u + (ev->value != PROFILE_FREED) : 0, e);
}

static bool tally_take_digest(struct tally *a, struct trace *t, const struct sink_digest *d)
{
	struct err e = ERR_INIT;

	/* Few events, of which each is looked at. */
	if (a->interval || a->state->marks.known)
		return false;
	if (d->made) {
		a->state->taken = tally_add_snapshot(a, d);
		return a->state->taken;
	}
	return a->options.selection && !a->slices && !tally_flush(a, t, &e) &&
	       tally_take_unselected(a, d);
}

static enum status tally_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			       struct err *e)
{
	struct tally *a = (struct tally *)s;
	enum status st = ST_OK;

	if (b->columns)
		return allocs_on_batch(a, t, b->columns, e);
	if (b->moves)
		return kinds_take(a, b->moves);
	if (b->digest)
		return tally_take_digest(a, t, b->digest) ? ST_OK : ST_NONE;
	for (size_t i = 0; !st && i < b->n; i++)
		st = tally_add_event(a, t, &b->rows[i], 0, e);
	return st;
}

static unsigned tally_wants(struct sink *s, const struct trace *t)
{
	const struct tally *a = (const struct tally *)s;

	(void)t;
	return allocs_fields(a) | (kinds_suffice(&a->options) ? SINK_WANTS_MOVES : 0) |
	       SINK_WANTS_DIGESTS;
}

/* Samples of all captures are in one unit, and their times of one clock, or the capture is refused. */
static enum status tally_samples(struct tally_state *w, const struct trace *t, struct err *e)
{
	const char *in = trace_samples_in(t), *clock = trace_get(t, TRACE_CLOCK);

	if (!t->events[EV_SAMPLE])
		return ST_OK;
	if ((w->samples_in && trace_samples_agree(in, w->samples_in, e)) ||
	    trace_clocks_agree(clock, w->clock, e))
		return err_failure(e);
	if (!w->samples_in)
		w->samples_in = mem_strdup(in);
	if (!w->clock && clock)
		w->clock = mem_strdup(clock);
	return ST_OK;
}

static enum status tally_end(struct sink *s, struct trace *t, struct err *e)
{
	struct tally *a = (struct tally *)s;
	struct tally_state *w = a->state;
	enum status st;

	grow_tables(a, t);
	st = tally_flush(a, t, e);
	if (!w->taken)
		a->returned = tally_has_returned(a);
	if (!st)
		st = tally_samples(w, t, e);
	if (!st && a->call_times)
		call_times_end(a, t);
	/* Of what came before its mark it was not known whose it is. */
	if (!w->taken && !a->early)
		find_worst(a);
	if (!st && a->slices)
		st = slices_end(a, t, e);
	if (st)
		return st;
	kinds_to_cells(a, t);
	if (w->follow && !w->taken) {
		live_finish(&a->live);
		tally_settle_live(a);
	}
	if (w->peaking && !w->taken)
		peak_end(a);
	if (w->numbering && !w->taken)
		peak_by_number(a);
	kinds_settle(a);
	if (!w->taken)
		tally_count_threads(a, t);
	return a->options.done ? a->options.done(a->options.arg, t, a, e) : ST_OK;
}

void tally_init(struct tally *a, const struct tally_options *o)
{
	struct tally_state *w = mem_zalloc(sizeof *w);

	*a = (struct tally){
	    .sink = {tally_begin, tally_batch, tally_end, tally_wants}, .options = *o, .state = w};
	w->selector.selection = o->selection;
	/* So that the tables are never NULL. */
	w->last = mem_grow(NULL, &w->cap_last, 1024, sizeof *w->last);
	a->types = mem_grow_zero(NULL, &w->cap_types, 64, sizeof *a->types);
}

void tally_release(struct tally *a)
{
	struct tally_state *w = a->state;

	free(a->cells);
	free(a->types);
	slices_free(a->slices);
	call_times_free(a->call_times);
	counters_release(&a->counters);
	live_release(&a->live);
	if (w) {
		free(w->lives);
		free(w->listed);
		free(w->rare);
		free(w->peaks);
		free(w->last);
		id_set_release(&w->set);
		frame_marks_release(&w->marks);
		for (size_t d = 0; d < DOMAINS; d++)
			free(w->frames[d].v);
		for (size_t d = 0; d <= DOMAINS; d++)
			live_curve_release(&w->curves[d]);
		kinds_release(&w->kinds);
		free(w->newest);
		free(w->samples_in);
		free(w->clock);
		selector_release(&w->selector);
		free(w->allocate);
	}
	free(w);
	*a = (struct tally){.n_cells = 0};
}
