/* SPDX-License-Identifier: MIT
 *
 * lib/profile/line_map.h: what diff prints as unchanged.
 */
#include "lib/profile/line_map.h"
#include "tests/unit/test.h"

/* "1-2:1-2 5:4": the runs of lines that both have. */
static void mapped(const char *a, const char *b, const char *want)
{
	struct matching_lines l = {.n = 0};
	struct buf x = BUF_INIT, y = BUF_INIT, got = BUF_INIT;

	buf_adds(&x, a);
	buf_adds(&y, b);
	line_map_add(&l, 1, 2, &x, &y);
	for (size_t i = 0; i < l.n; i++)
		buf_addf(&got, "%s%u:%u", i ? " " : "", l.items[i].line_a, l.items[i].line_b);
	CHECK_STR(buf_str(&got), want);
	buf_release(&x);
	buf_release(&y);
	buf_release(&got);
	matching_lines_release(&l);
}

TEST(runs_of_lines_that_both_have)
{
	mapped("a\nb\nc\n", "a\nb\nc\n", "1:1 3:3");
	mapped("a\nb\nc\n", "x\na\nb\nc\n", "1:2 3:4");
	mapped("a\nb\nc\nd\n", "a\nb\nx\nd\n", "1:1 2:2 4:4");
	mapped("a\nb\n", "", "");
	mapped("", "", "");
	mapped("a\r\nb", "a\nb\n", "1:1 2:2");
	/* Two blocks change places: one of them stays. */
	mapped("a\nb\nc\nd\ne\n", "d\ne\na\nb\nc\n", "1:3 3:5");
	/* No line is there once: the longest common subsequence. */
	mapped("x\ny\nx\nx\nx\n", "y\nx\nx\nx\ny\n", "2:1 5:4");
}

TEST_MAIN()
