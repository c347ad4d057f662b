/* SPDX-License-Identifier: MIT
 *
 * lib/names/paths.h: whole folders only, the first that fits, separators of both kinds.
 */
#include "lib/names/paths.h"

#include "tests/unit/test.h"

#include <string.h>

static bool maps(const struct paths *p, const char *from, const char *want)
{
	struct buf b = BUF_INIT;
	bool mapped = paths_map(p, from, strlen(from), &b);
	bool right = want ? mapped && !strcmp(buf_str(&b), want) : !mapped && !b.len;

	buf_release(&b);
	return right;
}

TEST(folders)
{
	struct paths *p = paths_new();
	struct err e = ERR_INIT;

	CHECK(!paths_add(p, "/build/a=/src", &e));
	CHECK(!paths_add(p, "/build=/other/", &e)); /* the separator at the end says nothing */
	CHECK(!paths_add(p, "C:\\w\\=D:\\v", &e));
	CHECK(!paths_add(p, "/gone=", &e));
	CHECK(paths_count(p) == 4);
	CHECK(maps(p, "/build/a/x.c", "/src/x.c"));
	CHECK(maps(p, "/build/a", "/src"));
	CHECK(maps(p, "/build/ab/x.c", "/other/ab/x.c")); /* no part of a name */
	CHECK(maps(p, "/builds/x.c", NULL));
	CHECK(maps(p, "C:\\w\\x.c", "D:\\v\\x.c"));
	CHECK(maps(p, "/gone/x/y.c", "x/y.c"));
	CHECK(maps(p, "", NULL));
	paths_free(p);
}

TEST(the_root)
{
	struct paths *p = paths_new();
	struct err e = ERR_INIT;

	CHECK(!paths_add(p, "/=src", &e));
	CHECK(maps(p, "/x/y.c", "src/x/y.c"));
	CHECK(maps(p, "x/y.c", NULL));
	paths_free(p);
}

TEST(no_maps)
{
	struct paths *p = paths_new();
	struct err e = ERR_INIT;

	CHECK(paths_add(p, "/a", &e) == ST_BAD);
	CHECK(paths_add(p, "=/a", &e) == ST_BAD);
	CHECK(paths_count(p) == 0 && paths_count(NULL) == 0);
	paths_free(p);
}

/* As a text: links are not known here, so what a .. takes away is the name before it, never another .. */
static bool tidies(const char *s, const char *want)
{
	struct buf b = BUF_INIT;
	bool is = paths_tidy(s, strlen(s), &b) ? want && !strcmp(buf_str(&b), want) : !want;

	buf_release(&b);
	return is;
}

TEST(tidy)
{
	CHECK(tidies("/b/static/../Objects/x.c", "/b/Objects/x.c"));
	CHECK(tidies("/b/./x.c", "/b/x.c"));
	CHECK(tidies("a/b/../../x.c", "x.c"));
	CHECK(tidies("../b/../x.c", "../x.c"));
	CHECK(tidies("../../a/../x.c", "../../x.c"));
	CHECK(tidies("/a/../../x.c", "/../x.c"));
	CHECK(tidies("./a/../x.c", "./x.c"));
	CHECK(tidies("/a/b/x.c", NULL));
	CHECK(tidies("..", NULL));
	CHECK(tidies("a/..", NULL));
	CHECK(tidies("/a/..b/x..c", NULL));
	CHECK(tidies("", NULL));
}

TEST_MAIN()
