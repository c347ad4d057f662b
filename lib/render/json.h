/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the functions that write JSON (RFC 8259). Bytes that are not UTF-8 become U+FFFD.
 */
#ifndef TM_RENDER_JSON_H
#define TM_RENDER_JSON_H

#include "lib/render/out.h"

/* A string with its quotes. What is hidden (utf_hidden) is escaped, so that no terminal obeys it
 * and nothing is lost, and so is '<', so that the text may be put into a page's script element. */
void json_text(struct buf *b, const char *s, size_t n);
void json_string(struct buf *b, const char *s); /* NULL: null */
/* {"key": "text"'s beginning: `,"key":` or, right behind a '{', `"key":`. */
void json_key(struct buf *b, const char *key);
/* A key, and an array of strings. */
void json_strings(struct buf *b, const char *key, const char *const *items, size_t n);
extern const char *const json_types[]; /* by enum column_type */

/* The members of a series. Each point stands for `step` ones, and has the largest value of each line. page: texts as
 * a page shows them, and all that its scripts need to draw the series. */
void json_series(const struct table_series *s, size_t step, bool page, struct render_out *o);

/* A row as an object; absent: with what is not there, as null. */
void json_row(struct buf *b, const struct table *t, const struct table_row *r, bool absent);
/* The members "facts" and "numbers" of a document. */
void json_facts(struct buf *b, const struct table_document *d);

enum status json_document(const struct table_document *d, struct render_out *o);

#endif
