/* SPDX-License-Identifier: MIT
 *
 * Abbreviation tables (DWARF 5, section 7.5.3), compiled so that stepping over a DIE is a few
 * additions. Sizes of forms depend on the unit's kind, so a table is compiled once for each pair of
 * an offset and a kind, and shared by all units of that pair.
 */
#ifndef TM_DWARF_FAST_ABBREV_H
#define TM_DWARF_FAST_ABBREV_H

#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/dwarf/constants.h"
#include "lib/dwarf/fast/read.h"

#include <stdatomic.h>

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
	int64_t implicit; /* of DW_FORM_implicit_const */
};

enum { ABBREV_FAR = UINT16_MAX }; /* not among the leading attributes of fixed size */

/* Where an inlined call's DIE says whose copy it is and where it was called from, as places like
 * those in struct abbrev; a size of 0: it does not say. */
struct abbrev_site {
	uint16_t tag;                        /* of any DIE; UINT16_MAX: out of range */
	uint16_t origin, file, line, column; /* origin: or its specification */
	uint16_t linkage;                    /* its linkage name, if a DW_FORM_strp */
	uint8_t file_size, line_size, column_size;
	bool has_linkage;
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

/* All that a walk has to know of a DIE that it passes. */
enum hop_kind {
	HOP_LEAF,        /* size bytes, and nothing inside */
	HOP_DECLARATION, /* the same, but not for a walk over everything */
	HOP_SIBLING,     /* nor this: a DW_FORM_ref4 in the last of size bytes leads behind it */
	HOP_NONE,        /* a look at struct abbrev is needed */
};

struct abbrev_hop {
	uint16_t kind, size; /* size: with the code, which has one byte */
};

enum { HOP_CODES = 256 }; /* the upper half: codes of more bytes, HOP_NONE */

struct abbrevs {
	struct abbrev_hop hops[HOP_CODES];
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
	_Atomic uint64_t bytes; /* of memory that those that are compiled take */
	_Atomic uint64_t spent; /* bytes of .debug_abbrev read; overlapping tables could be many */
	uint64_t limit;
};

/* The table with that index; its why says whether it is any good. Any thread. */
const struct abbrevs *fast_tables_get(struct fast_tables *t, struct fast_bytes section,
				      size_t index);
/* The same into the caller's, whose arrays are used again: for a table that only one unit uses and
 * that would only take memory in the shared set. NULL: others have it already, see fast_tables_get,
 * or will. */
const struct abbrevs *fast_tables_own(struct fast_tables *t, struct fast_bytes section,
				      size_t index, struct abbrevs *own);
void abbrevs_release(struct abbrevs *t);
/* Of memory, with all that is compiled. */
uint64_t fast_tables_bytes(const struct fast_tables *t);
/* Tables are going to be asked for by another batch, which may read as much as the first. */
void fast_tables_begin(struct fast_tables *t);
void fast_tables_release(struct fast_tables *t);

/* Bytes of a form of fixed size, or -1 - (enum abbrev_op_kind), or INT_MIN: unknown. */
int form_size(uint64_t form, uint8_t version, uint8_t address_size, bool wide);

bool abbrev_long_attr(struct rd *r, uint64_t *name, uint64_t *form, int64_t *implicit);

/* The next (name, form, implicit constant) of an abbreviation in the section. False at its end
 * or when r has failed. */
static inline bool abbrev_next_attr(struct rd *r, uint64_t *name, uint64_t *form, int64_t *implicit)
{
	enum { SIGN = 1 << 6 };
	size_t n = 2;

	/* nearly all are two bytes, or three */
	if (rd_left(r) < 3 || ((r->p[0] | r->p[1]) & 0x80))
		return abbrev_long_attr(r, name, form, implicit);
	*name = r->p[0];
	*form = r->p[1];
	*implicit = 0;
	if (r->p[1] == DW_FORM_implicit_const) {
		if (r->p[2] & 0x80)
			return abbrev_long_attr(r, name, form, implicit);
		*implicit = (r->p[2] ^ SIGN) - SIGN;
		n = 3;
	}
	r->p += n;
	return *name || *form;
}

/* A byte of v is 0. */
static inline bool abbrev_zero_byte(uint64_t v)
{
	return (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);
}

/* To the end of an abbreviation, four plain attributes at a time. */
static inline void abbrev_skip_attrs(struct rd *r)
{
	const uint64_t long_ones = UINT64_C(0x8080808080808080),
		       names = UINT64_C(0x00ff00ff00ff00ff),
		       constants = UINT64_C(0x0100010001000100) * DW_FORM_implicit_const;
	uint64_t name, form;
	int64_t implicit;

	do {
		while (rd_left(r) >= 8) {
			uint64_t v = le64(r->p);

			if (v & long_ones || abbrev_zero_byte(v) ||
			    abbrev_zero_byte((v ^ constants) | names))
				break;
			r->p += 8;
		}
	} while (abbrev_next_attr(r, &name, &form, &implicit));
}

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
