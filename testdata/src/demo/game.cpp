/* SPDX-License-Identifier: MIT
 *
 * See game.h.
 */
#include "game.h"
#include "ai.h"
#include <stdio.h>

namespace arcade
{

using eng::create;
using eng::Entity;
using eng::Klass;
using eng::List;
using eng::ManagedArray;
using eng::World;

struct Tile {
	int x, y;
	char surface[40];
};

namespace
{

const Klass kBulletArrayKlass = {"Bullet[]"};
const Klass kEntityListKlass = {"List<Entity>"};
const Klass kEntityArrayKlass = {"Entity[]"};
const Klass kClosureKlass = {"Func`2"};
const Klass kScoreKlass = {"Dictionary<String,Int32>"};

struct BulletData {
	float x, y, heading;
	int owner;
};

class Bullet : public Entity
{
      public:
	explicit Bullet(int born) : born_(born)
	{
		trail_ = static_cast<float *>(CALL(eng::g_pool.Malloc(24 * sizeof(float))));
	}
	~Bullet() override
	{
		eng::g_pool.Free(trail_);
	}
	void update(World &, int step) override
	{
		alive_ = step - born_ < 5;
	}

      private:
	int born_;
	float *trail_;
};

class Ship : public Entity
{
      public:
	explicit Ship(int number) : number_(number)
	{
	}

	void update(World &world, int step) override
	{
		if ((step + number_) % 3 == 0)
			CALL(fire(world, step));
		CALL(look_around(world));
	}

      private:
	ALWAYS_INLINE ManagedArray<BulletData> *salvo(int barrels)
	{
		return CALL(eng::new_array<BulletData>(kBulletArrayKlass, barrels));
	}

	ALWAYS_INLINE void aim(int barrels, int step)
	{
		ManagedArray<BulletData> *bullets = CALL(salvo(barrels));
		for (int i = 0; i < bullets->length; i++) {
			bullets->item[i].heading = static_cast<float>(step);
			bullets->item[i].owner = number_;
		}
	}

	inline void fire(World &world, int step)
	{
		CALL(aim(1 + number_ % 4, step));
		Bullet *bullet = CALL(create<Bullet>(step));
		CALL(world.add(bullet));
	}

	inline void look_around(World &world)
	{
		int seen = static_cast<int>(world.random.below(7));
		List<Entity *> *near =
		    CALL(List<Entity *>::make(kEntityListKlass, kEntityArrayKlass));
		for (int i = 0; i < seen; i++)
			CALL(near->Add(this));
	}

	int number_;
};

class Spawner : public Entity
{
      public:
	void update(World &world, int step) override
	{
		if (step % 10 != 1)
			return;
		for (int i = 0; i < 2; i++)
			CALL(spawn(world, step + i));
	}

      private:
	static void spawn(World &world, int number)
	{
		Ship *ship = CALL(create<Ship>(number));
		CALL(world.add(ship));
		fleet_++;
	}

	static int fleet_;
};

int Spawner::fleet_;

/* A C callback: the script interpreter's calls go through a plain function pointer. */
typedef void (*ScriptFn)(int);

void script_call(ScriptFn fn, int arg)
{
	CALL(fn(arg));
}

} // namespace

static NOINLINE void on_score(int points)
{
	char text[32];

	snprintf(text, sizeof(text), "score %d", points);
	CALL(eng::gc_alloc(kScoreKlass, 80));
	CALL(eng::new_string(text));
}

static inline void on_combo(int points)
{
	if (points > 1)
		CALL(on_combo(points / 2));
	CALL(eng::gc_alloc(kClosureKlass, 48));
}

Game::Game(eng::JobSystem *jobs, uint32_t seed, const Plants &plants)
    : world_(*jobs, seed), plants_(plants)
{
	Spawner *spawner = CALL(create<Spawner>());
	CALL(world_.add(spawner));
}

void Game::load_level()
{
	scene_ = CALL(eng::build_scene(5, world_.random));
	for (int i = 0; i < 12 * (100 + plants_.growth); i++) {
		Tile *tile = CALL(create<Tile>());
		tile->x = i % 40;
		tile->y = i / 40;
		CALL(tiles_.push(tile));
	}
	auto paint = [](Tile *tile) {
		tile->surface[0] = static_cast<char>('a' + tile->x % 26);
		if (tile->y == 7)
			CALL(eng::new_string("water"));
	};
	CALL(tiles_.each(paint));
}

inline void Game::stream_assets(int number)
{
	eng::Asset *asset = CALL(eng::load_optional(number));
	CALL(assets_.push(asset));
	if (assets_.size() > 6) {
		eng::unload(assets_[0]);
		assets_.remove_swap(0);
	}
}

inline void Game::draw_hud(int number)
{
	char text[48];
	auto label = [number](const char *what) {
		char line[48];
		snprintf(line, sizeof(line), "%s %d", what, number);
		return CALL(eng::new_string(line));
	};

	CALL(label("frame"));
	CALL(label("lives"));
	snprintf(text, sizeof(text), "%d ships", number / 10 * 2);
	CALL(eng::new_string(text));
}

void Game::remember_frame(int number)
{
	remembered_ =
	    static_cast<int *>(CALL(eng::g_pool.Malloc(static_cast<size_t>(plants_.leak))));
	*remembered_ = number;
}

void Game::frame(int number)
{
	CALL(world_.step(number));
	CALL(stream_assets(number));
	CALL(draw_hud(number));
	if (number % 4 == 0)
		CALL(script_call(on_score, number));
	if (number % 5 == 0)
		CALL(script_call(on_combo, number % 9));
	CALL(scores_.push(number));
	CALL(ai_think(number));
	if (plants_.leak > 0)
		CALL(remember_frame(number));
}

Game::~Game()
{
	if (scene_)
		eng::free_scene(scene_);
	for (size_t i = 0; i < tiles_.size(); i++)
		eng::g_pool.Free(tiles_[i]);
	/* Every second asset is forgotten: a leak for the reports to find. */
	for (size_t i = 0; i < assets_.size(); i += 2)
		eng::unload(assets_[i]);
}

} // namespace arcade
