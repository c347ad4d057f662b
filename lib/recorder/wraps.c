/* SPDX-License-Identifier: MIT */
#include "lib/recorder/wraps.h"

#include <stddef.h>

/* Farther away a call is on another stack, which may not be there any more. */
enum { NEAR = 8 << 20 };

struct cap_wrap *cap_wraps;
uint8_t *cap_wrap_thunks;
__thread uint32_t cap_wrap_top __attribute__((tls_model("initial-exec")));

static bool is_near(const struct cap_wrap *w)
{
	return w->slot && (uintptr_t)w->slot - (uintptr_t)__builtin_frame_address(0) < NEAR;
}

void cap_wrap_show_all(void)
{
	for (uint32_t i = cap_wrap_top; i; i = cap_wraps[i].under) {
		struct cap_wrap *w = &cap_wraps[i];

		if (!is_near(w) || *w->slot != cap_wrap_thunk(i))
			continue;
		*w->slot = w->real;
		w->shown = true;
	}
}

void cap_wrap_hide_all(void)
{
	for (uint32_t i = cap_wrap_top; i; i = cap_wraps[i].under) {
		struct cap_wrap *w = &cap_wraps[i];

		if (!w->shown)
			continue;
		w->shown = false;
		if (is_near(w) && *w->slot == w->real)
			*w->slot = cap_wrap_thunk(i);
	}
}
