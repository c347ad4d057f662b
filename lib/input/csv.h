/* SPDX-License-Identifier: MIT
 *
 * The fields of a line of CSV: RFC 4180 without line ends in quotes, with ',', ';' or tabs between them. Blanks
 * around a field and the quotes around it are not part of it; "" in quotes is a quote.
 */
#ifndef TM_INPUT_CSV_H
#define TM_INPUT_CSV_H

#include "lib/base/buf.h"

struct csv_field {
	const char *s; /* into the line, or, of a field with "" in it, into csv.text */
	size_t n;
};

struct csv {            /* zeroed is valid */
	char separator; /* 0: ',' */
	struct csv_field *fields;
	size_t n, cap;
	struct buf text;
};

/* Of a line with several fields: ';' or a tab where one of them is more frequent than ',' outside of quotes. */
char csv_separator(const char *s, size_t n);
/* The fields, valid until the next call and as long as the line. A line without a separator has one. */
void csv_split(struct csv *c, const char *s, size_t n);
void csv_release(struct csv *c);

#endif
