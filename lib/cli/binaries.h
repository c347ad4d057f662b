/* SPDX-License-Identifier: MIT
 *
 * Option rows of every program that opens binaries: where their debug files are looked for, what
 * decodes them, the cache. Put CLI_BINARIES_ROWS(b) into the table; after parsing symbolizer.h or
 * search.h make what the program works with. cli_binaries_release at the end.
 */
#ifndef TM_CLI_BINARIES_H
#define TM_CLI_BINARIES_H

#include "lib/cli/opt.h"

struct cli_binaries {
	struct opt_list debug_dirs, urls, symbol_servers;
	struct opt_list words;        /* after cli_binaries_check: addresses of all servers */
	const char *sysroot, *engine; /* engine: of an older version, without effect */
	uint64_t seconds, jobs;       /* jobs 0: the number of processors */
	bool no_server, explain;
	bool servers_optional; /* --debuginfod alone without any is no error */
	const char *dwp;       /* the package of split units */
	const char *cache;     /* its folder; NULL: the usual one */
	bool no_cache;
	const char *verify; /* N or N:SEED */
	/* after cli_binaries_check: */
	char *list, *cache_folder;
	char **symbols; /* as in words */
};

#define CLI_BINARIES_ROWS(b)                                                                    \
	ROW_GROUP("binaries and their debug files:"),                                           \
	    ROW_LIST(0, "debug-dir", "DIR", "search DIR for debug files (repeatable)",          \
		     &(b).debug_dirs),                                                          \
	    ROW_STRING(0, "sysroot", "DIR", "root folder of the captured system (default /)",   \
		       &(b).sysroot),                                                           \
	    ROW_LIST_BARE(0, "debuginfod", "URL",                                               \
			  "ask this server (repeatable); no URL: those of $DEBUGINFOD_URLS",    \
			  &(b).urls, ""),                                                       \
	    ROW_NUMBER(0, "debuginfod-timeout", "SECONDS",                                      \
		       "how long to wait for a server (default 30)", &(b).seconds),             \
	    ROW_FLAG(0, "no-debuginfod", "ask no server, also with $TRACEMILL_DEBUGINFOD_URLS", \
		     &(b).no_server),                                                           \
	    ROW_LIST(0, "symbol-server", "URL",                                                 \
		     "ask this symbol server of Windows for PDBs (repeatable)",                 \
		     &(b).symbol_servers),                                                      \
	    ROW_STRING(0, "engine", "NAME", NULL, &(b).engine),                                 \
	    ROW_FLAG(0, "no-cache", "do not use the cache", &(b).no_cache),                     \
	    ROW_STRING(0, "cache", "DIR", "folder of the cache", &(b).cache)

/* Of the programs that can. */
#define CLI_EXPLAIN_ROW(b)                                                                        \
	ROW_FLAG(0, "explain", "print every file that was tried, and how each address was found", \
		 &(b).explain)

#define CLI_VERIFY_ROW(b)            \
	ROW_STRING(0, "verify", "N", \
		   "ask libdwarf again for N random answers; N:SEED: the same ones", &(b).verify)

/* Ends with a usage error where what was given makes no sense; finds the servers; lets the sandbox have
 * the cache's folder. */
void cli_binaries_check(struct cli_binaries *b);
/* Progress of reading files of folders, of bytes from a server. */
void cli_binaries_reading(void *arg, uint64_t done, uint64_t total);
void cli_binaries_fetching(void *arg, uint64_t done, uint64_t total);
void cli_binaries_release(struct cli_binaries *b); /* after all that borrows from it */

/* The part of that about servers alone. */
void cli_binaries_servers(struct cli_binaries *b);
/* Ends with a usage error when an item of --module-file is not NAME=FILE. */
void cli_check_modules(const struct opt_list *modules);
/* The path that a name of *n bytes, or its last part, means by them, or that it is itself; of *n bytes. */
const char *cli_module_path(const struct opt_list *modules, const char *name, size_t *n);

#endif
