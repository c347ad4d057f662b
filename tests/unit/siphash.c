/* SPDX-License-Identifier: MIT
 *
 * SipHash-2-4 against the vectors of its authors (key and text are the bytes 0, 1, 2 ...): the paper's
 * own, appendix A, of 15 bytes, and the first and last of their vectors.h.
 */
#include "lib/base/siphash.h"
#include "tests/unit/test.h"

static const struct siphash_key key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

TEST(paper)
{
	uint8_t text[64];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)i;
	CHECK_EQ(siphash(&key, text, 15), 0xa129ca6149be45e5u);
	CHECK_EQ(siphash(&key, text, 0), 0x726fdb47dd0e0e31u);
}

TEST_MAIN()
