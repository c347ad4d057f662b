/* SPDX-License-Identifier: MIT */
#include "formats/memtracer/keys.h"

#include "lib/base/num.h"

#include <string.h>

static const struct {
	enum memtracer_level level;
	enum memtracer_key key;
	const char *word;
} keys[] = {
    {LEVEL_RECORD, KEY_TYPE, "t"},
    {LEVEL_RECORD, KEY_REQUESTED, "s"},
    {LEVEL_RECORD, KEY_REAL, "r"},
    {LEVEL_RECORD, KEY_STACKS, "st"},
    {LEVEL_RECORD, KEY_SIZES, "sz"},
    {LEVEL_FRAME, KEY_FRAME, "f"},
    {LEVEL_FRAME, KEY_RECORDS, "d"},
    {LEVEL_FRAME, KEY_SLIDE, "slide"},
    {LEVEL_FRAME, KEY_SLIDE, "slideAddress"},
    {LEVEL_FRAME, KEY_SLIDE, "slide_address"},
    {LEVEL_FRAME, KEY_SLIDE, "base"},
    {LEVEL_FRAME, KEY_SLIDE, "load"},
    {LEVEL_FRAME, KEY_MODULE, "module"},
    {LEVEL_FRAME, KEY_BUILD_ID, "build_id"},
    {LEVEL_FRAME, KEY_BUILD_ID, "buildId"},
    {LEVEL_FRAME, KEY_BUILD_ID, "build-id"},
};

enum memtracer_key memtracer_key(enum memtracer_level level, const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *word = keys[i].word;

		if (keys[i].level == level && strlen(word) == n && !memcmp(word, s, n))
			return keys[i].key;
	}
	return KEY_OTHER;
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
	enum memtracer_key key = KEY_OTHER;    /* of the frame, before its value */
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
				in_records = key == KEY_RECORDS && s[i] == '[';
			if (in_records && depth == top + 2)
				seen |= 1u << KEY_RECORDS;
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
				key = memtracer_key(LEVEL_FRAME, s + start, end - start);
				if (key != KEY_RECORDS)
					seen |= 1u << key;
			} else if (depth == top + 3 && in_records) {
				seen |= 1u << memtracer_key(LEVEL_RECORD, s + start, end - start);
			}
		}
	}
	if (seen & 1u << KEY_RECORDS) {
		for (int k = KEY_TYPE; k <= KEY_SIZES; k++)
			bits += seen & 1u << k ? 8 : 0;
		if (seen & 1u << KEY_FRAME || bits >= 24)
			bits += 8;
		return bits;
	}
	return (seen & 1u << KEY_SLIDE) && !(seen & 1u << KEY_OTHER) ? 8 : 0;
}
