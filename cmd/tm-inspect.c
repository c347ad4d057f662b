/* SPDX-License-Identifier: MIT
 *
 * tm-inspect: is this binary fit to profile and to symbolize?
 */
#include "lib/base/pool.h"
#include "lib/cli/report.h"
#include "lib/inspect/report.h"

#include <string.h>

struct inspect_cli {
	struct cli_report report;
	struct inspect_report tables;
	struct document document;
	struct object_search search;
	struct lookup lookup;
	struct opt_list require;
	bool required[FITS], by_file, any;
};

/* --require a,b,c */
static void parse_require(struct inspect_cli *c)
{
	for (size_t i = 0; i < c->require.n; i++)
		for (const char *p = c->require.items[i]; *p;) {
			size_t n = strcspn(p, ","), k = 0;

			while (k < FITS &&
			       (strlen(fit_names[k]) != n || strncmp(fit_names[k], p, n) != 0))
				k++;
			if (k == FITS)
				cli_usage("--require: there is no capability '%.*s'", (int)n, p);
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

static void one(struct inspect_cli *c, const char *path)
{
	struct inspect x;
	struct err e = ERR_INIT;
	enum status st = inspect_open(&x, path, &c->search, &e);

	if (!st) {
		c->any = true;
		document_input(&c->document, path, "ELF");
		inspect_report_add(&c->tables, &x);
		if (c->by_file)
			st = inspect_report_sources(&c->tables, &x, &c->lookup, &e);
		require(c, &x);
	}
	inspect_release(&x);
	if (st)
		cli_fail(path, &e);
}

int main(int argc, char **argv)
{
	struct inspect_cli c = {.document = {.program = "tm-inspect", .title = NULL}};
	struct opt_list debug_dirs = {0};
	struct lookup_options lookup = {.cache = {.off = true}};
	const struct opt table[] = {
	    ROW_LIST(0, "require", "LIST",
		     "status 1 unless it is fit for these, as in lines,frame-pointers", &c.require),
	    ROW_FLAG(0, "by-file", "frame pointers and instrumentation by source file", &c.by_file),
	    ROW_LIST(0, "debug-dir", "DIR", "where debug files are: a build-id tree or a folder",
		     &debug_dirs),
	    CLI_REPORT_ROWS(c.report),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-inspect", "FILE...", "Says what a binary is fit for: to profile, to symbolize.",
	    table};
	int n = opt_parse(&program, argc, argv);

	if (!n)
		cli_usage("which binaries?");
	parse_require(&c);
	for (size_t i = 0; i < debug_dirs.n; i++)
		cli_need_folder("debug-dir", debug_dirs.items[i]);
	c.search = (struct object_search){debug_dirs.items, debug_dirs.n, true};
	lookup.search = c.search;
	lookup.dwarf.jobs = pool_cpus();
	cli_report_start(&c.report);
	lookup_init(&c.lookup, &lookup);
	inspect_report_init(&c.tables, n > 1);
	for (int i = 1; i <= n; i++)
		one(&c, argv[i]);
	if (c.any) {
		document_table(&c.document, &c.tables.verdicts.table);
		document_table(&c.document, &c.tables.facts.table);
		document_table(&c.document, &c.tables.segments.table);
		if (c.by_file)
			document_table(&c.document, &c.tables.sources.table);
		cli_report_print(&c.report, &c.document);
	}
	inspect_report_release(&c.tables);
	document_release(&c.document);
	lookup_release(&c.lookup);
	opt_list_release(&c.require);
	opt_list_release(&debug_dirs);
	return cli_exit();
}
