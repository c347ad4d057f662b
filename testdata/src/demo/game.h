/* SPDX-License-Identifier: MIT
 *
 * The game's side: what lives in the world, and one frame of it.
 */
#ifndef DEMO_GAME_H
#define DEMO_GAME_H

#include "assets.h"
#include "engine.h"
#include <stdlib.h>
namespace arcade
{

/* What a build is made worse by, for the reports to find. */
struct Plants {
	int leak = 0; /* bytes that every frame allocates and never frees */
	int growth = getenv("GROW") ? atoi(getenv("GROW")) : 0; /* percent more tiles */
};

class Game
{
      public:
	Game(eng::JobSystem *jobs, uint32_t seed, const Plants &plants);
	~Game();

	NOINLINE void load_level();
	NOINLINE void frame(int number);

      private:
	void stream_assets(int number);
	void draw_hud(int number);
	NOINLINE void remember_frame(int number);

	eng::World world_;
	Plants plants_;
	int *remembered_ = nullptr;
	eng::SceneNode *scene_ = nullptr;
	eng::Array<struct Tile *> tiles_;
	eng::Array<eng::Asset *> assets_;
	eng::Array<int> scores_;
};

} // namespace arcade

#endif
