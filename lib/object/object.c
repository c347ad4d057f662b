/* SPDX-License-Identifier: MIT */
#include "lib/object/object.h"

#include "lib/base/bytes.h"
#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/object/companion.h"
#include "lib/object/debug_map.h"
#include "lib/object/format.h"
#include "lib/object/pdb.h"
#include "lib/object/source_map.h"

#include <stdlib.h>
#include <string.h>

static bool same_age(uint32_t a, uint32_t b)
{
	return a == b || a == OBJECT_ANY_AGE || b == OBJECT_ANY_AGE;
}

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
	if (a->len == 16 && b->len == 20 && !a->partial)
		return !memcmp(b->bytes + 16, zero, 4) || same_age(a->age, le32(b->bytes + 16));
	return a->partial || (a->len == b->len && (!a->age || !b->age || same_age(a->age, b->age)));
}

const char *object_build_id_differs(const struct object_build_id *a,
				    const struct object_build_id *b)
{
	struct object_build_id x = *a, y = *b;

	if (object_build_id_equal(a, b))
		return NULL;
	if (!a->age && !b->age)
		return "build-id";
	x.age = y.age = OBJECT_ANY_AGE;
	return object_build_id_equal(&x, &y) ? "age" : "GUID";
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
	return object_open_wanted(out, path, NULL, e);
}

enum status object_open_wanted(struct object **out, const char *path,
			       const struct object_want *want, struct err *e)
{
	struct object *o = object_new();
	enum status st = image_open_wanted(&o->file, path, want, e);

	if (st) {
		object_free(o);
		return st;
	}
	*out = o;
	return ST_OK;
}

enum status object_open_part(struct object **out, int fd, uint64_t base, uint64_t size,
			     const char *path, const struct object_want *want, struct err *e)
{
	struct object *o = object_new();
	enum status st = image_open_part(&o->file, fd, base, size, path, want, e);

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
	enum status st = image_open_memory(&o->file, p, n, e);

	if (st) {
		object_free(o);
		return st;
	}
	*out = o;
	return ST_OK;
}

void object_drop_sections(struct object *o)
{
	struct object_cached_section *c, *next;

	if (o->supplement)
		object_drop_sections(o->supplement);
	for (c = o->cache; c; c = next) {
		next = c->next;
		free((char *)(uintptr_t)c->section.name);
		if (c->map)
			map_close(c->map);
		else
			mem_budget_free((uint8_t *)(uintptr_t)c->section.data);
		free(c);
	}
	o->cache = NULL;
}

void object_free(struct object *o)
{
	if (!o)
		return;
	object_drop_sections(o);
	symtab_release(&o->symbols);
	symtab_release(&o->own);
	symtab_release(&o->any);
	symtab_release(&o->listed);
	object_code_release(o->code);
	object_stubs_release(o->stubs);
	object_starts_release(o->starts);
	search_log_release(&o->log);
	pthread_mutex_destroy(&o->lock);
	image_release(&o->file);
	image_release(&o->debug);
	companion_release(o);
	minidebug_release(&o->mini);
	debug_map_free(o->map);
	source_map_free(o->source_map);
	free(o);
}

const struct object_kind *object_kind(const struct object *o)
{
	return &o->file.format->about;
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

bool object_is_core(const struct object *o)
{
	return o->file.is_core;
}

enum object_arch object_arch(const struct object *o)
{
	return (enum object_arch)o->file.arch;
}

bool object_each_linked(const struct object *o, bool dynamic, uint64_t *n,
			void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	*n = 0;
	return o->file.format->each_linked &&
	       o->file.format->each_linked(&o->file, dynamic, n, see, arg);
}

void object_each_bounded(const struct object *o, void (*see)(void *arg, uint64_t lo, uint64_t hi),
			 void *arg)
{
	if (o->file.format->functions)
		o->file.format->functions(&o->file, see, arg);
}

bool object_pe_stamp(const struct object *o, struct object_pe_stamp *to)
{
	*to = o->file.pe.stamp;
	return to->size;
}

struct object_build_id object_stamp_id(const struct object *o)
{
	struct object_build_id id = {.len = 0};
	struct object_pe_stamp stamp;

	if (!object_pe_stamp(o, &stamp))
		return id;
	id.len = OBJECT_PE_ID;
	for (size_t i = 0; i < 4; i++) {
		id.bytes[i] = (uint8_t)(stamp.time >> (24 - 8 * i));
		id.bytes[4 + i] = (uint8_t)(stamp.size >> (24 - 8 * i));
	}
	return id;
}

struct object_build_id object_captured_id(const struct object *o)
{
	struct object_build_id id = o->file.build_id;

	if (!id.len)
		return object_stamp_id(o);
	if (!id.age || id.age == OBJECT_ANY_AGE)
		return id;
	for (size_t i = 0; i < 4; i++)
		id.bytes[id.len++] = (uint8_t)(id.age >> 8 * i);
	id.age = 0;
	return id;
}

const char *object_id_differs(const struct object *o, const struct object_build_id *captured,
			      bool *known)
{
	const struct object_build_id *own = object_build_id(o);
	struct object_pe_stamp stamp;
	bool is_pe = object_pe_stamp(o, &stamp);

	if (captured->len == OBJECT_PE_ID && (is_pe || own->age)) { /* a PDB has neither */
		*known = is_pe;
		if (is_pe && be32(captured->bytes) != stamp.time)
			return "time stamp";
		return is_pe && object_pe_pages(be32(captured->bytes + 4)) !=
				    object_pe_pages(stamp.size)
			   ? "size in memory"
			   : NULL;
	}
	*known = captured->len && own->len;
	return *known ? object_build_id_differs(own, captured) : NULL;
}

/* 16 bytes without an age may be a UUID or a build-id, which is no id of Windows. */
static void add_windows_id(struct buf *to, const struct object_build_id *id)
{
	if (id->age && id->age != OBJECT_ANY_AGE)
		id_text_add_guid(to, id->bytes, id->age);
	else
		id_text_add(to, true, id->bytes, id->len);
}

void object_add_ids(struct buf *to, const char *a_has, const struct object_build_id *a,
		    const char *b_name, const struct object_build_id *b)
{
	if (!a->age && !b->age && a->len != OBJECT_PE_ID)
		return;
	buf_addf(to, ": %s ", a_has);
	add_windows_id(to, a);
	buf_addf(to, ", %s ", b_name);
	add_windows_id(to, b);
}

void object_add_captured_ids(struct buf *to, const struct object *o,
			     const struct object_build_id *captured)
{
	struct object_build_id own =
	    captured->len == OBJECT_PE_ID ? object_stamp_id(o) : *object_build_id(o);

	object_add_ids(to, "the capture has", captured, "the file", &own);
}

uint64_t object_image_base(const struct object *o)
{
	return o->file.pe.base;
}

const char *object_debug_named(const struct object *o)
{
	return o->file.pe.pdb;
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

bool object_debug_is_separate(const struct object *o)
{
	return o->debug.path;
}

const struct search_log *object_search_log(const struct object *o)
{
	return &o->log;
}

bool object_has_dwarf(const struct object *o)
{
	const struct section_header *s = NULL;

	if (o->debug.path)
		s = section_find(&o->debug, ".debug_info");
	if (!s || !s->size)
		s = section_find(&o->file, ".debug_info");
	return s && s->size;
}

static const struct object_cached_section *cached(const struct object *o, const char *name)
{
	const struct object_cached_section *c = o->cache;

	while (c && strcmp(c->section.name, name) != 0)
		c = c->next;
	return c;
}

/* Where a section is: its header, and in which of the two files. */
static const struct section_header *find(const struct object *o, const char *name,
					 const struct object_image **f)
{
	const struct section_header *s = o->debug.path ? section_find(&o->debug, name) : NULL;

	*f = &o->debug;
	if (s)
		return s;
	*f = &o->file;
	return section_find(&o->file, name);
}

static void add_section(struct object *o, const char *name, const struct section_header *s,
			struct map_piece *map, uint8_t *data, uint64_t size)
{
	struct object_cached_section *c = mem_zalloc(sizeof *c);

	c->map = map;
	c->section = (struct object_section){
	    .name = mem_strdup(name), .data = data, .size = size, .addr = s->addr, .map = map};
	c->next = o->cache;
	o->cache = c;
}

enum status object_section(struct object *o, const char *name, struct object_section *out,
			   struct err *e)
{
	const struct object_cached_section *c = cached(o, name);
	const struct object_image *f;
	const struct section_header *s;
	struct map_piece *map;
	enum status st;
	uint8_t *data;
	uint64_t size;

	if (c) {
		*out = c->section;
		return ST_OK;
	}
	s = find(o, name, &f);
	if (!s)
		return ST_NONE;
	map = section_map(f, s, &data, &size);
	st = map ? ST_OK : section_read(f, s, &data, &size, e);
	if (st)
		return st;
	add_section(o, name, s, map, data, size);
	*out = o->cache->section;
	return ST_OK;
}

static enum status object_join(const struct object_image *f, const char *name, size_t first,
			       uint8_t **data, uint64_t *size, struct err *e)
{
	uint64_t raw = 0;

	*data = NULL;
	*size = 0;
	for (size_t i = first; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];
		uint64_t n;
		uint8_t *part, *both;

		if (!section_has_bytes(s) || !s->size || strcmp(s->name, name) != 0)
			continue;
		/* those of a sound file do not overlap */
		if (s->size > f->size - raw)
			return err_set(e, ST_BAD, "sections %s are larger than the file", name);
		raw += s->size;
		if (section_read(f, s, &part, &n, e))
			return err_failure(e);
		both = mem_budget_grow(*data, *size + n + 1);
		if (both)
			memcpy(both + *size, part, (size_t)n + 1);
		mem_budget_free(part);
		if (!both)
			return err_set(e, ST_LIMIT,
				       "sections %s need more memory than "
				       "available",
				       name);
		*data = both;
		*size += n;
	}
	return ST_OK;
}

enum status object_section_joined(struct object *o, const char *name, struct object_section *out,
				  struct err *e)
{
	const struct object_image *f = &o->file;
	size_t first = f->n_sections, n = 0;
	uint8_t *data;
	uint64_t size;
	enum status st;

	*out = (struct object_section){.name = name};
	for (size_t i = f->n_sections; i-- > 0;) {
		if (!strcmp(f->sections[i].name, name)) {
			first = i;
			n++;
		}
	}
	if (n < 2 || cached(o, name)) {
		st = object_section(o, name, out, e);
		return st == ST_NONE ? ST_OK : st;
	}
	st = object_join(f, name, first, &data, &size, e);
	if (st) {
		mem_budget_free(data);
		return st;
	}
	add_section(o, name, &f->sections[first], NULL, data, size);
	*out = o->cache->section;
	return ST_OK;
}

/* A compressed section on its way. */
struct unpacking {
	const char *name;
	const struct object_image *f;
	const struct section_header *s;
	uint8_t *data; /* NULL: could not be read */
	uint64_t size;
};

static void object_unpack_one(size_t item, unsigned worker, void *arg)
{
	struct unpacking *u = (struct unpacking *)arg + item;
	struct err e = ERR_INIT;

	(void)worker;
	if (section_read(u->f, u->s, &u->data, &u->size, &e))
		u->data = NULL;
}

static int object_largest_first(const void *a, const void *b)
{
	uint64_t x = ((const struct unpacking *)a)->s->size;
	uint64_t y = ((const struct unpacking *)b)->s->size;

	return (x < y) - (x > y);
}

void object_unpack(struct object *o, const char *const *names, size_t n, unsigned jobs)
{
	struct unpacking *all = mem_zarray(n, sizeof *all);
	size_t n_all = 0;

	for (size_t i = 0; i < n; i++) {
		struct unpacking *u = &all[n_all];

		u->name = names[i];
		u->s = cached(o, names[i]) ? NULL : find(o, names[i], &u->f);
		n_all += u->s && section_is_compressed(u->s);
	}
	sort_array(all, n_all, sizeof *all, object_largest_first);
	pool_run(jobs, n_all, object_unpack_one, all);
	for (size_t i = 0; i < n_all; i++)
		if (all[i].data)
			add_section(o, all[i].name, all[i].s, NULL, all[i].data, all[i].size);
	free(all);
}

enum status object_intact(const struct object *o, struct err *e)
{
	const struct pdb_file *p = object_pdb(o);

	for (const struct object_cached_section *c = o->cache; c; c = c->next) {
		if (c->map && !map_intact(c->map))
			return err_set(e, ST_BAD,
				       "section %s: the file has become shorter while it was read",
				       c->section.name);
	}
	if (p && !msf_intact(p->msf))
		return err_set(e, ST_BAD, "the PDB has become shorter while it was read");
	return o->supplement ? object_intact(o->supplement, e) : ST_OK;
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
