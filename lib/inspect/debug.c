/* SPDX-License-Identifier: MIT
 *
 * The kind of a binary's debug information: versions of the units, compression, split, dwz.
 */
#include "lib/base/cursor.h"
#include "lib/inspect/inspect.h"

#include <string.h>

enum { DW_UT_skeleton = 4 };

static void inspect_debug_units(struct inspect *x, const struct object_section *s,
				uint64_t counts[6])
{
	struct err e = ERR_INIT;
	struct cursor c;

	cursor_init(&c, s->data, (size_t)s->size, 0, &e);
	c.big_endian = object_is_big_endian(x->file.object);
	while (!cursor_done(&c)) {
		uint64_t n = cursor_u32(&c);
		unsigned version;

		if (n == 0xffffffff)
			n = cursor_u64(&c);
		if (c.failed || n < 3 || n > cursor_window(&c))
			break;
		version = cursor_u16(&c);
		counts[version < 6 ? version : 0]++;
		x->skeletons += version == 5 && *c.pos == DW_UT_skeleton;
		cursor_skip(&c, n - 2, "unit");
	}
	x->bad_debug |= !cursor_done(&c) || c.failed;
}

void inspect_debug(struct inspect *x)
{
	struct object *o = x->file.object;
	struct object_section s;
	struct err e = ERR_INIT;
	enum status st;

	for (size_t i = 1; i < object_section_count(o); i++) {
		struct object_section_info info = object_section_info(o, i);

		if (!strncmp(info.name, ".zdebug_", 8))
			x->compression = ".zdebug (zlib)";
		else if (info.compressed && !strncmp(info.name, ".debug_", 7))
			x->compression = "compressed (ELF)";
	}
	x->has_alt = inspect_section(x, ".gnu_debugaltlink");
	st = object_section(o, ".debug_info", &s, &e);
	if (!st)
		inspect_debug_units(x, &s, x->units);
	else if (st != ST_NONE)
		x->bad_debug = true;
	st = object_section(o, ".debug_info.dwo", &s, &e);
	if (!st)
		inspect_debug_units(x, &s, x->parts);
	else if (st != ST_NONE)
		x->bad_debug = true;
	object_drop_sections(o);
}
