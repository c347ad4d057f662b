/* SPDX-License-Identifier: MIT
 *
 * Files of Windows' symbol servers over HTTP, by libcurl, in the process that asks debuginfod servers
 * (debuginfod_fetch.h). A server has a file at NAME/KEY/NAME, where the last letter is "_" if it is compressed, or
 * NAME/KEY/file.ptr, which says where it is instead. Facts: Microsoft's "Using SymStore" and "SymSrv".
 */
#ifndef TM_FIND_SYMBOL_FETCH_H
#define TM_FIND_SYMBOL_FETCH_H

#include "lib/find/debuginfod_fetch.h"

enum { SYMBOL_SERVERS_MAX = 16 };

struct symbol_fetcher {
	const char *servers;      /* addresses with blanks between */
	const char *folder;       /* where files come */
	void (*begin)(void *arg); /* of a transfer */
	/* Of bytes so far and in all; total 0: not known. Not NULL: why the transfer is broken off. */
	const char *(*watch)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	unsigned n_files;
	bool dead[SYMBOL_SERVERS_MAX]; /* out of reach, or too slow */
};

/* Loads libcurl, before the sandbox holds. NULL: it is there. Else why not. */
const char *symbol_fetch_load(void);
/* path: NAME/KEY/NAME, escaped as in an address. */
struct fetch_answer symbol_fetch(struct symbol_fetcher *f, const char *path);

#endif
