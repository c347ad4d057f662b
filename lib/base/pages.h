/* SPDX-License-Identifier: MIT
 *
 * Words to the system about memory that is used soon. Nothing depends on whether it listens.
 */
#ifndef TM_BASE_PAGES_H
#define TM_BASE_PAGES_H

#include <stddef.h>

/* All of these bytes, fresh from the functions of mem.h, are written soon: the system may give large
 * pages, of which it clears and maps few. For mebibytes. */
void pages_fill_soon(void *p, size_t bytes);
/* Memory that will all be written, to be freed by free(): in large pages, if it is large. */
void *pages_alloc(size_t bytes) __attribute__((malloc, returns_nonnull));
/* The same for n elements of the given size; an overflowing product is out of memory. */
void *pages_array(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
/* All of these bytes, of a mapped file perhaps, are read soon: one call instead of a fault for each
 * few pages. */
void pages_read_soon(const void *p, size_t bytes);

#endif
