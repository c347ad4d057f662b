/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: lines of fields, with commas or with tabs.
 */
#ifndef TM_RENDER_DELIMITED_H
#define TM_RENDER_DELIMITED_H

#include "lib/render/out.h"

struct delimited {
	bool tabs;  /* TSV; otherwise CSV */
	bool raw;   /* without the guard against formulas */
	bool shown; /* for a terminal: text is escaped as in text */
};

struct delimited delimited_of(enum render_format f, const struct render_options *o);
enum status delimited_table(const struct delimited *d, const struct table *t, struct render_out *o);

#endif
