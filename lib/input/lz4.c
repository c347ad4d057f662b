/* SPDX-License-Identifier: MIT */
#include "lib/input/lz4.h"

#include <limits.h>
#include <lz4.h>

bool lz4_block(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
	if (in_size > INT_MAX || out_size > INT_MAX)
		return false;
	return LZ4_decompress_safe((const char *)in, (char *)out, (int)in_size, (int)out_size) ==
	       (int)out_size;
}
