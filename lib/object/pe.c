/* SPDX-License-Identifier: MIT
 *
 * PE files, the programs and libraries of Windows (.exe, .dll), and what lld and GNU ld put into
 * them for other debuggers: DWARF, and COFF's symbols. Facts: Microsoft's "PE Format"; long names of
 * sections ("/" and an offset in the string table) from its "COFF String Table" and, for "//" and
 * six digits of base 64, from LLVM's COFFObjectFile.cpp; the record RSDS from LLVM's
 * CVDebugRecord.h.
 *
 * An address is the image base and an RVA. The build-id is the GUID of the CodeView record, in the
 * file's order of bytes, as LLVM has it (BuildID.cpp); GNU ld and lld write one into .buildid. A
 * symbol has no size: it ends where the next one begins, or the next object file's piece of the section, whose static
 * functions may have lost their symbols. In 32-bit x86 code it loses what the calling convention adds to its name.
 */
#include "lib/object/pe.h"
#include "lib/base/base64.h"
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	DOS_HEADER = 64,
	COFF_HEADER = 24, /* with "PE\0\0" before it */
	PE32 = 0x10b,
	PE32_PLUS = 0x20b,
	DIRECTORIES = 16,
	OPTIONAL_MAX = 112 + DIRECTORIES * 8,
	SECTION_HEADER = 40,
	SYMBOL = 18,
	SHORT_NAME = 8,
	DEBUG_ENTRY = 28,
	DEBUG_ENTRIES_MAX = 64,
	DEBUG_CODEVIEW = 2,
	PDB_PATH_MAX = 4096,
	EXPORT_DIRECTORY = 40,
	LONG_NAMES_MAX = 64 << 20, /* bytes of names of sections */
	CLASS_EXTERNAL = 2,
	CLASS_STATIC = 3,
	CLASS_FILE = 103,
	CLASS_WEAK = 105,
	TYPE_FUNCTION = 2,
	PE_LOADS_MAX = 256,
	UNDECORATED_MOST = 1024, /* a million symbols could have one long name */
};
#define CNT_CODE        UINT32_C(0x20)
#define CNT_ZEROES      UINT32_C(0x80)
#define MEM_DISCARDABLE UINT32_C(0x02000000)
#define MEM_EXECUTE     UINT32_C(0x20000000)

enum directory {
	DIRECTORY_EXPORTS = 0,
	DIRECTORY_IMPORTS = 1,
	DIRECTORY_UNWIND = 3,
	DIRECTORY_DEBUG = 6,
};

/* What the headers say, while they are read. */
struct pe_headers {
	uint64_t sections_at; /* in the file */
	uint32_t n_sections, optional_size;
	uint64_t base; /* of the image */
	uint32_t alignment, headers_size;
	struct pe_range {
		uint32_t rva, size;
	} directories[DIRECTORIES];
};

uint32_t pe_arch(uint16_t machine)
{
	switch (machine) {
	case 0x14c: return ARCH_X86;
	case 0x8664: return ARCH_X86_64;
	case 0x1c0:
	case 0x1c2:
	case 0x1c4: return ARCH_ARM;
	case 0xaa64:
	case 0xa641: /* ARM64EC, ARM64X */
	case 0xa64e: return ARCH_ARM64;
	case 0x5032:
	case 0x5064: return ARCH_RISCV;
	default: return machine ? (uint32_t)ARCH_OTHER + machine : ARCH_UNKNOWN;
	}
}

static enum status read_optional_header(struct object_image *f, struct pe_headers *h, uint64_t at,
					struct err *e)
{
	uint8_t bytes[OPTIONAL_MAX];
	size_t n = h->optional_size < OPTIONAL_MAX ? h->optional_size : OPTIONAL_MAX;
	uint32_t count;
	uint16_t magic;
	struct cursor c;

	if (image_read(f, at, bytes, n, e))
		return err_prefix(e, "PE optional header");
	cursor_init(&c, bytes, n, at, e);
	magic = cursor_u16(&c);
	if (!cursor_failed(&c) && magic != PE32 && magic != PE32_PLUS)
		return err_at(e, ST_UNSUPPORTED, at, "a PE file with an optional header 0x%x",
			      magic);
	f->is_64 = magic == PE32_PLUS;
	cursor_skip(&c, 14, "PE optional header");
	f->pe.entry = cursor_u32(&c);
	cursor_skip(&c, f->is_64 ? 4 : 8, "PE optional header");
	h->base = f->is_64 ? cursor_u64(&c) : cursor_u32(&c);
	h->alignment = cursor_u32(&c);
	cursor_skip(&c, 20, "PE optional header"); /* up to SizeOfImage */
	f->pe.stamp.size = cursor_u32(&c);
	h->headers_size = cursor_u32(&c);
	cursor_skip(&c, f->is_64 ? 44 : 28, "PE optional header");
	count = cursor_u32(&c);
	for (uint32_t i = 0; i < count && i < DIRECTORIES && cursor_window(&c) >= 8; i++) {
		h->directories[i].rva = cursor_u32(&c);
		h->directories[i].size = cursor_u32(&c);
	}
	return cursor_failed(&c) ? err_prefix(e, "PE optional header") : ST_OK;
}

/* From the processor on; the sections follow at from and the optional header. */
static enum status read_coff_header(struct object_image *f, struct pe_headers *h, struct cursor *c,
				    uint64_t from, struct err *e)
{
	f->machine = cursor_u16(c);
	f->arch = pe_arch(f->machine);
	h->n_sections = cursor_u16(c);
	f->pe.stamp.time = cursor_u32(c);
	f->symtab.offset = cursor_u32(c);
	f->symtab.n = cursor_u32(c);
	h->optional_size = cursor_u16(c);
	h->sections_at = from + h->optional_size;
	if (!f->symtab.offset || f->symtab.offset > f->size ||
	    f->symtab.n > (f->size - f->symtab.offset) / SYMBOL)
		f->symtab = (struct image_symtab){.offset = 0};
	f->symtab.names = f->symtab.offset + f->symtab.n * SYMBOL;
	if (h->n_sections >
	    (f->size - (h->sections_at < f->size ? h->sections_at : f->size)) / SECTION_HEADER)
		return err_at(e, ST_BAD, h->sections_at,
			      "%" PRIu32 " section headers lie outside the file of %" PRIu64,
			      h->n_sections, f->size);
	return ST_OK;
}

static enum status read_file_header(struct object_image *f, struct pe_headers *h, struct err *e)
{
	uint8_t dos[DOS_HEADER], coff[COFF_HEADER];
	enum status st;
	struct cursor c;
	uint64_t at;

	if (f->size < DOS_HEADER)
		return err_at(e, ST_BAD, f->size, "MZ header: cut short");
	if (image_read(f, 0, dos, sizeof dos, e))
		return err_prefix(e, "MZ header");
	at = le32(dos + 0x3c);
	if (at > f->size || f->size - at < COFF_HEADER || image_read(f, at, coff, sizeof coff, e) ||
	    memcmp(coff, "PE\0", 4) != 0)
		return err_set(e, ST_UNSUPPORTED, "a program of DOS (MZ), not of Windows (PE)");
	cursor_init(&c, coff + 4, COFF_HEADER - 4, at + 4, e);
	st = read_coff_header(f, h, &c, at + COFF_HEADER, e);
	return st ? st : read_optional_header(f, h, at + COFF_HEADER, e);
}

/* COFF's string table, whose size is its first number. */
static void find_strings(struct object_image *f)
{
	struct err ignored = ERR_INIT;
	uint8_t size[4];

	if (!f->symtab.offset || image_read(f, f->symtab.names, size, sizeof size, &ignored))
		return;
	f->symtab.n_names = le32(size);
	if (f->symtab.n_names > f->size - f->symtab.names)
		f->symtab.n_names = f->size - f->symtab.names;
}

/* Where in the string table the name of a section is that is written so; false: it is the name. */
static bool long_name(const char name[SHORT_NAME], uint64_t *at)
{
	int digit;
	size_t i = 1;

	*at = 0;
	if (name[0] != '/')
		return false;
	if (name[1] == '/') {
		for (i = 2; i < SHORT_NAME && (digit = base64_digit(name[i])) >= 0; i++)
			*at = *at * 64 + (uint64_t)digit;
		return i > 2;
	}
	for (; i < SHORT_NAME && name[i] >= '0' && name[i] <= '9'; i++)
		*at = *at * 10 + (uint64_t)(name[i] - '0');
	return i > 1;
}

/* The offset in names of the name of a section. */
static size_t pe_add_name(struct buf *names, const char *strings, uint64_t n_strings,
			  const char name[SHORT_NAME])
{
	size_t at = names->len;
	uint64_t from;

	if (!long_name(name, &from))
		buf_add(names, name, strnlen(name, SHORT_NAME));
	else if (from < n_strings && names->len < LONG_NAMES_MAX)
		buf_add(names, strings + from, strnlen(strings + from, (size_t)(n_strings - from)));
	buf_addc(names, 0);
	return at;
}

/* Of one header: its section, and the segment that it is loaded as. */
static void read_section(struct object_image *f, const struct pe_headers *h, struct cursor *c,
			 struct section_header *s, struct object_segment *segment)
{
	uint32_t memory = cursor_u32(c), rva = cursor_u32(c), bytes = cursor_u32(c),
		 at = cursor_u32(c), flags;
	/* The linker pads to the file's alignment, and the loader cuts to the page's. */
	uint64_t used = memory && memory < bytes ? memory : bytes;

	cursor_skip(c, 12, "section header");
	flags = cursor_u32(c);
	*s = (struct section_header){.offset = at, .size = used};
	s->kind = !bytes || !at || (flags & CNT_ZEROES && !(flags & CNT_CODE) && !used)
		      ? SECTION_ZEROES
		      : SECTION_BYTES;
	if (s->kind == SECTION_ZEROES)
		s->size = memory;
	if (!(flags & MEM_DISCARDABLE)) {
		s->addr = h->base + rva;
		s->flags = SECTION_LOADED | (flags & MEM_EXECUTE ? SECTION_CODE : 0);
	}
	*segment = (struct object_segment){.vaddr = h->base + rva,
					   .offset = at,
					   .filesz = s->kind == SECTION_ZEROES ? 0 : used,
					   .memsz = memory > used ? memory : used,
					   .align = h->alignment,
					   .executable = flags & MEM_EXECUTE};
	if (!f->is_64) {
		s->addr = (uint32_t)s->addr;
		segment->vaddr = (uint32_t)segment->vaddr;
	}
}

static enum status read_sections(struct object_image *f, const struct pe_headers *h,
				 const char *strings, uint64_t n_strings, struct err *e)
{
	const size_t n = (size_t)h->n_sections * SECTION_HEADER;
	uint8_t *bytes = mem_alloc(n + 1);
	struct buf names = BUF_INIT;
	struct cursor c;
	enum status st = image_read(f, h->sections_at, bytes, n, e);

	f->sections = mem_zarray(h->n_sections + 1, sizeof *f->sections);
	f->segments = mem_zarray(h->n_sections + 1, sizeof *f->segments);
	f->n_sections = 1;
	/* The headers are loaded, too, at the image base. */
	f->segments[f->n_segments++] =
	    (struct object_segment){.vaddr = h->base,
				    .filesz = h->headers_size < f->size ? h->headers_size : f->size,
				    .memsz = h->headers_size,
				    .align = h->alignment};
	buf_addc(&names, 0);
	cursor_init(&c, bytes, n, h->sections_at, e);
	for (uint32_t i = 0; !st && i < h->n_sections; i++) {
		const char *name = (const char *)cursor_bytes(&c, SHORT_NAME, "section header");
		struct section_header *s = &f->sections[f->n_sections];
		size_t at;

		if (!name)
			break;
		at = pe_add_name(&names, strings, n_strings, name);
		read_section(f, h, &c, s, &f->segments[f->n_segments]);
		s->name = (const char *)(uintptr_t)at; /* until all of them are there */
		f->n_sections++;
		f->n_segments += f->segments[f->n_segments].memsz > 0;
		if (s->kind == SECTION_BYTES && s->offset + s->size > f->size)
			st =
			    err_at(e, ST_BAD, s->offset,
				   "section %.8s of %" PRIu64 " bytes is cut short", name, s->size);
	}
	free(bytes);
	f->names = names.data;
	for (size_t i = 0; i < f->n_sections; i++)
		f->sections[i].name = f->names + (uintptr_t)f->sections[i].name;
	return st ? st : cursor_failed(&c) ? err_failure(e) : ST_OK;
}

/* Where in the file n bytes from rva on are. False: not in one piece. */
static bool pe_offset(const struct object_image *f, uint64_t base, uint32_t rva, uint64_t n,
		      uint64_t *offset)
{
	for (size_t i = 0; i < f->n_segments; i++) {
		const struct object_segment *s = &f->segments[i];
		uint64_t from = base + rva - s->vaddr;

		if (base + rva >= s->vaddr && from < s->filesz && n <= s->filesz - from) {
			*offset = s->offset + from;
			return true;
		}
	}
	return false;
}

/* RSDS, GUID, age, path. */
static bool read_codeview(struct object_image *f, uint64_t at, uint32_t size)
{
	const size_t n = size < 24 + PDB_PATH_MAX ? size : 24 + PDB_PATH_MAX;
	uint8_t *bytes;
	struct err ignored = ERR_INIT;
	bool is;

	if (size < 24)
		return false;
	bytes = mem_zalloc(n + 1);
	is = !image_read(f, at, bytes, n, &ignored) && !memcmp(bytes, "RSDS", 4);
	if (is) {
		memcpy(f->build_id.bytes, bytes + 4, 16);
		f->build_id.len = 16;
		f->pe.pdb_age = le32(bytes + 20);
		f->build_id.age = f->pe.pdb_age ? f->pe.pdb_age : OBJECT_ANY_AGE;
		if (bytes[24])
			f->pe.pdb = mem_strdup((const char *)bytes + 24);
	}
	free(bytes);
	return is;
}

static void read_debug_directory(struct object_image *f, const struct pe_headers *h)
{
	const struct pe_range *d = &h->directories[DIRECTORY_DEBUG];
	const uint32_t n = d->size / DEBUG_ENTRY;
	uint64_t at;

	for (uint32_t i = 0; i < n && i < DEBUG_ENTRIES_MAX; i++) {
		struct err ignored = ERR_INIT;
		uint8_t entry[DEBUG_ENTRY];

		if (!pe_offset(f, h->base, d->rva + i * DEBUG_ENTRY, DEBUG_ENTRY, &at) ||
		    image_read(f, at, entry, sizeof entry, &ignored))
			return;
		if (le32(entry + 12) == DEBUG_CODEVIEW &&
		    read_codeview(f, le32(entry + 24), le32(entry + 16)))
			return;
	}
}

static bool pe_is(const uint8_t head[8])
{
	return head[0] == 'M' && head[1] == 'Z';
}

static enum status read_named_sections(struct object_image *f, const struct pe_headers *h,
				       struct err *e)
{
	char *strings;
	enum status st;
	uint64_t n;

	find_strings(f);
	n = f->symtab.n_names < LONG_NAMES_MAX ? f->symtab.n_names : LONG_NAMES_MAX;
	strings = mem_zalloc((size_t)n + 1);
	st = image_read(f, f->symtab.names, strings, (size_t)n, e);
	if (!st)
		st = read_sections(f, h, strings, n, e);
	free(strings);
	return st;
}

static enum status pe_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	struct pe_headers h = {.base = 0};
	enum status st = read_file_header(f, &h, e);

	if (!st)
		st = read_named_sections(f, &h, e);
	if (st)
		return st;
	f->pe.base = h.base;
	f->pe.exports = h.directories[DIRECTORY_EXPORTS].rva;
	f->pe.exports_size = h.directories[DIRECTORY_EXPORTS].size;
	f->pe.imports = h.directories[DIRECTORY_IMPORTS].rva;
	f->pe.unwind = h.directories[DIRECTORY_UNWIND].rva;
	f->pe.unwind_size = h.directories[DIRECTORY_UNWIND].size;
	read_debug_directory(f, &h);
	return format_check_arch(f, want, e);
}

/* COFF's symbols. */

struct coff_symbol {
	char name[SHORT_NAME + 1]; /* "": it is in the string table, at */
	uint32_t at, value;
	uint16_t section, type;
	uint8_t class, more; /* more: records that follow for this one */
};

static bool next_symbol(struct cursor *c, struct coff_symbol *s)
{
	const uint8_t *name = cursor_bytes(c, SHORT_NAME, "symbol");

	if (!name)
		return false;
	*s = (struct coff_symbol){.at = 0};
	if (le32(name))
		memcpy(s->name, name, SHORT_NAME);
	else
		s->at = le32(name + 4);
	s->value = cursor_u32(c);
	s->section = cursor_u16(c);
	s->type = cursor_u16(c);
	s->class = cursor_u8(c);
	s->more = cursor_u8(c);
	cursor_skip(c,
		    (size_t)s->more * SYMBOL < cursor_window(c) ? (size_t)s->more * SYMBOL
								: cursor_window(c),
		    "symbol");
	return !cursor_failed(c);
}

static bool is_function(const struct coff_symbol *s)
{
	return s->type >> 4 == TYPE_FUNCTION;
}

/* A section, or what one object file has of it. */
static bool is_piece(const struct coff_symbol *s)
{
	return s->class == CLASS_STATIC && s->more && !is_function(s);
}

/* Where the symbol is, of code or (data) of anything that is loaded; *end: of its section, behind whose last byte
 * "__data_end__" is. */
static bool place_symbol(const struct object_image *f, const struct coff_symbol *s, bool data,
			 uint64_t *value, uint64_t *end)
{
	const struct section_header *t;

	if (s->section < 1 || s->section >= f->n_sections ||
	    (s->class != CLASS_EXTERNAL && s->class != CLASS_STATIC && s->class != CLASS_WEAK))
		return false;
	t = &f->sections[s->section];
	if (!(t->flags & (data ? SECTION_LOADED : SECTION_CODE)) || s->value >= t->size + data ||
	    t->size > UINT64_MAX - t->addr)
		return false;
	*value = t->addr + s->value;
	*end = t->addr + t->size;
	return true;
}

/* Short names get a place of their own behind the string table: they have no NUL. */
struct coff_names {
	char *all;
	uint64_t n_strings, used;
};

/* What compilers for 32-bit x86 add to a C name by its calling convention: "_f", "_f@8" (stdcall), "@f@8" (fastcall),
 * "f@@8" (vectorcall), as LLVM takes it off (demanglePE32ExternCFunc). */
const char *pe_undecorate(const char *name, size_t *n)
{
	const char front = *n ? *name : 0;
	size_t at = *n;
	bool more = false;

	if (*n >= UNDECORATED_MOST || front == '?')
		at = 0;
	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at > 1 && at < *n && name[at - 1] == '@') {
		*n = at - 1;
		more = *n > 1 && name[*n - 1] == '@';
		*n -= more;
	}
	if (!more && (front == '_' || front == '@')) {
		name++;
		--*n;
	}
	return name;
}

static const char *undecorate(char *name)
{
	const size_t had = strnlen(name, UNDECORATED_MOST);
	size_t n = had;
	const char *from = pe_undecorate(name, &n);

	if (had < UNDECORATED_MOST)
		name[(size_t)(from - name) + n] = 0;
	return from;
}

static const char *symbol_name(const struct object_image *f, struct coff_names *names,
			       const struct coff_symbol *s)
{
	char *name = NULL;

	if (s->name[0]) {
		name = names->all + names->used;
		memcpy(names->all + names->used, s->name, sizeof s->name);
		names->used += sizeof s->name;
	} else if (s->at >= 4 && s->at < names->n_strings) {
		name = names->all + s->at;
	}
	return !name ? "" : f->arch == ARCH_X86 ? undecorate(name) : name;
}

/* Where the pieces of object files begin, sorted: nothing of one goes on in the next one. */
struct coff_pieces {
	uint64_t *lo;
	size_t n, cap;
};

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void read_pieces(struct coff_pieces *p, const struct object_image *f, struct cursor c)
{
	struct coff_symbol x;
	uint64_t value, end;

	while (!cursor_done(&c) && next_symbol(&c, &x))
		if (is_piece(&x) && place_symbol(f, &x, true, &value, &end))
			VEC_PUSH(p->lo, p->n, p->cap) = value;
	if (p->n)
		qsort(p->lo, p->n, sizeof *p->lo, by_address);
}

/* The bytes of the table, and room for the names. The caller frees both with mem_budget_free. */
static enum status load_coff(const struct object_image *f, uint8_t **bytes, uint64_t *size,
			     struct coff_names *names, struct err *e)
{
	const struct section_header table = {.name = "symbols",
					     .kind = SECTION_SYMBOLS,
					     .offset = f->symtab.offset,
					     .size = f->symtab.n * SYMBOL};
	enum status st;

	*names = (struct coff_names){.n_strings = f->symtab.n_names, .used = f->symtab.n_names + 1};
	st = section_read(f, &table, bytes, size, e);
	if (st)
		return st;
	names->all = (char *)mem_budget_grow(NULL, names->used + f->symtab.n * (SHORT_NAME + 1));
	if (!names->all)
		return err_set(e, ST_LIMIT, "symbols need more memory than available");
	names->all[names->n_strings] = 0;
	return image_read(f, f->symtab.names, names->all, (size_t)names->n_strings, e);
}

static void add_coff_symbols(struct symtab *s, struct symtab_loading *l,
			     const struct object_image *f)
{
	struct coff_names names = {.all = NULL};
	struct coff_pieces pieces = {.n = 0};
	struct err e = ERR_INIT;
	struct coff_symbol x;
	struct cursor c;
	uint8_t *bytes = NULL;
	uint64_t size, value, end;

	if (!f->symtab.n)
		return;
	if (load_coff(f, &bytes, &size, &names, &e)) {
		symtab_leave_out(s, f, &e);
		mem_budget_free((uint8_t *)names.all);
		mem_budget_free(bytes);
		return;
	}
	cursor_init(&c, bytes, (size_t)size, f->symtab.offset, &e);
	read_pieces(&pieces, f, c);
	while (!cursor_done(&c) && s->n < SYMBOL_NONE - 1 && next_symbol(&c, &x)) {
		const char *name;
		size_t piece;

		if (is_piece(&x) || !place_symbol(f, &x, l->data, &value, &end))
			continue;
		piece = BISECT(i, 0, pieces.n, pieces.lo[i] <= value);
		if (piece < pieces.n && pieces.lo[piece] < end)
			end = pieces.lo[piece];
		name = symbol_name(f, &names, &x);
		if (*name)
			symtab_add(s, l,
				   (struct object_symbol){value, end, name, false,
							  x.class == CLASS_STATIC, false,
							  (uint32_t)s->n, NULL},
				   (is_function(&x) ? 0 : 8) + (x.class == CLASS_STATIC ? 2
								: x.class == CLASS_WEAK ? 1
											: 0),
				   end);
	}
	s->names[l->n_names++] = names.all;
	mem_budget_free(bytes);
	free(pieces.lo);
}

/* Bytes in memory, and exports. */

const uint8_t *pe_bytes(struct pe_bytes *b, const struct object_image *f, uint64_t rva, uint64_t n)
{
	struct err ignored = ERR_INIT;
	uint64_t from = rva - b->rva;

	if (b->bytes && rva >= b->rva && from <= b->size)
		return n <= b->size - from ? b->bytes + from : NULL;
	for (size_t i = 1; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];
		uint64_t at = f->pe.base + rva - s->addr;

		if (s->kind != SECTION_BYTES || !(s->flags & SECTION_LOADED) ||
		    f->pe.base + rva < s->addr || at >= s->size)
			continue;
		mem_budget_free(b->bytes);
		b->bytes = NULL;
		if (b->loads++ >= PE_LOADS_MAX || section_read(f, s, &b->bytes, &b->size, &ignored))
			return NULL;
		b->rva = s->addr - f->pe.base;
		return n <= b->size - at ? b->bytes + at : NULL;
	}
	return NULL;
}

void pe_bytes_release(struct pe_bytes *b)
{
	mem_budget_free(b->bytes);
	*b = (struct pe_bytes){.bytes = NULL};
}

struct exports {
	struct pe_bytes bytes; /* of the section that has all of it, as linkers write it */
	const uint8_t *functions, *names, *ordinals;
	uint32_t n_functions, n_names;
	struct pe_function *bounds;
	size_t n_bounds;
};

static void release_exports(struct exports *x)
{
	pe_bytes_release(&x->bytes);
	free(x->bounds);
}

/* False: there are none, or not in one section. The caller releases x. */
static bool load_exports(struct exports *x, const struct object_image *f)
{
	const uint8_t *d, *section;

	*x = (struct exports){.n_names = 0};
	d = f->pe.exports_size ? pe_bytes(&x->bytes, f, f->pe.exports, EXPORT_DIRECTORY) : NULL;
	if (!d)
		return false;
	section = x->bytes.bytes;
	x->n_functions = le32(d + 20);
	x->n_names = le32(d + 24);
	x->functions = pe_bytes(&x->bytes, f, le32(d + 28), (uint64_t)x->n_functions * 4);
	x->names = section == x->bytes.bytes
		       ? pe_bytes(&x->bytes, f, le32(d + 32), (uint64_t)x->n_names * 4)
		       : NULL;
	x->ordinals = section == x->bytes.bytes
			  ? pe_bytes(&x->bytes, f, le32(d + 36), (uint64_t)x->n_names * 2)
			  : NULL;
	return x->functions && x->names && x->ordinals && section == x->bytes.bytes;
}

/* The i-th name and its RVA. False: it is broken, or another file's function (a forwarder). */
static bool export_at(struct exports *x, const struct object_image *f, uint32_t i,
		      const char **name, uint32_t *rva)
{
	const uint64_t at = le32(x->names + (size_t)4 * i) - x->bytes.rva;
	const uint16_t ordinal = le16(x->ordinals + (size_t)2 * i);

	if (at >= x->bytes.size || ordinal >= x->n_functions)
		return false;
	*name = (const char *)x->bytes.bytes + at; /* a NUL is behind the section's bytes */
	*rva = le32(x->functions + (size_t)4 * ordinal);
	return **name && *rva &&
	       !(*rva >= f->pe.exports && *rva - f->pe.exports < f->pe.exports_size);
}

/* The section of code, or (data) of anything that is loaded, that holds an address. */
static const struct section_header *section_of(const struct object_image *f, uint64_t value,
					       bool data)
{
	for (size_t i = 1; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (s->flags & (data ? SECTION_LOADED : SECTION_CODE) && value >= s->addr &&
		    value - s->addr < s->size)
			return s->size > UINT64_MAX - s->addr ? NULL : s;
	}
	return NULL;
}

/* Where the function at rva ends by the unwind tables; one without an entry ends at the next one's latest. */
static uint64_t end_by_tables(const struct pe_function *bounds, size_t n, uint64_t rva, bool *known)
{
	size_t at = BISECT(i, 0, n, bounds[i].lo <= rva);

	*known = at && rva < bounds[at - 1].hi;
	if (*known)
		return bounds[at - 1].hi;
	return at < n ? bounds[at].lo : UINT64_MAX;
}

/* Public symbols of a PDB have no size: the unwind tables may know where their functions end. */
static void bound_publics(struct symtab *s, struct symtab_loading *l, const struct object_image *f)
{
	struct pe_function *bounds;
	const size_t n = pe_functions(f, &bounds);

	for (size_t i = 0; n && i < s->n; i++) {
		struct object_symbol *x = &s->all[i];
		uint64_t end;
		bool known;

		if (x->sized || !section_of(f, x->lo, false))
			continue;
		end = end_by_tables(bounds, n, x->lo - f->pe.base, &known);
		if (end >= l->ends[i] - f->pe.base)
			continue;
		x->sized = known;
		x->hi = l->ends[i] = f->pe.base + end;
	}
	free(bounds);
}

static void add_export(struct symtab *s, struct symtab_loading *l, const struct object_image *f,
		       const struct exports *x, const char *name, uint32_t rva)
{
	const uint64_t value = f->pe.base + rva;
	const struct section_header *t = section_of(f, value, l->data);
	uint64_t end, bound;
	bool known;

	if (!t)
		return;
	end = t->addr + t->size;
	bound = end_by_tables(x->bounds, x->n_bounds, rva, &known);
	if (bound < end - f->pe.base)
		end = f->pe.base + bound;
	symtab_add(
	    s, l,
	    (struct object_symbol){value, end, name, known, false, false, (uint32_t)s->n, NULL}, 0,
	    end);
}

static void add_exports(struct symtab *s, struct symtab_loading *l, const struct object_image *f)
{
	enum { STEPS_MAX = 1 << 28 };
	struct err e = ERR_INIT;
	struct exports x;
	const char *name;
	uint32_t rva;

	if (!load_exports(&x, f)) {
		release_exports(&x);
		return;
	}
	if ((uint64_t)x.n_names * f->n_sections > STEPS_MAX) {
		err_set(&e, ST_LIMIT, "%" PRIu32 " exports in %zu sections are too many", x.n_names,
			f->n_sections);
		symtab_leave_out(s, f, &e);
		release_exports(&x);
		return;
	}
	x.n_bounds = pe_functions(f, &x.bounds);
	for (uint32_t i = 0; i < x.n_names && s->n < SYMBOL_NONE - 1; i++)
		if (export_at(&x, f, i, &name, &rva))
			add_export(s, l, f, &x, name, rva);
	s->names[l->n_names++] = (char *)x.bytes.bytes;
	free(x.bounds);
}

/* Where functions end that are exported, and that no table bounds: of x86 only. */

/* At a function that begins in one of them. */
static void end_at(struct symtab *s, uint64_t start)
{
	size_t i = BISECT(k, 0, s->n, s->all[k].lo < start);

	for (uint64_t lo = i ? s->all[i - 1].lo : 0; i && s->all[i - 1].lo == lo; i--)
		if (!s->all[i - 1].sized && s->all[i - 1].hi > start)
			s->all[i - 1].hi = start;
}

/* What is called is a function. As good as no other byte that looks like a call leads to a multiple of 16 bytes, where
 * functions begin, and into one of these. */
static void end_at_called(struct symtab *s, const struct object_code_part *part)
{
	enum { CALL = 0xe8, SIZE = 5, ALIGN = 16 };

	for (uint64_t i = 0; part->size >= SIZE && i <= part->size - SIZE; i++) {
		uint64_t to;

		if (part->data[i] != CALL)
			continue;
		to = i + SIZE + (uint64_t)(int64_t)(int32_t)le32(part->data + i + 1);
		if (to < part->size && (part->lo + to) % ALIGN == 0)
			end_at(s, part->lo + to);
	}
}

/* In n bytes of a function: int3 up to a multiple of 16 bytes, as linkers fill up with behind it. n: none. Not
 * mov eax, 0xcccccccc of /RTC. */
static uint64_t find_padding(const uint8_t *p, uint64_t n, uint64_t addr)
{
	enum { INT3 = 0xcc, RET = 0xc3, MOV = 0xb8, MOVS = 0xf8 };

	for (uint64_t i = 1, end; i < n; i = end + 1) {
		for (end = i; end < n && p[end] == INT3; end++)
			;
		if (end == i || (addr + end) % 16 ||
		    ((end - i == 4 || end - i == 8) && (p[i - 1] & MOVS) == MOV))
			continue;
		if (end - i > 1 || p[i - 1] == RET)
			return i;
	}
	return n;
}

static void end_at_padding(struct symtab *s, const struct object_code_part *part)
{
	uint64_t lo = 0, hi = 0; /* those of one address end together */

	for (size_t i = BISECT(k, 0, s->n, s->all[k].lo < part->lo); i < s->n; i++) {
		struct object_symbol *x = &s->all[i];
		uint64_t at = x->lo - part->lo;

		if (at >= part->size)
			break;
		if (x->sized || x->hi <= x->lo || x->hi - x->lo > part->size - at)
			continue;
		if (x->lo != lo || !hi) {
			lo = x->lo;
			hi = lo + find_padding(part->data + at, x->hi - lo, lo);
		}
		x->hi = hi < x->hi ? hi : x->hi;
	}
}

static void end_exports(struct symtab *s, struct object *o)
{
	const struct object_code_part *parts;
	size_t n;

	if (o->file.arch != ARCH_X86_64 && o->file.arch != ARCH_X86)
		return;
	if (o->file.pe.entry)
		end_at(s, o->file.pe.base + o->file.pe.entry);
	parts = object_code_locked(o, &n);
	for (size_t i = 0; i < n; i++) {
		end_at_called(s, &parts[i]);
		end_at_padding(s, &parts[i]);
	}
}

/* The public symbols of its PDB, else COFF's, of the file or of its debug file, else the exports. */
static void pe_load(struct symtab *s, struct object *o, bool data)
{
	struct symtab_loading l = {.data = data, .functions = o->functions};

	if (o->debug.pdb) {
		pdb_add_symbols(s, &l, o->debug.pdb, o->file.pe.base);
		if (s->n) {
			s->own = false;
			if (l.functions) /* else they reach as far as LLVM lets them */
				bound_publics(s, &l, &o->file);
			symtab_finish(s, &l);
			return;
		}
	}
	add_coff_symbols(s, &l, &o->file);
	s->own = s->n;
	if (!s->n && o->debug.path && !o->debug.pdb && !data) {
		mem_budget_free((uint8_t *)s->names[0]);
		s->names[0] = NULL;
		l.n_names = 0;
		add_coff_symbols(s, &l, &o->debug);
	}
	if (!s->n) {
		s->own = s->exports = true;
		add_exports(s, &l, &o->file);
	}
	symtab_finish(s, &l);
	if (s->exports && !data)
		end_exports(s, o);
}

static void pe_symbols(struct symtab *s, struct object *o)
{
	pe_load(s, o, false);
}

static void pe_any_symbols(struct symtab *s, struct object *o)
{
	pe_load(s, o, true);
}

/* GNU's ways, as mingw has them, and Microsoft's. */
static bool pe_find_debug(struct object *o, const struct object_search *s, struct buf *refused)
{
	return (o->file.pe.pdb && pe_find_pdb(o, s, refused)) ||
	       (!object_has_dwarf(o) && debuglink_find(o, s, refused));
}

static void each_coff(const struct object_image *f, uint64_t *n,
		      void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	struct coff_names names = {.all = NULL};
	struct err ignored = ERR_INIT;
	struct coff_symbol x;
	struct cursor c;
	uint8_t *bytes = NULL;
	uint64_t size, value, end;

	if (!load_coff(f, &bytes, &size, &names, &ignored)) {
		cursor_init(&c, bytes, (size_t)size, f->symtab.offset, &ignored);
		while (!cursor_done(&c) && next_symbol(&c, &x))
			if (!is_piece(&x) && place_symbol(f, &x, true, &value, &end)) {
				++*n;
				see(arg, &(struct object_linked){.name = symbol_name(f, &names, &x),
								 .value = value});
			}
	}
	mem_budget_free((uint8_t *)names.all);
	mem_budget_free(bytes);
}

/* Exports, which are counted, and imports; or COFF's symbols. */
static bool pe_each_linked(const struct object_image *f, bool dynamic, uint64_t *n,
			   void (*see)(void *arg, const struct object_linked *s), void *arg)
{
	struct exports x;
	const char *name;
	uint32_t rva;

	*n = 0;
	if (!dynamic) {
		each_coff(f, n, see, arg);
		return *n;
	}
	if (load_exports(&x, f)) {
		*n = x.n_names;
		for (uint32_t i = 0; i < x.n_names; i++)
			if (export_at(&x, f, i, &name, &rva))
				see(arg, &(struct object_linked){.name = name,
								 .value = f->pe.base + rva,
								 .exported = true});
	}
	release_exports(&x);
	return pe_each_import(f, see, arg) || *n;
}

static void pe_each_function(const struct object_image *f,
			     void (*see)(void *arg, uint64_t lo, uint64_t hi), void *arg)
{
	struct pe_function *all;
	size_t n = pe_functions(f, &all);

	for (size_t i = 0; i < n; i++)
		see(arg, f->pe.base + all[i].lo, f->pe.base + all[i].hi);
	free(all);
}

const struct object_format format_pe = {
    .about = {.name = "PE",
	      .unsized = true,
	      .linkage = true,
	      .unwound = true,
	      .pdata = true,
	      .image = true},
    .is = pe_is,
    .open = pe_open,
    .symbols = pe_symbols,
    .any_symbols = pe_any_symbols,
    .find_debug = pe_find_debug,
    .each_linked = pe_each_linked,
    .functions = pe_each_function,
};

/* An object of COFF that is the split part of a program's DWARF (.dwo): nothing of it was linked, and nothing has
 * relocations. An object with a part of its own (-gsplit-dwarf=single) is one for those who look for split parts. */
static enum status coff_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	enum { HEADER = COFF_HEADER - 4 };
	struct pe_headers h = {.base = 0};
	struct err ignored = ERR_INIT;
	uint8_t head[HEADER];
	struct cursor c;

	if (image_read(f, 0, head, sizeof head, e))
		return err_failure(e);
	cursor_init(&c, head, sizeof head, 0, e);
	if (read_coff_header(f, &h, &c, HEADER, &ignored) || read_named_sections(f, &h, &ignored) ||
	    !image_section(f, ".debug_info.dwo") ||
	    (image_section(f, ".debug_info") && !(want && want->split)))
		return object_refuse(head, sizeof head, e);
	f->is_64 = f->arch == ARCH_X86_64 || f->arch == ARCH_ARM64;
	f->pe.stamp.time = 0;
	return format_check_arch(f, want, e);
}

static void coff_no_symbols(struct symtab *s, struct object *o)
{
	(void)s;
	(void)o;
}

const struct object_format format_coff = {
    .about = {.name = "COFF", .unsized = true},
    .open = coff_open,
    .symbols = coff_no_symbols,
};
