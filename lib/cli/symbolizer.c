/* SPDX-License-Identifier: MIT */
#include "lib/cli/symbolizer.h"

#include "lib/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

struct tracemill_options cli_symbolizer_options(struct cli_binaries *b, const struct cli_managed *m)
{
	bool managed = m->line_maps.n || m->method_maps.n || m->usyms.n;

	cli_binaries_check(b);
	return (struct tracemill_options){
	    .size = sizeof(struct tracemill_options),
	    .flags = TRACEMILL_GUARD_FILES | TRACEMILL_REFERENCE_ENGINE |
		     (b->no_cache ? 0 : TRACEMILL_CACHE) | (b->explain ? TRACEMILL_EXPLAIN : 0) |
		     (managed ? TRACEMILL_MANAGED_NAMES : 0) |
		     (m->has_window ? TRACEMILL_LINE_MAP_WINDOW : 0),
	    .threads = (unsigned)b->jobs,
	    .debug_dirs = b->debug_dirs.items,
	    .n_debug_dirs = b->debug_dirs.n,
	    .sysroot = b->sysroot,
	    .debuginfod_urls = b->words.items,
	    .n_debuginfod_urls = b->words.n,
	    .debuginfod_seconds = (unsigned)b->seconds,
	    .cache_dir = b->cache,
	    .engine = b->engine,
	    .dwp = b->dwp,
	    .reading = cli_binaries_reading,
	    .fetching = cli_binaries_fetching,
	    .line_maps = m->line_maps.items,
	    .n_line_maps = m->line_maps.n,
	    .method_maps = m->method_maps.items,
	    .n_method_maps = m->method_maps.n,
	    .usyms = m->usyms.items,
	    .n_usyms = m->usyms.n,
	    .line_map_window = m->window,
	};
}

struct tracemill_symbolizer *cli_symbolizer_new(const struct tracemill_options *o)
{
	struct tracemill_symbolizer *s;
	enum tracemill_status st = tracemill_symbolizer_new(&s, o);

	if (!st)
		return s;
	cli_error(NULL, "%s", tracemill_status_text(st));
	cli_status(EXIT_INPUT);
	exit(cli_exit());
}

static void tell_one(const char *text, enum tracemill_weight weight)
{
	(weight == TRACEMILL_INFO   ? cli_info
	 : weight == TRACEMILL_NOTE ? cli_note
				    : cli_error)(NULL, "%s", text);
	if (weight == TRACEMILL_FAIL)
		cli_status(EXIT_INPUT);
}

void cli_symbolizer_load(struct tracemill_symbolizer *s)
{
	enum tracemill_weight weight = TRACEMILL_FAIL;
	const char *text;

	while (weight == TRACEMILL_FAIL &&
	       (text = tracemill_told(s, TRACEMILL_ABOUT_MANAGED, &weight)))
		tell_one(text, weight);
}

void cli_file_fail(const char *path, const char *why)
{
	struct err e = ERR_INIT;

	err_set(&e, ST_BAD, "%s", why);
	cli_fail(path, &e);
}

void cli_symbolizer_fail(const struct tracemill_symbolizer *s, const char *file)
{
	cli_file_fail(file, tracemill_error(s));
}

void cli_symbolizer_tell(struct tracemill_symbolizer *s, enum tracemill_about about)
{
	enum tracemill_weight weight;
	const char *text;

	while ((text = tracemill_told(s, about, &weight)))
		tell_one(text, weight);
}
