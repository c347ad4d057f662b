/* SPDX-License-Identifier: MIT
 *
 * The function descriptors of 64-bit PowerPC before ELFv2. A function's symbol is its descriptor in .opd, whose
 * first word is the address of the code ("64-bit PowerPC ELF Application Binary Interface", Function
 * Descriptors).
 */
#ifndef TM_OBJECT_DESCRIPTORS_H
#define TM_OBJECT_DESCRIPTORS_H

#include "lib/object/impl.h"

struct descriptors {
	const struct section_header *at; /* NULL: none */
	uint8_t *bytes;
	uint64_t size;
	bool big_endian;
};

void descriptors_find(struct descriptors *d, const struct object_image *f); /* f is borrowed */
/* *value of a descriptor becomes that of its code; false: value is no descriptor. */
bool descriptors_follow(const struct descriptors *d, uint64_t *value);
void descriptors_release(struct descriptors *d);

#endif
