/* SPDX-License-Identifier: MIT
 *
 * DWARF written byte by byte, with forms that no compiler here emits, in an ELF file in memory.
 */
#ifndef TM_TESTS_UNIT_DWARF_FAST_H
#define TM_TESTS_UNIT_DWARF_FAST_H

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/dwarf/engine.h"
#include "lib/dwarf/fast/abbrev.h"

#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>

enum { TEXT = 0x2000, TEXT_SIZE = 0x1000 };

enum piece { INFO, ABBREV, LINE, STR, STR_OFFSETS, ADDR, RANGES, RNGLISTS, PIECES };

static const char *const piece_names[PIECES] = {
    ".debug_info",        ".debug_abbrev", ".debug_line",   ".debug_str",
    ".debug_str_offsets", ".debug_addr",   ".debug_ranges", ".debug_rnglists"};

struct dwarf_bytes {
	bool big, wide, is_32;
	bool cut; /* leave out the end of the abbreviations */
	struct buf in[PIECES];
	size_t unit, line, header; /* where a length is to be filled in */
	struct buf file;
};

/* n more than 8: a zero of that size */
static inline void put(struct dwarf_bytes *d, struct buf *b, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, n > 8 ? 0 : (char)(v >> 8 * (d->big ? n - 1 - i : i)));
}

static inline void fill(struct dwarf_bytes *d, struct buf *b, size_t at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		b->data[at + i] = (char)(v >> 8 * (d->big ? n - 1 - i : i));
}

static inline size_t word(const struct dwarf_bytes *d)
{
	return d->is_32 ? 4 : 8;
}

static inline size_t offset_size(const struct dwarf_bytes *d)
{
	return d->wide ? 8 : 4;
}

/* A length that is not known yet; its place. */
static inline size_t begin_length(struct dwarf_bytes *d, struct buf *b)
{
	if (d->wide)
		put(d, b, UINT32_MAX, 4);
	put(d, b, 0, offset_size(d));
	return b->len;
}

static inline void end_length(struct dwarf_bytes *d, struct buf *b, size_t begun)
{
	fill(d, b, begun - offset_size(d), b->len - begun, offset_size(d));
}

static inline void sleb(struct buf *b, int64_t v)
{
	bool more = true;

	while (more) {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && (byte & 0x40)));
		buf_addc(b, (char)(byte | (more ? 0x80 : 0)));
	}
}

/* abbrev(d, code, tag, children, (attribute, form[, implicit constant])..., 0) */
static inline void abbrev(struct dwarf_bytes *d, unsigned code, unsigned tag, int children, ...)
{
	struct buf *b = &d->in[ABBREV];
	va_list ap;
	int at;

	buf_add_uleb(b, code);
	buf_add_uleb(b, tag);
	buf_addc(b, (char)children);
	va_start(ap, children);
	while ((at = va_arg(ap, int))) {
		int form = va_arg(ap, int);

		buf_add_uleb(b, (uint64_t)at);
		buf_add_uleb(b, (uint64_t)form);
		if (form == DW_FORM_implicit_const)
			sleb(b, va_arg(ap, int));
	}
	va_end(ap);
	buf_addc(b, 0);
	buf_addc(b, 0);
}

static inline void begin_unit(struct dwarf_bytes *d, unsigned version, unsigned type,
			      uint64_t abbrevs)
{
	struct buf *b = &d->in[INFO];

	d->unit = begin_length(d, b);
	put(d, b, version, 2);
	if (version >= 5) {
		put(d, b, type, 1);
		put(d, b, word(d), 1);
		put(d, b, abbrevs, offset_size(d));
	} else {
		put(d, b, abbrevs, offset_size(d));
		put(d, b, word(d), 1);
	}
}

static inline void end_unit(struct dwarf_bytes *d)
{
	end_length(d, &d->in[INFO], d->unit);
}

/* The next byte's offset within the unit, as DW_FORM_ref* count. */
static inline uint64_t here(const struct dwarf_bytes *d)
{
	return d->in[INFO].len - (d->unit - offset_size(d) - (d->wide ? 4 : 0));
}

static inline void u8(struct dwarf_bytes *d, uint64_t v)
{
	put(d, &d->in[INFO], v, 1);
}

static inline void u32(struct dwarf_bytes *d, uint64_t v)
{
	put(d, &d->in[INFO], v, 4);
}

static inline void address(struct dwarf_bytes *d, uint64_t v)
{
	put(d, &d->in[INFO], v, word(d));
}

static inline void offset(struct dwarf_bytes *d, uint64_t v)
{
	put(d, &d->in[INFO], v, offset_size(d));
}

static inline void text(struct dwarf_bytes *d, const char *s)
{
	buf_add(&d->in[INFO], s, strlen(s) + 1);
}

/* A line table of one directory and the files a.c and b.c, up to its program. */
static inline void begin_lines(struct dwarf_bytes *d, unsigned version, unsigned min_length,
			       unsigned max_ops)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct buf *b = &d->in[LINE];

	d->line = begin_length(d, b);
	put(d, b, version, 2);
	if (version >= 5) {
		put(d, b, word(d), 1);
		put(d, b, 0, 1);
	}
	put(d, b, 0, offset_size(d));
	d->header = b->len;
	put(d, b, min_length, 1);
	if (version >= 4)
		put(d, b, max_ops, 1);
	put(d, b, 1, 1);    /* default_is_stmt */
	put(d, b, 0xfb, 1); /* line_base -5 */
	put(d, b, 14, 1);   /* line_range */
	put(d, b, 13, 1);   /* opcode_base */
	buf_add(b, lengths, sizeof lengths);
	if (version >= 5) {
		buf_add(b, "\1\1\x08\1/comp\0", 10); /* directories: one path as a string */
		buf_add(b, "\2\1\x08\2\x0b\2a.c\0\0b.c\0\0", 16);
	} else {
		buf_add(b, "\0a.c\0\0\0\0b.c\0\0\0\0", 16);
	}
	fill(d, b, d->header - offset_size(d), b->len - d->header, offset_size(d));
}

static inline void end_lines(struct dwarf_bytes *d)
{
	end_length(d, &d->in[LINE], d->line);
}

static inline void op(struct dwarf_bytes *d, unsigned v)
{
	put(d, &d->in[LINE], v, 1);
}

static inline void set_address(struct dwarf_bytes *d, uint64_t v)
{
	op(d, 0);
	op(d, (unsigned)word(d) + 1);
	op(d, 2);
	put(d, &d->in[LINE], v, word(d));
}

static inline void end_sequence(struct dwarf_bytes *d)
{
	op(d, 0);
	op(d, 1);
	op(d, 1);
}

/* advance_line, advance_pc, copy: a row by itself */
static inline void row(struct dwarf_bytes *d, int line, uint64_t advance)
{
	op(d, 3);
	sleb(&d->in[LINE], line);
	op(d, 2);
	buf_add_uleb(&d->in[LINE], advance);
	op(d, 1);
}

static inline void put_word(struct dwarf_bytes *d, struct buf *b, uint64_t v)
{
	put(d, b, v, word(d));
}

static inline void section_header(struct dwarf_bytes *d, struct buf *b, uint32_t name,
				  uint32_t type, uint64_t flags, uint64_t addr, uint64_t at,
				  uint64_t size)
{
	put(d, b, name, 4);
	put(d, b, type, 4);
	put_word(d, b, flags);
	put_word(d, b, addr);
	put_word(d, b, at);
	put_word(d, b, size);
	put(d, b, 0, 8);
	put_word(d, b, 1);
	put_word(d, b, 0);
}

/* The file: header, one executable segment, section contents, section headers. */
static inline void make_file(struct dwarf_bytes *d)
{
	struct buf *b = &d->file, headers = BUF_INIT, names = BUF_INIT;
	size_t ehsize = d->is_32 ? 52 : 64, phsize = d->is_32 ? 32 : 56;
	unsigned n = 2;

	b->len = 0;
	buf_add(b,
		"\x7f"
		"ELF",
		4);
	put(d, b, d->is_32 ? 1 : 2, 1);
	put(d, b, d->big ? 2 : 1, 1);
	put(d, b, 1, 1);
	for (size_t i = 7; i < 16; i++)
		put(d, b, 0, 1);
	put(d, b, ET_DYN, 2);
	put(d, b, d->is_32 ? (d->big ? EM_PPC : EM_386) : (d->big ? EM_PPC64 : EM_X86_64), 2);
	put(d, b, 1, 4);
	put_word(d, b, 0);
	put_word(d, b, ehsize);
	put_word(d, b, 0); /* e_shoff */
	put(d, b, 0, 4);
	put(d, b, ehsize, 2);
	put(d, b, phsize, 2);
	put(d, b, 1, 2);
	put(d, b, d->is_32 ? 40 : 64, 2);
	put(d, b, 0, 2); /* e_shnum */
	put(d, b, 1, 2);
	put(d, b, PT_LOAD, 4);
	if (!d->is_32)
		put(d, b, PF_R | PF_X, 4);
	put_word(d, b, 0x1000);
	put_word(d, b, TEXT);
	put_word(d, b, TEXT);
	put_word(d, b, 0);
	put_word(d, b, TEXT_SIZE);
	if (d->is_32)
		put(d, b, PF_R | PF_X, 4);
	put_word(d, b, 0x1000);

	buf_add(&names, "\0.shstrtab\0.text", 17);
	for (size_t i = 0; i < PIECES; i++) {
		if (!d->in[i].len)
			continue;
		if (!headers.len) {
			section_header(d, &headers, 0, 0, 0, 0, 0, 0);
			section_header(d, &headers, 1, SHT_STRTAB, 0, 0, 0, 0);
			section_header(d, &headers, 11, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
				       0, TEXT_SIZE);
			n = 3;
		}
		section_header(d, &headers, (uint32_t)names.len, SHT_PROGBITS, 0, 0, b->len,
			       d->in[i].len + (i == ABBREV && !d->cut));
		buf_add(&names, piece_names[i], strlen(piece_names[i]) + 1);
		buf_add(b, d->in[i].data, d->in[i].len);
		if (i == ABBREV && !d->cut)
			buf_addc(b, 0);
		n++;
	}
	fill(d, &headers, (d->is_32 ? 40 : 64) + 8 + 2 * word(d), b->len, word(d));
	fill(d, &headers, (d->is_32 ? 40 : 64) + 8 + 3 * word(d), names.len, word(d));
	buf_add(b, names.data, names.len);
	fill(d, b, 24 + 2 * word(d), b->len, word(d));
	fill(d, b, ehsize - 4, n, 2);
	buf_add(b, headers.data, headers.len);
	buf_release(&headers);
	buf_release(&names);
}

static inline void release(struct dwarf_bytes *d)
{
	for (size_t i = 0; i < PIECES; i++)
		buf_release(&d->in[i]);
	buf_release(&d->file);
	*d = (struct dwarf_bytes){.big = false};
}

enum {
	UT_COMPILE = 1,
	UT_TYPE = 2,
	FUNCTION = DW_TAG_subprogram,
	INLINED = DW_TAG_inlined_subroutine
};

/* Abbreviations that most tests can do with. */
enum {
	UNIT = 1,     /* stmt_list, low_pc, high_pc; offset, address, address */
	PLAIN,        /* function: name, low_pc, size as data4 */
	PARENT,       /* the same with children */
	ABSTRACT,     /* function: name */
	CALL,         /* inlined: origin ref4, low_pc, size as data4, file, line data1; children */
	UNIT_RANGES,  /* stmt_list, low_pc, ranges */
	UNIT_NOTHING, /* no attributes */
};

static inline void usual_abbrevs(struct dwarf_bytes *d)
{
	abbrev(d, UNIT, DW_TAG_compile_unit, 1, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc,
	       DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr, DW_AT_comp_dir, DW_FORM_string, 0);
	abbrev(d, PLAIN, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(d, PARENT, FUNCTION, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(d, ABSTRACT, FUNCTION, 0, DW_AT_name, DW_FORM_string, 0);
	abbrev(d, CALL, INLINED, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, DW_AT_call_file, DW_FORM_data1, DW_AT_call_line,
	       DW_FORM_data1, 0);
	abbrev(d, UNIT_RANGES, DW_TAG_compile_unit, 1, DW_AT_stmt_list, DW_FORM_sec_offset,
	       DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges, DW_FORM_sec_offset, DW_AT_comp_dir,
	       DW_FORM_string, 0);
	abbrev(d, UNIT_NOTHING, DW_TAG_compile_unit, 1, DW_AT_comp_dir, DW_FORM_string, 0);
}

static inline void unit(struct dwarf_bytes *d, uint64_t lines, uint64_t lo, uint64_t hi)
{
	u8(d, UNIT);
	offset(d, lines);
	address(d, lo);
	address(d, hi);
	text(d, "/comp");
}

static inline void function(struct dwarf_bytes *d, unsigned code, const char *name, uint64_t lo,
			    uint64_t size)
{
	u8(d, code);
	text(d, name);
	address(d, lo);
	u32(d, size);
}

static inline void call(struct dwarf_bytes *d, uint64_t origin, uint64_t lo, uint64_t size,
			unsigned file, unsigned line)
{
	u8(d, CALL);
	u32(d, origin);
	address(d, lo);
	u32(d, size);
	u8(d, file);
	u8(d, line);
}

/* "KIND FUNCTION FILE:LINE:COLUMN < FUNCTION FILE:LINE:COLUMN ..." into out. */
static inline const char *ask(struct dwarf_bytes *d, dwarf_answer_fn *engine, uint64_t addr,
			      struct buf *out, struct buf *complaints)
{
	static const char *const kinds[] = {"none",      "function", "line",
					    "malformed", "gave up",  "absent"};
	struct dwarf_options options = {.jobs = 2, .seconds = 5};
	struct dwarf_answers a;
	struct dwarf_call x;
	struct dwarf_job job = {.addrs = &addr, .n = 1, .out = &a};
	struct err e = ERR_INIT;

	out->len = 0;
	if (!d->file.len)
		make_file(d);
	if (object_open_memory(&job.object, d->file.data, d->file.len, &e))
		return e.msg[0] ? "no object" : "?";
	dwarf_answers_init(&a, 1);
	if (engine(&job, 1, &options, &e))
		buf_adds(out, "failed ");
	buf_adds(out, kinds[a.of[0].found]);
	for (uint32_t c = a.of[0].call; dwarf_call_at(&a, c, &x); c = x.outer)
		buf_addf(out, "%s %s %s:%u:%u", c == a.of[0].call ? "" : " <",
			 x.function ? dwarf_text(&a, x.function, NULL) : "?",
			 x.file ? dwarf_text(&a, x.file, NULL) : "?", x.line, x.column);
	for (size_t i = 0; complaints && i < a.n_complaints; i++)
		buf_addf(complaints, "%s\n", intern_text(&a.strings, a.complaints[i], NULL));
	dwarf_answers_release(&a);
	object_free(job.object);
	return buf_str(out);
}

/* The fast engine's answer, and the reference engine's must be the same. */
#define ANSWER(d, addr, want)                                                \
	do {                                                                 \
		struct buf got_ = BUF_INIT;                                  \
                                                                             \
		CHECK_STR(ask(d, dwarf_fast, addr, &got_, NULL), want);      \
		CHECK_STR(ask(d, dwarf_reference, addr, &got_, NULL), want); \
		buf_release(&got_);                                          \
	} while (0)

/* Where libdwarf is known to be of another opinion. */
#define ANSWER_FAST(d, addr, want)                                      \
	do {                                                            \
		struct buf got_ = BUF_INIT;                             \
                                                                        \
		CHECK_STR(ask(d, dwarf_fast, addr, &got_, NULL), want); \
		buf_release(&got_);                                     \
	} while (0)

#endif
