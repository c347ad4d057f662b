/* SPDX-License-Identifier: MIT
 *
 * The inside of lib/render: the data of the page's scripts, as JSON: texts as the page shows them, and
 * series. html_flame.h and html_rows.h have flame graphs and tables.
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
/* Each point stands for `step` ones and has the largest value of each line. */
void html_series_data(const struct table_series *s, size_t step, struct buf *b);

#endif
