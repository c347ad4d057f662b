/* SPDX-License-Identifier: MIT
 *
 * The places of MemTracer files, the contents of their header, and the marks by which they are
 * recognized.
 */
#ifndef TM_FORMATS_MEMTRACER_KEYS_H
#define TM_FORMATS_MEMTRACER_KEYS_H

#include "lib/base/buf.h"
#include "lib/input/json_path.h"

#include <stdbool.h>

/* The places of a file that matter: those that are NOT_ have a value of a kind that does not belong there. */
enum memtracer_place {
	LIST = JSON_PLACES,
	FRAME, /* headers, too */
	NOT_FRAME,
	NUMBER,
	RECORDS,
	NOT_RECORDS,
	SLIDE,
	MODULE,
	BUILD_ID,
	RECORD,
	NOT_RECORD,
	TYPE,
	REQUESTED,
	REAL,
	STACKS,
	SIZES,
	STACK,
	SIZE,
	NOT_FIELD /* of a record */
};
extern const struct json_row memtracer_rows[];

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
