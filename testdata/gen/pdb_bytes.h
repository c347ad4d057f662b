/* SPDX-License-Identifier: MIT
 *
 * A PDB and its PE file, byte by byte, for generators and tests. Offsets are in .text, whose RVA is 0x1000; the GUID
 * has the bytes 1 to 16.
 *
 *	100-180  outer, public ?outer@@YAXXZ; lines of main.cpp: 20 (column 1), from 130 on 21 (2), from 150 on 22 (3); of
 *	         ai.h: from 160 on 99 (9)
 *	  110-130    game::ai::think inlined, ai.h: 12 (10 and 2), from 118 on 15
 *	    11c-128      Widget::draw inlined, ai.h:40; from 124 on main.cpp:35
 *	  140-150    helper inlined (S_INLINESITE2), main.cpp:70
 *	200-220  local_fn, which is not public; main.cpp: 30 and 31 at 200, none at 210, 32 at 218
 *	240-246  import_thunk
 *	300-310  a part of outer, main.cpp:23
 *	400      only_public, of a module without symbols
 *
 * Moved afterwards, .text has size 600, and the offsets have what pdb_moved says.
 */
#ifndef TM_TESTDATA_GEN_PDB_BYTES_H
#define TM_TESTDATA_GEN_PDB_BYTES_H

#include "testdata/gen/gen.h"

#include <stdio.h>

enum { PDB_BLOCK = 512, PDB_STREAMS = 14, PDB_TEXT = 0x1000, PDB_DATA = 0x3000 };

struct pdb_how {
	uint32_t age;
	bool fastlink;
	bool scattered;   /* the blocks of streams lie backwards */
	bool wide;        /* contributions of the second version */
	bool cross;       /* the id of helper is one that module b.obj has */
	bool omap;        /* what it says of .text was so before code was moved: pdb_moved */
	bool headers;     /* and it has the section headers of both */
	bool classes;     /* of the second form */
	bool managed;     /* outer is code of .NET */
	bool foreign;     /* from 0x480 on, .text is of a module that has no symbols at all */
	uint32_t publics; /* more, of one byte each, from 0x401 on */
	uint16_t machine;
};

/* Where the code is now and where it was, offsets in .text; NOWHERE: it is new. */
#define PDB_NOWHERE UINT32_MAX
static const uint32_t pdb_moved[][2] = {
    {0x000, 0x200},                       /* local_fn and import_thunk come first */
    {0x050, PDB_NOWHERE}, {0x060, 0x118}, /* the middle of outer */
    {0x090, 0x100},                       /* its start */
    {0x0a8, PDB_NOWHERE}, {0x0b0, 0x148}, /* its end, without a gap to the next 30 */
    {0x0e0, 0x178},       {0x168, 0x300}, /* the part of outer, only_public */
    {0x278, 0x410},       {0x600, PDB_NOWHERE},
};
enum { PDB_MOVED = sizeof pdb_moved / sizeof *pdb_moved };

static inline void pdb_zeroes(struct buf *b, size_t n)
{
	while (n--)
		buf_addc(b, 0);
}

static inline void pdb_align(struct buf *b)
{
	pdb_zeroes(b, -b->len & 3);
}

static inline void pdb_text(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static inline void pdb_set32(struct buf *b, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		b->data[at + (size_t)i] = (char)(v >> 8 * i);
}

/* A record begins: where its length is. */
static inline size_t pdb_begin(struct buf *b, uint16_t kind)
{
	size_t at = b->len;

	put(b, 0, 2);
	put(b, kind, 2);
	return at;
}

static inline void pdb_end(struct buf *b, size_t at)
{
	size_t n;

	pdb_align(b);
	n = b->len - at - 2;
	b->data[at] = (char)n;
	b->data[at + 1] = (char)(n >> 8);
}

static inline void pdb_bare(struct buf *b, uint16_t kind)
{
	pdb_end(b, pdb_begin(b, kind));
}

static inline size_t pdb_proc(struct buf *b, uint16_t kind, uint32_t offset, uint32_t size,
			      const char *name)
{
	size_t at = pdb_begin(b, kind);

	put(b, 0, 4); /* parent, end, next */
	put(b, 0, 4);
	put(b, 0, 4);
	put(b, size, 4);
	put(b, 0, 4);
	put(b, size, 4);
	put(b, 0, 4); /* type */
	put(b, offset, 4);
	put(b, 1, 2);
	put(b, 0, 1);
	pdb_text(b, name);
	pdb_end(b, at);
	return at;
}

/* The end of what began at at is here. */
static inline void pdb_close(struct buf *b, size_t at, uint16_t kind)
{
	pdb_set32(b, at + 8, (uint32_t)b->len);
	pdb_bare(b, kind);
}

static inline size_t pdb_site(struct buf *b, uint32_t inlinee, bool counted,
			      const char *annotations, size_t n)
{
	size_t at = pdb_begin(b, counted ? 0x115d : 0x114d);

	put(b, 0, 4);
	put(b, 0, 4);
	put(b, inlinee, 4);
	if (counted)
		put(b, 1, 4);
	buf_add(b, annotations, n);
	pdb_end(b, at);
	return at;
}

static inline uint32_t pdb_helper_id(const struct pdb_how *how)
{
	return how->cross ? 0x80000001 : 0x1003;
}

static inline void pdb_symbols(struct buf *b, const struct pdb_how *how)
{
	/* line +2; code +10; code +8 and line +3; length 18 */
	static const char think[] = {6, 4, 3, 0x10, 11, 0x68, 4, 0x18};
	/* length 8 at code +1c; file 0; line -5; length 4 at code +8 */
	static const char draw[] = {12, 8, 0x1c, 5, 0, 6, 11, 12, 4, 8};
	static const char helper[] = {3, 0x40, 4, 0x10};
	size_t proc, outer, inner;

	put(b, 4, 4);
	proc = pdb_proc(b, how->managed ? 0x112b : 0x1110, 0x100, 0x80, "outer");
	outer = pdb_site(b, 0x1001, false, think, sizeof think);
	inner = pdb_site(b, 0x1002, false, draw, sizeof draw);
	pdb_close(b, inner, 0x114e);
	pdb_close(b, outer, 0x114e);
	outer = pdb_site(b, pdb_helper_id(how), true, helper, sizeof helper);
	pdb_close(b, outer, 0x114e);
	pdb_close(b, proc, 6);
	proc = pdb_proc(b, 0x110f, 0x200, 0x20, "local_fn");
	pdb_close(b, proc, 6);

	proc = pdb_begin(b, 0x1102);
	pdb_zeroes(b, 12);
	put(b, 0x240, 4);
	put(b, 1, 2);
	put(b, 6, 2);
	put(b, 0, 1);
	pdb_text(b, "import_thunk");
	pdb_end(b, proc);
	pdb_close(b, proc, 6);

	proc = pdb_begin(b, 0x1132);
	pdb_zeroes(b, 8);
	put(b, 0x10, 4);
	put(b, 0, 4);
	put(b, 0x300, 4);
	put(b, 0x100, 4);
	put(b, 1, 2);
	put(b, 1, 2);
	pdb_end(b, proc);
	pdb_close(b, proc, 6);
}

static inline size_t pdb_part(struct buf *b, uint32_t kind)
{
	put(b, kind, 4);
	put(b, 0, 4);
	return b->len;
}

static inline void pdb_end_part(struct buf *b, size_t at)
{
	pdb_set32(b, at - 4, (uint32_t)(b->len - at));
	pdb_align(b);
}

/* Lines of code at an offset, and n rows of one file. */
static inline size_t pdb_lines(struct buf *b, uint32_t offset, uint32_t size, bool columns)
{
	size_t at = pdb_part(b, 0xf2);

	put(b, offset, 4);
	put(b, 1, 2);
	put(b, columns, 2);
	put(b, size, 4);
	return at;
}

static inline void pdb_rows(struct buf *b, uint32_t file, const uint32_t (*rows)[3], uint32_t n,
			    bool columns)
{
	put(b, file, 4);
	put(b, n, 4);
	put(b, 12 + n * (columns ? 12u : 8u), 4);
	for (uint32_t i = 0; i < n; i++) {
		put(b, rows[i][0], 4);
		put(b, rows[i][1] | 0x80000000, 4); /* it is a statement */
	}
	for (uint32_t i = 0; columns && i < n; i++) {
		put(b, rows[i][2], 2);
		put(b, 0, 2);
	}
}

static inline void pdb_parts(struct buf *b, const struct pdb_how *how)
{
	static const uint32_t outer[][3] = {{0, 20, 1}, {0x30, 21, 2}, {0x50, 22, 3}};
	static const uint32_t included[][3] = {{0x60, 99, 9}};
	static const uint32_t local[][3] = {{0, 30}, {0, 31}, {0x10, 0xf00f00}, {0x18, 32}};
	static const uint32_t apart[][3] = {{0, 23}};
	size_t at = pdb_part(b, 0xf4);

	put(b, 1, 4); /* file 0: main.cpp */
	put(b, 0, 2);
	pdb_align(b);
	put(b, 17, 4); /* file 8: ai.h, with an MD5 */
	put(b, 16, 1);
	put(b, 1, 1);
	pdb_zeroes(b, 16);
	pdb_align(b);
	pdb_end_part(b, at);
	at = pdb_lines(b, 0x100, 0x80, true);
	pdb_rows(b, 0, outer, 3, true);
	pdb_rows(b, 8, included, 1, true);
	pdb_end_part(b, at);
	at = pdb_lines(b, 0x200, 0x20, false);
	pdb_rows(b, 0, local, 4, false);
	pdb_end_part(b, at);
	at = pdb_lines(b, 0x300, 0x10, false);
	pdb_rows(b, 0, apart, 1, false);
	pdb_end_part(b, at);
	at = pdb_part(b, 0xf6);
	put(b, 1, 4); /* with more files */
	put(b, 0x1001, 4);
	put(b, 8, 4);
	put(b, 10, 4);
	put(b, 1, 4);
	put(b, 0, 4);
	put(b, 0x1002, 4);
	put(b, 8, 4);
	put(b, 40, 4);
	put(b, 0, 4);
	put(b, pdb_helper_id(how), 4);
	put(b, 0, 4);
	put(b, 70, 4);
	put(b, 0, 4);
	pdb_end_part(b, at);
	if (!how->cross)
		return;
	at = pdb_part(b, 0xf7);
	put(b, 29, 4);
	put(b, 2, 4);
	put(b, 0x80000777, 4);
	put(b, 0x80000778, 4);
	pdb_end_part(b, at);
}

/* What module b.obj has. */
static inline void pdb_exports(struct buf *b)
{
	size_t at;

	put(b, 4, 4); /* no symbols */
	at = pdb_part(b, 0xf8);
	put(b, 0x80000777, 4);
	put(b, 0x1001, 4);
	put(b, 0x80000778, 4);
	put(b, 0x1003, 4);
	pdb_end_part(b, at);
}

static inline void pdb_types(struct buf *b, uint32_t end, const struct buf *records, uint16_t index,
			     uint32_t n_index)
{
	put(b, 20040203, 4);
	put(b, 56, 4);
	put(b, 0x1000, 4);
	put(b, end, 4);
	put(b, records->len, 4);
	put(b, index, 2);
	put(b, 0xffff, 2);
	put(b, 4, 4);
	put(b, 0x3ffff, 4);
	put(b, 0, 8);
	put(b, 0, 4);
	put(b, n_index * 8, 4);
	put(b, 0, 8);
	buf_add(b, records->data, records->len);
}

static inline size_t pdb_id(struct buf *b, uint16_t kind, uint32_t around, const char *name)
{
	size_t at = pdb_begin(b, kind);

	put(b, around, 4);
	if (kind != 0x1605)
		put(b, 0, 4);
	pdb_text(b, name);
	pdb_end(b, at);
	return at;
}

static inline void pdb_public(struct buf *records, struct buf *map, uint32_t flags,
			      uint16_t section, uint32_t offset, const char *name)
{
	size_t at = pdb_begin(records, 0x110e);

	put(map, at, 4);
	put(records, flags, 4);
	put(records, offset, 4);
	put(records, section, 2);
	pdb_text(records, name);
	pdb_end(records, at);
}

static inline void pdb_module(struct buf *b, uint16_t stream, uint32_t symbols, uint32_t parts,
			      const char *name)
{
	pdb_zeroes(b, 34);
	put(b, stream, 2);
	put(b, symbols, 4);
	put(b, 0, 4);
	put(b, parts, 4);
	pdb_zeroes(b, 16);
	pdb_text(b, name);
	pdb_text(b, name);
	pdb_align(b);
}

static inline void pdb_contribution(struct buf *b, uint32_t offset, uint32_t size, uint16_t module,
				    bool wide)
{
	put(b, 1, 2);
	put(b, 0, 2);
	put(b, offset, 4);
	put(b, size, 4);
	put(b, 0x60000020, 4);
	put(b, module, 2);
	pdb_zeroes(b, wide ? 14 : 10);
}

static inline void pdb_section(struct buf *b, const char *name, uint32_t size, uint32_t rva,
			       uint32_t at, uint32_t flags)
{
	char field[8] = {0};

	memcpy(field, name, strlen(name));
	buf_add(b, field, 8);
	put(b, size, 4);
	put(b, rva, 4);
	put(b, 0x200, 4);
	put(b, at, 4);
	pdb_zeroes(b, 12);
	put(b, flags, 4);
}

static inline void pdb_sections(struct buf *b, uint32_t size)
{
	pdb_section(b, ".text", size, PDB_TEXT, 0x400, 0x60000020);
	pdb_section(b, ".data", 0x100, PDB_DATA, 0x600, 0xc0000040);
}

static inline void pdb_omap(struct buf *b)
{
	for (size_t i = 0; i < PDB_MOVED; i++) {
		uint32_t was = pdb_moved[i][1];

		put(b, PDB_TEXT + pdb_moved[i][0], 4);
		put(b, was != PDB_NOWHERE ? PDB_TEXT + was : i & 1 ? UINT32_MAX : 0, 4);
	}
	put(b, PDB_DATA, 4);
	put(b, PDB_DATA, 4);
}

static inline void pdb_info(struct buf *b, const struct pdb_how *how)
{
	put(b, 20000404, 4);
	put(b, 0x5f000000, 4);
	put(b, how->age, 4);
	for (int i = 1; i <= 16; i++)
		put(b, (uint64_t)i, 1);
	put(b, 7, 4);
	pdb_text(b, "/names");
	put(b, 1, 4); /* used, slots */
	put(b, 1, 4);
	put(b, 1, 4); /* bits of those that are used, and of those that were */
	put(b, 1, 4);
	put(b, 0, 4);
	put(b, 0, 4); /* its text, its stream */
	put(b, 9, 4);
	put(b, 0, 4);
	put(b, 20140508, 4);
	if (how->fastlink)
		put(b, 0x494e494d, 4);
}

static inline void pdb_dbi(struct buf *b, const struct pdb_how *how, uint32_t symbols,
			   uint32_t parts)
{
	struct buf modules = BUF_INIT, pieces = BUF_INIT;

	pdb_module(&modules, 0xffff, 0, 0, "* Linker *");
	pdb_module(&modules, 8, symbols, parts, "a.obj");
	pdb_module(&modules, how->cross ? 11 : 0xffff, how->cross ? 4 : 0, how->cross ? 24 : 0,
		   "B.obj");
	put(&pieces, how->wide ? 0xf13151e4 : 0xf12eba2d, 4);
	pdb_contribution(&pieces, 0x100, 0x250, 1, how->wide);
	pdb_contribution(&pieces, 0x400, how->foreign ? 0x80 : 0x100, 2, how->wide);
	if (how->foreign)
		pdb_contribution(&pieces, 0x480, 0x80, 0, how->wide);
	put(b, UINT32_MAX, 4);
	put(b, 19990903, 4);
	put(b, how->age, 4);
	put(b, 0xffff, 2);
	put(b, 0, 2);
	put(b, 6, 2);
	put(b, 0, 2);
	put(b, 7, 2);
	put(b, 0, 2);
	put(b, modules.len, 4);
	put(b, pieces.len, 4);
	put(b, 0, 4);
	put(b, 16, 4); /* source files, none, of three modules */
	pdb_zeroes(b, 8);
	put(b, 22, 4); /* the list of streams */
	put(b, 0, 4);
	put(b, 0, 2);
	put(b, how->machine, 2);
	put(b, 0, 4);
	buf_add(b, modules.data, modules.len);
	buf_add(b, pieces.data, pieces.len);
	put(b, 3, 2);
	pdb_zeroes(b, 14);
	for (int i = 0; i < 11; i++)
		put(b,
		    i == 3 && how->omap       ? 12
		    : i == 5                  ? (how->headers ? 13 : 5)
		    : i == 10 && how->headers ? 5
					      : 0xffff,
		    2);
	buf_release(&modules);
	buf_release(&pieces);
}

static inline void pdb_streams(struct buf *s, const struct pdb_how *how)
{
	struct buf types = BUF_INIT, ids = BUF_INIT, map = BUF_INIT;
	size_t at = pdb_begin(&types, how->classes ? 0x1609 : 0x1505);
	uint32_t symbols;

	if (!how->classes)
		put(&types, 0, 2); /* how many members */
	put(&types, 0x80, how->classes ? 4 : 2);
	put(&types, 0, 8);
	put(&types, 0, 4);
	if (how->classes)
		put(&types, 0, 2);
	put(&types, 0, 2); /* its size */
	pdb_text(&types, "Widget");
	pdb_end(&types, at);
	pdb_types(&s[2], 0x1001, &types, 0xffff, 0);
	pdb_id(&ids, 0x1605, 0, "game::ai");
	pdb_id(&ids, 0x1601, 0x1000, "think");
	at = pdb_id(&ids, 0x1602, 0x1000, "draw");
	pdb_id(&ids, 0x1601, 0, "helper");
	put(&s[10], 0x1000, 4);
	put(&s[10], 0, 4);
	put(&s[10], 0x1002, 4);
	put(&s[10], at, 4);
	pdb_types(&s[4], 0x1004, &ids, 10, 2);
	pdb_info(&s[1], how);
	pdb_sections(&s[5], 0x500);
	if (how->omap)
		pdb_omap(&s[12]);
	if (how->headers)
		pdb_sections(&s[13], 0x600);
	pdb_public(&s[7], &map, 2, 1, 0x100, "?alias@@YAXXZ");
	pdb_public(&s[7], &map, 2, 1, 0x100, "?outer@@YAXXZ");
	pdb_public(&s[7], &map, 2, 1, 0x400, "only_public");
	for (uint32_t i = 0; i < how->publics; i++) {
		char name[64];

		snprintf(name, sizeof name, "public_of_a_long_name_that_may_lie_in_2_blocks_%u", i);
		pdb_public(&s[7], &map, 2, 1, 0x401 + i, name);
	}
	pdb_public(&s[7], &map, 0, 2, 0x10, "global");
	put(&s[6], 16, 4);
	put(&s[6], map.len, 4);
	pdb_zeroes(&s[6], 20);
	put(&s[6], UINT32_MAX, 4); /* an empty hash table */
	put(&s[6], 0xeffe0000 + 19990810, 4);
	pdb_zeroes(&s[6], 8);
	buf_add(&s[6], map.data, map.len);
	pdb_symbols(&s[8], how);
	symbols = (uint32_t)s[8].len;
	pdb_parts(&s[8], how);
	if (how->cross)
		pdb_exports(&s[11]);
	put(&s[9], 0xeffeeffe, 4);
	put(&s[9], 1, 4);
	put(&s[9], 35, 4);
	pdb_text(&s[9], "");
	pdb_text(&s[9], "c:\\src\\main.cpp"); /* at 1 */
	pdb_text(&s[9], "c:\\src\\ai.h");     /* at 17 */
	pdb_text(&s[9], "b.obj");             /* at 29 */
	put(&s[9], 1, 4); /* a hash table of one slot, and the number of texts */
	put(&s[9], 0, 4);
	put(&s[9], 2, 4);
	pdb_dbi(&s[3], how, symbols, (uint32_t)s[8].len - symbols);
	put(&s[8], 0, 4); /* no references to globals */
	buf_release(&types);
	buf_release(&ids);
	buf_release(&map);
}

/* Block 0 has the header, 1 and 2 the maps of free blocks, 3 the number of the directory's block, 4 the directory. */
static inline void pdb_make(struct buf *out, const struct pdb_how *how)
{
	struct buf s[PDB_STREAMS] = {BUF_INIT}, directory = BUF_INIT;
	uint32_t block = 5;

	pdb_streams(s, how);
	put(&directory, PDB_STREAMS, 4);
	for (int i = 0; i < PDB_STREAMS; i++)
		put(&directory, s[i].len, 4);
	out->len = 0;
	pdb_zeroes(out, 5 * PDB_BLOCK);
	for (int i = 0; i < PDB_STREAMS; i++) {
		uint32_t n = (uint32_t)((s[i].len + PDB_BLOCK - 1) / PDB_BLOCK);

		pdb_zeroes(&s[i], n * (size_t)PDB_BLOCK - s[i].len);
		for (uint32_t k = 0; k < n; k++) {
			put(&directory, block + (how->scattered ? n - 1 - k : k), 4);
			buf_add(out,
				s[i].data + (how->scattered ? n - 1 - k : k) * (size_t)PDB_BLOCK,
				PDB_BLOCK);
		}
		block += n;
		buf_release(&s[i]);
	}
	memcpy(out->data, "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0", 32);
	pdb_set32(out, 32, PDB_BLOCK);
	pdb_set32(out, 36, 1);
	pdb_set32(out, 40, block);
	pdb_set32(out, 44, (uint32_t)directory.len);
	pdb_set32(out, 52, 3);
	pdb_set32(out, 3 * PDB_BLOCK, 4);
	memcpy(out->data + 4 * PDB_BLOCK, directory.data, directory.len);
	buf_release(&directory);
}

/* The PE file, x86-64, with its CodeView record. */
static inline void pdb_make_pe(struct buf *b, uint32_t age, const char *path)
{
	b->len = 0;
	put(b, 0x5a4d, 2);
	pdb_zeroes(b, 0x3a);
	put(b, 0x40, 4);
	put(b, 0x4550, 4);
	put(b, 0x8664, 2);
	put(b, 2, 2);
	pdb_zeroes(b, 12);
	put(b, 240, 2);
	put(b, 0x22, 2);
	put(b, 0x20b, 2);
	pdb_zeroes(b, 22);
	put(b, 0x140000000, 8);
	put(b, 0x1000, 4);
	put(b, 0x200, 4);
	pdb_zeroes(b, 16);
	put(b, 0x4000, 4);
	put(b, 0x400, 4);
	pdb_zeroes(b, 4);
	put(b, 3, 2);
	put(b, 0, 2);
	pdb_zeroes(b, 36);
	put(b, 16, 4);
	for (int i = 0; i < 16; i++) {
		put(b, i == 6 ? PDB_DATA : 0, 4);
		put(b, i == 6 ? 28 : 0, 4);
	}
	pdb_section(b, ".text", 0x500, PDB_TEXT, 0x400, 0x60000020);
	pdb_section(b, ".data", 0x100, PDB_DATA, 0x600, 0xc0000040);
	pdb_zeroes(b, 0x600 - b->len);
	pdb_zeroes(b, 12);
	put(b, 2, 4);
	put(b, 25 + strlen(path), 4);
	put(b, PDB_DATA + 0x20, 4);
	put(b, 0x620, 4);
	pdb_zeroes(b, 4);
	buf_adds(b, "RSDS");
	for (int i = 1; i <= 16; i++)
		put(b, (uint64_t)i, 1);
	put(b, age, 4);
	pdb_text(b, path);
	pdb_zeroes(b, 0x800 - b->len);
}

#endif
