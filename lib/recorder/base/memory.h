/* SPDX-License-Identifier: MIT
 *
 * Memory for the runtime itself: whole mappings of zeroes, of which only what is touched costs
 * anything. NULL if none.
 */
#ifndef TM_RECORDER_BASE_MEMORY_H
#define TM_RECORDER_BASE_MEMORY_H

#include <stddef.h>

void *cap_map(size_t size);
/* The first size bytes of a file, shared with its other users. */
void *cap_map_file(int fd, size_t size);
void cap_unmap(void *p, size_t size);

#endif
