/* SPDX-License-Identifier: MIT */
#include "lib/object/object.h"

#include "lib/base/mem.h"
#include "lib/object/impl.h"

#include <stdlib.h>
#include <string.h>

bool object_build_id_equal(const struct object_build_id *a, const struct object_build_id *b)
{
	static const uint8_t zero[4];

	if (a->len > b->len) {
		const struct object_build_id *t = a;

		a = b;
		b = t;
	}
	if (!a->len || memcmp(a->bytes, b->bytes, a->len))
		return false;
	return a->len == b->len ||
	       (a->len == 16 && b->len == 20 && !memcmp(b->bytes + 16, zero, 4));
}

static struct object *object_new(void)
{
	struct object *o = mem_zalloc(sizeof *o);

	o->file.fd = o->debug.fd = -1;
	pthread_mutex_init(&o->lock, NULL);
	return o;
}

enum status object_open(struct object **out, const char *path, struct err *e)
{
	struct object *o = object_new();
	enum status st = elf_file_open(&o->file, path, e);

	if (st) {
		object_free(o);
		return st;
	}
	*out = o;
	return ST_OK;
}

enum status object_open_memory(struct object **out, const void *p, size_t n, struct err *e)
{
	struct object *o = object_new();
	enum status st = elf_file_open_memory(&o->file, p, n, e);

	if (st) {
		object_free(o);
		return st;
	}
	*out = o;
	return ST_OK;
}

void object_free(struct object *o)
{
	struct object_cached_section *c, *next;

	if (!o)
		return;
	for (c = o->cache; c; c = next) {
		next = c->next;
		free((char *)(uintptr_t)c->section.name);
		if (c->map)
			map_close(c->map);
		else
			free((uint8_t *)(uintptr_t)c->section.data);
		free(c);
	}
	symtab_release(&o->symbols);
	pthread_mutex_destroy(&o->lock);
	elf_file_release(&o->file);
	elf_file_release(&o->debug);
	free(o);
}

const struct object_build_id *object_build_id(const struct object *o)
{
	return &o->file.build_id;
}

bool object_is_64(const struct object *o)
{
	return o->file.is_64;
}

bool object_is_big_endian(const struct object *o)
{
	return o->file.big_endian;
}

uint16_t object_machine(const struct object *o)
{
	return o->file.machine;
}

const struct object_segment *object_segments(const struct object *o, size_t *n)
{
	*n = o->file.n_segments;
	return o->file.segments;
}

const char *object_debug_path(const struct object *o)
{
	return o->debug.path ? o->debug.path : o->file.path;
}

bool object_has_dwarf(const struct object *o)
{
	const struct elf_section *s = NULL;

	if (o->debug.path)
		s = section_find(&o->debug, ".debug_info");
	if (!s || !s->size)
		s = section_find(&o->file, ".debug_info");
	return s && s->size;
}

enum status object_section(struct object *o, const char *name, struct object_section *out,
			   struct err *e)
{
	const struct elf_file *f = &o->debug;
	const struct elf_section *s = NULL;
	struct object_cached_section *c;
	struct map_piece *map = NULL;
	enum status st;
	uint8_t *data;
	uint64_t size;

	for (c = o->cache; c; c = c->next) {
		if (!strcmp(c->section.name, name)) {
			*out = c->section;
			return ST_OK;
		}
	}
	if (o->debug.path)
		s = section_find(&o->debug, name);
	if (!s) {
		f = &o->file;
		s = section_find(f, name);
	}
	if (!s)
		return ST_NONE;
	map = section_map(f, s, &data, &size);
	st = map ? ST_OK : section_read(f, s, &data, &size, e);
	if (st)
		return st;
	c = mem_zalloc(sizeof *c);
	c->map = map;
	c->section = (struct object_section){
	    .name = mem_strdup(name), .data = data, .size = size, .addr = s->addr};
	c->next = o->cache;
	o->cache = c;
	*out = c->section;
	return ST_OK;
}

enum status object_intact(const struct object *o, struct err *e)
{
	for (const struct object_cached_section *c = o->cache; c; c = c->next) {
		if (c->map && !map_intact(c->map))
			return err_set(e, ST_BAD,
				       "section %s: the file has become shorter while it was read",
				       c->section.name);
	}
	return ST_OK;
}

enum status object_offset_to_vaddr(const struct object *o, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < o->file.n_segments; i++) {
		const struct object_segment *s = &o->file.segments[i];

		if (offset >= s->offset && offset - s->offset < s->filesz) {
			*vaddr = s->vaddr + (offset - s->offset);
			return ST_OK;
		}
	}
	return ST_NONE;
}

bool object_is_code(const struct object *o, uint64_t vaddr)
{
	for (size_t i = 0; i < o->file.n_segments; i++) {
		const struct object_segment *s = &o->file.segments[i];

		if (s->executable && vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz)
			return true;
	}
	return false;
}
