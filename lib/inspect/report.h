/* SPDX-License-Identifier: MIT
 *
 * The findings about binaries, as tables: verdicts, facts, segments, and functions by source file.
 */
#ifndef TM_INSPECT_REPORT_H
#define TM_INSPECT_REPORT_H

#include "lib/inspect/fitness.h"
#include "lib/inspect/table_buf.h"
#include "lib/symbolize/lookup.h"

struct inspect_report {
	struct table_buf verdicts, facts, segments, sources;
};

/* several: people see the file of a row. */
void inspect_report_init(struct inspect_report *r, bool several);
void inspect_report_add(struct inspect_report *r, const struct inspect *x);
/* Functions by the source file of their first instruction; l is the caller's. ST_SYS: no
 * engine can run. */
enum status inspect_report_sources(struct inspect_report *r, const struct inspect *x,
				   struct lookup *l, struct err *e);
void inspect_report_release(struct inspect_report *r);

#endif
