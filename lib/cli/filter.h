/* SPDX-License-Identifier: MIT
 *
 * The filter options of programs that look at a part of a capture: the same words with the same
 * meaning in every program. They fill the options of projects and the selection of events
 * (lib/group, lib/tally).
 *
 *     struct cli_filter filter = {0};
 *     ... CLI_FILTER_ROWS(filter), CLI_VIEW_ROWS(filter), ... in the option table
 *     opt_parse(...);
 *     cli_filter_done(&filter);
 *     cli_filter_project(&filter, &project_options);
 *     ...
 *     cli_filter_release(&filter);     // after the project
 */
#ifndef TM_CLI_FILTER_H
#define TM_CLI_FILTER_H

#include "lib/cli/cli.h"
#include "lib/group/project.h"

struct cli_filter {
	struct opt_list patterns[FILTER_KINDS];
	struct opt_list owner_files, site_files, path_maps;
	struct opt_list frames, times, sizes, threads;
	bool literal, caseless, list_sites, mangled;
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
#define CLI_FILTER_ROWS(f)                                                                    \
	ROW_GROUP("choosing:"),                                                               \
	    ROW_LIST(0, "focus", "REGEX", "keep stacks that have a matching call",            \
		     &(f).patterns[FILTER_FOCUS]),                                            \
	    ROW_LIST(0, "ignore", "REGEX", "drop stacks that have a matching call",           \
		     &(f).patterns[FILTER_IGNORE]),                                           \
	    ROW_LIST(0, "type", "REGEX", "keep allocations of a matching type",               \
		     &(f).patterns[FILTER_TYPE]),                                             \
	    ROW_LIST(0, "module", "REGEX", "keep stacks with a call in a matching module",    \
		     &(f).patterns[FILTER_MODULE]),                                           \
	    ROW_LIST(0, "file", "REGEX", "keep stacks with a call in a matching source file", \
		     &(f).patterns[FILTER_FILE]),                                             \
	    ROW_LIST(0, "owner", "REGEX", "keep what a matching owner has (--owners)",        \
		     &(f).patterns[FILTER_OWNER]),                                            \
	    ROW_LIST(0, "owners", "FILE", "rules for who owns what", &(f).owner_files),       \
	    ROW_LIST(0, "thread", "NAME",                                                     \
		     "keep allocations of a thread: a name's REGEX, or an id", &(f).threads), \
	    ROW_LIST(0, "frame", "RANGE", "keep what is in these frames of the game",         \
		     &(f).frames),                                                            \
	    ROW_LIST(0, "time", "RANGE", "keep what is in this time, such as 1.5s..2s",       \
		     &(f).times),                                                             \
	    ROW_LIST(0, "size", "RANGE", "keep allocations of this size, such as 1k..64KiB",  \
		     &(f).sizes),                                                             \
	    ROW_FLAG('F', "literal", "filters take plain strings", &(f).literal),             \
	    ROW_FLAG('i', "caseless", "filters match either case", &(f).caseless)

/* How what counts is looked at. */
#define CLI_VIEW_ROWS(f)                                                                       \
	ROW_LIST(0, "hide", "REGEX", "take matching calls out of the stacks",                  \
		 &(f).patterns[FILTER_HIDE]),                                                  \
	    ROW_LIST(0, "show", "REGEX", "leave matching calls only in the stacks",            \
		     &(f).patterns[FILTER_SHOW]),                                              \
	    ROW_LIST(0, "prune-from", "REGEX", "take out what a matching call calls",          \
		     &(f).patterns[FILTER_PRUNE]),                                             \
	    ROW_CHOICE(0, "domain", "NAME",                                                    \
		       "count auto, malloc, pool, mmap, mono, lua or all (default: auto, the " \
		       "one with most bytes)",                                                 \
		       &(f).domain, cli_domain_choices),                                       \
	    ROW_STRING(0, "hook-cost", "TIME",                                                 \
		       "take the profiler's own time for each call out of its callers",        \
		       &(f).hook_cost),                                                        \
	    ROW_LIST(0, "sites", "FILE", "more rules for what is no site", &(f).site_files),   \
	    ROW_FLAG(0, "list-sites", "print the shipped rules and end", &(f).list_sites),     \
	    ROW_LIST(0, "map-path", "OLD=NEW", "source files in folder OLD are in NEW",        \
		     &(f).path_maps),                                                          \
	    CLI_MANGLED_ROW((f).mangled)
#define CLI_MANGLED_ROW(to) ROW_FLAG(0, "no-demangle", "raw names", &(to))

/* --hook-cost: with a unit, or ns; ends the program where it is neither. */
uint64_t cli_hook_cost(const char *text);
/* Wrong patterns are usage errors; what is wrong with a file ends the program with EXIT_INPUT.
 * --list-sites is answered here. */
void cli_filter_done(struct cli_filter *f);
void cli_filter_project(const struct cli_filter *f, struct project_options *o);
void cli_filter_release(struct cli_filter *f);

#endif
