/* SPDX-License-Identifier: MIT
 *
 * The one memory idiom. Memory that runs out ends the program: one line on stderr, exit
 * status 3 (mem_on_failure). So nothing here returns NULL and no caller checks. What makes
 * that safe is the other half of the rule: a size that comes from input is bounded by the
 * bytes that are really there before it reaches these functions.
 *
 * Things that are parsed live in an arena (arena.h) and die with it; a growing array is a
 * (pointer, count, capacity) triple grown by mem_grow; an owner of system resources has
 * init/release (caller's storage) or new/free (heap), and release accepts a zeroed struct.
 */
#ifndef TM_BASE_MEM_H
#define TM_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_zalloc(size_t size) __attribute__((malloc, returns_nonnull));
/* n elements of the given size; an overflowing product is out of memory. */
void *mem_array(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_zarray(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *mem_strndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
/* Returns p with room for at least need elements, doubling *cap. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);

/* Appends one element: VEC_PUSH(v->items, v->n, v->cap) = (struct item){...}; */
#define VEC_PUSH(p, n, cap)                                                              \
	(*((p) = (n) < (cap) ? (p) : mem_grow((p), &(cap), (n) + 1, sizeof *(p)), (n)++, \
	   (p) + (n)-1))

/* Called once when memory runs out, before exit(3); set by lib/cli. */
extern void (*mem_on_failure)(void);

#endif
