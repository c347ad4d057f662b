/* SPDX-License-Identifier: MIT
 *
 * See pool.h.
 */
#include "pool.h"
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define HOOK_STUB __attribute__((noinline, optnone))
#else
#define HOOK_STUB __attribute__((noinline))
#endif

extern "C" {
__thread SiteStack site_stack;

static HOOK_STUB void loli_alloc(void *ptr, size_t size)
{
	(void)ptr;
	(void)size;
}

static HOOK_STUB void loli_free(void *ptr)
{
	(void)ptr;
}

void (*loli_alloc_ptr)(void *, size_t) = &loli_alloc;
void (*loli_free_ptr)(void *) = &loli_free;

__attribute__((visibility("default"))) HOOK_STUB void loli_set_allocandfree(
    void (*alloc_ptr)(void *, size_t), void (*free_ptr)(void *))
{
	loli_alloc_ptr = alloc_ptr;
	loli_free_ptr = free_ptr;
}
}

namespace eng
{

BinnedPool g_pool;

static const size_t kChunk = 65536;

/* 16-byte steps to 128, then four bins per power of two to 2048. */
inline size_t BinnedPool::binOf(size_t size, size_t *block_size)
{
	if (size <= 128) {
		size_t bin = size == 0 ? 0 : (size - 1) / 16;
		*block_size = (bin + 1) * 16;
		return bin;
	}
	size_t base = 128;
	size_t bin = 8;
	while (size > base * 2) {
		base *= 2;
		bin += 4;
	}
	size_t step = base / 4;
	size_t nth = (size - base - 1) / step;
	*block_size = base + (nth + 1) * step;
	return bin + nth;
}

inline void *BinnedPool::mallocInline(size_t size)
{
	size_t block_size;
	size_t bin = binOf(size, &block_size);
	Block *block;

	if (bin >= BIN_COUNT) {
		block = static_cast<Block *>(malloc(sizeof(Block) + block_size));
		if (!block)
			abort();
		block->size = block_size;
		return block + 1;
	}
	pthread_mutex_lock(&lock_);
	if (!free_[bin]) {
		size_t stride = sizeof(Block) + block_size;
		char *chunk = static_cast<char *>(malloc(kChunk));
		if (!chunk)
			abort();
		for (size_t at = 0; at + stride <= kChunk; at += stride) {
			Block *fresh = reinterpret_cast<Block *>(chunk + at);
			fresh->size = block_size;
			fresh->next = free_[bin];
			free_[bin] = fresh;
		}
	}
	block = free_[bin];
	free_[bin] = block->next;
	pthread_mutex_unlock(&lock_);
	return block + 1;
}

inline void BinnedPool::freeInline(void *ptr)
{
	Block *block = static_cast<Block *>(ptr) - 1;
	size_t block_size;
	size_t bin = binOf(block->size, &block_size);

	if (bin >= BIN_COUNT) {
		free(block);
		return;
	}
	pthread_mutex_lock(&lock_);
	block->next = free_[bin];
	free_[bin] = block;
	pthread_mutex_unlock(&lock_);
}

void *BinnedPool::Malloc(size_t size)
{
	void *ptr = mallocInline(size);
	CALL(loli_alloc_ptr(ptr, size));
	return ptr;
}

void *BinnedPool::Realloc(void *ptr, size_t size)
{
	void *fresh;

	if (ptr)
		loli_free_ptr(ptr);
	fresh = mallocInline(size);
	if (ptr) {
		size_t keep = BlockSize(ptr);
		memcpy(fresh, ptr, keep < size ? keep : size);
		freeInline(ptr);
	}
	CALL(loli_alloc_ptr(fresh, size));
	return fresh;
}

void BinnedPool::Free(void *ptr)
{
	if (!ptr)
		return;
	loli_free_ptr(ptr);
	freeInline(ptr);
}

size_t BinnedPool::BlockSize(const void *ptr)
{
	return (static_cast<const Block *>(ptr) - 1)->size;
}

} // namespace eng
