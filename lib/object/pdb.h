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
	PDB_TPI_STREAM = 2,    /* types */
	PDB_IPI_STREAM = 4,    /* ids: of functions, scopes and strings */
	PDB_CONTRIBUTION = 28, /* bytes; 4 more in the second version */
};
#define PDB_CONTRIBUTIONS_1 (UINT32_C(0xeffe0000) + 19970605)
#define PDB_CONTRIBUTIONS_2 (UINT32_C(0xeffe0000) + 20140516)

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

/* What its directory says (where each stream lies), its stream of identity (GUID, age), and the front of DBI. */
uint64_t pdb_fingerprint(const struct pdb_file *p);

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
/* Bytes of the program that were in one piece: lo to hi, from origin on. */
struct pdb_piece {
	uint32_t lo, hi, origin;
};
/* Of the i-th pair of the OMAP; they ascend. False: it is the tool's own code, or was in no section. */
bool pdb_piece_at(const struct pdb_file *p, uint32_t i, struct pdb_piece *out);
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

/* A module, as the list has it. */
struct pdb_module {
	uint32_t stream, symbols, old_lines, parts; /* bytes of each part of its stream */
	const char *name;                           /* n bytes in the list */
	size_t n;
};
struct cursor;
/* pdb_modules.c. The list of modules, in the room or the file; NULL: it is empty, or cannot be read. */
const uint8_t *pdb_modules(const struct pdb_file *p, struct msf_room *room);
/* False: there are no more, or it is broken. */
bool pdb_next_module(struct cursor *c, struct pdb_module *m);

/* Whether some module has lines: linked without /Zi, or stripped (/PDBSTRIPPED), a PDB has public symbols alone. */
bool pdb_has_lines(const struct pdb_file *p);

/* Symbols of a module that have parts, or say where code is. The code of a MANPROC is that of .NET, whose addresses are no
 * addresses in memory. */
enum pdb_symbol_kind {
	S_THUNK32 = 0x1102,
	S_LPROC32 = 0x110f,
	S_GPROC32 = 0x1110,
	S_LMANPROC = 0x112a,
	S_GMANPROC = 0x112b,
	S_SEPCODE = 0x1132,
	S_LPROC32_ID = 0x1146,
	S_GPROC32_ID = 0x1147,
	S_INLINESITE = 0x114d,
	S_LPROC32_DPC = 0x1155,
	S_LPROC32_DPC_ID = 0x1156,
	S_INLINESITE2 = 0x115d,
};
#define PDB_SIGNATURE 4u /* of the symbols of CodeView since version 7: the first 4 bytes */
/* What a procedure or a thunk says of its code. */
struct pdb_head {
	uint32_t size, section, offset;
	const char *name; /* n bytes in the record */
	uint32_t n;
};
/* Of a record of n bytes behind its kind. False: it is no such symbol. */
bool pdb_read_head(uint32_t kind, const uint8_t *record, uint32_t n, struct pdb_head *out);

/* A function of a module: size bytes at an RVA. */
struct pdb_function {
	uint32_t rva, size;
	uint64_t name; /* offset in texts */
};
/* All functions of all modules by address, the first one of each. */
struct pdb_functions {
	struct pdb_function *all;
	size_t n, cap;
	char *texts; /* names, each with its NUL (mem_budget.h) */
	uint64_t n_texts;
	const char *why; /* what is missing: static text; NULL: nothing */
};
void pdb_read_functions(const struct pdb_file *p, struct pdb_functions *out);
/* One more, if its place and size are known. */
void pdb_add_function(const struct pdb_file *p, const struct pdb_head *h, struct pdb_functions *to);
/* By address; of several at one, the first. */
void pdb_order_functions(struct pdb_functions *f);
/* pdb_data.c. Variables with static storage, but those inside of functions, in the same form, behind what is there. */
void pdb_read_variables(const struct pdb_file *p, struct pdb_functions *out);

#endif
