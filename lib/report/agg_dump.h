/* SPDX-License-Identifier: MIT
 *
 * An aggregate as text, a line per record: for people, for grep, and for tests. tm-dump(1).
 */
#ifndef TM_REPORT_AGG_DUMP_H
#define TM_REPORT_AGG_DUMP_H

#include "lib/report/agg_file.h"

enum status agg_dump(struct cursor *c, FILE *out, struct err *e);

#endif
