/* SPDX-License-Identifier: MIT
 *
 * The fitness of a binary, capability by capability: the verdict, the facts behind the verdict, and
 * the change to the build where the binary is not fit.
 */
#ifndef TM_INSPECT_FITNESS_H
#define TM_INSPECT_FITNESS_H

#include "lib/inspect/inspect.h"

enum capability {
	FIT_IDENTITY,       /* a build-id, so that captures find the right file */
	FIT_NAMES,          /* a symbol table, here or in the debug file */
	FIT_LINES,          /* DWARF: files, lines, inlined functions */
	FIT_UNWIND,         /* unwind tables */
	FIT_FRAME_POINTERS, /* of the functions that call others */
	FIT_INSTRUMENTED,   /* functions report entry and exit */
	FIT_LOLI_ALLOC,     /* loli_set_allocandfree is exported */
	FIT_LOLI_STACK,     /* get_stack_backtrace and set_loli_ignore_func are */
	FIT_NO_WRAPS,       /* nothing is left over of --wrap */
	FIT_PAGES,          /* loads with pages of 16 KiB */
	FITS,
};

enum fit {
	FIT_YES,
	FIT_PARTLY,
	FIT_NO,
	FIT_UNKNOWN,
};

struct fitness {
	enum fit fit;
	char why[400];
	const char *fix; /* NULL: nothing to change */
};

extern const char *const fit_names[FITS + 1]; /* "build-id", ..., NULL */
extern const char *const fit_words[];         /* by enum fit: "yes", "partly", "no", "unknown" */

void fitness_of(const struct inspect *x, enum capability c, struct fitness *out);

#endif
