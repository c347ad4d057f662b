/* SPDX-License-Identifier: MIT
 *
 *	bombs KIND [FILE]        one hostile file to standard output; without arguments: the kinds
 *
 * Small files that ask for much memory or time: sections that unpack to thousands of times their
 * size, lists that everything refers to, chains, counts. Each ELF file has code at TEXT, so that
 * an address there makes a reader look at all of it. FILE is the packed file that some kinds hold.
 */
#include "testdata/gen/bomb_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MIB = 1 << 20,
	/* DWARF 5, section 7.5: tags, attributes, forms */
	COMPILE_UNIT = 0x11,
	SUBPROGRAM = 0x2e,
	INLINED = 0x1d,
	NAME = 0x03,
	STMT_LIST = 0x10,
	LOW_PC = 0x11,
	HIGH_PC = 0x12,
	ORIGIN = 0x31,
	RANGES = 0x55,
	AS_ADDR = 0x01,
	AS_DATA8 = 0x07,
	AS_STRING = 0x08,
	AS_REF4 = 0x13,
	AS_OFFSET = 0x17,
};

/* --- DWARF 4 --- */

static void abbrev(struct buf *b, unsigned code, unsigned tag, int children, const int *attrs)
{
	buf_add_uleb(b, code);
	buf_add_uleb(b, tag);
	buf_addc(b, (char)children);
	for (; *attrs; attrs += 2) {
		buf_add_uleb(b, (uint64_t)attrs[0]);
		buf_add_uleb(b, (uint64_t)attrs[1]);
	}
	put(b, 0, 2);
}

enum { UNIT = 1, FUNCTION, COPY, CALL, OUTER, PIECES };

static void add_abbrevs(void)
{
	struct buf *b = add_section(".debug_abbrev");
	static const int unit[] = {NAME,     AS_STRING, LOW_PC,    AS_ADDR, HIGH_PC,
				   AS_DATA8, STMT_LIST, AS_OFFSET, 0};
	static const int function[] = {NAME, AS_STRING, LOW_PC, AS_ADDR, HIGH_PC, AS_DATA8, 0};
	static const int copy[] = {ORIGIN, AS_REF4, LOW_PC, AS_ADDR, HIGH_PC, AS_DATA8, 0};
	static const int pieces[] = {NAME, AS_STRING, RANGES, AS_OFFSET, 0};

	abbrev(b, UNIT, COMPILE_UNIT, 1, unit);
	abbrev(b, FUNCTION, SUBPROGRAM, 0, function);
	abbrev(b, COPY, SUBPROGRAM, 0, copy);
	abbrev(b, CALL, INLINED, 1, copy);
	abbrev(b, OUTER, SUBPROGRAM, 1, function);
	abbrev(b, PIECES, SUBPROGRAM, 0, pieces);
	put(b, 0, 1);
}

static size_t unit_at; /* of the length of the unit that is open */

static void begin_unit(struct buf *b, bool everywhere)
{
	unit_at = b->len;
	put(b, 0, 4);
	put(b, 4, 2);
	put(b, 0, 4);
	put(b, 8, 1);
	put(b, UNIT, 1);
	buf_add(b, "a.c", 4);
	put(b, TEXT, 8);
	put(b, everywhere ? TEXT_SIZE : 1, 8);
	put(b, 0, 4);
}

static void end_unit(struct buf *b)
{
	put(b, 0, 1);
	fill32(b, unit_at, b->len - unit_at - 4);
}

static void function(struct buf *b, unsigned code)
{
	put(b, code, 1);
	buf_add(b, "f", 2);
	put(b, TEXT, 8);
	put(b, TEXT_SIZE, 8);
}

static void refers(struct buf *b, unsigned code, uint64_t to)
{
	put(b, code, 1);
	put(b, to, 4);
	put(b, TEXT, 8);
	put(b, TEXT_SIZE, 8);
}

static void add_line_head(struct buf *b, uint64_t rest)
{
	static const char lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct buf h = BUF_INIT;

	put(&h, 1, 1);
	put(&h, 1, 1);
	put(&h, 1, 1);
	put(&h, (uint8_t)-5, 1);
	put(&h, 14, 1);
	put(&h, 13, 1);
	buf_add(&h, lengths, sizeof lengths);
	put(&h, 0, 1);
	buf_add(&h, "a.c", 4);
	put(&h, 0, 4);
	put(b, 2 + 4 + h.len + rest, 4);
	put(b, 4, 2);
	put(b, h.len, 4);
	buf_add(b, h.data, h.len);
	buf_release(&h);
}

static void set_address(struct buf *b)
{
	put(b, 0x020900, 3);
	put(b, TEXT, 8);
}

static const char end_sequence[] = {0, 1, 1};

static void add_lines(void)
{
	struct buf *b = add_section(".debug_line");

	add_line_head(b, 11 + 2 + sizeof end_sequence);
	set_address(b);
	put(b, 1, 1);    /* a row */
	put(b, 0x21, 1); /* and one behind it */
	buf_add(b, end_sequence, sizeof end_sequence);
}

/* A unit of one function, and its lines. */
static void add_plain(void)
{
	struct buf *b;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	function(b, FUNCTION);
	end_unit(b);
	add_lines();
}

/* n ranges of one byte each. */
static void add_ranges(size_t n)
{
	struct buf *b = add_section(".debug_ranges");

	for (size_t i = 0; i < n; i++) {
		put(b, i % 2000, 8);
		put(b, i % 2000 + 1, 8);
	}
	put(b, 0, 16 - 8);
	put(b, 0, 8);
}

static void pieces(struct buf *b, uint64_t list)
{
	put(b, PIECES, 1);
	buf_add(b, "p", 2);
	put(b, list, 4);
}

/* --- the kinds --- */

static void zstd_section(void)
{
	add_plain();
	add_zeros(".debug_str", UINT64_C(16) << 30);
}

/* As much as zlib's best could hold, in a stream that does not. */
static void zlib_section(void)
{
	struct buf *b;

	add_plain();
	b = add_packed(".debug_str", ZLIB, UINT64_C(4) << 30);
	for (size_t i = 0; i < 5 * MIB; i++)
		buf_addc(b, 0);
}

static void zdebug(void)
{
	struct buf *b;

	add_plain();
	b = add_section(".zdebug_str");
	buf_adds(b, "ZLIB");
	put(b, 0, 3);
	put(b, 1, 1); /* 4 GiB, big-endian */
	put(b, 0, 4);
	for (size_t i = 0; i < 5 * MIB; i++)
		buf_addc(b, 0);
}

static void many_sections(void)
{
	static const char *const names[] = {".debug_str",    ".debug_line_str",
					    ".debug_addr",   ".debug_str_offsets",
					    ".debug_ranges", ".debug_rnglists"};

	add_plain();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		add_zeros(names[i], UINT64_C(300) << 20);
}

/* One list of a million ranges for 10,000 functions. */
static void ranges_shared(void)
{
	struct buf *b;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	for (size_t i = 0; i < 10000; i++)
		pieces(b, 0);
	end_unit(b);
	add_lines();
	add_ranges(1000000);
}

/* The same, each list beginning a range later. */
static void ranges_overlap(void)
{
	struct buf *b;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	for (size_t i = 0; i < 10000; i++)
		pieces(b, 16 * i);
	end_unit(b);
	add_lines();
	add_ranges(1000000);
}

/* The same in as many units. */
static void ranges_units(void)
{
	struct buf *b;

	add_abbrevs();
	b = add_section(".debug_info");
	for (size_t i = 0; i < 10000; i++) {
		begin_unit(b, true);
		pieces(b, 0);
		end_unit(b);
	}
	add_lines();
	add_ranges(1000000);
}

/* Each copy is one of the next. */
static void origins(void)
{
	enum { N = 300000 };
	struct buf *b;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	for (size_t i = 0; i < N; i++)
		refers(b, COPY, b->len - unit_at + 21);
	function(b, FUNCTION);
	end_unit(b);
	add_lines();
}

/* Two that are copies of each other, and one of itself. */
static void origin_cycle(void)
{
	struct buf *b;
	size_t first;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	first = b->len - unit_at;
	refers(b, COPY, first + 21);
	refers(b, COPY, first);
	refers(b, COPY, first + 42);
	end_unit(b);
	add_lines();
}

static void nested(void)
{
	enum { N = 300000 };
	struct buf *b;
	size_t first;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	first = b->len - unit_at;
	function(b, OUTER);
	for (size_t i = 0; i < N; i++)
		refers(b, CALL, first);
	for (size_t i = 0; i <= N; i++)
		put(b, 0, 1);
	end_unit(b);
	add_lines();
}

/* 100 million rows at one address. */
static void rows(void)
{
	enum { N = 100000000 };
	struct buf *b, raw = BUF_INIT, all = BUF_INIT;

	add_abbrevs();
	b = add_section(".debug_info");
	begin_unit(b, true);
	function(b, FUNCTION);
	end_unit(b);
	add_line_head(&raw, 11 + (uint64_t)N + sizeof end_sequence);
	set_address(&raw);
	zstd_head(&all);
	zstd_raw(&all, &raw, false);
	b = add_packed(".debug_line", ZSTD, raw.len + N + sizeof end_sequence);
	zstd_repeat(&all, 0x20, N, false);
	raw.len = 0;
	buf_add(&raw, end_sequence, sizeof end_sequence);
	zstd_raw(&all, &raw, true);
	buf_add(b, all.data, all.len);
	buf_release(&raw);
	buf_release(&all);
}

/* The FILE is .gnu_debugdata. */
static const char *packed_path;

static void minidebug(void)
{
	struct buf *b = add_section(".gnu_debugdata");
	FILE *f = packed_path ? fopen(packed_path, "rb") : NULL;
	int c;

	while (f && (c = getc(f)) != EOF)
		buf_addc(b, (char)c);
	if (!f || !b->len) {
		fprintf(stderr, "bombs: minidebug needs a FILE\n");
		exit(2);
	}
	fclose(f);
}

/* --- files that are not ELF --- */

/* A library of 15 GiB in 16 MiB, as far as the directory says; sizes are in zip64's field. */
static void zip(struct buf *out)
{
	static const char name[] = "lib/x86_64/libbomb.so";
	const uint64_t size = UINT64_C(15) << 30;
	size_t packed, directory;

	buf_add(out, "PK\3\4", 4);
	put(out, 45, 2);
	put(out, 0, 2);
	put(out, 8, 2);
	put(out, 0, 16); /* times, checksum and sizes: in the directory */
	put(out, sizeof name - 1, 2);
	put(out, 0, 2);
	buf_adds(out, name);
	packed = out->len;
	/* a stored block of RFC 1951: the ELF mark; the rest is nothing that inflate knows */
	put(out, 0, 1);
	put(out, 8, 2);
	put(out, (uint16_t)~8, 2);
	buf_add(out, "\177ELF\2\1\1", 8);
	for (size_t i = 0; i < 16 * MIB; i++)
		buf_addc(out, -1);
	packed = out->len - packed;
	directory = out->len;
	buf_add(out, "PK\1\2", 4);
	put(out, 45, 2);
	put(out, 45, 2);
	put(out, 0, 2);
	put(out, 8, 2);
	put(out, 0, 8);
	put(out, UINT32_MAX, 4);
	put(out, UINT32_MAX, 4);
	put(out, sizeof name - 1, 2);
	put(out, 20, 2);
	put(out, 0, 14);
	buf_adds(out, name);
	put(out, 1, 2);
	put(out, 16, 2);
	put(out, size, 8);
	put(out, packed, 8);
	directory = out->len - directory;
	buf_add(out, "PK\5\6", 4);
	put(out, 0, 4);
	put(out, 1, 2);
	put(out, 1, 2);
	put(out, directory, 4);
	put(out, out->len - 16 - directory, 4);
	put(out, 0, 2);
}

/* One line of 16 GiB, as a capture. */
static void line(struct buf *out)
{
	zstd_head(out);
	zstd_repeat(out, 'a', UINT64_C(16) << 30, true);
}

static void json_depth(struct buf *out)
{
	buf_adds(out, "{\"f\":1,\"d\":");
	for (size_t i = 0; i < 3 * MIB; i++)
		buf_addc(out, '[');
}

/* A header that promises what no file holds. */
static void counts(struct buf *out)
{
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof h,
			.e_shoff = sizeof h,
			.e_ehsize = sizeof h,
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = PN_XNUM,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 0};
	/* the number of sections and of segments are in the first section */
	Elf64_Shdr first = {.sh_size = UINT64_C(1) << 58, .sh_info = UINT32_MAX};
	Elf64_Shdr second = {.sh_type = SHT_SYMTAB,
			     .sh_offset = 0,
			     .sh_size = UINT64_MAX - 64,
			     .sh_entsize = sizeof(Elf64_Sym)};

	buf_add(out, &h, sizeof h);
	buf_add(out, &first, sizeof first);
	buf_add(out, &second, sizeof second);
}

static const struct {
	const char *name;
	void (*elf)(void);
	void (*other)(struct buf *out);
} kinds[] = {
    {"zstd-section", zstd_section, NULL},
    {"zlib-section", zlib_section, NULL},
    {"zdebug", zdebug, NULL},
    {"many-sections", many_sections, NULL},
    {"ranges-shared", ranges_shared, NULL},
    {"ranges-overlap", ranges_overlap, NULL},
    {"ranges-units", ranges_units, NULL},
    {"origins", origins, NULL},
    {"origin-cycle", origin_cycle, NULL},
    {"nested", nested, NULL},
    {"rows", rows, NULL},
    {"minidebug", minidebug, NULL},
    {"counts", NULL, counts},
    {"zip", NULL, zip},
    {"line", NULL, line},
    {"json-depth", NULL, json_depth},
};

int main(int argc, char **argv)
{
	struct buf out = BUF_INIT;

	packed_path = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (argc < 2) {
			puts(kinds[i].name);
			continue;
		}
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		if (kinds[i].elf) {
			kinds[i].elf();
			write_elf(&out);
		} else {
			kinds[i].other(&out);
		}
	}
	if (argc > 1 && !out.len) {
		fprintf(stderr, "usage: see testdata/gen/bombs.c\n");
		return 2;
	}
	if (fwrite(out.data ? out.data : "", 1, out.len, stdout) != out.len || fflush(stdout)) {
		perror("bombs");
		return 1;
	}
	buf_release(&out);
	return 0;
}
