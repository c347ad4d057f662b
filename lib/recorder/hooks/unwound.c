/* SPDX-License-Identifier: MIT
 *
 * Hooks of longjmp and exceptions, which end calls without an exit, for the shadow stack. A static
 * program's longjmp and exceptions are not seen; see shadow.h for what is known then.
 */
#include "lib/recorder/hooks/preload.h"

#include <dlfcn.h>
#include <stdlib.h>

#ifndef CAP_WRAP
typedef void (*jump)(void *env, int value);

static _Noreturn void go(_Atomic jump *next, const char *name, void *env, int value)
{
	jump to = atomic_load_explicit(next, memory_order_relaxed);

	if (!to) {
		*(void **)&to = cap_next(name);
		atomic_store_explicit(next, to, memory_order_relaxed);
	}
	if (!to)
		abort();
	cap_shadow_jump();
	to(env, value);
	__builtin_unreachable();
}

/* glibc's names; with _FORTIFY_SOURCE a program calls the last one. */
CAP_HOOK(void, longjmp, (void *env, int value))
{
	static _Atomic jump next;

	go(&next, "longjmp", env, value);
}

CAP_HOOK(void, _longjmp, (void *env, int value))
{
	static _Atomic jump next;

	go(&next, "_longjmp", env, value);
}

CAP_HOOK(void, siglongjmp, (void *env, int value))
{
	static _Atomic jump next;

	go(&next, "siglongjmp", env, value);
}

CAP_HOOK(void, __longjmp_chk, (void *env, int value))
{
	static _Atomic jump next;

	go(&next, "__longjmp_chk", env, value);
}

typedef void *(*begin_catch)(void *exception);

/* The C++ library may have been loaded by dlopen, outside of the global names. */
static begin_catch unwound_find_begin_catch(void)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1",
						"libc++_shared.so"};
	const char *name = "__cxa_begin_catch";
	unsigned depth = cap_self.depth;
	void *p = cap_next(name), *library;
	begin_catch f;

	cap_self.depth = depth | CAP_QUIET;
	for (unsigned i = 0; !p && i < sizeof libraries / sizeof *libraries; i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (!library)
			continue;
		p = dlsym(library, name);
		dlclose(library);
	}
	cap_self.depth = depth;
	*(void **)&f = p;
	return f;
}

CAP_HOOK(void *, __cxa_begin_catch, (void *exception))
{
	static _Atomic begin_catch next;
	begin_catch f = atomic_load_explicit(&next, memory_order_relaxed);

	if (!f) {
		f = unwound_find_begin_catch();
		if (!f)
			abort();
		atomic_store_explicit(&next, f, memory_order_relaxed);
	}
	cap_shadow_caught((uintptr_t)__builtin_dwarf_cfa());
	return f(exception);
}
#endif
