/* SPDX-License-Identifier: MIT
 *
 * Relocations of debug sections, over relocatable ELF files made here. The numbers of relocations
 * and what they compute are written out as each machine's supplement has them, not taken from
 * <elf.h>. S is 0x1000 and 0x30, A is 0x234 and 4, of the first and the second one; P is 8.
 */
#include "lib/object/elf.h"
#include "lib/object/object.h"

#include "lib/base/buf.h"
#include "lib/base/mem_budget.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <stdlib.h>

enum { PLACE = 8, SIZE = 24, OLD = 0x11 };

struct one {
	uint32_t type; /* 0: none */
	uint64_t high; /* what is in r_info's upper part of the type */
	uint64_t at;   /* 0: PLACE */
};

struct file {
	uint16_t machine;
	bool is_64, big, in_place;
	struct one relocations[2];
	const uint8_t *data; /* of the section; NULL: zeroes and OLD in the first byte at PLACE */
};

static void put(struct buf *b, bool big, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(v >> 8 * (big ? n - 1 - i : i)));
}

static void put_symbol(struct buf *b, const struct file *f, uint64_t value, uint16_t section)
{
	put(b, f->big, 0, 4);
	if (!f->is_64) {
		put(b, f->big, value, 4);
		put(b, f->big, 0, 4);
	}
	put(b, f->big, section ? ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) : 0, 1);
	put(b, f->big, 0, 1);
	put(b, f->big, section, 2);
	if (f->is_64) {
		put(b, f->big, value, 8);
		put(b, f->big, 0, 8);
	}
}

static void put_relocation(struct buf *b, const struct file *f, const struct one *r,
			   uint32_t symbol, uint64_t addend)
{
	const size_t word = f->is_64 ? 8 : 4;

	put(b, f->big, r->at ? r->at : PLACE, word);
	if (!f->is_64) {
		put(b, f->big, symbol << 8 | r->type, 4);
	} else if (f->machine == EM_MIPS) { /* Elf64_Mips_Rela: r_sym, r_ssym, three types */
		put(b, f->big, symbol, 4);
		put(b, true, r->high << 8 | r->type, 4);
	} else {
		put(b, f->big, (uint64_t)symbol << 32 | r->high << 8 | r->type, 8);
	}
	if (!f->in_place)
		put(b, f->big, addend, word);
}

struct header {
	uint64_t flags, offset, size;
	uint32_t type, link;
};

static void put_section(struct buf *b, const struct file *f, const struct header *s, uint32_t info)
{
	const size_t word = f->is_64 ? 8 : 4;

	put(b, f->big, 0, 4);
	put(b, f->big, s->type, 4);
	put(b, f->big, s->flags, word);
	put(b, f->big, 0, word);
	put(b, f->big, s->offset, word);
	put(b, f->big, s->size, word);
	put(b, f->big, s->link, 4);
	put(b, f->big, info, 4);
	put(b, f->big, 1, word);
	put(b, f->big, 0, word);
}

/* Sections: 1 code, 2 what is relocated, 3 the relocations, 4 symbols, 5 their names. */
static void make(struct buf *b, const struct file *f)
{
	const size_t word = f->is_64 ? 8 : 4, header = f->is_64 ? 64 : 52;
	struct header s[6] = {{.type = SHT_NULL}};
	struct buf body = BUF_INIT;

	s[1] = (struct header){
	    .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .offset = header, .size = 16};
	put(&body, false, 0, 8);
	put(&body, false, 0, 8);
	s[2] = (struct header){.type = SHT_PROGBITS, .offset = header + body.len, .size = SIZE};
	for (size_t i = 0; i < SIZE; i++)
		buf_addc(&body, (char)(f->data ? f->data[i] : i == PLACE ? OLD : 0));
	s[3] = (struct header){
	    .type = f->in_place ? SHT_REL : SHT_RELA, .offset = header + body.len, .link = 4};
	put_relocation(&body, f, &f->relocations[0], 1, 0x234);
	if (f->relocations[1].type)
		put_relocation(&body, f, &f->relocations[1], 2, 4);
	s[3].size = header + body.len - s[3].offset;
	s[4] = (struct header){.type = SHT_SYMTAB, .offset = header + body.len, .link = 5};
	put_symbol(&body, f, 0, 0);
	put_symbol(&body, f, 0x1000, 1);
	put_symbol(&body, f, 0x30, 1);
	s[4].size = header + body.len - s[4].offset;
	s[5] = (struct header){.type = SHT_STRTAB, .offset = header + body.len, .size = 1};
	buf_addc(&body, 0);

	buf_add(b, "\177ELF", 4);
	put(b, false, f->is_64 ? ELFCLASS64 : ELFCLASS32, 1);
	put(b, false, f->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	put(b, false, 1, 1);
	put(b, false, 0, 8);
	put(b, false, 0, 1);
	put(b, f->big, ET_REL, 2);
	put(b, f->big, f->machine, 2);
	put(b, f->big, 1, 4);
	put(b, f->big, 0, word);
	put(b, f->big, 0, word);
	put(b, f->big, header + body.len, word);
	put(b, f->big, 0, 4);
	put(b, f->big, header, 2);
	put(b, f->big, 0, 2);
	put(b, f->big, 0, 2);
	put(b, f->big, f->is_64 ? 64 : 40, 2);
	put(b, f->big, 6, 2);
	put(b, f->big, 0, 2);
	buf_add(b, body.data, body.len);
	for (size_t i = 0; i < 6; i++)
		put_section(b, f, &s[i], i == 3 ? 2 : 0);
	buf_release(&body);
}

/* The relocated section; *status is what reading it gave. */
static uint8_t *relocated(const struct file *f, enum status *status)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	uint8_t *data = NULL;
	uint64_t size;

	make(&b, f);
	*status = object_open_memory(&o, b.data, b.len, &e);
	if (!*status)
		*status = object_section_read(o, 2, &data, &size, &e);
	if (!*status)
		CHECK_EQ(size, SIZE);
	object_free(o);
	buf_release(&b);
	return data;
}

/* The n bytes at PLACE as a number of the file's byte order. */
static uint64_t number(const struct file *f, const uint8_t *data, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)data[PLACE + i] << 8 * (f->big ? n - 1 - i : i);
	return v;
}

TEST(each_machine)
{
	static const struct {
		struct file f;
		uint8_t size;
		uint64_t want; /* S + A is 0x1234 */
	} rows[] = {
	    {{EM_PPC, false, true, false, {{1, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_PPC, false, true, false, {{26, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{EM_PPC64, true, true, false, {{1, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_PPC64, true, true, false, {{38, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_PPC64, true, false, false, {{44, 0, 0}}, NULL}, 8, 0x1234 - PLACE},
	    {{EM_S390, false, true, false, {{4, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_S390, true, true, false, {{22, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_S390, true, true, false, {{5, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{EM_SPARC, false, true, false, {{23, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_SPARCV9, true, true, false, {{54, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_SPARCV9, true, true, false, {{32, 0x123456, 0}}, NULL}, 8, 0x1234},
	    {{EM_MIPS, false, true, true, {{2, 0, 0}}, NULL}, 4, 0x11000000 + 0x1000},
	    {{EM_MIPS, false, false, true, {{2, 0, 0}}, NULL}, 4, OLD + 0x1000},
	    {{EM_MIPS, true, true, false, {{18, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_MIPS, true, false, false, {{18, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_MIPS, true, false, false, {{2, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_68K, false, true, false, {{1, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_68K, false, true, false, {{4, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{EM_RISCV, true, false, false, {{2, 0, 0}}, NULL}, 8, 0x1234},
	    {{EM_RISCV, true, false, false, {{57, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{EM_RISCV, true, false, false, {{35, 0, 0}, {39, 0, 0}}, NULL}, 4, OLD + 0x1200},
	    {{EM_RISCV, true, false, false, {{54, 0, 0}, {37, 0, 0}}, NULL}, 1, 0x00},
	    {{EM_RISCV, true, false, false, {{55, 0, 0}, {38, 0, 0}}, NULL}, 2, 0x1200},
	    {{EM_RISCV, true, false, false, {{56, 0, 0}, {39, 0, 0}}, NULL}, 4, 0x1200},
	    {{MACHINE_LOONGARCH, true, false, false, {{2, 0, 0}}, NULL}, 8, 0x1234},
	    {{MACHINE_LOONGARCH, true, false, false, {{99, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{MACHINE_LOONGARCH, true, false, false, {{50, 0, 0}, {55, 0, 0}}, NULL},
	     4,
	     OLD + 0x1200},
	    {{MACHINE_LOONGARCH, true, false, false, {{49, 0, 0}, {54, 0, 0}}, NULL},
	     3,
	     OLD + 0x1200},
	    {{EM_CSKY, false, false, false, {{1, 0, 0}}, NULL}, 4, 0x1234},
	    {{EM_CSKY, false, false, false, {{5, 0, 0}}, NULL}, 4, 0x1234 - PLACE},
	    {{EM_BPF, true, false, true, {{3, 0, 0}}, NULL}, 4, OLD + 0x1000},
	    {{EM_BPF, true, true, true, {{2, 0, 0}}, NULL}, 8, 0x1100000000001000},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct file *f = &rows[i].f;
		enum status st;
		uint8_t *data = relocated(f, &st);

		if (!CHECK_EQ(st, ST_OK) || !data ||
		    !CHECK_EQ(number(f, data, rows[i].size), rows[i].want))
			printf("  machine %u, type %" PRIu32 "\n", f->machine,
			       f->relocations[0].type);
		for (size_t k = 0; data && k < SIZE; k++)
			if (k < PLACE || k >= (size_t)PLACE + rows[i].size)
				CHECK_EQ(data[k], 0);
		mem_budget_free(data);
	}
}

/* The low 6 bits of a byte: DW_CFA_advance_loc is the rest. */
TEST(six_bits)
{
	static const uint8_t advance[SIZE] = {[PLACE] = 0x40 | 0x3e};
	static const struct file set = {EM_RISCV, true, false, false, {{53, 0, 0}, {52, 0, 0}},
					advance};
	static const struct file add = {MACHINE_LOONGARCH,          true,   false, false,
					{{105, 0, 0}, {106, 0, 0}}, advance};
	enum status st;
	uint8_t *data = relocated(&set, &st);

	if (CHECK_EQ(st, ST_OK)) /* 0x1234 - 0x34 */
		CHECK_EQ(data[PLACE], 0x40 | 0x00);
	mem_budget_free(data);
	data = relocated(&add, &st);
	if (CHECK_EQ(st, ST_OK))
		CHECK_EQ(data[PLACE], 0x40 | 0x3e);
	mem_budget_free(data);
}

/* A number keeps the length that the assembler has left for it. */
TEST(uleb)
{
	static const uint8_t room[SIZE] = {[PLACE] = 0x80, 0x80, 0x00, 0x77};
	static const struct file riscv = {EM_RISCV, true, false, false, {{60, 0, 0}, {61, 0, 0}},
					  room};
	static const struct file loongarch = {MACHINE_LOONGARCH,          true, false, false,
					      {{107, 0, 0}, {108, 0, 0}}, room};
	static const struct file *const both[] = {&riscv, &loongarch};

	for (size_t i = 0; i < 2; i++) {
		enum status st;
		uint8_t *data = relocated(both[i], &st);

		if (CHECK_EQ(st, ST_OK)) { /* 0x1200 = 0x24 << 7 */
			CHECK_EQ(data[PLACE], 0x80);
			CHECK_EQ(data[PLACE + 1], 0xa4);
			CHECK_EQ(data[PLACE + 2], 0x00);
			CHECK_EQ(data[PLACE + 3], 0x77);
		}
		mem_budget_free(data);
	}
}

TEST(what_is_refused)
{
	static const uint8_t endless[SIZE] = {[PLACE] = 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					      0x80,           0x80, 0x80, 0x80, 0x80, 0x80,
					      0x80,           0x80, 0x80, 0x80};
	static const struct {
		struct file f;
		enum status want;
	} rows[] = {
	    {{EM_RISCV, true, false, false, {{60, 0, 0}}, endless}, ST_BAD},
	    {{EM_RISCV, true, false, false, {{60, 0, SIZE - 1}}, endless}, ST_BAD},
	    {{EM_RISCV, true, false, false, {{60, 0, SIZE}}, NULL}, ST_BAD},
	    {{EM_S390, true, true, false, {{22, 0, SIZE - 7}}, NULL}, ST_BAD},
	    {{EM_S390, true, true, false, {{22, 0, UINT64_MAX}}, NULL}, ST_BAD},
	    {{EM_S390, true, true, false, {{250, 0, 0}}, NULL}, ST_UNSUPPORTED},
	    /* R_MIPS_64 of R_MIPS_SUB */
	    {{EM_MIPS, true, true, false, {{18, 24, 0}}, NULL}, ST_UNSUPPORTED},
	    {{EM_MIPS, true, false, false, {{18, 24, 0}}, NULL}, ST_UNSUPPORTED},
	    /* a machine of which no relocation is known */
	    {{EM_IA_64, true, false, false, {{0x26, 0, 0}}, NULL}, ST_UNSUPPORTED},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum status st;
		uint8_t *data = relocated(&rows[i].f, &st);

		CHECK_EQ(st, rows[i].want);
		CHECK(!data);
		mem_budget_free(data);
	}
}

TEST_MAIN()
