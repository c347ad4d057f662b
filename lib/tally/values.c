/* SPDX-License-Identifier: MIT
 *
 * The sums of cells and types at the end of a capture, and how well each is known.
 */
#include "lib/tally/tally.h"

#include "lib/tally/call_times.h"
#include "lib/tally/state.h"

#include <string.h>

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* What was allocated and is not live any more; an allocation without an address is neither. */
static void add_freed(const struct tally *a, size_t cell, struct tally_sums *s)
{
	const struct tally_state *w = a->state;
	const uint64_t *u =
	    w->unfollowed || (w->rarely && w->taken) ? w->rare[cell].unfollowed : NULL;
	const uint64_t *live = w->lives[cell];
	static const enum sum of[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};

	for (size_t m = 0; m < 3; m++)
		s->v[SUM_FREED_COUNT + m] = minus(minus(s->v[of[m]], u ? u[m] : 0), live[m]);
}

unsigned tally_has(const struct tally *a, size_t cell)
{
	const struct tally_state *w = a->state;
	const struct tally_cell *c = &a->cells[cell];
	/* Per metric that a record can lack: its sums. */
	unsigned has = SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_LIVE_COUNT) |
		       SUM_BIT(SUM_FREED_COUNT) | SUM_BIT(SUM_PEAK_COUNT) | SUM_BIT(SUM_TEMPORARY);

	if (c->domain >= CELL_TIMED)
		return tally_timed(a, cell) ? call_times_has(a, cell) : 0;
	if (c->has & EV_HAS_REQUESTED >> 1)
		has |= SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_LIVE_REQUESTED) |
		       SUM_BIT(SUM_FREED_REQUESTED) | SUM_BIT(SUM_PEAK_REQUESTED);
	if (c->has & EV_HAS_REAL >> 1)
		has |= SUM_BIT(SUM_REAL) | SUM_BIT(SUM_LIVE_REAL) | SUM_BIT(SUM_FREED_REAL) |
		       SUM_BIT(SUM_PEAK_REAL);
	if (w->rarely) {
		has |= derived_bits(&w->rare[cell].derived);
		has |= w->rare[cell].timed ? (unsigned)SUMS_LIFETIME : 0;
	}
	if (w->follow && !c->followed)
		has &= ~(unsigned)(SUMS_LIVE | SUMS_FREED | SUMS_PEAK | SUM_BIT(SUM_TEMPORARY));
	return has & w->known;
}

void tally_sums(const struct tally *a, size_t cell, struct tally_sums *s)
{
	const struct tally_state *w = a->state;
	const struct tally_cell *c = &a->cells[cell];

	memset(s, 0, sizeof *s);
	s->has = tally_has(a, cell);
	s->v[SUM_ENTRIES] = c->entries;
	if (c->domain >= CELL_TIMED) {
		if (tally_timed(a, cell))
			call_times_sums(a, cell, s);
		return;
	}
	s->v[SUM_COUNT] = c->count;
	s->v[SUM_REQUESTED] = c->requested;
	s->v[SUM_REAL] = c->real;
	if (w->rarely) {
		const struct cell_extra *r = &w->rare[cell];

		derived_put(&r->derived, s);
		s->v[SUM_TEMPORARY] = r->temporary;
		s->v[SUM_LIFETIME] = r->lifetime;
		s->v[SUM_TIMED] = r->timed;
	}
	if (w->lives && w->follow) {
		memcpy(&s->v[SUM_LIVE_COUNT], w->lives[cell], sizeof w->lives[cell]);
		add_freed(a, cell, s);
	}
	if (w->peaking)
		memcpy(&s->v[SUM_PEAK_COUNT],
		       w->peaks[cell]
			       [tally_mixed(a, a->options.domains_together ? DOMAINS : c->domain)]
				   .v,
		       sizeof w->peaks[cell]->v);
}

void tally_type_sums(const struct tally *a, uint32_t type, struct tally_sums *s)
{
	const struct tally_type *ty = &a->types[type];

	memset(s, 0, sizeof *s);
	s->v[SUM_COUNT] = ty->count;
	s->v[SUM_REQUESTED] = ty->requested;
	s->v[SUM_REAL] = ty->real;
	derived_put(&ty->derived, s);
	s->has = derived_bits(&ty->derived) | (ty->has & 1 ? SUM_BIT(SUM_COUNT) : 0) |
		 (ty->has & EV_HAS_REQUESTED >> 1 ? SUM_BIT(SUM_REQUESTED) : 0) |
		 (ty->has & EV_HAS_REAL >> 1 ? SUM_BIT(SUM_REAL) : 0);
}

static unsigned weaker(unsigned a, unsigned b)
{
	return a == METRIC_ABSENT || b == METRIC_ABSENT ? METRIC_ABSENT : a > b ? a : b;
}

bool tally_counts_blocks(const struct trace *t)
{
	return t->metrics[METRIC_COUNT].state != METRIC_ABSENT ||
	       t->metrics[METRIC_LIVE].state != METRIC_ESTIMATED;
}

bool tally_knows_temporary(const struct trace *t)
{
	return !t->unordered && t->metrics[METRIC_COUNT].state <= METRIC_EXACT &&
	       t->metrics[METRIC_LIVE].state != METRIC_ESTIMATED && !trace_frees_are_of_kinds(t);
}

/* Blocks of a kind have one size, and a filter on stacks takes all of them. */
unsigned tally_unidentified(const struct tally *a, const struct trace *t)
{
	enum { REAL = 1 << SUM_LIVE_REAL | 1 << SUM_FREED_REAL | 1 << SUM_PEAK_REAL };
	const struct tally_selection *s = a->options.selection;
	unsigned no = t->metrics[METRIC_REAL].state == METRIC_ABSENT ? REAL : 0;

	if (a->returned)
		return SUMS_MATCHED & ~no;
	if (!trace_frees_are_of_kinds(t))
		return 0;
	return s && selection_begins_later(s) ? SUMS_MATCHED & ~no
					      : SUM_BIT(SUM_TEMPORARY) | SUMS_LIFETIME;
}

/* Live, freed and at the peak, of count, requested and real. */
static void tally_values_matched_states(const struct tally *a, const struct trace *t,
					unsigned domain, uint8_t state[SUMS])
{
	const struct tally_state *w = a->state;
	static const enum sum of[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	const struct tally_selection *selection = a->options.selection;
	unsigned live = t->metrics[METRIC_LIVE].state;
	bool overflow = false;

	/* A free without a time may belong before or behind the end of a range. */
	if (selection && t->unordered && (selection->times.n || selection->frames.n))
		live = weaker(live, METRIC_ESTIMATED);
	/* What has no address may be live, too. */
	if (a->without_address[domain] && a->followed[domain])
		live = weaker(live, METRIC_LOWER_BOUND);
	for (size_t d = 0; d <= DOMAINS; d++)
		overflow |= w->peak_tracker[d].overflow;
	for (size_t m = 0; m < 3; m++) {
		bool at_type = t->metrics[m].key == METRIC_AT_TYPE;
		unsigned s = m == METRIC_COUNT ? live : at_type ? 0u : weaker(state[of[m]], live);

		state[SUM_LIVE_COUNT + m] = (uint8_t)s;
		state[SUM_FREED_COUNT + m] = (uint8_t)s;
		/* Where events come in any order, live bytes at a moment are not known. */
		state[SUM_PEAK_COUNT + m] = t->unordered || overflow ? 0 : (uint8_t)s;
	}
	state[SUM_TEMPORARY] = tally_knows_temporary(t) ? (uint8_t)live : 0;
	state[SUM_LIFETIME] = state[SUM_TIMED] = t->unordered || !w->timed ? 0 : (uint8_t)live;
	if (tally_counts_blocks(t))
		return;
	state[SUM_LIVE_COUNT] = state[SUM_FREED_COUNT] = state[SUM_PEAK_COUNT] = 0;
	state[SUM_LIFETIME] = state[SUM_TIMED] = 0;
}

/* As the fields that it follows from. Returns its SUM_BIT if it is known per type only. */
static unsigned derive_state(unsigned k, unsigned at_types, uint8_t state[SUMS])
{
	const bool requested = derived_needs[k] & EV_HAS_REQUESTED,
		   real = derived_needs[k] & EV_HAS_REAL;
	unsigned st = requested ? state[SUM_REQUESTED] : state[SUM_REAL];
	unsigned of = (requested ? SUM_BIT(SUM_REQUESTED) : 0) | (real ? SUM_BIT(SUM_REAL) : 0);

	if (requested && real)
		st = weaker(st, state[SUM_REAL]);
	state[derived_sums[k]] = (uint8_t)st;
	return st && at_types & of ? SUM_BIT(derived_sums[k]) : 0;
}

unsigned tally_states_unasked(const struct tally *a, const struct trace *t, unsigned domain,
			      uint8_t state[SUMS])
{
	static const enum sum of[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	const uint64_t partly[] = {0, a->without_requested[domain], a->without_real[domain]};
	unsigned at_types = 0, unidentified = tally_unidentified(a, t);

	memset(state, 0, SUMS);
	state[SUM_ENTRIES] = METRIC_EXACT;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		unsigned s = t->metrics[m].state;

		if (t->metrics[m].key == METRIC_AT_TYPE && s != METRIC_ABSENT)
			at_types |= SUM_BIT(of[m]);
		else if (s == METRIC_EXACT && partly[m])
			s = METRIC_LOWER_BOUND;
		state[of[m]] = (uint8_t)s;
	}
	for (unsigned k = 0; k < DERIVED; k++)
		at_types |= derive_state(k, at_types, state);
	if (a->state->follow)
		tally_values_matched_states(a, t, domain, state);
	if (a->call_times)
		call_times_states(a, state);
	for (size_t i = 0; i < SUMS; i++)
		if (unidentified >> i & 1)
			state[i] = METRIC_ABSENT;
	return at_types;
}

unsigned tally_states(const struct tally *a, const struct trace *t, unsigned domain,
		      uint8_t state[SUMS])
{
	unsigned at_types = tally_states_unasked(a, t, domain, state);

	for (size_t i = 0; i < SUMS; i++)
		if (!(a->want >> i & 1))
			state[i] = METRIC_ABSENT;
	return at_types;
}

unsigned tally_cell_states(const struct tally *a, const struct trace *t, unsigned domain)
{
	uint8_t state[SUMS];
	unsigned at_types = tally_states(a, t, domain, state), known = 0;

	for (unsigned s = 0; s < SUMS; s++)
		known |= state[s] != METRIC_ABSENT ? SUM_BIT(s) : 0;
	return known & ~at_types;
}

int tally_domain_of_most(const struct tally *a,
			 bool (*keeps)(void *arg, const struct tally_cell *c), void *arg)
{
	uint64_t bytes[DOMAINS] = {0}, entries[DOMAINS] = {0};

	/* Asked at the end of each slice, until some domain has something. */
	for (size_t i = 0; a->n_of_blocks && i < a->n_cells; i++) {
		const struct tally_cell *c = &a->cells[i];

		if (c->domain >= DOMAINS || !(c->count || c->requested || c->real) ||
		    (keeps && !keeps(arg, c)))
			continue;
		bytes[c->domain] =
		    add_saturating(bytes[c->domain], c->requested ? c->requested : c->real);
		entries[c->domain] = add_saturating(entries[c->domain], c->count ? c->count : 1);
	}
	return domain_most(bytes, entries);
}

bool tally_totals(const struct tally *a, unsigned domain, struct tally_totals *to)
{
	const struct tally_state *w = a->state;
	const struct peak_tracker *t = &w->peak_tracker[domain];
	const struct peak_crest *crest = tally_mixed(a, domain) ? &t->asked : &t->crest;
	unsigned weighed = tally_weighed(a, domain);

	if (!w->running || !(w->temporary || w->numbering) || !weighed || t->overflow ||
	    t->peakless)
		return false;
	*to = (struct tally_totals){.bytes = weighed == 2 ? SUM_REAL : SUM_REQUESTED,
				    .live_count = t->live[0],
				    .live = t->live[weighed],
				    .temporary = t->temporary,
				    .has_temporary = w->temporary,
				    .about = t->about,
				    .peak = crest->best[weighed],
				    .peak_at = crest->when,
				    .interval = a->interval,
				    .all_variance = a->variance[domain],
				    .live_variance = a->live_variance[domain]};
	return true;
}
