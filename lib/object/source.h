/* SPDX-License-Identifier: MIT
 *
 * Symbol files that are no objects, but give function, file, line and inlined calls of addresses:
 *
 *	GSYM (gsym.c)          facts: the headers of llvm/DebugInfo/GSYM in LLVM, which describe the
 *	                       format, and bytes that llvm-gsymutil 14 writes; version 1, either
 *	                       byte order; kinds of information that are not known are stepped over
 *	Breakpad (breakpad.c)  facts: docs/symbol_files.md of Breakpad; records MODULE, INFO
 *	                       CODE_ID, FILE, FUNC, lines, INLINE, INLINE_ORIGIN, PUBLIC. STACK is for
 *	                       walks (breakpad_stack.h).
 *
 * Addresses are link-time ones. The whole file is checked as it is used; what is broken is answered
 * as such and counted, never followed.
 */
#ifndef TM_OBJECT_SOURCE_H
#define TM_OBJECT_SOURCE_H

#include "lib/base/buf.h"
#include "lib/object/object.h"

struct object_image;
struct object_source;

void source_free(struct object_source *s); /* accepts NULL */

struct source_function {
	uint64_t lo, size; /* size 0: not known */
	const char *name;  /* borrowed; "" when it lies outside the file */
	bool public;       /* a symbol without lines */
};

/* The two kinds; s is the whole of it. */
struct object_source {
	const struct source_kind *kind;
	uint8_t *bytes; /* the file */
	uint64_t size;
	struct map_piece *map; /* bytes are its; NULL: they are of the allowance */
	struct buf complaint;
	struct gsym *gsym;
	struct breakpad *breakpad;
	struct breakpad_stack *stack; /* NULL: not asked for yet */
};

struct source_kind {
	/* Fills what the file says of itself into f and s. */
	enum status (*open)(struct object_source *s, struct object_image *f, struct err *e);
	void (*free)(struct object_source *s);
	size_t (*count)(const struct object_source *s);
	/* False: that function is broken. */
	bool (*function)(const struct object_source *s, size_t i, struct source_function *f);
	/* Behind the last function, as far as is known. */
	uint64_t (*end)(const struct object_source *s);
	enum status (*at)(const struct object_source *s, uint64_t addr, struct object_call *calls,
			  size_t max, size_t *n);
};
extern const struct source_kind source_gsym, source_breakpad;

#endif
