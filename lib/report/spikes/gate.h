/* SPDX-License-Identifier: MIT
 *
 * The gate on the number of spikes as checks: one rule, and a breach for each of the worst stacks.
 */
#ifndef TM_REPORT_SPIKES_GATE_H
#define TM_REPORT_SPIKES_GATE_H

#include "lib/report/spikes/groups.h"
#include "lib/table/checks.h"

enum { SPIKES_BREACHES_MAX = 50 }; /* listed one by one; the rest is counted */

struct spikes_gate {
	struct table_checks checks; /* one item */
	struct arena arena;         /* all that it has is there */
};

/* unsure: why nothing is certain, NULL: it is. More spikes than max fail whether it is or not,
 * unless a rule was given up that might have allowed them (gave_up). Borrows s and g. */
void spikes_gate_init(struct spikes_gate *x, const struct spikes *s, const struct spike_groups *g,
		      uint64_t max, const char *unsure, bool gave_up);
void spikes_gate_release(struct spikes_gate *x);

#endif
