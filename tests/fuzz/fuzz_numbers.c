/* SPDX-License-Identifier: MIT
 *
 * Numbers, sizes, times, dates and ranges as the command line has them, each as a whole string. A
 * number that is taken is the same when it is written down and read again; what a decimal reader
 * takes the wider ones take as the same; a range that is added has its ends in order, and is added
 * again as the same; what is refused says why.
 */
#include "lib/base/num.h"
#include "lib/history/history.h"
#include "lib/profile/merge.h"
#include "lib/report/compare/policy.h"
#include "lib/select/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void whole_numbers(const char *s, size_t n)
{
	uint64_t v, w;
	int64_t i, k;
	char text[32];

	if (num_dec(s, n, &v)) {
		must(num_auto(s, n, &w) && w == v);
		must(num_hex(s, n, &w) || n > 16);
		must(num_i64(s, n, &i) == (v <= INT64_MAX));
		must(num_size(s, n, &w) && w == v);
		snprintf(text, sizeof text, "%" PRIu64, v);
		must(num_dec(text, strlen(text), &w) && w == v);
	}
	if (num_hex(s, n, &v)) {
		snprintf(text, sizeof text, "0x%" PRIx64, v);
		must(num_auto(text, strlen(text), &w) && w == v);
	}
	if (num_i64(s, n, &i)) {
		snprintf(text, sizeof text, "%" PRId64, i);
		must(num_i64(text, strlen(text), &k) && k == i);
	}
}

static void units(const char *s, size_t n)
{
	uint64_t v, w;
	int64_t i, k;
	char text[32];

	if (num_size(s, n, &v)) {
		snprintf(text, sizeof text, "%" PRIu64 "B", v);
		must(num_size(text, strlen(text), &w) && w == v);
	}
	if (num_time(s, n, &i)) {
		snprintf(text, sizeof text, "%" PRId64 "ns", i);
		must(i == INT64_MIN || (num_time(text, strlen(text), &k) && k == i));
	}
}

typedef enum status add_fn(struct tally_selection *s, const char *text, struct err *e);

static void ranges(const char *text, add_fn *add, size_t at)
{
	struct tally_selection s;
	struct err e = ERR_INIT;
	const struct selection_ranges *r;

	selection_init(&s);
	r = at == 0 ? &s.frames : at == 1 ? &s.times : &s.sizes;
	if (add(&s, text, &e)) {
		must(e.msg[0]);
		must(selection_all(&s));
	} else {
		must(r->n == 1 && r->items[0].lo <= r->items[0].hi && !selection_all(&s));
		must(selection_in(r, r->items[0].lo) && selection_in(r, r->items[0].hi));
		must(r->end == r->items[0].hi && !add(&s, text, &e) && r->n == 2);
		must(r->items[0].lo == r->items[1].lo && r->items[0].hi == r->items[1].hi);
	}
	selection_release(&s);
}

static void dates(const char *text)
{
	char to[HISTORY_DATE], again[HISTORY_DATE];

	if (history_date(text, to)) {
		must(strlen(to) == HISTORY_DATE - 1 && history_date(to, again));
		must(!strcmp(to, again));
	}
	must(!policy_date(text) || (strlen(text) == 10 && history_date(text, to)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	struct aggregate_prune prune;
	struct tally_selection s;
	struct err e = ERR_INIT;

	if (!text)
		abort();
	if (n)
		memcpy(text, data, n);
	text[n] = 0;
	whole_numbers(text, n);
	units(text, n);
	if (!memchr(text, 0, n)) { /* an argument is a string */
		ranges(text, selection_frames, 0);
		ranges(text, selection_times, 1);
		ranges(text, selection_sizes, 2);
		dates(text);
		must(!aggregate_prune_parse(&prune, text, &e) || e.msg[0]);
		selection_init(&s);
		must(!selection_thread(&s, text, n & 3, &e) || e.msg[0]);
		selection_release(&s);
	}
	free(text);
	return 0;
}
