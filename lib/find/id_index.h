/* SPDX-License-Identifier: MIT
 *
 * An index of the files of whole folders by build-id, for --debug-dir of any layout.
 *
 * A folder is walked once, when the first build-id is asked for: names and sizes are looked at
 * every time, but a file is opened only if it is new. What was found in it is kept in the cache's
 * folder, in ids-HASH.N.tmx (HASH of the folder's path, N the format's version), by device, inode,
 * size and time of modification; files that were modified in the last two seconds are not, since
 * that time is too coarse to show a second change. A file that cannot be read is left out.
 *
 * Links are followed; a folder that several ways lead to, a link to a folder above too, is walked
 * once. What is found is a claim: the build-id is compared again when a file is opened.
 *
 *	file: "TMIDS\0\0\0", u32 version, u32 0, u64 entries, u64 checksum of the rest (XXH3)
 *	entry: u64 device, inode, size, nanoseconds; u8 flags, length; the build-id
 */
#ifndef TM_FIND_ID_INDEX_H
#define TM_FIND_ID_INDEX_H

#include "lib/object/object.h"

struct id_index_options {
	const char *const *dirs;
	size_t n_dirs;
	const char *cache; /* the cache's folder; NULL: keep nothing */
	unsigned jobs;
	/* Called now and then with the files read so far; may be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
};

struct id_index;

struct id_index *id_index_new(const struct id_index_options *o); /* dirs are borrowed */
void id_index_free(struct id_index *x);                          /* accepts NULL */

/* As object_finder.find. Walks the folders at the first call. */
const char *id_index_find(void *index, const struct object_build_id *id, enum object_part part,
			  size_t n, struct search_log *log);

struct id_index_counts {
	uint64_t files, opened; /* looked at; of these not known from last time */
	uint64_t ids;           /* files with a build-id */
	uint64_t unreadable;    /* folders */
	const char *first;      /* of these, or NULL */
	bool walked;
};
struct id_index_counts id_index_counts(const struct id_index *x);

#endif
