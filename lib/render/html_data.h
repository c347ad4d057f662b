/* SPDX-License-Identifier: MIT
 *
 * The inside of lib/render: the data of the page's scripts, as JSON.
 */
#ifndef TM_RENDER_HTML_DATA_H
#define TM_RENDER_HTML_DATA_H

#include "lib/render/out.h"

enum {
	HTML_ROWS = 2000,   /* per table */
	HTML_NODES = 60000, /* per flame graph; those of many measures have fewer */
	HTML_POINTS = 20000,
	HTML_TEXT = 1000,           /* bytes of a name */
	HTML_TABLES = 12 * 1000000, /* bytes of all tables together */
};

/* {strings, parent, name, at, self, base}: arrays by node; of further measures {title, type, self} in more. */
void html_flame_data(const struct flame *f, struct buf *b);
/* Each point stands for `step` ones and has the largest value of each line. */
void html_series_data(const struct table_series *s, size_t step, struct buf *b);

#endif
