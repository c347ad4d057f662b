/* SPDX-License-Identifier: MIT
 *
 * Suppressions, the rules for blocks that are live at the end and no leak, such as those that libraries keep for as
 * long as a program runs. Rules are those of LeakSanitizer's suppressions, "leak:PATTERN" or "leak = PATTERN": a stack
 * with a call whose function, source file or module matches is no leak; '*' stands for anything, '^' and '$' for the
 * ends, and otherwise the pattern may match anywhere (compiler-rt/lib/sanitizer_common/sanitizer_common.cpp,
 * TemplateMatch). The shipped ones are of glibc and libstdc++.
 */
#ifndef TM_RULES_LEAKS_H
#define TM_RULES_LEAKS_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/trace/model.h"

struct leaks;

struct leaks *leaks_new(bool shipped);
void leaks_free(struct leaks *l); /* accepts NULL */
enum status leaks_add_file(struct leaks *l, const char *path, struct err *e);
/* The shipped rules, as a file has them. */
void leaks_list(struct buf *out);

/* Whether a stack of the capture is suppressed (no leak); its live blocks are counted for its
 * rule. */
bool leaks_none(struct leaks *l, const struct trace *t, uint32_t stack, uint64_t blocks,
		uint64_t bytes);
/* When a capture ends: its stacks and locations are forgotten. */
void leaks_next(struct leaks *l);

/* What was counted, the largest first. False: there is no i-th that matched. rule: what keeps the blocks, by the shipped
 * rules; a file's pattern. */
struct leaks_counted {
	const char *rule;
	uint64_t blocks, bytes;
};
bool leaks_counted(struct leaks *l, size_t i, struct leaks_counted *c);

/* For tests: as TemplateMatch. */
bool leaks_match(const char *pattern, const char *s);

#endif
