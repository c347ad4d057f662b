/* SPDX-License-Identifier: MIT
 *
 * cost CALLS: what a pair of a compiler's hooks costs: so many calls of instrumented functions,
 * direct, nested and recursive, and the same without hooks. Prints ns of the processor's time a
 * call of both, and the sum that they computed, which is the same.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((noinline, no_instrument_function))
#define KEEP  __attribute__((noinline))

#define FUNCTIONS(how, name)                                                   \
	how static uint64_t name##_leaf(uint64_t x)                            \
	{                                                                      \
		__asm__ volatile("" : "+r"(x));                                \
		return x * 3 + 1;                                              \
	}                                                                      \
	how static uint64_t name##_middle(uint64_t x)                          \
	{                                                                      \
		return name##_leaf(x) + name##_leaf(x + 1);                    \
	}                                                                      \
	how static uint64_t name##_deep(uint64_t x, int depth)                 \
	{                                                                      \
		return depth ? name##_deep(x, depth - 1) + 1 : name##_leaf(x); \
	}                                                                      \
	/* 3 + 6 + 1 calls a round */                                          \
	how static uint64_t name##_round(uint64_t x)                           \
	{                                                                      \
		return name##_middle(x) + name##_deep(x, 4);                   \
	}
FUNCTIONS(KEEP, hooked)
FUNCTIONS(PLAIN, plain)

PLAIN static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

PLAIN int main(int argc, char **argv)
{
	uint64_t rounds = strtoull(argc > 1 ? argv[1] : "0", NULL, 10) / 10, sum = 0, other = 0;
	double before, hooked, plain;

	for (uint64_t i = 0; i < 1000; i++)
		sum += hooked_round(i) - plain_round(i);
	before = now();
	for (uint64_t i = 0; i < rounds; i++)
		sum += hooked_round(i);
	hooked = now() - before;
	before = now();
	for (uint64_t i = 0; i < rounds; i++)
		other += plain_round(i);
	plain = now() - before;
	printf("pair_ns %.1f call_ns %.1f sum %" PRIu64 " %" PRIu64 "\n",
	       (hooked - plain) / (double)rounds / 10, plain / (double)rounds / 10, sum, other);
	return sum != other;
}
