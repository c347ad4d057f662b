/* SPDX-License-Identifier: MIT
 *
 * The unit tests' harness, all of it in this header:
 *
 *	TEST(empty_buffer)
 *	{
 *		struct buf b = BUF_INIT;
 *
 *		CHECK_EQ(b.len, 0);
 *		CHECK_STR(buf_str(&b), "");
 *		buf_release(&b);
 *	}
 *
 *	TEST_MAIN()
 *
 * A failed check is printed with its place and its values, and the test goes on; TEST_SKIP ends
 * it as skipped.
 * Each test gives one line: "ok - NAME", "not ok - NAME" or "skip - NAME (why)". Arguments of the
 * program are names of the tests to run.
 */
#ifndef TM_TESTS_UNIT_TEST_H
#define TM_TESTS_UNIT_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of ../shared (tests/run says where that is), or NULL when it is not there: then skip. */
static inline const char *test_shared(const char *name)
{
	static char path[1024];
	const char *shared = getenv("SHARED");

	snprintf(path, sizeof path, "%s/%s", shared ? shared : "../shared", name);
	return access(path, R_OK) ? NULL : path;
}

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

static struct test *test_first, **test_tail = &test_first;

static unsigned test_failures; /* of the test that runs */
static const char *test_skipped;

static inline bool test_true(bool ok, const char *what, const char *file, int line)
{
	if (!ok) {
		test_failures++;
		printf("  %s:%d: not true: %s\n", file, line, what);
	}
	return ok;
}

/* Compared as 64 bits: a negative int equals the same negative int64_t. */
static inline bool test_eq(int64_t a, int64_t b, const char *what, const char *file, int line)
{
	if (a != b) {
		test_failures++;
		printf("  %s:%d: %s: %" PRId64 " (0x%" PRIx64 "), expected %" PRId64 " (0x%" PRIx64
		       ")\n",
		       file, line, what, a, (uint64_t)a, b, (uint64_t)b);
	}
	return a == b;
}

static inline bool test_mem(const void *a, size_t na, const void *b, size_t nb, const char *what,
			    const char *file, int line)
{
	bool ok = na == nb && (!na || (a && b && !memcmp(a, b, na)));

	if (!ok) {
		test_failures++;
		printf("  %s:%d: %s: \"%.*s\" (%zu), expected \"%.*s\" (%zu)\n", file, line, what,
		       a ? (int)na : 0, a ? (const char *)a : "", na, b ? (int)nb : 0,
		       b ? (const char *)b : "", nb);
	}
	return ok;
}

static inline bool test_str(const char *a, const char *b, const char *what, const char *file,
			    int line)
{
	if (!a || !b)
		return test_true(a == b, what, file, line);
	return test_mem(a, strlen(a), b, strlen(b), what, file, line);
}

/* Each gives whether it held, for the checks that make no sense without it. */
#define CHECK(cond)                test_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_EQ(got, want)        test_eq((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want)       test_str((got), (want), #got, __FILE__, __LINE__)
#define CHECK_MEM(got, n, want, m) test_mem((got), (n), (want), (m), #got, __FILE__, __LINE__)

#define TEST_SKIP(why)                \
	do {                          \
		test_skipped = (why); \
		return;               \
	} while (0)

/* A test joins the list by itself, in the order of the file. */
#define TEST(name)                                                      \
	static void test_##name(void);                                  \
	__attribute__((constructor)) static void test_join_##name(void) \
	{                                                               \
		static struct test t = {#name, test_##name, NULL};      \
                                                                        \
		*test_tail = &t;                                        \
		test_tail = &t.next;                                    \
	}                                                               \
	static void test_##name(void)

static inline int test_main(int argc, char **argv)
{
	unsigned failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0); /* what was printed before a crash is not lost */
	for (const struct test *t = test_first; t; t = t->next) {
		bool wanted = argc < 2;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], t->name);
		if (!wanted)
			continue;
		test_failures = 0;
		test_skipped = NULL;
		t->run();
		if (test_failures)
			printf("not ok - %s\n", t->name);
		else if (test_skipped)
			printf("skip - %s (%s)\n", t->name, test_skipped);
		else
			printf("ok - %s\n", t->name);
		failed += test_failures > 0;
	}
	return failed > 0;
}

#define TEST_MAIN()                           \
	int main(int argc, char **argv)       \
	{                                     \
		return test_main(argc, argv); \
	}

#endif
