/* SPDX-License-Identifier: MIT */
#include <stddef.h>

void *malloc(size_t n);
void *calloc(size_t n, size_t each);
void *realloc(void *p, size_t n);
void free(void *p);
