/* SPDX-License-Identifier: MIT
 *
 * zstd, in one place: streams unpacked into buffers that the caller provides, which may come in pieces and hold
 * several frames; and bytes that are there as a whole, packed into one frame and back.
 */
#ifndef TM_PACK_ZSTD_H
#define TM_PACK_ZSTD_H

#include "lib/pack/deflate.h"

#include <stdbool.h>

struct zstd;

struct zstd *zstd_new(void);
void zstd_free(struct zstd *z); /* accepts NULL */
/* The next n bytes of the stream, as far as there is input and room. NULL, or why it is broken. */
const char *zstd_unpack(struct zstd *z, struct inflate_to *to, const uint8_t *in, size_t n);

/* One frame of n bytes at in. Its size, or 0: it needs more than room. */
size_t zstd_pack(struct zstd *z, void *out, size_t room, const void *in, size_t n, int level);
/* Of blocks of one kind that are packed one after the other, whether the quickest level makes them about as
 * small: some are packed with both. Zeroed is the beginning. */
struct zstd_pace {
	bool quick;
	uint8_t left; /* blocks until both are tried again */
};
/* The same as zstd_pack at level 3, or at 1 where that is enough. */
size_t zstd_pack_paced(struct zstd *z, struct zstd_pace *pace, void *out, size_t room,
		       const void *in, size_t n);
/* What one frame of packed bytes holds, which must be n bytes; false: it is broken, or holds more or
 * less. */
bool zstd_unpack_whole(struct zstd *z, void *out, size_t n, const void *in, size_t packed);

#endif
