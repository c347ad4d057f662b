/* SPDX-License-Identifier: MIT
 *
 * Counters as CSV, for whatever else was recorded during a run (temperature, PSS, power):
 *
 *	time_ms,frame,pss (B),temperature,fps (fps)
 *	0,1,104857600,41,60
 *	16.7,2,,41,58
 *
 * The first line names the columns. The first column is time_s, time_ms, time_us, time_ns or
 * frame; the other of the two may come anywhere behind it. All other columns are counters, with
 * the unit in parentheses. A blank field was not read. Values have as many decimals as they are written with,
 * up to 18. A line with more fields than columns ("33,4" for 33.4) is left out: no field of it has a
 * column for sure. A frame begins where its number changes. This is our own format.
 */
#include "formats/table/table.h"

#include "lib/base/text.h"

#include <string.h>

static const struct table_rule counters_rules[] = {
    {"time_s", TABLE_BEGIN, NULL, 1000000000}, {"time_ms", TABLE_BEGIN, NULL, 1000000},
    {"time_us", TABLE_BEGIN, NULL, 1000},      {"time_ns", TABLE_BEGIN, NULL, 1},
    {"frame", TABLE_FRAME, NULL, 1},           {NULL, TABLE_COUNTER, NULL, 0},
};

static const struct table_tool counters_tool = {
    .name = "counters", .rules = counters_rules, .strict = true};

static enum status counters_csv_read(struct import *im, struct err *e)
{
	return table_read(im, &counters_tool, e);
}

static int counters_csv_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head;
	const uint8_t *comma = n ? memchr(head, ',', n) : NULL;
	size_t len = comma ? (size_t)(comma - head) : 0;

	(void)whole;
	for (size_t i = 0; counters_rules[i].role == TABLE_BEGIN; i++)
		if (text_is(s, len, counters_rules[i].name))
			return 32;
	return comma && text_is(s, len, "frame") ? 16 : 0;
}

const struct reader reader_counters = {
    .name = "counters",
    .family = "Of tracemill",
    .capabilities = CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS,
    .what = "counters as CSV: time_ms,frame,NAME (UNIT),...",
    .suffixes = "csv",
    .cut = CUT_AT_LINE,
    .bid = counters_csv_bid,
    .read = counters_csv_read,
};
