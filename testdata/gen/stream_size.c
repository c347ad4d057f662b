/* SPDX-License-Identifier: MIT
 *
 * The number of bytes of records that the packets of a LoliProfiler stream on standard input hold
 * once they are decompressed, by their headers alone (formats/loli/stream.c): for rates.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

static int next(uint32_t *v)
{
	uint8_t b[4];

	if (fread(b, sizeof b, 1, stdin) != 1)
		return 0;
	*v = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
	return 1;
}

int main(void)
{
	uint64_t total = 0;
	uint32_t size, kind, raw;

	while (next(&size) && next(&kind) && next(&raw)) {
		if (kind == 0)
			total += raw;
		for (uint32_t left = size < 8 ? 0 : size - 8; left; left--)
			if (getchar_unlocked() == EOF)
				return 1;
	}
	printf("%" PRIu64 "\n", total);
	return 0;
}
