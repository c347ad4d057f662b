/* SPDX-License-Identifier: MIT
 *
 * The requests to debuginfod servers for files by build-id. libdebuginfod (elfutils) makes them, in a process of
 * its own (debuginfod_fetch.h). Only for users who give addresses of servers: $DEBUGINFOD_URLS alone is nothing.
 * PDBs come from symbol servers of Windows in the same way, by name, GUID and age, through libcurl (symbol_fetch.h).
 *
 * What comes is a claim: it is opened and its build-id compared, and only then does it go into the
 * cache's folder, as debuginfod-BUILDID-debug.tmx, -binary.tmx or symbols-GUIDAGE.tmx, which is trimmed as the indexes
 * are; anything else is removed. So libdebuginfod has a folder of its own for each run, which goes
 * at the end, in place of its cache. A server that cannot be reached, or is too slow, is not asked
 * again in this run.
 */
#ifndef TM_FIND_DEBUGINFOD_H
#define TM_FIND_DEBUGINFOD_H

#include "lib/object/object.h"

enum {
	DEBUGINFOD_SECONDS = 30,    /* default of options.seconds */
	DEBUGINFOD_RATE = 16 << 10, /* bytes a second that a download must keep up beyond them */
	DEBUGINFOD_LIMIT_MIB = 8 << 10, /* a larger file is broken off */
};

/* Begins the address of a symbol server, as Microsoft's tools spell it: srv*https://host/symbols */
#define DEBUGINFOD_SYMBOLS "srv*"

struct debuginfod_options {
	const char *const *urls; /* of either kind */
	size_t n_urls;
	unsigned seconds;  /* without an answer, or for a small file; 0: the default */
	const char *cache; /* the cache's folder; NULL: files go at the end */
	uint64_t limit;    /* of the cache's folder, in bytes */
	/* Called now and then with bytes; total 0: not known. May be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
};

struct debuginfod;

/* Forks: before there are threads, and before the sandbox holds. */
struct debuginfod *debuginfod_new(const struct debuginfod_options *o);
void debuginfod_free(struct debuginfod *d); /* accepts NULL */

/* As object_finder.find: n 0 is the file, there are no others. */
const char *debuginfod_find(void *debuginfod, const struct object_build_id *id,
			    enum object_part part, size_t n, struct search_log *log);

/* As object_finder.find_pdb, of symbol servers. */
const char *debuginfod_find_pdb(void *debuginfod, const struct object_pdb_name *pdb,
				struct search_log *log);

/* The next thing that went wrong and was not yet reported, for people; NULL: no more. Once, where all else was reported,
 * that symbol servers had nothing of what they were asked for: so this is for the end of a run. */
const char *debuginfod_next_message(struct debuginfod *d);

#endif
