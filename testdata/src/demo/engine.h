/* SPDX-License-Identifier: MIT
 *
 * The engine's side of the game: entities, the world that steps them, the scene tree.
 */
#ifndef DEMO_ENGINE_H
#define DEMO_ENGINE_H

#include "array.h"
#include "gc.h"
#include "jobs.h"
#include <stdint.h>

namespace eng
{

/* The same numbers everywhere: a run is decided by its seed. */
class Random
{
      public:
	explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1)
	{
	}
	uint32_t below(uint32_t limit)
	{
		state_ = state_ * 1664525u + 1013904223u;
		return (state_ >> 8) % limit;
	}

      private:
	uint32_t state_;
};

class World;

class Entity
{
      public:
	virtual ~Entity() = default;
	virtual void update(World &world, int step) = 0;
	bool alive() const
	{
		return alive_;
	}

      protected:
	bool alive_ = true;
};

struct Particle {
	float x, y, vx, vy;
	int life;
};

class World
{
      public:
	World(JobSystem &jobs, uint32_t seed) : random(seed), jobs_(jobs)
	{
	}
	~World();

	NOINLINE void step(int step);
	void add(Entity *entity);

	Random random;

      private:
	NOINLINE void update_entities(int step);
	NOINLINE void update_particles(int step);
	void bury();

	JobSystem &jobs_;
	Array<Entity *> entities_;
};

struct SceneNode {
	SceneNode *child[4];
	void *mesh;
};

/* A tree of the given depth, four children each; recursive. */
SceneNode *build_scene(int depth, Random &random);
void free_scene(SceneNode *node);

} // namespace eng

#endif
