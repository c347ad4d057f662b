/* SPDX-License-Identifier: MIT
 *
 * The description of a fault in a section: ".debug_line+0x40: version 9". Made only when something
 * is wrong, from where its reader stopped, so that reading costs nothing for it.
 */
#ifndef TM_DWARF_FAST_FAULT_H
#define TM_DWARF_FAST_FAULT_H

#include <stdint.h>

enum fast_section {
	IN_INFO,
	IN_ABBREV,
	IN_STR,
	IN_LINE,
	IN_LINE_STR,
	IN_STR_OFFSETS,
	IN_ADDR,
	IN_RANGES,
	IN_RNGLISTS,
	IN_ALT_STR, /* .debug_str of the supplementary file */
	IN_COUNT,
};

struct fast_file;
struct fast_common;

/* What all workers on a file share and change. */
struct fast_common *fast_common_new(void);
void fast_common_free(struct fast_common *c); /* accepts NULL */
/* Bytes read of long range lists (ranges.h). */
_Atomic uint64_t *fast_lists_read(struct fast_common *c);

/* The text, which lives as long as the file; at is the offset in the file's bytes of the section.
 * Any thread. */
const char *fast_fault(const struct fast_file *f, enum fast_section s, uint64_t at, const char *fmt,
		       ...) __attribute__((format(printf, 4, 5), returns_nonnull));
/* The same at p, a reader's place in the section; NULL: the reader never had one, and at is where
 * it should have begun. */
const char *fast_fault_of(const struct fast_file *f, enum fast_section s, const uint8_t *p,
			  uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6), returns_nonnull));

#endif
