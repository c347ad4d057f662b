/* SPDX-License-Identifier: MIT
 *
 * A .dwp file of .dwo files of DWARF 5 (section 7.3.5), since Debian 12's dwp and llvm-dwp fail on
 * GCC's.
 *
 *	dwp [-l LIE] [-s SLOTS] OUT FILE.dwo...
 *
 * The index has SLOTS slots (a power of two; the least that is half empty), and ids that collide
 * go where the standard says. LIE: a part of the index is not true:
 *	offset   parts of .debug_info.dwo begin behind its end
 *	size     parts are longer than their section
 *	row      rows are out of range
 *	ids      each unit's id leads to the next unit
 *	units    more units than there is room for
 *	slots    a number of slots that is no power of two
 *	full     every slot is taken, by ids that are never looked for
 *	version  an unknown version
 *	cut      the section ends within its tables
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/object/object.h"
#include "testdata/gen/gen.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INFO, ABBREV, LINE, LOCLISTS, STR_OFFSETS, RNGLISTS, COLUMNS, STR = COLUMNS, INDEX, COUNT };

static const char *const names[COUNT] = {
    ".debug_info.dwo",        ".debug_abbrev.dwo",   ".debug_line.dwo", ".debug_loclists.dwo",
    ".debug_str_offsets.dwo", ".debug_rnglists.dwo", ".debug_str.dwo",  ".debug_cu_index"};
static const uint32_t section_ids[COLUMNS] = {1, 3, 4, 5, 6, 8};

enum { MAX_UNITS = 64 };
struct unit {
	uint64_t id;
	uint32_t offset[COLUMNS], size[COLUMNS];
};

static struct buf out[COUNT];
static struct unit units[MAX_UNITS];
static uint32_t n_units;

static uint32_t get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int fail(const char *path, const char *why)
{
	fprintf(stderr, "dwp: %s: %s\n", path, why);
	return 1;
}

static int add(const char *path)
{
	struct unit *u = &units[n_units++];
	struct err e = ERR_INIT;
	struct object *o;

	if (n_units > MAX_UNITS || object_open(&o, path, &e))
		return fail(path, "cannot be read");
	for (int i = 0; i <= STR; i++) {
		struct object_section s = {.size = 0};

		if (object_section(o, names[i], &s, &e) && i == INFO)
			return fail(path, "has no .debug_info.dwo");
		if (i == INFO && (s.size < 20 || s.data[4] != 5 || get32(s.data) + 4 != s.size))
			return fail(path, "is not one unit of DWARF 5");
		if (i < COLUMNS) {
			u->offset[i] = (uint32_t)out[i].len;
			u->size[i] = (uint32_t)s.size;
		}
		if (i == INFO)
			u->id = get32(s.data + 12) | (uint64_t)get32(s.data + 16) << 32;
		if (i == STR_OFFSETS) { /* a header of 8 bytes, then offsets into .debug_str.dwo */
			buf_add(&out[i], s.data, s.size < 8 ? s.size : 8);
			for (uint64_t at = 8; at + 4 <= s.size; at += 4)
				put(&out[i], get32(s.data + at) + out[STR].len, 4);
		} else {
			buf_add(&out[i], s.data, s.size);
		}
	}
	object_free(o);
	return 0;
}

static void write_index(uint32_t slots, const char *lie)
{
	struct buf *b = &out[INDEX];
	uint64_t *ids = mem_zarray(slots, sizeof *ids);
	uint32_t *rows = mem_zarray(slots, sizeof *rows);

	for (uint32_t i = 0; i < n_units; i++) {
		uint32_t k = strcmp(lie, "ids") ? i : (i + 1) % n_units;
		uint32_t at = (uint32_t)units[k].id & (slots - 1);

		while (rows[at])
			at = (at + (((uint32_t)(units[k].id >> 32) & (slots - 1)) | 1)) &
			     (slots - 1);
		ids[at] = units[k].id;
		rows[at] = i + 1;
	}
	put(b, strcmp(lie, "version") ? 5 : 99, 4);
	put(b, COLUMNS, 4);
	put(b, strcmp(lie, "units") ? n_units : 0x7fffffff, 4);
	put(b, strcmp(lie, "slots") ? slots : slots - 1, 4);
	for (uint32_t i = 0; i < slots; i++)
		put(b, strcmp(lie, "full") ? ids[i] : i + 1, 8);
	for (uint32_t i = 0; i < slots; i++)
		put(b,
		    !strcmp(lie, "full")             ? 1
		    : rows[i] && !strcmp(lie, "row") ? 0xfffffff0
						     : rows[i],
		    4);
	if (!strcmp(lie, "cut"))
		return;
	for (int i = 0; i < COLUMNS; i++)
		put(b, section_ids[i], 4);
	for (uint32_t k = 0; k < n_units; k++)
		for (int i = 0; i < COLUMNS; i++)
			put(b,
			    units[k].offset[i] +
				(i == INFO && !strcmp(lie, "offset") ? 0x7fff0000 : 0),
			    4);
	for (uint32_t k = 0; k < n_units; k++)
		for (int i = 0; i < COLUMNS; i++)
			put(b, units[k].size[i] + (strcmp(lie, "size") ? 0 : 0x7fff0000), 4);
	free(ids);
	free(rows);
}

/* Elf64_Ehdr, the sections, .shstrtab, the section headers. */
static void write_elf(struct buf *b)
{
	struct buf strings = BUF_INIT;
	uint64_t at[COUNT + 1], headers;
	uint32_t name[COUNT + 1];
	Elf64_Ehdr h = {
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_REL,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_ehsize = sizeof h,
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = COUNT + 2,
	    .e_shstrndx = COUNT + 1};

	buf_addc(&strings, 0);
	buf_add(b, &h, sizeof h);
	for (int i = 0; i <= COUNT; i++) {
		const char *s = i < COUNT ? names[i] : ".shstrtab";

		name[i] = (uint32_t)strings.len;
		buf_add(&strings, s, strlen(s) + 1);
		at[i] = b->len;
		if (i < COUNT)
			buf_add(b, out[i].data, out[i].len);
	}
	buf_add(b, strings.data, strings.len);
	while (b->len % 8)
		buf_addc(b, 0);
	headers = b->len;
	memcpy(b->data + offsetof(Elf64_Ehdr, e_shoff), &headers, sizeof headers);
	for (int i = -1; i <= COUNT; i++) {
		Elf64_Shdr s = {.sh_type = SHT_NULL};

		if (i >= 0)
			s = (Elf64_Shdr){.sh_name = name[i],
					 .sh_type = i < COUNT ? SHT_PROGBITS : SHT_STRTAB,
					 .sh_offset = at[i],
					 .sh_size = i < COUNT ? out[i].len : strings.len,
					 .sh_addralign = 1};
		buf_add(b, &s, sizeof s);
	}
	buf_release(&strings);
}

int main(int argc, char **argv)
{
	const char *lie = "";
	struct buf b = BUF_INIT;
	uint32_t slots = 2;
	FILE *f;

	for (int c; (c = getopt(argc, argv, "l:s:")) != -1;) {
		if (c == 'l')
			lie = optarg;
		else if (c == 's')
			slots = (uint32_t)strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (argc - optind < 2)
		return fail("usage", "dwp [-l LIE] [-s SLOTS] OUT FILE.dwo...");
	for (int i = optind + 1; i < argc; i++)
		if (add(argv[i]))
			return 1;
	while (slots < n_units * 2 && slots < MAX_UNITS * 2)
		slots *= 2;
	write_index(slots, lie);
	write_elf(&b);
	f = fopen(argv[optind], "wb");
	if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f))
		return fail(argv[optind], "cannot be written");
	buf_release(&b);
	for (int i = 0; i < COUNT; i++)
		buf_release(&out[i]);
	return 0;
}
