/* SPDX-License-Identifier: MIT
 *
 * The line of perf script that begins a sample.
 */
#ifndef TM_FORMATS_PERF_PERF_LINE_H
#define TM_FORMATS_PERF_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_text {
	const char *s, *end;
};

struct perf_line {
	struct perf_text comm, event, rest; /* rest: behind the event's colon */
	uint64_t pid, tid, period;
	int64_t time; /* ns */
	bool has_pid, has_time, has_period;
};

static inline bool perf_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline void perf_skip_blanks(struct perf_text *t)
{
	while (t->s < t->end && perf_blank(*t->s))
		t->s++;
}

/* False: the n bytes are no such line. Texts are borrowed. */
bool perf_line_parse(const char *s, size_t n, struct perf_line *l);

#endif
