/* SPDX-License-Identifier: MIT
 *
 * The policy that --init-policy proposes: limits on the peak, on what is left, on all that was allocated and on
 * each site. A limit is above the differences between runs of one build. The runs, compared with each other in
 * any way, keep it.
 */
#ifndef TM_REPORT_COMPARE_POLICY_INIT_H
#define TM_REPORT_COMPARE_POLICY_INIT_H

#include "lib/base/buf.h"
#include "lib/report/compare/compare.h"

enum { POLICY_INIT_RUNS = 5 }; /* fewer are too few, which the policy then says */

/* Of the last group; text with comments, appended. ST_UNSUPPORTED: not every run knows bytes or times. */
enum status policy_init(const struct compare *c, struct buf *b, struct err *e);

#endif
