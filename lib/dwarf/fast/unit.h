/* SPDX-License-Identifier: MIT
 *
 * A file's debug sections, its units, and the values of attributes, for the fast engine. Everything
 * here but struct fast_common is read-only once fast_units_index has returned, so workers share it.
 *
 * Sections are of DWARF 5 where nothing else is said; what older versions do otherwise is said.
 */
#ifndef TM_DWARF_FAST_UNIT_H
#define TM_DWARF_FAST_UNIT_H

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/dwarf/fast/abbrev.h"
#include "lib/dwarf/fast/fault.h"
#include "lib/dwarf/fast/read.h"
#include "lib/object/object.h"

/* rnglists_base of a unit that has no table of lists; UINT64_MAX is the first table of the section.
 */
#define FAST_NO_LISTS (UINT64_MAX - 1)

enum fast_state {
	UNIT_SOUND,
	UNIT_TYPE, /* a type unit: has no code */
	UNIT_LOST, /* what it owns cannot be read */
};

/* Addresses [first, first + n) of the job, found in one of a unit's ranges. */
struct fast_run {
	uint32_t first, n;
};

struct fast_unit {
	uint64_t offset, end; /* in .debug_info, header included */
	uint64_t die;         /* of the unit DIE */
	uint64_t abbrev_offset;
	uint32_t table; /* in fast_file.tables */
	uint8_t version, address_size, type;
	bool wide; /* 64-bit DWARF */
	uint8_t state;
	/* of the unit DIE: */
	bool split;  /* a skeleton: functions are in part */
	bool ranged; /* its ranges are all that it owns; else its functions say more */
	bool has_lines;
	uint64_t base; /* low_pc, which range lists start from */
	uint64_t lines;
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t ranges_base; /* of its DIEs' DW_AT_ranges, before DWARF 5 */
	/* Of a skeleton, and of the unit that it stands for. dwo_name is like comp_dir. */
	uint64_t dwo_id, gnu_ranges_base;
	const char *dwo_name;
	size_t n_dwo_name;
	struct fast_part *part; /* split.h; NULL: not sought yet */
	const char *comp_dir;   /* n_comp_dir bytes, not NUL-terminated for our purposes */
	size_t n_comp_dir;
	const char *why; /* it is lost: with its place (fault.h) */
	/* Of a worker's own copy of this: the unit's bytes, from offset up to end, where they are
	 * near (near.h). NULL: in the section. */
	const uint8_t *near;
};

struct fast_splits;

struct fast_file {
	struct fast_bytes in[IN_COUNT];
	struct map_piece *map[IN_COUNT]; /* of in; NULL: it is in memory */
	uint64_t starts[IN_COUNT];       /* of in, in the section: not 0 of a part of a .dwp file */
	uint16_t in_dwo;                 /* bits of those that are .dwo sections */
	struct fast_file
	    *alt; /* what dwz has moved into another file; NULL: none. Has none itself */
	struct fast_splits *splits; /* what skeletons' parts are found by; NULL: they are not */
	bool big_endian;
	uint64_t first;                        /* address of code: sections_first_code */
	bool discriminators, extras, relative; /* as in dwarf_options */
	uint64_t last;                         /* the highest address */
	struct fast_unit *units; /* in the order of .debug_info, the order of owners */
	size_t n_units, cap_units;
	struct fast_tables tables;
	struct fast_common *common; /* of fast_units_index */
	const char *chain_broken;   /* why there are no units from chain_offset on; or NULL */
	uint64_t chain_offset;
	bool lost; /* addresses that no unit claims may belong to a broken one */
};

/* What an attribute says, by class rather than by form. */
enum fast_class {
	CLASS_NONE, /* of no use here: a flag, a signature, another file's */
	CLASS_ADDRESS,
	CLASS_ADDRESS_INDEX,
	CLASS_CONSTANT,
	CLASS_OFFSET, /* into another section */
	CLASS_LIST_INDEX,
	CLASS_REFERENCE,     /* v: offset in .debug_info */
	CLASS_REFERENCE_ALT, /* in that of the supplementary file */
	CLASS_TEXT,
	CLASS_TEXT_INDEX,
	CLASS_BLOCK, /* of n bytes at text */
	CLASS_LOCATION_INDEX,
};

struct fast_value {
	uint64_t v; /* CLASS_TEXT: 0 inline at text, else an offset */
	const char *text;
	size_t n;
	uint8_t class;
	uint8_t section; /* CLASS_TEXT: IN_INFO (inline), IN_STR, IN_LINE_STR */
	uint8_t form;
};

/* The unit's bytes from at, an offset in .debug_info, on. */
static inline struct rd fast_unit_bytes(const struct fast_file *f, const struct fast_unit *u,
					uint64_t at)
{
	struct rd r = {.big_endian = f->big_endian, .failed = at < u->offset || at >= u->end};

	if (!u->near)
		return rd_between(f->in[IN_INFO], at, u->end, f->big_endian);
	if (!r.failed) {
		r.p = u->near + (at - u->offset);
		r.end = u->near + (u->end - u->offset);
	}
	return r;
}

/* The units' headers. Tables are not compiled yet. */
void fast_units_index(struct fast_file *f);
void fast_file_release(struct fast_file *f);
/* Reads the unit DIE: fills what struct fast_unit says of it, and the attributes that own addresses
 * into *ranges, *low, *high (CLASS_NONE: not there). head: the unit's first bytes, where they are
 * near; or NULL. On failure state and why are set. */
bool fast_unit_root(const struct fast_file *f, struct fast_unit *u, const struct fast_bytes *head,
		    struct fast_value *ranges, struct fast_value *low, struct fast_value *high);

/* Reads one attribute's value. False: the form is unknown, or r has failed. */
bool fast_value_read(const struct fast_unit *u, struct rd *r, uint64_t form, int64_t implicit,
		     struct fast_value *v);
/* Text of a CLASS_TEXT or CLASS_TEXT_INDEX value; NULL: it lies nowhere. */
const char *fast_value_text(const struct fast_file *f, const struct fast_unit *u,
			    const struct fast_value *v, size_t *n);
bool fast_value_address(const struct fast_file *f, const struct fast_unit *u,
			const struct fast_value *v, uint64_t *addr);
/* Entry of the unit's part of .debug_addr. */
bool fast_unit_address(const struct fast_file *f, const struct fast_unit *u, uint64_t index,
		       uint64_t *addr);
/* The unit that holds an offset of .debug_info behind its header, or NULL. */
const struct fast_unit *fast_unit_at(const struct fast_file *f, uint64_t offset);

#endif
