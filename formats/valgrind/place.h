/* SPDX-License-Identifier: MIT
 *
 * How valgrind's tools write a place of a stack.
 */
#ifndef TM_FORMATS_VALGRIND_PLACE_H
#define TM_FORMATS_VALGRIND_PLACE_H

#include "lib/trace/model.h"

/* The location of "0x10918F: f (d.c:4)", "0x4841: malloc (in /usr/lib/x.so)", "0x1: ??? (in /x)" or "[root]". Of
 * Rust's dhat a column stands behind the line. */
uint32_t valgrind_place(struct trace *t, const char *s, size_t n);
/* The length of a function's name without the "+116" that --sym-offsets=yes puts behind it. */
size_t valgrind_name(const char *s, size_t n);

#endif
