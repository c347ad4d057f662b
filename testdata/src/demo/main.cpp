/* SPDX-License-Identifier: MIT
 *
 * arcade: a small game without a screen that writes real captures of itself and the truth next to
 * them. usage: arcade [--frames N] [--seed N] [--threads N] [--out DIR]
 *                    [--leak BYTES] [--grow PERCENT]
 */
#include "capture.h"
#include "game.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Options {
	int frames = 300;
	int threads = 3;
	unsigned seed = 1;
	const char *out = nullptr;
	arcade::Plants plants;
};

static bool parse(Options *options, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 >= argc)
			return false;
		if (strcmp(argv[i], "--frames") == 0)
			options->frames = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--threads") == 0)
			options->threads = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = static_cast<unsigned>(atoi(argv[i + 1]));
		else if (strcmp(argv[i], "--leak") == 0)
			options->plants.leak = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--grow") == 0)
			options->plants.growth = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--out") == 0)
			options->out = argv[i + 1];
		else
			return false;
	}
	return options->frames > 0 && options->threads > 0 &&
	       (options->plants.leak == 0 || options->plants.leak >= 4) &&
	       options->plants.growth >= 0;
}

/* Recorded in the agent's nostack form: a library's name in place of a stack. */
static NOINLINE void *load_sound_bank(int sound)
{
	capture_nostack("libengine.so");
	void *bank = CALL(eng::g_pool.Malloc(512 + 64 * static_cast<size_t>(sound)));
	capture_nostack(nullptr);
	return bank;
}

static NOINLINE void play(eng::JobSystem &jobs, const Options &options)
{
	arcade::Game *game = CALL(eng::create<arcade::Game>(&jobs, options.seed, options.plants));
	CALL(game->load_level());
	for (int i = 1; i <= options.frames; i++) {
		CALL(game->frame(i));
		capture_frame(i);
		eng::gc_end_frame();
	}
	eng::destroy(game);
}

int main(int argc, char **argv)
{
	SITE_ROOT();
	Options options;
	void *bank[8];

	if (!parse(&options, argc, argv)) {
		fprintf(stderr, "usage: arcade [--frames N] [--seed N] [--threads N] [--out DIR]\n"
				"              [--leak BYTES] [--grow PERCENT]\n");
		return 2;
	}
	/* Before the agent is there: its free will be seen, its allocation never was. */
	void *early = eng::g_pool.Malloc(100);
	if (options.out && !capture_start(options.out))
		return 3;
	for (int i = 0; i < 8; i++)
		bank[i] = CALL(load_sound_bank(i));
	{
		eng::JobSystem jobs(options.threads);
		CALL(play(jobs, options));
	}
	eng::g_pool.Free(early);
	for (int i = 0; i < 4; i++)
		eng::g_pool.Free(bank[i]);
	return options.out && !capture_finish() ? 1 : 0;
}
