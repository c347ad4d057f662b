/* SPDX-License-Identifier: MIT
 *
 * The tally of a whole capture, made once, as one block of memory: another tally of that capture
 * which leaves nothing out takes it instead of the events. So does one that is asked for a selection, with
 * what a tally of the same options made of that. Processes of one program understand each other's.
 */
#ifndef TM_TALLY_SNAPSHOT_H
#define TM_TALLY_SNAPSHOT_H

#include "lib/tally/tally.h"

/* What a tally is asked for, so that others can take it. */
extern const struct tally_options tally_snapshot_options;

/* In done, of a tally by these options, or by those of who takes it: its bytes. */
size_t tally_snapshot_size(const struct tally *a);
/* Writes them; to is aligned to 8 bytes. */
void tally_snapshot_make(const struct tally *a, void *to);

#endif
