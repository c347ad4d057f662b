/* SPDX-License-Identifier: MIT
 *
 * The engine's own templates over the pool: create and destroy, a growing array. Written in
 * many small functions, as such code is: at -O2 four of them become one.
 */
#ifndef DEMO_ARRAY_H
#define DEMO_ARRAY_H

#include "pool.h"
#include <new>

namespace eng
{

template <class T, class... Args> inline T *create(Args... args)
{
	void *memory = CALL(g_pool.Malloc(sizeof(T)));
	return CALL(new (memory) T(args...));
}

template <class T> inline void destroy(T *object)
{
	object->~T();
	g_pool.Free(object);
}

template <class T> class Array
{
      public:
	Array() = default;
	Array(const Array &) = delete;
	Array &operator=(const Array &) = delete;
	~Array()
	{
		g_pool.Free(data_);
	}

	ALWAYS_INLINE void push(const T &value)
	{
		CALL(make_room(1));
		data_[size_++] = value;
	}

	template <class F> void each(F visit)
	{
		for (size_t i = 0; i < size_; i++)
			CALL(visit(data_[i]));
	}

	void remove_swap(size_t i)
	{
		data_[i] = data_[--size_];
	}

	T &operator[](size_t i)
	{
		return data_[i];
	}

	size_t size() const
	{
		return size_;
	}

      private:
	ALWAYS_INLINE void make_room(size_t more)
	{
		if (size_ + more > capacity_)
			CALL(grow(size_ + more));
	}

	inline void grow(size_t wanted)
	{
		size_t capacity = capacity_ ? capacity_ : 4;
		while (capacity < wanted)
			capacity *= 2;
		CALL(reallocate(capacity));
	}

	inline void reallocate(size_t capacity)
	{
		data_ = static_cast<T *>(CALL(g_pool.Realloc(data_, capacity * sizeof(T))));
		capacity_ = capacity;
	}

	T *data_ = nullptr;
	size_t size_ = 0;
	size_t capacity_ = 0;
};

} // namespace eng

#endif
