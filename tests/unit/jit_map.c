/* SPDX-License-Identifier: MIT
 *
 * Maps of JIT code (lib/managed/jit_map.h).
 */
#include "lib/managed/jit_map.h"

#include "tests/unit/test.h"

static enum status parse(struct jit_map *m, const char *text, struct err *e)
{
	struct cursor in;

	*m = (struct jit_map){.n = 0};
	cursor_init(&in, text, strlen(text), 0, e);
	return jit_map_read(m, &in, e);
}

TEST(lines)
{
	struct err e = ERR_INIT;
	struct jit_map m;

	CHECK_EQ(parse(&m, "1000 20 Game:Main ()\n0x2000 0x8 b\nrubbish\n3000 0 empty\n", &e),
		 ST_OK);
	CHECK_STR(jit_map_at(&m, 0x1000), "Game:Main ()");
	CHECK_STR(jit_map_at(&m, 0x101f), "Game:Main ()");
	CHECK(!jit_map_at(&m, 0x1020));
	CHECK(!jit_map_at(&m, 0xfff));
	CHECK_STR(jit_map_at(&m, 0x2007), "b");
	CHECK(!jit_map_at(&m, 0x3000));
	CHECK_EQ(m.lines, 3);
	CHECK_EQ(m.odd, 1);
	jit_map_release(&m);
	CHECK_EQ(parse(&m, "rubbish\n", &e), ST_BAD);
	jit_map_release(&m);
	CHECK_EQ(parse(&m, "ffffffffffffffff 2 over\n", &e), ST_BAD);
	jit_map_release(&m);
}

/* Against the definition: the last line that holds the address. */
TEST(overlaps)
{
	enum { LINES = 40, WIDTH = 64 };
	unsigned state = 1;

	for (int round = 0; round < 200; round++) {
		unsigned lo[LINES], size[LINES];
		char text[LINES * 32] = "", *p = text;
		struct err e = ERR_INIT;
		struct jit_map m;

		for (int i = 0; i < LINES; i++) {
			state = state * 1103515245 + 12345;
			lo[i] = state >> 8 & (WIDTH - 1);
			size[i] = state >> 16 & 15;
			p += sprintf(p, "%x %x f%d\n", lo[i], size[i], i);
		}
		CHECK_EQ(parse(&m, text, &e), ST_OK);
		for (unsigned a = 0; a < WIDTH + 16; a++) {
			const char *want = NULL;
			char name[16];

			for (int i = 0; i < LINES; i++)
				if (a >= lo[i] && a < lo[i] + size[i]) {
					sprintf(name, "f%d", i);
					want = name;
				}
			CHECK_STR(jit_map_at(&m, a), want);
		}
		jit_map_release(&m);
	}
}

TEST_MAIN()
