/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/history: series that go on under another name. A series that ends, when another begins in the
 * same build, is that one by a guess, if what has the two names is called by the same functions, and the one has
 * at most twice as much as the other; or, where callers are not known, within 5 % or the runs' noise. A caller
 * that one of the builds does not have may be renamed itself, and is like any other such. The two become one
 * series under the newer name, in which steps are looked for as in any other.
 */
#ifndef TM_HISTORY_RENAMED_H
#define TM_HISTORY_RENAMED_H

#include "lib/history/series.h"

/* The lines from first on, which are of one key. */
void renamed_join(struct history *h, struct history_lines *l, size_t first, enum key key);

#endif
