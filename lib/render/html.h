/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the HTML page, which needs no network and no other file. Tables are in its text and
 * can be read and printed without scripts; flame graphs and charts are drawn by the page's own scripts from JSON
 * in it. Its size is capped, and the page says what was left out.
 */
#ifndef TM_RENDER_HTML_H
#define TM_RENDER_HTML_H

#include "lib/render/out.h"

enum status html_document(const struct table_document *d, const struct render_options *o,
			  struct render_out *out);

#endif
