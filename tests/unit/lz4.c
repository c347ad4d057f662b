/* SPDX-License-Identifier: MIT
 *
 * Blocks of LZ4 (lib/pack/lz4.h), packed by liblz4 itself.
 */
#include "lib/pack/lz4.h"

#include "tests/unit/test.h"

#include <lz4.h>

TEST(lz4_blocks)
{
	uint8_t text[1000], packed[2000], out[1000];
	int n;

	memset(text, 'x', sizeof text);
	n = LZ4_compress_default((char *)text, (char *)packed, sizeof text, sizeof packed);
	CHECK(n > 0);
	CHECK(lz4_block(packed, (size_t)n, out, sizeof out));
	CHECK_MEM(out, sizeof out, text, sizeof text);
	CHECK(!lz4_block(packed, (size_t)n, out, sizeof out - 1));
	CHECK(!lz4_block(packed, (size_t)n - 1, out, sizeof out));
	CHECK(!lz4_block(packed, 0, out, sizeof out));
}

TEST_MAIN()
