/* SPDX-License-Identifier: MIT
 *
 * The filter options of programs that look at a part of a capture: the same words with the same meaning in every
 * program. They fill the options of grouped profiles and the selection of events (lib/group, lib/tally).
 *
 *     struct cli_filter filter = {0};
 *     ... CLI_FILTER_ROWS(filter), CLI_VIEW_ROWS(filter), ... in the option table
 *     opt_parse(...);
 *     cli_filter_done(&filter);
 *     cli_filter_project(&filter, &grouped_profile_options);
 *     ...
 *     cli_filter_release(&filter);     // after the profile
 */
#ifndef TM_CLI_FILTER_H
#define TM_CLI_FILTER_H

#include "lib/cli/cli.h"
#include "lib/group/grouped_profile.h"

/* The options that may be given several times, in the order in which aggregates name them: patterns by enum
 * filter_kind, and these. */
enum {
	CLI_THREAD = FILTER_KINDS,
	CLI_FRAME,
	CLI_TIME,
	CLI_SIZE,
	CLI_MAP_PATH,
	CLI_OWNERS,
	CLI_SITES,
	CLI_FILTERS
};

struct cli_filter {
	struct opt_list given[CLI_FILTERS];
	bool literal, caseless, list_sites, mangled, no_library;
	int domain;
	const char *hook_cost; /* NULL: none */

	/* from cli_filter_done on */
	struct filters *filters;
	struct owners *owners; /* NULL: no --owners */
	struct tally_selection selection;
	struct sites *sites;
	struct paths *paths; /* a policy adds its own before a file is read */
};

extern const char *const cli_domain_choices[];

/* Which events count. */
#define CLI_FILTER_ROWS(f)                                                                     \
	ROW_GROUP("filters:"),                                                                 \
	    ROW_LIST(0, "focus", "REGEX", "keep stacks with a matching function",              \
		     &(f).given[FILTER_FOCUS]),                                                \
	    ROW_LIST(0, "ignore", "REGEX", "drop stacks with a matching function",             \
		     &(f).given[FILTER_IGNORE]),                                               \
	    ROW_LIST(0, "type", "REGEX", "keep allocations of a matching type",                \
		     &(f).given[FILTER_TYPE]),                                                 \
	    ROW_LIST(0, "module", "REGEX", "keep stacks with a matching module",               \
		     &(f).given[FILTER_MODULE]),                                               \
	    ROW_LIST(0, "file", "REGEX", "keep stacks with a matching source file",            \
		     &(f).given[FILTER_FILE]),                                                 \
	    ROW_LIST(0, "owner", "REGEX", "keep allocations of a matching owner (--owners)",   \
		     &(f).given[FILTER_OWNER]),                                                \
	    ROW_LIST(0, "owners", "FILE", "rules that assign owners", &(f).given[CLI_OWNERS]), \
	    ROW_LIST(0, "thread", "NAME", "keep a thread, by id or by REGEX for its name",     \
		     &(f).given[CLI_THREAD]),                                                  \
	    ROW_LIST(0, "frame", "RANGE", "keep these frames: A..B, A.., ..B or A",            \
		     &(f).given[CLI_FRAME]),                                                   \
	    ROW_LIST(0, "time", "RANGE", "keep this time since the start, such as 1.5s..2s",   \
		     &(f).given[CLI_TIME]),                                                    \
	    ROW_LIST(0, "size", "RANGE", "keep blocks of this size, such as 1k..64KiB",        \
		     &(f).given[CLI_SIZE]),                                                    \
	    ROW_FLAG('F', "literal", "filters are plain strings", &(f).literal),               \
	    ROW_FLAG('i', "caseless", "filters ignore case", &(f).caseless)

/* How what counts is looked at. */
#define CLI_VIEW_ROWS(f)                                                                           \
	ROW_LIST(0, "hide", "REGEX", "remove matching functions from stacks",                      \
		 &(f).given[FILTER_HIDE]),                                                         \
	    ROW_LIST(0, "show", "REGEX", "remove all other functions from stacks",                 \
		     &(f).given[FILTER_SHOW]),                                                     \
	    ROW_LIST(0, "prune-from", "REGEX",                                                     \
		     "remove the callees of matching functions from stacks",                       \
		     &(f).given[FILTER_PRUNE]),                                                    \
	    ROW_LIST(0, "collapse-recursion", "REGEX",                                             \
		     "remove calls of matching functions to themselves from stacks",               \
		     &(f).given[FILTER_RECURSION]),                                                \
	    ROW_LIST(0, "collapse-module", "REGEX",                                                \
		     "remove calls within matching modules from stacks",                           \
		     &(f).given[FILTER_INSIDE]),                                                   \
	    ROW_FLAG(0, "hide-library",                                                            \
		     "remove code of allocators, runtimes and libraries "                          \
		     "(--list-sites) from stacks",                                                 \
		     &(f).no_library),                                                             \
	    ROW_CHOICE(0, "domain", "NAME",                                                        \
		       "blocks to count: auto (most bytes; default), malloc, pool, mmap, mono, "   \
		       "lua or all",                                                               \
		       &(f).domain, cli_domain_choices),                                           \
	    ROW_STRING(0, "hook-cost", "TIME", "subtract the profiler's own time for each call",   \
		       &(f).hook_cost),                                                            \
	    ROW_LIST(0, "sites", "FILE", "more rules for allocator and runtime code",              \
		     &(f).given[CLI_SITES]),                                                       \
	    ROW_FLAG(0, "list-sites", "print the shipped rules and end", &(f).list_sites),         \
	    ROW_LIST(0, "map-path", "OLD=NEW", "treat source files in folder OLD as files in NEW", \
		     &(f).given[CLI_MAP_PATH]),                                                    \
	    CLI_MANGLED_ROW((f).mangled)
#define CLI_MANGLED_ROW(to) ROW_FLAG(0, "no-demangle", "show linkage names", &(to))

/* --hook-cost: with a unit, or ns; ends the program where it is neither. */
uint64_t cli_hook_cost(const char *text);
/* Wrong patterns are usage errors; what is wrong with a file ends the program with EXIT_INPUT.
 * --list-sites is answered here. */
void cli_filter_done(struct cli_filter *f);
/* Adds what was given with one of the options that select: CLI_THREAD to CLI_SIZE. */
void cli_filter_select(const struct cli_filter *f, unsigned option, struct tally_selection *to);
/* The options that were given, in words, as aggregates keep them: only captures that were selected alike
 * compare. Files of rules are their names and digests. */
void cli_filter_words(const struct cli_filter *f, struct buf *to);
/* Some option was given. */
bool cli_filter_any(const struct cli_filter *f);
void cli_filter_project(const struct cli_filter *f, struct grouped_profile_options *o);
void cli_filter_release(struct cli_filter *f);

#endif
