/* SPDX-License-Identifier: MIT
 *
 * Internal to spikes.h: complete samples. Their callers are those of their stack; what a call
 * gives its callers ("parents") counts for the samples of these stacks that come after it.
 */
#ifndef TM_REPORT_SPIKES_SAMPLES_H
#define TM_REPORT_SPIKES_SAMPLES_H

#include "lib/report/spikes/reading.h"

enum status spikes_sample(struct spikes *s, const struct trace *t, const struct event *ev,
			  struct err *e);

#endif
