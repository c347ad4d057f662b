/* SPDX-License-Identifier: MIT
 *
 * See assets.h. The order of the functions matters: what follows require() and fail_load() is
 * what a symbolizer names that looks up the return address itself.
 */
#include "assets.h"
#include <stdio.h>

namespace eng
{

[[noreturn]] static NOINLINE void raise_missing(int id, const char *what)
{
	char text[64];
	snprintf(text, sizeof(text), "asset %d: %s", id, what);
	CALL(new_string(text));
	throw MissingAsset{id};
}

[[noreturn]] static NOINLINE void fail_load(int id)
{
	CALL_LAST(raise_missing(id, "not in the package"));
}

static NOINLINE Asset *read_asset(int id)
{
	Asset *asset = CALL(create<Asset>());
	asset->id = id;
	asset->size = static_cast<size_t>(id % 11 + 1) * 96;
	asset->bytes = CALL(g_pool.Malloc(asset->size));
	return asset;
}

static NOINLINE Asset *require(int id)
{
	if (id % 7 != 0)
		return CALL(read_asset(id));
	CALL_LAST(fail_load(id));
}

static NOINLINE int default_id(int id)
{
	return id + 1;
}

Asset *load_optional(int id)
{
	try {
		return CALL(require(id));
	} catch (const MissingAsset &missing) {
		return CALL(require(default_id(missing.id)));
	}
}

void unload(Asset *asset)
{
	g_pool.Free(asset->bytes);
	destroy(asset);
}

} // namespace eng
