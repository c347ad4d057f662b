/* SPDX-License-Identifier: MIT
 *
 * The inspection of a file that anybody may have written, by a process that may start programs and trace others: a
 * child does it, which can open, start and trace nothing (sandbox/profiles.c) and has the file alone.
 */
#ifndef TM_RECORD_CONFINED_H
#define TM_RECORD_CONFINED_H

#include <stdbool.h>
#include <stddef.h>

/* look reads fd, and puts what it finds into the n bytes of answer, which hold what it is to look for, and no
 * pointers of its own making. False: the child has ended before it was done. */
bool confined_look(void (*look)(int fd, void *answer), int fd, void *answer, size_t n);

#endif
