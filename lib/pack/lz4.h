/* SPDX-License-Identifier: MIT
 *
 * LZ4 blocks (lz4.c is liblz4's only user). Frames are a filter of lib/input.
 */
#ifndef TM_PACK_LZ4_H
#define TM_PACK_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a block; the bytes that it has. most: at least lz4_block_most(n), which for more than 2 GB
 * is 0: then nothing is written. */
size_t lz4_block_write(const uint8_t *in, size_t n, uint8_t *out, size_t most);
size_t lz4_block_most(size_t n);
/* True when the block decodes to exactly out_size bytes. */
bool lz4_block(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);
/* The first bytes, at most `most`, of a block that is cut behind in_size; how many. */
size_t lz4_block_begin(const uint8_t *in, size_t in_size, uint8_t *out, size_t most);

#endif
