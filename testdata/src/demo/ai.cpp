/* SPDX-License-Identifier: MIT
 *
 * See ai.h.
 */
#include "ai.h"
#include "gc.h"

namespace arcade
{

namespace ai
{

static const eng::Klass kMemoryKlass = {"List<String>"};
static const eng::Klass kMemoryArrayKlass = {"String[]"};
static const eng::Klass kPathKlass = {"Vector3[]"};
static const eng::Klass kTargetKlass = {"Target"};

struct Vector3 {
	float x, y, z;
};

class Brain
{
      public:
	explicit Brain(int frame) : frame_(frame)
	{
		memory_ = CALL(eng::List<eng::String *>::make(kMemoryKlass, kMemoryArrayKlass));
	}

	inline void remember(const char *what)
	{
		eng::String *fact = CALL(eng::new_string(what));
		CALL(memory_->Add(fact));
	}

	int frame() const
	{
		return frame_;
	}

      private:
	int frame_;
	eng::List<eng::String *> *memory_;
};

template <class Node> class Behaviour
{
      public:
	ALWAYS_INLINE bool tick(Brain &brain)
	{
		return CALL(static_cast<Node *>(this)->run(brain));
	}
};

class Patrol : public Behaviour<Patrol>
{
      public:
	inline bool run(Brain &brain)
	{
		int points = 2 + brain.frame() % 3;
		CALL(eng::new_array<Vector3>(kPathKlass, points));
		return points > 2;
	}
};

class Attack : public Behaviour<Attack>
{
      public:
	inline bool run(Brain &brain)
	{
		CALL(eng::gc_alloc(kTargetKlass, 56));
		CALL(brain.remember("enemy seen"));
		return brain.frame() % 2 == 0;
	}
};

template <class First, class Second> class Sequence : public Behaviour<Sequence<First, Second>>
{
      public:
	inline bool run(Brain &brain)
	{
		if (!CALL(first_.tick(brain)))
			return false;
		return CALL(second_.tick(brain));
	}

      private:
	First first_;
	Second second_;
};

template <int N, class Child> class Repeat : public Behaviour<Repeat<N, Child>>
{
      public:
	inline bool run(Brain &brain)
	{
		for (int i = 0; i < N; i++)
			if (!CALL(child_.tick(brain)))
				return false;
		return true;
	}

      private:
	Child child_;
};

struct Retreat : public Behaviour<Retreat> {
	struct Shout {
		void operator()(Brain &brain) const
		{
			CALL(brain.remember("retreat"));
		}
	};
	inline bool run(Brain &brain)
	{
		Shout shout;
		CALL(shout(brain));
		return true;
	}
};

typedef Sequence<Repeat<2, Patrol>, Sequence<Attack, Retreat>> Soldier;

template <class Tree> static void think(Tree tree, int frame)
{
	alignas(Brain) char room[sizeof(Brain)];
	Brain *brain = CALL(new (room) Brain(frame));
	CALL(tree.tick(*brain));
}

} // namespace ai

extern "C" void ai_think(int frame)
{
	if (frame % 4 == 2)
		CALL(ai::think(ai::Soldier(), frame));
	else
		CALL(ai::think(ai::Repeat<3, ai::Attack>(), frame));
}

} // namespace arcade
