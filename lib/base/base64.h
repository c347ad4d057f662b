/* SPDX-License-Identifier: MIT
 *
 * Base64, by the alphabet of RFC 4648, section 4.
 */
#ifndef TM_BASE_BASE64_H
#define TM_BASE_BASE64_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* 0 to 63; -1: no digit. */
int base64_digit(char c);
/* Appends the bytes that n characters stand for; "=" at the end may lack. False: no base64; some may have been appended. */
bool base64_decode(struct buf *out, const char *s, size_t n);

#endif
