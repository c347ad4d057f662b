/* SPDX-License-Identifier: MIT
 *
 * Declarations that clang-tidy reads before every file but those that define these functions. The
 * analyzer sees one file at a time and would follow paths on which a function that sets an error
 * gives ST_OK.
 */
#include "lib/base/cursor.h"
#include "lib/base/err.h"

#define err_set(e, code, ...)     ((void)err_set((e), (code), __VA_ARGS__), (code))
#define err_at(e, code, ...)      ((void)err_at((e), (code), __VA_ARGS__), (code))
#define err_sys(e, ...)           ((void)err_sys((e), __VA_ARGS__), ST_SYS)
#define cursor_fail(c, code, ...) ((void)cursor_fail((c), (code), __VA_ARGS__), (code))
