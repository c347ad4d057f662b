/* SPDX-License-Identifier: MIT
 *
 * Bytes of an open file at an offset, independent of the file position.
 */
#ifndef TM_BASE_READ_AT_H
#define TM_BASE_READ_AT_H

#include "lib/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Exactly n bytes at base + offset; errors name the offset. ST_BAD: the file has become shorter. */
enum status read_at(int fd, uint64_t base, uint64_t offset, void *to, size_t n, struct err *e);

#endif
