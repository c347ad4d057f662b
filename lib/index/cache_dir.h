/* SPDX-License-Identifier: MIT
 *
 * The files of the cache (cache.h): their places, locks, and removal.
 */
#ifndef TM_INDEX_CACHE_DIR_H
#define TM_INDEX_CACHE_DIR_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The folder by the environment; NULL: it says nothing. The caller's. */
char *cache_dir_default(void);
/* Makes it and what is above it, but not $HOME, which is not there for users without one. */
enum status cache_dir_make(const char *dir, struct err *e);

struct cache_part {
	int fd;
	char *path; /* of the unfinished file */
};

/* An empty file for DIR/NAME, locked. ST_NONE: another process has it (not with wait). */
enum status cache_part_open(struct cache_part *p, const char *dir, const char *name, bool wait,
			    struct err *e);
/* It becomes DIR/NAME. */
enum status cache_part_keep(struct cache_part *p, const char *dir, const char *name, struct err *e);
void cache_part_drop(struct cache_part *p); /* it goes, if it was not kept */

/* Says that it was used now. */
void cache_dir_used(int fd);
/* Removes what was used longest ago until at most limit bytes are left, never keep; and what killed
 * builders left. */
void cache_dir_trim(const char *dir, uint64_t limit, const char *keep);

#define CACHE_SUFFIX ".tmx"
#define CACHE_PART   ".part"

#endif
