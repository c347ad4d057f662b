/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/split_index.h"

#include "lib/dwarf/constants.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *const split_section_names[SPLIT_COUNT] = {
    [SPLIT_INFO] = ".debug_info.dwo",
    [SPLIT_ABBREV] = ".debug_abbrev.dwo",
    [SPLIT_STR_OFFSETS] = ".debug_str_offsets.dwo",
    [SPLIT_RNGLISTS] = ".debug_rnglists.dwo",
    [SPLIT_STR] = ".debug_str.dwo",
};

struct header {
	uint32_t version, columns, units, slots;
	/* where the tables begin */
	uint64_t ids, rows, sections, offsets, sizes;
};

/* The places of what is wrong, in the index. */
enum { AT_UNITS = 8, AT_SLOTS = 12 };

__attribute__((format(printf, 3, 4))) static enum status wrong(struct err *e, uint64_t at,
							       const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(e, ST_BAD, ".debug_cu_index+0x%" PRIx64 ": index of units: %s", at, text);
}

static enum status split_index_read_header(struct fast_bytes index, bool big_endian,
					   struct header *h, struct err *e)
{
	struct rd r = rd_at(index, 0, big_endian);
	uint64_t room;

	h->version = rd_u32(&r);
	/* version 5 is u16 and two bytes of padding */
	if (h->version != 2 && (h->version == 5 || h->version == UINT32_C(5) << 16))
		h->version = 5;
	h->columns = rd_u32(&r);
	h->units = rd_u32(&r);
	h->slots = rd_u32(&r);
	if (r.failed)
		return wrong(e, index.n, "cut short");
	if (h->version != 2 && h->version != 5)
		return wrong(e, 0, "unknown version %" PRIu32, h->version);
	if (!h->slots || !h->units)
		return ST_OK;
	if (h->slots & (h->slots - 1))
		return wrong(e, AT_SLOTS, "the number of slots is not a power of two: %" PRIu32,
			     h->slots);
	room = rd_left(&r);
	h->ids = index.n - room;
	if (h->slots > room / 12 || h->columns > 64)
		return wrong(e, AT_SLOTS, "larger than its section");
	h->rows = h->ids + h->slots * UINT64_C(8);
	h->sections = h->rows + h->slots * UINT64_C(4);
	room -= h->slots * UINT64_C(12);
	if (h->columns * UINT64_C(4) > room)
		return wrong(e, AT_UNITS, "larger than its section");
	room -= h->columns * UINT64_C(4);
	if (h->columns && h->units > room / (h->columns * UINT64_C(8)))
		return wrong(e, AT_UNITS, "larger than its section");
	h->offsets = h->sections + h->columns * UINT64_C(4);
	h->sizes = h->offsets + (uint64_t)h->units * h->columns * 4;
	return ST_OK;
}

static uint32_t u32_at(struct fast_bytes b, uint64_t at, bool big_endian)
{
	struct rd r = rd_at(b, at, big_endian);

	return rd_u32(&r);
}

static uint64_t u64_at(struct fast_bytes b, uint64_t at, bool big_endian)
{
	struct rd r = rd_at(b, at, big_endian);

	return rd_u64(&r);
}

/* The row of an id; 0: none. Ends when all slots were looked at: the index may be full. */
static uint32_t find_row(struct fast_bytes index, const struct header *h, bool big_endian,
			 uint64_t id)
{
	uint32_t mask = h->slots - 1, at = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < h->slots; i++, at = (at + step) & mask) {
		uint32_t row = u32_at(index, h->rows + at * UINT64_C(4), big_endian);

		if (!row)
			return 0;
		if (u64_at(index, h->ids + at * UINT64_C(8), big_endian) == id)
			return row;
	}
	return 0;
}

enum status split_index_find(struct fast_bytes index, bool big_endian, uint64_t id,
			     const struct fast_bytes all[SPLIT_COUNT],
			     struct fast_bytes part[SPLIT_COUNT], uint32_t *row, struct err *e)
{
	struct header h = {.slots = 0};
	enum status st = split_index_read_header(index, big_endian, &h, e);

	*row = 0;
	for (size_t i = 0; i < SPLIT_COUNT; i++)
		part[i] = (struct fast_bytes){.n = 0};
	part[SPLIT_STR] = all[SPLIT_STR];
	if (st || !h.slots || !h.units)
		return st;
	*row = find_row(index, &h, big_endian, id);
	if (!*row)
		return ST_OK;
	if (*row > h.units)
		return wrong(e, h.rows, "a row is out of range: %" PRIu32, *row);
	for (uint32_t k = 0; k < h.columns; k++) {
		uint64_t cell = ((uint64_t)(*row - 1) * h.columns + k) * 4;
		uint64_t offset = u32_at(index, h.offsets + cell, big_endian);
		uint64_t size = u32_at(index, h.sizes + cell, big_endian);
		enum split_section s;

		switch (u32_at(index, h.sections + k * UINT64_C(4), big_endian)) {
		case DW_SECT_INFO: s = SPLIT_INFO; break;
		case DW_SECT_ABBREV: s = SPLIT_ABBREV; break;
		case DW_SECT_STR_OFFSETS: s = SPLIT_STR_OFFSETS; break;
		case DW_SECT_RNGLISTS:
			if (h.version != 5) /* version 2: .debug_macro */
				continue;
			s = SPLIT_RNGLISTS;
			break;
		default: continue;
		}
		if (offset > all[s].n || size > all[s].n - offset)
			return wrong(e, h.offsets + cell,
				     "a part lies outside its section: 0x%" PRIx64 " and 0x%" PRIx64
				     " bytes",
				     offset, size);
		/* Of a section that is not there, the part is nothing, too. */
		part[s] = (struct fast_bytes){all[s].p ? all[s].p + offset : NULL, size};
	}
	return ST_OK;
}
