/* SPDX-License-Identifier: MIT
 *
 * Readers over arbitrary bytes, and the checks that hold for all readers and all bytes.
 *
 * Every event and row (reading_sink): ids exist and are of the right table, parents come before
 * their children, kinds and fields are in range, an absent field is 0, tables only grow, captures
 * begin and end in turn, the counts by kind are those of the events.
 *
 * A share of the inputs, chosen by their bytes, has more to pass:
 *  - read twice, it is the same trace;
 *  - the trace that is written of it has the same events, and is written again to the same bytes;
 *  - cut, the events are the first of what the whole has (struct reader's cut);
 *  - its events in two halves, merged, add up to what they do in one.
 */
#ifndef TM_TESTS_FUZZ_READING_H
#define TM_TESTS_FUZZ_READING_H

#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What else holds of a family's events: aborts when it does not. */
typedef void reading_rule_fn(const struct event *ev);

struct reading_sink {
	struct sink sink;      /* first */
	reading_rule_fn *rule; /* or NULL */
	struct sink *to;       /* gets everything behind the checks; or NULL */
	bool trace;            /* a trace is read */

	/* private */
	const struct trace *t; /* between begin and end */
	uint64_t events[EV_KINDS];
	size_t modules, locations, stacks, types, threads, markers, counters;
	uint64_t n, *hashes; /* of each event, where they are kept */
	uint64_t kept;       /* so many of them */
	uint64_t last;       /* counters behind all other events */
};

void reading_sink_init(struct reading_sink *s, reading_rule_fn *rule, struct sink *to);

/* Bytes, or the file or folder at a path. */
struct reading_source {
	const uint8_t *data;
	size_t n;
	const char *path; /* NULL: data */
};

/* All of the above. The bids of the reader are checked too, on bytes. */
void fuzz_reading_of(const struct reading_source *from, const struct import_options *o,
		     reading_rule_fn *rule);
void fuzz_reading_by(const char *name, const uint8_t *data, size_t n, reading_rule_fn *rule);
void fuzz_reading(const char *name, const uint8_t *data, size_t n);

#endif
