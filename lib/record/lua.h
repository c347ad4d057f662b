/* SPDX-License-Identifier: MIT
 *
 * The check whether a program is an interpreter of Lua, whose native stacks have the functions of the interpreter
 * and not those of the script; and the command that records the script.
 */
#ifndef TM_RECORD_LUA_H
#define TM_RECORD_LUA_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Whether the program's file is an interpreter of Lua 5.1 to 5.4 or LuaJIT, by its name. Then line is what a shell runs to
 * record the script with Lua's module (tracemill-lua(3)), which is looked for beside the capture library; or empty, where that
 * interpreter's module is not there. argv: as the program is started, by the interpreter's name or by the script's. */
bool lua_advice(struct buf *line, const char *program, const char *library, char *const *argv);

#endif
