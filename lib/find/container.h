/* SPDX-License-Identifier: MIT
 *
 * Binaries inside other files, by a path that says so:
 *
 *	ZIP!/MEMBER, ZIP/MEMBER   in an APK or another zip file: read where it is when it is stored,
 *	                          else from a copy in the cache
 *	LIBRARY(MEMBER)           in a static library, thin or not; LIBRARY:ARCH(MEMBER) of a universal one
 *	FILE:ARCH                 in a universal (fat) Mach-O file, as arm64
 *	BUNDLE.dSYM               the Mach-O file in such a folder
 *
 * A file that is there under the whole path is that file.
 *
 * A copy is called member-HASH.N.tmx, by the zip file's device, inode, size and time of
 * modification and the member's place, size and checksum: no name of the archive ever becomes a
 * path. Its checksum is taken again before it is used. It counts and goes as the indexes do
 * (cache.h). Without a cache it is a temporary file.
 */
#ifndef TM_FIND_CONTAINER_H
#define TM_FIND_CONTAINER_H

#include "lib/index/cache.h"
#include "lib/object/object.h"
#include "lib/object/zip.h"

struct container_options {
	struct cache_options cache;
	struct object_want want;
};

enum status container_open(struct object **out, const char *path, const struct container_options *o,
			   struct err *e);
/* One member of an open zip file; path is what it is called. */
enum status container_open_member(struct object **out, const struct zip *z,
				  const struct zip_member *m, const char *path,
				  const struct container_options *o, struct err *e);
/* A library by its name: NAME.so, NAME.so.N, or a separate debug file. */
bool container_is_library(const char *name);
/* The length of ZIP in ZIP!/MEMBER or ZIP/MEMBER, which is not there as a file, and where MEMBER
 * begins; 0: path is neither. */
size_t container_split_zip(const char *path, const char **member);

#endif
