/* SPDX-License-Identifier: MIT
 *
 * Objects of an IL2CPP game in the recording of tm-record, each with its type, its bytes and its native stack, which
 * tm-symbolize turns into functions and lines of C#; and the size of the managed heap.
 *
 * Include il2cpp-api.h of the Unity version before it. not compiled by the engine: it was compiled against stubs. README.md
 * says where it goes.
 */
#ifndef TRACEMILL_IL2CPP_H
#define TRACEMILL_IL2CPP_H

#include <stdio.h>
#include <tracemill.h>

static void tracemill_il2cpp_object(Il2CppProfiler *profiler, Il2CppObject *object, Il2CppClass *of)
{
	char type[128];
	const char *space = il2cpp_class_get_namespace(of);
	size_t n = il2cpp_object_get_size(object);

	(void)profiler;
	snprintf(type, sizeof type, "%s%s%s", space ? space : "", space && *space ? "." : "",
		 il2cpp_class_get_name(of));
	tracemill_typed_alloc(type, n, n);
}

static void tracemill_il2cpp_gc(Il2CppProfiler *profiler, Il2CppGCEvent event, int generation)
{
	(void)profiler, (void)event, (void)generation;
}

static void tracemill_il2cpp_resized(Il2CppProfiler *profiler, int64_t size)
{
	(void)profiler;
	tracemill_counter_unit("il2cpp.heap", "B", size);
}

static void tracemill_il2cpp_end(Il2CppProfiler *profiler)
{
	(void)profiler;
}

/* Once, when the runtime is there. Of what was allocated before nothing is known. */
static inline void tracemill_il2cpp_start(void)
{
	if (!tracemill_mark_typed_alloc)
		return; /* nothing records */
	il2cpp_profiler_install(0, tracemill_il2cpp_end);
	il2cpp_profiler_install_allocation(tracemill_il2cpp_object);
	il2cpp_profiler_install_gc(tracemill_il2cpp_gc, tracemill_il2cpp_resized);
	il2cpp_profiler_set_events(
	    (Il2CppProfileFlags)(IL2CPP_PROFILE_ALLOCATIONS | IL2CPP_PROFILE_GC));
}

#endif
