/* SPDX-License-Identifier: MIT
 *
 * managed FRAMES [kill]: frames with typed allocations, as an engine reports those of its managed
 * heap. It prints what it did, a line for each frame and type, in the order of first use:
 *
 *     FRAME TYPE REQUESTED REAL ALLOCATIONS
 *
 * Frame 3 has a type whose bytes are more than 2^31-1, and frame 4 has none. kill: it kills itself
 * as soon as the frame behind them has begun.
 */
#include "lib/recorder/tracemill.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { TYPES = 4 };
static const char *const names[TYPES] = {"String", "Particle[]", "Dictionary`2<\"K\\\",V>", "Big"};
static uint64_t sums[TYPES][3];

static void make(unsigned type, uint64_t size)
{
	uint64_t real = (size + 15) & ~(uint64_t)15;

	tracemill_typed_alloc(names[type], size, real);
	sums[type][0] += size;
	sums[type][1] += real;
	sums[type][2]++;
}

__attribute__((noinline)) static void text(int frame)
{
	for (int i = 0; i < 5; i++)
		make(0, (uint64_t)(frame * 7 + i));
}

__attribute__((noinline)) static void particles(int frame)
{
	for (int i = 0; i < frame % 3; i++) {
		make(1, (uint64_t)(100 + i));
		make(2, 33);
	}
	if (frame == 3)
		for (int i = 0; i < 5; i++)
			make(3, 1500000000);
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 10;

	for (int f = 0; f < frames; f++) {
		tracemill_frame();
		if (f != 4) {
			text(f);
			particles(f);
		}
		for (int k = 0; k < TYPES; k++) {
			if (sums[k][2])
				fprintf(stderr, "%d %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", f,
					names[k], sums[k][0], sums[k][1], sums[k][2]);
			sums[k][0] = sums[k][1] = sums[k][2] = 0;
		}
	}
	if (argc > 2) {
		tracemill_frame();
		raise(SIGKILL);
	}
	return 0;
}
