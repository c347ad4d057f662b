/* SPDX-License-Identifier: MIT
 *
 * Rules for allocator and runtime code, the functions between an allocation and the code that
 * wanted it. A *site* is a stack's first call outside of such code. A rule is "function REGEX",
 * "module REGEX" or "file REGEX"; a call that one of them matches is passed over, unless a rule
 * with "!" before it (never pass over) matches too. The shipped rules are in site_rules.c; a file
 * adds more, in the grammar of lib/base/ini.h, where a blank or '=' follows the first word.
 */
#ifndef TM_RULES_SITES_H
#define TM_RULES_SITES_H

#include "lib/base/buf.h"
#include "lib/base/err.h"

#include <stdbool.h>

enum site_rule_kind { SITE_GROUP, SITE_FUNCTION, SITE_MODULE, SITE_FILE };

struct site_rule {
	enum site_rule_kind kind;
	const char *text; /* the expression; a group's heading */
};

/* With what a rule begins that is about all that a function template may have in front of it. sites.c looks for it by
 * code of its own: an expression would go back byte by byte through names of hundreds of bytes. */
#define SITE_RESULT "^(?:(?:[\\w:*& ]|(<(?:[^<>]++|(?-1))*+>))+[ *&])?"

extern const struct site_rule site_rules[]; /* ends with text NULL */

struct sites;

struct sites *sites_new(void);
void sites_free(struct sites *s); /* accepts NULL */
/* Rules from the text of a file, whose name is for messages. ST_BAD: "line 3, column 10: ...". */
enum status sites_add(struct sites *s, const char *name, const char *text, size_t n, struct err *e);
enum status sites_add_file(struct sites *s, const char *path, struct err *e);
/* The shipped rules in the form that sites_add reads. */
void sites_list(struct buf *out);

enum site_verdict { SITE_PASS = 1 << 0, SITE_STAY = 1 << 1 };

/* What the rules say about a function (its display and raw name), a module, a file; the
 * verdicts on one call are or-ed, and it is passed over when the result is SITE_PASS alone. */
unsigned sites_function(struct sites *s, const char *display, const char *raw);
unsigned sites_module(struct sites *s, const char *module);
unsigned sites_file(struct sites *s, const char *file);

#endif
