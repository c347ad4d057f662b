/* SPDX-License-Identifier: MIT
 *
 * Aggregates in programs: one is written from a capture, or read in the place of a capture.
 */
#ifndef TM_CLI_AGGREGATE_H
#define TM_CLI_AGGREGATE_H

#include "lib/cli/filter.h"
#include "lib/cli/symbols.h"
#include "lib/group/read_aggregate.h"
#include "lib/profile/identity.h"

/* Reads one capture and writes its sums, after cli_output; symbols: for one without names. After a failure, which has been
 * reported, nothing has been written. from: the file that the operand was made from, whose name and
 * digest it has; NULL: its own. */
void cli_save_aggregate(const char *operand, const char *from, const struct import_options *import,
			struct cli_symbols *symbols, const struct grouped_profile_options *what,
			const char *options);

/* Whether the input is an aggregate; then all of it has been looked at, so that one that is damaged
 * leaves nothing in a report, and it is at its beginning. */
enum status cli_aggregate_ready(struct input *in, bool *is, struct err *e);

/* What a program asks of aggregates: the filters that were given. *words has to live as long. What
 * was pruned is reported as notes. file: &loop.file. */
struct aggregate_asked cli_aggregate_asked(const struct cli_filter *f, struct buf *words,
					   const char *const *file);

/* Of each OLD=NEW in l, and behind them the n others, such as a policy's. The array is the caller's. */
struct identity_map *cli_maps(const char *option, const struct opt_list *l, bool functions,
			      const struct identity_map *more, size_t n, struct arena *texts);

#endif
