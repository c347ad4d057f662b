/* SPDX-License-Identifier: MIT
 *
 * Names by (library, address) (lib/export/captured.h): as captured, and by the library's base name.
 */
#include "lib/export/captured.h"

#include "tests/unit/test.h"

#include <string.h>

static bool is_there(const struct captured *c, const char *library, uint64_t address)
{
	const struct names_location *l;

	return captured_find(c, library, strlen(library), address, &l);
}

TEST(a_library_is_found_by_its_path_and_by_its_name)
{
	struct trace *t = trace_new();
	struct module m = {.name =
			       trace_strz(t, "/data/app/com.example.game/lib/arm64/libgame.so")};
	struct location l = {.raw = 0x10,
			     .module = trace_module(t, &m),
			     .space = SPACE_VADDR,
			     .kind = LOCATION_EXACT};
	struct err e = ERR_INIT;
	struct captured c;

	trace_location(t, &l);
	trace_set(t, "format", "loli");
	captured_init(&c, "loli");
	CHECK_EQ(c.sink.begin(&c.sink, t, &e), ST_OK);
	CHECK_EQ(c.sink.end(&c.sink, t, &e), ST_OK);
	CHECK(is_there(&c, "/data/app/com.example.game/lib/arm64/libgame.so", 0x10));
	CHECK(is_there(&c, "libgame.so", 0x10));
	CHECK(is_there(&c, "/elsewhere/libgame.so", 0x10)); /* the same file, somewhere else */
	CHECK(!is_there(&c, "libgame.so", 0x11));
	CHECK(!is_there(&c, "com.exampl", 0x10));
	captured_release(&c);
	trace_free(t);
}

TEST_MAIN()
