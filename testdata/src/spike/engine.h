/* SPDX-License-Identifier: MIT
 *
 * The allocator of an engine that is patched for LoliProfiler, for engine.c and its users.
 */
#ifndef TESTDATA_SPIKE_ENGINE_H
#define TESTDATA_SPIKE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

void *EngineMalloc(size_t n);
void EngineFree(void *p);
void *EngineRealloc(void *p, size_t n);

/* What LoliProfiler's agent looks for. */
void loli_set_allocandfree(void (*alloc)(void *, size_t), void (*to_free)(void *));
int get_stack_backtrace(void **entry, int max);
void set_loli_ignore_func(void (*f)(bool));

#endif
