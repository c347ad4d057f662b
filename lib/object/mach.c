/* SPDX-License-Identifier: MIT */
#include "lib/object/mach.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/object/debug_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FAT_PARTS_MAX = 30, /* a Java class has the same magic, and a version of 45 or more here */
	COMMANDS_MAX = 64 << 20,
	MH_DSYM = 10,
	NAME = 16,
	LC_SEGMENT = 1,
	LC_SYMTAB = 2,
	LC_SEGMENT_64 = 0x19,
	LC_UUID = 0x1b,
	LC_FUNCTION_STARTS = 0x26,
	VM_PROT_EXECUTE = 4,
	SECTION_TYPE = 0xff,
	S_ZEROFILL = 1,
	S_GB_ZEROFILL = 0xc,
	S_THREAD_LOCAL_ZEROFILL = 0x12,
	N_STAB = 0xe0,
	N_TYPE = 0x0e,
	N_SECT = 0x0e,
	N_EXT = 1,
	N_WEAK_DEF = 0x80,
	NLIST_32 = 12,
	NLIST_64 = 16,
};
#define S_ATTR_INSTRUCTIONS UINT32_C(0x80000400) /* pure ones, some */
#define CPU_SUBTYPE_MASK    UINT32_C(0x00ffffff)
#define CPU_ARCH_ABI64      UINT32_C(0x01000000)

/* mach/machine.h. A subtype that is not here counts as the first of its type. */
static const struct arch {
	uint32_t type, subtype;
	const char *name;
	enum object_arch arch;
} archs[] = {
    {7, 3, "i386", ARCH_X86},
    {7 | CPU_ARCH_ABI64, 3, "x86_64", ARCH_X86_64},
    {7 | CPU_ARCH_ABI64, 8, "x86_64h", ARCH_X86_64},
    {12, 6, "armv6", ARCH_ARM},
    {12, 9, "armv7", ARCH_ARM},
    {12, 11, "armv7s", ARCH_ARM},
    {12, 12, "armv7k", ARCH_ARM},
    {12 | CPU_ARCH_ABI64, 0, "arm64", ARCH_ARM64},
    {12 | CPU_ARCH_ABI64, 1, "arm64", ARCH_ARM64},
    {12 | CPU_ARCH_ABI64, 2, "arm64e", ARCH_ARM64},
    {12 | UINT32_C(0x02000000), 1, "arm64_32", ARCH_ARM64},
};

static const struct arch *arch_of(uint32_t type, uint32_t subtype)
{
	const struct arch *any = NULL;

	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
		if (archs[i].type != type)
			continue;
		if (archs[i].subtype == (subtype & CPU_SUBTYPE_MASK))
			return &archs[i];
		any = any ? any : &archs[i];
	}
	return any;
}

enum object_arch object_arch_by_name(const char *arch)
{
	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
		if (!strcmp(archs[i].name, arch))
			return archs[i].arch;
	return ARCH_UNKNOWN;
}

static bool mach_is_fat(const uint8_t head[8])
{
	uint32_t magic = be32(head);

	return magic == 0xcafebabf || (magic == 0xcafebabe && be32(head + 4) <= FAT_PARTS_MAX);
}

static bool mach_is_thin(const uint8_t head[8])
{
	uint32_t magic = be32(head);

	return magic == 0xfeedface || magic == 0xfeedfacf || magic == 0xcefaedfe ||
	       magic == 0xcffaedfe;
}

struct part {
	uint64_t offset, size;
	const struct arch *arch; /* NULL: unknown */
};

static enum status mach_read_parts(const struct object_image *f, struct part *parts, size_t *n,
				   struct err *e)
{
	uint8_t bytes[8 + FAT_PARTS_MAX * 32];
	enum status st = image_read(f, 0, bytes, 8, e);
	struct cursor c;
	bool wide;
	size_t each;

	if (st)
		return err_prefix(e, "universal Mach-O header");
	wide = bytes[3] == 0xbf;
	*n = be32(bytes + 4);
	each = wide ? 32 : 20;
	if (!*n || *n > FAT_PARTS_MAX)
		return err_at(e, ST_BAD, 4, "universal Mach-O file of %zu parts", *n);
	st = image_read(f, 8, bytes, *n * each, e);
	if (st)
		return err_prefix(e, "universal Mach-O header");
	cursor_init(&c, bytes, *n * each, 8, e);
	c.big_endian = true;
	for (size_t i = 0; i < *n; i++) {
		uint32_t type = cursor_u32(&c), subtype = cursor_u32(&c);
		struct part *p = &parts[i];

		p->offset = wide ? cursor_u64(&c) : cursor_u32(&c);
		p->size = wide ? cursor_u64(&c) : cursor_u32(&c);
		cursor_skip(&c, wide ? 8 : 4, "universal Mach-O header");
		p->arch = arch_of(type, subtype);
		if (p->offset < 8 + *n * each || p->offset > f->size ||
		    p->size > f->size - p->offset)
			return err_at(e, ST_BAD, 8 + i * each,
				      "part %zu of %" PRIu64 " bytes lies outside the file, or in "
				      "its header",
				      i, p->size);
		for (size_t k = 0; k < i; k++)
			if (p->size && parts[k].size &&
			    p->offset < parts[k].offset + parts[k].size &&
			    parts[k].offset < p->offset + p->size)
				return err_at(e, ST_BAD, 8 + i * each, "parts %zu and %zu overlap",
					      k, i);
	}
	return ST_OK;
}

static struct object_image within(const struct object_image *f, const struct part *p)
{
	struct object_image part = {.fd = f->fd, .mem = f->mem, .size = p->size};

	if (f->fd >= 0)
		part.base = f->base + p->offset;
	else
		part.mem += p->offset;
	return part;
}

static enum status mach_read(struct object_image *f, const struct object_want *want, struct err *e);

static bool has_id(const struct object_image *f, const struct part *p,
		   const struct object_build_id *id)
{
	struct object_image part = within(f, p);
	struct err ignored = ERR_INIT;
	uint8_t head[8];
	bool has;

	if (image_read(&part, 0, head, sizeof head, &ignored) || !mach_is_thin(head))
		return false;
	has = !mach_read(&part, NULL, &ignored) && object_build_id_equal(&part.build_id, id);
	free(part.segments);
	free(part.sections);
	free(part.names);
	return has;
}

/* The one of a universal file that is wanted by its architecture; NULL: none is. */
static const struct part *part_for(const struct part *parts, size_t n,
				   const struct object_want *want)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].arch && !strcmp(parts[i].arch->name, want->arch))
			return &parts[i];
	for (size_t i = 0; want->kin && i < n; i++)
		if (parts[i].arch && parts[i].arch->arch == object_arch_by_name(want->arch))
			return &parts[i];
	return NULL;
}

static enum status narrow(struct object_image *f, const struct object_want *want, struct err *e)
{
	struct part parts[FAT_PARTS_MAX] = {{0}};
	const struct part *best = NULL;
	const bool by_id = want && !want->arch && want->id && want->id->len;
	struct buf names = BUF_INIT;
	size_t n = 0;
	enum status st = mach_read_parts(f, parts, &n, e);

	if (st)
		return st;
	for (size_t i = 0; i < n; i++) {
		const char *name = parts[i].arch ? parts[i].arch->name : "for another processor";

		buf_addf(&names, "%s%s", i ? ", " : "", name);
		if (by_id && !best && has_id(f, &parts[i], want->id))
			best = &parts[i];
	}
	if (want && want->arch)
		best = part_for(parts, n, want);
	if (!best && n == 1 && !(want && want->arch))
		best = parts;
	if (best) {
		struct object_image part = within(f, best);

		f->base = part.base;
		f->mem = part.mem;
		f->size = part.size;
	} else if (want && want->arch) {
		st = err_set(e, ST_UNSUPPORTED, "the universal Mach-O file has no %s, only %s",
			     want->arch, buf_str(&names));
	} else {
		st = err_set(
		    e, ST_UNSUPPORTED,
		    "the universal Mach-O file has %s: name one, as in FILE:%s (tm-atos: -arch)",
		    buf_str(&names), parts[0].arch ? parts[0].arch->name : "arm64");
	}
	buf_release(&names);
	return st;
}

enum status mach_narrow(struct object_image *f, const struct object_want *want, struct err *e)
{
	uint8_t head[8] = {0};
	enum status st =
	    image_read(f, 0, head, f->size < sizeof head ? (size_t)f->size : sizeof head, e);

	return st || !mach_is_fat(head) ? st : narrow(f, want, e);
}

size_t object_archs(const char *path, const char **names, size_t max)
{
	struct part parts[FAT_PARTS_MAX] = {{0}};
	struct object_image f = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	struct err ignored = ERR_INIT;
	uint8_t head[8];
	struct stat sb;
	size_t n = 0, kept = 0;

	if (f.fd < 0)
		return 0;
	if (!fstat(f.fd, &sb) && S_ISREG(sb.st_mode)) {
		f.size = (uint64_t)sb.st_size;
		if (image_read(&f, 0, head, sizeof head, &ignored) || !mach_is_fat(head) ||
		    mach_read_parts(&f, parts, &n, &ignored))
			n = 0;
	}
	close(f.fd);
	for (size_t i = 0; i < n && kept < max; i++)
		if (parts[i].arch)
			names[kept++] = parts[i].arch->name;
	return kept;
}

struct mach_reading {
	struct object_image *f;
	size_t cap_segments, cap_sections;
	bool dsym;        /* it is the file in a .dSYM */
	struct buf names; /* offsets in it stand in for the sections' names until it is whole */
};

/* "__debug_str_offs" -> ".debug_str_offsets" */
static size_t add_name(struct mach_reading *r, const char *segment, const char *name)
{
	size_t at = r->names.len, n = strnlen(name, NAME);
	const bool debug = !strncmp(segment, "__DWARF", NAME);

	if (n > 2 && !strncmp(name, "__", 2)) {
		buf_addc(&r->names, '.');
		buf_add(&r->names, name + 2, n - 2);
	} else {
		buf_add(&r->names, name, n);
	}
	if (debug && n == NAME && !strncmp(name, "__debug_str_offs", NAME))
		buf_adds(&r->names, "ets");
	buf_addc(&r->names, 0);
	return at;
}

static void mach_read_section(struct mach_reading *r, struct cursor *c, bool wide)
{
	const char *name = (const char *)cursor_bytes(c, NAME, "section");
	const char *segment = (const char *)cursor_bytes(c, NAME, "section");
	uint64_t addr = wide ? cursor_u64(c) : cursor_u32(c);
	uint64_t size = wide ? cursor_u64(c) : cursor_u32(c);
	uint32_t offset = cursor_u32(c), flags, type;
	struct section_header s = {.addr = addr, .offset = offset, .size = size};

	cursor_skip(c, 12, "section"); /* align, reloff, nreloc */
	flags = cursor_u32(c);
	cursor_skip(c, wide ? 12 : 8, "section");
	if (cursor_failed(c))
		return;
	type = flags & SECTION_TYPE;
	/* in a .dSYM what is not DWARF has kept its headers only */
	s.kind = type == S_ZEROFILL || type == S_GB_ZEROFILL || type == S_THREAD_LOCAL_ZEROFILL ||
			 !offset
		     ? SECTION_ZEROES
		     : SECTION_BYTES;
	if (strncmp(segment, "__DWARF", NAME) != 0)
		s.flags = SECTION_LOADED | (flags & S_ATTR_INSTRUCTIONS ? SECTION_CODE : 0);
	s.name = (const char *)(uintptr_t)add_name(r, segment, name);
	VEC_PUSH(r->f->sections, r->f->n_sections, r->cap_sections) = s;
}

static void mach_read_segment(struct mach_reading *r, struct cursor *c, bool wide)
{
	const char *name = (const char *)cursor_bytes(c, NAME, "segment");
	uint64_t v[4];
	uint32_t prot, n;
	struct object_segment s;

	for (size_t i = 0; i < 4; i++)
		v[i] = wide ? cursor_u64(c) : cursor_u32(c);
	cursor_u32(c);
	prot = cursor_u32(c);
	n = cursor_u32(c);
	cursor_u32(c);
	if (cursor_failed(c))
		return;
	if (!strncmp(name, "__TEXT", NAME))
		r->f->mach.text = v[0];
	s = (struct object_segment){.vaddr = v[0],
				    .memsz = v[1],
				    .offset = v[2],
				    .filesz = v[3],
				    .align = 1,
				    .executable = prot & VM_PROT_EXECUTE};
	if (r->dsym) /* of the program's bytes it has none, or __eh_frame alone, at offsets of its own */
		s.offset = s.filesz = 0;
	if (strncmp(name, "__PAGEZERO", NAME) != 0 && strncmp(name, "__DWARF", NAME) != 0 &&
	    s.memsz && prot)
		VEC_PUSH(r->f->segments, r->f->n_segments, r->cap_segments) = s;
	for (uint32_t i = 0; i < n && !cursor_failed(c); i++)
		mach_read_section(r, c, wide);
}

static void mach_read_command(struct mach_reading *r, struct cursor *c, uint32_t command)
{
	struct object_image *f = r->f;
	const uint8_t *id;

	switch (command) {
	case LC_SEGMENT:
	case LC_SEGMENT_64: mach_read_segment(r, c, command == LC_SEGMENT_64); break;
	case LC_UUID:
		id = cursor_bytes(c, 16, "UUID");
		if (id) {
			memcpy(f->build_id.bytes, id, 16);
			f->build_id.len = 16;
		}
		break;
	case LC_SYMTAB:
		f->symtab.offset = cursor_u32(c);
		f->symtab.n = cursor_u32(c);
		f->symtab.names = cursor_u32(c);
		f->symtab.n_names = cursor_u32(c);
		break;
	case LC_FUNCTION_STARTS:
		f->mach.starts = cursor_u32(c);
		f->mach.n_starts = cursor_u32(c);
		break;
	default: break;
	}
}

static enum status mach_read_commands(struct mach_reading *r, const uint8_t *bytes, size_t n,
				      size_t at, uint32_t count, struct err *e)
{
	struct cursor c;

	cursor_init(&c, bytes, n, at, e);
	c.big_endian = r->f->big_endian;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t command = cursor_u32(&c), size = cursor_u32(&c);
		struct cursor inner;

		if (cursor_failed(&c) || size < 8 || size - 8 > cursor_window(&c))
			return cursor_fail(
			    &c, ST_BAD,
			    "load command %" PRIu32 " of %" PRIu32 " bytes does not fit", i, size);
		cursor_init(&inner, c.pos, size - 8, cursor_offset(&c), e);
		inner.big_endian = c.big_endian;
		mach_read_command(r, &inner, command);
		if (cursor_failed(&inner))
			return err_prefix(e, "load command %" PRIu32, i);
		cursor_skip(&c, size - 8, "load command");
	}
	return ST_OK;
}

static enum status check_arch(struct object_image *f, uint32_t type, uint32_t subtype,
			      const struct object_want *want, struct err *e)
{
	const struct arch *arch = arch_of(type, subtype);

	if (!arch)
		return err_set(e, ST_UNSUPPORTED, "a Mach-O file for processor type 0x%" PRIx32,
			       type);
	f->arch = arch->arch;
	f->lipo = arch->name;
	if (want && want->arch && !want->lenient && strcmp(want->arch, arch->name) != 0)
		return err_set(e, ST_UNSUPPORTED, "a Mach-O file for %s, not %s", arch->name,
			       want->arch);
	return ST_OK;
}

static enum status mach_read(struct object_image *f, const struct object_want *want, struct err *e)
{
	struct mach_reading r = {.f = f};
	uint32_t type, subtype, count, n_bytes;
	uint8_t head[32] = {0}, *bytes;
	struct cursor c;
	enum status st;

	st = image_read(f, 0, head, f->size < sizeof head ? (size_t)f->size : sizeof head, e);
	if (st)
		return st;
	f->big_endian = head[0] == 0xfe;
	f->is_64 = head[0] == 0xcf || head[3] == 0xcf;
	if (f->size < (f->is_64 ? 32 : 28))
		return err_at(e, ST_BAD, f->size, "Mach-O header: cut short");
	cursor_init(&c, head + 4, sizeof head - 4, 4, e);
	c.big_endian = f->big_endian;
	type = cursor_u32(&c);
	subtype = cursor_u32(&c);
	r.dsym = cursor_u32(&c) == MH_DSYM;
	count = cursor_u32(&c);
	n_bytes = cursor_u32(&c);
	st = check_arch(f, type, subtype, want, e);
	if (st)
		return st;
	if (n_bytes > COMMANDS_MAX || n_bytes > f->size - (f->is_64 ? 32 : 28))
		return err_at(e, ST_BAD, 20,
			      "%" PRIu32 " bytes of load commands lie outside the file of %" PRIu64,
			      n_bytes, f->size);
	bytes = mem_alloc((size_t)n_bytes + 1);
	st = image_read(f, f->is_64 ? 32 : 28, bytes, n_bytes, e);
	VEC_PUSH(f->sections, f->n_sections, r.cap_sections) =
	    (struct section_header){.name = NULL};
	buf_addc(&r.names, 0);
	if (!st)
		st = mach_read_commands(&r, bytes, n_bytes, f->is_64 ? 32 : 28, count, e);
	free(bytes);
	f->names = r.names.data;
	for (size_t i = 0; i < f->n_sections; i++)
		f->sections[i].name = f->names + (uintptr_t)f->sections[i].name;
	return st;
}

struct mach_symbol {
	uint64_t value;
	uint32_t name; /* offset in the names */
	uint8_t section;
	bool placed, code, external, weak; /* placed: it is in a section */
};

static struct mach_symbol next_symbol(struct cursor *c, const struct object_image *f)
{
	struct mach_symbol s = {.name = cursor_u32(c)};
	uint8_t type = cursor_u8(c);
	uint16_t about;

	s.section = cursor_u8(c);
	about = cursor_u16(c);
	s.value = f->is_64 ? cursor_u64(c) : cursor_u32(c);
	s.external = type & N_EXT;
	s.weak = about & N_WEAK_DEF;
	s.placed = !(type & N_STAB) && (type & N_TYPE) == N_SECT && s.section < f->n_sections;
	s.code = s.placed && f->sections[s.section].flags & SECTION_CODE;
	return s;
}

/* The starts of functions by LC_FUNCTION_STARTS, ascending. It is there in stripped files, too:
 * ULEB128 numbers, of which the first one counts from __TEXT on, and each other one from the start before it. */
struct mach_starts {
	uint64_t *all;
	size_t n;
};
enum { STARTS_MOST = 32 << 20 }; /* bytes of the table */

static void read_starts(struct mach_starts *t, const struct object_image *f)
{
	const struct section_header table = {.name = "function starts",
					     .kind = SECTION_OTHER,
					     .offset = f->mach.starts,
					     .size = f->mach.n_starts};
	struct err ignored = ERR_INIT;
	uint64_t at = f->mach.text, size;
	uint8_t *bytes;
	struct cursor c;

	*t = (struct mach_starts){.n = 0};
	/* a byte becomes eight here; of the largest programs the table has some megabytes */
	if (!table.size || table.size > STARTS_MOST ||
	    section_read(f, &table, &bytes, &size, &ignored))
		return;
	t->all = mem_array((size_t)size, sizeof *t->all); /* each takes a byte at least */
	cursor_init(&c, bytes, (size_t)size, table.offset, &ignored);
	while (!cursor_done(&c)) {
		uint64_t step = cursor_uleb(&c);

		if (cursor_failed(&c) || !step || step > UINT64_MAX - at)
			break;
		at += step;
		/* the lowest bit says Thumb */
		t->all[t->n++] = f->arch == ARCH_ARM ? at & ~UINT64_C(1) : at;
	}
	mem_budget_free(bytes);
}

static uint64_t next_start(const struct mach_starts *t, uint64_t addr)
{
	size_t at = BISECT(i, 0, t->n, t->all[i] <= addr);

	return at < t->n ? t->all[at] : UINT64_MAX;
}

/* Of one symbol table, and for all of them. */
struct mach_loading {
	struct symtab *s;
	struct symtab_loading l;
	size_t n_names;
	struct map64 known; /* addresses that the tables before have a symbol at */
	struct mach_starts starts;
};

static void add_symbol(struct mach_loading *x, const struct object_image *f,
		       const struct mach_symbol *m, const char *name)
{
	const struct section_header *t =
	    m->code || (x->l.data && m->placed) ? &f->sections[m->section] : NULL;
	uint64_t end;

	if (!t || !*name || t->size > UINT64_MAX - t->addr || m->value >= t->addr + t->size)
		return;
	if (m->value < t->addr && !x->l.data) /* __mh_execute_header stands before its section */
		return;
	if (map64_get(&x->known, m->value))
		return;
	end = next_start(&x->starts, m->value);
	if (end > t->addr + t->size)
		end = t->addr + t->size;
	symtab_add(x->s, &x->l,
		   (struct object_symbol){m->value, end, name, false, false, false,
					  (uint32_t)x->s->n, NULL},
		   !m->external ? 2 : m->weak, end);
}

/* Mach-O: one table, names with an underscore, no sizes. */
static void add_table(struct mach_loading *x, const struct object_image *f)
{
	const uint64_t each = f->is_64 ? NLIST_64 : NLIST_32;
	const struct section_header table = {.name = "symbols",
					     .kind = SECTION_SYMBOLS,
					     .offset = f->symtab.offset,
					     .size = f->symtab.n * each};
	const struct section_header strings = {.name = "names",
					       .kind = SECTION_STRINGS,
					       .offset = f->symtab.names,
					       .size = f->symtab.n_names};
	struct err e = ERR_INIT;
	uint8_t *bytes = NULL, *names = NULL;
	uint64_t size, n_names = 0;
	struct cursor c;

	if (section_read(f, &table, &bytes, &size, &e)) {
		symtab_leave_out(x->s, f, &e);
		return;
	}
	if (section_read(f, &strings, &names, &n_names, &e)) {
		symtab_leave_out(x->s, f, &e);
		mem_budget_free(bytes);
		return;
	}
	cursor_init(&c, bytes, (size_t)size, table.offset, &e);
	c.big_endian = f->big_endian;
	while (!cursor_done(&c) && x->s->n < SYMBOL_NONE - 1) {
		struct mach_symbol m = next_symbol(&c, f);
		const char *name = m.name < n_names ? (const char *)names + m.name : "";

		add_symbol(x, f, &m, name + (*name == '_'));
	}
	x->s->names[x->n_names++] = (char *)names;
	mem_budget_free(bytes);
}

/* Some symbol ends where a function begins that has none. */
static bool is_bounded(const struct symtab *s, const struct mach_starts *t)
{
	for (size_t i = 0; t->n && i < s->n; i++) {
		uint64_t hi = s->all[i].hi;
		size_t next = BISECT(k, i, s->n, s->all[k].lo < hi);
		size_t at = BISECT(k, 0, t->n, t->all[k] < hi);

		if (at < t->n && t->all[at] == hi && (next == s->n || s->all[next].lo != hi))
			return true;
	}
	return false;
}

/* What strip has left in the file knows no more than the table of its .dSYM, and leaves gaps that seem to be of the
 * symbols before them. */
static void mach_symbols(struct symtab *s, struct object *o)
{
	struct mach_loading x = {.s = s};

	read_starts(&x.starts, &o->file);
	if (o->debug.path)
		add_table(&x, &o->debug);
	s->own = !s->n;
	for (size_t i = 0, n = s->n; i < n; i++)
		*map64_put(&x.known, s->all[i].lo) = 1;
	add_table(&x, &o->file);
	symtab_finish(s, &x.l);
	s->own = s->own && !is_bounded(s, &x.starts);
	map64_release(&x.known);
	free(x.starts.all);
}

/* data: not those of code alone; each is then as large as LLVM has it, up to the next symbol or the end of its section. */
static void load_as_llvm(struct symtab *s, struct object *o, bool data)
{
	struct mach_loading x = {.s = s, .l = {.data = data}};

	add_table(&x, &o->file);
	if (!s->n && o->debug.path)
		add_table(&x, &o->debug);
	symtab_finish(s, &x.l);
	for (size_t i = 0; data && i < s->n; i++)
		s->all[i].sized = true;
}

static void mach_own_symbols(struct symtab *s, struct object *o)
{
	load_as_llvm(s, o, false);
}

static void mach_any_symbols(struct symtab *s, struct object *o)
{
	load_as_llvm(s, o, true);
}

/* Behind the section of code that holds an address; 0: none does. */
static uint64_t mach_code_end(const struct object_image *f, uint64_t addr)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (s->flags & SECTION_CODE && addr >= s->addr && addr - s->addr < s->size)
			return s->size > UINT64_MAX - s->addr ? 0 : s->addr + s->size;
	}
	return 0;
}

static void mach_each_function(const struct object_image *f,
			       void (*see)(void *arg, uint64_t lo, uint64_t hi), void *arg)
{
	enum { STEPS_MAX = 1 << 28 };
	struct mach_starts t;
	uint64_t end = 0;

	read_starts(&t, f);
	if ((uint64_t)t.n * f->n_sections > STEPS_MAX)
		t.n = 0;
	for (size_t i = 0; i < t.n; i++) {
		if (t.all[i] >= end)
			end = mach_code_end(f, t.all[i]);
		if (t.all[i] < end)
			see(arg, t.all[i], i + 1 < t.n && t.all[i + 1] < end ? t.all[i + 1] : end);
	}
	free(t.all);
}

static bool mach_is(const uint8_t head[8])
{
	return mach_is_fat(head) || mach_is_thin(head);
}

static enum status mach_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	uint8_t head[8] = {0};
	enum status st = mach_narrow(f, want, e);

	if (!st)
		st = image_read(f, 0, head, f->size < 8 ? (size_t)f->size : 8, e);
	if (!st && !mach_is_thin(head))
		st = err_set(e, ST_UNSUPPORTED,
			     "a part of a universal Mach-O file is not a Mach-O file");
	return st ? st : mach_read(f, want, e);
}

/* Its .dSYM, else its debug map. A .dSYM that was refused is said in any case. */
static bool mach_find_debug(struct object *o, const struct object_search *s, struct buf *refused)
{
	if (dsym_find(o, s, refused))
		return true;
	debug_map_find(o);
	return object_has_debug_map(o) && !refused->len;
}

const struct object_format format_mach = {
    .about = {.name = "Mach-O", .unsized = true, .unwound = true},
    .is = mach_is,
    .open = mach_open,
    .symbols = mach_symbols,
    .own_symbols = mach_own_symbols,
    .any_symbols = mach_any_symbols,
    .find_debug = mach_find_debug,
    .functions = mach_each_function,
};
