/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/sections.h"

#include "lib/object/companion.h"

const char *const section_names[SECTION_COUNT] = {
    [SECTION_NULL] = "",
    [SECTION_INFO] = ".debug_info",
    [SECTION_ABBREV] = ".debug_abbrev",
    [SECTION_STR] = ".debug_str",
    [SECTION_LINE] = ".debug_line",
    [SECTION_LINE_STR] = ".debug_line_str",
    [SECTION_STR_OFFSETS] = ".debug_str_offsets",
    [SECTION_ADDR] = ".debug_addr",
    [SECTION_RANGES] = ".debug_ranges",
    [SECTION_RNGLISTS] = ".debug_rnglists",
};

void sections_preload(struct object *o, unsigned jobs)
{
	object_unpack(o, section_names + 1, SECTION_COUNT - 1, jobs);
	for (size_t i = 1; i < SECTION_COUNT; i++) {
		struct object_section s;
		struct err e = ERR_INIT;

		(void)!object_section(o, section_names[i], &s, &e); /* sections_load will see it */
	}
}

enum status sections_load(struct sections *s, struct object *o, struct err *e)
{
	s->big_endian = object_is_big_endian(o);
	s->address_size = object_is_64(o) ? 8 : 4;
	for (size_t i = 1; i < SECTION_COUNT; i++) {
		enum status st = object_section(o, section_names[i], &s->all[i], e);

		if (st == ST_OK)
			continue;
		s->all[i] = (struct object_section){0};
		if (st == ST_NONE)
			continue;
		if (i <= SECTION_ABBREV) /* nothing works without these */
			return st;
		buf_addf(&s->complaint, "%s%s", s->complaint.len ? "; " : "", e->msg);
	}
	if (object_supplement_missing(o))
		buf_addf(&s->complaint, "%s%s", s->complaint.len ? "; " : "",
			 object_supplement_missing(o));
	return ST_OK;
}

uint64_t sections_first_code(const struct object *o)
{
	size_t n;
	const struct object_segment *s = object_segments(o, &n);

	if (object_arch(o) == ARCH_WASM)
		return 1;
	for (size_t i = 0; i < n; i++) {
		if (s[i].executable && !s[i].vaddr && s[i].offset && s[i].memsz)
			return 0;
	}
	return 2;
}
