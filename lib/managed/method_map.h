/* SPDX-License-Identifier: MIT
 *
 * il2cpp's MethodMap.tsv: generated name, managed signature, assembly, with tabs between; the name
 * is "NULL" where a method has no code. Known from descriptions only, so a line needs no more than
 * its first two fields.
 */
#ifndef TM_MANAGED_METHOD_MAP_H
#define TM_MANAGED_METHOD_MAP_H

#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"

struct method_map { /* zeroed is empty */
	struct intern names, signatures;
	struct map64 of; /* name -> signature */
	uint64_t methods, odd, twice;
};

/* Adds a file's. ST_BAD: no line of it is one. */
enum status method_map_read(struct method_map *m, struct cursor *in, struct err *e);
/* The managed signature of a generated name; NULL: not there. */
const char *method_map_at(const struct method_map *m, const char *name, size_t n);
void method_map_release(struct method_map *m);

#endif
