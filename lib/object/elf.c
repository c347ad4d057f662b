/* SPDX-License-Identifier: MIT
 *
 * The headers of a file: its kind, and the headers of an ELF file, through libelf. libelf is closed
 * again before image_open returns: contents are read with pread, so a file that shrinks gives a
 * short read and not SIGBUS.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/read_at.h"
#include "lib/base/zone.h"
#include "lib/object/impl.h"
#include "lib/object/mach.h"
#include "lib/object/source.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LIMIT_NOTES = 1 << 20,  /* bytes of one note section or segment */
	LIMIT_NAMES = 64 << 20, /* bytes of section names */
};

enum status image_read(const struct object_image *f, uint64_t offset, void *to, size_t n,
		       struct err *e)
{
	if (offset > f->size || n > f->size - offset)
		return err_at(e, ST_BAD, offset, "%zu bytes lie outside the file of %" PRIu64, n,
			      f->size);
	if (f->fd < 0) {
		if (n)
			memcpy(to, f->mem + offset, n);
		return ST_OK;
	}
	return read_at(f->fd, f->base, offset, to, n, e);
}

enum status object_refuse(const uint8_t *head, size_t n, struct err *e)
{
	static const struct {
		size_t n;
		const char *bytes, *what;
	} others[] = {
	    {2, "MZ", "a program or library of Windows (PE)"},
	    {4, "\0asm", "a WebAssembly module"},
	    {24, "Microsoft C/C++ MSF 7.00", "debug information of Windows (PDB)"},
	    {8, "!<arch>\n", "an archive of objects (ar)"},
	    {4, "BC\300\336", "LLVM's bitcode"},
	    {4, "PK\3\4", "a zip file"},
	    {2, "\37\213", "gzip's"},
	    {2, "#!", "a script"},
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (n >= others[i].n && !memcmp(head, others[i].bytes, others[i].n))
			return err_set(e, ST_UNSUPPORTED, "not ELF or Mach-O, but %s",
				       others[i].what);
	return err_set(e, ST_UNSUPPORTED, "not an ELF file");
}

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
	if (memcmp(head, ELFMAG, SELFMAG))
		return object_refuse(head, sizeof head, e);
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
		f->sections[f->n_sections++] = (struct elf_section){
		    .name = h.sh_name < n_names ? f->names + h.sh_name : "",
		    .flags = h.sh_flags,
		    .addr = h.sh_addr,
		    .offset = h.sh_offset,
		    .size = h.sh_size,
		    .type = h.sh_type,
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
		const struct elf_section *s = &f->sections[i];

		if (s->type == SHT_NOTE && gelf_getshdr(elf_getscn(elf, i), &h) &&
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
		zone_hold(elf, elf_end_image);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &h)) {
		st = err_set(e, ST_BAD, "ELF header: %s", elf ? "broken" : elf_errmsg(-1));
	} else {
		f->machine = h.e_machine;
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
		zone_forget(elf);
	elf_end(elf);
	map_close(map);
	return st;
}

static enum status read_head(const struct object_image *f, uint8_t head[8], struct err *e)
{
	memset(head, 0, 8);
	return image_read(f, 0, head, f->size < 8 ? (size_t)f->size : 8, e);
}

bool object_is_known(const uint8_t head[8])
{
	return !memcmp(head, ELFMAG, SELFMAG) || mach_is_fat(head) || mach_is_thin(head) ||
	       source_is(head);
}

static enum status elf_read_headers(struct object_image *f, const struct object_want *want,
				    struct err *e)
{
	uint8_t head[8];
	enum status st = read_head(f, head, e);

	if (!st && mach_is_fat(head)) {
		st = mach_narrow(f, want, e);
		if (!st)
			st = read_head(f, head, e);
		if (!st && !mach_is_thin(head))
			st = err_set(e, ST_UNSUPPORTED,
				     "a part of a universal Mach-O file is not a Mach-O file");
	}
	if (st)
		return st;
	if (mach_is_thin(head))
		return mach_read(f, want, e);
	if (source_is(head))
		return source_open(f, e);
	st = elf_read(f, e);
	if (!st && want && want->arch && !want->lenient && mach_machine(want->arch) != f->machine)
		st = err_set(e, ST_UNSUPPORTED, "not for %s", want->arch);
	return st;
}

enum status image_open_wanted(struct object_image *f, const char *path,
			      const struct object_want *want, struct err *e)
{
	enum status st;
	struct stat sb;

	*f = (struct object_image){.fd = -1};
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return err_sys(e, "cannot open");
	if (fstat(f->fd, &sb)) {
		st = err_sys(e, "stat");
	} else if (!S_ISREG(sb.st_mode)) {
		st = err_set(e, ST_UNSUPPORTED, "not a regular file");
	} else {
		f->path = mem_strdup(path);
		f->size = (uint64_t)sb.st_size;
		f->dev = sb.st_dev;
		f->ino = sb.st_ino;
		st = elf_read_headers(f, want, e);
	}
	if (st)
		image_release(f);
	return st;
}

enum status image_open(struct object_image *f, const char *path, struct err *e)
{
	return image_open_wanted(f, path, NULL, e);
}

enum status image_open_part(struct object_image *f, int fd, uint64_t base, uint64_t size,
			    const char *path, struct err *e)
{
	enum status st;

	*f = (struct object_image){.fd = fd, .base = base, .size = size, .path = mem_strdup(path)};
	st = size ? elf_read_headers(f, NULL, e) : err_set(e, ST_UNSUPPORTED, "not an ELF file");
	if (st)
		image_release(f);
	return st;
}

enum status image_open_memory(struct object_image *f, const void *p, size_t n, struct err *e)
{
	enum status st;

	*f = (struct object_image){.fd = -1, .mem = p, .size = n, .path = mem_strdup("(memory)")};
	st = elf_read_headers(f, NULL, e);
	if (st)
		image_release(f);
	return st;
}

void image_release(struct object_image *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->segments);
	free(f->sections);
	free(f->names);
	source_free(f->source);
	*f = (struct object_image){.fd = -1};
}

const struct elf_section *image_section(const struct object_image *f, const char *name)
{
	const struct elf_section *grouped = NULL;

	for (size_t i = 0; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];

		if (s->type == SHT_NOBITS || s->type == SHT_NULL || strcmp(s->name, name) != 0)
			continue;
		/* a relocatable file has a .debug_info for each type unit, too */
		if (!(s->flags & SHF_GROUP))
			return s;
		if (!grouped)
			grouped = s;
	}
	return grouped;
}
