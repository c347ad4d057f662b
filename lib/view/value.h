/* SPDX-License-Identifier: MIT
 *
 * One JSON text as a tree, for requests: small, from an untrusted sender. Strings are UTF-8 and
 * unescaped.
 */
#ifndef TM_VIEW_VALUE_H
#define TM_VIEW_VALUE_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

#include <stdbool.h>

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

struct view_value {
	enum value_kind kind;
	bool yes;
	const char
	    *text; /* a string, NUL-terminated (it may hold NULs); a number as it was written */
	size_t len;
	const char *key;                        /* of a member */
	struct view_value *first, *last, *next; /* what an array or object holds, in its order */
};

enum { VALUE_DEPTH = 32 };

/* All of the text is one value. NULL: *e says why. It lives in the arena. */
struct view_value *value_parse(struct arena *a, const char *text, size_t n, struct err *e);
/* The member; NULL: none, or v is NULL or no object. Of several the last. */
const struct view_value *value_get(const struct view_value *v, const char *key);
/* The member's string; NULL: no string. */
const char *value_string(const struct view_value *v, const char *key);
/* The member as a number from 0 to most; otherwise is what it is when it is not there. False: it is
 * something else. */
bool value_number(const struct view_value *v, const char *key, uint64_t otherwise, uint64_t most,
		  uint64_t *to);
/* As it came, but for white space. */
void value_write(struct buf *b, const struct view_value *v);

#endif
