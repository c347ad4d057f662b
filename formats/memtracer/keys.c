/* SPDX-License-Identifier: MIT */
#include "formats/memtracer/keys.h"

#include "lib/base/num.h"

#include <string.h>

const struct json_row memtracer_rows[] = {{JSON_TOP, "[", LIST},
					  {JSON_TOP, "{", FRAME},
					  {JSON_TOP, "", NOT_FRAME},
					  {LIST, "{", FRAME},
					  {LIST, "[", NOT_FRAME},
					  {LIST, "", NOT_FRAME},
					  {FRAME, "f", NUMBER},
					  {FRAME, "d[", RECORDS},
					  {FRAME, "d{", NOT_RECORDS},
					  {FRAME, "d", NOT_RECORDS},
					  {FRAME, "slide", SLIDE},
					  {FRAME, "slide{", SLIDE},
					  {FRAME, "slide[", SLIDE},
					  {FRAME, "slideAddress", SLIDE},
					  {FRAME, "slideAddress{", SLIDE},
					  {FRAME, "slideAddress[", SLIDE},
					  {FRAME, "slide_address", SLIDE},
					  {FRAME, "slide_address{", SLIDE},
					  {FRAME, "slide_address[", SLIDE},
					  {FRAME, "base", SLIDE},
					  {FRAME, "base{", SLIDE},
					  {FRAME, "base[", SLIDE},
					  {FRAME, "load", SLIDE},
					  {FRAME, "load{", SLIDE},
					  {FRAME, "load[", SLIDE},
					  {FRAME, "module", MODULE},
					  {FRAME, "build_id", BUILD_ID},
					  {FRAME, "buildId", BUILD_ID},
					  {FRAME, "build-id", BUILD_ID},
					  {RECORDS, "{", RECORD},
					  {RECORDS, "[", NOT_RECORD},
					  {RECORDS, "", NOT_RECORD},
					  {RECORD, "t", TYPE},
					  {RECORD, "t{", NOT_FIELD},
					  {RECORD, "t[", NOT_FIELD},
					  {RECORD, "s", REQUESTED},
					  {RECORD, "s{", NOT_FIELD},
					  {RECORD, "s[", NOT_FIELD},
					  {RECORD, "r", REAL},
					  {RECORD, "r{", NOT_FIELD},
					  {RECORD, "r[", NOT_FIELD},
					  {RECORD, "st[", STACKS},
					  {RECORD, "st{", NOT_FIELD},
					  {RECORD, "st", NOT_FIELD},
					  {RECORD, "sz[", SIZES},
					  {RECORD, "sz{", NOT_FIELD},
					  {RECORD, "sz", NOT_FIELD},
					  {STACKS, "", STACK},
					  {STACKS, "{", NOT_FIELD},
					  {STACKS, "[", NOT_FIELD},
					  {SIZES, "", SIZE},
					  {SIZES, "{", NOT_FIELD},
					  {SIZES, "[", NOT_FIELD},
					  {0}};

/* Where the key leads, with a value of the kind that belongs there. */
static unsigned place_of(unsigned in, const char *s, size_t n)
{
	for (const struct json_row *row = memtracer_rows; row->in; row++)
		if (row->in == in && strcspn(row->step, "[{") == n && !memcmp(row->step, s, n))
			return row->to;
	return JSON_NOWHERE;
}

bool memtracer_set_slide(struct memtracer_header *h, const char *s, size_t n, bool is_text)
{
	int64_t negative;

	if (num_auto(s, n, &h->slide) || (is_text && num_hex(s, n, &h->slide))) {
		h->has_slide = true;
	} else if (num_i64(s, n, &negative)) {
		h->slide = (uint64_t)negative;
		h->has_slide = true;
	} else {
		return false;
	}
	return true;
}

void memtracer_set_build_id(struct memtracer_header *h, const char *s, size_t n)
{
	h->build_id.len = 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		int hi, lo;

		for (; i + 1 < n && s[i] == '-'; i++)
			; /* Mach-O UUIDs have them */
		hi = num_hex_digit(s[i]);
		lo = i + 1 < n ? num_hex_digit(s[i + 1]) : -1;
		if (hi < 0 || lo < 0) {
			h->build_id.len = 0;
			return;
		}
		buf_addc(&h->build_id, (char)(hi << 4 | lo));
	}
}

/* Follows the head's strings and brackets, without judging whether it is JSON, and collects the
 * keys that are in their places of this format. */
int memtracer_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head;
	unsigned seen = 0, depth = 0, top = 0; /* top: depth of what holds the frames */
	unsigned key = JSON_NOWHERE;           /* of the frame, before its value */
	bool in_records = false;
	size_t i = n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0;
	int bits = 0;

	(void)whole;
	for (; i < n; i++) {
		if (strchr(" \t\r\n,;:", s[i]) && s[i]) {
			continue;
		} else if (!depth && s[i] != '{' && s[i] != '[') {
			return 0;
		} else if (s[i] == '[' || s[i] == '{') {
			if (!depth++)
				top = s[i] == '[';
			else if (depth == top + 2)
				in_records = key == RECORDS && s[i] == '[';
			if (in_records && depth == top + 2)
				seen |= 1u << RECORDS;
		} else if (s[i] == ']' || s[i] == '}') {
			if (!--depth)
				top = 0;
		} else if (s[i] == '"') {
			size_t start = ++i, end;

			while (i < n && s[i] != '"')
				i += 1 + (s[i] == '\\');
			end = i;
			while (i + 1 < n && strchr(" \t\r\n", s[i + 1]) && s[i + 1])
				i++;
			if (i + 1 >= n || s[i + 1] != ':')
				continue;
			if (depth == top + 1) {
				key = place_of(FRAME, s + start, end - start);
				if (key != RECORDS)
					seen |= 1u << key;
			} else if (depth == top + 3 && in_records) {
				seen |= 1u << place_of(RECORD, s + start, end - start);
			}
		}
	}
	if (seen & 1u << RECORDS) {
		for (int k = TYPE; k <= SIZES; k++)
			bits += seen & 1u << k ? 8 : 0;
		if (seen & 1u << NUMBER || bits >= 24)
			bits += 8;
		return bits;
	}
	return (seen & 1u << SLIDE) && !(seen & 1u << JSON_NOWHERE) ? 8 : 0;
}
