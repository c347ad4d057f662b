/* SPDX-License-Identifier: MIT */
#include "lib/object/descriptors.h"

#include "lib/base/cursor.h"
#include "lib/base/mem_budget.h"

#include <string.h>

void descriptors_find(struct descriptors *d, const struct object_image *f)
{
	struct err e = ERR_INIT;

	*d = (struct descriptors){.big_endian = f->big_endian};
	for (size_t i = 0; f->arch == ARCH_PPC64 && i < f->n_sections; i++) {
		if (f->sections[i].kind == SECTION_BYTES && !strcmp(f->sections[i].name, ".opd") &&
		    section_read(f, &f->sections[i], &d->bytes, &d->size, &e) == ST_OK)
			d->at = &f->sections[i];
	}
}

bool descriptors_follow(const struct descriptors *d, uint64_t *value)
{
	struct err e = ERR_INIT;
	struct cursor c;

	if (!d->at || *value < d->at->addr || *value - d->at->addr >= d->size)
		return false;
	cursor_init(&c, d->bytes, d->size, 0, &e);
	c.big_endian = d->big_endian;
	cursor_skip(&c, *value - d->at->addr, ".opd");
	*value = cursor_u64(&c);
	return true;
}

void descriptors_release(struct descriptors *d)
{
	mem_budget_free(d->bytes);
}
