/* SPDX-License-Identifier: MIT
 *
 * The parts of a PE file that others read: bytes by their address in memory (RVA), the functions of its unwind tables,
 * and what PE files and their PDBs have in common.
 */
#ifndef TM_OBJECT_PE_H
#define TM_OBJECT_PE_H

#include "lib/object/format.h"
#include "lib/object/impl.h"

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
/* The bytes of a function of arm or arm64 by the second word of its entry: in steps of an instruction, there or where it
 * points to. 0: that is not in the file. */
uint32_t pe_arm_size(const struct object_image *f, struct pe_bytes *info, uint32_t unwind);
/* pe_linked.c: see gets each imported function, with the address of its slot. False: there is none. */
bool pe_each_import(const struct object_image *f,
		    void (*see)(void *arg, const struct object_linked *s), void *arg);
struct buf;
struct pdb_file;

/* The processor of a number in a header: enum object_arch. */
uint32_t pe_arch(uint16_t machine);
/* A C name of *n bytes without what compilers for 32-bit x86 add to it by its calling convention. */
const char *pe_undecorate(const char *name, size_t *n);
/* pe_pdb.c: finds the PDB that the CodeView record of a PE file names, into o->debug. False: there is none; what was
 * refused and why is added to the text. */
bool pe_find_pdb(struct object *o, const struct object_search *s, struct buf *refused);

/* pdb.c: the public symbols of a PDB whose PE file is at base. */
void pdb_add_symbols(struct symtab *s, struct symtab_loading *l, const struct pdb_file *p,
		     uint64_t base);
void pdb_release(struct pdb_file *p); /* accepts NULL */
/* pdb_omap.c: reads the list of a stream, if it has one; the sections as the program has them now, at most as many as it had;
 * and symbols, which have the RVAs that they had, at base. */
enum status pdb_read_omap(struct pdb_file *p, uint32_t stream, struct err *e);
void pdb_map_segments(const struct pdb_file *p, struct object_segment *segments, size_t *n);
void pdb_add_moved(struct symtab *s, struct symtab_loading *l, const struct pdb_file *p,
		   const struct symtab *was, uint64_t base);

#endif
