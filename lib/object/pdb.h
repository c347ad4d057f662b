/* SPDX-License-Identifier: MIT
 *
 * The front of a PDB: its identity, its sections, and the places of the rest. lib/pdb reads the rest.
 */
#ifndef TM_OBJECT_PDB_H
#define TM_OBJECT_PDB_H

#include "lib/object/msf.h"
#include "lib/object/object.h"

enum {
	PDB_DBI_STREAM = 3,
	PDB_TPI_STREAM = 2, /* types */
	PDB_IPI_STREAM = 4, /* ids: of functions, scopes and strings */
};

struct pdb_section {
	uint32_t rva, size;
	bool code;
};

struct pdb_file {
	struct msf *msf;
	uint32_t age; /* the one that a CodeView record has */
	struct pdb_section
	    *sections; /* by number - 1; where there is an OMAP, of the program as it was */
	uint32_t n_sections;
	uint8_t *omap; /* pdb_omap.c: n_omap pairs; NULL: the program is as the PDB describes it */
	uint32_t n_omap;
	struct pdb_part {
		uint32_t at, size;
	} modules, contributions; /* of the DBI stream */
	uint32_t names;           /* the stream "/names"; MSF_NO_STREAM */
	bool undecorate;          /* C names have what the calling conventions of 32-bit x86 add */
	uint32_t records;         /* the stream with the symbols of publics */
	struct {
		uint32_t stream, at, n; /* offsets in records, by address */
	} publics;
};

/* Of the object itself, or of its debug file; NULL: neither is a PDB. */
const struct pdb_file *object_pdb(const struct object *o);

struct pdb_public {
	uint32_t section, offset, flags; /* enum pdb_public_flag */
	const char *name;                /* n bytes */
	size_t n;
	bool stays; /* the name does, as long as the file */
};
enum pdb_public_flag { PDB_PUBLIC_CODE = 1, PDB_PUBLIC_FUNCTION = 2 };

/* The i-th by address. False: it is broken. */
bool pdb_public_at(const struct pdb_file *p, uint32_t i, struct msf_room *room,
		   struct pdb_public *out);
/* Where the PDB has what is at an RVA of the program. False: nowhere. */
bool pdb_origin(const struct pdb_file *p, uint32_t rva, uint32_t *origin);
/* The RVA of an offset in a section (with an OMAP: where it was), whose numbers begin with 1. False: there is no such section. */
static inline bool pdb_rva(const struct pdb_file *p, uint32_t section, uint32_t offset,
			   uint32_t *rva)
{
	if (!section || section > p->n_sections)
		return false;
	*rva = p->sections[section - 1].rva + offset;
	return *rva >= offset;
}

#endif
