/* SPDX-License-Identifier: MIT
 *
 * A file for tests/sh/inspect.sh: functions that call (4: one, two, many, through) and that do not
 * (2), on any processor and without a library. One is small enough that every compiler inlines it.
 */
extern void outside(int);
int (*hook)(int);

#define APART __attribute__((noinline))

static inline __attribute__((always_inline)) int inlined(int x)
{
	outside(x);
	return x * 3;
}

APART int leaf_one(int x)
{
	return x * 5 + 1;
}

APART int leaf_two(int x)
{
	return x ? x - 7 : 2;
}

APART int one(int x)
{
	outside(x);
	return x + 1;
}

APART int two(int x)
{
	outside(inlined(x));
	return leaf_one(x) + inlined(x + 1) + 1;
}

APART int many(int x)
{
	int sum = 0;

	/* The prologue may move behind this. */
	if (!x)
		return 3;
	for (int i = 0; i < x; i++)
		sum += one(i) + two(i);
	return sum;
}

APART int through(int x)
{
	return hook(x + 2) + 1;
}
