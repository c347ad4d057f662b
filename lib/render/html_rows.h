/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the rows of a table beyond those in the page's text. They are data of the page's
 * scripts, which draw them as they come into view. A script element of JSON:
 *
 *     columns     {type, decimals, signed, bar, prose, tree} of those that people see
 *     exact       sizes and times are plain numbers
 *     rows        how many there are here
 *     cells       of each column an array: of texts, indexes of strings; null where a cell is blank.
 *                 Numbers that a double cannot hold are strings.
 *     marks       [column, row, class]
 *     details     [row, [texts beneath it]]
 *     depth       of all rows of a tree, also of those in the text
 *     strings
 */
#ifndef TM_RENDER_HTML_ROWS_H
#define TM_RENDER_HTML_ROWS_H

#include "lib/render/out.h"

enum { HTML_ROW_DATA = 48 * 1000000 }; /* bytes of all tables of a page */

/* Rows from `from`; *room is what is left of HTML_ROW_DATA. Gives behind which row it ended. */
size_t html_rows_data(const struct table *t, size_t from, bool exact, size_t *room,
		      struct render_out *out);

#endif
