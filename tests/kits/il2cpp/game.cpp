/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the runtime: 7 objects of Game.Shot of 32 bytes, 2 of Tile of 4096, and a heap that grows to 9 MiB.
 */
#include <il2cpp-api.h>
#include <tracemill_il2cpp.h>

static Il2CppProfileAllocFunc on_object;
static Il2CppProfileGCResizeFunc on_resize;
static int events;

extern "C" {
void il2cpp_profiler_install(Il2CppProfiler *, Il2CppProfileFunc)
{
}
void il2cpp_profiler_install_allocation(Il2CppProfileAllocFunc f)
{
	on_object = f;
}
void il2cpp_profiler_install_gc(Il2CppProfileGCFunc, Il2CppProfileGCResizeFunc f)
{
	on_resize = f;
}
void il2cpp_profiler_set_events(Il2CppProfileFlags f)
{
	events = f;
}
const char *il2cpp_class_get_namespace(Il2CppClass *c)
{
	return c->space;
}
const char *il2cpp_class_get_name(Il2CppClass *c)
{
	return c->name;
}
uint32_t il2cpp_object_get_size(Il2CppObject *o)
{
	return o->size;
}
}

static void __attribute__((noinline)) make(Il2CppClass *of, unsigned size, int n)
{
	for (int i = 0; i < n; i++) {
		Il2CppObject o = {of, size};

		if (events & IL2CPP_PROFILE_ALLOCATIONS)
			on_object(nullptr, &o, of);
	}
}

int main()
{
	static Il2CppClass shot = {"Game", "Shot"}, tile = {"", "Tile"};

	tracemill_il2cpp_start();
	make(&shot, 32, 7);
	make(&tile, 4096, 2);
	if (on_resize)
		on_resize(nullptr, 9 << 20);
	return 0;
}
