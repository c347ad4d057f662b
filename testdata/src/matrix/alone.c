/* SPDX-License-Identifier: MIT
 *
 * An object all of whose code is in one section, for tools that know no sections. C: names are what
 * they are, so a tool can be asked for those of DWARF and not those of the symbol table, which has
 * labels and data at the same addresses.
 */
#define INLINE   static __attribute__((always_inline)) inline
#define NOINLINE __attribute__((noinline))

volatile int health;

INLINE void hurt(int by)
{
	if (health > by)
		health = health - by;
}

INLINE void volley(int n)
{
	hurt(n);
	hurt(n / 2);
}

NOINLINE int heal(int by)
{
	health = health + by;
	return health;
}

int battle(int rounds)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++) {
		volley(i);
		sum += heal(1);
	}
	return sum;
}
