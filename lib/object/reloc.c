/* SPDX-License-Identifier: MIT
 *
 * Relocatable ELF files: a place for each section, and the relocations that debug sections need.
 *
 * Facts: the gABI's "Relocation" and the processor supplements of x86-64, i386, AArch64 (AAELF64)
 * and Arm (AAELF32); a relocation of another kind on a debug section is an error that says so.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/object/impl.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static bool has_code(const struct elf_section *s)
{
	return s->type == SHT_PROGBITS && s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR &&
	       s->size;
}

void reloc_lay_out(struct elf_file *f)
{
	const uint64_t last = f->is_64 ? INT64_MAX : UINT32_MAX;
	struct elf_section *first = NULL;
	uint64_t at = 1;
	size_t cap = 0;

	free(f->segments);
	f->segments = NULL;
	f->n_segments = 0;
	for (size_t i = 0; i < f->n_sections; i++) {
		struct elf_section *s = &f->sections[i];

		s->addr = 0;
		if (!has_code(s) || s->offset > f->size || s->size > f->size - s->offset)
			continue;
		if (!first)
			first = s;
		at = s->size > at ? s->size : at;
	}
	at = (at + PAGE - 1) & -(uint64_t)PAGE;
	f->flat = at;
	for (size_t i = 0; i < f->n_sections; i++) {
		struct elf_section *s = &f->sections[i];

		/* what lies about its size gets no place */
		if (!(s->flags & SHF_ALLOC) || s->size > last - at - 2 * PAGE)
			continue;
		if (s != first) {
			s->addr = at;
			at = (at + s->size + PAGE) & -(uint64_t)PAGE;
		}
		if (has_code(s) && s->offset <= f->size && s->size <= f->size - s->offset)
			VEC_PUSH(f->segments, f->n_segments, cap) =
			    (struct object_segment){.vaddr = s->addr,
						    .offset = s->offset,
						    .filesz = s->size,
						    .memsz = s->size,
						    .align = 1,
						    .executable = true};
	}
}

bool object_is_relocatable(const struct object *o)
{
	return o->file.flat;
}

uint64_t object_from_flat(const struct object *o, uint64_t address)
{
	const struct elf_file *f = &o->file;

	if (address >= f->flat)
		return address;
	for (size_t i = 0; i < f->n_segments; i++)
		if (address < f->segments[i].memsz)
			return f->segments[i].vaddr + address;
	return address;
}

/* What a relocation puts where. */
struct how {
	uint8_t size; /* 0: nothing at all */
	bool known, relative;
};

static struct how how_of(uint16_t machine, uint32_t type)
{
	static const struct row {
		uint16_t machine, type;
		struct how how;
	} rows[] = {
	    {EM_X86_64, R_X86_64_NONE, {0, true, false}},
	    {EM_X86_64, R_X86_64_64, {8, true, false}},
	    {EM_X86_64, R_X86_64_32, {4, true, false}},
	    {EM_X86_64, R_X86_64_32S, {4, true, false}},
	    {EM_X86_64, R_X86_64_PC32, {4, true, true}},
	    {EM_X86_64, R_X86_64_PC64, {8, true, true}},
	    {EM_X86_64, R_X86_64_DTPOFF32, {0, true, false}}, /* where a thread's variable is */
	    {EM_X86_64, R_X86_64_DTPOFF64, {0, true, false}},
	    {EM_386, R_386_NONE, {0, true, false}},
	    {EM_386, R_386_32, {4, true, false}},
	    {EM_386, R_386_PC32, {4, true, true}},
	    {EM_386, R_386_TLS_LDO_32, {0, true, false}},
	    {EM_AARCH64, R_AARCH64_NONE, {0, true, false}},
	    {EM_AARCH64, R_AARCH64_ABS64, {8, true, false}},
	    {EM_AARCH64, R_AARCH64_ABS32, {4, true, false}},
	    {EM_AARCH64, R_AARCH64_PREL32, {4, true, true}},
	    {EM_AARCH64, R_AARCH64_PREL64, {8, true, true}},
	    {EM_AARCH64, R_AARCH64_TLS_DTPREL, {0, true, false}},
	    {EM_ARM, R_ARM_NONE, {0, true, false}},
	    {EM_ARM, R_ARM_ABS32, {4, true, false}},
	    {EM_ARM, R_ARM_REL32, {4, true, true}},
	    {EM_ARM, R_ARM_TLS_LDO32, {0, true, false}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].machine == machine && rows[i].type == type)
			return rows[i].how;
	return (struct how){0};
}

struct relocating {
	const struct elf_file *f;
	const struct elf_section *s; /* that is relocated */
	uint8_t *data, *symbols;
	uint64_t size, n_symbols; /* bytes */
};

/* Where a symbol is; what is undefined is at 0. */
static enum status symbol_value(const struct relocating *r, uint64_t number, uint64_t *value,
				struct err *e)
{
	const struct elf_file *f = r->f;
	const uint64_t each = f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint8_t info;
	uint16_t section;
	struct cursor c;

	if (number >= r->n_symbols / each)
		return err_at(e, ST_BAD, r->s->offset, "section %s: relocated by symbol %" PRIu64,
			      r->s->name, number);
	cursor_init(&c, r->symbols + number * each, (size_t)each, 0, e);
	c.big_endian = f->big_endian;
	cursor_u32(&c);
	if (!f->is_64) {
		*value = cursor_u32(&c);
		cursor_u32(&c);
	}
	info = cursor_u8(&c);
	cursor_u8(&c);
	section = cursor_u16(&c);
	if (f->is_64)
		*value = cursor_u64(&c);
	if (f->machine == EM_ARM && ELF32_ST_TYPE(info) == STT_FUNC)
		*value &= ~UINT64_C(1); /* Thumb; a linker leaves it out of DWARF, too */
	if (section < f->n_sections)
		*value += f->sections[section].addr;
	return ST_OK;
}

static uint64_t load(const struct elf_file *f, const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (f->big_endian ? n - 1 - i : i);
	return v;
}

static void store(const struct elf_file *f, uint8_t *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * (f->big_endian ? n - 1 - i : i));
}

static enum status apply_one(const struct relocating *r, uint64_t at, uint64_t info,
			     uint64_t addend, bool in_place, struct err *e)
{
	const struct elf_file *f = r->f;
	uint32_t type = f->is_64 ? (uint32_t)info : (uint8_t)info;
	struct how how = how_of(f->machine, type);
	uint64_t value = 0;

	if (!how.known)
		return err_at(e, ST_UNSUPPORTED, r->s->offset,
			      "section %s: no relocation of type %" PRIu32
			      " is known of machine %u",
			      r->s->name, type, f->machine);
	if (!how.size)
		return ST_OK;
	if (at > r->size || how.size > r->size - at)
		return err_at(e, ST_BAD, r->s->offset,
			      "section %s: a relocation at byte %" PRIu64 " of %" PRIu64,
			      r->s->name, at, r->size);
	if (symbol_value(r, f->is_64 ? info >> 32 : info >> 8, &value, e))
		return e->code;
	if (in_place)
		addend = load(f, r->data + at, how.size);
	value += addend;
	if (how.relative)
		value -= r->s->addr + at;
	store(f, r->data + at, how.size, value);
	return ST_OK;
}

static enum status apply_all(const struct relocating *r, const struct elf_section *table,
			     const uint8_t *bytes, uint64_t n, struct err *e)
{
	const bool wide = r->f->is_64, addends = table->type == SHT_RELA;
	const uint64_t each = (addends ? 3 : 2) * (wide ? 8 : 4);
	enum status st = ST_OK;
	struct cursor c;

	cursor_init(&c, bytes, (size_t)(n - n % each), table->offset, e);
	c.big_endian = r->f->big_endian;
	while (!st && !cursor_done(&c)) {
		uint64_t at = wide ? cursor_u64(&c) : cursor_u32(&c);
		uint64_t info = wide ? cursor_u64(&c) : cursor_u32(&c);
		uint64_t addend = !addends ? 0 : wide ? cursor_u64(&c) : cursor_u32(&c);

		st = apply_one(r, at, info, addend, !addends, e);
	}
	return st;
}

/* Of what is loaded only unwind tables are read as contents. */
static bool is_wanted(const struct elf_section *s)
{
	return s->size && s->type != SHT_REL && s->type != SHT_RELA && s->type != SHT_SYMTAB &&
	       s->type != SHT_STRTAB && (!(s->flags & SHF_ALLOC) || !strcmp(s->name, ".eh_frame"));
}

enum status reloc_apply(const struct elf_file *f, const struct elf_section *s, uint8_t *data,
			uint64_t size, struct err *e)
{
	const size_t number = (size_t)(s - f->sections);
	enum status st = ST_OK;

	if (!is_wanted(s))
		return ST_OK;
	for (size_t i = 0; !st && i < f->n_sections; i++) {
		const struct elf_section *t = &f->sections[i];
		struct relocating r = {.f = f, .s = s, .data = data, .size = size};
		uint8_t *bytes = NULL;
		uint64_t n;

		if ((t->type != SHT_REL && t->type != SHT_RELA) || t->info != number || !t->size)
			continue;
		if (t->link >= f->n_sections || f->sections[t->link].type != SHT_SYMTAB)
			return err_at(e, ST_BAD, t->offset,
				      "section %s: relocations without a symbol table", s->name);
		st = section_read(f, t, &bytes, &n, e);
		if (!st)
			st = section_read(f, &f->sections[t->link], &r.symbols, &r.n_symbols, e);
		if (!st)
			st = apply_all(&r, t, bytes, n, e);
		free(bytes);
		free(r.symbols);
	}
	return st;
}
