/* SPDX-License-Identifier: MIT
 *
 * Names of functions as tools of Windows print them in a log, "ns::Class<int>::f" without parameters, and the functions of
 * a file that have them. Tools differ in blanks and in "class" before a type.
 */
#ifndef TM_SYMBOLIZE_STACK_NAMES_H
#define TM_SYMBOLIZE_STACK_NAMES_H

#include "lib/input/stack_line.h"
#include "lib/object/object.h"

/* Where the function begins that has the name, and plus bytes at least. *n: how many do; of several, *vaddr is one. */
void stack_name_find(struct object *o, struct stack_text_part name, uint64_t plus, uint64_t *vaddr,
		     size_t *n);
/* The last parts of two names, which scopes and parameters may surround, differ. False also where a compiler made one of the
 * two. */
bool stack_name_differs(struct stack_text_part name, const char *display);

#endif
