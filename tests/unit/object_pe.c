/* SPDX-License-Identifier: MIT
 *
 * lib/object/pe.c: PE files made byte by byte, of either width, as lld and GNU ld write them, and
 * what lies about its counts and places.
 */
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/object/object.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HEADER = 0x40, /* of PE, behind that of DOS */
	TEXT_RVA = 0x1000,
	TEXT_AT = 0x400,
	DATA_RVA = 0x2000,
	DATA_AT = 0x600,
	UNWIND = 0x100, /* in .rdata */
	UNWIND_SIZE = 48,
	INFO_OF = 0x140,
	INFO_RVA = 0x4000,
	INFO_AT = 0x800,
	SYMBOLS_AT = 0xa00,
	NO_SYMBOLS = 0,
	CODE = 0x60000020,
	DATA = 0x40000040,
	TOOLS = 0x42000040,
};

struct file {
	bool wide;
	uint16_t machine;
	uint64_t base;
	bool symbols, exports, unwind;
	const char *symbol; /* the first one; NULL: f */
	const char
	    *info; /* the name of the section with DWARF, as the header has it; NULL: .debug_info */
};

static void put(struct buf *b, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(i < sizeof v ? v >> 8 * i : 0));
}

static void pad(struct buf *b, size_t to)
{
	while (b->len < to)
		buf_addc(b, 0);
}

static void put_name(struct buf *b, const char *name)
{
	char field[8] = {0};

	memcpy(field, name, strlen(name) < 8 ? strlen(name) : 8);
	buf_add(b, field, 8);
}

static void put_section(struct buf *b, const char *name, uint32_t memory, uint32_t rva,
			uint32_t bytes, uint32_t at, uint32_t flags)
{
	put_name(b, name);
	put(b, memory, 4);
	put(b, rva, 4);
	put(b, bytes, 4);
	put(b, at, 4);
	put(b, 0, 12);
	put(b, flags, 4);
}

/* name: of at most 8 bytes, or NULL: at in the string table. */
static void put_symbol(struct buf *b, const char *name, uint32_t at, uint32_t value,
		       uint16_t section, uint16_t type, uint8_t class, uint8_t more)
{
	if (name)
		put_name(b, name);
	else
		put(b, (uint64_t)at << 32, 8);
	put(b, value, 4);
	put(b, section, 2);
	put(b, type, 2);
	put(b, class, 1);
	put(b, more, 1);
}

static void put_function(struct buf *b, uint32_t lo, uint32_t hi, uint32_t info)
{
	put(b, TEXT_RVA + lo, 4);
	put(b, TEXT_RVA + hi, 4);
	put(b, DATA_RVA + info, 4);
}

/* .rdata: at 0 the debug directory, at 0x40 RSDS, at 0x80 the exports, behind them the unwind tables. */
static void put_rdata(struct buf *b, const struct file *f)
{
	static const char names[] = "forwarded\0second";

	put(b, 0, 12);
	put(b, 16, 4); /* of another type, skipped */
	put(b, 0, 12);
	put(b, 0, 12);
	put(b, 2, 4);
	put(b, 0x30, 4);
	put(b, DATA_RVA + 0x40, 4);
	put(b, DATA_AT + 0x40, 4);
	pad(b, DATA_AT + 0x40);
	buf_adds(b, "RSDS");
	for (int i = 1; i <= 16; i++)
		buf_addc(b, (char)i);
	put(b, 7, 4);
	buf_add(b, "c:\\out\\game.pdb", 16);
	pad(b, DATA_AT + 0x80);
	put(b, 0, 20);
	put(b, 3, 4); /* functions, of which one has no name */
	put(b, 2, 4);
	put(b, DATA_RVA + 0xb0, 4);
	put(b, DATA_RVA + 0xc0, 4);
	put(b, DATA_RVA + 0xc8, 4);
	pad(b, DATA_AT + 0xb0);
	put(b, TEXT_RVA + 0x8, 4);
	put(b, DATA_RVA + 0xd0, 4);
	put(b, TEXT_RVA + 0x10, 4);
	pad(b, DATA_AT + 0xc0);
	put(b, DATA_RVA + 0xd0, 4);
	put(b, DATA_RVA + 0xda, 4);
	put(b, 1, 2);
	put(b, 2, 2);
	pad(b, DATA_AT + 0xd0);
	buf_add(b, names, sizeof names);
	pad(b, DATA_AT + UNWIND);
	if (f->machine == 0xaa64) {
		put(b, TEXT_RVA, 4);
		put(b, 2 << 2 | 1, 4); /* two instructions, described here */
		put(b, TEXT_RVA + 0x10, 4);
		put(b, DATA_RVA + INFO_OF, 4); /* four, described there */
		put(b, TEXT_RVA + 0x38, 4);
		put(b, 100 << 2 | 1, 4); /* more than there is: no function */
		put(b, 0, 24);
	} else {
		/* not in order; the last two continue the second one, and one of them lies apart */
		put_function(b, 0x10, 0x18, INFO_OF);
		put_function(b, 0, 8, INFO_OF);
		put_function(b, 0x18, 0x20, INFO_OF + 4);
		put_function(b, 0x30, 0x38, INFO_OF + 4);
	}
	pad(b, DATA_AT + INFO_OF);
	put(b, f->machine == 0xaa64 ? 4 : 1, 4);
	put(b, 1 | 4 << 3, 4); /* version 1, chained */
	pad(b, INFO_AT);
}

static void put_symbols(struct buf *b, const struct file *f)
{
	static const char strings[] = ".debug_info\0_a_long_name";
	const char *under = f->symbol ? f->symbol : f->machine == 0x14c ? "_f" : "f";

	if (f->symbols) {
		put_symbol(b, ".file", 0, 0, 0xfffe, 0, 103, 1);
		put_symbol(b, "w.cpp", 0, 0, 0, 0, 0, 0);
		put_symbol(b, ".text", 0, 0, 1, 0, 3, 1);
		put_symbol(b, "", 0x3d, 0, 0, 0, 0, 0);
		put_symbol(b, under, 0, 0, 1, 0x20, 2, 0);
		put_symbol(b, NULL, 4 + 12, 0x20, 1, 0x20, 3, 0);
		put_symbol(b, "eightbyt", 0, 0x30, 1, 0, 2, 0);
		put_symbol(b, "absolute", 0, 0x1234, 0xffff, 0, 2, 0);
		put_symbol(b, "outside", 0, 0x40, 1, 0x20, 2, 0);
		put_symbol(b, ".text", 0, 0x28, 1, 0, 3,
			   1); /* of another object file, as GNU ld has it */
		put_symbol(b, "", 0x3d, 0, 0, 0, 0, 0);
		put_symbol(b, "variable", 0, 4, 2, 0, 2, 0);
		put_symbol(b, NULL, 0xffffff, 0x38, 1, 0x20, 2, 0);
	}
	put(b, 4 + sizeof strings, 4);
	buf_add(b, strings, sizeof strings);
}

static void make(struct buf *b, const struct file *f)
{
	buf_adds(b, "MZ");
	pad(b, 0x3c);
	put(b, HEADER, 4);
	buf_add(b, "PE\0\0", 4);
	put(b, f->machine, 2);
	put(b, 3, 2);
	put(b, 0, 4);
	put(b, SYMBOLS_AT, 4);
	put(b, f->symbols ? 13 : NO_SYMBOLS, 4);
	put(b, f->wide ? 112 + 128 : 96 + 128, 2);
	put(b, 0x22, 2);
	put(b, f->wide ? 0x20b : 0x10b, 2);
	put(b, 0, f->wide ? 22 : 26);
	put(b, f->base, f->wide ? 8 : 4);
	put(b, 0x1000, 4);
	put(b, 0x200, 4);
	put(b, 0, 16);
	put(b, 0x5000, 4);
	put(b, 0x400, 4); /* of headers */
	put(b, 0, f->wide ? 44 : 28);
	put(b, 16, 4);
	put(b, f->exports ? DATA_RVA + 0x80 : 0, 4);
	put(b, f->exports ? 0x60 : 0, 4);
	put(b, 0, 8);
	put(b, 0, 8);
	put(b, f->unwind ? DATA_RVA + UNWIND : 0, 4);
	put(b, f->unwind ? UNWIND_SIZE : 0, 4);
	put(b, 0, 2 * 8);
	put(b, DATA_RVA, 4);
	put(b, 56, 4);
	put(b, 0, 9 * 8);
	put_section(b, ".text", 0x40, TEXT_RVA, 0x200, TEXT_AT, CODE);
	put_section(b, ".rdata", 0x180, DATA_RVA, 0x200, DATA_AT, DATA);
	put_section(b, f->info ? f->info : "/4", 10, INFO_RVA, 0x200, INFO_AT, TOOLS);
	pad(b, TEXT_AT);
	for (int i = 0; i < 0x200; i++)
		buf_addc(b, (char)0xcc);
	put_rdata(b, f);
	buf_adds(b, "0123456789");
	pad(b, SYMBOLS_AT);
	put_symbols(b, f);
}

static struct object *open_made(struct buf *b, const struct file *f)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	make(b, f);
	if (!CHECK_EQ(object_open_memory(&o, b->data, b->len, &e), ST_OK))
		fprintf(stderr, "  %s\n", e.msg);
	return o;
}

static void check_symbol(struct object *o, uint64_t at, const char *name)
{
	const struct object_symbol *s = object_symbol_at(o, at);

	if (!CHECK(!s == !name))
		fprintf(stderr, "  at 0x%llx\n", (unsigned long long)at);
	if (s && name)
		CHECK_STR(s->name, name);
}

static const struct file x64 = {
    .wide = true, .machine = 0x8664, .base = 0x140000000, .symbols = true};
static const struct file x86 = {.machine = 0x14c, .base = 0x400000, .symbols = true};

TEST(headers_of_either_width)
{
	static const uint8_t guid[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	const struct file *const files[] = {&x64, &x86};

	for (size_t i = 0; i < 2; i++) {
		struct buf b = BUF_INIT;
		struct object *o = open_made(&b, files[i]);
		struct object_section s;
		struct err e = ERR_INIT;
		uint64_t vaddr = 0;

		if (!o)
			return;
		CHECK_STR(object_kind(o)->name, "PE");
		CHECK_EQ(object_arch(o), i ? ARCH_X86 : ARCH_X86_64);
		CHECK_EQ(object_is_64(o), !i);
		CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, guid, 16);
		/* what is in memory, not what is padded */
		CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
		CHECK_MEM(s.data, s.size, "0123456789", 10);
		CHECK(object_has_dwarf(o));
		CHECK(object_is_code(o, files[i]->base + TEXT_RVA + 0x3f));
		CHECK(!object_is_code(o, files[i]->base + TEXT_RVA + 0x40));
		CHECK(!object_is_code(o, files[i]->base + DATA_RVA));
		CHECK_EQ(object_offset_to_vaddr(o, TEXT_AT + 5, &vaddr), ST_OK);
		CHECK_EQ(vaddr, files[i]->base + TEXT_RVA + 5);
		CHECK_EQ(object_offset_to_vaddr(o, 0, &vaddr), ST_OK);
		CHECK_EQ(vaddr, files[i]->base);
		object_free(o);
		buf_release(&b);
	}
}

TEST(names_of_sections)
{
	static const struct {
		const char *name, *is;
	} names[] = {{"/4", ".debug_info"},
		     {"//AAAAAE", ".debug_info"}, /* 4, in base 64 */
		     {"/9999999", ""},
		     {"//////+/", ""},
		     {"/x", "/x"},
		     {"/", "/"},
		     {"8bytes..", "8bytes.."}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct file f = x64;
		struct buf b = BUF_INIT;
		struct object *o;

		f.info = names[i].name;
		o = open_made(&b, &f);
		if (!o)
			return;
		CHECK_EQ(object_section_count(o), 4);
		CHECK_STR(object_section_info(o, 3).name, names[i].is);
		object_free(o);
		buf_release(&b);
	}
}

TEST(coff_symbols)
{
	const struct file *const files[] = {&x64, &x86};

	for (size_t i = 0; i < 2; i++) {
		const uint64_t text = files[i]->base + TEXT_RVA;
		struct buf b = BUF_INIT;
		struct object *o = open_made(&b, files[i]);
		const struct object_symbol *s;
		size_t n;

		if (!o)
			return;
		(void)object_symbols(o, &n);
		CHECK_EQ(n, 3);
		check_symbol(o, text, "f");
		check_symbol(o, text + 0x1f, "f");
		check_symbol(o, text + 0x20, i ? "a_long_name" : "_a_long_name");
		check_symbol(o, text + 0x3f, "eightbyt");
		check_symbol(o, text + 0x40, NULL);
		s = object_symbol_at(o, text + 0x20);
		CHECK(s && s->local && !s->sized && s->hi == text + 0x28);
		check_symbol(o, text + 0x27, i ? "a_long_name" : "_a_long_name");
		check_symbol(o, text + 0x28, NULL); /* of another object file, without symbols */
		s = object_any_symbol_at(o, files[i]->base + DATA_RVA + 5);
		CHECK(s && !strcmp(s->name, "variable"));
		object_free(o);
		buf_release(&b);
	}
}

TEST(names_by_calling_convention)
{
	static const struct {
		const char *name, *is;
	} names[] = {{"_f@8", "f"},   {"@f@8", "f"}, {"f@@8", "f"},      {"__f", "_f"},
		     {"_f@x", "f@x"}, {"_f@", "f@"}, {"?f@@8", "?f@@8"}, {"f@12", "f"}};

	for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
		struct file f = i % 2 ? x64 : x86;
		struct buf b = BUF_INIT;
		struct object *o;

		f.symbol = names[i / 2].name;
		o = open_made(&b, &f);
		if (!o)
			return;
		check_symbol(o, f.base + TEXT_RVA, i % 2 ? names[i / 2].name : names[i / 2].is);
		object_free(o);
		buf_release(&b);
	}
}

TEST(exports_without_symbols)
{
	struct file f = x64;
	struct buf b = BUF_INIT;
	struct object *o;
	size_t n;

	f.symbols = false;
	f.exports = true;
	o = open_made(&b, &f);
	if (!o)
		return;
	(void)object_symbols(o, &n);
	CHECK_EQ(n, 1); /* not another file's */
	check_symbol(o, f.base + TEXT_RVA + 0xf, NULL);
	check_symbol(o, f.base + TEXT_RVA + 0x10, "second");
	object_free(o);
	buf_release(&b);
}

TEST(functions_of_unwind_tables)
{
	static const uint16_t machines[] = {0x8664, 0xaa64};

	for (size_t i = 0; i < 2; i++) {
		struct file f = {.wide = true,
				 .machine = machines[i],
				 .base = 0x180000000,
				 .exports = true,
				 .unwind = true};
		const uint64_t text = f.base + TEXT_RVA;
		struct buf b = BUF_INIT;
		struct object *o = open_made(&b, &f);
		const struct object_symbol *s;
		uint64_t start;

		if (!o)
			return;
		CHECK(object_function_start(o, text + 7, &start) && start == text);
		CHECK(!object_function_start(o, text + 8, &start));
		CHECK(object_function_start(o, text + 0x1f, &start) && start == text + 0x10);
		CHECK(!object_function_start(o, text + 0x20, &start));
		CHECK(object_function_start(o, text + 0x33, &start) == !i);
		CHECK(i || start == text + 0x30);
		/* the export is that function, and nothing behind it */
		check_symbol(o, text + 0x1f, "second");
		check_symbol(o, text + 0x20, NULL);
		s = object_symbol_at(o, text + 0x10);
		CHECK(s && s->sized);
		object_free(o);
		buf_release(&b);
	}
}

TEST(a_pdb_is_named)
{
	const struct object_search search = {.n_dirs = 0};
	char folder[] = "/tmp/tm-pe-XXXXXX", path[64]; /* where no other PDB is */
	struct file f = x64;
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	int fd;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/game.exe", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	f.info = ".other";
	make(&b, &f);
	CHECK(fd >= 0 && write(fd, b.data, b.len) == (ssize_t)b.len);
	close(fd);
	if (CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		CHECK_EQ(object_find_debug(o, &search, &e), ST_NONE);
		CHECK_STR(e.msg, "its functions and lines are in the PDB c:\\out\\game.pdb "
				 "(0403020106050807090A0B0C0D0E0F107), which was not found; "
				 "--debug-dir DIR looks for it in a folder, "
				 "--symbol-server URL asks a server for it");
	}
	object_free(o);
	unlink(path);
	rmdir(folder);
	buf_release(&b);
}

/* Every number of the headers, and of what they lead to, as large as it can be, and cut short. */
TEST(lies)
{
	struct file f = x64;
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o;
	size_t n;

	f.symbols = false;
	f.exports = f.unwind = true;
	make(&b, &f);
	for (size_t at = 0x3c; at + 4 <= b.len; at += at < TEXT_AT ? 1 : 2) {
		char was[4];

		if (at == TEXT_AT)
			at = DATA_AT;
		memcpy(was, b.data + at, 4);
		memset(b.data + at, 0xff, 4);
		o = NULL;
		e = (struct err)ERR_INIT;
		if (object_open_memory(&o, b.data, b.len, &e))
			CHECK(e.msg[0]);
		else {
			(void)object_symbols(o, &n);
			(void)object_code(o, &n);
			(void)object_any_symbol_at(o, f.base + DATA_RVA);
		}
		object_free(o);
		memcpy(b.data + at, was, 4);
	}
	for (size_t size = 0; size < b.len; size++) {
		o = NULL;
		e = (struct err)ERR_INIT;
		if (object_open_memory(&o, b.data, size, &e))
			CHECK(e.msg[0]);
		else
			(void)object_symbols(o, &n);
		object_free(o);
	}
	buf_release(&b);
}

TEST_MAIN()
