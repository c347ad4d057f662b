/* SPDX-License-Identifier: MIT
 *
 * The parts of runs that a rule does not see: records that do not have its metric, and blocks of domains that do
 * not count.
 */
#ifndef TM_REPORT_COMPARE_GATE_KNOWN_H
#define TM_REPORT_COMPARE_GATE_KNOWN_H

#include "lib/report/compare/gate_rule.h"

/* The rule is about calls, and runs of the sides that it looks at have no stacks: all of them, so that everything is one
 * entity, or some, which were recorded in another way. *b: which. */
bool gate_known_without_stacks(const struct compare *c, const struct policy_rule *r, struct buf *b);
/* The rule is about names, which some runs of the sides have and others do not. *b: which. */
bool gate_known_without_names(const struct compare *c, const struct policy_rule *r, struct buf *b);
/* The program's build-id is the same on both sides. *b: that one has names and the other has none, where that is so. */
bool gate_known_one_build(const struct compare *c, struct buf *b);
/* The rule's metric is a lower bound in a run of the sides that it looks at, while another says more. *b: which, and
 * the metric to take instead. */
bool gate_known_in_part(const struct compare *c, const struct policy_rule *r, struct buf *b);
/* Blocks that do not count, of domains that the user did not choose, grew by more than the rule allows. *b: which. */
bool gate_known_others_grew(const struct compare *c, const struct policy_rule *r, struct buf *b);
/* "domain pool, not judged: 20.0 KiB -> 1.9 MiB", of the runs' means; nothing: all counts. */
void gate_known_add_others(const struct compare *c, struct buf *b);

#endif
