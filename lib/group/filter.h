/* SPDX-License-Identifier: MIT
 *
 * Filters by name: which stacks count, and which of their calls are looked at. They are called and
 * work as the options of pprof do, from memory of its documentation (nothing of its source was
 * read), but each looks at one kind of name:
 *
 *	focus, ignore   keep, drop stacks that have a call of a function that matches; of records
 *	                without a stack the type's name is matched
 *	module, file    keep stacks that have a call in it (base name of the module, path as shown)
 *	type, owner     keep records of it
 *	hide, show      take calls that match, or do not match, out of the stacks
 *	recursion       take calls that a function that matches makes to itself out of the stacks
 *	inside          take calls out of the stacks that a module that matches makes within itself
 *	prune           take the callees of the innermost call that matches out of the stack
 *
 * First focus to owner look at the whole stack, then hide and show, then recursion and inside at what is left, then
 * prune. A record whose stack had calls and has none left is dropped. One filter may have many patterns
 * (a file of them), any of which may match. All filters of focus have to match; of the other
 * kinds any: two of module are alternatives. Functions go by their display names, with or without their
 * files (disambiguate.h).
 */
#ifndef TM_GROUP_FILTER_H
#define TM_GROUP_FILTER_H

#include "lib/match/match.h"
#include "lib/names/disambiguate.h"

#include <stdint.h>

enum filter_kind {
	FILTER_FOCUS,
	FILTER_IGNORE,
	FILTER_HIDE,
	FILTER_SHOW,
	FILTER_PRUNE,
	FILTER_RECURSION,
	FILTER_INSIDE,
	FILTER_TYPE,
	FILTER_MODULE,
	FILTER_FILE,
	FILTER_OWNER,
	FILTER_KINDS
};

/* Filters that have to match at once: each has a bit per stack. */
enum { FILTERS_FOCUS_MAX = 24 };

struct filters;

struct filters *filters_new(void);
void filters_free(struct filters *f); /* accepts NULL */
/* text is a pattern, or @FILE: one pattern in each line, where empty ones and those that begin
 * with '#' do not count; "@@x" is the pattern "@x". option: who gave it, for messages. flags: enum
 * match_flags. On an error *e has the column, of a file the line too, but not its name. */
enum status filters_add(struct filters *f, enum filter_kind kind, const char *option,
			const char *text, unsigned flags, struct err *e);
static inline bool filters_is_file(const char *text)
{
	return text[0] == '@' && text[1] != '@';
}
bool filters_any(const struct filters *f); /* NULL: none */
/* Only types are filtered (or nothing): sums per type stay known. */
bool filters_by_type(const struct filters *f);
bool filters_has(const struct filters *f, enum filter_kind kind); /* a pattern of it */
/* Calls are taken out of stacks, so that different stacks become one. */
bool filters_take_calls(const struct filters *f);
/* Of them those that depend on their caller: recursion, inside. */
bool filters_collapse(const struct filters *f);

/* Calls that the rules for sites pass over are taken out of stacks, as FILTER_HIDE does. */
void filters_hide_library(struct filters *f);
bool filters_hides_library(const struct filters *f);

/* Whether any pattern of the kind matches. */
bool filters_match(struct filters *f, enum filter_kind kind, const char *s, size_t n);
bool filters_match_name(struct filters *f, enum filter_kind kind,
			const struct name_suffix_name *name);
/* Bits of focus and ignore for a function's name; filters_kept takes the bits of all of a
 * stack's calls, or-ed, with those of its modules and files. */
uint32_t filters_name(struct filters *f, const struct name_suffix_name *name);
uint32_t filters_module(struct filters *f, const char *s, size_t n);
uint32_t filters_file(struct filters *f, const char *s, size_t n);
bool filters_kept(const struct filters *f, uint32_t bits);

#endif
