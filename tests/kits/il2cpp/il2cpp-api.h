/* SPDX-License-Identifier: MIT
 *
 * A stub of what examples/il2cpp calls of libil2cpp's il2cpp-api.h, by names and parameters. No line of Unity's is here.
 */
#pragma once

#include <cstddef>
#include <cstdint>

struct Il2CppProfiler;
struct Il2CppClass {
	const char *space, *name;
};
struct Il2CppObject {
	Il2CppClass *of;
	unsigned size;
};
enum Il2CppGCEvent { IL2CPP_GC_EVENT_START };
enum Il2CppProfileFlags { IL2CPP_PROFILE_ALLOCATIONS = 1 << 7, IL2CPP_PROFILE_GC = 1 << 8 };

typedef void (*Il2CppProfileFunc)(Il2CppProfiler *);
typedef void (*Il2CppProfileAllocFunc)(Il2CppProfiler *, Il2CppObject *, Il2CppClass *);
typedef void (*Il2CppProfileGCFunc)(Il2CppProfiler *, Il2CppGCEvent, int);
typedef void (*Il2CppProfileGCResizeFunc)(Il2CppProfiler *, int64_t);

extern "C" {
void il2cpp_profiler_install(Il2CppProfiler *, Il2CppProfileFunc);
void il2cpp_profiler_install_allocation(Il2CppProfileAllocFunc);
void il2cpp_profiler_install_gc(Il2CppProfileGCFunc, Il2CppProfileGCResizeFunc);
void il2cpp_profiler_set_events(Il2CppProfileFlags);
const char *il2cpp_class_get_namespace(Il2CppClass *);
const char *il2cpp_class_get_name(Il2CppClass *);
uint32_t il2cpp_object_get_size(Il2CppObject *);
}
