// SPDX-License-Identifier: MIT
// The program of the container matrix: freestanding, so that any target of a compiler can be built
// without its libraries. Never run.
#include "world.h"

namespace
{

world::Actor all[4];

} // namespace

NOINLINE void spawn(int n)
{
	for (int i = 0; i < n && i < 4; i++) {
		world::Actor &a = all[i];

		a.health = 10 * i;
		a.speed.x = i;
		world::tick(a);
		a.next = world::actors.first;
		world::actors.first = &a;
	}
}

// Two functions of the same code: --icf folds them.
NOINLINE int twin_a(int n)
{
	return world::step(n) * 3 + world::frame;
}

NOINLINE int twin_b(int n)
{
	return world::step(n) * 3 + world::frame;
}

extern "C" int game_main(int n)
{
	spawn(n);
	return twin_a(n) + twin_b(n + 1) + world::actors.count();
}

extern "C" void _start(void)
{
	world::frame = game_main(world::frame);
	for (;;)
		;
}
