/* SPDX-License-Identifier: MIT */
#include "lib/input/magic.h"

#include <string.h>

bool magic_of_filter(const uint8_t *p, size_t n)
{
	static const struct {
		uint8_t n, bytes[6];
	} magics[] = {
	    {2, {0x1f, 0x8b}},    {4, {0x28, 0xb5, 0x2f, 0xfd}}, {6, {0xfd, '7', 'z', 'X', 'Z', 0}},
	    {3, {'B', 'Z', 'h'}}, {4, {0x04, 0x22, 0x4d, 0x18}}, {4, {0x02, 0x21, 0x4c, 0x18}},
	};

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		if (n >= magics[i].n && !memcmp(p, magics[i].bytes, magics[i].n))
			return true;
	}
	return false;
}

/* Whose method is deflate, as that of all is (RFC 1952). */
bool magic_of_gzip(const uint8_t *p, size_t n)
{
	return n > 2 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

bool magic_skippable(const uint8_t *p, size_t n)
{
	return n >= MAGIC_SKIPPABLE && (p[0] & 0xf0) == 0x50 && !memcmp(p + 1, "\x2a\x4d\x18", 3);
}
