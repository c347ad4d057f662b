/* SPDX-License-Identifier: MIT
 *
 * The page's files as strings; the Makefile makes them from this folder.
 */
#ifndef TM_RENDER_HTML_ASSETS_H
#define TM_RENDER_HTML_ASSETS_H

extern const char html_page_css[], html_page_js[], html_flame_js[], html_chart_js[],
    html_table_js[], html_texts_js[];

#endif
