/* SPDX-License-Identifier: MIT
 *
 * The debug sections that libdwarf reads, and the repair of units that it cannot step over.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/dwarf/reference/reference.h"

#include <string.h>

static uint8_t *store(uint8_t *p, uint64_t v, size_t n, bool big_endian)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * (big_endian ? n - 1 - i : i));
	return p + n;
}

/* An abbreviation table with one entry: code 1, DW_TAG_compile_unit, no children, no attributes;
 * appended to .debug_abbrev once. */
static uint64_t empty_unit_abbrev(struct sections *s)
{
	static const uint8_t table[] = {1, 0x11, 0, 0, 0, 0};
	struct object_section *a = &s->all[SECTION_ABBREV];

	if (!s->abbrev) {
		s->abbrev_size = a->size;
		s->abbrev = mem_alloc((size_t)a->size + sizeof table);
		if (a->size)
			memcpy(s->abbrev, a->data, (size_t)a->size);
		memcpy(s->abbrev + a->size, table, sizeof table);
		a->data = s->abbrev;
		a->size += sizeof table;
	}
	return s->abbrev_size;
}

bool sections_bury(struct sections *s, uint64_t offset)
{
	const struct object_section *info = &s->all[SECTION_INFO];
	struct err e = ERR_INIT;
	struct cursor c;
	uint64_t length;
	uint8_t *p;
	bool wide;

	if (offset >= info->size)
		return false;
	cursor_init(&c, info->data + offset, (size_t)(info->size - offset), offset, &e);
	c.big_endian = s->big_endian;
	length = cursor_u32(&c);
	wide = length == UINT32_MAX;
	if (wide)
		length = cursor_u64(&c);
	if (cursor_failed(&c) || length > cursor_window(&c) || length < (wide ? 12 : 8))
		return false;
	/* a unit of DWARF 4, whatever it was; the bytes are the worker's own copy */
	p = (uint8_t *)(uintptr_t)c.pos;
	p = store(p, 4, 2, s->big_endian);
	p = store(p, empty_unit_abbrev(s), wide ? 8 : 4, s->big_endian);
	*p++ = s->address_size;
	*p = 1;
	return true;
}

bool sections_number(const struct sections *s, enum section section, uint64_t at, unsigned size,
		     uint64_t *v)
{
	const struct object_section *in = &s->all[section];
	struct err e = ERR_INIT;
	struct cursor c;

	*v = 0;
	if (at >= in->size)
		return false;
	cursor_init(&c, in->data + at, (size_t)(in->size - at), at, &e);
	c.big_endian = s->big_endian;
	*v = size == 8 ? cursor_u64(&c) : cursor_u32(&c);
	return !cursor_failed(&c);
}

uint64_t sections_list_offset(const struct sections *s, uint64_t list)
{
	uint64_t length, base = s->lists_base, offset;
	bool wide = s->lists_wide;

	if (!sections_number(s, SECTION_RNGLISTS, 0, 4, &length))
		return UINT64_MAX;
	if (base == UINT64_MAX) {
		wide = length == UINT32_MAX;
		base = wide ? 20 : 12;
	}
	if (base > UINT64_MAX / 2 || list > s->all[SECTION_RNGLISTS].size ||
	    !sections_number(s, SECTION_RNGLISTS, base + list * (wide ? 8 : 4), wide ? 8 : 4,
			     &offset))
		return UINT64_MAX;
	return offset > UINT64_MAX - base ? UINT64_MAX : base + offset;
}
