/* SPDX-License-Identifier: MIT
 *
 * The calls of one of a project's stacks, as text. A chain is used again and again; zeroed is
 * valid.
 */
#ifndef TM_GROUP_CHAIN_H
#define TM_GROUP_CHAIN_H

#include "lib/base/buf.h"
#include "lib/group/project.h"

struct group_chain {
	uint32_t *locations; /* innermost first */
	size_t n, cap;
};

void chain_set(struct group_chain *c, const struct group_project *p, uint32_t stack);
void chain_release(struct group_chain *c);
/* Display names, outermost first with ';' between, as folded stacks are written. */
void chain_join(const struct group_chain *c, const struct group_project *p, struct buf *out);
/* "name  file:line" with a NUL behind each, innermost first, at most max; returns how many calls
 * there are. before: put in front of each. */
size_t chain_lines(const struct group_chain *c, const struct group_project *p, const char *before,
		   size_t max, struct buf *out);
/* "file:line", where they are known. */
void chain_place(struct buf *out, const char *file, size_t n, uint32_t line);

#endif
