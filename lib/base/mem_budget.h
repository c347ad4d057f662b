/* SPDX-License-Identifier: MIT
 *
 * The process-wide allowance of memory for the contents of binaries: sections that were unpacked or
 * copied, of all files and in all threads. A few bytes of a compressed section can be a thousand
 * times as many (zlib) or thirty thousand times (zstd), and a file can have as many sections as it
 * likes, so no limit of one section, and no limit in relation to the file's size, bounds what a
 * process takes.
 *
 * The allowance is half of the memory that the process may have (machine.h), and at least
 * MEM_BUDGET_LEAST. Mapped pieces of files (lib/object/map.h) do not count: they cost none.
 */
#ifndef TM_BASE_MEM_BUDGET_H
#define TM_BASE_MEM_BUDGET_H

#include <stdint.h>

#define MEM_BUDGET_LEAST (UINT64_C(256) << 20)

/* p (or NULL: a new one) with n bytes, which count until mem_budget_free. NULL: the
 * allowance has no more; p stays what it was. (When the system has none, the program ends: mem.h.)
 * Any thread. */
void *mem_budget_grow(void *p, uint64_t n);
void mem_budget_free(void *p); /* accepts NULL */

uint64_t mem_budget_size(const void *p); /* of it; 0: NULL */

/* Bytes in all, and those that are free now. */
uint64_t mem_budget_limit(void);
uint64_t mem_budget_left(void);
/* For tests: another limit; 0: as it was. */
void mem_budget_set(uint64_t limit);

#endif
