/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: a flame graph in a page. All its nodes are there as data, in about ten bytes
 * each, of which the scripts make elements for what is in view only. The heaviest are also a picture,
 * which is shown where scripts do not run.
 *
 * The data are a script element of JSON:
 *
 *     strings           texts
 *     name, at          of each function: indexes of strings, at may be -1
 *     function, up      of each node in pre-order: its function; how many levels it is above a child of
 *                       the node before it
 *     own               the nodes that have sums of their own: each one's distance from the one before
 *     self, base        their sums; base with a differential graph
 *     measure, more     titles of the sums; each of more has its own script element, with an array like
 *                       self, which is not read before it is asked for
 */
#ifndef TM_RENDER_HTML_FLAME_H
#define TM_RENDER_HTML_FLAME_H

#include "lib/render/out.h"

enum {
	HTML_NODES = 1000000, /* of a flame graph; the smallest of more are one */
	HTML_STILL = 150,     /* of the picture */
};

void html_flame_data(const struct flame *f, struct render_out *out);
void html_flame_picture(const struct flame *f, struct buf *b);

#endif
