/* SPDX-License-Identifier: MIT
 *
 * Mach-O files that no linker here writes: 32 bits, big-endian, universal ones with 64-bit offsets;
 * made byte by byte.
 */
#include "lib/base/buf.h"
#include "lib/object/object.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_ADDR = 0x1000, TEXT_AT = 0x200, TEXT_SIZE = 0x40, NLIST = 0x300, NAMES = 0x380 };

static void put(struct buf *b, bool big, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t byte = big ? n - 1 - i : i;

		buf_addc(b, (char)(byte < sizeof v ? v >> 8 * byte : 0));
	}
}

static void put_name(struct buf *b, const char *name)
{
	char field[16] = {0};

	memcpy(field, name, strlen(name) < 16 ? strlen(name) : 16);
	buf_add(b, field, 16);
}

static void pad(struct buf *b, size_t from, size_t to)
{
	while (b->len - from < to)
		buf_addc(b, 0);
}

/* A section of __DWARF or of __TEXT. */
static void put_section(struct buf *b, bool big, size_t word, const char *segment, const char *name,
			uint64_t addr, uint64_t size, uint32_t offset, uint32_t flags)
{
	put_name(b, name);
	put_name(b, segment);
	put(b, big, addr, word);
	put(b, big, size, word);
	put(b, big, offset, 4);
	put(b, big, 0, 12);
	put(b, big, flags, 4);
	put(b, big, 0, word == 8 ? 12 : 8);
}

static void put_symbol(struct buf *b, bool big, size_t word, uint32_t name, uint8_t type,
		       uint64_t value)
{
	put(b, big, name, 4);
	put(b, big, type, 1);
	put(b, big, 1, 1);
	put(b, big, 0, 2);
	put(b, big, value, word);
}

/* Appends a dylib with _f at 0x1000, a local _g at 0x1010, a stab, and 3 bytes of DWARF strings. */
static void make(struct buf *b, bool wide, bool big, uint32_t cpu, uint32_t subtype, uint8_t id)
{
	static const char names[] = "\0_f\0_g\0stab";
	const size_t word = wide ? 8 : 4, from = b->len;
	const uint32_t segment = wide ? 72 : 56, section = wide ? 80 : 68;

	put(b, big, wide ? 0xfeedfacf : 0xfeedface, 4);
	put(b, big, cpu, 4);
	put(b, big, subtype, 4);
	put(b, big, 6, 4); /* MH_DYLIB */
	put(b, big, 4, 4);
	put(b, big, segment + section + segment + section + 24 + 24, 4);
	put(b, big, 0, wide ? 8 : 4);
	put(b, big, wide ? 0x19 : 1, 4);
	put(b, big, segment + section, 4);
	put_name(b, "__TEXT");
	put(b, big, TEXT_ADDR, word);
	put(b, big, TEXT_SIZE, word);
	put(b, big, TEXT_AT, word);
	put(b, big, TEXT_SIZE, word);
	put(b, big, 7, 4);
	put(b, big, 5, 4);
	put(b, big, 1, 4);
	put(b, big, 0, 4);
	put_section(b, big, word, "__TEXT", "__text", TEXT_ADDR, TEXT_SIZE, TEXT_AT, 0x80000400);
	put(b, big, wide ? 0x19 : 1, 4);
	put(b, big, segment + section, 4);
	put_name(b, "__DWARF");
	put(b, big, 0x9000, word);
	put(b, big, 0x1000, word);
	put(b, big, NAMES, word);
	put(b, big, 3, word);
	put(b, big, 7, 4);
	put(b, big, 3, 4);
	put(b, big, 1, 4);
	put(b, big, 0, 4);
	put_section(b, big, word, "__DWARF", "__debug_str_offs", 0x9000, 3, NAMES + 1, 0);
	put(b, big, 0x1b, 4);
	put(b, big, 24, 4);
	for (int i = 0; i < 16; i++)
		buf_addc(b, (char)id);
	put(b, big, 2, 4);
	put(b, big, 24, 4);
	put(b, big, NLIST, 4);
	put(b, big, 3, 4);
	put(b, big, NAMES, 4);
	put(b, big, sizeof names, 4);
	pad(b, from, NLIST);
	put_symbol(b, big, word, 4, 0x0e, TEXT_ADDR + 0x10);
	put_symbol(b, big, word, 1, 0x0f, TEXT_ADDR);
	put_symbol(b, big, word, 7, 0x24, TEXT_ADDR + 8); /* N_FUN */
	pad(b, from, NAMES);
	buf_add(b, names, sizeof names);
	pad(b, from, 0x400);
}

static void check(struct object *o, bool wide, bool big, enum object_arch arch, uint8_t id)
{
	const struct object_segment *segments;
	const struct object_symbol *s;
	struct object_section section;
	struct err e = ERR_INIT;
	uint64_t vaddr = 0;
	size_t n;

	CHECK_STR(object_kind(o)->name, "Mach-O");
	CHECK_EQ(object_is_64(o), wide);
	CHECK_EQ(object_is_big_endian(o), big);
	CHECK_EQ(object_arch(o), arch);
	CHECK_EQ(object_build_id(o)->len, 16);
	CHECK_EQ(object_build_id(o)->bytes[15], id);
	segments = object_segments(o, &n);
	if (CHECK_EQ(n, 1)) /* not __DWARF */
		CHECK(segments[0].executable);
	CHECK_EQ(object_offset_to_vaddr(o, TEXT_AT + 4, &vaddr), ST_OK);
	CHECK_EQ(vaddr, TEXT_ADDR + 4);
	(void)object_symbols(o, &n);
	CHECK_EQ(n, 2);
	s = object_symbol_at(o, TEXT_ADDR + 0xf);
	if (CHECK(s != NULL)) {
		CHECK_STR(s->name, "f");
		CHECK_EQ(s->hi, TEXT_ADDR + 0x10);
		CHECK(!s->sized);
	}
	s = object_symbol_at(o, TEXT_ADDR + TEXT_SIZE - 1);
	if (CHECK(s != NULL))
		CHECK_STR(s->name, "g");
	CHECK(!object_symbol_at(o, TEXT_ADDR + TEXT_SIZE));
	if (CHECK_EQ(object_section(o, ".debug_str_offsets", &section, &e), ST_OK))
		CHECK_MEM(section.data, section.size, "_f", 3);
}

TEST(thin_of_either_width_and_order)
{
	static const struct {
		bool wide, big;
		uint32_t cpu, subtype;
		enum object_arch arch;
	} kinds[] = {{false, false, 12, 9, ARCH_ARM},
		     {false, true, 7, 3, ARCH_X86},
		     {true, false, 0x100000c, 0x80000002, ARCH_ARM64},
		     {false, false, 0x200000c, 1, ARCH_ARM64},
		     {true, true, 0x1000007, 3, ARCH_X86_64}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct buf b = BUF_INIT;
		struct err e = ERR_INIT;
		struct object *o = NULL;

		make(&b, kinds[i].wide, kinds[i].big, kinds[i].cpu, kinds[i].subtype, 7);
		if (CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK))
			check(o, kinds[i].wide, kinds[i].big, kinds[i].arch, 7);
		object_free(o);
		buf_release(&b);
	}
}

/* Two parts at 0x1000 and 0x2000, by 32-bit or 64-bit offsets; its path is the caller's. */
static bool make_universal(char *path, bool wide)
{
	struct buf b = BUF_INIT;
	int fd = mkstemp(path);
	bool good;

	put(&b, true, wide ? 0xcafebabf : 0xcafebabe, 4);
	put(&b, true, 2, 4);
	for (uint32_t i = 0; i < 2; i++) {
		put(&b, true, i ? 0x1000007 : 12, 4);
		put(&b, true, i ? 3 : 9, 4);
		put(&b, true, 0x1000 + i * 0x1000, wide ? 8 : 4);
		put(&b, true, 0x400, wide ? 8 : 4);
		put(&b, true, 12, wide ? 8 : 4);
	}
	pad(&b, 0, 0x1000);
	make(&b, false, false, 12, 9, 5);
	pad(&b, 0, 0x2000);
	make(&b, true, false, 0x1000007, 3, 6);
	good = fd >= 0 && write(fd, b.data, b.len) == (ssize_t)b.len;
	close(fd);
	buf_release(&b);
	return good;
}

TEST(universal_by_name_and_by_uuid)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		char path[] = "/tmp/tm-mach-XXXXXX";
		struct object_build_id id = {.len = 16};
		const char *archs[4];
		struct err e = ERR_INIT;
		struct object *o = NULL;

		if (!CHECK(make_universal(path, wide)))
			return;
		if (CHECK_EQ(object_archs(path, archs, 4), 2)) {
			CHECK_STR(archs[0], "armv7");
			CHECK_STR(archs[1], "x86_64");
		}
		CHECK_EQ(object_open(&o, path, &e), ST_UNSUPPORTED);
		if (CHECK_EQ(
			object_open_wanted(&o, path, &(struct object_want){.arch = "armv7"}, &e),
			ST_OK))
			check(o, false, false, ARCH_ARM, 5);
		object_free(o);
		o = NULL;
		memset(id.bytes, 6, 16);
		if (CHECK_EQ(object_open_wanted(&o, path, &(struct object_want){.id = &id}, &e),
			     ST_OK))
			check(o, true, false, ARCH_X86_64, 6);
		object_free(o);
		o = NULL;
		id.bytes[3] = 9;
		CHECK_EQ(object_open_wanted(&o, path, &(struct object_want){.id = &id}, &e),
			 ST_UNSUPPORTED);
		unlink(path);
	}
}

TEST_MAIN()
