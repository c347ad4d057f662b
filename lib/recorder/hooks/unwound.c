/* SPDX-License-Identifier: MIT
 *
 * Hooks of longjmp and exceptions, which end calls without an exit, for the shadow stack. A static
 * program's longjmp and exceptions are not seen; see shadow.h for what is known then.
 */
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/wraps.h"

#include <stdlib.h>

#ifndef CAP_WRAP
typedef void (*jump)(void *env, int value);

static _Noreturn void go(jump to, void *env, int value)
{
	if (!to)
		abort();
	cap_shadow_jump();
	cap_self.outer.open = false; /* a new_handler may leave its operator so */
	to(env, value);
	__builtin_unreachable();
}

/* glibc's names; with _FORTIFY_SOURCE a program calls the last one. */
CAP_HOOK(void, longjmp, (void *env, int value))
{
	go(CAP_NEXT(longjmp), env, value);
}

CAP_HOOK(void, _longjmp, (void *env, int value))
{
	go(CAP_NEXT(_longjmp), env, value);
}

CAP_HOOK(void, siglongjmp, (void *env, int value))
{
	go(CAP_NEXT(siglongjmp), env, value);
}

CAP_HOOK(void, __longjmp_chk, (void *env, int value))
{
	go(CAP_NEXT(__longjmp_chk), env, value);
}

typedef void *(*begin_catch)(void *exception);

CAP_HOOK(void *, __cxa_begin_catch, (void *exception))
{
	begin_catch f = (begin_catch)CAP_NEXT_LATE(__cxa_begin_catch);

	if (!f)
		abort();
	cap_shadow_caught((uintptr_t)__builtin_dwarf_cfa());
	cap_wrap_hide();
	return f(exception);
}

#ifdef CAP_CAN_WRAP
/* From here to the catch the unwinder walks the stack. A program that has libgcc linked in has its own. */
typedef int (*begin_unwind)(void *exception);

CAP_EXPORT(int, _Unwind_RaiseException, (void *exception))
{
	begin_unwind f = (begin_unwind)CAP_NEXT_LATE(_Unwind_RaiseException);

	if (!f)
		abort();
	cap_wrap_show();
	return f(exception);
}

CAP_EXPORT(int, _Unwind_Resume_or_Rethrow, (void *exception))
{
	begin_unwind f = (begin_unwind)CAP_NEXT_LATE(_Unwind_Resume_or_Rethrow);

	if (!f)
		abort();
	cap_wrap_show();
	return f(exception);
}
#endif
#endif
