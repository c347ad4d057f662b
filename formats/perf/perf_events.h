/* SPDX-License-Identifier: MIT
 *
 * The kinds of events that perf sampled, for the readers of its text and of its files. Each is a marker in the trace
 * and, at the capture's end, a counter with the sum of its samples' periods, as in perf report. Two clocks do not add
 * up: times are those of the first, the periods of others are periods.
 */
#ifndef TM_FORMATS_PERF_PERF_EVENTS_H
#define TM_FORMATS_PERF_PERF_EVENTS_H

#include "formats/emit.h"

enum { PERF_EVENTS_MOST = 64 };

struct perf_events { /* zeroed is empty; owns nothing */
	struct perf_event_kind {
		uint32_t name, marker; /* string, marker */
		bool clock;            /* its period is ns */
		uint64_t samples, periods;
	} kinds[PERF_EVENTS_MOST];
	size_t n;
	const struct perf_event_kind *time; /* the clock whose periods are times; NULL: none yet */
	uint64_t others;                    /* asked for beyond PERF_EVENTS_MOST */
};

/* Its period is a time, in ns. */
bool perf_event_is_clock(const char *name, size_t n);
/* The kind with a name, which is added when it is new; NULL: there are too many. */
struct perf_event_kind *perf_event_kind(struct perf_events *x, struct trace *t, const char *name,
					size_t n);
/* Puts into *sample what is of the kind, with this period, which is not 0 where it is known. */
void perf_events_sample(struct perf_events *x, const struct trace *t, struct perf_event_kind *kind,
			uint64_t period, struct emit_sample *sample);
enum status perf_events_push(const struct perf_events *x, struct import *im, struct err *e);
void perf_events_note(const struct perf_events *x, struct trace *t);

#endif
