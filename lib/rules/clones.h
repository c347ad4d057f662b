/* SPDX-License-Identifier: MIT
 *
 * The suffixes that compilers append to the linkage name of a part or a copy of a function: ".cold", ".part.0",
 * ".constprop.1.isra.2", ".lto_priv.0" of GCC; ".llvm.1234", ".__uniq.1234" of clang.
 */
#ifndef TM_RULES_CLONES_H
#define TM_RULES_CLONES_H

#include <stddef.h>

/* The length of the name without them. */
size_t clones_cut(const char *s, size_t n);

#endif
