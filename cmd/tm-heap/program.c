/* SPDX-License-Identifier: MIT */
#include "cmd/tm-heap/program.h"

#include "cmd/tm-heap/heap.h"
#include "lib/base/mem.h"

#include <stdlib.h>

/* The operands, and the captures beside them. */
static void symbolize(struct cli_heap *c)
{
	size_t n = (size_t)c->n_operands;
	const char **all = mem_array(n + c->with.n + 1, sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = c->operands[i];
	for (size_t i = 0; i < c->with.n; i++)
		all[n + i] = c->with.items[i];
	cli_autosymbolize(&c->symbols, "tm-heap", NULL, &c->import.options, n + c->with.n, all);
	free(all);
}

int tm_heap(int argc, char **argv)
{
	struct cli_heap c = {.n = 30, .objects = 10, .paths = 3};
	const struct opt table[] = {
	    ROW_CHOICE(0, "by", "KEY", "one row per type, site, root or owner", &c.by,
		       heap_key_words),
	    ROW_CHOICE(0, "sort", "METRIC", "rank by auto, size, count or retained", &c.sort,
		       heap_sort_words),
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default 30)", &c.n),
	    ROW_NUMBER(0, "objects", "N", "objects to list; 0: all (default 10)", &c.objects),
	    {.type = OPT_UNSIGNED,
	     .word = "snapshot",
	     .arg = "N",
	     .help = "snapshot to show (default: the last)",
	     .to = &c.snapshot,
	     .given = &c.has_snapshot},
	    ROW_LIST(0, "with", "FILE", "capture of the process: who allocated, and native blocks",
		     &c.with),
	    ROW_STRING(0, "who", "WHAT", "who refers to an object (its id) or types (REGEX)",
		       &c.who),
	    ROW_NUMBER(0, "paths", "K", "paths to each object; 0: all (default 3)", &c.paths),
	    ROW_FLAG(0, "dominators", "tree of the objects that each object alone holds",
		     &c.dominators),
	    ROW_STRING(0, "min", "PERCENT", "hide tree nodes below PERCENT (default 0.5)",
		       &c.min_percent),
	    ROW_FLAG(0, "duplicates", "objects with equal contents, or equal names", &c.duplicates),
	    ROW_FLAG(0, "destroyed", "held managed shells of destroyed native objects",
		     &c.destroyed),
	    {.type = OPT_CHOICE,
	     .word = "set",
	     .arg = "OP",
	     .help = "objects of two snapshots: add, and, or, xor; of three: leak",
	     .to = &c.op,
	     .given = &c.has_set,
	     .choices = heap_op_words},
	    ROW_CHOICE(0, "same", "BY",
		       "identity of objects for --set: path, source, type or address", &c.same,
		       heap_same_words),
	    ROW_HEADING("filters:"),
	    ROW_LIST(0, "type", "REGEX", "keep objects of a matching type", &c.types),
	    ROW_LIST(0, "site", "REGEX", "keep objects made or defined at a matching place",
		     &c.sites),
	    ROW_LIST(0, "root", "REGEX",
		     "keep objects whose shortest path begins at a matching root", &c.roots),
	    ROW_LIST(0, "owner", "REGEX", "keep objects of a matching owner (--owners)",
		     &c.owner_patterns),
	    ROW_LIST(0, "owners", "FILE", "rules that assign owners", &c.owner_files),
	    ROW_FLAG('F', "literal", "filters are plain strings", &c.literal),
	    ROW_FLAG('i', "caseless", "filters ignore case", &c.caseless),
	    CLI_REPORT_ROWS(c.report),
	    CLI_IMPORT_ROWS(c.import),
	    CLI_SYMBOLS_ROW(c.symbols),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-heap", "[FILE...]", "Shows the objects in heap snapshots, and who holds them.",
	    table};

	c.n_operands = opt_parse(&program, argc, argv);
	c.operands = argv + 1;
	cli_import_done(&c.import);
	cli_report_start(&c.report);
	symbolize(&c);
	cli_sandbox("tm-heap", NULL);
	cli_heap_check(&c);
	cli_heap_run(&c);
	cli_symbols_release(&c.symbols);
	return cli_exit();
}
