/* SPDX-License-Identifier: MIT */
#include "cmd/tm-inspect/program.h"

#include "cmd/tm-inspect/costs.h"
#include "cmd/tm-inspect/recording.h"
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/filter.h"
#include "lib/cli/report.h"
#include "lib/cli/search.h"
#include "lib/disasm/disasm.h"
#include "lib/group/metric.h"
#include "lib/inspect/report.h"
#include "lib/object/id_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 5 }; /* that are shown unasked */

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
	bool recording;
	struct recording *recordings; /* with that, by operand */

	/* --trace */
	char **names; /* of traces */
	struct cli_filter filter;
	struct cli_symbols symbols;
	struct cli_loop loop;
	int sort;
	uint64_t top;
	bool cumulative;
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
				cli_usage("--gate: unknown capability '%.*s'", (int)n, p);
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
	return object_kind(x->file.object)->name;
}

static void report_left_out(const struct inspect *x)
{
	unsigned n;
	const char *why = object_symbols_left_out(x->file.object, &n);

	if (why)
		cli_note(x->file.path, "symbol tables left out: %u: %s", n, why);
}

/* r: what is known of its recording, or NULL. A program that is not at hand has nothing else to inspect. */
static void inspect_one(struct inspect_cli *c, const char *name, struct recording *r)
{
	const char *path = r && r->path ? r->path : name;
	struct inspect x = {0};
	struct err e = ERR_INIT;
	enum status st = r && !r->path ? ST_OK : inspect_open(&x, path, &c->search, &e);

	if (r && !st && r->path)
		recording_symbols(r, &x);
	if (r)
		recording_rows(r, path, &c->tables.verdicts);
	if (r && !r->path) {
		c->any = true;
		return;
	}

	if (!st) {
		c->any = true;
		report_left_out(&x);
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

static void inspect_disassemble(struct inspect_cli *c, const char *path)
{
	struct err e = ERR_INIT;
	struct table_buf table_out = {.n_cells = 0};
	struct listing listing = {.n = 0};
	struct extent extent = {.name = ""};
	struct inspect x;
	enum status st = inspect_open_code(&x, path, &c->search, &e);

	if (!st)
		st = listing_find(&x, c->disassemble, &extent, &e);
	if (!st) {
		document_input(&c->document, path, format_of(&x));
		report_left_out(&x);
		listing_sheet(&table_out, NULL);
		st = listing_read(&listing, &x, &extent, &e);
		if (!st)
			st = listing_rows(&table_out, &listing, &c->lookup, NULL, &e);
		table_out.table.title =
		    st ? c->disassemble : listing_name(&table_out, &listing).text;
		document_table(&c->document, &table_out.table);
		if (extent.others)
			cli_note(path, "%zu more functions are named '%s'; this is the first",
				 extent.others, c->disassemble);
		if (!st)
			cli_report_print(&c->report, &c->document);
	}
	listing_release(&listing);
	table_buf_release(&table_out);
	inspect_release(&x);
	if (st) {
		e.code = e.code == ST_NONE ? ST_BAD : e.code;
		cli_fail(path, &e);
	}
}

/* Those that can be opened: how many. */
static size_t inspect_open_all(struct inspect_cli *c, int n, char **paths, struct inspect *to)
{
	size_t opened = 0;

	for (int i = 0; i < n; i++) {
		struct err e = ERR_INIT;

		if (inspect_open_code(&to[opened], paths[i], &c->search, &e)) {
			inspect_release(&to[opened]);
			cli_fail(paths[i], &e);
			continue;
		}
		report_left_out(&to[opened]);
		document_input(&c->document, paths[i], format_of(&to[opened]));
		opened++;
	}
	return opened;
}

static void report_other_build(const struct costs *c, const struct costs_binary *b)
{
	const struct object_build_id *own = object_build_id(b->x->file.object);
	const char *path = b->x->file.path;
	struct object_build_id other = {.len = 0};
	char other_text[OBJECT_ID_TEXT], own_text[OBJECT_ID_TEXT];
	struct object_pe_stamp stamp;
	struct buf text = BUF_INIT;
	const char *bytes;
	size_t n;

	bytes = names_text(&c->p->names, b->other_id, &n);
	other.len = (uint8_t)(n < OBJECT_BUILD_ID_MAX ? n : OBJECT_BUILD_ID_MAX);
	memcpy(other.bytes, bytes, other.len);
	object_id_text(&other, own->age || object_pe_stamp(b->x->file.object, &stamp), other_text);
	object_id_text(own, false, own_text);
	buf_addf(&text, "the trace has %zu addresses of another build of the binary: %s, not %s",
		 b->others, other_text, own_text);
	if (b->places) {
		cli_note(path, "%s", buf_str(&text));
	} else {
		cli_error(path, "%s", buf_str(&text));
		cli_status(EXIT_INPUT);
	}
	buf_release(&text);
}

/* Why there is nothing, or not all. */
static void report_costs(const struct costs *c)
{
	for (size_t i = 0; i < c->n_binaries; i++) {
		const struct costs_binary *b = &c->binaries[i];
		const char *path = b->x->file.path;

		if (b->others)
			report_other_build(c, b);
		if (!c->n_linked && c->p->names.n_locations > 1) {
			cli_error(path,
				  "no costs: the trace is not symbolized: tm-symbolize finds the "
				  "addresses of this binary");
			cli_status(EXIT_USAGE);
		} else if (!c->n_linked || b->unbound) {
			cli_note(path, "the trace is not symbolized: tm-symbolize finds the "
				       "addresses of this binary");
		} else if (!b->places && !b->others) {
			cli_note(path, "no address of the trace is in this binary");
		}
		if (b->by_name)
			cli_note(path, "matched by name, without a build-id: %zu addresses",
				 b->by_name);
	}
}

static void inspect_show_costs(struct inspect_cli *c, const struct grouped_profile *p,
			       const struct inspect *binaries, size_t n)
{
	struct table_buf table_out = {.n_cells = 0};
	struct err e = ERR_INIT;
	struct costs costs;
	enum status st = costs_init(&costs, p, 0, sort_of(c->sort), binaries, n, &e);

	if (st)
		cli_usage("--sort: %s", e.msg);
	report_costs(&costs);
	st = costs_choose(&costs, c->disassemble, c->top, c->cumulative, &e);
	if (!st)
		st = costs_table(&costs, &table_out, &c->lookup, &e);
	if (!st) {
		table_out.table.title = "instructions with costs";
		document_table(&c->document, &table_out.table);
		cli_report_print(&c->report, &c->document);
	} else {
		e.code = e.code == ST_NONE ? ST_BAD : e.code;
		cli_fail(n == 1 ? binaries->file.path : NULL, &e);
	}
	table_buf_release(&table_out);
	costs_release(&costs);
}

static void inspect_captured(void *arg, struct trace *t)
{
	const struct inspect_cli *c = arg;

	cli_report_notes(c->loop.file, t);
}

static void inspect_with_costs(struct inspect_cli *c, int n, char **paths)
{
	struct grouped_profile_options what = {
	    .n_by = 1, .by = {{.by = KEY_STACK}}, .captured = inspect_captured, .arg = c};
	struct inspect *binaries = mem_zarray((size_t)n, sizeof *binaries);
	size_t opened = inspect_open_all(c, n, paths, binaries);
	struct grouped_profile project;

	what.want = TALLY_TOP | sort_wants(sort_of(c->sort));
	cli_filter_project(&c->filter, &what);
	grouped_profile_init(&project, &what);
	c->loop = (struct cli_loop){.import = &c->import.options,
				    .sink = grouped_profile_sink(&project),
				    .symbols = &c->symbols,
				    .arg = c};
	for (size_t i = 0; i < c->traces.n; i++)
		document_input(&c->document, c->traces.items[i], "trace");
	if (opened)
		cli_inputs(&c->loop, (int)c->traces.n, c->names);
	grouped_profile_close(&project);
	names_disambiguate(&project.names);
	if (project.now.captures)
		inspect_show_costs(c, &project, binaries, opened);
	grouped_profile_release(&project);
	for (size_t i = 0; i < opened; i++)
		inspect_release(&binaries[i]);
	free(binaries);
}

static void inspect_all(struct inspect_cli *c, int n, char **paths)
{
	inspect_report_init(&c->tables, n > 1);
	for (int i = 0; i < n; i++)
		inspect_one(c, paths[i], c->recording ? &c->recordings[i] : NULL);
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

static void inspect_check(struct inspect_cli *c, int n)
{
	if (!n)
		cli_usage("no binary is given");
	if (c->disassemble && (c->by_file || c->require.n))
		cli_usage("--disassemble cannot be combined with --gate or --by-file");
	if (c->recording && (c->disassemble || c->traces.n))
		cli_usage("--recording cannot be combined with --disassemble or --trace");
	if (c->disassemble && n > 1 && !c->traces.n)
		cli_usage("--disassemble takes one binary, and no --trace");
	if (c->traces.n && (c->by_file || c->require.n))
		cli_usage("--trace cannot be combined with --gate or --by-file");
	parse_require(c);
}

/* Before the sandbox closes: it would hide other files than the operands. */
static void look_at_recordings(struct inspect_cli *c, int n, char **programs)
{
	c->recordings = mem_zarray((size_t)n, sizeof *c->recordings);
	for (int i = 0; i < n; i++)
		if (!recording_look(&c->recordings[i], programs[i]))
			cli_status(EXIT_GATE);
}

/* What the sandbox would deny. */
static void inspect_load(void)
{
	struct err e = ERR_INIT;

	if (disasm_load(&e))
		cli_error(NULL, "%s: frame pointers are unknown, and --disassemble has no text",
			  e.msg);
}

int tm_inspect(int argc, char **argv)
{
	struct inspect_cli c = {.document = {.program = "tm-inspect", .title = NULL},
				.top = FUNCTIONS};
	struct cli_binaries binaries = {0};
	struct cli_search search;
	struct lookup_options lookup = {.cache = {.off = true}, .demangle = true};
	const struct opt table[] = {
	    ROW_LIST(0, "gate", "LIST",
		     "fail unless each file has all of LIST, such as lines,frame-pointers",
		     &c.require),
	    ROW_FLAG(0, "by-file", "frame pointers and instrumentation by source file", &c.by_file),
	    ROW_FLAG(0, "recording", "also check whether this machine can record the programs",
		     &c.recording),
	    ROW_STRING(0, "disassemble", "WHAT",
		       "print the instructions of a function, by name or address, with lines",
		       &c.disassemble),
	    ROW_LIST(0, "trace", "FILE", "cost of each instruction in a trace (repeatable)",
		     &c.traces),
	    ROW_CHOICE(0, "sort", "METRIC", "--trace: metric of the cost (default auto)", &c.sort,
		       sort_words),
	    ROW_FLAG(0, "cumulative", "--trace: rank functions by total instead of self",
		     &c.cumulative),
	    ROW_NUMBER('n', "top", "N", "--trace: functions to show; 0: all (default 5)", &c.top),
	    ROW_FLAG(0, "no-symbols", "--trace: do not symbolize traces without names",
		     &c.symbols.off),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_FILTER_ROWS(c.filter),
	    CLI_VIEW_ROWS(c.filter),
	    CLI_REPORT_ROWS(c.report),
	    CLI_IMPORT_ROWS(c.import),
	    ROW_ALIAS("require", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-inspect", "FILE...", "Checks whether a binary can be profiled and symbolized.",
	    table};
	int n = opt_parse(&program, argc, argv);

	for (int i = 0; i < n; i++)
		if (opt_refused("exe", argv[i + 1]))
			cli_usage("%s: %s", argv[i + 1], opt_refused("exe", argv[i + 1]));
	cli_import_done(&c.import);
	inspect_check(&c, n);
	cli_search_done(&search, &binaries);
	c.search = search.search.object;
	lookup.search = c.search;
	lookup.dwarf.jobs = pool_cpus();
	cli_report_start(&c.report);
	c.names = mem_array(c.traces.n + 1, sizeof *c.names);
	for (size_t i = 0; i < c.traces.n; i++)
		c.names[i] = mem_strdup(c.traces.items[i]);
	c.symbols.exes = (const char *const *)argv + 1;
	c.symbols.n_exes = (size_t)n;
	c.symbols.debug_dirs = binaries.debug_dirs.items;
	c.symbols.n_debug_dirs = binaries.debug_dirs.n;
	inspect_load();
	cli_autosymbolize(&c.symbols, "tm-inspect", NULL, &c.import.options, c.traces.n,
			  (const char *const *)c.names);
	if (c.recording)
		look_at_recordings(&c, n, argv + 1);
	cli_sandbox("tm-inspect", NULL);
	cli_filter_done(&c.filter);
	lookup_init(&c.lookup, &lookup);
	if (c.traces.n)
		inspect_with_costs(&c, n, argv + 1);
	else if (c.disassemble)
		inspect_disassemble(&c, argv[1]);
	else
		inspect_all(&c, n, argv + 1);
	cli_search_report(&search);
	document_release(&c.document);
	lookup_release(&c.lookup);
	cli_symbols_release(&c.symbols);
	for (int i = 0; c.recordings && i < n; i++)
		recording_release(&c.recordings[i]);
	free(c.recordings);
	for (size_t i = 0; i < c.traces.n; i++)
		free(c.names[i]);
	free(c.names);
	cli_filter_release(&c.filter);
	opt_list_release(&c.require);
	opt_list_release(&c.traces);
	cli_search_release(&search);
	cli_binaries_release(&binaries);
	return cli_exit();
}
