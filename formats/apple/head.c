/* SPDX-License-Identifier: MIT */
#include "formats/apple/head.h"

#include "lib/base/num.h"
#include "lib/base/text.h"

#include <string.h>

bool apple_tool_is(const uint8_t *head, size_t n, const char *tool)
{
	static const char word[] = "Analysis Tool:";
	const char *at = (const char *)head, *end = at + n, *line_end;

	for (; at < end; at = line_end + 1) {
		const char *to;

		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			return false;
		to = line_end;
		text_trim(&at, &to);
		if (text_begins(at, (size_t)(to - at), word)) {
			size_t len = strlen(tool);

			return text_ends(at, (size_t)(to - at), tool) &&
			       strchr(" \t/", to[-(ptrdiff_t)len - 1]);
		}
	}
	return false;
}

bool apple_size(const char *s, size_t n, uint64_t *v)
{
	static const char units[] = "KMGT";
	const char *end = s + n, *unit;
	unsigned shift = 0;
	decimal d;

	text_trim(&s, &end);
	if (end - s > 6 && text_ends(s, (size_t)(end - s), " bytes"))
		end -= 6;
	if (s == end)
		return false;
	unit = strchr(units, end[-1]);
	if (unit && *unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end--;
	}
	if (decimal_parse(s, (size_t)(end - s), &d) != DECIMAL_EXACT || d < 0 ||
	    d >= decimal_of(1 << 20) * 8)
		return shift == 0 && num_dec(s, (size_t)(end - s), v) && *v <= INT64_MAX;
	*v = (uint64_t)(d * ((decimal)1 << shift) / DECIMAL_ONE);
	return true;
}

enum status apple_footprint(struct import *im, const char *s, size_t n, bool *taken, struct err *e)
{
	static const struct {
		const char *word, *counter;
	} rows[] = {{"Physical footprint:", "process.footprint"},
		    {"Physical footprint (peak):", "process.footprint.peak"}};
	uint64_t v;

	*taken = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t len = strlen(rows[i].word);

		if (!text_begins(s, n, rows[i].word) || !apple_size(s + len, n - len, &v))
			continue;
		*taken = true;
		return emit_counter(im, emit_counter_id(im, rows[i].counter, "B"), ABSENT,
				    (int64_t)v, e);
	}
	return ST_OK;
}
