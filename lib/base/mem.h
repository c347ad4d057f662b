/* SPDX-License-Identifier: MIT
 *
 * Memory allocation. Memory that runs out ends the program: one line on stderr, exit status 3
 * (mem_on_failure); in libtracemill and tm-view it ends the call (resource_scope.h). So nothing here returns NULL and no
 * caller checks. What makes that safe is the other half of the rule: a size that comes from input
 * is bounded by the bytes that are really there before it reaches these functions.
 *
 * Things that are parsed live in an arena (arena.h) and die with it; a growing array is a
 * (pointer, count, capacity) triple grown by mem_grow; an owner of system resources has
 * init/release (caller's storage) or new/free (heap), and release accepts a zeroed struct.
 */
#ifndef TM_BASE_MEM_H
#define TM_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size) __attribute__((__malloc__, returns_nonnull));
void *mem_zalloc(size_t size) __attribute__((__malloc__, returns_nonnull));
/* n elements of the given size; an overflowing product is out of memory. */
void *mem_array(size_t n, size_t size) __attribute__((__malloc__, returns_nonnull));
void *mem_zarray(size_t n, size_t size) __attribute__((__malloc__, returns_nonnull));
void *mem_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *s) __attribute__((__malloc__, returns_nonnull));
char *mem_strndup(const char *s, size_t n) __attribute__((__malloc__, returns_nonnull));
/* The end of the program when memory ran out in a library that reports it. */
_Noreturn void mem_exhausted(void);

/* Growing arrays. An element is named by its index: a pointer into one holds until the array may
 * grow, which any function that adds to it does. C leaves open which operand comes first, so
 *
 *	id = names_place(names, &place);    and not    names->locations[names_place(names, &place)]
 *	first = names->locations[id].first;
 *
 * and the right side of a VEC_PUSH neither reads the array's count nor adds to the array.
 * In builds with the address sanitizer an array moves with each of its first 64 pushes and some 50
 * times in each doubling after, whatever its capacity: a test that uses a stale pointer fails. */
#if defined(__SANITIZE_ADDRESS__)
#define MEM_MOVES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEM_MOVES 1
#endif
#endif
#ifndef MEM_MOVES
#define MEM_MOVES 0
#endif

/* Returns p with room for at least need elements. *cap doubles up to a mebibyte, then grows by a
 * quarter: the C library moves pages of such blocks and copies nothing, and with ten million rows
 * twice as much as is needed is what a small machine has not. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);
/* The same where p is all zeros up to *cap, as is what it returns. */
void *mem_grow_zero(void *p, size_t *cap, size_t need, size_t size);

/* The same for an array whose first n elements are all that counts: room for one more. */
void *mem_push(void *p, size_t *cap, size_t n, size_t size);

/* Appends one element: VEC_PUSH(v->items, v->n, v->cap) = (struct item){...}; */
#define VEC_PUSH(p, n, cap)                                                                        \
	(*((p) = (n) < (cap) && !MEM_MOVES ? (p) : mem_push((p), &(cap), (n), sizeof *(p)), (n)++, \
	   (p) + (n)-1))

/* p + n, the address of an element or of the end, of an array that may be empty and so NULL still: in C, NULL + 0
 * is undefined. */
#define VEC_AT(p, n) ((n) ? (p) + (n) : (p))

/* Called once when memory runs out, before exit(3); set by lib/cli. */
extern void (*mem_on_failure)(void);

#endif
