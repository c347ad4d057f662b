/* SPDX-License-Identifier: MIT
 *
 * Images: a file is opened by the row of its kind, and its bytes are read. Contents are read with
 * pread, so a file that shrinks gives a short read and not SIGBUS.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/read_at.h"
#include "lib/object/format.h"
#include "lib/object/mach.h"
#include "lib/object/pe.h"
#include "lib/object/source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct object_format *const formats[] = {&format_mach, &format_pe,   &format_pdb,
						      &format_wasm, &format_gsym, &format_breakpad,
						      &format_elf};

static const struct object_format *find_format(const uint8_t head[8])
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i]->is(head))
			return formats[i];
	return NULL;
}

bool object_is_known(const uint8_t head[8])
{
	return find_format(head);
}

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

/* Microsoft's "PE Format", COFF File Header: the processor, sections, and no optional header. */
bool object_is_coff(const uint8_t *head, size_t n)
{
	static const uint16_t processors[] = {0x8664, 0x14c, 0xaa64, 0x1c4};
	enum { SECTIONS = 2, OPTIONAL_SIZE = 16, HEADER = 20 };

	for (size_t i = 0; n >= HEADER && i < sizeof processors / sizeof *processors; i++)
		if (le16(head) == processors[i])
			return le16(head + SECTIONS) && !le16(head + OPTIONAL_SIZE);
	return false;
}

enum status object_refuse(const uint8_t *head, size_t n, struct err *e)
{
	static const struct {
		size_t n;
		const char *bytes, *what;
	} others[] = {
	    {4, "BSJB", "a portable PDB of .NET"},
	    {4, "MSCF", "a cabinet of Windows, as symbol servers have PDBs (.pd_): expand it"},
	    {7, "dyld_v1",
	     "a shared cache of macOS or iOS (dyld_shared_cache): take the library out of it"},
	    {8, "!<arch>\n", "an archive of objects (ar)"},
	    {4, "BC\300\336", "LLVM's bitcode"},
	    {4, "PK\3\4", "a zip file: unpack it"},
	    {2, "\37\213", "a file that gzip compressed: unpack it"},
	    {2, "#!", "a script"},
	};

	if (object_is_coff(head, n))
		return err_set(
		    e, ST_UNSUPPORTED,
		    "an object of COFF, which is not read: link it, and take the program");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (n >= others[i].n && !memcmp(head, others[i].bytes, others[i].n))
			return err_set(e, ST_UNSUPPORTED, "no binary or debug file, but %s",
				       others[i].what);
	return err_set(e, ST_UNSUPPORTED, "no binary or debug file of a known kind");
}

static enum status read_headers(struct object_image *f, const struct object_want *want,
				struct err *e)
{
	uint8_t head[64] = {0};
	enum status st =
	    image_read(f, 0, head, f->size < sizeof head ? (size_t)f->size : sizeof head, e);

	if (st)
		return st;
	f->format = object_is_coff(head, sizeof head) ? &format_coff : find_format(head);
	if (!f->format)
		return object_refuse(head, sizeof head, e);
	return f->format->open(f, want, e);
}

enum status format_check_arch(const struct object_image *f, const struct object_want *want,
			      struct err *e)
{
	enum object_arch arch = want && want->arch ? object_arch_by_name(want->arch) : ARCH_UNKNOWN;

	if (want && want->arch && !want->lenient && (!arch || arch != f->arch))
		return err_set(e, ST_UNSUPPORTED, "not for %s", want->arch);
	return ST_OK;
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
		st = read_headers(f, want, e);
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
			    const char *path, const struct object_want *want, struct err *e)
{
	enum status st;

	*f = (struct object_image){.fd = fd, .base = base, .size = size, .path = mem_strdup(path)};
	st = size ? read_headers(f, want, e)
		  : err_set(e, ST_UNSUPPORTED, "no binary or debug file of a known kind");
	if (st)
		image_release(f);
	return st;
}

enum status image_open_memory(struct object_image *f, const void *p, size_t n, struct err *e)
{
	enum status st;

	*f = (struct object_image){.fd = -1, .mem = p, .size = n, .path = mem_strdup("(memory)")};
	st = read_headers(f, NULL, e);
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
	free(f->pe.pdb);
	source_free(f->source);
	pdb_release(f->pdb);
	*f = (struct object_image){.fd = -1};
}

const struct section_header *image_section(const struct object_image *f, const char *name)
{
	const struct section_header *grouped = NULL;

	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (!section_has_bytes(s) || strcmp(s->name, name) != 0)
			continue;
		/* a relocatable file has a .debug_info for each type unit, too */
		if (!(s->flags & SECTION_GROUPED))
			return s;
		if (!grouped)
			grouped = s;
	}
	return grouped;
}
