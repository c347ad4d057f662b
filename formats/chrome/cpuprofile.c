/* SPDX-License-Identifier: MIT
 *
 * Files of Chrome's developer tools and of node: .cpuprofile, samples of stacks, of today and as Chrome
 * before 58 and node before 12 wrote them, and .heapprofile, bytes that were allocated and are in use, by
 * stack, as sampled.
 */
#include "formats/chrome/v8.h"

#include <stdlib.h>
#include <string.h>

static enum status cpuprofile_read_profile(struct import *im, struct v8_json *j,
					   struct v8_profile *p, struct err *e)
{
	static const struct json_row rows[] = {{JSON_TOP, "{", V8_DATA}, {0}};
	static const struct json_walker walker = {
	    .rows = rows, .more = v8_rows, .begin = v8_begin, .end = v8_end, .value = v8_value};
	static const struct json_options options = {.max_depth = V8_DEPTH, .repair_utf8 = true};
	struct json_result result = {0};
	struct err own = ERR_INIT;
	enum status st = json_walk(&im->in->cur, &walker, j, &options, &result, NULL, &own), pushed;

	if (!p->n_nodes) {
		*e = own;
		return st ? st : err_at(e, ST_BAD, 0, "the file has no profile node");
	}
	trace_metric(im->t, p->sized ? METRIC_REQUESTED : METRIC_TIME, METRIC_ESTIMATED,
		     METRIC_AT_ALL);
	v8_join(p);
	pushed = import_begin(im, e);
	if (!pushed)
		pushed = v8_push(p, im, 0, p->start, e);
	if (!pushed && st)
		*e = own;
	return pushed ? pushed : st;
}

static enum status cpuprofile_read(struct import *im, struct err *e)
{
	struct v8_profile p = {0};
	struct v8_json j = {.im = im, .to = &p};
	enum status st = cpuprofile_read_profile(im, &j, &p, e);

	free(j.open);
	v8_release(&p);
	return st;
}

static int cpuprofile_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t i = 0;

	(void)whole;
	while (i < n && head[i] && strchr(" \t\r\n", head[i]))
		i++;
	if (i == n || head[i] != '{' || !memmem(head, n, "\"functionName\"", 14))
		return 0;
	return memmem(head, n, "\"nodes\"", 7) || memmem(head, n, "\"head\"", 6) ? 32 : 0;
}

const struct reader reader_cpuprofile = {
    .name = "cpuprofile",
    .family = "Chrome, node and speedscope",
    .page = "chrome",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "profiles of Chrome and node: .cpuprofile, .heapprofile",
    .suffixes = "cpuprofile,heapprofile",
    .cut = CUT_NEVER, /* times come after samples */
    .bid = cpuprofile_bid,
    .read = cpuprofile_read,
};
