/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/path.h"

#include <stdbool.h>

static bool is_absolute(const char *p)
{
	bool letter = (p[0] >= 'a' && p[0] <= 'z') || (p[0] >= 'A' && p[0] <= 'Z');

	return p[0] == '/' || p[0] == '\\' ||
	       (letter && p[1] == ':' && (p[2] == '/' || p[2] == '\\'));
}

static void append(struct buf *out, size_t start, const char *part)
{
	if (out->len > start && out->data[out->len - 1] != '/' && *part && *part != '/')
		buf_addc(out, '/');
	else if (out->len > start && out->data[out->len - 1] == '/' && *part == '/')
		part++;
	buf_adds(out, part);
}

void unit_join_path(struct buf *out, uint16_t version, const char *comp_dir, uint64_t dir_index,
		    const char *dir, const char *name)
{
	size_t start = out->len;

	if (!is_absolute(name)) {
		/* in DWARF 5 directory 0 is the compilation directory itself */
		if ((version < 5 || dir_index) && !is_absolute(dir))
			append(out, start, comp_dir);
		append(out, start, dir);
	}
	append(out, start, name);
}
