/* SPDX-License-Identifier: MIT
 *
 * The inspection of a file that anybody may have written, by a process that may start programs and trace others: a
 * child does it, which can start and trace nothing (profiles.c), and has of the descriptors the file alone.
 */
#ifndef TM_SANDBOX_CONFINED_H
#define TM_SANDBOX_CONFINED_H

#include <stdbool.h>
#include <stddef.h>

/* look reads fd (-1: none), and puts what it finds into the n bytes of answer, which hold what it is to look for, and no
 * pointers of its own making. Before it, hold takes the child its rights; NULL: it can open nothing. False: the child
 * has ended before it was done. */
bool confined_look(void (*hold)(void), void (*look)(int fd, void *answer), int fd, void *answer,
		   size_t n);

#endif
