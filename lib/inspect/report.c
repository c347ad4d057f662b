/* SPDX-License-Identifier: MIT */
#include "lib/inspect/report.h"

#include "lib/base/buf.h"
#include "lib/object/id_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void inspect_report_init(struct inspect_report *r, bool several)
{
	unsigned module = several ? COLUMN_SHORTEN | COLUMN_PATH : COLUMN_NOT_TEXT;
	struct table_buf *s = &r->verdicts;

	table_buf_init(s, "verdicts", "what it is fit for");
	table_buf_column(s, "module", "module", COLUMN_TEXT, module);
	table_buf_column(s, "capability", "capability", COLUMN_TEXT, 0);
	table_buf_column(s, "fit", "fit", COLUMN_TEXT, 0);
	table_buf_column(s, "why", "why", COLUMN_TEXT, COLUMN_PROSE);
	table_buf_column(s, "fix", "fix", COLUMN_TEXT, COLUMN_PROSE);
	s = &r->facts;
	table_buf_init(s, "facts", "facts");
	table_buf_column(s, "module", "module", COLUMN_TEXT, module);
	table_buf_column(s, "fact", "fact", COLUMN_TEXT, 0);
	table_buf_column(s, "value", "value", COLUMN_TEXT, COLUMN_PROSE);
	s = &r->segments;
	table_buf_init(s, "segments", "segments");
	table_buf_column(s, "module", "module", COLUMN_TEXT, module);
	table_buf_column(s, "address", "address", COLUMN_TEXT, 0);
	table_buf_column(s, "offset", "offset", COLUMN_TEXT, 0);
	table_buf_column(s, "file_bytes", "in file", COLUMN_BYTES, 0);
	table_buf_column(s, "memory_bytes", "in memory", COLUMN_BYTES, 0);
	table_buf_column(s, "align", "alignment", COLUMN_INT, 0);
	table_buf_column(s, "code", "code", COLUMN_TEXT, 0);
	s = &r->sources;
	table_buf_init(s, "sources", "functions by source file");
	table_buf_column(s, "module", "module", COLUMN_TEXT, module);
	table_buf_column(s, "functions", "functions", COLUMN_INT, 0);
	table_buf_column(s, "calling", "that call", COLUMN_INT, 0);
	table_buf_column(s, "frame_pointer", "with frame pointer", COLUMN_INT, 0);
	table_buf_column(s, "share", "share", COLUMN_PERCENT, 0);
	table_buf_column(s, "instrumented", "instrumented", COLUMN_INT, 0);
	table_buf_column(s, "file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH);
}

void inspect_report_release(struct inspect_report *r)
{
	table_buf_release(&r->verdicts);
	table_buf_release(&r->facts);
	table_buf_release(&r->segments);
	table_buf_release(&r->sources);
}

static void __attribute__((format(printf, 4, 5)))
fact(struct inspect_report *r, const struct inspect *x, const char *name, const char *fmt, ...)
{
	struct table_cell *row = table_buf_row(&r->facts);
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	row[0] = table_buf_text(&r->facts, x->file.path);
	row[1] = table_buf_text(&r->facts, name);
	row[2] = table_buf_text(&r->facts, line);
}

static void sections(struct inspect_report *r, const struct inspect *x)
{
	static const char *const told[] = {".eh_frame",         ".eh_frame_hdr", ".ARM.exidx",
					   ".debug_frame",      ".pdata",        ".xdata",
					   ".debug_info",       ".debug_line",   ".debug_info.dwo",
					   ".gnu_debugdata",    ".zdebug_info",  ".zdebug_line",
					   ".gnu_debugaltlink", ".gnu_debuglink"};
	struct buf list = BUF_INIT;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		size_t n = inspect_section(x, told[i]);

		if (n)
			buf_addf(&list, "%s%s %" PRIu64, list.len ? ", " : "", told[i],
				 object_section_info(x->file.object, n).size);
	}
	fact(r, x, "sections", "%s",
	     list.len ? buf_str(&list)
		      : "no sections for debugging or "
			"unwinding");
	buf_release(&list);
}

static void versions(struct buf *list, const uint64_t units[6])
{
	for (unsigned v = 1; v <= 6; v++)
		if (units[v % 6])
			buf_addf(list, "%sversion %s: %" PRIu64 " units", list->len ? ", " : "",
				 v == 6 ? "unknown" : (const char[]){(char)('0' + v), 0},
				 units[v % 6]);
}

static void inspect_report_debug(struct inspect_report *r, const struct inspect *x)
{
	struct buf list = BUF_INIT, parts = BUF_INIT;

	versions(&list, x->units);
	versions(&parts, x->parts);
	if (x->skeletons)
		buf_addf(&list, ", %" PRIu64 " of them split", x->skeletons);
	if (x->bad_debug)
		buf_adds(&list, list.len ? ", damaged" : "damaged");
	if (list.len || !parts.len)
		fact(r, x, "DWARF", "%s", list.len ? buf_str(&list) : "none");
	if (parts.len)
		fact(r, x, "DWARF split off", "%s%s", buf_str(&parts),
		     inspect_section(x, ".debug_cu_index") ? ", packed" : "");
	if (x->compression)
		fact(r, x, "compression", "%s", x->compression);
	if (x->has_alt)
		fact(r, x, "dwz", "parts of the DWARF are in another file (.gnu_debugaltlink)");
	buf_release(&list);
	buf_release(&parts);
}

static void inspect_report_files(struct inspect_report *r, const struct inspect *x)
{
	const struct object *o = x->file.object;
	const struct object_build_id *id = object_build_id(o);
	const enum object_arch arch = object_arch(o);
	char text[OBJECT_ID_TEXT], key[OBJECT_DEBUG_KEY];
	struct object_pe_stamp stamp;

	if (object_arch_name(arch))
		fact(r, x, "processor", "%s, %d bits", object_arch_name(arch),
		     object_is_64(o) ? 64 : 32);
	else
		fact(r, x, "processor", "%s machine %u, %d bits", object_kind(o)->name,
		     arch < ARCH_OTHER ? 0 : (unsigned)arch - ARCH_OTHER,
		     object_is_64(o) ? 64 : 32);
	object_debug_key(o, key);
	object_id_text(id, false, text);
	fact(r, x, "build-id", "%s", *text ? text : "none");
	if (*key)
		fact(r, x, "CodeView", "%s %s", key, object_debug_named(o));
	if (object_pe_stamp(o, &stamp))
		fact(r, x, "time stamp and size", "%08" PRIX32 "%" PRIx32, stamp.time, stamp.size);
	fact(r, x, "stripped", "%s",
	     x->has_symtab                    ? "no"
	     : object_has_pdb(x->file.object) ? "symbols are in the PDB"
					      : "yes");
	if (strcmp(object_debug_path(o), x->file.path) != 0)
		fact(r, x, "debug file", "%s", object_debug_path(o));
	if (x->file.e.msg[0])
		fact(r, x,
		     strstr(x->file.e.msg, "which was not found") ? "debug file missing"
								  : "debug file refused",
		     "%s", x->file.e.msg);
}

static void functions(struct inspect_report *r, const struct inspect *x)
{
	const char *no_code = inspect_no_code(x);

	if (no_code)
		fact(r, x, "functions", "%s", no_code);
	else
		fact(r, x, "functions",
		     "%" PRIu64 " by %s: %" PRIu64 " call others, %" PRIu64 " do not%s", x->sum.n,
		     !x->from_tables                      ? "symbols"
		     : object_kind(x->file.object)->pdata ? ".pdata"
							  : ".eh_frame",
		     x->sum.frame + x->sum.none, x->sum.leaf,
		     x->sum.unknown ? "; unknown for some" : "");
	if (x->sum.frame + x->sum.none + x->sum.leaf)
		fact(r, x, "frame pointers",
		     "%" PRIu64 " functions set up a frame pointer, %" PRIu64 " with calls do "
		     "not",
		     x->sum.frame, x->sum.none);
	for (size_t i = 0; i < x->n_wraps; i++)
		fact(r, x, "wrapped", "%s:%s%s%s", x->wraps[i].name,
		     x->wraps[i].wrapper ? " __wrap_" : "", x->wraps[i].real ? " __real_" : "",
		     x->wraps[i].undefined ? ", one has no definition" : "");
}

static void segments(struct inspect_report *r, const struct inspect *x)
{
	struct table_buf *s = &r->segments;
	size_t n;
	const struct object_segment *all = object_segments(x->file.object, &n);

	for (size_t i = 0; i < n; i++) {
		struct table_cell *row = table_buf_row(s);

		row[0] = table_buf_text(s, x->file.path);
		row[1] = table_buf_textf(s, "0x%" PRIx64, all[i].vaddr);
		row[2] = table_buf_textf(s, "0x%" PRIx64, all[i].offset);
		row[3] = cell_number(all[i].filesz);
		row[4] = cell_number(all[i].memsz);
		row[5] = cell_number(all[i].align);
		row[6] = table_buf_text(s, all[i].executable ? "yes" : "no");
	}
}

void inspect_report_add(struct inspect_report *r, const struct inspect *x)
{
	static const enum mark marks[] = {
	    [FIT_YES] = MARK_GOOD, [FIT_PARTLY] = MARK_WARN, [FIT_NO] = MARK_BAD};

	for (unsigned c = 0; c < FITS; c++) {
		struct table_cell *row = table_buf_row(&r->verdicts);
		struct fitness f;

		fitness_of(x, c, &f);
		row[0] = table_buf_text(&r->verdicts, x->file.path);
		row[1] = table_buf_text(&r->verdicts, fit_names[c]);
		row[2] = table_buf_text(&r->verdicts, fit_words[f.fit]);
		row[2].mark = f.fit == FIT_UNKNOWN ? MARK_FAINT : (uint8_t)marks[f.fit];
		row[3] = table_buf_text(&r->verdicts, f.why);
		row[4] = table_buf_text(&r->verdicts, f.fix);
	}
	inspect_report_files(r, x);
	sections(r, x);
	inspect_report_debug(r, x);
	functions(r, x);
	segments(r, x);
}
