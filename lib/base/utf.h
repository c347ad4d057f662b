/* SPDX-License-Identifier: MIT
 *
 * UTF-8 checks, the characters that may not reach a screen unescaped, and UTF-16 (Qt, C#) to UTF-8.
 */
#ifndef TM_BASE_UTF_H
#define TM_BASE_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Length in bytes of the well-formed UTF-8 sequence at s (n bytes are there), 0 if none; the code
 * point goes to *cp when cp is not NULL. */
size_t utf8_next(const char *s, size_t n, uint32_t *cp);
bool utf8_valid(const char *s, size_t n);
/* A character that a person cannot see, or that moves the text around it: a control (Cc), a line
 * or paragraph separator (Zl, Zp), and all of Unicode's properties Bidi_Control (PropList.txt) and
 * Default_Ignorable_Code_Point (DerivedCoreProperties.txt), version 15.0. So are joiners and
 * variation selectors, also inside of an emoji: a name is to be read exactly. */
bool utf_hidden(uint32_t cp);
/* Appends \uXXXX as JSON has it: a pair of surrogates above U+FFFF. */
void utf_add_json(struct buf *out, uint32_t cp);
/* Appends n bytes of s with every invalid byte replaced by U+FFFD; returns how many were. */
size_t utf8_add_repaired(struct buf *out, const char *s, size_t n);
/* The same, and NUL replaced too: what other tools' formats and databases can hold. */
void utf8_add_text(struct buf *out, const char *s, size_t n);
/* Appends UTF-16 as UTF-8; n_bytes is even. Lone surrogates become U+FFFD and are counted in
 * the return value. */
size_t utf16_to_utf8(struct buf *out, const uint8_t *s, size_t n_bytes, bool big_endian);

#endif
