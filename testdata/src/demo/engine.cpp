/* SPDX-License-Identifier: MIT
 *
 * See engine.h.
 */
#include "engine.h"

namespace eng
{

static const Klass kParticleArrayKlass = {"Particle[]"};
static const Klass kContactListKlass = {"List<Contact>"};
static const Klass kContactArrayKlass = {"Contact[]"};

struct Contact {
	int a, b;
	float depth;
};

World::~World()
{
	for (size_t i = 0; i < entities_.size(); i++)
		destroy(entities_[i]);
}

void World::add(Entity *entity)
{
	CALL(entities_.push(entity));
}

void World::update_entities(int step)
{
	/* By index: an update may add entities. */
	for (size_t i = 0; i < entities_.size(); i++)
		CALL(entities_[i]->update(*this, step));
}

static ALWAYS_INLINE void integrate(ManagedArray<Particle> *particles, int step)
{
	for (int i = 0; i < particles->length; i++) {
		Particle &p = particles->item[i];
		p.x = static_cast<float>(i * step);
		p.y = p.x * 0.5f;
		p.vx = 1;
		p.vy = 2;
		p.life = step;
	}
}

static inline void emit_particles(int emitter, int step)
{
	ManagedArray<Particle> *batch = CALL(new_array<Particle>(kParticleArrayKlass, emitter + 2));
	integrate(batch, step);
}

static NOINLINE void collide(int cell)
{
	List<Contact> *contacts = CALL(List<Contact>::make(kContactListKlass, kContactArrayKlass));
	for (int i = 0; i < cell % 6; i++) {
		Contact contact = {cell, i, 0.25f};
		CALL(contacts->Add(contact));
	}
}

void World::update_particles(int step)
{
	jobs_.parallel_for(6, [step](int emitter) {
		CALL(emit_particles(emitter, step));
		CALL(collide(emitter + step));
	});
}

void World::bury()
{
	for (size_t i = 0; i < entities_.size();) {
		if (entities_[i]->alive()) {
			i++;
			continue;
		}
		destroy(entities_[i]);
		entities_.remove_swap(i);
	}
}

void World::step(int step)
{
	CALL(update_entities(step));
	CALL(update_particles(step));
	bury();
}

static void *build_mesh(Random &random)
{
	size_t size = 64 + 16 * random.below(20);
	return CALL(g_pool.Malloc(size));
}

SceneNode *build_scene(int depth, Random &random)
{
	SceneNode *node = CALL(create<SceneNode>());
	for (int i = 0; i < 4; i++) {
		node->child[i] = nullptr;
		if (depth > 0)
			node->child[i] = CALL(build_scene(depth - 1, random));
	}
	node->mesh = CALL(build_mesh(random));
	return node;
}

void free_scene(SceneNode *node)
{
	for (int i = 0; i < 4; i++)
		if (node->child[i])
			free_scene(node->child[i]);
	g_pool.Free(node->mesh);
	g_pool.Free(node);
}

} // namespace eng
