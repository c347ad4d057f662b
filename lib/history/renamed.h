/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/history: the guess which series goes on under another name. One series ends where the other
 * begins, in the same build. Their functions have the same callers, and the one has at most twice as much as the
 * other; or, where callers are not known, they differ by at most 5 % or the runs' noise. A caller that one of
 * the builds does not have may be renamed itself, and is like any other such. The two become one series under
 * the newer name, in which steps are looked for as in any other.
 */
#ifndef TM_HISTORY_RENAMED_H
#define TM_HISTORY_RENAMED_H

#include "lib/history/series.h"

/* The lines from first on, which are of one key. */
void renamed_join(struct history *h, struct history_lines *l, size_t first, enum key key);

#endif
