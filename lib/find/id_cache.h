/* SPDX-License-Identifier: MIT
 *
 * A cache of build-ids: those that the files of a folder had last time (id_index.h has the format). A cache that
 * is damaged, of another version or not there is empty; one that cannot be written is not.
 */
#ifndef TM_FIND_ID_CACHE_H
#define TM_FIND_ID_CACHE_H

#include "lib/base/hash.h"
#include "lib/object/object.h"

enum {
	ID_CACHE_VERSION = 4
}; /* 2: what PE files and PDBs say is known, too; 3: ages; 4: time stamps of PE files */
enum id_flags { ID_HAS_DWARF = 1 << 0, ID_HAS_CODE = 1 << 1 };

struct id_place {
	uint64_t device, inode, size, modified;
};

struct id_file {
	char *path; /* owned by its maker; not in the cache */
	struct id_place place;
	struct object_build_id id;
	uint8_t flags; /* enum id_flags */
};

struct id_cache {
	char *dir, *name; /* NULL: there is no cache */
	struct id_file *files;
	size_t n;
	struct map64 at; /* hash of a place -> file + 1 */
};

void id_cache_open(struct id_cache *c, const char *cache_dir, const char *folder);
/* True: id and flags of a file with this place are known, and filled in. */
bool id_cache_get(const struct id_cache *c, struct id_file *f);
void id_cache_write(const struct id_cache *c, const struct id_file *files, size_t n);
void id_cache_close(struct id_cache *c);

#endif
