/* SPDX-License-Identifier: MIT
 *
 * The styles and the scripts of the HTML report, a page that needs no other file; the Makefile puts them together
 * from this folder.
 */
#ifndef TM_RENDER_HTML_ASSETS_H
#define TM_RENDER_HTML_ASSETS_H

extern const char html_styles[], html_scripts[];

#endif
