/* SPDX-License-Identifier: MIT
 *
 * The members of a static library and where their bytes are. Facts: ar(5) of the BSDs, the System V
 * and GNU variants as binutils' manual and LLVM's llvm-ar page describe them: names of up to 15
 * bytes and "/", longer ones in the member "//" or (BSD) before the contents; in a thin archive
 * members are files of their own, named from the archive's folder. All that the file says is
 * checked against its size.
 */
#ifndef TM_OBJECT_AR_H
#define TM_OBJECT_AR_H

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/object/object.h"

#include <stdbool.h>

struct ar_member {
	const char *name;      /* NUL-terminated */
	uint64_t offset, size; /* of its contents in fd; offset is 0 in a thin archive */
	uint64_t time;         /* of modification */
};

struct ar {
	int fd;
	uint64_t base, size; /* it begins at base of fd: a part of a universal file */
	bool thin;
	struct ar_member *members; /* without the tables of symbols and of names */
	size_t n, cap;
	struct arena names;
	char *long_names;
	uint64_t n_long_names;
};

/* Of a universal file, the part that is wanted (NULL: it must have only one). ST_UNSUPPORTED: not an archive. */
enum status ar_open(struct ar *a, const char *path, const struct object_want *want, struct err *e);
void ar_release(struct ar *a); /* accepts a zeroed struct */
bool ar_looks_like(const char *path, const struct object_want *want);
/* The first of this name, behind the given one (NULL: of all); of names with folders (thin archives) the last part will do. */
const struct ar_member *ar_find(const struct ar *a, const struct ar_member *behind,
				const char *name, size_t n);

#endif
