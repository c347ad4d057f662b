/* SPDX-License-Identifier: MIT
 *
 * The inputs of tm-compare, read into the groups of a comparison (files, --base and --new, --group,
 * two ranges of one file), and the policy that the comparison is checked against.
 */
#ifndef TM_CMD_COMPARE_COMPARE_H
#define TM_CMD_COMPARE_COMPARE_H

#include "lib/cli/autosymbolize.h"
#include "lib/cli/filter.h"
#include "lib/report/compare/gate.h"
#include "lib/report/compare/inputs.h"

enum { COMPARE_GREEN = 5 }; /* runs of a history that are the base */

/* Options: zeroed means not given. */
struct cli_compare {
	struct opt_list base, new, groups;
	struct cli_symbols symbols; /* of all of them */
	struct opt_list base_frames, base_times, new_frames, new_times;
	const char *policy_path, *today;
	bool policy_given; /* not a default of the project */
	const char *history, *base_branch, *base_machine, *branch;
	uint64_t base_last; /* 0: COMPARE_GREEN */
	bool allow_loss, allow_no_base;
	struct compare_allowed allowed;
	bool init; /* a policy is made of the runs, which are one group */

	struct opt_list map_modules, map_functions;
	const char *base_source, *new_source;
	struct identity_map *modules, *functions; /* what they and the policy say */

	struct buf filters; /* in words: aggregates remember them */
	struct compare_policy policy;
	struct compare_inputs in; /* what cli_compare_read has read */
	const char *no_base;      /* why the history has none; NULL: it has one */
	bool is_beginning;        /* since nothing is there yet */
	const char **notes;       /* on the base, for the gate */
	size_t n_notes, cap_notes;

	struct cli_compare_sides *sides; /* compare.c; from cli_compare_start on */
};

#define CLI_COMPARE_ROWS(c)                                                                     \
	ROW_MANY(0, "base", "FILES", "the files of the base runs", &(c).base),                  \
	    ROW_MANY(0, "new", "FILES", "the files of the runs to judge", &(c).new),            \
	    ROW_MANY(0, "group", "NAME", "NAME and its files: a group of runs; the base first", \
		     &(c).groups),                                                              \
	    ROW_STRING(0, "history", "STORE",                                                   \
		       "take the median of a store's green runs as the base", &(c).history)
#define CLI_COMPARE_PARTS(c)                                                                       \
	ROW_GROUP("parts of the two sides:"),                                                      \
	    ROW_STRING(0, "base-source", "DIR", "folder of the base's sources", &(c).base_source), \
	    ROW_STRING(0, "new-source", "DIR",                                                     \
		       "folder of the new side's sources, to find moved lines", &(c).new_source),  \
	    ROW_STRING(0, "base-branch", "NAME", "use only base runs of this branch",              \
		       &(c).base_branch),                                                          \
	    ROW_STRING(0, "branch", "NAME", "branch of the judged runs; it may be new",            \
		       &(c).branch),                                                               \
	    ROW_STRING(0, "base-machine", "NAME", "use only base runs of this machine",            \
		       &(c).base_machine),                                                         \
	    ROW_NUMBER(0, "base-last", "N", "use only the newest N base runs (default 5)",         \
		       &(c).base_last),                                                            \
	    ROW_LIST(0, "base-frame", "RANGE", "use only these frames of the base",                \
		     &(c).base_frames),                                                            \
	    ROW_LIST(0, "new-frame", "RANGE", "use only these frames of the new side",             \
		     &(c).new_frames),                                                             \
	    ROW_LIST(0, "base-time", "RANGE", "use only this time of the base", &(c).base_times),  \
	    ROW_LIST(0, "new-time", "RANGE", "use only this time of the new side", &(c).new_times)
#define CLI_POLICY_ROWS(c)                                                                         \
	ROW_HEADING("gate:"),                                                                      \
	    {.type = OPT_STRING,                                                                   \
	     .word = "gate",                                                                       \
	     .arg = "FILE",                                                                        \
	     .help = "fail if a rule is broken (tracemill-policy(5))",                             \
	     .to = (const char **){&(c).policy_path},                                              \
	     .given = &(c).policy_given},                                                          \
	    ROW_FLAG(0, "init-policy", "print a policy that fits these runs and end", &(c).init),  \
	    ROW_STRING(0, "today", "DATE", "date for waivers (default: today, UTC)", &(c).today),  \
	    ROW_GROUP("judge runs that would be inconclusive:"),                                   \
	    ROW_FLAG(0, "allow-loss", "captures that have lost something", &(c).allow_loss),       \
	    ROW_FLAG(0, "allow-unmatched", "if a rule's expression, or a filter, matches nothing", \
		     &(c).allowed.unmatched),                                                      \
	    ROW_FLAG(0, "allow-unlike", "runs of another program or recording",                    \
		     &(c).allowed.unlike),                                                         \
	    ROW_FLAG(0, "allow-copies", "a run that is given twice", &(c).allowed.copies),         \
	    ROW_FLAG(0, "allow-no-base", "a history without a green run", &(c).allow_no_base)

/* Inside: compare.c and base.c. */
void compare_begin_group(struct cli_compare *c, const char *label);
/* Of what could not be read, the first: c->in.compare.unread. */
void compare_unread(struct cli_compare *c, const char *what, enum status why);
/* The base from the history, behind the group that is judged: or c->no_base. False: it cannot be read, which has
 * been reported. */
bool compare_base_read(struct cli_compare *c);

/* Checks the options and reads the policy, whose maps of paths join the filter's; c->policy then says what
 * the profile has to group by. single: one file is enough. */
void cli_compare_start(struct cli_compare *c, const struct cli_filter *f, int n, bool single);
/* Reads all files. False: a group has no run, which has been reported. */
bool cli_compare_read(struct cli_compare *c, const struct import_options *import,
		      const struct grouped_profile_options *what, int n, char **operands);
/* The policy's checks, and the exit status they mean; NULL: there is no policy. */
struct gate *cli_compare_gate(struct cli_compare *c);
void cli_compare_release(struct cli_compare *c);

#endif
