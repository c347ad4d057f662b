/* SPDX-License-Identifier: MIT
 *
 * The search for the name that the user may have meant. For the text of an option that matches no name, it finds
 * the name that contains it with the smallest edit distance, ignoring case. Method: Myers, "A fast bit-vector
 * algorithm for approximate string matching", J. ACM 46 (1999).
 */
#ifndef TM_MATCH_NEAR_H
#define TM_MATCH_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEAR_TEXT = 64, NEAR_NAME = 160 }; /* longest; of longer names none is offered */

struct near {
	uint64_t where[256];      /* by byte: its places in the text */
	unsigned n;               /* bytes of the text; 0: no name is near to it */
	unsigned distance;        /* of name, or one more than any that is near */
	char name[NEAR_NAME + 1]; /* NUL-terminated; "": none yet */
};

/* Of a plain text, or of an expression that is one but for ^ in front and $ at the end. */
void near_init(struct near *near, const char *text, size_t n, bool expression);
void near_try(struct near *near, const char *name, size_t n);

#endif
