/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the output of a format, and the common parts of the formats. A format
 * adds to out.text and calls out_flush now and then; the first failure sticks.
 */
#ifndef TM_RENDER_OUT_H
#define TM_RENDER_OUT_H

#include "lib/render/render.h"

struct render_out {
	struct buf text;
	FILE *file;
	struct err *e;
	enum status status;
};

/* Writes what is there, if it is much or must be; returns the status. */
enum status out_flush(struct render_out *o, bool now);

/* The cells of one row, from the table. */
void row_fill(const struct table *t, size_t i, struct table_row *r);

/* Sections are chosen by their name; the first table has it also when it has no other. */
const char *section_name(const struct table_section *s);

const char *document_version(const struct table_document *d);
const char *document_title(const struct table_document *d); /* never NULL */

enum status text_document(const struct table_document *d, const struct render_options *o,
			  struct render_out *out);
void text_plot(const struct table_series *s, const struct render_options *o, struct buf *b);

enum { DEPTH_SHOWN = 40 }; /* deeper rows of a tree are indented no further */

#endif
