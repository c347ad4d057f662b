/* SPDX-License-Identifier: MIT
 *
 * Answers printed by several workers (lib/compat/print_many.h).
 */
#include "lib/compat/print_many.h"
#include "tests/unit/test.h"

#include <string.h>

static void print_numbers(void *arg, struct buf *b, size_t from, size_t to)
{
	(void)arg;
	for (size_t i = from; i < to; i++)
		buf_addf(b, "%zu\n", i);
}

struct taken {
	struct buf text;
	size_t calls, most;
};

static bool take_text(void *arg, const char *s, size_t n)
{
	struct taken *t = arg;

	buf_add(&t->text, s, n);
	return ++t->calls < t->most;
}

/* In order and complete, however many print and however many there are. */
TEST(in_order)
{
	static const size_t counts[] = {0, 1, 1023, 1024, 1025, 50000};

	for (unsigned jobs = 0; jobs < 6; jobs++)
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
			struct taken t = {.most = SIZE_MAX};
			struct buf want = BUF_INIT;

			print_numbers(NULL, &want, 0, counts[k]);
			print_many(jobs, counts[k], print_numbers, take_text, &t);
			CHECK_MEM(buf_str(&t.text), t.text.len, buf_str(&want), want.len);
			buf_release(&t.text);
			buf_release(&want);
		}
}

/* A printer that has enough is not called again. */
TEST(enough)
{
	struct taken t = {.most = 2};

	print_many(3, 50000, print_numbers, take_text, &t);
	CHECK_EQ(t.calls, 2);
	CHECK(t.text.len > 0 && !strncmp(t.text.data, "0\n1\n", 4));
	buf_release(&t.text);
}

TEST_MAIN()
