/* SPDX-License-Identifier: MIT
 *
 * The hooks that are called instead of the C library's functions. Each hook calls the next
 * definition of its function, which is the C library's or that of an allocator the program links.
 */
#ifndef TM_RECORDER_HOOKS_PRELOAD_H
#define TM_RECORDER_HOOKS_PRELOAD_H

#include "lib/recorder/capture.h"
#include "lib/recorder/hooks/next.h"

#define CAP_PUBLIC __attribute__((visibility("default")))
/* A hook has its function's name for the linker only: the compiler knows what malloc does, and that
 * is not what ours does. With CAP_WRAP it is what the linker's --wrap=NAME calls instead. */
#ifdef CAP_WRAP
#define CAP_SYMBOL(name) "__wrap_" name
#else
#define CAP_SYMBOL(name) name
#endif
#define CAP_HOOK(result, name, parameters)                                   \
	CAP_PUBLIC result hook_##name parameters __asm__(CAP_SYMBOL(#name)); \
	result hook_##name parameters

/* What a program may have under this name too: its own goes first. */
#define CAP_EXPORT(result, name, parameters)                                             \
	CAP_PUBLIC __attribute__((weak)) result export_##name parameters __asm__(#name); \
	result export_##name parameters

/* CAP_JUMP return f(x): what f sees as its caller is ours, as if we were not. GCC makes jumps of such calls by
 * -foptimize-sibling-calls; clang, where an address of a variable was taken before it, only if it is asked to.
 * The parameters of both functions are the same. */
#define CAP_JUMP
#if defined __has_attribute
#if __has_attribute(musttail)
#undef CAP_JUMP
#define CAP_JUMP __attribute__((musttail))
#endif
#endif

/* The functions behind the hooks are found; false: there are none. */
bool cap_malloc_ready(void);
/* What a process that is recorded needs besides, in one that is far enough; false: nothing is
 * recorded. */
bool cap_process_ready(void);
/* Reads the settings and starts, once the environment is there. */
void cap_preload_start(void);
size_t cap_usable(const void *p);
/* As __cyg_profile_func_enter and _exit, of a function whose return address lies at sp. */
void cap_call_enter(uintptr_t function, uintptr_t site, uintptr_t sp);
void cap_call_exit(uintptr_t function, uintptr_t site, uintptr_t sp);
/* Takes up with an engine that is patched for LoliProfiler, if one has been loaded since. */
void cap_engine_look(void);

#endif
