/* SPDX-License-Identifier: MIT
 *
 * The requests that the drop-ins read from their operands or standard input: one per line, in the
 * dialects of GNU addr2line (binutils 2.40, bfd_scan_vma), llvm-symbolizer (LLVM 19,
 * parseCommand in llvm-symbolizer.cpp) and atos.
 */
#ifndef TM_COMPAT_REQUEST_H
#define TM_COMPAT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when the line is one address: hexadecimal, 0x or not, at most 64 bits, blanks around it, also in WinDbg's halves.
 * *addr is that, or else what GNU makes of it: the digits it begins with (none: 0), all ones when
 * they are too many. */
bool request_gnu(const char *s, size_t n, uint64_t *addr);

/* What GNU takes for a name: it begins with no hexadecimal digit. Then it is n bytes at s, and
 * *offset is the number behind its '+', decimal, octal (0) or hexadecimal (0x); none: 0. */
bool request_gnu_name(const char **s, size_t *n, uint64_t *offset);

enum request_kind { REQUEST_BAD, REQUEST_CODE, REQUEST_DATA, REQUEST_FRAME };

struct compat_request {
	uint8_t kind;     /* enum request_kind */
	bool build_id;    /* file is one, in hexadecimal digits */
	const char *file; /* borrowed from the line, as all of them; NULL: the line has none */
	size_t n_file;
	uint64_t addr;      /* of a symbol: how far behind its start */
	const char *symbol; /* asked for by name; NULL: by addr */
	size_t n_symbol;
	const char *text; /* all of it, without \r at its end */
	size_t n_text;
	const char *why; /* it is bad; NULL: it is an empty line, which asks whether we live */
};

/* [CODE|DATA|FRAME] [FILE:FILE|BUILDID:ID|FILE] ADDRESS|NAME[+OFFSET]; with_file: a FILE without a
 * word before it is there, too. It is quoted by " or ' or goes up to a blank; what follows the
 * address is ignored. hex: an address is hexadecimal, 0x or not; otherwise, as an offset always,
 * decimal unless it begins with 0x, 0b, 0o or 0 (octal). What is no number and begins with no digit
 * is a name. */
struct compat_request request_llvm(const char *s, size_t n, bool with_file, bool hex);

/* A number of LLVM's: decimal unless it begins with 0x, 0b, 0o or 0 (octal). */
bool request_number(const char *s, size_t n, uint64_t *v);

/* 0x and hexadecimal digits; without 0x decimal, or hexadecimal when there is a letter in it. */
bool request_atos(const char *s, size_t n, uint64_t *addr);

/* An address of a log is often one in memory (RVA), and no address of a PE file is so low: a note, of which how is the end.
 * False: this one is not. */
bool request_below_base(uint64_t address, uint64_t image_base, const char *how, char text[160]);

/* Addresses behind the image of a PE file, as a process has them where the file was not loaded at its base. */
struct request_above {
	uint64_t n, first;
};
void request_count_above(struct request_above *a, uint64_t address, uint64_t image_end);
/* For the end of a run. False: there were none. */
bool request_above_end(const struct request_above *a, uint64_t image_base, uint64_t image_end,
		       char text[240]);

#endif
