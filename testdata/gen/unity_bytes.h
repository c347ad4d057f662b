/* SPDX-License-Identifier: MIT
 *
 * A writer of the pieces of Unity's profiler formats, for the generators. Nothing here is shared
 * with the readers.
 */
#ifndef TM_TESTDATA_UNITY_BYTES_H
#define TM_TESTDATA_UNITY_BYTES_H

#include "lib/base/buf.h"
#include "testdata/gen/gen.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* To a multiple of 4, where streams are aligned. */
static inline void put_pad(struct buf *b, bool aligned)
{
	while (aligned && b->len & 3)
		buf_addc(b, 0);
}

static inline void put_text(struct buf *b, const char *s, bool aligned)
{
	put(b, strlen(s), 4);
	buf_adds(b, s);
	put_pad(b, aligned);
}

/* The 24-byte header of a message between player and editor. */
static inline void put_message(struct buf *b, const char *guid, bool swapped, uint32_t size)
{
	static const char digits[] = "0123456789abcdef";

	put(b, 0x67A54E8F, 4);
	for (int i = 0; i < 16; i++) {
		unsigned hi = (unsigned)(strchr(digits, guid[i * 2]) - digits);
		unsigned lo = (unsigned)(strchr(digits, guid[i * 2 + 1]) - digits);

		put(b, swapped ? lo << 4 | hi : hi << 4 | lo, 1);
	}
	put(b, size, 4);
}

#define GUID_DATA "c58d77184f4b4b59b3fffc6f800ae10e"
#define GUID_LOG  "394ada038ba04f26b0011a6cdeb05a62"
#define GUID_PING "fe9b18127f6045c68db230d993d2a210"

#endif
