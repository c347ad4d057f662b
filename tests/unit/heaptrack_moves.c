/* SPDX-License-Identifier: MIT
 *
 * Lines that are taken from one word, against strtoul: each byte at each place of a number, and
 * random numbers.
 */
#include "formats/heaptrack/heaptrack.h"

#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <ctype.h>

enum { KINDS = 0x1000 };

static struct block_kind kinds[KINDS];

static struct heaptrack_moves all_kinds(void)
{
	for (size_t i = 0; i < KINDS; i++)
		kinds[i] = (struct block_kind){.live = 1};
	return (struct heaptrack_moves){.kinds = kinds, .n_kinds = KINDS};
}

/* A line is read beyond its end. */
static void check_line(const char *line, bool taken)
{
	struct heaptrack_moves m = all_kinds();
	char text[64];
	int n = snprintf(text, sizeof text, "%s\n", line);
	uint32_t kind = (uint32_t)strtoul(line + 2, NULL, 16);
	bool freed = *line == '-';

	memset(text + n, '0', sizeof text - (size_t)n);
	CHECK_EQ(heaptrack_moves_parse(&m, (uint8_t *)text, (uint8_t *)text + sizeof text),
		 taken ? (size_t)n : 0);
	CHECK_EQ(m.n, taken);
	if (!taken)
		return;
	CHECK_EQ(m.items[0], kind << 1 | freed);
	CHECK_EQ(m.n_freed, freed);
	CHECK_EQ(m.lines, 1);
	CHECK_EQ(kinds[kind].live, freed ? 0 : 2);
}

TEST(each_byte_at_each_place)
{
	for (unsigned place = 0; place < 3; place++)
		for (unsigned c = 1; c < 256; c++) {
			char line[] = "+ 012";

			if (c == '\n')
				continue;
			line[2 + place] = (char)c;
			check_line(line, isxdigit((int)c));
			*line = '-';
			check_line(line, isxdigit((int)c));
		}
}

TEST(numbers)
{
	uint64_t seed = 1;
	char line[32];

	for (int i = 0; i < 20000; i++) {
		uint32_t kind = (uint32_t)lcg_below(&seed, 0x10000000) >> lcg_below(&seed, 28);

		snprintf(line, sizeof line, "%c %0*x", lcg_below(&seed, 2) ? '+' : '-',
			 (int)lcg_below(&seed, 8), kind);
		check_line(line, kind < KINDS);
	}
	check_line("+ ", false);
	check_line("+", false);
	check_line("* 1", false);
	check_line("+1 1", false);
	check_line("+ 00000001", false); /* longer than a word: another way */
}

/* Frees of blocks that are not there, and lines that are not whole, are left to others. */
TEST(what_is_left)
{
	struct heaptrack_moves m = all_kinds();
	const char text[] = "+ 1\n- 1\n- 1\n- 1\n+ 2\n+ 3\n";

	CHECK_EQ(heaptrack_moves_parse(&m, (const uint8_t *)text, (const uint8_t *)text + 25), 12);
	CHECK_EQ(m.n, 3);
	CHECK(!heaptrack_move(&m, 1, true));
	CHECK(heaptrack_move(&m, 1, false));
	CHECK(!heaptrack_move(&m, KINDS, false));
	CHECK_EQ(heaptrack_moves_parse(&m, (const uint8_t *)text + 12, (const uint8_t *)text + 21),
		 0);
	CHECK_EQ(heaptrack_moves_parse(&m, (const uint8_t *)text + 12, (const uint8_t *)text + 22),
		 4);
	CHECK_EQ(m.n, 5);
}

TEST_MAIN()
