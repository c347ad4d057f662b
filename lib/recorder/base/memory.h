/* SPDX-License-Identifier: MIT
 *
 * Memory for the runtime itself: whole mappings of zeroes, of which only what is touched costs
 * anything. NULL if none.
 */
#ifndef TM_RECORDER_BASE_MEMORY_H
#define TM_RECORDER_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *cap_map(size_t size);
/* The first size bytes of a file, shared with its other users. */
void *cap_map_file(int fd, size_t size);
/* size bytes of a file from at on, the start of a page, to be read. */
void *cap_map_read(int fd, uint64_t at, size_t size);
void cap_unmap(void *p, size_t size);
/* What the kernel says of 8 bytes there: EFAULT if they cannot be read, else EINVAL; another number
 * where a filter of system calls does not let us ask. */
int cap_probe(uintptr_t at);

#endif
