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
/* All of these bytes, of a mapped file perhaps, are read soon: one call instead of a fault for each
 * few pages. */
void pages_read_soon(const void *p, size_t bytes);

#endif
