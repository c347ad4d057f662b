/* SPDX-License-Identifier: MIT
 *
 * Bytes of a PE file by where they are in memory (RVA), and the functions of its unwind tables.
 */
#ifndef TM_OBJECT_PE_H
#define TM_OBJECT_PE_H

#include "lib/object/format.h"

/* The bytes of one section, zeroed at first; another one takes its place when it is asked for. */
struct pe_bytes {
	uint8_t *bytes;
	uint64_t size, rva;
	unsigned loads; /* there is a limit: a file could ask for another section each time */
};

/* n bytes from rva on, with a NUL behind the section's last; valid until the next call. NULL: they are not in one
 * section, or it cannot be read. */
const uint8_t *pe_bytes(struct pe_bytes *b, const struct object_image *f, uint64_t rva, uint64_t n);
void pe_bytes_release(struct pe_bytes *b);

/* A function, or a part of one that lies apart. RVAs. */
struct pe_function {
	uint32_t lo, hi;
};

/* pe_unwind.c. Of .pdata, sorted by lo, not overlapping; parts that follow their function are in it. The caller frees
 * *all. */
size_t pe_functions(const struct object_image *f, struct pe_function **all);

#endif
