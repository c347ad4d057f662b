/* SPDX-License-Identifier: MIT
 *
 * A trace that grows while it is looked at: what comes is put behind what was loaded. Names of its
 * locations come some time after them.
 */
#ifndef TM_CMD_VIEW_FOLLOW_H
#define TM_CMD_VIEW_FOLLOW_H

#include "lib/cli/named.h"
#include "lib/kept/kept.h"

struct follow;

enum follow_news {
	FOLLOW_SAME,
	FOLLOW_TURNED, /* only follow_deserted says something else */
	FOLLOW_GREW,
	FOLLOW_OTHER /* it is to be loaded as any file */
};

/* Fills k with what is there. NULL: this is no trace, or a packed or damaged one. namer is the caller's. */
struct follow *follow_new(const char *path, struct kept *k, struct cli_namer *namer);
/* Takes what has come since. */
enum follow_news follow_look(struct follow *f);
/* Names for what has none yet: asks for them, and takes them when they are there. wait: until they are.
 * True: there are more. */
bool follow_names(struct follow *f, bool wait);
/* Its totals were there, and nothing behind them. */
bool follow_ended(const struct follow *f);
/* No process of this machine has it open for writing: who recorded it has gone, or was killed. False
 * where the system does not say. */
bool follow_deserted(const struct follow *f);
void follow_free(struct follow *f); /* before k is released; accepts NULL */

#endif
