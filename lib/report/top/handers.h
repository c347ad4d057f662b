/* SPDX-License-Identifier: MIT
 *
 * Likely allocator wrappers that no rule knows (my_alloc): sites whose function allocates for many
 * others, and does nothing else that allocates. A guess, by what the captures show: at least a
 * tenth of all is its own; at least HANDERS_CALLERS different functions call it, none of them for
 * more than HANDERS_LARGEST percent; and it calls nothing that allocates but allocators. Recursion
 * is no caller.
 */
#ifndef TM_REPORT_TOP_HANDERS_H
#define TM_REPORT_TOP_HANDERS_H

#include "lib/group/project.h"

enum { HANDERS_CALLERS = 5, HANDERS_LARGEST = 60, HANDERS_LEAST = 10 };

/* The project is by site, and by stack within it. Gives each such function once: its shown name,
 * how many functions call it, and its share in hundredths of a percent of the sum. */
void handers_find(const struct group_project *p, enum sum sum,
		  void (*found)(void *arg, const char *name, size_t n, size_t callers,
				uint64_t share),
		  void *arg);

#endif
