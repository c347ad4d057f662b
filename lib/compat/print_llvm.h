/* SPDX-License-Identifier: MIT
 *
 * A call as llvm-symbolizer sees it, for the forms that its answers have.
 */
#ifndef TM_COMPAT_PRINT_LLVM_H
#define TM_COMPAT_PRINT_LLVM_H

#include "lib/compat/print.h"

struct llvm_frame {
	const char *name, *file; /* "": not known */
	const char *path;        /* of the file, whole */
	/* Whose debug information may embed the file: llvm looks for that of the innermost call alone. */
	struct tracemill_binary *embeds;
	uint64_t address;
	char *owned; /* name, when it was made for this; the caller frees it */
	uint32_t line, column;
	bool has_start;
	uint64_t start;         /* of the function */
	const char *start_file; /* where it is declared; "": not known */
	uint32_t start_line;
	uint32_t discriminator;
};

/* What a query was looked up as, and its answer. */
struct llvm_answer {
	struct tracemill_binary *binary; /* NULL: none */
	uint64_t address;
	struct print_answer calls;
};
/* query: of the last batch. Valid until the next. */
struct llvm_answer llvm_answer(const struct print_from *from, const struct tracemill_query *query);

/* The i-th call; where there are none, i 0: nothing is known, but a name perhaps. */
struct llvm_frame llvm_frame(const struct print_from *from, const struct llvm_answer *a, size_t i,
			     const struct print_options *o);

/* As LLVM spells it; malloc'ed, NULL: it is not mangled. */
char *llvm_demangle(const char *name);

#endif
