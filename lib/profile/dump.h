/* SPDX-License-Identifier: MIT
 *
 * An aggregate as text, a line per record: for people, for grep, and for tests. tm-dump(1).
 */
#ifndef TM_PROFILE_DUMP_H
#define TM_PROFILE_DUMP_H

#include "lib/profile/file.h"

enum status aggregate_dump(struct cursor *c, FILE *out, struct err *e);

#endif
