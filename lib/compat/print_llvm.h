/* SPDX-License-Identifier: MIT
 *
 * A call as llvm-symbolizer sees it, for the forms that its answers have.
 */
#ifndef TM_COMPAT_PRINT_LLVM_H
#define TM_COMPAT_PRINT_LLVM_H

#include "lib/compat/print.h"

struct llvm_frame {
	const char *name, *file; /* "": not known */
	char *owned;             /* name, when it was made for this; the caller frees it */
	uint32_t line, column;
	uint64_t start;         /* of the function; DWARF_NO_START */
	const char *start_file; /* where it is declared; "": not known */
	uint32_t start_line;
	uint32_t discriminator;
};

/* call 0: nothing is known, but a name perhaps. */
struct llvm_frame llvm_frame(const struct lookup *l, const struct lookup_query *q, uint32_t call,
			     const struct print_options *o);

#endif
