/* SPDX-License-Identifier: MIT
 *
 * lib/match/near.h, against the table of distances that a textbook fills cell by cell.
 */
#include "lib/match/near.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

/* Of a text to the part of a name that is nearest: the first row is 0, a match may begin anywhere. */
static unsigned by_table(const char *text, const char *name)
{
	unsigned cost[NEAR_TEXT + 1][NEAR_NAME + 1] = {{0}}, least = (unsigned)strlen(text);
	size_t m = strlen(text), n = strlen(name);

	for (size_t i = 1; i <= m; i++) {
		cost[i][0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned c = cost[i - 1][j - 1] + (text[i - 1] != name[j - 1]);

			c = cost[i - 1][j] + 1 < c ? cost[i - 1][j] + 1 : c;
			cost[i][j] = cost[i][j - 1] + 1 < c ? cost[i][j - 1] + 1 : c;
		}
	}
	for (size_t j = 0; j <= n; j++)
		least = cost[m][j] < least ? cost[m][j] : least;
	return least;
}

static void letters(char *s, size_t most, size_t least)
{
	size_t n = least + (size_t)rand() % (most - least + 1);

	for (size_t i = 0; i < n; i++)
		s[i] = (char)('a' + rand() % 3);
	s[n] = 0;
}

TEST(distance_is_the_textbooks)
{
	srand(20);
	for (unsigned round = 0; round < 3000; round++) {
		char text[NEAR_TEXT + 1], name[NEAR_NAME + 1];
		struct near near;
		unsigned d;

		letters(text, NEAR_TEXT, 3);
		letters(name, NEAR_NAME, 1);
		near_init(&near, text, strlen(text), false);
		near_try(&near, name, strlen(name));
		d = by_table(text, name);
		CHECK_EQ(near.distance, d <= strlen(text) / 3 ? d : strlen(text) / 3 + 1);
		CHECK_EQ(near.name[0] != 0, d <= strlen(text) / 3);
	}
}

static const char *nearest(const char *text, bool expression)
{
	static const char *const names[] = {"render_all", "Render", "renderer", "audio", "sing"};
	static struct near near;

	near_init(&near, text, strlen(text), expression);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		near_try(&near, names[i], strlen(names[i]));
	return near.name;
}

TEST(nearest_of_names)
{
	CHECK_STR(nearest("rednerer", false), "renderer");
	CHECK_STR(nearest("render", false), "Render"); /* the shortest of three */
	CHECK_STR(nearest("^audoi$", true), "audio");
	CHECK_STR(nearest("audi.", true), "audio");
	CHECK_STR(nearest("network", false), "");
	CHECK_STR(nearest("a.*z", true), ""); /* what would be near to it? */
	CHECK_STR(nearest("so", false), "");  /* nearly everything is */
}

TEST_MAIN()
