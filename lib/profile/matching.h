/* SPDX-License-Identifier: MIT
 *
 * Canonical names, which match one entity under two names: compilers, demanglers and code generators
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
#ifndef TM_PROFILE_MATCHING_H
#define TM_PROFILE_MATCHING_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Appends the canonical form of a display or linkage name. */
void canonical_name(struct buf *out, const char *s, size_t n);

/* A function without a name: "module!0x12", "module!fn_0x12", "module+0x12", "0x12", "[unknown]". Such a name
 * means something in its own build only. */
bool name_is_address(const char *s, size_t n);

/* Appends the bare form of a canonical name; true when it is all of it. */
bool bare_name(struct buf *out, const char *s, size_t n);

/* The name for people has a number or a spelling that a compiler gave, and in the next build may be another's:
 * lambdas, unnamed types, closures. */
bool name_is_numbered(const char *s, size_t n);
/* The length of a linkage name, or of one for people, without what says that it is a clone. */
size_t name_without_clones(const char *s, size_t n);

/* An entity of one build, as far as it is matched. Texts are borrowed and NUL-terminated. */
struct matching_entity {
	uint64_t same;            /* equal where two builds say exactly the same; 0: never */
	uint64_t canonical, bare; /* hashes of names; 0: none */
	uint64_t core;            /* of a stack without the calls of libraries; 0: none */
	uint32_t node;            /* of a stack; the caller's own */
	uint32_t module;          /* a number, the same in all builds; 0: none */
	uint32_t
	    build; /* of the module; where it is the same, so is what says the same; 0: not known */
	uint32_t file_id, line; /* 0: none */
	const char *file;       /* "": none */
	const char *name;       /* for people */
	float count, bytes; /* of what it allocated in a run: they decide what lines leave open */
	bool is_bare;       /* the canonical name is no more than the bare one */
	bool is_open; /* what it says is another entity's in another build: a line, a number */
	bool
	    is_unique; /* no other function of the module has the linkage name, whatever the file */
};

/* Which line of a file in one build is which of the other: anchors, and between two of one shift all lines. */
struct matching_anchor {
	uint32_t file_a, file_b, line_a, line_b;
};
/* A file of one build whose unique names went to this one of the other. */
struct matching_move {
	uint32_t file_a, file_b;
};
struct matching_lines { /* zeroed is empty */
	struct matching_anchor *items;
	size_t n, cap;
	struct matching_move *moves;
	size_t n_moves, cap_moves;
};
void matching_lines_add(struct matching_lines *l, struct matching_anchor a);
void matching_lines_sort(struct matching_lines *l); /* before the first question */
void matching_lines_release(struct matching_lines *l);

enum { MATCHING_NONE = UINT32_MAX };

/* Files may be renamed to each other's names: where the lines of all of them fit together, the lines decide, and not
 * the names of the files.
 *
 * The entities of a build, b, among those of the one before, a: to[i] is the index of b's i in a, or
 * MATCHING_NONE. In this order:
 *
 *	what says the same, if the module's build is the same, or nothing of it is open
 *	of one canonical name
 *	of one bare name, which for one of them is all there is, and one line
 *	of names that one build alone has, in one line and within a fifth as often and as much: renamed
 *	of one bare name in any line
 *	of one core
 *	without a name in two builds of a module, in the order of their addresses, by counts and sizes
 *
 * each by the longest common end of the files' paths, a folder less at a time, down to the file's name; then in
 * files that were renamed, by where the other entities of the file went; then the same where of one the file is not
 * known, or the name is unique.
 *
 * Of one name and file, entities are aligned in the order of their lines, as a diff aligns lines: as many as there are
 * are joined, where it costs the least: lines that are not where the anchors put them, and changes of counts and
 * sizes. What lies between two anchors of one shift has a sure line, which outweighs any change of sizes. guess[i]: b's
 * i is one of several that were aligned without a sure line, while one build has more of them than the other.
 * Symmetric in the builds. */
void matching_assign(const struct matching_entity *a, size_t n_a, const struct matching_entity *b,
		     size_t n_b, const struct matching_lines *lines, uint32_t *to, bool *guess);

#endif
