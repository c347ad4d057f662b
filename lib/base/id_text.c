/* SPDX-License-Identifier: MIT */
#include "lib/base/id_text.h"

#include "lib/base/bytes.h"
#include "lib/base/num.h"

#include <inttypes.h>

void id_text_add_guid(struct buf *to, const uint8_t guid[16], uint32_t age)
{
	buf_addf(to, "%08" PRIX32 "%04X%04X", le32(guid), le16(guid + 4), le16(guid + 6));
	for (unsigned i = 8; i < 16; i++)
		buf_addf(to, "%02X", guid[i]);
	if (age)
		buf_addf(to, "%" PRIX32, age);
}

void id_text_add(struct buf *to, bool windows, const void *id, size_t n)
{
	const uint8_t *bytes = id;

	if (windows && (n == 16 || n == 20))
		id_text_add_guid(to, bytes, n == 20 ? le32(bytes + 16) : 0);
	else if (windows && n == 8)
		buf_addf(to, "%08" PRIX32 "%" PRIx32, be32(bytes), be32(bytes + 4));
	else
		for (size_t i = 0; i < n; i++)
			buf_add_hex(to, bytes[i], 2);
}

static bool read_bytes(const char *s, size_t n, uint8_t *bytes)
{
	for (size_t i = 0; i < n; i++) {
		int high = num_hex_digit(s[2 * i]), low = num_hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void reverse(uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t x = b[i];

		b[i] = b[n - 1 - i];
		b[n - 1 - i] = x;
	}
}

size_t id_text_read(bool windows, const char *s, size_t n, uint8_t *bytes, size_t size)
{
	enum { STAMP_DIGITS = 8, GUID_DIGITS = 32, NUMBER_DIGITS = 8 };
	const bool guid = windows && n >= GUID_DIGITS && n < GUID_DIGITS + NUMBER_DIGITS;
	const bool stamp = windows && n > STAMP_DIGITS && n <= STAMP_DIGITS + NUMBER_DIGITS;
	uint64_t number = 0;

	if (stamp && size >= 8 && read_bytes(s, 4, bytes) &&
	    num_hex(s + STAMP_DIGITS, n - STAMP_DIGITS, &number)) {
		for (size_t i = 0; i < 4; i++)
			bytes[4 + i] = (uint8_t)(number >> (24 - 8 * i));
		return 8;
	}
	if (guid && size >= 20 && read_bytes(s, 16, bytes) &&
	    (n == GUID_DIGITS || num_hex(s + GUID_DIGITS, n - GUID_DIGITS, &number))) {
		reverse(bytes, 4);
		reverse(bytes + 4, 2);
		reverse(bytes + 6, 2);
		for (size_t i = 0; i < 4; i++)
			bytes[16 + i] = (uint8_t)(number >> 8 * i);
		return n == GUID_DIGITS ? 16 : 20;
	}
	return n && !guid && !stamp && n % 2 == 0 && n / 2 <= size && read_bytes(s, n / 2, bytes)
		   ? n / 2
		   : 0;
}
