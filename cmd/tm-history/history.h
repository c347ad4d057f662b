/* SPDX-License-Identifier: MIT
 *
 * Internal to tm-history: its commands over a store, input from the command line into lib/history,
 * and the printed tables.
 */
#ifndef TM_CMD_HISTORY_HISTORY_H
#define TM_CMD_HISTORY_HISTORY_H

#include "lib/cli/autosymbolize.h"
#include "lib/cli/filter.h"
#include "lib/cli/report.h"
#include "lib/group/metric.h"
#include "lib/history/history.h"
#include "lib/report/compare/policy.h"

struct cli_history {
	const char *store;
	/* labels of what is added, and what is chosen by */
	const char *build, *branch, *commit, *machine, *date, *since, *until;
	struct opt_list labels;
	int status; /* -1: none */
	uint64_t last;
	/* series */
	int metric, by, per; /* by: -1 not given, 0 total, enum key + 1 */
	const char *counter, *policy_path, *alpha, *least;
	struct opt_list names, map_modules, map_functions;
	bool cumulative, fail;
	struct cli_symbols symbols; /* of what is added */
	uint64_t seed, top, wait;
	bool has_top;
	const char *from, *to; /* of blame */
	/* what these mean, from cli_history_start on */
	struct history_label label_items[32];
	char dates[3][HISTORY_DATE];
	double error_rate, least_percent;
	struct compare_policy policy;
	struct arena texts;
	struct identity_map *modules, *functions; /* what maps say */
	/* from cli_history_open on */
	struct history h;
	struct history_runs runs;
};

#define CLI_HISTORY_INIT                                                            \
	{                                                                           \
		.status = -1, .by = -1, .per = -1, .seed = 1, .top = 10, .wait = 60 \
	}

extern const char *const history_by_words[];

#define CLI_HISTORY_ROWS(c)                                                                        \
	ROW_GROUP("labels of the run to add, or of the runs to read:"),                            \
	    ROW_STRING(0, "build", "NAME", "the build (default of add: the file's name)",          \
		       &(c).build),                                                                \
	    ROW_STRING(0, "branch", "NAME", "the branch", &(c).branch),                            \
	    ROW_STRING(0, "machine", "NAME", "the machine or device", &(c).machine),               \
	    ROW_CHOICE(0, "status", "STATUS", "green, red or unknown", &(c).status,                \
		       history_statuses),                                                          \
	    ROW_LIST(0, "label", "LABEL", "any other label, such as suite=menus (repeatable)",     \
		     &(c).labels),                                                                 \
	    ROW_STRING(0, "commit", "ID", "add: the commit", &(c).commit),                         \
	    ROW_STRING(0, "date", "DATE", "add: YYYY-MM-DD[THH:MM:SSZ] (default: now)",            \
		       &(c).date),                                                                 \
	    ROW_STRING(0, "since", "DATE", "only runs of this date or later", &(c).since),         \
	    ROW_STRING(0, "until", "DATE", "only runs of this date or earlier", &(c).until),       \
	    ROW_NUMBER(0, "last", "N", "only the newest N of these runs", &(c).last),              \
	    ROW_NUMBER(0, "wait", "SECONDS", "how long to wait for another writer (default 60)",   \
		       &(c).wait),                                                                 \
	    ROW_HEADING("series:"),                                                                \
	    ROW_CHOICE(0, "sort", "METRIC", "metric (default auto); --help all has the list",      \
		       &(c).metric, sort_words),                                                   \
	    ROW_STRING(0, "counter", "NAME", "mean of a counter; NAME:last, NAME:min or NAME:max", \
		       &(c).counter),                                                              \
	    ROW_CHOICE(0, "by", "KEY", "one series per KEY (default: total; blame: stack)",        \
		       &(c).by, history_by_words),                                                 \
	    ROW_LIST(0, "name", "REGEX", "only series with a matching name (repeatable)",          \
		     &(c).names),                                                                  \
	    ROW_FLAG(0, "cumulative", "total (inclusive) instead of self", &(c).cumulative),       \
	    ROW_CHOICE(0, "per", "UNIT", "divide by capture (default), run, frame or second",      \
		       &(c).per, per_words),                                                       \
	    ROW_STRING(0, "rules", "FILE", "one series per rule (tracemill-policy(5))",            \
		       &(c).policy_path),                                                          \
	    ROW_STRING(0, "alpha", "P", "error rate of the steps of a series (default 0.05)",      \
		       &(c).alpha),                                                                \
	    ROW_STRING(0, "min", "PERCENT", "ignore smaller steps", &(c).least),                   \
	    ROW_NUMBER(0, "seed", "N", "seed of the permutations (default 1)", &(c).seed),         \
	    ROW_FLAG(0, "gate", "change-points: status 1 if a last step or trend is up",           \
		     &(c).fail),                                                                   \
	    ROW_STRING(0, "from", "RUN", "blame: the run before the step: a build or #number",     \
		       &(c).from),                                                                 \
	    ROW_STRING(0, "to", "RUN", "blame: the run after the step", &(c).to),                  \
	{                                                                                          \
		.type = OPT_UNSIGNED, .letter = 'n', .word = "top", .arg = "N",                    \
		.help = "rows to show; 0: all (default 10, blame 30)",                             \
		.to = (uint64_t *){&(c).top}, .given = &(c).has_top                                \
	}

/* Checks options; ends the program on wrong ones. adding: the labels are to be written. */
void cli_history_start(struct cli_history *c, bool adding);
/* Opens the store, and reads the chosen runs when reading. False: it could not, which was
 * reported. */
bool cli_history_open(struct cli_history *c, bool adding);
void cli_history_release(struct cli_history *c);

void cli_history_add(struct cli_history *c, const struct import_options *import,
		     const struct cli_filter *filter, int n, char **files, struct cli_report *r);
void cli_history_list(struct cli_history *c, struct cli_report *r);
/* Series, steps and, when charts can be shown, what the latest step up is made of. */
void cli_history_trend(struct cli_history *c, struct cli_report *r);
void cli_history_steps(struct cli_history *c, struct cli_report *r);
void cli_history_blame(struct cli_history *c, struct cli_report *r);

#endif
