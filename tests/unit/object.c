/* SPDX-License-Identifier: MIT
 *
 * lib/object over ELF files made here, byte by byte, so that every odd field can be made.
 */
#include "lib/base/mem_budget.h"
#include "tests/unit/object_image.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNC(binding) ELF64_ST_INFO(binding, STT_FUNC)
#define OBJECT        ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)
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
		add_symbol(&m, "data", OBJECT, 0x3000, 4);
		add_symbol(&m, "mark", OBJECT, 0x2020, 0);
		add_symbol(&m, "table", OBJECT, 0x2020, 4); /* a function of GHC's */
		o = open_image(&m);
		if (!CHECK(o != NULL))
			continue;
		CHECK_EQ(object_is_64(o), !m.is_32);
		CHECK_EQ(object_is_big_endian(o), m.big);
		s = object_symbols(o, &n);
		if (CHECK_EQ(n, 6)) {
			CHECK_STR(s[0].name, "first");
			CHECK_STR(s[1].name, "global");
			CHECK_STR(s[2].name, "weak");
			CHECK_STR(s[3].name, "local");
			CHECK_STR(s[4].name, "label");
			CHECK_STR(s[5].name, "table");
		}
		CHECK_STR(name_at(o, 0x2000), "first");
		CHECK_STR(name_at(o, 0x200f), "first");
		CHECK_STR(name_at(o, 0x2010), "global");
		CHECK_STR(name_at(o, 0x201f), "global");
		CHECK_STR(name_at(o, 0x2023), "table");
		CHECK_STR(name_at(o, 0x2024), "-");
		CHECK_STR(name_at(o, 0x1fff), "-");
		/* of the largest the last in the table */
		CHECK_STR(object_own_symbol_at(o, 0x2010)->name, "global");
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

/* Of Windows: the age counts besides the GUID, where both are known. */
TEST(ages)
{
	struct object_build_id pe = {.len = 16, .age = 2}, pdb = pe, captured = {.len = 20};

	memset(pe.bytes, 7, 16);
	memset(pdb.bytes, 7, 16);
	memset(captured.bytes, 7, 16);
	captured.bytes[16] = 2;
	CHECK(object_build_id_equal(&pe, &pdb));
	CHECK(object_build_id_equal(&captured, &pdb));
	CHECK(!object_build_id_differs(&pdb, &captured));
	pdb.age = 3;
	CHECK(!object_build_id_equal(&pe, &pdb));
	CHECK(!object_build_id_equal(&captured, &pdb));
	CHECK_STR(object_build_id_differs(&pe, &pdb), "age");
	CHECK_STR(object_build_id_differs(&pdb, &captured), "age");
	CHECK_STR(object_build_id_differs(&captured, &pdb), "age");
	pdb.age = OBJECT_ANY_AGE;
	CHECK(object_build_id_equal(&pe, &pdb));
	CHECK(object_build_id_equal(&pdb, &captured));
	pdb.age = 2;
	captured.bytes[16] = 0; /* a capture that does not know it */
	CHECK(object_build_id_equal(&captured, &pdb));
	pdb.bytes[3] = 0;
	CHECK_STR(object_build_id_differs(&pe, &pdb), "GUID");
	pe.age = pdb.age = 0;
	CHECK_STR(object_build_id_differs(&pe, &pdb), "build-id");
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

/* Tables that the allowance has no room for, or that lie outside the file, are counted. */
TEST(symbol_tables_that_are_left_out)
{
	for (int many = 0; many < 2; many++) {
		struct image m = {0};
		struct object *o;
		const char *why;
		unsigned n;
		size_t symbols;

		for (int i = 0; i < 100; i++)
			add_symbol(&m, "f", FUNC(STB_GLOBAL), 0x2000, 0x10);
		o = open_image(&m);
		mem_budget_set(many ? 0 : 1000); /* 0: no limit but the machine's */
		object_symbols(o, &symbols);
		why = object_symbols_left_out(o, &n);
		CHECK_EQ(symbols, many ? 100 : 0);
		CHECK_EQ(n, many ? 0 : 1);
		CHECK(many ? !why : why && strstr(why, "section .symtab: needs 2424 bytes, but"));
		mem_budget_set(0);
		object_free(o);
		release(&m);
	}
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
