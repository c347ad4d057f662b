/* SPDX-License-Identifier: MIT
 *
 * The one grammar of files that users write: rules for names, policies, rules for times, defaults of a project.
 *
 *	# a comment, as is a line that begins with ';'
 *	[section]	; a comment: it begins with ';' behind a blank
 *	key = value
 *
 * Blanks around each part do not count. A line is one key or one head of a section; nothing continues it. Behind a
 * blank, "\;" and "\#" are ';' and '#'. Other ';' and '#' are themselves ("#12", "a;b"), but for a '#' with blanks
 * on both sides, which is an error: it would look like a comment.
 */
#ifndef TM_BASE_INI_H
#define TM_BASE_INI_H

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/text_file.h"

#include <stdbool.h>

/* What a key may have beside '='. */
enum ini_forms {
	INI_WORDS = 1 << 0,  /* blanks, and a '!' before the key */
	INI_COLONS = 1 << 1, /* ':' */
};

struct ini {
	/* The present line. Its texts end with NUL, hold no other, and are in the arena. */
	const char *section; /* what [ ] holds; "" before the first */
	const char *key;     /* NULL: the line is the head of the section */
	const char *value;   /* never empty */
	bool negated;        /* a '!' stands before the key */
	uint32_t line;
	size_t column;       /* of the line's first byte, from 1 */
	size_t value_column; /* of the value, or of the section's text */

	enum status st; /* ST_BAD: the reading ended there */
	unsigned forms;
	struct arena *arena;
	struct text_lines lines;
	const char *start; /* of the line */
	bool cut;          /* a comment ends the line */
	struct err *e;
};

/* The text is read in place. */
struct ini ini_of(const char *text, size_t n, unsigned forms, struct arena *arena, struct err *e);
/* False: the end, or an error (ini.st). Empty lines and comments are passed over. */
bool ini_next(struct ini *in);
/* Ends the reading with "line 3, column 9: ..."; the first call decides. Always false. */
bool ini_fail(struct ini *in, uint32_t line, size_t column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The present key is that of the line first, too; is none of WHAT ("rule"), but near, which may be NULL, is. */
bool ini_fail_repeated(struct ini *in, uint32_t first);
bool ini_fail_unknown(struct ini *in, const char *what, const char *near);
/* NAME of the section "WORD NAME", or "" if it has none; NULL: it begins with another word. */
const char *ini_name(const struct ini *in, const char *word);

#endif
