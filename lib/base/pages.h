/* SPDX-License-Identifier: MIT
 *
 * The allocation of large memory. The system may give it large pages, of which it clears and maps few: nothing
 * depends on whether it does.
 */
#ifndef TM_BASE_PAGES_H
#define TM_BASE_PAGES_H

#include <stddef.h>

/* Memory that will all be written, to be freed by free(): in large pages, if it is large. */
void *pages_alloc(size_t bytes) __attribute__((__malloc__, returns_nonnull));
/* The same; NULL: there is no memory. */
void *pages_try(size_t bytes) __attribute__((__malloc__));
/* The same for n elements of the given size; an overflowing product is out of memory. */
void *pages_array(size_t n, size_t size) __attribute__((__malloc__, returns_nonnull));

#endif
