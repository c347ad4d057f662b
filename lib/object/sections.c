/* SPDX-License-Identifier: MIT
 *
 * The sections of an object by number, for reports.
 */
#include "lib/base/mem.h"
#include "lib/object/impl.h"

#include <string.h>

size_t object_section_count(const struct object *o)
{
	return o->file.n_sections;
}

struct object_section_info object_section_info(const struct object *o, size_t i)
{
	const struct section_header *s = &o->file.sections[i];

	return (struct object_section_info){.name = s->name,
					    .addr = s->addr,
					    .offset = s->offset,
					    .size = s->size,
					    .kind = (enum object_section_kind)s->kind,
					    .flags = s->flags,
					    .compressed = section_is_compressed(s) ||
							  !strncmp(s->name, ".zdebug_", 8)};
}

enum status object_section_read(const struct object *o, size_t i, uint8_t **data, uint64_t *size,
				struct err *e)
{
	*data = NULL;
	*size = 0;
	if (i >= o->file.n_sections || !section_has_bytes(&o->file.sections[i]))
		return ST_NONE;
	return section_read(&o->file, &o->file.sections[i], data, size, e);
}
