/* SPDX-License-Identifier: MIT
 *
 * Asset loading, with the two functions that end in a call that does not return.
 */
#ifndef DEMO_ASSETS_H
#define DEMO_ASSETS_H

#include "array.h"
#include "gc.h"

namespace eng
{

struct Asset {
	int id;
	size_t size;
	void *bytes;
};

struct MissingAsset {
	int id;
};

/* Asset ids divisible by 7 do not exist. */
NOINLINE Asset *load_optional(int id);
void unload(Asset *asset);

} // namespace eng

#endif
