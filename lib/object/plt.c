/* SPDX-License-Identifier: MIT
 *
 * The slots of the GOT that the dynamic linker fills, and the stubs of the PLT that jump through them: as
 * GNU ld, gold, lld and mold write them (System V psABI of each processor). A stub is named by its slot, not by its
 * place, and as GNU objdump names it.
 */
#include "lib/base/arena.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/object/elf.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object_stubs {
	uint8_t *strings;   /* names of imports */
	struct arena names; /* of stubs */
	uint64_t room; /* bytes that those may still take: many stubs could claim one long name */
	struct object_import *imports; /* by slot */
	size_t n_imports, cap_imports;
	struct object_symbol *all; /* by lo, not overlapping */
	size_t n, cap;
};

/* Stubs. */

static uint64_t got(const struct object_image *f)
{
	const struct section_header *s = image_section(f, ".got.plt");

	if (!s)
		s = image_section(f, ".got");
	return s ? s->addr : 0;
}

/* [endbr] [mov number, %r11d] [bnd] jmp *slot; in PIC of 32 bits relative to the GOT, which %ebx holds. */
static bool x86_slot(const struct object_image *f, uint64_t addr, const uint8_t *p, uint64_t n,
		     uint64_t *slot)
{
	uint64_t at = 0;

	if (n >= 4 && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && (p[3] & 0xfe) == 0xfa)
		at = 4;
	if (n >= at + 6 && p[at] == 0x41 && p[at + 1] == 0xbb)
		at += 6;
	at += at < n && p[at] == 0xf2;
	if (n < 6 || at > n - 6 || p[at] != 0xff || (p[at + 1] != 0x25 && p[at + 1] != 0xa3))
		return false;
	*slot = le32(p + at + 2);
	if (p[at + 1] == 0xa3)
		*slot = (uint32_t)(got(f) + *slot);
	else if (f->arch == ARCH_X86_64)
		*slot = addr + at + 6 + (uint64_t)(int64_t)(int32_t)*slot;
	return true;
}

/* [bti c] adrp x16, page; ldr x17 (in PE files x16), [x16, offset] */
static bool arm64_slot(uint64_t addr, const uint8_t *p, uint64_t n, uint64_t *slot)
{
	uint32_t adrp, ldr;
	uint64_t at = n >= 4 && le32(p) == 0xd503245f ? 4 : 0, page;

	if (n < at + 8)
		return false;
	adrp = le32(p + at);
	ldr = le32(p + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003fe) != 0xf9400210)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	page = (page ^ 1 << 20) - (1 << 20);
	*slot = ((addr + at) & ~UINT64_C(0xfff)) + (page << 12) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

static uint32_t arm_immediate(uint32_t w)
{
	unsigned turn = (w >> 8 & 15) * 2;
	uint32_t v = w & 0xff;

	return turn ? v >> turn | v << (32 - turn) : v;
}

/* [bx pc; nop] add ip, pc, #a; add ip, ip, #b; ldr pc, [ip, #c]! */
static bool arm_slot(uint64_t addr, const uint8_t *p, uint64_t n, uint64_t *slot)
{
	uint64_t at = n >= 4 && (le32(p) == 0x46c04778 || le32(p) == 0xe7fd4778) ? 4 : 0, sum;

	if (n < at + 12 || le32(p + at) >> 12 != 0xe28fc)
		return false;
	sum = addr + at + 8 + arm_immediate(le32(p + at));
	for (at += 4; n >= at + 4 && le32(p + at) >> 12 == 0xe28cc; at += 4)
		sum += arm_immediate(le32(p + at));
	if (n < at + 4 || (le32(p + at) >> 12 != 0xe5bcf && le32(p + at) >> 12 != 0xe59cf))
		return false;
	*slot = (uint32_t)(sum + (le32(p + at) & 0xfff));
	return true;
}

/* auipc t3, page; ld or lw t3, offset(t3); jalr t1, t3 */
static bool riscv_slot(const struct object_image *f, uint64_t addr, const uint8_t *p, uint64_t n,
		       uint64_t *slot)
{
	const uint32_t load = f->is_64 ? 0xe3e03 : 0xe2e03;
	int64_t page, offset;

	if (n < 12 || (le32(p) & 0xfff) != 0xe17 || (le32(p + 4) & 0xfffff) != load ||
	    le32(p + 8) != 0x000e0367)
		return false;
	page = (int32_t)(le32(p) & 0xfffff000);
	offset = (int64_t)((le32(p + 4) >> 20) ^ 0x800) - 0x800;
	*slot = addr + (uint64_t)page + (uint64_t)offset;
	if (!f->is_64)
		*slot = (uint32_t)*slot;
	return true;
}

static bool slot_of(const struct object_image *f, uint64_t addr, const uint8_t *p, uint64_t n,
		    uint64_t *slot)
{
	switch (f->arch) {
	case ARCH_X86:
	case ARCH_X86_64: return x86_slot(f, addr, p, n, slot);
	case ARCH_ARM64: return arm64_slot(addr, p, n, slot);
	case ARCH_ARM: return arm_slot(addr, p, n, slot);
	case ARCH_RISCV: return riscv_slot(f, addr, p, n, slot);
	default: return false;
	}
}

bool object_plt_slot(struct object *o, uint64_t addr, uint64_t *slot)
{
	size_t n, at;
	const struct object_code_part *parts = object_code(o, &n), *p;

	at = BISECT(i, 0, n, parts[i].lo <= addr);
	p = at ? &parts[at - 1] : NULL;
	return p && addr - p->lo < p->size &&
	       slot_of(&o->file, addr, p->data + (addr - p->lo), p->size - (addr - p->lo), slot);
}

/* Imports. */

struct dynamic_symbols {
	uint8_t *data, *names; /* names with a NUL behind them; or NULL */
	uint64_t size, n_names;
};

static void dynamic_symbols_load(struct dynamic_symbols *d, const struct object_image *f,
				 const struct section_header *s)
{
	struct err e = ERR_INIT;

	*d = (struct dynamic_symbols){.size = 0};
	if (!s || section_read(f, s, &d->data, &d->size, &e))
		d->size = 0;
	if (s && s->link < f->n_sections &&
	    section_read(f, &f->sections[s->link], &d->names, &d->n_names, &e))
		d->n_names = 0;
}

static const char *dynamic_symbols_name(const struct dynamic_symbols *d,
					const struct object_image *f, uint64_t i)
{
	const size_t entry = f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const uint8_t *p;
	uint32_t name;

	if (!i || i >= d->size / entry)
		return "";
	p = d->data + i * entry;
	name = f->big_endian ? be32(p) : le32(p);
	return name < d->n_names ? (const char *)d->names + name : "";
}

/* What a relocation fills its slot with: an address that a function of the program returns. */
static bool is_chosen_at_start(enum object_arch arch, uint64_t type)
{
	return (arch == ARCH_X86_64 && type == R_X86_64_IRELATIVE) ||
	       (arch == ARCH_X86 && type == R_386_IRELATIVE) ||
	       (arch == ARCH_ARM64 && type == R_AARCH64_IRELATIVE) ||
	       (arch == ARCH_ARM && type == R_ARM_IRELATIVE) ||
	       (arch == ARCH_RISCV && type == R_RISCV_IRELATIVE);
}

static void stubs_read_relocations(struct object_stubs *t, const struct object_image *f,
				   const struct section_header *s, const struct dynamic_symbols *d)
{
	const size_t word = f->is_64 ? 8 : 4,
		     entry = word * (s->kind == SECTION_RELOCATIONS_ADDEND ? 3 : 2);
	struct err e = ERR_INIT;
	struct cursor c;
	uint8_t *data;
	uint64_t size;

	if (section_read(f, s, &data, &size, &e))
		return;
	cursor_init(&c, data, (size_t)(size / entry * entry), 0, &e);
	c.big_endian = f->big_endian;
	while (!cursor_done(&c)) {
		uint64_t slot = word == 8 ? cursor_u64(&c) : cursor_u32(&c);
		uint64_t info = word == 8 ? cursor_u64(&c) : cursor_u32(&c);
		uint64_t addend = s->kind != SECTION_RELOCATIONS_ADDEND ? 0
				  : word == 8                           ? cursor_u64(&c)
									: cursor_u32(&c);
		uint64_t type = word == 8 ? info & UINT32_MAX : info & 0xff;
		const char *name = dynamic_symbols_name(d, f, word == 8 ? info >> 32 : info >> 8);

		if (!*name && is_chosen_at_start((enum object_arch)f->arch, type))
			name = "*ABS*";
		if (*name)
			VEC_PUSH(t->imports, t->n_imports, t->cap_imports) =
			    (struct object_import){.slot = slot, .name = name, .addend = addend};
	}
	mem_budget_free(data);
}

static int by_slot(const void *a, const void *b)
{
	const struct object_import *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

static void stubs_load_imports(struct object_stubs *t, const struct object_image *f)
{
	size_t many = 16; /* more relocation sections than any linker makes */
	const struct section_header *symbols = NULL;
	struct dynamic_symbols d;

	for (size_t i = 0; i < f->n_sections && !symbols; i++)
		if (f->sections[i].kind == SECTION_DYNAMIC_SYMBOLS)
			symbols = &f->sections[i];
	dynamic_symbols_load(&d, f, symbols);
	for (size_t i = 0; i < f->n_sections && many; i++) {
		const struct section_header *s = &f->sections[i];

		/* A program that is linked statically has no such symbols, and link is 0 or its others'. */
		if ((s->kind != SECTION_RELOCATIONS_ADDEND && s->kind != SECTION_RELOCATIONS) ||
		    !(s->flags & SECTION_LOADED) ||
		    (symbols && s->link && &f->sections[s->link] != symbols))
			continue;
		stubs_read_relocations(t, f, s, &d);
		many--;
	}
	mem_budget_free(d.data);
	t->strings = d.names;
	t->room = 4 * d.n_names + 32 * t->n_imports;
	if (t->n_imports)
		sort_array(t->imports, t->n_imports, sizeof *t->imports, by_slot);
}

/* Sections. */

static const struct object_import *import_at(const struct object_stubs *t, uint64_t slot)
{
	size_t at = BISECT(i, 0, t->n_imports, t->imports[i].slot < slot);

	return at < t->n_imports && t->imports[at].slot == slot ? &t->imports[at] : NULL;
}

/* NULL: no more room. */
static const char *stub_name(struct object_stubs *t, const struct object_import *from)
{
	size_t room = strlen(from->name) + sizeof "+0x0123456789abcdef@plt";
	char *name;

	if (room > t->room)
		return NULL;
	t->room -= room;
	name = arena_alloc(&t->names, room);
	if (from->addend)
		snprintf(name, room, "%s+0x%" PRIx64 "@plt", from->name, from->addend);
	else
		snprintf(name, room, "%s@plt", from->name);
	return name;
}

static void stubs_add_part(struct object_stubs *t, const struct object_image *f,
			   const struct object_code_part *p)
{
	const bool x86 = f->arch == ARCH_X86 || f->arch == ARCH_X86_64;
	const unsigned step = x86 ? 8 : 4, largest = x86 ? 16 : 32;
	struct object_symbol *last = NULL;

	for (uint64_t from = 0; from < p->size; from += step) {
		uint64_t lo = p->lo + from, left = p->size - from, slot;
		const struct object_import *import;
		const char *name;

		if (!slot_of(f, lo, p->data + from, left, &slot) || !(import = import_at(t, slot)))
			continue;
		if (last && lo - last->lo == step && !x86)
			continue; /* behind its bti or bx */
		if (last && last->hi > lo)
			last->hi = lo;
		name = stub_name(t, import);
		if (!name)
			return;
		VEC_PUSH(t->all, t->n, t->cap) = (struct object_symbol){
		    .lo = lo,
		    .hi = lo + (left > largest ? largest : left),
		    .name = name,
		    .sized = true,
		};
		last = &t->all[t->n - 1];
	}
}

/* Parts of code are sections, where there are any, sorted and apart. */
static struct object_stubs *stubs_load(const struct object_image *f,
				       const struct object_code_part *parts, size_t n)
{
	struct object_stubs *t = mem_zalloc(sizeof *t);
	bool *is_plt = mem_zarray(n, sizeof *is_plt);

	for (size_t k = 0; k < f->n_sections; k++) {
		const struct section_header *s = &f->sections[k];
		size_t at;

		if (strncmp(s->name, ".plt", 4) != 0 && strcmp(s->name, ".iplt") != 0)
			continue;
		at = BISECT(i, 0, n, parts[i].lo < s->addr);
		if (at < n && parts[at].lo == s->addr && parts[at].size == s->size)
			is_plt[at] = true;
	}
	stubs_load_imports(t, f);
	for (size_t i = 0; i < n && t->n_imports; i++)
		if (is_plt[i])
			stubs_add_part(t, f, &parts[i]);
	free(is_plt);
	return t;
}

static const struct object_stubs *stubs_of(struct object *o)
{
	struct object_stubs *t = atomic_load_explicit(&o->stubs, memory_order_acquire);
	const struct object_code_part *parts;
	size_t n;

	if (t)
		return t;
	parts = object_code(o, &n);
	pthread_mutex_lock(&o->lock);
	t = atomic_load_explicit(&o->stubs, memory_order_acquire);
	if (!t) {
		t = stubs_load(&o->file, parts, n);
		atomic_store_explicit(&o->stubs, t, memory_order_release);
	}
	pthread_mutex_unlock(&o->lock);
	return t;
}

const struct object_import *object_imports(struct object *o, size_t *n)
{
	const struct object_stubs *t = stubs_of(o);

	*n = t->n_imports;
	return t->imports;
}

const struct object_symbol *object_stub_at(struct object *o, uint64_t vaddr)
{
	const struct object_stubs *t = stubs_of(o);
	size_t at = BISECT(i, 0, t->n, t->all[i].lo <= vaddr);

	return at && vaddr < t->all[at - 1].hi ? &t->all[at - 1] : NULL;
}

void object_stubs_release(struct object_stubs *t)
{
	if (!t)
		return;
	mem_budget_free(t->strings);
	arena_release(&t->names);
	free(t->imports);
	free(t->all);
	free(t);
}
