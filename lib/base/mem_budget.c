/* SPDX-License-Identifier: MIT */
#include "lib/base/mem_budget.h"

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/resource_scope.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* In front of each block. */
union head {
	uint64_t size; /* of the block, for the allowance */
	max_align_t align;
};

static pthread_once_t measured = PTHREAD_ONCE_INIT;
static uint64_t usual;
static _Atomic uint64_t held, other;

static void mem_budget_measure(void)
{
	usual = machine_memory() / 2;
	if (usual < MEM_BUDGET_LEAST)
		usual = MEM_BUDGET_LEAST;
}

uint64_t mem_budget_limit(void)
{
	uint64_t set = atomic_load(&other);

	if (set)
		return set;
	pthread_once(&measured, mem_budget_measure);
	return usual;
}

uint64_t mem_budget_left(void)
{
	uint64_t limit = mem_budget_limit(), now = atomic_load(&held);

	return now < limit ? limit - now : 0;
}

void mem_budget_set(uint64_t limit)
{
	atomic_store(&other, limit);
}

static void mem_budget_free_block(void *p)
{
	union head *old = p;

	atomic_fetch_sub(&held, old->size);
	free(old);
}

void *mem_budget_grow(void *p, uint64_t n)
{
	union head *old = p ? (union head *)p - 1 : NULL, *made;
	uintptr_t was = (uintptr_t)old;
	uint64_t had = old ? old->size : 0, more = n > had ? n - had : 0;

	if (n > PTRDIFF_MAX - sizeof *made)
		return NULL;
	if (more && atomic_fetch_add(&held, more) + more > mem_budget_limit()) {
		atomic_fetch_sub(&held, more);
		return NULL;
	}
	made = old ? realloc(old, (size_t)n + sizeof *made) : pages_try((size_t)n + sizeof *made);
	if (!made) {
		atomic_fetch_sub(&held, more);
		mem_exhausted();
	}
	if (was)
		resource_scope_forget((void *)was);
	made->size = n;
	if (n < had)
		atomic_fetch_sub(&held, had - n);
	resource_scope_hold(made, mem_budget_free_block);
	return made + 1;
}

uint64_t mem_budget_size(const void *p)
{
	return p ? ((const union head *)p)[-1].size : 0;
}

void mem_budget_free(void *p)
{
	union head *old = p ? (union head *)p - 1 : NULL;

	if (!old)
		return;
	resource_scope_forget(old);
	mem_budget_free_block(old);
}
