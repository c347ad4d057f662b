/* SPDX-License-Identifier: MIT
 *
 * The interpreter of line number programs (DWARF 5, section 6.2). A program is run once and merged with sorted
 * addresses, so that only rows that are asked for are stored.
 */
#ifndef TM_DWARF_FAST_LINE_H
#define TM_DWARF_FAST_LINE_H

#include "lib/base/buf.h"
#include "lib/base/sort.h"
#include "lib/dwarf/budget.h"
#include "lib/dwarf/fast/near.h"
#include "lib/dwarf/fast/unit.h"

/* The row in force at an address: of those whose stretch holds it the one that begins last. */
struct fast_row {
	uint64_t addr;
	uint32_t file : 31, there : 1;
	uint32_t line, column, discriminator;
};

struct fast_line_file {
	const char *name; /* NULL: none */
	size_t n;
	uint64_t dir;
};

/* One line table; the arrays are reused from unit to unit. */
struct fast_lines {
	uint8_t version;
	bool relative;                /* paths without the compilation directory */
	struct fast_line_file *files; /* as the program counts them: from 1 before DWARF 5 */
	size_t n_files, cap_files;
	struct fast_line_file *dirs; /* before DWARF 5 the first is the compilation directory */
	size_t n_dirs, cap_dirs;
	struct buf scratch;
	struct fast_near near; /* the table's bytes */
	/* Of files, where their texts are wanted: DW_LNCT_LLVM_source. */
	bool wants_sources;
	struct fast_line_source {
		const char *text; /* NULL: none */
		size_t n;
	} * sources;
	size_t n_sources, cap_sources;
};

enum { LIMIT_LINE_FILES = 1 << 20 };

/* rows[i] for addrs[i], ascending. NULL, or why the table is invalid: then there are no rows,
 * though there may be files. */
const char *fast_lines_run(const struct fast_file *f, const struct fast_unit *u,
			   const uint64_t *addrs, size_t n, struct budget *b, struct fast_lines *l,
			   struct fast_row *rows);
/* Appends to *all where each row's stretch begins and ends, in no order: an item whose index is 1
 * ends the stretch that begins at the item before it. As fast_lines_run. */
struct fast_line_places {
	struct sort_item *all;
	size_t n, cap;
	struct fast_line_stretch { /* of the last table, in its order */
		struct fast_row row;
		uint64_t end;
	} * stretches;
	size_t n_stretches, cap_stretches;
};
const char *fast_lines_places(const struct fast_file *f, const struct fast_unit *u,
			      struct budget *b, struct fast_lines *l, struct fast_line_places *all);
/* As fast_lines_run, of the table that fast_lines_places has run. */
void fast_lines_rows(const struct fast_line_places *all, const uint64_t *addrs, size_t n,
		     struct fast_row *rows);
void fast_line_places_release(struct fast_line_places *all);
/* Appends the path of a file of the table last run; false: there is no such file. */
bool fast_lines_path(struct fast_lines *l, const struct fast_unit *u, uint32_t number,
		     struct buf *out);
/* The text that a unit's table embeds of the file of this path; NULL: none. Borrowed from the file. */
const char *fast_lines_source(const struct fast_file *f, const struct fast_unit *u,
			      struct fast_lines *l, const char *path, size_t *n);
void fast_lines_release(struct fast_lines *l);

#endif
