/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the texts in the data of the page's scripts, as the page shows them. html_flame.h,
 * html_rows.h and json.h (series) have the data.
 */
#ifndef TM_RENDER_HTML_DATA_H
#define TM_RENDER_HTML_DATA_H

#include "lib/render/out.h"

enum {
	HTML_POINTS = 20000,
	HTML_TEXT = 1000, /* bytes of a name */
};

/* How many bytes of a name a page has: HTML_TEXT, cut between characters. */
size_t html_cut(const char *s, size_t n);
/* The word of json_types, or of the page alone. */
const char *html_type(enum column_type type);
/* A string with its quotes, as the page's tables show it: the scripts draw it as it is. */
void html_shown(struct buf *b, const char *s, size_t n);

#endif
