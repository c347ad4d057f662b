/* SPDX-License-Identifier: MIT
 * A unit of C: names without linkage names. */
extern volatile int sink;

static inline __attribute__((always_inline)) int square(int x)
{
	return x * x * sink;
}

static __attribute__((noinline)) int helper(int x)
{
	return square(x) + square(x + 1);
}

int plain_c(int x);
int plain_c(int x)
{
#line 100 "renamed.c"
	return helper(x) - 1;
}
