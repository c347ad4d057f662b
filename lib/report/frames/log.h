/* SPDX-License-Identifier: MIT
 *
 * The lines that a game wrote to its log, in the frames, times and threads that are selected: a sink in front
 * of another, which gets all events. Only the lines that are shown are kept, and the others counted.
 */
#ifndef TM_REPORT_FRAMES_LOG_H
#define TM_REPORT_FRAMES_LOG_H

#include "lib/select/selection.h"
#include "lib/table/table.h"
#include "lib/trace/sink.h"

struct frames_log;

/* The first n lines; 0: as many as there may be, 10000. selection is borrowed. */
struct frames_log *frames_log_new(struct sink *to, const struct tally_selection *selection,
				  uint64_t n);
void frames_log_free(struct frames_log *l); /* accepts NULL */
struct sink *frames_log_sink(struct frames_log *l);
/* NULL: there is no such line. */
const struct table *frames_log_table(struct frames_log *l);

#endif
