/* SPDX-License-Identifier: MIT
 *
 * aggregates N ROWS FOLDER: N aggregates 0.tma ... as N captures of one game would give them, of
 * ROWS stacks each out of 2 * ROWS that there are. Their sum is known: capture c
 * has stack s when (c + s) is even, with c + s + 1 bytes in one allocation. Prints the sum of all
 * bytes and of all allocations.
 */
#include "lib/base/mem.h"
#include "lib/profile/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct aggregate_record *r, uint64_t capture, uint64_t count, uint64_t bytes)
{
	struct aggregate_place at = {.input = capture + 1};

	aggregate_value_add(aggregate_record_make(r, SUM_COUNT), (__int128)count, at, true);
	aggregate_value_add(aggregate_record_make(r, SUM_REQUESTED), (__int128)bytes, at, true);
}

static void write_one(uint64_t capture, uint64_t rows, struct aggregate_writer *w, uint64_t *count,
		      uint64_t *bytes)
{
	enum { DEPTH = 12 };
	struct aggregate_record r = {.has = 0};
	struct aggregate_call calls[DEPTH];
	char names[DEPTH][64], name[64];
	uint64_t sum = 0, n = 0;
	static const char metrics[] = "made by a generator";

	for (uint64_t s = 0; s < 2 * rows; s++)
		if ((capture + s) % 2 == 0) {
			sum += capture + s + 1;
			n++;
		}
	r.key.kind = AGG_HEAD;
	r.texts[2] = (struct aggregate_text){metrics, strlen(metrics)};
	r.counts[0] = 1;
	aggregate_writer_record(w, &r);
	aggregate_record_clear(&r);
	snprintf(name, sizeof name, "capture-%" PRIu64, capture);
	r.key = (struct aggregate_key){.kind = AGG_INPUT, .hash = capture + 1, .bytes = sum};
	r.texts[0] = (struct aggregate_text){name, strlen(name)};
	r.counts[0] = r.counts[1] = 1;
	r.counts[3] = n + 5; /* and the head, this one, two wholes, a key */
	aggregate_writer_record(w, &r);
	for (unsigned which = AGG_ALL; which <= AGG_UNFILTERED; which++) {
		aggregate_record_clear(&r);
		r.key = (struct aggregate_key){.kind = AGG_WHOLE, .which = which};
		if (which == AGG_ALL)
			r.marks[SUM_COUNT] = r.marks[SUM_REQUESTED] = 1;
		add(&r, capture, n, sum);
		aggregate_writer_record(w, &r);
	}
	for (uint64_t s = 0; s < 2 * rows; s++) {
		if ((capture + s) % 2)
			continue;
		aggregate_record_clear(&r);
		for (size_t d = 0; d < DEPTH; d++) {
			/* The first calls are those of many, as in games. */
			uint64_t shared = s >> (2 * (DEPTH - 1 - d));

			snprintf(names[d], sizeof names[d], "game::part%zu::work_%08" PRIu64, d,
				 shared);
			calls[d] =
			    (struct aggregate_call){{names[d], strlen(names[d])}, {"game", 4}};
		}
		r.key = (struct aggregate_key){
		    .kind = AGG_ROW, .by = KEY_STACK, .calls = calls, .n_calls = DEPTH};
		r.texts[0] = calls[DEPTH - 1].raw;
		add(&r, capture, 1, capture + s + 1);
		aggregate_writer_record(w, &r);
	}
	aggregate_record_clear(&r);
	r.key = (struct aggregate_key){.kind = AGG_KEY, .by = KEY_STACK};
	r.counts[0] = 1;
	r.marks[SUM_COUNT] = r.marks[SUM_REQUESTED] = 1;
	aggregate_writer_record(w, &r);
	aggregate_record_release(&r);
	*count += n;
	*bytes += sum;
}

int main(int argc, char **argv)
{
	uint64_t n, rows, count = 0, bytes = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: aggregates N ROWS FOLDER\n");
		return 2;
	}
	n = strtoull(argv[1], NULL, 10);
	rows = strtoull(argv[2], NULL, 10);
	for (uint64_t i = 0; i < n; i++) {
		struct aggregate_writer w;
		char path[4096];
		FILE *f;

		snprintf(path, sizeof path, "%s/%" PRIu64 ".tma", argv[3], i);
		f = fopen(path, "wb");
		if (!f)
			return 3;
		aggregate_writer_init(&w, f, NULL);
		write_one(i, rows, &w, &count, &bytes);
		aggregate_writer_end(&w);
		aggregate_writer_release(&w);
		if (fclose(f))
			return 3;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", bytes, count);
	return 0;
}
