/* SPDX-License-Identifier: MIT
 *
 * The check of whether a C++ function has internal linkage, so that another source file may have one of the same
 * name. It has if it is static, or it, its scope or a template argument is in an anonymous namespace (Itanium C++
 * ABI, 5.1.2: "L" before an unqualified name, and "12_GLOBAL__N_1").
 */
#ifndef TM_RULES_LINKAGE_H
#define TM_RULES_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Of a linkage name, or of the name for people where that says it. False of C's names, which do not say it. */
bool linkage_is_internal(const char *s, size_t n);

/* Of a constructor or destructor that GCC's debug information calls C4 or D4 where it is inlined, and C2 or D2 where it
 * is compiled: the place of this number; else 0. */
size_t linkage_unified(const char *s, size_t n);

/* "MODULE!fn_0x1a2b0": a function of which only its start is known, from tables for unwinding. It is an address, which
 * moves with each build; no rule means it by its name. */
bool linkage_is_start(const char *s, size_t n);

#endif
