/* SPDX-License-Identifier: MIT
 * The seed of the ELF and DWARF fuzz corpora: no C library, so that it stays small. */
volatile int sink;

static inline __attribute__((always_inline)) int inner(int x)
{
	return x * sink;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x) + inner(x + 1);
}

__attribute__((noinline)) int outer(int x)
{
	return middle(x) - sink;
}

void _start(void);
void _start(void)
{
	sink = outer(sink);
	for (;;)
		;
}
