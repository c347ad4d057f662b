/* SPDX-License-Identifier: MIT
 *
 * A file that loses bytes after it was looked up in (lib/symbolize/lookup.h).
 */
#include "lib/symbolize/lookup.h"
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

#include <unistd.h>

enum { LARGE = 1 << 20 }; /* of a section: so that it is mapped, not read */

static bool write_binary(int fd)
{
	struct dwarf_bytes d = {.big = false};
	bool ok;

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, UNIT_NOTHING);
	text(&d, "/comp");
	function(&d, PLAIN, "f", TEXT, 0x10);
	u8(&d, 0);
	end_unit(&d);
	put(&d, &d.in[STR], 0, LARGE);
	make_file(&d);
	ok = write(fd, d.file.data, d.file.len) == (ssize_t)d.file.len;
	release(&d);
	return ok;
}

/* Whether answers are views or copies. */
static void shorten(const char *path, int fd, bool views)
{
	struct lookup_options o = {
	    .dwarf = {.jobs = 1, .seconds = 60}, .cache = {.off = true}, .views = views};
	struct lookup_query q = {.addr = TEXT};
	struct object_section s;
	struct err e = ERR_INIT;
	struct lookup l;

	lookup_init(&l, &o);
	q.file = lookup_file(&l, path, strlen(path));
	if (CHECK(q.file->object)) {
		CHECK_EQ(lookup_run(&l, &q, 1, &e), ST_OK);
		CHECK_EQ(l.viewing, views);
		CHECK(q.named.call);
		CHECK_EQ(object_section(q.file->object, ".debug_str", &s, &e), ST_OK);
		CHECK_EQ(lookup_intact(&l, &e), ST_OK);
		CHECK_EQ(ftruncate(fd, 4096), 0);
		CHECK_EQ(((const volatile uint8_t *)s.data)[LARGE / 2], 0);
		CHECK_EQ(lookup_intact(&l, &e), ST_BAD);
		CHECK(strstr(e.msg, "has become shorter"));
	}
	lookup_release(&l);
}

TEST(a_file_that_shrinks_behind_its_answers)
{
	for (int views = 0; views < 2; views++) {
		char path[] = "/tmp/lookup_intact.XXXXXX";
		int fd = mkstemp(path);

		if (CHECK(fd >= 0) && CHECK(write_binary(fd)))
			shorten(path, fd, views);
		close(fd);
		unlink(path);
	}
}

TEST_MAIN()
