/* SPDX-License-Identifier: MIT
 *
 * The engine's pool allocator: size bins over 64 KiB chunks, with the LoliProfiler hooks where
 * an engine patched for it has them (FMallocBinned: Malloc, Realloc, Free).
 */
#ifndef DEMO_POOL_H
#define DEMO_POOL_H

#include "site.h"
#include <pthread.h>
#include <stddef.h>

extern "C" {
extern void (*loli_alloc_ptr)(void *, size_t);
extern void (*loli_free_ptr)(void *);
void loli_set_allocandfree(void (*alloc_ptr)(void *, size_t), void (*free_ptr)(void *));
}

namespace eng
{

class BinnedPool
{
      public:
	NOINLINE void *Malloc(size_t size);
	NOINLINE void *Realloc(void *ptr, size_t size);
	NOINLINE void Free(void *ptr);
	/* What the block really occupies; bdwgc's GC_size(). */
	static size_t BlockSize(const void *ptr);

      private:
	struct Block {
		Block *next;
		size_t size;
	};
	enum { BIN_COUNT = 24 };

	static size_t binOf(size_t size, size_t *block_size);
	void *mallocInline(size_t size);
	void freeInline(void *ptr);

	pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
	Block *free_[BIN_COUNT] = {};
};

extern BinnedPool g_pool;

} // namespace eng

#endif
