/* SPDX-License-Identifier: MIT
 *
 * Canonical names, which match one thing under two names: compilers, demanglers and code generators
 * number or spell parts of names anew in every build. A canonical name leaves out
 *
 *	spaces that separate no words ("> >", "operator new []")
 *	clone suffixes: .cold .hot .warm .part.N .isra.N .constprop.N .llvm.N .lto_priv.N .__uniq.N
 *	.clone.N, and the same as " [clone .cold]" (GCC and Clang, GNU's and LLVM's demanglers)
 *	numbers of closures and unnamed types: {closure#5} {unnamed type#6} 'unnamed7'
 *	the hash of Rust's legacy mangling: ::h0123456789abcdef
 *	IL2CPP's hashes behind _m and _t: 40 hexadecimal digits, in older Unity up to 10 decimals
 *
 * and writes {anonymous} as (anonymous namespace), and a lambda as {lambda}, whose number and
 * spelling are the compiler's: GCC's {lambda(int)#2} and <lambda(int)>, Clang's $_4, LLVM's
 * demangler's 'lambda3'(int). Its parameters follow its operator().
 *
 * The bare name is the last part of a canonical name without its parameters: of "inl(int)" and
 * "a::inl(int)" it is "inl", which is all that GCC says of a function it has inlined everywhere.
 *
 * All of this is a guess: two functions may share a name, so what it joins is labelled and counted.
 */
#ifndef TM_AGGREGATE_MATCHING_H
#define TM_AGGREGATE_MATCHING_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Appends the canonical form of a display or linkage name. */
void canonical_name(struct buf *out, const char *s, size_t n);

/* A function without a name: "module!0x12", "module+0x12", "0x12", "[unknown]". Such a name
 * means something in its own build only. */
bool name_is_address(const char *s, size_t n);

/* Appends the bare form of a canonical name; true when it is all of it. */
bool bare_name(struct buf *out, const char *s, size_t n);

/* A thing of one key, as far as it is matched. Texts are borrowed and NUL-terminated. */
struct matching_thing {
	uint64_t canonical, bare; /* hashes of names and module; 0: none */
	bool is_bare;             /* the canonical name is no more than the bare one */
	uint64_t in;              /* bit per group of runs that has it */
	const char *name;         /* for people */
	const char *file;         /* "": none */
	uint32_t line;            /* 0: none */
};

/* Joins things that are not in all of the groups into rows: row[i] becomes the least thing of i's
 * row. In this order, and each time by the longest common end of the files' paths that does it, a
 * folder less at a time, down to the file's name:
 *
 *	of one canonical name
 *	of one bare name, which for one of them is all there is, and one line
 *	the same in any line
 *
 * and then the same again where of one the file is not known.
 *
 * Such things are joined when no group has two of them, or when two groups have as many: then the
 * first goes with the first, by line and, of one canonical name, by the numbers in their names.
 * Symmetric in the groups. */
void matching_join(const struct matching_thing *things, size_t n, uint64_t groups, uint32_t *row);

#endif
