/* SPDX-License-Identifier: MIT
 *
 * zstd, in one place: streams unpacked into room that the caller finds, which may come in pieces and
 * hold several frames; and bytes that are there as a whole, packed into one frame and back.
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
/* What one frame of packed bytes holds, which must be n bytes; false: it is broken, or holds more or
 * less. */
bool zstd_unpack_whole(struct zstd *z, void *out, size_t n, const void *in, size_t packed);

#endif
