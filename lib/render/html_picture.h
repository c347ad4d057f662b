/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the picture of a series that a page shows where scripts do not run.
 */
#ifndef TM_RENDER_HTML_PICTURE_H
#define TM_RENDER_HTML_PICTURE_H

#include "lib/base/buf.h"
#include "lib/table/series.h"

enum { PICTURE_BARS = 500 }; /* a bar stands for several points, and is the largest, above that */

/* Appends a <noscript> with a picture for each line, and its marks as text. */
void html_series_picture(const struct table_series *s, struct buf *b);

#endif
