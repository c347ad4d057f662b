/* SPDX-License-Identifier: MIT
 *
 * Functions that a recording leaves out: those whose name, or whose file:line, a regular expression (POSIX, extended)
 * finds. Knows nothing of Lua's headers.
 */
#ifndef TM_RECORDER_LUA_EXCLUDES_H
#define TM_RECORDER_LUA_EXCLUDES_H

#include <stdbool.h>
#include <stddef.h>

struct lua_excludes;

/* One more expression in *e, which is made where it is NULL. False: it is none, and why says so; or there is no
 * memory. */
bool excludes_add(struct lua_excludes **e, const char *pattern, char *why, size_t size);
/* line: where it begins; file may be NULL. */
bool excludes_have(const struct lua_excludes *e, const char *name, const char *file, int line);
void excludes_free(struct lua_excludes *e); /* accepts NULL */

#endif
