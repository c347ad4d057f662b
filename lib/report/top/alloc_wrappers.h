/* SPDX-License-Identifier: MIT
 *
 * Likely allocator wrappers that no rule knows (my_alloc): sites whose function allocates for many
 * others, and does nothing else that allocates. A guess, by what the captures show: at least a
 * tenth of all is its own; at least ALLOC_WRAPPERS_CALLERS different functions call it, none of them for
 * more than ALLOC_WRAPPERS_LARGEST percent, or ALLOC_WRAPPERS_MANY do; and it calls nothing that allocates but allocators.
 * Or most comes through one caller that is called so, and allocates through this one alone: realloc in
 * mem_realloc, and that in mem_grow. Recursion is no caller.
 *
 * The instances of a template are one function (lib/rules/templates.h; those that the compiler
 * named without their scope, of internal linkage, are known by their source file). Such a one with
 * ALLOC_WRAPPERS_INSTANCES that allocate is code for any type: as many callers suffice then, and one of
 * them may have most. It counts as no caller while there is another one further out.
 */
#ifndef TM_REPORT_TOP_ALLOC_WRAPPERS_H
#define TM_REPORT_TOP_ALLOC_WRAPPERS_H

#include "lib/group/grouped_profile.h"

enum {
	ALLOC_WRAPPERS_CALLERS = 5,
	ALLOC_WRAPPERS_LARGEST = 60,
	ALLOC_WRAPPERS_MANY = 10,
	ALLOC_WRAPPERS_LEAST = 10,
	ALLOC_WRAPPERS_INSTANCES = 3
};

struct alloc_wrapper_found {
	const char *name; /* as it is shown, or the template's */
	size_t callers;   /* functions that call it */
	size_t instances; /* of a template, that allocate; 0: no template */
	uint64_t share;   /* in hundredths of a percent of the sum */
};

/* The profile is as lib/group/resite.h has it. Gives each such function once, and then the functions
 * of names that it is: one, or a template's instances. Texts are borrowed until the call returns. */
void alloc_wrappers_find(struct grouped_profile *p, enum sum sum,
			 void (*found)(void *arg, const struct alloc_wrapper_found *f),
			 void (*instance)(void *arg, uint32_t function), void *arg);

#endif
