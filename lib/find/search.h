/* SPDX-License-Identifier: MIT
 *
 * The places where a run looks for binaries and debug files beyond the given paths: folders, a
 * sysroot, debuginfod servers. Makes the struct object_search that object_find_debug, files and
 * lookups are given.
 */
#ifndef TM_FIND_SEARCH_H
#define TM_FIND_SEARCH_H

#include "lib/index/cache.h"
#include "lib/object/object.h"

struct search_options {
	const char *const *dirs; /* borrowed */
	size_t n_dirs;
	const char *sysroot;     /* "/" or NULL: none */
	const char *const *urls; /* debuginfod.h; 0: no network */
	size_t n_urls;
	unsigned seconds; /* debuginfod.h */
	struct cache_options cache;
	unsigned jobs;
	bool explain;
	void (*reading)(void *arg, uint64_t done, uint64_t total);  /* files of folders */
	void (*fetching)(void *arg, uint64_t done, uint64_t total); /* bytes from a server */
	void *progress_arg;
};

struct find_search {
	struct object_search object; /* for all who look */
	struct object_finder finders[2];
	struct id_index *index;
	struct debuginfod *server;
	char *cache;         /* NULL: nothing is kept */
	bool index_reported; /* of the index */
};

/* Before there are threads. The search must stay where it is. */
void search_init(struct find_search *s, const struct search_options *o);
void search_release(struct find_search *s);

/* The next note, perhaps in text of n bytes; NULL: no more. *bad: always printed, else with -v. */
const char *search_next_message(struct find_search *s, bool *bad, char *text, size_t n);

#endif
