/* SPDX-License-Identifier: MIT
 *
 * lib/base: errors, memory, arena, buffers, UTF, numbers. See base_tables.c and base_cursor.c
 * for the rest.
 */
#include "lib/base/arena.h"
#include "tests/unit/test.h"

TEST(arena)
{
	struct arena a = ARENA_INIT;
	CHECK_STR(arena_strndup(&a, "abc", 2), "ab");
	arena_release(&a);
}

TEST_MAIN()
