/* SPDX-License-Identifier: MIT
 *
 * Tables to text and CSV, on a stdio stream that the caller owns and closes. The status is
 * ST_OK, ST_PIPE or ST_SYS; what is still in stdio's buffer is the caller's to check.
 */
#ifndef TM_RENDER_RENDER_H
#define TM_RENDER_RENDER_H

#include "lib/base/err.h"
#include "lib/table/table.h"

#include <stdio.h>

struct render_text_options {
	unsigned width;   /* columns of the terminal; 0: not a terminal, nothing is shortened */
	bool exact_bytes; /* sizes as plain numbers */
};

/* For people: aligned, titled, input escaped (buf_add_escaped). Asks for every row twice. */
enum status render_text(const struct table *t, const struct render_text_options *o, FILE *out,
			struct err *e);

/* RFC 4180: a heading line of column keys, CRLF, fields quoted where they need it, text as
 * captured byte for byte. Numbers are plain, percents have two decimals after a '.'. */
enum status render_csv(const struct table *t, FILE *out, struct err *e);

#endif
