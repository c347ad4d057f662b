/* SPDX-License-Identifier: MIT
 *
 * The declarations that only the files about ELF share: elf.c (headers), elf_symbols.c, reloc.c and reloc_type.c
 * (of .o files), plt.c, descriptors.c, debuglink.c. No other file of the project but the recorder's, which knows
 * its own process, and lib/record's, which knows the program that it starts, needs <elf.h>.
 */
#ifndef TM_OBJECT_ELF_H
#define TM_OBJECT_ELF_H

#include "lib/object/format.h"

/* EM_LOONGARCH, which <elf.h> did not have in 2021. */
enum { MACHINE_LOONGARCH = 258 };

/* elf_symbols.c: the members of format_elf. */
void elf_symbols(struct symtab *s, struct object *o);
void elf_own_symbols(struct symtab *s, struct object *o);
void elf_any_symbols(struct symtab *s, struct object *o);
bool elf_each_linked(const struct object_image *f, bool dynamic, uint64_t *n,
		     void (*see)(void *arg, const struct object_linked *s), void *arg);

#endif
