/* SPDX-License-Identifier: MIT
 *
 * The symbols of ELF files: of code those of .symtab (the object's, else its debug file's), else of
 * .gnu_debugdata and .dynsym; and both tables as linkers see them.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pages.h"
#include "lib/object/descriptors.h"
#include "lib/object/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t info, other;
};

static inline struct raw_symbol next_symbol(struct cursor *c, bool is_64) /* Elf64_Sym, Elf32_Sym */
{
	struct raw_symbol s = {.name = cursor_u32(c)};

	if (!is_64) {
		s.value = cursor_u32(c);
		s.size = cursor_u32(c);
	}
	s.info = cursor_u8(c);
	s.other = cursor_u8(c);
	s.section = cursor_u16(c);
	if (is_64) {
		s.value = cursor_u64(c);
		s.size = cursor_u64(c);
	}
	return s;
}

/* Mapping symbols, which say what follows: $x, $d.12; on RISC-V $x may name the instructions, $xrv64i2p1_m2p0
 * (its ELF psABI, "Mapping Symbol"; ELF for the Arm Architecture and for AArch64, the same). */
static bool is_mapping(const char *name, uint32_t arch)
{
	const char *kinds = arch == ARCH_ARM     ? "atd"
			    : arch == ARCH_ARM64 ? "xd"
			    : arch == ARCH_RISCV ? "xd"
			    : arch == ARCH_CSKY  ? "td"
						 : "";

	if (name[0] != '$' || !name[1] || !strchr(kinds, name[1]))
		return false;
	return !name[2] || name[2] == '.' || (arch == ARCH_RISCV && !strncmp(name, "$xrv", 4));
}

/* And the marks that compilers leave in the code: GCC 2's, and those of the annobin plugin. */
static bool is_mark(const char *name, uint32_t arch)
{
	return is_mapping(name, arch) || !strncmp(name, ".annobin_", 9) ||
	       !strcmp(name, "gcc2_compiled.");
}

/* Lower is better among symbols of one address. */
static unsigned rank(uint8_t info)
{
	unsigned binding = ELF64_ST_BIND(info), type = ELF64_ST_TYPE(info);
	unsigned kind = type == STT_NOTYPE ? 2 : type == STT_OBJECT;

	return kind * 4 + (binding == STB_LOCAL ? 2 : binding == STB_WEAK ? 1 : 0);
}

/* The section with these flags that holds s, which f has shift bytes lower; *end is where it ends. "_edata" is behind the
 * last byte of its section.
 */
static bool section_end(const struct object_image *f, const struct object *o,
			const struct raw_symbol *s, unsigned flags, uint64_t shift, uint64_t *end)
{
	const struct section_header *t;
	uint64_t addr;

	*end = UINT64_MAX;
	if (s->section == SHN_UNDEF)
		return false;
	if (s->section >= SHN_LORESERVE || s->section >= f->n_sections)
		return s->section == SHN_XINDEX && object_is_code(o, s->value);
	t = &f->sections[s->section];
	addr = t->addr + shift;
	if (!(t->flags & flags) || s->value < addr ||
	    s->value - addr >= t->size + (flags != SECTION_CODE))
		return false;
	if (t->size <= UINT64_MAX - addr)
		*end = addr + t->size;
	return true;
}

static const struct section_header *find_table(const struct object_image *f,
					       enum object_section_kind kind)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		if (f->sections[i].kind == kind && f->sections[i].size)
			return &f->sections[i];
	}
	return NULL;
}

static void elf_add_symbols(struct symtab *s, struct symtab_loading *l, const struct object *o,
			    const struct object_image *f, struct cursor *c, const char *names,
			    uint64_t n_names)
{
	const uint64_t shift = f == &o->debug ? object_debug_shift(o) : 0;
	const char *file = NULL;
	uint32_t index = 0;
	struct descriptors d;

	descriptors_find(&d, &o->file);
	for (; !cursor_done(c) && s->n < SYMBOL_NONE - 1; index++) {
		struct raw_symbol r = next_symbol(c, f->is_64);
		unsigned type = ELF64_ST_TYPE(r.info);
		const char *name = r.name < n_names ? names + r.name : "";
		uint64_t hi, end;

		if (type == STT_FILE)
			file = *name ? name : NULL;
		if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE &&
		    (type != STT_OBJECT || (!r.size && !l->data) || r.section >= SHN_LORESERVE))
			continue;
		if (!*name || is_mark(name, f->arch))
			continue;
		if (f->flat && r.section < f->n_sections)
			r.value += f->sections[r.section].addr;
		if (f->arch == ARCH_ARM && type != STT_NOTYPE)
			r.value &= ~UINT64_C(1);
		r.value += shift;
		if (descriptors_follow(&d, &r.value))
			r.section = SHN_XINDEX; /* the code's: none is wanted */
		if (!section_end(f, o, &r, l->data ? SECTION_LOADED : SECTION_CODE, shift, &end))
			continue;
		hi = r.size < end - r.value ? r.value + r.size : end;
		symtab_add(s, l,
			   (struct object_symbol){r.value, hi, name, r.size > 0,
						  !ELF64_ST_BIND(r.info), false, index,
						  ELF64_ST_BIND(r.info) ? NULL : file},
			   rank(r.info), end);
	}
	descriptors_release(&d);
}

/* f NULL, or without such a table: nothing is added. */
static void elf_add_table(struct symtab *s, struct symtab_loading *l, const struct object *o,
			  const struct object_image *f, enum object_section_kind kind)
{
	const struct section_header *table = f && f->path ? find_table(f, kind) : NULL;
	const uint64_t each = f && f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct err e = ERR_INIT;
	uint8_t *bytes, *names;
	uint64_t size, n_names;
	struct cursor c;

	if (!table || table->link >= f->n_sections)
		return;
	if (section_read(f, table, &bytes, &size, &e)) {
		symtab_leave_out(s, f, &e);
		return;
	}
	if (section_read(f, &f->sections[table->link], &names, &n_names, &e)) {
		symtab_leave_out(s, f, &e);
		mem_budget_free(bytes);
		return;
	}
	cursor_init(&c, bytes, (size_t)(size - size % each), table->offset, &e);
	c.big_endian = f->big_endian;
	if (!s->all) { /* most of them are code */
		s->all = pages_array(size / each + 1, sizeof *s->all);
		l->cap = (size_t)(size / each) + 1;
	}
	elf_add_symbols(s, l, o, f, &c, (char *)names, n_names);
	s->names[l->n_names++] = (char *)names;
	mem_budget_free(bytes);
}

static void forget_names(struct symtab *s, struct symtab_loading *l)
{
	mem_budget_free(s->names[0]);
	s->names[0] = NULL;
	l->n_names = 0;
}

void elf_symbols(struct symtab *s, struct object *o)
{
	struct symtab_loading l = {.cap = 0};
	struct err e = ERR_INIT;

	elf_add_table(s, &l, o, &o->file, SECTION_SYMBOLS);
	s->own = s->n;
	if (!s->n) {
		forget_names(s, &l);
		elf_add_table(s, &l, o, &o->debug, SECTION_SYMBOLS);
	}
	if (!s->n) {
		forget_names(s, &l);
		/* it has only what the dynamic symbols do not */
		elf_add_table(s, &l, o, minidebug_file(o, &e), SECTION_SYMBOLS);
		if (e.code)
			symtab_leave_out(s, NULL, &e);
		s->own = !s->n;
		elf_add_table(s, &l, o, &o->file, SECTION_DYNAMIC_SYMBOLS);
	}
	symtab_finish(s, &l);
}

void elf_own_symbols(struct symtab *s, struct object *o)
{
	struct symtab_loading l = {.cap = 0};

	/* .symtab is not there, or it would be the other one */
	elf_add_table(s, &l, o, &o->file, SECTION_DYNAMIC_SYMBOLS);
	symtab_finish(s, &l);
}

void elf_any_symbols(struct symtab *s, struct object *o)
{
	struct symtab_loading l = {.data = true};

	elf_add_table(s, &l, o, &o->file, SECTION_SYMBOLS);
	if (!s->n) {
		forget_names(s, &l);
		elf_add_table(s, &l, o, &o->file, SECTION_DYNAMIC_SYMBOLS);
	}
	symtab_finish(s, &l);
}

bool elf_each_linked(const struct object_image *f, bool dynamic, uint64_t *n,
		     void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	const uint64_t each = f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const enum object_section_kind kind = dynamic ? SECTION_DYNAMIC_SYMBOLS : SECTION_SYMBOLS;
	const struct section_header *table = f->sections;
	uint8_t *bytes = NULL, *names = NULL;
	uint64_t size = 0, n_names = 0;
	struct err e = ERR_INIT;
	struct cursor c;

	*n = 0;
	while (table < f->sections + f->n_sections && table->kind != kind)
		table++;
	if (table == f->sections + f->n_sections)
		return false;
	if (section_read(f, table, &bytes, &size, &e))
		return true;
	if (table->link < f->n_sections && section_has_bytes(&f->sections[table->link]) &&
	    section_read(f, &f->sections[table->link], &names, &n_names, &e))
		n_names = 0;
	*n = size / each;
	cursor_init(&c, bytes, (size_t)(*n * each), table->offset, &e);
	c.big_endian = f->big_endian;
	for (uint64_t i = 0; i < *n; i++) {
		struct raw_symbol r = next_symbol(&c, f->is_64);
		unsigned visibility = ELF64_ST_VISIBILITY(r.other);

		if (i)
			see(arg, &(struct object_linked){
				     .name = r.name < n_names ? (char *)names + r.name : "",
				     .value = r.value,
				     .undefined = r.section == SHN_UNDEF,
				     .exported = dynamic && ELF64_ST_BIND(r.info) != STB_LOCAL &&
						 (visibility == STV_DEFAULT ||
						  visibility == STV_PROTECTED)});
	}
	mem_budget_free(bytes);
	mem_budget_free(names);
	return true;
}
