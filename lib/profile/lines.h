/* SPDX-License-Identifier: MIT
 *
 * Records as lines of text, for engines that sort and pass lines: the key, a tab, what is known, a
 * tab and a checksum, all as lower-case hexadecimal digits. The order of lines as bytes is that of
 * records, so a sort by the first field brings together what joins. Several lines may have one key.
 *
 * The checksum is the lower half of XXH3 of what is known, with XXH3 of the key as its seed.
 */
#ifndef TM_PROFILE_LINES_H
#define TM_PROFILE_LINES_H

#include "lib/profile/file.h"

void aggregate_line_add(struct buf *to, const char *key, size_t n_key, const char *known,
			size_t n_known);

/* Sorted lines, those of one key joined, as a reader of records has them. */
struct aggregate_lines {
	struct cursor *c;               /* the caller's */
	struct buf key, known;          /* the present record */
	struct aggregate_record record; /* it, taken apart by aggregate_lines_account */
	uint64_t lines;

	struct aggregate_joining *joining; /* lines.c */
};

void aggregate_lines_init(struct aggregate_lines *l, struct cursor *c);
void aggregate_lines_release(struct aggregate_lines *l);
/* ST_NONE: the end. ST_BAD: a damaged line, or one that follows a larger one; the message has
 * its number. */
enum status aggregate_lines_next(struct aggregate_lines *l, struct err *e);
/* The present record into an account. */
enum status aggregate_lines_account(struct aggregate_lines *l, struct aggregate_account *a,
				    struct err *e);

#endif
