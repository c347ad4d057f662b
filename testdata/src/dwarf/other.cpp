// SPDX-License-Identifier: MIT
#include "shapes.h"

#include <cstdlib>

namespace shapes
{

int other_unit(int x)
{
	Box<int> b(x);

	return outer(x) + b.halved() + b.doubled();
}

void give_up(int x)
{
	sink = x;
	abort();
}

NOINLINE static int unused_static(int x)
{
	return middle(x);
}

// Never called: --gc-sections drops it and leaves its DWARF behind.
int unused(int x)
{
	return unused_static(x) + outer(x);
}

} // namespace shapes
