/* SPDX-License-Identifier: MIT
 *
 * zstd, in one place: streams unpacked into room that the caller finds. A stream may come in pieces,
 * and hold several frames.
 */
#ifndef TM_BASE_ZSTD_H
#define TM_BASE_ZSTD_H

#include "lib/base/deflate.h"

struct zstd;

struct zstd *zstd_new(void);
void zstd_free(struct zstd *z); /* accepts NULL */
/* The next n bytes of the stream, as far as there is input and room. NULL, or why it is broken. */
const char *zstd_unpack(struct zstd *z, struct inflate_to *to, const uint8_t *in, size_t n);

#endif
