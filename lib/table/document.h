/* SPDX-License-Identifier: MIT
 *
 * A document, the output of a program: sections in order, and the inputs they were made from. A
 * document borrows everything but its own lists; what it points to lives until document_release.
 *
 *     struct table_document d = {.program = "tm-frames", .title = "frames of run.mem"};
 *     document_input(&d, "run.mem", "MemTracer");
 *     document_table(&d, &frames);
 *     document_series(&d, &chart);
 *     ... cli_report prints it (lib/cli/report.h)
 *     document_release(&d);
 *
 * Text shows the sections in order (series only where they are asked for, flame graphs never: a
 * program gives a tree table for that). CSV and TSV hold one table: the first, or the one of
 * `--table NAME`. JUnit and SARIF hold the checks. JSON and HTML hold everything.
 */
#ifndef TM_TABLE_DOCUMENT_H
#define TM_TABLE_DOCUMENT_H

#include "lib/table/checks.h"
#include "lib/table/flame.h"
#include "lib/table/series.h"
#include "lib/table/table.h"

enum section_kind {
	SECTION_TABLE,
	SECTION_FLAME,
	SECTION_SERIES,
	SECTION_CHECKS,
};

struct table_section {
	enum section_kind kind;
	union {
		const struct table *table;
		const struct flame *flame;
		const struct table_series *series;
		const struct table_checks *checks;
	};
};

struct document_input {
	const char *name; /* "-" is standard input */
	const char *what; /* its format or its part in the report ("base", "new"); may be NULL */
};

/* What else a reader of the report should know: "filters", "frames 100 to 200". */
struct document_fact {
	const char *key, *value; /* key: [a-z_] */
};

/* What a reader of a few numbers asks for: "peak_real". Units are in the key (_ns, _percent), or that of the sum. */
struct document_number {
	const char *key; /* [a-z_] */
	struct table_column as;
	struct table_cell value;
};

struct table_document {
	const char *program; /* "tm-top" */
	const char *version; /* NULL: this build's */
	const char *title;   /* of the whole, NULL: that of the first section */
	struct table_section *sections;
	size_t n_sections, sections_cap;
	struct document_input *inputs;
	size_t n_inputs, inputs_cap;
	struct document_fact *facts;
	size_t n_facts, facts_cap;
	struct document_number *numbers; /* JSON */
	size_t n_numbers, numbers_cap;
	const char **heads; /* lines at the head, before all sections: text and Markdown */
	size_t n_heads, heads_cap;
	const char **notes; /* lines at the end, after all sections */
	size_t n_notes, notes_cap;
};

void document_table(struct table_document *d, const struct table *t);
void document_flame(struct table_document *d, const struct flame *f);
void document_series(struct table_document *d, const struct table_series *s);
void document_checks(struct table_document *d, const struct table_checks *c);
void document_input(struct table_document *d, const char *name, const char *what);
void document_fact(struct table_document *d, const char *key, const char *value);
/* A value may be absent. decimals: of a COLUMN_NUMBER. */
void document_number(struct table_document *d, const char *key, enum column_type type,
		     unsigned decimals, struct table_cell value);
void document_head(struct table_document *d, const char *line);
void document_note(struct table_document *d, const char *line);
void document_release(struct table_document *d);

#endif
