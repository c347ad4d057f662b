/* SPDX-License-Identifier: MIT
 *
 * The symbol tables of the file itself, as the linker and the dynamic linker see them: what is
 * exported, imported and left over; and through which slots of the GOT imports are reached.
 */
#include "lib/base/allowance.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/inspect/inspect.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct raw_symbol {
	const char *name;
	uint64_t value;
	uint16_t section;
	uint8_t bind, visibility;
};

struct table {                 /* a symbol table with its strings */
	uint8_t *data, *names; /* names with a NUL behind them */
	uint64_t size, n_names;
	bool is_64, big_endian;
};

static bool table_load(struct table *t, const struct object *o, size_t section)
{
	struct object_section_info s = object_section_info(o, section);
	struct err e = ERR_INIT;

	*t = (struct table){.is_64 = object_is_64(o), .big_endian = object_is_big_endian(o)};
	if (object_section_read(o, section, &t->data, &t->size, &e))
		return false;
	if (s.link < object_section_count(o))
		object_section_read(o, s.link, &t->names, &t->n_names, &e);
	return true;
}

static void table_release(struct table *t)
{
	allowance_free(t->data);
	allowance_free(t->names);
}

static uint64_t table_count(const struct table *t)
{
	return t->size / (t->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

static struct raw_symbol inspect_symbols_table_at(const struct table *t, uint64_t i)
{
	size_t entry = t->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct raw_symbol s = {.name = ""};
	struct err e = ERR_INIT;
	struct cursor c;
	uint32_t name;
	uint8_t info;

	cursor_init(&c, t->data + i * entry, entry, 0, &e);
	c.big_endian = t->big_endian;
	name = cursor_u32(&c);
	if (!t->is_64) {
		s.value = cursor_u32(&c);
		cursor_u32(&c);
	}
	info = cursor_u8(&c);
	s.visibility = cursor_u8(&c) & 3;
	s.section = cursor_u16(&c);
	if (t->is_64)
		s.value = cursor_u64(&c);
	s.bind = info >> 4;
	if (t->names && name < t->n_names)
		s.name = (const char *)t->names + name;
	return s;
}

static enum role inspect_symbols_role_of(const char *name)
{
	static const struct {
		const char *name;
		enum role role;
	} known[] = {{"__cyg_profile_func_enter", ROLE_ENTER},
		     {"__cyg_profile_func_enter_bare", ROLE_ENTER},
		     {"_penter", ROLE_ENTER},
		     {"__penter", ROLE_ENTER},
		     {"__cyg_profile_func_exit", ROLE_EXIT},
		     {"_pexit", ROLE_EXIT},
		     {"__pexit", ROLE_EXIT},
		     {"mcount", ROLE_COUNT},
		     {"_mcount", ROLE_COUNT},
		     {"__fentry__", ROLE_COUNT},
		     {"__gnu_mcount_nc", ROLE_COUNT},
		     {"loli_set_allocandfree", ROLE_LOLI_ALLOC},
		     {"get_stack_backtrace", ROLE_LOLI_STACK},
		     {"set_loli_ignore_func", ROLE_LOLI_IGNORE}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return known[i].role;
	return ROLE_NONE;
}

static struct wrapped *wrap_of(struct inspect *x, const char *name)
{
	for (size_t i = 0; i < x->n_wraps; i++)
		if (!strcmp(x->wraps[i].name, name))
			return &x->wraps[i];
	VEC_PUSH(x->wraps, x->n_wraps, x->cap_wraps) =
	    (struct wrapped){.name = arena_strndup(&x->names, name, strlen(name))};
	return &x->wraps[x->n_wraps - 1];
}

static void add_wrap(struct inspect *x, const struct raw_symbol *s)
{
	enum { MANY = 64 }; /* a hostile table; no program wraps so many */
	bool wrapper = !strncmp(s->name, "__wrap_", 7);
	struct wrapped *w;

	if ((!wrapper && strncmp(s->name, "__real_", 7) != 0) || x->n_wraps >= MANY)
		return;
	w = wrap_of(x, s->name + 7);
	w->wrapper |= wrapper;
	w->real |= !wrapper;
	w->undefined |= s->section == SHN_UNDEF;
}

static void inspect_symbols_add(struct inspect *x, const struct raw_symbol *s, bool dynamic)
{
	enum role role = inspect_symbols_role_of(s->name);
	uint64_t thumb = object_machine(x->file.object) == EM_ARM ? 1 : 0;

	add_wrap(x, s);
	if (!role)
		return;
	if (s->section == SHN_UNDEF) {
		x->roles[role] |= ROLE_IMPORTED;
		return;
	}
	if (dynamic && s->bind != STB_LOCAL &&
	    (s->visibility == STV_DEFAULT || s->visibility == STV_PROTECTED))
		x->roles[role] |= ROLE_EXPORTED;
	else
		x->roles[role] |= ROLE_HIDDEN;
	if (s->value)
		*map64_put(&x->role_at, s->value & ~thumb) = role;
}

static void read_table(struct inspect *x, size_t section, bool dynamic)
{
	struct table t;

	if (!table_load(&t, x->file.object, section))
		return;
	*(dynamic ? &x->n_dynsym : &x->n_symtab) = table_count(&t);
	for (uint64_t i = 1; i < table_count(&t); i++) {
		struct raw_symbol s = inspect_symbols_table_at(&t, i);

		if (*s.name == '_' || *s.name == 'm' || *s.name == 'l' || *s.name == 'g' ||
		    *s.name == 's')
			inspect_symbols_add(x, &s, dynamic);
	}
	table_release(&t);
}

/* Slots that the dynamic linker fills with the address of something that has a role. */
static void inspect_symbols_take_imports(struct inspect *x)
{
	size_t n;
	const struct object_import *imports = object_imports(x->file.object, &n);

	for (size_t i = 0; i < n; i++) {
		enum role role = inspect_symbols_role_of(imports[i].name);

		if (role)
			*map64_put(&x->role_at, imports[i].slot) = role;
	}
}

void inspect_symbols(struct inspect *x)
{
	const struct object *o = x->file.object;

	if (object_kind(o) == OBJECT_MACH) {
		size_t n;

		object_symbols(x->file.object, &n);
		x->has_symtab = n;
		x->n_symtab = n;
		return;
	}
	for (size_t i = 1; i < object_section_count(o); i++) {
		struct object_section_info s = object_section_info(o, i);

		/* One of each, as the specification has it. */
		if (s.type == SHT_DYNSYM && !x->has_dynsym) {
			x->has_dynsym = true;
			read_table(x, i, true);
		} else if (s.type == SHT_SYMTAB && !x->has_symtab) {
			x->has_symtab = true;
			read_table(x, i, false);
		}
	}
	/* What both tables have is exported. */
	for (size_t i = 0; i < ROLES; i++)
		if (x->roles[i] & ROLE_EXPORTED)
			x->roles[i] &= (uint8_t)~ROLE_HIDDEN;
	inspect_symbols_take_imports(x);
}

bool inspect_is_thumb(const struct inspect *x, uint64_t addr)
{
	const struct object *o = x->file.object;
	bool is = false;

	for (size_t i = 1; object_machine(o) == EM_ARM && !is && i < object_section_count(o); i++) {
		uint32_t type = object_section_info(o, i).type;
		struct table t;

		if ((type != SHT_SYMTAB && type != SHT_DYNSYM) || !table_load(&t, o, i))
			continue;
		for (uint64_t k = 1; !is && k < table_count(&t); k++)
			is = inspect_symbols_table_at(&t, k).value == (addr | 1);
		table_release(&t);
	}
	return is;
}
