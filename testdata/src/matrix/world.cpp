// SPDX-License-Identifier: MIT
#include "world.h"

namespace world
{

List<Actor> actors;
volatile int frame;

namespace
{

INLINE int collide(Actor &a, const Actor &b)
{
	Vector d = {a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z};

	if (d.length() < 16) {
		a.hurt(b.health);
		return 1;
	}
	return 0;
}

} // namespace

NOINLINE int pairs(Actor *from)
{
	int hits = 0;

	for (Actor *p = from; p; p = p->next)
		hits += collide(*from, *p);
	return hits;
}

int step(int n)
{
	int hits = 0;

	for (Actor *p = actors.first; p; p = p->next) {
		tick(*p);
		hits += pairs(p);
	}
	return hits + actors.count() + n;
}

// Never called: --gc-sections drops it and leaves its DWARF behind.
int unused(int n)
{
	return pairs(actors.first) + n;
}

} // namespace world
