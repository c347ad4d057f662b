// SPDX-License-Identifier: MIT
// Types shared by two units: types that dwz moves into partial units and -fdebug-types-section into
// type units, a template and an inline function that both get a copy of.
#pragma once

#define NOINLINE __attribute__((noinline))
#define INLINE   inline __attribute__((always_inline))

namespace world
{

struct Vector {
	int x, y, z;
	INLINE int length() const
	{
		return x * x + y * y + z * z;
	}
};

struct Actor {
	Vector at, speed;
	Actor *next;
	int health;
	INLINE void hurt(int by)
	{
		if (by > health)
			health = 0;
		else
			health -= by;
	}
};

template <typename T> struct List {
	T *first;
	NOINLINE int count() const
	{
		int n = 0;

		for (T *p = first; p; p = p->next)
			n += p->at.length() > 0;
		return n;
	}
};

extern List<Actor> actors;
extern volatile int frame;

// A COMDAT in both units.
inline NOINLINE void tick(Actor &a)
{
	a.at.x += a.speed.x * frame;
	a.at.y += a.speed.y * frame;
	if (a.at.length() > 1000)
		a.hurt(frame);
}

int pairs(Actor *from);
int step(int n);

} // namespace world
