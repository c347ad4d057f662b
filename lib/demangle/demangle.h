/* SPDX-License-Identifier: MIT
 *
 * The demangler, which makes readable names of linkage names: C++ (Itanium) and Rust (legacy and
 * v0), through libiberty (demangle.c is its only user), and Microsoft's C++ (demangle_llvm.h). Thread safe.
 */
#ifndef TM_DEMANGLE_DEMANGLE_H
#define TM_DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* A malloc'ed display name, or NULL when raw is not mangled, or stands for a text beyond reason. */
char *demangle(const char *raw);
/* The same by how, where the mangled name ends at suffix, which stays. */
char *demangle_with_suffix(const char *raw, const char *suffix, char *(*how)(const char *raw));
/* The same of a name as captures carry it: the module before it ("libgame.so`", "game!") and what
 * tools put behind it ("+0x1c", "@plt", "_[k]", " (game)") stay. NULL: nothing in it is mangled. */
char *demangle_captured(const char *s, size_t n);
/* Soon known: false for most names in which nothing is mangled. */
bool demangle_may_capture(const char *s, size_t n);
/* It is one of Rust's, in either mangling. */
bool demangle_is_rust(const char *raw);
/* The same without scopes, parameters and return type, as DW_AT_name is: "size" for
 * "a::B<int>::size() const". */
char *demangle_short(const char *raw);

#endif
