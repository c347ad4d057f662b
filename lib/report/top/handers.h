/* SPDX-License-Identifier: MIT
 *
 * Likely allocator wrappers that no rule knows (my_alloc): sites whose function allocates for many
 * others, and does nothing else that allocates. A guess, by what the captures show: at least a
 * tenth of all is its own; at least HANDERS_CALLERS different functions call it, none of them for
 * more than HANDERS_LARGEST percent; and it calls nothing that allocates but allocators. Recursion
 * is no caller.
 *
 * The instances of a template are one function (lib/rules/templates.h; those that the compiler
 * named without their scope, of internal linkage, are known by their source file). Such a one with
 * HANDERS_INSTANCES that allocate is code for any type: as many callers suffice then, and one of
 * them may have most. It counts as no caller while there is another one further out.
 */
#ifndef TM_REPORT_TOP_HANDERS_H
#define TM_REPORT_TOP_HANDERS_H

#include "lib/group/project.h"

enum { HANDERS_CALLERS = 5, HANDERS_LARGEST = 60, HANDERS_LEAST = 10, HANDERS_INSTANCES = 3 };

struct hander_found {
	const char *name; /* as it is shown, or the template's */
	size_t callers;   /* functions that call it */
	size_t instances; /* of a template, that allocate; 0: no template */
	uint64_t share;   /* in hundredths of a percent of the sum */
};

/* The project is by site, and by stack within it. Gives each such function once, and then each of
 * its names: one, or a template's instances. Texts are borrowed until the call returns. */
void handers_find(const struct group_project *p, enum sum sum,
		  void (*found)(void *arg, const struct hander_found *f),
		  void (*named)(void *arg, const char *name, size_t n), void *arg);

#endif
