/* SPDX-License-Identifier: MIT */
#include "lib/base/id_text.h"

#include "lib/base/bytes.h"

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
