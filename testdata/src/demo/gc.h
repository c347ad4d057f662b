/* SPDX-License-Identifier: MIT
 *
 * A managed heap in the manner of il2cpp: objects know their class, every allocation ends in one
 * function that reports requested and real bytes to the MemTracer hook. Nothing is traced here: an
 * object simply dies a fixed number of frames after its birth.
 */
#ifndef DEMO_GC_H
#define DEMO_GC_H

#include "pool.h"
#include <new>
#include <string.h>

extern "C" {
/* OnAllocEvent: class name, object, requested bytes, real bytes. */
extern void (*gc_alloc_event_ptr)(const char *, void *, size_t, size_t);
}

namespace eng
{

struct Klass {
	const char *name;
};

struct Object {
	const Klass *klass;
	Object *next_in_heap;
};

struct String : Object {
	int length;
	char text[];
};

template <class T> struct ManagedArray : Object {
	int length;
	T item[];
};

extern const Klass kStringKlass;

NOINLINE Object *gc_alloc(const Klass &klass, size_t size);
/* Called between frames, on the main thread, with no job running. */
void gc_end_frame();

inline String *new_string(const char *text)
{
	size_t length = strlen(text);
	Object *object = CALL(gc_alloc(kStringKlass, sizeof(String) + length + 1));
	String *string = static_cast<String *>(object);
	string->length = static_cast<int>(length);
	memcpy(string->text, text, length + 1);
	return string;
}

template <class T> inline ManagedArray<T> *new_array(const Klass &klass, int length)
{
	size_t size = sizeof(ManagedArray<T>) + sizeof(T) * static_cast<size_t>(length);
	Object *object = CALL(gc_alloc(klass, size));
	ManagedArray<T> *array = static_cast<ManagedArray<T> *>(object);
	array->length = length;
	return array;
}

/* C#'s List<T>: an object and its backing array, which grows by doubling. */
template <class T> struct List : Object {
	int count;
	int capacity;
	const Klass *array_klass;
	ManagedArray<T> *items;

	static ALWAYS_INLINE List *make(const Klass &klass, const Klass &array_klass)
	{
		List *list = static_cast<List *>(CALL(gc_alloc(klass, sizeof(List))));
		list->count = 0;
		list->capacity = 0;
		list->array_klass = &array_klass;
		list->items = nullptr;
		return list;
	}

	void set_capacity(int capacity_wanted)
	{
		ManagedArray<T> *fresh = CALL(new_array<T>(*array_klass, capacity_wanted));
		for (int i = 0; i < count; i++)
			fresh->item[i] = items->item[i];
		items = fresh;
		capacity = capacity_wanted;
	}

	ALWAYS_INLINE void ensure_capacity(int wanted)
	{
		if (wanted > capacity)
			CALL(set_capacity(capacity ? capacity * 2 : 4));
	}

	ALWAYS_INLINE void Add(const T &value)
	{
		CALL(ensure_capacity(count + 1));
		items->item[count++] = value;
	}
};

} // namespace eng

#endif
