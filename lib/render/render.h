/* SPDX-License-Identifier: MIT
 *
 * The rendering of documents as text and as formats that other programs read, on a stdio stream
 * that the caller owns and closes. What is in a document is escaped as each format wants it.
 * tracemill-report(5) describes the formats. A status is ST_OK, ST_PIPE, ST_SYS (what is still in
 * stdio's buffer is the caller's to check) or ST_UNSUPPORTED: the document has nothing that the
 * format can hold; then nothing has been written.
 */
#ifndef TM_RENDER_RENDER_H
#define TM_RENDER_RENDER_H

#include "lib/base/err.h"
#include "lib/table/document.h"

#include <stdio.h>

enum render_format {
	RENDER_TEXT,
	RENDER_CSV,
	RENDER_TSV,
	RENDER_JSON,
	RENDER_MARKDOWN,
	RENDER_JUNIT,
	RENDER_SARIF,
	RENDER_HTML,
	RENDER_CODE_QUALITY,
	RENDER_FORMATS,
};

extern const char *const render_format_words[RENDER_FORMATS + 1]; /* "text", ..., NULL */

struct render_options {   /* zeroed is for a file */
	unsigned width;   /* text: columns of the terminal; 0: nothing is shortened */
	bool exact_bytes; /* text, Markdown, HTML: sizes and times as plain numbers */
	bool colour;      /* text: ANSI colours */
	bool plot;        /* text: series as charts of Unicode blocks */
	bool raw_csv;     /* CSV, TSV: without the guard against formulas */
	bool terminal;    /* CSV, TSV: nothing in a text may drive one */
	const char *
	    language; /* HTML: "zh": Chinese until the reader says otherwise; NULL: as the browser is */
	const char
	    *table; /* text, CSV, TSV, JSON: only this section; NULL: all, or the first table */
};

/* By the ending of the file's name, in either case; text where it has none. False: no report has this ending. */
bool render_format_of(const char *path, enum render_format *format);

/* The document as JSON has it, for what writes it in a form of its own: with the section of o->table alone, which is
 * *one then. ST_UNSUPPORTED: there is none. */
enum status render_chosen(const struct table_document *d, const struct render_options *o,
			  struct table_section *one, struct table_document *to, struct err *e);
enum status render(const struct table_document *d, enum render_format f,
		   const struct render_options *o, FILE *file, struct err *e);

/* For rows that are never in memory together: CSV or TSV, a row at a time as they are made. t has
 * no rows of its own; the calls after a failure do nothing and return it. */
struct render_rows;
struct render_rows *render_rows_new(const struct table *t, enum render_format f,
				    const struct render_options *o, FILE *out, struct err *e);
enum status render_rows_add(struct render_rows *r, const struct table_row *row);
enum status render_rows_end(struct render_rows *r); /* frees it; accepts NULL */

#endif
