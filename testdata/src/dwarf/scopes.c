/* SPDX-License-Identifier: MIT
 * A program of C alone, without a C library, for any target: inlined calls inside blocks inside
 * inlined calls, static variables and functions of the same names in several scopes, a switch, a
 * loop that is unrolled, a tail call, code from another file by #line, and with gcc functions
 * nested in functions. */
#define NOINLINE __attribute__((noinline))
#define INLINE   inline __attribute__((always_inline))

volatile int sink;

static INLINE int leaf(int x)
{
	static int calls;

	calls += x;
	sink = calls;
	return sink * 3;
}

static INLINE int blocks(int x)
{
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		int twice = leaf(x + i);

		if (twice > sink) {
			int inner = twice - sink;

			{
				static int calls;
				int innermost = leaf(inner);

				calls += innermost;
				sum += leaf(calls) + innermost;
			}
		}
		sum += twice;
	}
	return sum;
}

static NOINLINE int choose(int x)
{
	switch (x) {
	case 0: return leaf(1);
	case 1: return blocks(x);
	case 2: return leaf(x) + leaf(x + 1);
	case 7: sink = 7; return 7;
	default: {
		int y = blocks(x - 1);

		return y > x ? leaf(y) : y;
	}
	}
}

struct operations {
	int (*one)(int), (*two)(int, int);
};

static NOINLINE int first(int x)
{
	return leaf(x) - 1;
}

static NOINLINE int second(int x, int y)
{
	return choose(x + y); /* a tail call, with optimization */
}

static const struct operations operations = {first, second};

#line 1000 "made/elsewhere.c"
static INLINE int generated(int x)
{
	return leaf(x) ^ x;
}

static NOINLINE int uses_generated(int x)
{
	return generated(x) + generated(x * sink);
}

#ifndef __clang__
NOINLINE static int nests(int x)
{
	int NOINLINE nested(int y)
	{
		int NOINLINE deeper(int z)
		{
			return leaf(x + y + z);
		}
		return deeper(y) + deeper(x);
	}
	return nested(x) + nested(sink);
}
#else
#define nests first
#endif

static NOINLINE void ends(int x)
{
	sink = x;
	for (;;)
		sink = leaf(sink);
}

void _start(void);
void _start(void)
{
	const struct operations *volatile o = &operations;
	int x = sink;

	sink = o->one(x) + o->two(x, sink) + uses_generated(x) + nests(x);
	ends(x);
}
