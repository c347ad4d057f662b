/* SPDX-License-Identifier: MIT
 *
 * Relocatable ELF files: a place for each section, and the relocations that debug sections need.
 *
 * Facts: the gABI's "Relocation"; the parts of r_info of MIPS and SPARC of 64 bits are those of
 * their processor supplements. A relocation that reloc_type.c does not have is, on a debug section,
 * an error that says so.
 */
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/object/elf.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* Of a debug file that was split off, code has a size and no bytes. */
static bool has_code(const struct object_image *f, const struct section_header *s)
{
	if (!(s->flags & SECTION_LOADED) || !(s->flags & SECTION_CODE) || !s->size)
		return false;
	if (s->kind == SECTION_ZEROES)
		return s->size <= INT32_MAX;
	return s->kind == SECTION_BYTES && s->offset <= f->size && s->size <= f->size - s->offset;
}

void reloc_lay_out(struct object_image *f)
{
	const uint64_t last = f->is_64 ? INT64_MAX : UINT32_MAX;
	struct section_header *first = NULL;
	uint64_t at = 1;
	size_t cap = 0;

	free(f->segments);
	f->segments = NULL;
	f->n_segments = 0;
	for (size_t i = 0; i < f->n_sections; i++) {
		struct section_header *s = &f->sections[i];

		s->addr = 0;
		if (!has_code(f, s))
			continue;
		if (!first)
			first = s;
		at = s->size > at ? s->size : at;
	}
	at = (at + PAGE - 1) & -(uint64_t)PAGE;
	f->flat = at;
	for (size_t i = 0; i < f->n_sections; i++) {
		struct section_header *s = &f->sections[i];

		/* what lies about its size gets no place */
		if (!(s->flags & SECTION_LOADED) || s->size > last - at - 2 * PAGE)
			continue;
		if (s != first) {
			s->addr = at;
			at = (at + s->size + PAGE) & -(uint64_t)PAGE;
		}
		if (has_code(f, s))
			VEC_PUSH(f->segments, f->n_segments, cap) = (struct object_segment){
			    .vaddr = s->addr,
			    .offset = s->offset,
			    .filesz = s->kind == SECTION_ZEROES ? 0 : s->size,
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
	const struct object_image *f = &o->file;

	if (address >= f->flat)
		return address;
	for (size_t i = 0; i < f->n_segments; i++)
		if (address < f->segments[i].memsz)
			return f->segments[i].vaddr + address;
	return address;
}

struct relocating {
	const struct object_image *f;
	const struct section_header *s; /* that is relocated */
	uint8_t *data, *symbols;
	uint64_t size, n_symbols; /* bytes */
};

/* Where a symbol is; what is undefined is at 0. */
static enum status reloc_symbol_value(const struct relocating *r, uint64_t number, uint64_t *value,
				      struct err *e)
{
	const struct object_image *f = r->f;
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
	if (f->arch == ARCH_ARM && ELF32_ST_TYPE(info) == STT_FUNC)
		*value &= ~UINT64_C(1); /* Thumb; a linker leaves it out of DWARF, too */
	if (section < f->n_sections)
		*value += f->sections[section].addr;
	return ST_OK;
}

static uint64_t load(const struct object_image *f, const uint8_t *p, size_t n)
{
	return bytes_number(p, n, f->big_endian);
}

static void store(const struct object_image *f, uint8_t *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * (f->big_endian ? n - 1 - i : i));
}

/* A ULEB128 number of the section from at on. Length 0: it does not end there. */
static size_t uleb_at(const struct relocating *r, uint64_t at, uint64_t *value)
{
	enum { LONGEST = 10 };

	*value = 0;
	for (size_t n = 0; n < LONGEST && at + n < r->size; n++) {
		*value |= n * 7 < 64 ? (uint64_t)(r->data[at + n] & 0x7f) << n * 7 : 0;
		if (!(r->data[at + n] & 0x80))
			return n + 1;
	}
	return 0;
}

static void store_uleb(uint8_t *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)((i * 7 < 64 ? v >> i * 7 & 0x7f : 0) | (i + 1 < n ? 0x80 : 0));
}

/* One entry of a table of relocations. */
struct entry {
	uint64_t at, symbol, addend;
	uint32_t type;
	bool in_place; /* the addend is what is there */
};

static uint64_t changed(enum reloc_op op, uint64_t old, uint64_t value, uint64_t place)
{
	switch (op) {
	case RELOC_RELATIVE: return value - place;
	case RELOC_ADD:
	case RELOC_ADD_ULEB: return old + value;
	case RELOC_SUB:
	case RELOC_SUB_ULEB: return old - value;
	case RELOC_SET_6: return (old & ~UINT64_C(0x3f)) | (value & 0x3f);
	case RELOC_ADD_6: return (old & ~UINT64_C(0x3f)) | ((old + value) & 0x3f);
	case RELOC_SUB_6: return (old & ~UINT64_C(0x3f)) | ((old - value) & 0x3f);
	default: return value;
	}
}

static enum status reloc_apply_one(const struct relocating *r, const struct entry *n,
				   const struct reloc_type *type, struct err *e)
{
	const struct object_image *f = r->f;
	uint64_t value = 0, old = 0;
	size_t length;
	bool uleb;

	if (!type)
		return err_at(e, ST_UNSUPPORTED, r->s->offset,
			      "section %s: unknown relocation type %" PRIu32 " for machine %u",
			      r->s->name, n->type, f->machine);
	if (type->op == RELOC_NOTHING)
		return ST_OK;
	if (n->at > r->size || type->size > r->size - n->at)
		return err_at(e, ST_BAD, r->s->offset,
			      "section %s: a relocation at byte %" PRIu64 " of %" PRIu64,
			      r->s->name, n->at, r->size);
	uleb = type->op >= RELOC_SET_ULEB;
	length = uleb ? uleb_at(r, n->at, &old) : type->size;
	if (!length)
		return err_at(e, ST_BAD, r->s->offset,
			      "section %s: no ULEB128 number to relocate at byte %" PRIu64,
			      r->s->name, n->at);
	if (reloc_symbol_value(r, n->symbol, &value, e))
		return err_failure(e);
	if (!uleb)
		old = load(f, r->data + n->at, length);
	value = changed(type->op, old, value + (n->in_place ? old : n->addend), r->s->addr + n->at);
	if (uleb)
		store_uleb(r->data + n->at, length, value);
	else
		store(f, r->data + n->at, length, value);
	return ST_OK;
}

/* r_info of 64 bits: symbol and type, but of SPARC the type is its low byte, and of MIPS there are
 * three types and a second symbol, each a byte, in this order in the file. */
static void split_info(const struct object_image *f, uint64_t info, struct entry *n)
{
	if (!f->is_64) {
		n->symbol = info >> 8;
		n->type = (uint8_t)info;
	} else if (f->machine == EM_MIPS && !f->big_endian) {
		n->symbol = (uint32_t)info;
		n->type = (uint32_t)(info >> 56 | (info >> 40 & 0xff00) | (info >> 24 & 0xff0000) |
				     (info >> 8 & 0xff000000));
	} else {
		n->symbol = info >> 32;
		n->type = f->machine == EM_SPARCV9 ? (uint8_t)info : (uint32_t)info;
	}
}

static enum status reloc_apply_all(const struct relocating *r, const struct section_header *table,
				   const uint8_t *bytes, uint64_t n, struct err *e)
{
	const bool wide = r->f->is_64, addends = table->kind == SECTION_RELOCATIONS_ADDEND;
	const uint64_t each = (addends ? 3 : 2) * (wide ? 8 : 4);
	enum { SEEN = 256 }; /* there may be millions of a few types */
	const struct reloc_type *seen[SEEN] = {NULL};
	enum status st = ST_OK;
	struct cursor c;

	cursor_init(&c, bytes, (size_t)(n - n % each), table->offset, e);
	c.big_endian = r->f->big_endian;
	while (!st && !cursor_done(&c)) {
		struct entry next = {.in_place = !addends};
		const struct reloc_type *type;

		next.at = wide ? cursor_u64(&c) : cursor_u32(&c);
		split_info(r->f, wide ? cursor_u64(&c) : cursor_u32(&c), &next);
		next.addend = !addends ? 0 : wide ? cursor_u64(&c) : cursor_u32(&c);
		type = next.type < SEEN ? seen[next.type] : NULL;
		if (!type)
			type = reloc_type_find(r->f, next.type);
		if (next.type < SEEN)
			seen[next.type] = type;
		st = reloc_apply_one(r, &next, type, e);
	}
	return st;
}

/* Of what is loaded only unwind tables and 64-bit PowerPC's descriptors are read as contents. */
static bool is_wanted(const struct section_header *s)
{
	return s->size && s->kind != SECTION_RELOCATIONS && s->kind != SECTION_RELOCATIONS_ADDEND &&
	       s->kind != SECTION_SYMBOLS && s->kind != SECTION_STRINGS &&
	       (!(s->flags & SECTION_LOADED) || !strcmp(s->name, ".eh_frame") ||
		!strcmp(s->name, ".opd"));
}

enum status reloc_apply(const struct object_image *f, const struct section_header *s, uint8_t *data,
			uint64_t size, struct err *e)
{
	const size_t number = (size_t)(s - f->sections);
	enum status st = ST_OK;

	if (!is_wanted(s))
		return ST_OK;
	for (size_t i = 0; !st && i < f->n_sections; i++) {
		const struct section_header *t = &f->sections[i];
		struct relocating r = {.f = f, .s = s, .data = data, .size = size};
		uint8_t *bytes = NULL;
		uint64_t n;

		if ((t->kind != SECTION_RELOCATIONS && t->kind != SECTION_RELOCATIONS_ADDEND) ||
		    t->info != number || !t->size)
			continue;
		if (t->link >= f->n_sections || f->sections[t->link].kind != SECTION_SYMBOLS)
			return err_at(e, ST_BAD, t->offset,
				      "section %s: relocations without a symbol table", s->name);
		st = section_read(f, t, &bytes, &n, e);
		if (!st)
			st = section_read(f, &f->sections[t->link], &r.symbols, &r.n_symbols, e);
		if (!st)
			st = reloc_apply_all(&r, t, bytes, n, e);
		mem_budget_free(bytes);
		mem_budget_free(r.symbols);
	}
	return st;
}
