/* SPDX-License-Identifier: MIT
 *
 * Internal to spikes.h: the rules applied to a call in its stack, and the handling of a call over
 * its limit.
 */
#ifndef TM_REPORT_SPIKES_JUDGE_H
#define TM_REPORT_SPIKES_JUDGE_H

#include "lib/report/spikes/reading.h"
#include "lib/select/selector.h"

struct spike_place {
	const struct trace *t;
	uint32_t thread;
	struct selection_place at;
	const uint32_t *callers; /* function ids */
	size_t n_callers;
};

/* The thread's state, with what rules and selection say of it; its place may change. */
struct spike_thread *spikes_thread(struct spikes *s, const struct trace *t, uint32_t id);

/* parent: the caller's state; NULL: none. */
void spikes_judge(const struct spikes *s, uint32_t function, uint64_t thread_limit,
		  const struct spike_state *parent, const struct spike_place *place,
		  struct spike_state *to);

/* The texts of a spike are gathered with these, then spikes_report filters and hands it on. */
void spikes_add_text(struct spikes *s, size_t at, const char *text, size_t n);
void spikes_add_rule_text(struct spikes *s, const struct spike_seen *spike, size_t at,
			  const char *pattern);
/* kept: the bits of filters of its path; the owner of that is in the spike. */
enum status spikes_report(struct spikes *s, struct spike_seen *spike, uint32_t marker,
			  uint32_t kept, bool *reported, struct err *e);

#endif
