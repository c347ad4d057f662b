/* SPDX-License-Identifier: MIT
 *
 * The executable parts of a binary: its sections of code, or its segments.
 */
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/object/impl.h"

#include <stdlib.h>

struct object_code {
	struct object_code_part *parts;
	size_t n, cap;
	uint64_t total;
};

static int object_code_by_address(const void *a, const void *b)
{
	const struct object_code_part *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Overlapping claims on one file could be larger than it many times over. */
static void object_code_add(struct object_code *c, const struct object_image *f, uint64_t addr,
			    uint64_t offset, uint64_t size)
{
	struct map_piece *map = NULL;
	uint8_t *data;
	struct err e = ERR_INIT;

	if (!size || offset > f->size || size > f->size - offset || addr + size < addr ||
	    size > f->size - c->total)
		return;
	c->total += size;
	if (f->fd >= 0)
		map = map_open(f->fd, f->base + offset, size, &data);
	if (!map) {
		data = mem_alloc((size_t)size);
		if (image_read(f, offset, data, (size_t)size, &e)) {
			free(data);
			return;
		}
	}
	VEC_PUSH(c->parts, c->n, c->cap) =
	    (struct object_code_part){.lo = addr, .size = size, .data = data, .map = map};
}

static struct object_code *object_code_load(const struct object_image *f)
{
	struct object_code *c = mem_zalloc(sizeof *c);
	size_t kept = 0;
	bool sections = false;

	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (!(s->flags & SECTION_LOADED) || !(s->flags & SECTION_CODE))
			continue;
		sections = true; /* of a debug file they are there and have no bytes */
		if (s->kind == SECTION_BYTES)
			object_code_add(c, f, s->addr, s->offset, s->size);
	}
	for (size_t i = 0; !sections && i < f->n_segments; i++)
		if (f->segments[i].executable)
			object_code_add(c, f, f->segments[i].vaddr, f->segments[i].offset,
					f->segments[i].filesz);
	if (c->n)
		sort_array(c->parts, c->n, sizeof *c->parts, object_code_by_address);
	for (size_t i = 0; i < c->n; i++) {
		struct object_code_part p = c->parts[i];

		if (kept && p.lo < c->parts[kept - 1].lo + c->parts[kept - 1].size) {
			if (p.map)
				map_close(p.map);
			else
				free((uint8_t *)(uintptr_t)p.data);
			continue;
		}
		c->parts[kept++] = p;
	}
	c->n = kept;
	return c;
}

const struct object_code_part *object_code_locked(struct object *o, size_t *n)
{
	if (!o->code)
		o->code = object_code_load(&o->file);
	*n = o->code->n;
	return o->code->parts;
}

const struct object_code_part *object_code(struct object *o, size_t *n)
{
	const struct object_code_part *parts;

	pthread_mutex_lock(&o->lock);
	parts = object_code_locked(o, n);
	pthread_mutex_unlock(&o->lock);
	return parts;
}

void object_code_release(struct object_code *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (c->parts[i].map)
			map_close(c->parts[i].map);
		else
			free((uint8_t *)(uintptr_t)c->parts[i].data);
	if (c)
		free(c->parts);
	free(c);
}
