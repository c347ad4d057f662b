/* SPDX-License-Identifier: MIT
 *
 * ELF files: their headers, through libelf, whose only user this is. libelf is closed again before
 * image_open returns.
 */
#include "lib/object/elf.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIMIT_NOTES = 1 << 20,  /* bytes of one note section or segment */
	LIMIT_NAMES = 64 << 20, /* bytes of section names */
};

/* libelf allocates by the counts in the header; so they are checked against the file first. */
static enum status elf_check_headers(struct object_image *f, struct err *e)
{
	uint8_t head[64] = {0}, first[64] = {0};
	uint64_t phoff, shoff, shnum, phnum, shentsize, phentsize;
	struct cursor c;
	enum status st;

	st = image_read(f, 0, head, f->size < sizeof head ? (size_t)f->size : sizeof head, e);
	if (st)
		return st;
	if ((head[EI_CLASS] != ELFCLASS32 && head[EI_CLASS] != ELFCLASS64) ||
	    (head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB))
		return err_at(e, ST_BAD, EI_CLASS, "ELF header: class %u, byte order %u",
			      head[EI_CLASS], head[EI_DATA]);
	f->is_64 = head[EI_CLASS] == ELFCLASS64;
	f->big_endian = head[EI_DATA] == ELFDATA2MSB;
	if (f->size < (f->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return err_at(e, ST_BAD, f->size, "ELF header: cut short");

	cursor_init(&c, head, sizeof head, 0, e);
	c.big_endian = f->big_endian;
	cursor_skip(&c, f->is_64 ? 32 : 28, "ELF header");
	phoff = f->is_64 ? cursor_u64(&c) : cursor_u32(&c);
	shoff = f->is_64 ? cursor_u64(&c) : cursor_u32(&c);
	cursor_skip(&c, 4 + 2, "ELF header");
	phentsize = cursor_u16(&c);
	phnum = cursor_u16(&c);
	shentsize = cursor_u16(&c);
	shnum = cursor_u16(&c);
	if (phnum && (phoff > f->size || (phnum != PN_XNUM && phnum * phentsize > f->size - phoff)))
		return err_at(e, ST_BAD, phoff, "program headers lie outside the file of %" PRIu64,
			      f->size);
	if (!shoff)
		return ST_OK;
	if (shentsize != (f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return err_at(e, ST_BAD, shoff,
			      "impossible size of a section header: %" PRIu64 " "
			      "bytes",
			      shentsize);
	if (shoff > f->size || shentsize > f->size - shoff)
		return err_at(e, ST_BAD, shoff, "section headers lie outside the file of %" PRIu64,
			      f->size);
	if (!shnum) {
		st = image_read(f, shoff, first, (size_t)shentsize, e);
		if (st)
			return st;
		cursor_init(&c, first, (size_t)shentsize, shoff, e);
		c.big_endian = f->big_endian;
		cursor_skip(&c, f->is_64 ? 32 : 20, "section header");
		shnum = f->is_64 ? cursor_u64(&c) : cursor_u32(&c);
	}
	if (shnum > (f->size - shoff) / shentsize)
		return err_at(e, ST_BAD, shoff,
			      "%" PRIu64 " section headers lie outside the file of %" PRIu64, shnum,
			      f->size);
	return ST_OK;
}

static enum status elf_read_segments(struct object_image *f, Elf *elf, struct err *e)
{
	size_t n, cap = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &n))
		return err_set(e, ST_BAD, "program headers: %s", elf_errmsg(-1));
	if (n > f->size / (f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return err_set(e, ST_BAD, "%zu program headers are larger than the file", n);
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &p))
			return err_set(e, ST_BAD, "program header %zu: %s", i, elf_errmsg(-1));
		if (p.p_type != PT_LOAD)
			continue;
		VEC_PUSH(f->segments, f->n_segments, cap) = (struct object_segment){
		    .vaddr = p.p_vaddr,
		    .offset = p.p_offset,
		    .filesz = p.p_filesz,
		    .memsz = p.p_memsz,
		    .align = p.p_align,
		    .executable = p.p_flags & PF_X,
		};
	}
	return ST_OK;
}

static enum object_section_kind section_kind_of(uint32_t type)
{
	switch (type) {
	case SHT_NULL: return SECTION_EMPTY;
	case SHT_PROGBITS: return SECTION_BYTES;
	case SHT_NOBITS: return SECTION_ZEROES;
	case SHT_SYMTAB: return SECTION_SYMBOLS;
	case SHT_DYNSYM: return SECTION_DYNAMIC_SYMBOLS;
	case SHT_STRTAB: return SECTION_STRINGS;
	case SHT_REL: return SECTION_RELOCATIONS;
	case SHT_RELA: return SECTION_RELOCATIONS_ADDEND;
	case SHT_NOTE: return SECTION_NOTES;
	default: return SECTION_OTHER;
	}
}

static uint8_t section_flags_of(uint64_t flags)
{
	return (flags & SHF_ALLOC ? SECTION_LOADED : 0) |
	       (flags & SHF_EXECINSTR ? SECTION_CODE : 0) |
	       (flags & SHF_COMPRESSED ? SECTION_PACKED : 0) |
	       (flags & SHF_GROUP ? SECTION_GROUPED : 0);
}

static enum status elf_read_sections(struct object_image *f, Elf *elf, struct err *e)
{
	size_t n, strings;
	uint64_t n_names = 0;
	GElf_Shdr h;

	if (elf_getshdrnum(elf, &n) || elf_getshdrstrndx(elf, &strings))
		return err_set(e, ST_BAD, "section headers: %s", elf_errmsg(-1));
	f->sections = mem_zarray(n, sizeof *f->sections);
	if (strings < n && !gelf_getshdr(elf_getscn(elf, strings), &h))
		return err_set(e, ST_BAD, "section header %zu: %s", strings, elf_errmsg(-1));
	if (strings < n && h.sh_type == SHT_STRTAB && h.sh_offset <= f->size &&
	    h.sh_size <= f->size - h.sh_offset && h.sh_size <= LIMIT_NAMES) {
		n_names = h.sh_size;
		f->names = mem_zalloc((size_t)n_names + 1);
		enum status st = image_read(f, h.sh_offset, f->names, (size_t)n_names, e);
		if (st)
			return st;
	}
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getshdr(elf_getscn(elf, i), &h))
			return err_set(e, ST_BAD, "section header %zu: %s", i, elf_errmsg(-1));
		f->sections[f->n_sections++] = (struct section_header){
		    .name = h.sh_name < n_names ? f->names + h.sh_name : "",
		    .kind = section_kind_of(h.sh_type),
		    .flags = section_flags_of(h.sh_flags),
		    .addr = h.sh_addr,
		    .offset = h.sh_offset,
		    .size = h.sh_size,
		    .link = h.sh_link,
		    .info = h.sh_info,
		};
	}
	return ST_OK;
}

/* ELF specification, "Note Section"; GNU notes are padded to 4 bytes, to 8 only in segments
 * aligned to 8. */
static bool elf_find_build_id(struct object_image *f, uint64_t offset, uint64_t size,
			      uint64_t align)
{
	struct err e = ERR_INIT;
	struct cursor c;
	uint8_t *notes;
	bool found = false;

	if (!size || size > LIMIT_NOTES || offset > f->size || size > f->size - offset)
		return false;
	notes = mem_alloc((size_t)size);
	if (image_read(f, offset, notes, (size_t)size, &e))
		goto out;
	align = align == 8 ? 8 : 4;
	cursor_init(&c, notes, (size_t)size, offset, &e);
	c.big_endian = f->big_endian;
	while (!found && !cursor_done(&c)) {
		uint64_t n_name = cursor_u32(&c), n = cursor_u32(&c), type = cursor_u32(&c);
		uint64_t name_end = 12 + n_name, start = (name_end + align - 1) & -align;
		const uint8_t *name = cursor_bytes(&c, (size_t)n_name, "note");
		const uint8_t *bytes;

		cursor_skip(&c, start - name_end, "note");
		bytes = cursor_bytes(&c, (size_t)n, "note");
		if (!bytes)
			break;
		found = type == NT_GNU_BUILD_ID && n_name == 4 && !memcmp(name, "GNU", 4) && n &&
			n <= OBJECT_BUILD_ID_MAX;
		if (found) {
			memcpy(f->build_id.bytes, bytes, (size_t)n);
			f->build_id.len = (uint8_t)n;
		} else if (cursor_window(&c)) {
			uint64_t pad = -n & (align - 1);

			cursor_skip(&c, pad < cursor_window(&c) ? pad : cursor_window(&c), "note");
		}
	}
out:
	free(notes);
	return found;
}

/* Sections first: in a file made by objcopy --only-keep-debug the segments' offsets are stale. */
static void elf_read_build_id(struct object_image *f, Elf *elf)
{
	GElf_Phdr p;
	GElf_Shdr h;
	size_t n;

	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (s->kind == SECTION_NOTES && gelf_getshdr(elf_getscn(elf, i), &h) &&
		    elf_find_build_id(f, s->offset, s->size, h.sh_addralign))
			return;
	}
	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE &&
		    elf_find_build_id(f, p.p_offset, p.p_filesz, p.p_align))
			return;
	}
}

static void elf_end_image(void *elf)
{
	elf_end(elf);
}

static uint32_t arch_of(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		enum object_arch arch;
	} rows[] = {{EM_386, ARCH_X86},
		    {EM_X86_64, ARCH_X86_64},
		    {EM_ARM, ARCH_ARM},
		    {EM_AARCH64, ARCH_ARM64},
		    {EM_PPC, ARCH_PPC},
		    {EM_PPC64, ARCH_PPC64},
		    {EM_S390, ARCH_S390},
		    {EM_SPARC, ARCH_SPARC},
		    {EM_SPARC32PLUS, ARCH_SPARC},
		    {EM_SPARCV9, ARCH_SPARC},
		    {EM_MIPS, ARCH_MIPS},
		    {EM_MIPS_RS3_LE, ARCH_MIPS},
		    {EM_68K, ARCH_M68K},
		    {EM_RISCV, ARCH_RISCV},
		    {MACHINE_LOONGARCH, ARCH_LOONGARCH},
		    {EM_IA_64, ARCH_IA64},
		    {EM_SH, ARCH_SH},
		    {EM_CSKY, ARCH_CSKY},
		    {EM_ARC_COMPACT, ARCH_ARC},
		    {EM_ARCV2, ARCH_ARC},
		    {EM_ALPHA, ARCH_ALPHA},
		    {EM_PARISC, ARCH_PARISC},
		    {EM_BPF, ARCH_BPF}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].machine == machine)
			return rows[i].arch;
	return machine ? (uint32_t)ARCH_OTHER + machine : ARCH_UNKNOWN;
}

static enum status elf_read(struct object_image *f, struct err *e)
{
	enum status st = elf_check_headers(f, e);
	struct map_piece *map = NULL;
	uint8_t *mapped = NULL;
	GElf_Ehdr h;
	Elf *elf;

	if (st)
		return st;
	errno = 0;
	elf_version(EV_CURRENT);
	if (f->base)
		map = map_open(f->fd, f->base, f->size, &mapped);
	if (f->base && !map)
		return err_sys(e, "map");
	if (mapped)
		elf = elf_memory((char *)mapped, (size_t)f->size);
	else if (f->fd >= 0)
		elf = elf_begin(f->fd, ELF_C_READ, NULL);
	else /* libelf only reads what it is given here, but its prototype has no const */
		elf = elf_memory((char *)(uintptr_t)f->mem, (size_t)f->size);
	if (elf)
		resource_scope_hold(elf, elf_end_image);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &h)) {
		st = err_set(e, ST_BAD, "ELF header: %s", elf ? "broken" : elf_errmsg(-1));
	} else {
		f->machine = h.e_machine;
		f->arch = arch_of(h.e_machine);
		f->is_core = h.e_type == ET_CORE;
		st = elf_read_segments(f, elf, e);
		if (!st)
			st = elf_read_sections(f, elf, e);
		if (!st)
			elf_read_build_id(f, elf);
		if (!st && h.e_type == ET_REL)
			reloc_lay_out(f);
	}
	if (errno == ENOMEM) /* libelf has no constant for this error of its own */
		mem_exhausted();
	if (elf)
		resource_scope_forget(elf);
	elf_end(elf);
	map_close(map);
	return st;
}

static bool elf_is(const uint8_t head[8])
{
	return !memcmp(head, ELFMAG, SELFMAG);
}

static enum status elf_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	enum status st = elf_read(f, e);

	return st ? st : format_check_arch(f, want, e);
}

const struct object_format format_elf = {
    .about = {.name = "ELF", .linkage = true, .paged = true, .unwound = true},
    .is = elf_is,
    .open = elf_open,
    .symbols = elf_symbols,
    .own_symbols = elf_own_symbols,
    .any_symbols = elf_any_symbols,
    .find_debug = debuglink_find,
    .each_linked = elf_each_linked,
    .frames = true,
};
