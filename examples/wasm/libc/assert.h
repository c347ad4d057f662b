/* SPDX-License-Identifier: MIT */
#define assert(x)     ((void)0)
#define static_assert _Static_assert
