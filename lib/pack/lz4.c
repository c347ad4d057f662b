/* SPDX-License-Identifier: MIT */
#include "lib/pack/lz4.h"

#include <limits.h>
#include <lz4.h>

bool lz4_block(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
	if (in_size > INT_MAX || out_size > INT_MAX)
		return false;
	return LZ4_decompress_safe((const char *)in, (char *)out, (int)in_size, (int)out_size) ==
	       (int)out_size;
}

size_t lz4_block_begin(const uint8_t *in, size_t in_size, uint8_t *out, size_t most)
{
	int done = 0;

	if (in_size <= INT_MAX && most <= INT_MAX)
		done = LZ4_decompress_safe_partial((const char *)in, (char *)out, (int)in_size,
						   (int)most, (int)most);
	return done > 0 ? (size_t)done : 0;
}

size_t lz4_block_most(size_t n)
{
	return n > LZ4_MAX_INPUT_SIZE ? 0 : (size_t)LZ4_compressBound((int)n);
}

size_t lz4_block_write(const uint8_t *in, size_t n, uint8_t *out, size_t most)
{
	int done = 0;

	if (lz4_block_most(n) && most <= INT_MAX)
		done = LZ4_compress_default((const char *)in, (char *)out, (int)n, (int)most);
	return done > 0 ? (size_t)done : 0;
}
