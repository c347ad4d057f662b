/* SPDX-License-Identifier: MIT
 *
 * The width of text in columns of a terminal. Output is UTF-8 whatever the locale of the program.
 * Not for two threads at once.
 */
#ifndef TM_RENDER_WIDTH_H
#define TM_RENDER_WIDTH_H

#include "lib/base/buf.h"

/* Of UTF-8 text without control bytes; an invalid byte counts 1. */
size_t text_width(const char *s, size_t n);
/* How many bytes of the text fit into width columns: whole characters, at least one. */
size_t text_fits(const char *s, size_t n, size_t width);
/* Appends the text in at most width columns: when it is longer, its middle becomes "…" and
 * the halves keep whole characters. */
void text_shorten(struct buf *out, const char *s, size_t n, size_t width);
/* The same from the left, up to a slash if there is one: the base name says most. */
void text_shorten_path(struct buf *out, const char *s, size_t n, size_t width);

#endif
