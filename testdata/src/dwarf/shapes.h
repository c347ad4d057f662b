// SPDX-License-Identifier: MIT
// Code that several units get a copy of: templates and inline functions, nested three deep.
#pragma once

#define NOINLINE __attribute__((noinline))
#define INLINE   inline __attribute__((always_inline))

extern volatile int sink;

namespace shapes
{

template <typename T> struct Box {
	T value;
	Box(T v) : value(v)
	{
	}
	~Box();
	INLINE T doubled() const
	{
		return value + value;
	}
	NOINLINE T halved() const
	{
		sink = sink + 1;
		return value / 2;
	}
};

template <typename T> NOINLINE Box<T>::~Box()
{
	sink = sink - 1;
}

INLINE int innermost(int x)
{
	sink = x;
	return sink * 3;
}

INLINE int middle(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += innermost(i + x);
	return sum;
}

// A COMDAT in every unit that calls it.
inline NOINLINE int outer(int x)
{
	return middle(x) + middle(x + 1);
}

int other_unit(int x);
int in_c(int x);
[[noreturn]] void give_up(int x);

} // namespace shapes

extern "C" int plain_c(int x);
