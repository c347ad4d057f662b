/* SPDX-License-Identifier: MIT
 *
 * The tables of a history (tracemill-history(5)), in what SQLite and PostgreSQL both understand:
 * BIGINT, DOUBLE PRECISION, NUMERIC, TEXT and BYTEA. history_steps[i] makes version i + 1 of version i; a
 * change of the schema is a new step, never a change of one that was released.
 */
#ifndef TM_HISTORY_SCHEMA_H
#define TM_HISTORY_SCHEMA_H

#include "lib/group/metric.h"

/* SUM_BITs of the sums that the newest version has columns for: any other metric has no history. */
enum { HISTORY_SUMS = (int)(((int64_t)1 << (SUM_WAITING + 1)) - 1) & ~(1 << SUM_TIME_MEAN) };

/* The same of an older version, as a store has that is only read. */
static inline unsigned history_sums(int64_t version)
{
	unsigned sums = HISTORY_SUMS;

	if (version < 4)
		sums &= ~SUM_BIT(SUM_PERIOD);
	if (version < 6)
		sums &= ~SUM_BIT(SUM_WAITING);
	return sums;
}

/* The sums of version 1, in the order of enum sum and without the mean, which is worked out. */
#define HISTORY_SUM_COLUMNS                                                                      \
	"count BIGINT, entries BIGINT, requested BIGINT, real BIGINT, slack BIGINT,"             \
	" live_count BIGINT, live_requested BIGINT, live_real BIGINT, freed_count BIGINT,"       \
	" freed_requested BIGINT, freed_real BIGINT, peak_count BIGINT, peak_requested BIGINT,"  \
	" peak_real BIGINT, temporary BIGINT, lifetime_ns BIGINT, timed BIGINT, self_ns BIGINT," \
	" total_ns BIGINT, calls BIGINT, lua_net BIGINT, mono_net BIGINT, samples BIGINT"

#define HISTORY_STEP_1                                                                             \
	"CREATE TABLE tm_store (schema_version BIGINT NOT NULL, program TEXT NOT NULL);"           \
	"CREATE TABLE tm_runs (id BIGINT NOT NULL PRIMARY KEY, identity BIGINT NOT NULL UNIQUE,"   \
	" date TEXT NOT NULL, added TEXT NOT NULL, build TEXT NOT NULL, branch TEXT,"              \
	" commit_id TEXT, machine TEXT, status TEXT NOT NULL, file TEXT, format TEXT,"             \
	" sampling TEXT, options TEXT, captures BIGINT NOT NULL, frames BIGINT NOT NULL,"          \
	" duration_ns BIGINT, guesses BIGINT NOT NULL, losses BIGINT NOT NULL);"                   \
	"CREATE INDEX tm_runs_date ON tm_runs (date, id);"                                         \
	"CREATE TABLE tm_labels (run BIGINT NOT NULL REFERENCES tm_runs (id) ON DELETE CASCADE,"   \
	" name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, name));"                      \
	"CREATE TABLE tm_aggregates (run BIGINT NOT NULL PRIMARY KEY"                              \
	" REFERENCES tm_runs (id) ON DELETE CASCADE, bytes BYTEA NOT NULL);"                       \
	"CREATE TABLE tm_keys (run BIGINT NOT NULL REFERENCES tm_runs (id) ON DELETE CASCADE,"     \
	" key TEXT NOT NULL, pruned BIGINT NOT NULL, known TEXT NOT NULL, PRIMARY KEY (run, "      \
	"key));"                                                                                   \
	"CREATE TABLE tm_things (id BIGINT NOT NULL PRIMARY KEY, key TEXT NOT NULL,"               \
	" name TEXT NOT NULL, raw TEXT, module TEXT, file TEXT, line BIGINT);"                     \
	"CREATE INDEX tm_things_name ON tm_things (key, name);"                                    \
	"CREATE TABLE tm_sums (thing BIGINT NOT NULL REFERENCES tm_things (id),"                   \
	" run BIGINT NOT NULL REFERENCES tm_runs (id) ON DELETE CASCADE,"                          \
	" cumulative BIGINT NOT NULL, " HISTORY_SUM_COLUMNS                                        \
	", PRIMARY KEY (thing, run, cumulative));"                                                 \
	"CREATE INDEX tm_sums_run ON tm_sums (run);"                                               \
	"CREATE TABLE tm_counters (run BIGINT NOT NULL REFERENCES tm_runs (id) ON DELETE CASCADE," \
	" name TEXT NOT NULL, unit TEXT NOT NULL, readings BIGINT NOT NULL, last BIGINT,"          \
	" least BIGINT, largest BIGINT, mean DOUBLE PRECISION, PRIMARY KEY (run, name, unit));"

/* Readings of counters have decimals: in PostgreSQL all, in SQLite those that a double has. */
#define HISTORY_STEP_2                                                                       \
	"CREATE TABLE tm_counters_2 (run BIGINT NOT NULL REFERENCES tm_runs (id) ON DELETE " \
	"CASCADE, name TEXT NOT NULL, unit TEXT NOT NULL, readings BIGINT NOT NULL,"         \
	" last NUMERIC, least NUMERIC, largest NUMERIC, mean DOUBLE PRECISION,"              \
	" PRIMARY KEY (run, name, unit));"                                                   \
	"INSERT INTO tm_counters_2 (run, name, unit, readings, last, least, largest, mean)"  \
	" SELECT run, name, unit, readings, last, least, largest, mean FROM tm_counters;"    \
	"DROP TABLE tm_counters;"                                                            \
	"ALTER TABLE tm_counters_2 RENAME TO tm_counters;"

/* What ran, where the capture says so. */
#define HISTORY_STEP_3 "ALTER TABLE tm_runs ADD COLUMN program TEXT;"

#define HISTORY_STEP_4 "ALTER TABLE tm_sums ADD COLUMN period BIGINT;"

/* How the program was started, and how it ended: 0, or not known. */
#define HISTORY_STEP_5                                   \
	"ALTER TABLE tm_runs ADD COLUMN arguments TEXT;" \
	"ALTER TABLE tm_runs ADD COLUMN exit_status BIGINT;"

#define HISTORY_STEP_6 "ALTER TABLE tm_sums ADD COLUMN waiting_ns BIGINT;"

static const char *const history_steps[] = {HISTORY_STEP_1, HISTORY_STEP_2, HISTORY_STEP_3,
					    HISTORY_STEP_4, HISTORY_STEP_5, HISTORY_STEP_6};

#endif
