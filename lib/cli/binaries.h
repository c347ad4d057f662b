/* SPDX-License-Identifier: MIT
 *
 * Option rows of every program that opens binaries: where their debug files are looked for, what
 * decodes them, the cache. Put CLI_BINARIES_ROWS(b) into the table, call cli_binaries_done after
 * parsing and cli_binaries_release at the end.
 */
#ifndef TM_CLI_BINARIES_H
#define TM_CLI_BINARIES_H

#include "lib/cli/opt.h"
#include "lib/dwarf/engine.h"
#include "lib/find/search.h"
#include "lib/symbolize/lookup.h"

struct cli_binaries {
	struct opt_list debug_dirs, urls, words; /* words: of a list in the environment */
	const char *sysroot, *engine_name;
	uint64_t seconds, jobs; /* jobs 0: the number of processors */
	bool no_server, explain;
	bool servers_optional; /* --debuginfod alone without any is no error */
	const char *dwp;       /* object_search's */
	struct cache_options cache;
	/* after cli_binaries_done: */
	const struct dwarf_engine *engine;
	struct find_search search;
	char *list;
};

#define CLI_BINARIES_ROWS(b)                                                                      \
	ROW_GROUP("binaries and their debug files:"),                                             \
	    ROW_LIST(0, "debug-dir", "DIR", "debug files are there or below; again for more",     \
		     &(b).debug_dirs),                                                            \
	    ROW_STRING(0, "sysroot", "DIR", "look up paths of the captured system below DIR (/)", \
		       &(b).sysroot),                                                             \
	    ROW_LIST_BARE(0, "debuginfod", "URL",                                                 \
			  "ask this server by build-id; alone: those of $DEBUGINFOD_URLS",        \
			  &(b).urls, ""),                                                         \
	    ROW_NUMBER(0, "debuginfod-timeout", "SECONDS", "how long to wait for a server (30)",  \
		       &(b).seconds),                                                             \
	    ROW_FLAG(0, "no-debuginfod", "ask none, whatever $TRACEMILL_DEBUGINFOD_URLS says",    \
		     &(b).no_server),                                                             \
	    ROW_STRING(0, "engine", "NAME", "what decodes DWARF: fast (default), reference",      \
		       &(b).engine_name),                                                         \
	    ROW_FLAG(0, "no-cache", "leave the cache alone", &(b).cache.off),                     \
	    ROW_STRING(0, "cache", "DIR", "where the cache is", &(b).cache.dir)

/* Of the programs that can. */
#define CLI_EXPLAIN_ROW(b)                                                                       \
	ROW_FLAG(0, "explain", "print what was tried for each binary, and what each address is", \
		 &(b).explain)

/* Checks what was given, and makes engine and search. Before there are threads. */
void cli_binaries_done(struct cli_binaries *b);
/* Ends with a usage error when an item of --module is not NAME=FILE. */
void cli_check_modules(const struct opt_list *modules);
/* The file that this name means by them, or that is called so. */
struct lookup_file *cli_module_file(struct lookup *l, const struct opt_list *modules,
				    const char *name, size_t n);
/* Reports the notes of the search. */
void cli_binaries_tell(struct cli_binaries *b);
void cli_binaries_release(struct cli_binaries *b); /* after the objects that were found */

#endif
