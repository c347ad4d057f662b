/* SPDX-License-Identifier: MIT */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
