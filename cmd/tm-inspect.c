/* SPDX-License-Identifier: MIT
 *
 * tm-inspect: is this binary fit to profile and to symbolize?
 */
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/report.h"
#include "lib/cli/search.h"
#include "lib/inspect/listing.h"
#include "lib/inspect/report.h"

#include <stdlib.h>
#include <string.h>

struct inspect_cli {
	struct cli_report report;
	struct inspect_report tables;
	struct table_document document;
	struct object_search search;
	struct lookup lookup;
	struct opt_list require, traces;
	struct cli_import import;
	const char *disassemble;
	bool required[FITS], by_file, any;
};

/* --gate a,b,c */
static void parse_require(struct inspect_cli *c)
{
	for (size_t i = 0; i < c->require.n; i++)
		for (const char *p = c->require.items[i]; *p;) {
			size_t n = strcspn(p, ","), k = 0;

			while (k < FITS &&
			       (strlen(fit_names[k]) != n || strncmp(fit_names[k], p, n) != 0))
				k++;
			if (k == FITS)
				cli_usage("--gate: there is no capability '%.*s'", (int)n, p);
			c->required[k] = true;
			p += n + (p[n] == ',');
		}
}

static void require(const struct inspect_cli *c, const struct inspect *x)
{
	for (unsigned k = 0; k < FITS; k++) {
		struct fitness f;

		if (!c->required[k])
			continue;
		fitness_of(x, k, &f);
		if (f.fit == FIT_YES)
			continue;
		cli_note(x->file.path, "required: %s: %s: %s", fit_names[k], fit_words[f.fit],
			 f.why);
		cli_status(f.fit == FIT_UNKNOWN ? EXIT_INCONCLUSIVE : EXIT_GATE);
	}
}

static const char *format_of(const struct inspect *x)
{
	return object_kind(x->file.object) == OBJECT_MACH ? "Mach-O" : "ELF";
}

static void tell_left_out(const struct inspect *x)
{
	unsigned n;
	const char *why = object_symbols_left_out(x->file.object, &n);

	if (why)
		cli_note(x->file.path, "symbol tables left out: %u: %s", n, why);
}

static void inspect_one(struct inspect_cli *c, const char *path)
{
	struct inspect x;
	struct err e = ERR_INIT;
	enum status st = inspect_open(&x, path, &c->search, &e);

	if (!st) {
		c->any = true;
		tell_left_out(&x);
		document_input(&c->document, path, format_of(&x));
		inspect_report_add(&c->tables, &x);
		if (c->by_file)
			st = inspect_report_sources(&c->tables, &x, &c->lookup, &e);
		require(c, &x);
	}
	inspect_release(&x);
	if (st)
		cli_fail(path, &e);
}

static enum status inspect_read_traces(struct inspect_cli *c, const struct inspect *x,
				       struct inspect_cost *cost)
{
	struct cli_loop loop = {.import = &c->import.options, .sink = &cost->sink};
	char **operands = mem_array(c->traces.n, sizeof *operands);

	for (size_t i = 0; i < c->traces.n; i++) {
		operands[i] = mem_strdup(c->traces.items[i]);
		document_input(&c->document, c->traces.items[i], "trace");
	}
	cli_inputs(&loop, (int)c->traces.n, operands);
	for (size_t i = 0; i < c->traces.n; i++)
		free(operands[i]);
	free(operands);
	if (!loop.read)
		return ST_NONE;
	if (cost->unbound && !cost->n)
		cli_note(x->file.path, "the trace is not symbolized: tm-symbolize says which "
				       "addresses are of this binary");
	else if (!cost->n)
		cli_note(x->file.path, "no address of the trace is of this binary");
	return ST_OK;
}

static void inspect_disassemble(struct inspect_cli *c, const char *path)
{
	struct err e = ERR_INIT;
	struct inspect_sheet sheet = {.n_cells = 0};
	struct inspect x;
	struct extent extent;
	struct inspect_cost cost;
	enum status st = inspect_open(&x, path, &c->search, &e);

	if (!st)
		st = listing_find(&x, c->disassemble, &extent, &e);
	if (!st) {
		document_input(&c->document, path, format_of(&x));
		tell_left_out(&x);
		cost_init(&cost, path, x.file.object);
		if (c->traces.n)
			inspect_read_traces(c, &x, &cost);
		st = listing_make(&x, &extent, c->traces.n ? &cost : NULL, &c->lookup, &sheet, &e);
		sheet.table.title = *extent.name ? extent.name : c->disassemble;
		document_table(&c->document, &sheet.table);
		if (extent.others)
			cli_note(path, "%zu more functions are called '%s'; this is the first",
				 extent.others, c->disassemble);
		if (!st)
			cli_report_print(&c->report, &c->document);
		cost_release(&cost);
	}
	sheet_release(&sheet);
	inspect_release(&x);
	if (st) {
		e.code = e.code == ST_NONE ? ST_BAD : e.code;
		cli_fail(path, &e);
	}
}

static void inspect_all(struct inspect_cli *c, int n, char **paths)
{
	inspect_report_init(&c->tables, n > 1);
	for (int i = 0; i < n; i++)
		inspect_one(c, paths[i]);
	if (c->any) {
		document_table(&c->document, &c->tables.verdicts.table);
		document_table(&c->document, &c->tables.facts.table);
		document_table(&c->document, &c->tables.segments.table);
		if (c->by_file)
			document_table(&c->document, &c->tables.sources.table);
		cli_report_print(&c->report, &c->document);
	}
	inspect_report_release(&c->tables);
}

int main(int argc, char **argv)
{
	struct inspect_cli c = {.document = {.program = "tm-inspect", .title = NULL}};
	struct cli_binaries binaries = {0};
	struct cli_search search;
	struct lookup_options lookup = {.cache = {.off = true}, .demangle = true};
	const struct opt table[] = {
	    ROW_LIST(0, "gate", "LIST",
		     "status 1 unless it is fit for these, as in lines,frame-pointers", &c.require),
	    ROW_FLAG(0, "by-file", "frame pointers and instrumentation by source file", &c.by_file),
	    ROW_STRING(0, "disassemble", "WHAT",
		       "the instructions of a function, by name or address, with lines",
		       &c.disassemble),
	    ROW_LIST(0, "trace", "FILE", "--disassemble: what a trace charges its calls with",
		     &c.traces),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_REPORT_ROWS(c.report),
	    CLI_IMPORT_ROWS(c.import),
	    ROW_OLD("require", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-inspect", "FILE...", "Says what a binary is fit for: to profile, to symbolize.",
	    table};
	int n = opt_parse(&program, argc, argv);

	if (!n)
		cli_usage("which binaries?");
	cli_import_done(&c.import);
	if (c.disassemble && (n > 1 || c.by_file || c.require.n))
		cli_usage("--disassemble: of one binary, and without --gate and --by-file");
	if (c.traces.n && !c.disassemble)
		cli_usage("--trace: goes with --disassemble");
	parse_require(&c);
	cli_search_done(&search, &binaries);
	c.search = search.search.object;
	lookup.search = c.search;
	lookup.engine = search.engine;
	lookup.dwarf.jobs = pool_cpus();
	cli_report_start(&c.report);
	cli_sandbox("tm-inspect", NULL);
	lookup_init(&c.lookup, &lookup);
	if (c.disassemble)
		inspect_disassemble(&c, argv[1]);
	else
		inspect_all(&c, n, argv + 1);
	cli_search_tell(&search);
	document_release(&c.document);
	lookup_release(&c.lookup);
	opt_list_release(&c.require);
	opt_list_release(&c.traces);
	cli_search_release(&search);
	cli_binaries_release(&binaries);
	return cli_exit();
}
