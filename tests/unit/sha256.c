/* SPDX-License-Identifier: MIT
 *
 * SHA-256 against the examples of NIST (FIPS 180-2, appendix B), and against itself in pieces of every length around
 * the ends of its blocks.
 */
#include "lib/base/sha256.h"
#include "tests/unit/test.h"

#include <string.h>

static const char *of(const void *p, size_t n, size_t piece)
{
	static char hex[SHA256_HEX];
	struct sha256 s;

	sha256_init(&s);
	for (size_t at = 0; at < n; at += piece)
		sha256_add(&s, (const char *)p + at, n - at < piece ? n - at : piece);
	sha256_end(&s, hex);
	return hex;
}

TEST(examples)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	static char million[1000000];

	memset(million, 'a', sizeof million);
	CHECK_STR(of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_STR(of("abc", 3, 3),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_STR(of(two, 56, 56),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	CHECK_STR(of(million, sizeof million, 4096),
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(pieces)
{
	char text[300], whole[SHA256_HEX];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 7);
	for (size_t n = 0; n < sizeof text; n++) {
		strcpy(whole, of(text, n, sizeof text));
		for (size_t piece = 1; piece < 130; piece += 21)
			CHECK_STR(of(text, n, piece), whole);
	}
}

TEST_MAIN()
