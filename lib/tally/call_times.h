/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: times of calls and growth of heaps, from samples, enters and exits,
 * and deltas. Times between two events of a thread are its innermost open call's; after its last
 * event nothing is known to pass. Of ranges, the part that lies in them counts. The cell of a call has
 * its path (open_calls.h) as stack.
 */
#ifndef TM_TALLY_CALL_TIMES_H
#define TM_TALLY_CALL_TIMES_H

#include "lib/tally/open_calls.h"
#include "lib/tally/state.h"

struct call_times {
	struct tally_measure *cells; /* by cell; [n_cells] and above: nothing */
	size_t n_cells, cap_cells;
	uint32_t main_thread; /* + 1; 0: not known yet */
	struct open_calls open;
	uint64_t *debt; /* by stack: hook cost that no cell has been charged with */
	size_t cap_debt;
	uint32_t *latest; /* by stack: its last cell + 1; where there is a hook cost */
	size_t cap_latest;
	unsigned seen;     /* SUM_BITs that some event had */
	uint64_t selfless; /* samples without a time of their own */
	uint64_t clipped;  /* calls of which the ranges have a part only */
	bool declared;     /* the capture says that it knows times */
	unsigned time_state, net_state, period_state;
};

void call_times_free(struct call_times *m); /* accepts NULL */
void call_times_begin(struct tally *a, const struct trace *t);
/* What an event of time, of growth or of a counter is, as pending; false: it does not count. */
bool call_times_pending(const struct tally *a, const struct trace *t, const struct event *ev,
			struct queued_event *p);
/* p becomes the path of a call that it enters. */
void call_times_add(struct tally *a, struct trace *t, struct queued_event *p);
/* Needs no a->measures. */
void call_times_counter(struct tally *a, const struct queued_event *p);
void call_times_end(struct tally *a, struct trace *t);
void call_times_sums(const struct tally *a, size_t cell, struct tally_sums *s);
unsigned call_times_has(const struct tally *a, size_t cell);
/* What a slice has of a cell, or of all, as it is shown; measured: its calls of EV_DELTA. */
void call_times_part_sums(const struct tally *a, struct tally_sums *s, uint64_t measured);
unsigned call_times_slice_has(const struct tally *a);
void call_times_states(const struct tally *a, uint8_t state[SUMS]);

#endif
