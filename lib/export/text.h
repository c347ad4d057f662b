/* SPDX-License-Identifier: MIT
 *
 * The conversion of text to what other tools' formats can hold. None of them takes bytes that are not UTF-8, or
 * NUL: each such byte becomes U+FFFD. Formats that separate with characters of their own get names in which ';'
 * is ':' and a control character a blank.
 */
#ifndef TM_EXPORT_TEXT_H
#define TM_EXPORT_TEXT_H

#include "lib/base/buf.h"

#include <stdio.h>

/* Appends it to b without NUL (utf8_add_text), ';' and controls. */
void text_add_separated(struct buf *b, const char *s, size_t n);
/* A JSON string with its quotes; what is hidden (utf_hidden) is escaped. */
void text_add_json(struct buf *b, const char *s, size_t n);

#endif
