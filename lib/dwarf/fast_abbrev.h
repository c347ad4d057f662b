/* SPDX-License-Identifier: MIT
 *
 * Abbreviation tables (DWARF 5, section 7.5.3), compiled so that stepping over a DIE is a few
 * additions. Sizes of forms depend on the unit's kind, so a table is compiled once for each pair of
 * an offset and a kind, and shared by all units of that pair.
 */
#ifndef TM_DWARF_FAST_ABBREV_H
#define TM_DWARF_FAST_ABBREV_H

#include "lib/base/hash.h"
#include "lib/dwarf/fast_read.h"

#include <stdatomic.h>

enum fast_tag { /* DWARF 5, section 7.5.3, Table 7.3 */
		DW_ARRAY_TYPE = 0x01,
		DW_CLASS_TYPE = 0x02,
		DW_ENUMERATION_TYPE = 0x04,
		DW_FORMAL_PARAMETER = 0x05,
		DW_LEXICAL_BLOCK = 0x0b,
		DW_POINTER_TYPE = 0x0f,
		DW_REFERENCE_TYPE = 0x10,
		DW_COMPILE_UNIT = 0x11,
		DW_STRUCTURE_TYPE = 0x13,
		DW_SUBROUTINE_TYPE = 0x15,
		DW_UNION_TYPE = 0x17,
		DW_INLINED_SUBROUTINE = 0x1d,
		DW_MEMBER_POINTER_TYPE = 0x1f,
		DW_SUBRANGE_TYPE = 0x21,
		DW_CATCH_BLOCK = 0x25,
		DW_SUBPROGRAM = 0x2e,
		DW_TRY_BLOCK = 0x32,
		DW_VARIABLE = 0x34,
		DW_INTERFACE_TYPE = 0x38,
		DW_RVALUE_REFERENCE_TYPE = 0x42,
		DW_CALL_SITE = 0x48,
		DW_GNU_CALL_SITE = 0x4109,
};

enum fast_attribute { /* Table 7.5, and GNU's and MIPS's */
		      AT_SIBLING = 0x01,
		      AT_LOCATION = 0x02,
		      AT_NAME = 0x03,
		      AT_BYTE_SIZE = 0x0b,
		      AT_STMT_LIST = 0x10,
		      AT_LOW_PC = 0x11,
		      AT_HIGH_PC = 0x12,
		      AT_COMP_DIR = 0x1b,
		      AT_LOWER_BOUND = 0x22,
		      AT_UPPER_BOUND = 0x2f,
		      AT_ABSTRACT_ORIGIN = 0x31,
		      AT_COUNT = 0x37,
		      AT_DECL_FILE = 0x3a,
		      AT_DECL_LINE = 0x3b,
		      AT_FRAME_BASE = 0x40,
		      AT_SPECIFICATION = 0x47,
		      AT_TYPE = 0x49,
		      AT_RANGES = 0x55,
		      AT_CALL_COLUMN = 0x57,
		      AT_CALL_FILE = 0x58,
		      AT_CALL_LINE = 0x59,
		      AT_LINKAGE_NAME = 0x6e,
		      AT_STR_OFFSETS_BASE = 0x72,
		      AT_ADDR_BASE = 0x73,
		      AT_RNGLISTS_BASE = 0x74,
		      AT_LOCLISTS_BASE = 0x8c,
		      AT_DWO_NAME = 0x76,
		      AT_MIPS_LINKAGE_NAME = 0x2007,
		      AT_GNU_DWO_NAME = 0x2130,
		      AT_LLVM_TAG_OFFSET = 0x3e03,
		      AT_GNU_DWO_ID = 0x2131,
		      AT_GNU_DISCRIMINATOR = 0x2136,
		      AT_GNU_RANGES_BASE = 0x2132,
		      AT_GNU_ADDR_BASE = 0x2133,
};

enum fast_form { /* Table 7.6, and GNU's */
		 FORM_ADDR = 0x01,
		 FORM_BLOCK2 = 0x03,
		 FORM_BLOCK4,
		 FORM_DATA2,
		 FORM_DATA4,
		 FORM_DATA8,
		 FORM_STRING,
		 FORM_BLOCK,
		 FORM_BLOCK1,
		 FORM_DATA1,
		 FORM_FLAG,
		 FORM_SDATA,
		 FORM_STRP,
		 FORM_UDATA,
		 FORM_REF_ADDR,
		 FORM_REF1,
		 FORM_REF2,
		 FORM_REF4,
		 FORM_REF8,
		 FORM_REF_UDATA,
		 FORM_INDIRECT,
		 FORM_SEC_OFFSET,
		 FORM_EXPRLOC,
		 FORM_FLAG_PRESENT,
		 FORM_STRX,
		 FORM_ADDRX,
		 FORM_REF_SUP4,
		 FORM_STRP_SUP,
		 FORM_DATA16,
		 FORM_LINE_STRP,
		 FORM_REF_SIG8,
		 FORM_IMPLICIT_CONST,
		 FORM_LOCLISTX,
		 FORM_RNGLISTX,
		 FORM_REF_SUP8,
		 FORM_STRX1,
		 FORM_STRX2,
		 FORM_STRX3,
		 FORM_STRX4,
		 FORM_ADDRX1,
		 FORM_ADDRX2,
		 FORM_ADDRX3,
		 FORM_ADDRX4,
		 FORM_VENDOR = 0x1f00, /* from here on in no standard */
		 FORM_GNU_ADDR_INDEX = 0x1f01,
		 FORM_GNU_STR_INDEX = 0x1f02,
		 FORM_GNU_REF_ALT = 0x1f20,
		 FORM_GNU_STRP_ALT = 0x1f21,
};

/* What a DIE is to the walk over scopes. */
enum fast_kind {
	KIND_OPEN,   /* may hold functions: namespaces, modules, what is not known */
	KIND_CLOSED, /* holds none, but for nested ones: types, variables, call sites */
	KIND_BLOCK,  /* lexical block */
	KIND_FUNCTION,
	KIND_INLINED,
};

struct abbrev_attr {
	uint16_t name, form;
	int64_t implicit; /* of FORM_IMPLICIT_CONST */
};

enum { ABBREV_FAR = UINT16_MAX }; /* not among the leading attributes of fixed size */

/* Where an inlined call's DIE says whose copy it is and where it was called from, as places like
 * those in struct abbrev; a size of 0: it does not say. */
struct abbrev_site {
	uint16_t tag; /* of any DIE; UINT16_MAX: out of range */
	uint16_t origin, file, line, column;
	uint8_t file_size, line_size, column_size;
	bool only_origin; /* origin is a DW_FORM_ref4, and nothing else leads to a name */
	bool near;        /* all that there is of file, line and column is here */
};

/* How to step over the attributes of a DIE: n_ops times "fixed bytes, then one of variable size",
 * then tail bytes. */
struct abbrev {
	uint8_t kind,
	    sibling; /* sibling: bytes of the reference; 0: none, or not one of the unit */
	bool children, has_pc; /* has_pc: low_pc or ranges */
	uint32_t n_ops, first_op, tail;
	/* DW_AT_sibling comes after that many ops and bytes */
	uint32_t sibling_ops, sibling_bytes;
	uint32_t first_attr, n_attrs;
	/* places from the first attribute's, for functions; ABBREV_FAR: somewhere else */
	uint16_t low, high, ranges;
	uint8_t high_size; /* 0: an address; else a constant of that size */
	bool near;         /* low, high, ranges are all that there is to say of addresses */
	/* DIEs that hold nothing to look for, nor what is inside: ABBREV_PASS; in a walk over
	 * everything: ABBREV_PASS_ALWAYS */
	uint8_t passes;
};

enum { ABBREV_PASS = 1, ABBREV_PASS_ALWAYS = 2 };

enum abbrev_op_kind { OP_LEB, OP_STRING, OP_BLOCK1, OP_BLOCK2, OP_BLOCK4, OP_BLOCK, OP_INDIRECT };

struct abbrev_op {
	uint32_t fixed; /* bytes before it */
	uint32_t kind;
};

struct abbrevs {
	struct abbrev *all;
	struct abbrev_site *sites; /* all[i]'s: apart, because few of them are looked at */
	uint64_t *codes;           /* all[i]'s; NULL when code i + 1 is all[i] */
	size_t n, cap, cap_codes, cap_sites;
	struct abbrev_attr *attrs;
	size_t n_attrs, cap_attrs;
	struct abbrev_op *ops;
	size_t n_ops, cap_ops;
	struct map64 by_code; /* index + 1, when codes are there */
	bool has_code;        /* some function may have addresses */
	bool declined;        /* a vendor's form */
	const char *why;      /* it cannot be used; with the place */
};

/* What sizes of forms depend on. */
struct abbrev_kind {
	uint64_t offset;
	uint8_t version, address_size;
	bool wide;
};

/* All tables of a file, compiled when first asked for. */
struct fast_file;
struct fast_tables {
	const struct fast_file *file;
	struct abbrev_kind *keys;
	_Atomic(struct abbrevs *) *compiled;
	uint32_t *uses; /* by how many units */
	size_t n;
	_Atomic uint64_t spent; /* bytes of .debug_abbrev read; overlapping tables could be many */
	uint64_t limit;
};

/* The table with that index; its why says whether it is any good. Any thread. */
const struct abbrevs *fast_tables_get(struct fast_tables *t, struct bytes section, size_t index);
/* The same into the caller's, whose arrays are used again: for a table that only one unit uses and
 * that would only take memory in the shared set. NULL: others have it already, see fast_tables_get,
 * or will. */
const struct abbrevs *fast_tables_own(struct fast_tables *t, struct bytes section, size_t index,
				      struct abbrevs *own);
void abbrevs_release(struct abbrevs *t);
void fast_tables_release(struct fast_tables *t);

/* Bytes of a form of fixed size, or -1 - (enum abbrev_op_kind), or INT_MIN: unknown. */
int form_size(uint64_t form, uint8_t version, uint8_t address_size, bool wide);

/* The next (name, form, implicit constant) of an abbreviation in the section. False at its end
 * or when r has failed. */
bool abbrev_next_attr(struct rd *r, uint64_t *name, uint64_t *form, int64_t *implicit);

static inline const struct abbrev_site *abbrev_site(const struct abbrevs *t, const struct abbrev *a)
{
	return &t->sites[a - t->all];
}

static inline const struct abbrev *abbrev_find(const struct abbrevs *t, uint64_t code)
{
	uint32_t i;

	if (!t->codes)
		return code - 1 < t->n ? &t->all[code - 1] : NULL;
	i = map64_get(&t->by_code, code);
	return i ? &t->all[i - 1] : NULL;
}

#endif
