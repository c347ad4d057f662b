/* SPDX-License-Identifier: MIT
 *
 * The persistent index of one binary: the engine's answers for all its addresses (dwarf/whole.h),
 * laid out to be mapped. Version INDEX_VERSION. All numbers are little-endian; offsets count from
 * the start of the file; what is not said is zero.
 *
 *	offset  size
 *	0       8     magic, INDEX_MAGIC
 *	8       4     version
 *	12      4     flags: INDEX_REFUSED: the file cannot be indexed, ask the engine for all; then
 *	              there are no parts but text, which is the reason
 *	16      8     size of the file
 *	24      8     n_checksums
 *	32      4     length of the key, at most INDEX_KEY_MAX
 *	36      4     n_strings
 *	40      16*6  offset and size in bytes of each part, in the order of enum index_part; each
 *	              begins at a multiple of 8
 *	136     360   the key: the binary that the index belongs to (lib/index/cache.h)
 *	496     8     dwarf_companions of the files that were read besides; 0: none
 *	504     8     XXH3 of the 504 bytes before, seeded with the XXH3 of all checksums
 *	512     8*n   checksums: XXH3, seeded with its number, of each INDEX_CHUNK bytes of what
 *	              follows (the last one may be shorter)
 *	...           the parts
 *
 * Parts:
 *	BLOCKS   16 bytes each, ascending: u64 base, u32 first, u32 count: stretches [first, first +
 *	         count) begin at base + their start. count is 1 to INDEX_BLOCK; blocks follow each
 *	         other without a gap.
 *	STARTS   u32 each: a stretch's first address minus its block's base; ascending, the first 0.
 *	         A stretch reaches to the next one; what is before the first has no answer.
 *	ANSWERS  u32 each: INDEX_ASK: ask the engine. Else the low 31 bits are a call, 0: none, and
 *	         the high bit says that there is a line only (DWARF_LINE_ONLY).
 *	CALLS    20 bytes each: u32 outer, function, file, line, rest: struct store_node, as it is
 *	         in a store (dwarf/store.h), so that it is used where it lies. outer, function and
 *	         file are 0, or have the high bit set: below it outer is less than the call's own
 *	         number, function and file are strings. rest is the column in its low 11 bits and
 *	         the discriminator above; all ones: the next call is no call, but has the column as
 *	         its line, the discriminator as its rest, and zeroes else. Call 0 is unused.
 *	STRINGS  u32 each, n_strings + 2 of them: string i (from 1; 0 is "none") is the bytes of
 *	         TEXT from STRINGS[i] up to STRINGS[i + 1], of which the last is NUL.
 *	TEXT     bytes
 */
#ifndef TM_INDEX_INDEX_FORMAT_H
#define TM_INDEX_INDEX_FORMAT_H

#include "lib/base/bytes.h"

#include <stdint.h>
#include <string.h>

#define INDEX_MAGIC     "TMINDEX\n"
#define INDEX_ASK       UINT32_C(0x7fffffff)
#define INDEX_LINE_ONLY UINT32_C(0x80000000)

enum {
	INDEX_VERSION = 5,
	INDEX_REFUSED = 1, /* flag */
	INDEX_HEADER = 512,
	INDEX_PARTS_AT = 40,
	INDEX_KEY_AT = 136,
	INDEX_KEY_MAX = 360,
	INDEX_COMPANIONS_AT = 496,
	INDEX_SEAL_AT = 504,
	INDEX_CHUNK = 1 << 16,
	INDEX_BLOCK = 4096,
};

enum index_part {
	PART_BLOCKS,
	PART_STARTS,
	PART_ANSWERS,
	PART_CALLS,
	PART_STRINGS,
	PART_TEXT,
	PARTS
};

/* Bytes of one element of a part. */
enum { EACH_BLOCK = 16, EACH_CALL = 20 };

static inline void index_put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline void index_put64(uint8_t *p, uint64_t v)
{
	index_put32(p, (uint32_t)v);
	index_put32(p + 4, (uint32_t)(v >> 32));
}

#endif
