/* SPDX-License-Identifier: MIT */
#include "lib/object/debug_map.h"

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/object/impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	N_STAB = 0xe0,
	N_TYPE = 0x0e,
	N_SECT = 0x0e,
	N_GSYM = 0x20,
	N_FUN = 0x24,
	N_STSYM = 0x26,
	N_SO = 0x64,
	N_OSO = 0x66,
};

static int by_address(const void *a, const void *b)
{
	const struct debug_map_function *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Behind the section of code that holds an address; 0: none does. */
static uint64_t code_end(const struct object_image *f, uint64_t address)
{
	for (size_t i = 0; i < f->n_sections; i++)
		if (f->sections[i].flags & SECTION_CODE && address >= f->sections[i].addr &&
		    address - f->sections[i].addr < f->sections[i].size)
			return f->sections[i].size > UINT64_MAX - f->sections[i].addr
				   ? UINT64_MAX
				   : f->sections[i].addr + f->sections[i].size;
	return 0;
}

/* Functions whose size is not said: hi 0. What is no code goes. */
static void end_functions(struct debug_map *m, const struct object_image *f)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct debug_map_function x = m->functions[i];
		uint64_t next = i + 1 < m->n ? m->functions[i + 1].lo : UINT64_MAX;

		if (!x.hi) {
			x.hi = code_end(f, x.lo);
			x.hi = x.hi > next ? next : x.hi;
		}
		if (x.hi)
			m->functions[n++] = x;
	}
	m->n = n;
}

/* Sorted; of several at one address the first one stays. */
static void tidy(struct debug_map *m, const struct object_image *f)
{
	size_t n = 0;

	sort_stable(m->functions, m->n, sizeof *m->functions, by_address);
	for (size_t i = 0; i < m->n; i++)
		if (!n || m->functions[i].lo != m->functions[n - 1].lo)
			m->functions[n++] = m->functions[i];
	m->n = n;
	end_functions(m, f);
}

/* A record of the symbol table. */
struct stab {
	const char *name;
	uint64_t value;
	uint8_t type;
};

static bool next_stab(struct cursor *c, bool wide, const struct debug_map *m, uint64_t n_names,
		      struct stab *s)
{
	uint32_t at;

	if (cursor_done(c) || cursor_failed(c))
		return false;
	at = cursor_u32(c);
	s->type = cursor_u8(c);
	cursor_skip(c, 3, "symbol");
	s->value = wide ? cursor_u64(c) : cursor_u32(c);
	s->name = at < n_names ? m->names + at : "";
	return !cursor_failed(c);
}

/* Addresses that an N_GSYM leaves to the symbol of its name; those of names that have none stay 0. */
static void read_addresses(struct debug_map *m, struct cursor *c, bool wide, uint64_t n_names)
{
	struct map64 of = {.n = 0};
	struct stab s;

	for (size_t i = 0; i < m->n; i++)
		if (!m->functions[i].lo && !m->functions[i].sized)
			*map64_put(&of, hash_bytes(m->functions[i].name,
						   strlen(m->functions[i].name))) = (uint32_t)i + 1;
	while (of.n && next_stab(c, wide, m, n_names, &s)) {
		const char *name = s.name + (*s.name == '_');
		uint32_t i = s.type & N_STAB || (s.type & N_TYPE) != N_SECT
				 ? 0
				 : map64_get(&of, hash_bytes(name, strlen(name)));

		if (i && !m->functions[i - 1].lo && !strcmp(m->functions[i - 1].name, name))
			m->functions[i - 1].lo = s.value;
	}
	map64_release(&of);
}

static void read_stabs(struct debug_map *m, struct cursor *c, bool wide, uint64_t n_names)
{
	struct debug_map_function f = {.name = NULL};
	const char *folder = "", *source = "";
	bool within = false;
	struct stab s;

	while (next_stab(c, wide, m, n_names, &s)) {
		const uint8_t type = s.type;
		const uint64_t value = s.value;
		const char *name = s.name;

		if (type == N_OSO) {
			within = *name;
			if (within)
				VEC_PUSH(m->files, m->n_files, m->cap_files) =
				    (struct debug_map_file){name, value, folder, source};
		} else if (type == N_SO && !*name) {
			within = false;
			folder = source = "";
		} else if (type == N_SO) {
			folder = source;
			source = name;
		} else if (type == N_FUN && *name) {
			f = (struct debug_map_function){value, value, name + (*name == '_'), 0,
							true};
		} else if (type == N_FUN && within && f.name && value <= UINT64_MAX - f.lo) {
			f.hi = f.lo + value;
			f.file = (uint32_t)m->n_files - 1;
			VEC_PUSH(m->functions, m->n, m->cap) = f;
			f.name = NULL;
		} else if ((type == N_GSYM || type == N_STSYM) && *name && within) {
			VEC_PUSH(m->functions, m->n, m->cap) = (struct debug_map_function){
			    value, 0, name + (*name == '_'), (uint32_t)m->n_files - 1, false};
		}
	}
}

static void sort_by_file(struct debug_map *m)
{
	if (m->n > UINT32_MAX)
		return;
	m->by_file = mem_array(m->n, sizeof *m->by_file);
	for (size_t i = 0; i < m->n; i++)
		m->by_file[i] = (struct sort_item){m->functions[i].file, (uint32_t)i};
	sort_radix(m->by_file, m->n);
}

void debug_map_find(struct object *o)
{
	const struct object_image *f = &o->file;
	const struct section_header table = {.name = "symbols",
					     .kind = SECTION_SYMBOLS,
					     .offset = f->symtab.offset,
					     .size = f->symtab.n * (f->is_64 ? 16 : 12)};
	const struct section_header strings = {.name = "names",
					       .kind = SECTION_STRINGS,
					       .offset = f->symtab.names,
					       .size = f->symtab.n_names};
	struct debug_map *m = mem_zalloc(sizeof *m);
	struct err ignored = ERR_INIT;
	uint8_t *bytes = NULL, *names = NULL;
	uint64_t size, n_names;
	struct cursor c;

	/* the symbol table itself is missed by who reads it next */
	if (!section_read(f, &table, &bytes, &size, &ignored) &&
	    !section_read(f, &strings, &names, &n_names, &ignored)) {
		m->names = (char *)names;
		cursor_init(&c, bytes, (size_t)size, table.offset, &ignored);
		c.big_endian = f->big_endian;
		read_stabs(m, &c, f->is_64, n_names);
		cursor_init(&c, bytes, (size_t)size, table.offset, &ignored);
		c.big_endian = f->big_endian;
		read_addresses(m, &c, f->is_64, n_names);
		tidy(m, f);
		sort_by_file(m);
	}
	mem_budget_free(bytes);
	debug_map_free(o->map);
	o->map = m;
	if (!m->n) {
		debug_map_free(m);
		o->map = NULL;
	}
}

void debug_map_free(struct debug_map *m)
{
	if (!m)
		return;
	free(m->files);
	free(m->functions);
	free(m->by_file);
	mem_budget_free((uint8_t *)m->names);
	free(m);
}

const struct debug_map *object_debug_map(const struct object *o)
{
	return o->map;
}

bool object_has_debug_map(const struct object *o)
{
	return o->map;
}
