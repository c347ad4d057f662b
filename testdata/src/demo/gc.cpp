/* SPDX-License-Identifier: MIT
 *
 * See gc.h.
 */
#include "gc.h"

extern "C" {
static NOINLINE void gc_no_event(const char *, void *, size_t, size_t)
{
}
void (*gc_alloc_event_ptr)(const char *, void *, size_t, size_t) = &gc_no_event;
}

namespace eng
{

const Klass kStringKlass = {"String"};

enum { GENERATIONS = 8 };

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static Object *heap[GENERATIONS];
static int generation;

Object *gc_alloc(const Klass &klass, size_t size)
{
	void *memory = CALL(g_pool.Malloc(size));
	Object *object = static_cast<Object *>(memory);
	object->klass = &klass;
	CALL(gc_alloc_event_ptr(klass.name, object, size, BinnedPool::BlockSize(memory)));
	pthread_mutex_lock(&heap_lock);
	object->next_in_heap = heap[generation];
	heap[generation] = object;
	pthread_mutex_unlock(&heap_lock);
	return object;
}

void gc_end_frame()
{
	generation = (generation + 1) % GENERATIONS;
	Object *object = heap[generation];
	heap[generation] = nullptr;
	while (object) {
		Object *next = object->next_in_heap;
		g_pool.Free(object);
		object = next;
	}
}

} // namespace eng
