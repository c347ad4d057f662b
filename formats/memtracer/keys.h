/* SPDX-License-Identifier: MIT
 *
 * The words of MemTracer files, the contents of their header, and the marks by which they are
 * recognized.
 */
#ifndef TM_FORMATS_MEMTRACER_KEYS_H
#define TM_FORMATS_MEMTRACER_KEYS_H

#include "lib/base/buf.h"

#include <stdbool.h>

enum memtracer_level {
	LEVEL_TOP,
	LEVEL_FRAME,
	LEVEL_RECORDS,
	LEVEL_RECORD,
	LEVEL_STACKS,
	LEVEL_SIZES
};
enum memtracer_key {
	KEY_OTHER,
	KEY_FRAME,
	KEY_RECORDS,
	KEY_TYPE,
	KEY_REQUESTED,
	KEY_REAL,
	KEY_STACKS,
	KEY_SIZES,
	KEY_SLIDE,
	KEY_MODULE,
	KEY_BUILD_ID
};

/* What the key means at LEVEL_FRAME (headers too) or LEVEL_RECORD. */
enum memtracer_key memtracer_key(enum memtracer_level level, const char *s, size_t n);

struct memtracer_header {
	bool has_slide;
	uint64_t slide;
	struct buf module, build_id; /* build_id: raw bytes */
};

/* Decimal, or hexadecimal after 0x; a JSON string may leave the 0x out. False: no number. */
bool memtracer_set_slide(struct memtracer_header *h, const char *s, size_t n, bool is_text);
/* From hexadecimal text, as an ELF build-id or a Mach-O UUID is written; empty when it is not. */
void memtracer_set_build_id(struct memtracer_header *h, const char *s, size_t n);

int memtracer_bid(const uint8_t *head, size_t n, bool whole);

#endif
