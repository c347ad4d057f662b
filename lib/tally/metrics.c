/* SPDX-License-Identifier: MIT */
#include "lib/tally/metrics.h"

#include <string.h>

/* clang-format off */
#define METRIC_ROW(name, number, the_word, the_title, the_key, the_unit, the_family, the_join, the_rank, the_lists, \
		   the_verb, the_rest) \
	[number] = {.word = the_word, .title = the_title, .key = the_key, .verb = the_verb, .rest = the_rest, \
		    .unit = SUM_##the_unit, .family = FAMILY_##the_family, .join = JOIN_##the_join, \
		    .rank = the_rank, .lists = LISTS_##the_lists},
#define METRIC_NUMBER(name, number, ...) number,
/* clang-format on */

const struct metric_row metric_table[] = {METRIC_ROWS(METRIC_ROW, METRIC_NO_GROUP)};
const uint8_t metric_order[] = {METRIC_ROWS(METRIC_NUMBER, METRIC_NO_GROUP)};
_Static_assert(sizeof metric_table == SUMS * sizeof *metric_table, "numbers are 0, 1, 2 ...");

enum sum metric_of_word(const char *word, size_t n)
{
	enum sum s = 0;

	while (s < SUMS &&
	       (strlen(metric_table[s].word) != n || memcmp(metric_table[s].word, word, n)))
		s++;
	return s;
}
