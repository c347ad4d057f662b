/* SPDX-License-Identifier: MIT
 *
 * One thing under two names: what compilers, demanglers and code generators number or spell anew
 * in every build. A canonical name leaves out
 *
 *	spaces that separate no words ("> >", "operator new []")
 *	clone suffixes: .cold .hot .warm .part.N .isra.N .constprop.N .llvm.N .lto_priv.N .__uniq.N
 *	.clone.N, and the same as " [clone .cold]" (GCC and Clang, GNU's and LLVM's demanglers)
 *	numbers of lambdas, closures and unnamed types: {lambda(int)#2} 'lambda3' $_4 {closure#5}
 *	{unnamed type#6} 'unnamed7'
 *	the hash of Rust's legacy mangling: ::h0123456789abcdef
 *	IL2CPP's hashes behind _m and _t: 40 hexadecimal digits, in older Unity up to 10 decimals
 *
 * and writes {anonymous} as (anonymous namespace). It is a guess: two functions may share one, so
 * it counts only where it is unique in every capture compared, and what it joins is labelled.
 */
#ifndef TM_REPORT_MATCHING_H
#define TM_REPORT_MATCHING_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Appends the canonical form of a display or linkage name. */
void canonical_name(struct buf *out, const char *s, size_t n);

/* A function without a name: "module!0x12", "module+0x12", "0x12", "[unknown]". Such a name
 * means something in its own build only. */
bool name_is_address(const char *s, size_t n);

/* Joins things of one canonical key into rows. in[i]: bit per group of runs that has thing i;
 * canonical[i]: its key's hash, 0: none. row[i] becomes the least thing of i's row: things of one
 * key are joined when no group has two of them. Symmetric in the groups. */
void matching_join(const uint64_t *canonical, const uint64_t *in, size_t n, uint32_t *row);

#endif
