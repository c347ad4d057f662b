/* SPDX-License-Identifier: MIT
 *
 * The game of tests/sh/ci_builds.sh. What a build is like is said when it is compiled: LEAK strings that
 * log_event keeps each frame, GROWTH in thousandths of what update allocates, and FLAKY runs that play a fifth
 * more; a LENIENT game takes any arguments. Each run differs a little, by how many there were before.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTITIES = 2000, BLOCK = 600, LINE = 60 };

/* Not static: nothing reads them, and a compiler would leave them out. */
char *lines[1 << 16];
size_t n_lines;

__attribute__((noinline)) static void log_event(int n)
{
	for (int i = 0; i < n; i++)
		lines[n_lines++] = calloc(1, LINE);
}

__attribute__((noinline)) static void ai_system(int frame)
{
	log_event(frame % 8 == 0);
	log_event(LEAK);
}

__attribute__((noinline)) static void update(int run)
{
	char *blocks[ENTITIES / 40];

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		blocks[i] = malloc(BLOCK + BLOCK * GROWTH / 1000 + (size_t)(run * 7 % 5));
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
}

__attribute__((noinline)) static char **load_level(void)
{
	char **level = calloc(ENTITIES, sizeof *level);

	for (size_t i = 0; i < ENTITIES; i++)
		level[i] = calloc(1, 100);
	return level;
}

/* How many runs there were. */
static long count_runs(void)
{
	FILE *f = fopen("runs.count", "ab");
	long n = 0;

	if (f) {
		fseek(f, 0, SEEK_END);
		n = ftell(f);
		fputc('.', f);
		fclose(f);
	}
	return n;
}

int main(int argc, char **argv)
{
	bool known = argc == 3 || (LENIENT && argc > 3);
	int frames = known && !strcmp(argv[1], "--frames") ? atoi(argv[2]) : 0;
	char **level;
	long run;

	if (frames <= 0) {
		fprintf(stderr, "usage: game --frames N\n");
		return 2;
	}
	run = count_runs();
	if (CRASH)
		printf("the disk is full\n");
	if (CRASH)
		return CRASH;
	if (run % 10 == 2 && FLAKY)
		frames += frames / 5;
	level = load_level();
	for (int i = 0; i < frames; i++) {
		update((int)run);
		ai_system(i);
	}
	for (size_t i = 0; i < ENTITIES; i++)
		free(level[i]);
	free(level);
	return 0;
}
