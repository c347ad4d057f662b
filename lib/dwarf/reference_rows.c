/* SPDX-License-Identifier: MIT
 *
 * The line table of a unit through libdwarf: its rows and its files.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/reference_libdwarf.h"

#include <inttypes.h>

enum { LIMIT_FILES = 1 << 20 }; /* of one unit */

static enum status read_files(struct reader *r, struct unit *u, Dwarf_Line_Context context,
			      uint16_t version, struct err *e)
{
	const char *base = attr_text(r, r->die, DW_AT_comp_dir);
	Dwarf_Error de = NULL;
	Dwarf_Signed first, count, end;
	int got = dwarf_srclines_files_indexes(context, &first, &count, &end, &de);

	if (got != DW_DLV_OK)
		return reader_failed(r, got == DW_DLV_ERROR ? de : NULL, e, "line table's files");
	if (first < 0 || end < first || end > LIMIT_FILES)
		return err_set(e, ST_LIMIT, "line table: %" PRId64 " files", (int64_t)count);
	for (Dwarf_Signed i = 0; i < end; i++) {
		const char *name = NULL, *dir = NULL;
		Dwarf_Unsigned dir_index = 0, mtime, length;
		Dwarf_Form_Data16 *md5;

		VEC_PUSH(u->files, u->n_files, u->cap_files) = 0;
		if (i < first)
			continue;
		got = dwarf_srclines_files_data_b(context, i, &name, &dir_index, &mtime, &length,
						  &md5, &de);
		if (got == DW_DLV_ERROR)
			return reader_failed(r, de, e, "line table's files");
		if (got != DW_DLV_OK || !name)
			continue;
		/* DWARF 5 counts directories from 0; before it 0 is the compilation directory, in
		 * no table */
		if ((version >= 5 || dir_index) && dir_index < LIMIT_FILES) {
			got = dwarf_srclines_include_dir_data(context, (Dwarf_Signed)dir_index,
							      &dir, &de);
			if (got == DW_DLV_ERROR)
				dwarf_dealloc_error(r->dbg, de);
			if (got != DW_DLV_OK)
				dir = NULL;
		}
		r->path.len = 0;
		unit_join_path(&r->path, version, base ? base : "", dir_index, dir ? dir : "",
			       name);
		u->files[i] = intern_add(r->strings, buf_str(&r->path), r->path.len);
	}
	return ST_OK;
}

static enum status read_row(Dwarf_Line line, struct unit_row *row, Dwarf_Error *de)
{
	Dwarf_Addr addr;
	Dwarf_Unsigned file, number_, column;
	Dwarf_Bool end;

	if (dwarf_lineaddr(line, &addr, de) || dwarf_line_srcfileno(line, &file, de) ||
	    dwarf_lineno(line, &number_, de) || dwarf_lineoff_b(line, &column, de) ||
	    dwarf_lineendsequence(line, &end, de))
		return ST_BAD;
	*row = (struct unit_row){
	    .addr = addr,
	    .file = file < LIMIT_FILES ? (uint32_t)file : LIMIT_FILES,
	    .line = number_ <= UINT32_MAX ? (uint32_t)number_ : 0,
	    .column = column <= UINT32_MAX ? (uint32_t)column : 0,
	    .end = end,
	};
	return ST_OK;
}

static void fix_default_file(struct reader *r, struct unit *u)
{
	const struct object_section *s = &r->sections.all[SECTION_LINE];
	uint64_t at;

	if (attr_offset(r, r->die, DW_AT_stmt_list, &at) && at < s->size)
		unit_fix_default_file(u, s->data + at, (size_t)(s->size - at),
				      object_is_big_endian(r->object));
}

enum status reader_rows(struct reader *r, struct unit *u, struct err *e)
{
	Dwarf_Line_Context context;
	Dwarf_Error de = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *lines;
	Dwarf_Signed count;
	enum status st;
	int got = dwarf_srclines_b(r->die, &version, &tables, &context, &de);

	u->n_rows = u->n_files = 0;
	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return reader_failed(r, de, e, "line table");
	st = read_files(r, u, context, (uint16_t)version, e);
	got = dwarf_srclines_from_linecontext(context, &lines, &count, &de);
	if (got == DW_DLV_ERROR && !st)
		st = reader_failed(r, de, e, "line table");
	if (got != DW_DLV_OK || tables > 1) /* two-level tables: an experiment of 2014 */
		count = 0;
	for (Dwarf_Signed i = 0; i < count && !st; i++) {
		struct unit_row row;

		st = read_row(lines[i], &row, &de);
		if (st)
			reader_failed(r, de, e, "line table");
		else
			VEC_PUSH(u->rows, u->n_rows, u->cap_rows) = row;
	}
	dwarf_srclines_dealloc_b(context);
	if (!st && version == 5)
		fix_default_file(r, u);
	if (st)
		u->n_rows = 0;
	return st;
}
