/* SPDX-License-Identifier: MIT
 *
 * The calls of a profile's stack, as text. One chain is used for stack after stack; zeroed is valid.
 */
#ifndef TM_GROUP_CHAIN_H
#define TM_GROUP_CHAIN_H

#include "lib/base/buf.h"
#include "lib/group/grouped_profile.h"
#include "lib/group/stack_cut.h"

struct group_chain {
	uint32_t *locations; /* innermost first */
	size_t n, cap;
	size_t cut_at; /* in front of this one left calls are left out; 0: none are */
	uint64_t left;
};

/* All stacks of the profile, of which the caller then says which it prints. */
void chain_cut_init(struct stack_cut *cut, const struct grouped_profile *p);
/* Those that the profile has more by now. */
void chain_cut_more(struct stack_cut *cut, const struct grouped_profile *p);
/* cut: NULL: it is whole. */
void chain_set(struct group_chain *c, const struct grouped_profile *p, const struct stack_cut *cut,
	       uint32_t stack);
void chain_release(struct group_chain *c);
/* Display names, outermost first with ';' between, as folded stacks are written; where it is cut
 * "[N calls left out]". */
void chain_join(const struct group_chain *c, const struct grouped_profile *p, struct buf *out);
/* "name  file:line" with a NUL behind each, innermost first, at most max (128); returns how
 * many calls there are, those that are left out too. before: put in front of each. */
size_t chain_lines(const struct group_chain *c, const struct grouped_profile *p, const char *before,
		   size_t max, struct buf *out);
/* "file:line", where they are known. */
void chain_place(struct buf *out, const char *file, size_t n, uint32_t line);
/* "name  file:line" of a group, and ", called by spawn  a.lua:10" of one by scripts. */
void chain_group(struct buf *out, const struct grouped_profile *p, size_t grouping, uint32_t group);

#endif
