/* SPDX-License-Identifier: MIT
 *
 * lib/object over ELF files made here, byte by byte, so that every odd field can be asked for.
 */
#include "lib/object/object.h"

#include "lib/base/buf.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct want_section {
	const char *name;
	const void *data;
	size_t size;
	uint64_t addr, flags;
	uint32_t type, link;
};

enum { TEXT_ADDR = 0x2000, TEXT_SIZE = 0x100, TEXT_OFFSET = 0x1000 };

static void put(struct buf *b, bool big, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(v >> 8 * (big ? n - 1 - i : i)));
}

struct image {
	bool is_32, big;
	uint16_t machine;
	struct want_section sections[12];
	size_t n;
	struct buf symbols, names, out;
};

static void add(struct image *m, struct want_section s)
{
	m->sections[m->n++] = s;
}

static void add_symbol(struct image *m, const char *name, uint8_t info, uint64_t value,
		       uint64_t size)
{
	size_t word = m->is_32 ? 4 : 8;

	if (!m->symbols.len) {
		for (size_t i = 0; i < (m->is_32 ? 16 : 24); i++)
			buf_addc(&m->symbols, 0);
		buf_addc(&m->names, 0);
	}
	put(&m->symbols, m->big, m->names.len, 4);
	if (m->is_32) {
		put(&m->symbols, m->big, value, word);
		put(&m->symbols, m->big, size, word);
	}
	buf_addc(&m->symbols, (char)info);
	buf_addc(&m->symbols, 0);
	put(&m->symbols, m->big, 1, 2); /* .text is section 1 */
	if (!m->is_32) {
		put(&m->symbols, m->big, value, word);
		put(&m->symbols, m->big, size, word);
	}
	buf_add(&m->names, name, strlen(name) + 1);
}

/* The file: header, one program header, contents, section headers; .text lies at 0x1000. */
static void finish(struct image *m)
{
	struct buf *b = &m->out, contents = BUF_INIT, headers = BUF_INIT, names = BUF_INIT;
	size_t word = m->is_32 ? 4 : 8, ehsize = m->is_32 ? 52 : 64, phsize = m->is_32 ? 32 : 56;
	uint64_t start = TEXT_OFFSET + TEXT_SIZE;

	if (m->symbols.len) {
		add(m, (struct want_section){.name = ".symtab",
					     .data = m->symbols.data,
					     .size = m->symbols.len,
					     .type = SHT_SYMTAB,
					     .link = (uint32_t)m->n + 3});
		add(m, (struct want_section){.name = ".strtab",
					     .data = m->names.data,
					     .size = m->names.len,
					     .type = SHT_STRTAB});
	}
	buf_addc(&names, 0);
	for (size_t i = 0; i < m->n + 3; i++) {
		struct want_section s = {.name = ""};
		uint64_t offset = start + contents.len, name = names.len;

		if (i == 1) {
			s = (struct want_section){.name = ".text",
						  .addr = TEXT_ADDR,
						  .size = TEXT_SIZE,
						  .flags = SHF_ALLOC | SHF_EXECINSTR,
						  .type = SHT_PROGBITS};
			offset = TEXT_OFFSET;
		} else if (i > 1 && i < m->n + 2) {
			s = m->sections[i - 2];
		} else if (i) {
			s = (struct want_section){.name = ".shstrtab", .type = SHT_STRTAB};
			buf_add(&names, s.name, strlen(s.name) + 1);
			s.data = names.data;
			s.size = names.len;
		}
		if (i && i < m->n + 2)
			buf_add(&names, s.name, strlen(s.name) + 1);
		if (s.data)
			buf_add(&contents, s.data, s.size);
		put(&headers, m->big, i ? name : 0, 4);
		put(&headers, m->big, s.type, 4);
		put(&headers, m->big, s.flags, word);
		put(&headers, m->big, s.addr, word);
		put(&headers, m->big, i ? offset : 0, word);
		put(&headers, m->big, s.size, word);
		put(&headers, m->big, s.link, 4);
		put(&headers, m->big, 0, 4);
		put(&headers, m->big, 1, word);
		put(&headers, m->big, 0, word);
	}
	buf_add(b, "\177ELF", 4);
	put(b, false, m->is_32 ? ELFCLASS32 : ELFCLASS64, 1);
	put(b, false, m->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	put(b, false, 1, 1);
	put(b, false, 0, 8);
	put(b, false, 0, 1);
	put(b, m->big, ET_DYN, 2);
	put(b, m->big, m->machine ? m->machine : EM_X86_64, 2);
	put(b, m->big, 1, 4);
	put(b, m->big, 0, word);
	put(b, m->big, ehsize, word);
	put(b, m->big, start + contents.len, word);
	put(b, m->big, 0, 4);
	put(b, m->big, ehsize, 2);
	put(b, m->big, phsize, 2);
	put(b, m->big, 1, 2);
	put(b, m->big, m->is_32 ? 40 : 64, 2);
	put(b, m->big, m->n + 3, 2);
	put(b, m->big, m->n + 2, 2);
	put(b, m->big, PT_LOAD, 4);
	if (!m->is_32)
		put(b, m->big, PF_R | PF_X, 4);
	put(b, m->big, TEXT_OFFSET, word);
	put(b, m->big, TEXT_ADDR, word);
	put(b, m->big, TEXT_ADDR, word);
	put(b, m->big, TEXT_SIZE, word);
	put(b, m->big, TEXT_SIZE + 0x10, word);
	if (m->is_32)
		put(b, m->big, PF_R | PF_X, 4);
	put(b, m->big, 0x1000, word);
	while (b->len < start)
		buf_addc(b, 0);
	buf_add(b, contents.data, contents.len);
	buf_add(b, headers.data, headers.len);
	buf_release(&contents);
	buf_release(&headers);
	buf_release(&names);
}

static void release(struct image *m)
{
	buf_release(&m->symbols);
	buf_release(&m->names);
	buf_release(&m->out);
}

static struct object *open_image(struct image *m)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	finish(m);
	if (object_open_memory(&o, m->out.data, m->out.len, &e))
		printf("  %s\n", e.msg);
	return o;
}

#define FUNC(binding) ELF64_ST_INFO(binding, STT_FUNC)
#define NOTYPE        ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)

static const char *name_at(struct object *o, uint64_t vaddr)
{
	const struct object_symbol *s = object_symbol_at(o, vaddr);

	return s ? s->name : "-";
}

TEST(symbols_in_each_class_and_byte_order)
{
	for (int kind = 0; kind < 4; kind++) {
		struct image m = {.is_32 = kind & 1, .big = kind & 2};
		const struct object_symbol *s;
		struct object *o;
		size_t n;

		add_symbol(&m, "local", FUNC(STB_LOCAL), 0x2010, 0x10);
		add_symbol(&m, "weak", FUNC(STB_WEAK), 0x2010, 0x10);
		add_symbol(&m, "label", NOTYPE, 0x2010, 0);
		add_symbol(&m, "global", FUNC(STB_GLOBAL), 0x2010, 0x10);
		add_symbol(&m, "first", FUNC(STB_GLOBAL), 0x2000, 0x10);
		add_symbol(&m, "outside", FUNC(STB_GLOBAL), 0x3000, 0x10);
		add_symbol(&m, "data", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0x2020, 4);
		o = open_image(&m);
		if (!CHECK(o != NULL))
			continue;
		CHECK_EQ(object_is_64(o), !m.is_32);
		CHECK_EQ(object_is_big_endian(o), m.big);
		s = object_symbols(o, &n);
		if (CHECK_EQ(n, 5)) {
			CHECK_STR(s[0].name, "first");
			CHECK_STR(s[1].name, "global");
			CHECK_STR(s[2].name, "weak");
			CHECK_STR(s[3].name, "local");
			CHECK_STR(s[4].name, "label");
		}
		CHECK_STR(name_at(o, 0x2000), "first");
		CHECK_STR(name_at(o, 0x200f), "first");
		CHECK_STR(name_at(o, 0x2010), "global");
		CHECK_STR(name_at(o, 0x201f), "global");
		CHECK_STR(name_at(o, 0x1fff), "-");
		CHECK(object_is_symbol_start(o, 0x2010));
		CHECK(!object_is_symbol_start(o, 0x2011));
		object_free(o);
		release(&m);
	}
}

TEST(no_name_past_a_symbols_end)
{
	struct image m = {0};
	struct object *o;

	add_symbol(&m, "sized", FUNC(STB_GLOBAL), 0x2000, 0x10);
	add_symbol(&m, "next", FUNC(STB_GLOBAL), 0x2020, 0x10);
	o = open_image(&m);
	CHECK_STR(name_at(o, 0x200f), "sized");
	CHECK_STR(name_at(o, 0x2010), "-");
	CHECK_STR(name_at(o, 0x201f), "-");
	CHECK_STR(name_at(o, 0x2030), "-");
	object_free(o);
	release(&m);
}

TEST(size_zero_reaches_to_the_next_symbol_or_the_sections_end)
{
	struct image m = {0};
	const struct object_symbol *s;
	struct object *o;

	add_symbol(&m, "asm1", FUNC(STB_GLOBAL), 0x2000, 0);
	add_symbol(&m, "sized", FUNC(STB_GLOBAL), 0x2020, 0x10);
	add_symbol(&m, "inside", NOTYPE, 0x2024, 0);
	add_symbol(&m, "asm2", NOTYPE, 0x2040, 0);
	o = open_image(&m);
	s = object_symbol_at(o, 0x201f);
	CHECK(s && !strcmp(s->name, "asm1") && !s->sized && s->hi == 0x2020);
	CHECK_STR(name_at(o, 0x2026), "sized"); /* a fact wins over a guess */
	CHECK_STR(name_at(o, 0x2032), "-");     /* a label of sized, which has ended */
	s = object_symbol_at(o, 0x20ff);
	CHECK(s && !strcmp(s->name, "asm2") && s->hi == TEXT_ADDR + TEXT_SIZE);
	CHECK_STR(name_at(o, 0x2100), "-");
	object_free(o);
	release(&m);
}

TEST(innermost_of_nested_symbols)
{
	struct image m = {0};
	struct object *o;

	add_symbol(&m, "outer", FUNC(STB_GLOBAL), 0x2000, 0x80);
	add_symbol(&m, "inner", FUNC(STB_LOCAL), 0x2010, 0x20);
	add_symbol(&m, "deepest", FUNC(STB_LOCAL), 0x2018, 0x8);
	add_symbol(&m, "huge", FUNC(STB_LOCAL), 0x20f0, UINT64_MAX);
	o = open_image(&m);
	CHECK_STR(name_at(o, 0x200f), "outer");
	CHECK_STR(name_at(o, 0x2010), "inner");
	CHECK_STR(name_at(o, 0x2018), "deepest");
	CHECK_STR(name_at(o, 0x2020), "inner");
	CHECK_STR(name_at(o, 0x2030), "outer");
	CHECK_STR(name_at(o, 0x2080), "-");
	CHECK_STR(name_at(o, 0x20ff), "huge");
	CHECK_STR(name_at(o, 0x2100), "-"); /* a symbol ends with its section */
	object_free(o);
	release(&m);
}

TEST(arm_symbols)
{
	struct image m = {.is_32 = true, .machine = EM_ARM};
	struct object *o;
	size_t n;

	add_symbol(&m, "$t", NOTYPE, 0x2000, 0);
	add_symbol(&m, "$d.17", NOTYPE, 0x2008, 0);
	add_symbol(&m, "thumb", FUNC(STB_GLOBAL), 0x2001, 8);
	add_symbol(&m, "$dollar", NOTYPE, 0x2010, 0);
	o = open_image(&m);
	CHECK_EQ(object_symbols(o, &n)[0].lo, 0x2000);
	CHECK_EQ(n, 2);
	CHECK_STR(name_at(o, 0x2000), "thumb");
	CHECK_STR(name_at(o, 0x2007), "thumb");
	CHECK_STR(name_at(o, 0x2010), "$dollar");
	object_free(o);
	release(&m);
}

TEST(offsets_and_segments)
{
	struct image m = {0};
	struct object *o = open_image(&m);
	uint64_t vaddr;

	CHECK_EQ(object_offset_to_vaddr(o, TEXT_OFFSET, &vaddr), ST_OK);
	CHECK_EQ(vaddr, TEXT_ADDR);
	CHECK_EQ(object_offset_to_vaddr(o, TEXT_OFFSET + TEXT_SIZE - 1, &vaddr), ST_OK);
	CHECK_EQ(vaddr, TEXT_ADDR + TEXT_SIZE - 1);
	CHECK_EQ(object_offset_to_vaddr(o, TEXT_OFFSET + TEXT_SIZE, &vaddr), ST_NONE);
	CHECK_EQ(object_offset_to_vaddr(o, 0, &vaddr), ST_NONE);
	CHECK(object_is_code(o, TEXT_ADDR));
	CHECK(object_is_code(o, TEXT_ADDR + TEXT_SIZE + 0xf)); /* memsz is larger than filesz */
	CHECK(!object_is_code(o, TEXT_ADDR + TEXT_SIZE + 0x10));
	object_free(o);
	release(&m);
}

TEST(build_id)
{
	static const uint8_t note[] = {4, 0, 0,   0,   3,   0, 0, 0, 1, 0, 0, 0, 'O', 'T', 'H',
				       0, 9, 9,   9,   0,   4, 0, 0, 0, 5, 0, 0, 0,   3,   0,
				       0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 0, 0,   0};
	static const uint8_t id[] = {1, 2, 3, 4, 5};
	struct object_build_id a = {.len = 16}, b = {.len = 20}, none = {0};
	struct image m = {0};
	struct object *o;

	add(&m, (struct want_section){
		    .name = ".note", .data = note, .size = sizeof note, .type = SHT_NOTE});
	o = open_image(&m);
	CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, id, sizeof id);
	object_free(o);
	release(&m);

	memset(a.bytes, 7, 16);
	memset(b.bytes, 7, 16);
	CHECK(object_build_id_equal(&a, &b));
	CHECK(object_build_id_equal(&b, &a));
	b.bytes[19] = 1;
	CHECK(!object_build_id_equal(&a, &b));
	CHECK(!object_build_id_equal(&none, &none));
	a.len = 8;
	b.len = 20;
	memset(b.bytes + 8, 0, 12);
	CHECK(!object_build_id_equal(&a, &b)); /* only 16 is padded to 20 */
	b.bytes[19] = 1;
	a.partial = true; /* a Breakpad file has no more of it */
	CHECK(object_build_id_equal(&a, &b));
	CHECK(object_build_id_equal(&b, &a));
	b.bytes[7] = 0;
	CHECK(!object_build_id_equal(&a, &b));
}

/* Made by zlib (level 9) and by zstd from 1000 bytes 'a'. */
static const uint8_t zlib_a[] = {0x78, 0xda, 0x4b, 0x4c, 0x1c, 0x05, 0xa3, 0x60, 0x14,
				 0x0c, 0x77, 0x00, 0x00, 0xf9, 0xd8, 0x7a, 0xf8};
static const uint8_t zstd_a[] = {0x28, 0xb5, 0x2f, 0xfd, 0x60, 0xe8, 0x02, 0x4d, 0x00, 0x00,
				 0x10, 0x61, 0x61, 0x01, 0x00, 0xe3, 0x2b, 0x80, 0x05};

/* RFC 1950, 1951: one stored block of "abca", whose adler32 is 0x03d50188. */
static const uint8_t stored[] = {0x78, 0x01, 0x01, 0x04, 0x00, 0xfb, 0xff, 'a',
				 'b',  'c',  'a',  0x03, 0xd5, 0x01, 0x88};

/* What .debug_info gives when its compression header declares that many bytes. */
static enum status compressed(uint32_t type, uint64_t declared, const void *p, size_t n,
			      uint64_t *size, struct err *e)
{
	struct image m = {0};
	struct buf b = BUF_INIT;
	struct object_section s;
	struct object *o;
	enum status st;

	put(&b, false, type, 8);
	put(&b, false, declared, 8);
	put(&b, false, 1, 8);
	buf_add(&b, p, n);
	add(&m, (struct want_section){.name = ".debug_info",
				      .data = b.data,
				      .size = b.len,
				      .flags = SHF_COMPRESSED,
				      .type = SHT_PROGBITS});
	o = open_image(&m);
	st = object_section(o, ".debug_info", &s, e);
	*size = st ? 0 : s.size;
	if (!st) {
		CHECK(s.size && s.data[0] == 'a' && s.data[s.size - 1] == 'a');
		CHECK_EQ(s.data[s.size], 0);
	}
	object_free(o);
	release(&m);
	buf_release(&b);
	return st;
}

TEST(compressed_sections)
{
	struct err e = ERR_INIT;
	uint64_t n;

	CHECK_EQ(compressed(1, 1000, zlib_a, sizeof zlib_a, &n, &e), ST_OK);
	CHECK_EQ(n, 1000);
	CHECK_EQ(compressed(2, 1000, zstd_a, sizeof zstd_a, &n, &e), ST_OK);
	CHECK_EQ(n, 1000);
	CHECK_EQ(compressed(1, 999, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "longer than it declares"));
	CHECK_EQ(compressed(1, 1001, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "shorter than it declares"));
	CHECK_EQ(compressed(2, 999, zstd_a, sizeof zstd_a, &n, &e), ST_BAD);
	CHECK_EQ(compressed(2, 1001, zstd_a, sizeof zstd_a, &n, &e), ST_BAD);
	CHECK_EQ(compressed(1, 1000000, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "cannot hold"));
	CHECK_EQ(compressed(1, UINT64_MAX, zlib_a, sizeof zlib_a, &n, &e), ST_LIMIT);
	CHECK_EQ(compressed(1, 1000, "not zlib", 8, &n, &e), ST_BAD);
	CHECK_EQ(compressed(2, 1000, "not zstd", 8, &n, &e), ST_BAD);
	/* a size that is likely enough to be believed at once */
	CHECK_EQ(compressed(1, 4, stored, sizeof stored, &n, &e), ST_OK);
	CHECK_EQ(n, 4);
	CHECK_EQ(compressed(1, 3, stored, sizeof stored, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "longer than it declares"));
	CHECK_EQ(compressed(1, 5, stored, sizeof stored, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "shorter than it declares"));
	CHECK_EQ(compressed(1, 4, stored, sizeof stored - 5, &n, &e), ST_BAD);
	CHECK_EQ(compressed(77, 1000, zlib_a, sizeof zlib_a, &n, &e), ST_UNSUPPORTED);
}

TEST(old_compressed_section)
{
	struct image m = {0};
	struct buf b = BUF_INIT;
	struct object_section s, again;
	struct err e = ERR_INIT;
	struct object *o;

	buf_adds(&b, "ZLIB");
	put(&b, true, 1000, 8);
	buf_add(&b, zlib_a, sizeof zlib_a);
	add(&m, (struct want_section){
		    .name = ".zdebug_info", .data = b.data, .size = b.len, .type = SHT_PROGBITS});
	o = open_image(&m);
	CHECK(object_has_dwarf(o));
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
	CHECK_EQ(s.size, 1000);
	CHECK_EQ(object_section(o, ".debug_info", &again, &e), ST_OK);
	CHECK(again.data == s.data);
	CHECK_EQ(object_section(o, ".debug_line", &s, &e), ST_NONE);
	object_drop_sections(o);
	object_unpack(o, (const char *const[]){".debug_line", ".debug_info"}, 2, 2);
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
	CHECK_EQ(s.size, 1000);
	object_free(o);
	release(&m);
	buf_release(&b);
}

/* The contents in the file end where the image's headers begin, so no cut can be whole. */
TEST(cut_short_at_every_byte)
{
	struct image m = {0};
	struct object *o;

	add_symbol(&m, "f", FUNC(STB_GLOBAL), 0x2000, 0x10);
	finish(&m);
	for (size_t n = 0; n < m.out.len; n++) {
		struct err e = ERR_INIT;
		void *exact = malloc(n ? n : 1); /* a sanitizer sees one byte too many */
		enum status st;

		memcpy(exact, m.out.data, n);
		st = object_open_memory(&o, exact, n, &e);
		if (st != (n < 4 ? ST_UNSUPPORTED : ST_BAD) || !*e.msg) {
			CHECK_EQ(st, n < 4 ? ST_UNSUPPORTED : ST_BAD);
			printf("  at %zu: %s\n", n, e.msg);
		}
		free(exact);
	}
	release(&m);
}

TEST(contents_outside_the_file)
{
	struct image m = {0};
	struct object_section s;
	struct err e = ERR_INIT;
	struct object *o;

	add(&m,
	    (struct want_section){.name = ".debug_info", .size = 1000000, .type = SHT_PROGBITS});
	add(&m, (struct want_section){
		    .name = ".debug_str", .size = UINT64_MAX - 8, .type = SHT_PROGBITS});
	o = open_image(&m);
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_BAD);
	CHECK(strstr(e.msg, "outside the file"));
	CHECK_EQ(object_section(o, ".debug_str", &s, &e), ST_BAD);
	object_free(o);
	release(&m);
}

TEST(not_an_object)
{
	struct err e = ERR_INIT;
	struct object *o;

	CHECK_EQ(object_open(&o, "/dev/null", &e), ST_UNSUPPORTED);
	CHECK_EQ(object_open(&o, "/", &e), ST_UNSUPPORTED);
	CHECK_EQ(object_open(&o, "/nonexistent/file", &e), ST_SYS);
	CHECK_EQ(object_open_memory(&o, "#!/bin/sh\n", 10, &e), ST_UNSUPPORTED);
}

static bool write_image(const struct image *m, const char *path)
{
	FILE *f = fopen(path, "wb");

	return f && fwrite(m->out.data, 1, m->out.len, f) == m->out.len && !fclose(f);
}

TEST(a_file_that_shrinks)
{
	struct image m = {0};
	struct object_section s;
	struct err e = ERR_INIT;
	struct object *o;
	char path[] = "/tmp/tm-object-XXXXXX";
	int fd = mkstemp(path);

	add(&m, (struct want_section){
		    .name = ".debug_info", .data = "0123456789", .size = 10, .type = SHT_PROGBITS});
	finish(&m);
	if (CHECK(fd >= 0) && CHECK(write_image(&m, path)) &&
	    CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		CHECK_EQ(ftruncate(fd, 100), 0);
		CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_BAD);
		CHECK(strstr(e.msg, "has become shorter"));
		CHECK_STR(name_at(o, TEXT_ADDR), "-");
		object_free(o);
	}
	close(fd);
	unlink(path);
	release(&m);
}

/* A debug file by its name: none has a build-id, so the segments decide. */
TEST(debug_file_by_name)
{
	struct image plain = {0}, debug = {0}, other = {0};
	struct object_search search = {0};
	char dir[] = "/tmp/tm-object-XXXXXX", path[100], sym[100];
	struct err e = ERR_INIT;
	struct object *o;

	if (!CHECK(mkdtemp(dir) != NULL))
		return;
	snprintf(path, sizeof path, "%s/libx.so", dir);
	snprintf(sym, sizeof sym, "%s/libx.sym.so", dir);
	add(&debug, (struct want_section){
			.name = ".debug_info", .data = "x", .size = 1, .type = SHT_PROGBITS});
	add(&other, debug.sections[0]);
	finish(&plain);
	finish(&debug);
	finish(&other);
	other.out.data[64 + 16] ^= 0x40; /* p_vaddr of its only segment */
	CHECK(write_image(&plain, path));
	if (CHECK_EQ(object_open(&o, path, &e), ST_OK)) {
		CHECK_EQ(object_find_debug(o, &search, &e), ST_NONE);
		CHECK_STR(e.msg, "");
		CHECK(write_image(&other, sym));
		CHECK_EQ(object_find_debug(o, &search, &e), ST_NONE);
		CHECK(strstr(e.msg, "libx.sym.so: has no build-id and its segments differ"));
		CHECK(write_image(&debug, sym));
		CHECK_EQ(object_find_debug(o, &search, &e), ST_OK);
		CHECK_STR(object_debug_path(o), sym);
		CHECK(object_has_dwarf(o));
		object_free(o);
	}
	unlink(path);
	unlink(sym);
	rmdir(dir);
	release(&plain);
	release(&debug);
	release(&other);
}

TEST_MAIN()
