/* SPDX-License-Identifier: MIT
 *
 * A sink that hands everything on to two, for two reports from one reading. The second sees each
 * event, and a capture's end, after the first; neither may change the trace in a way that the other
 * does not expect. An error of one ends both.
 */
#ifndef TM_TRACE_TEE_H
#define TM_TRACE_TEE_H

#include "lib/trace/tap.h"

struct sink_tee {
	struct sink_tap tap; /* first; before the second sink */
	struct sink *first;
};

/* b stays where it is; the two sinks are the caller's. */
void sink_tee_init(struct sink_tee *b, struct sink *first, struct sink *second);

#endif
