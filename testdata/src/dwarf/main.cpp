// SPDX-License-Identifier: MIT
// Nests that symbolizers get wrong: a lambda in a lambda, methods of local classes, a call that
// does not return as a function's last instruction, a constructor in two variants.
#include "shapes.h"

volatile int sink;

namespace
{

struct Base {
	virtual ~Base();
	virtual int go(int x) = 0;
};

Base::~Base()
{
	sink = 0;
}

struct Derived : virtual Base {
	int kept;
	NOINLINE Derived(int x) : kept(x)
	{
		sink = shapes::middle(x);
	}
	int go(int x) override
	{
		return shapes::outer(x) + kept;
	}
};

NOINLINE int lambdas(int x)
{
	auto outer = [x](int y) NOINLINE {
		auto inner = [x, y](int z) NOINLINE {
			sink = x + y + z;
			return shapes::middle(z);
		};
		return inner(y) + inner(x);
	};
	return outer(x + 1);
}

NOINLINE int local_class(int x)
{
	struct Local {
		int a;
		NOINLINE Local(int v) : a(v)
		{
			sink = v;
		}
		NOINLINE ~Local()
		{
			struct Deeper {
				NOINLINE static int run(int v)
				{
					return shapes::innermost(v);
				}
			};
			sink = Deeper::run(a);
		}
		INLINE int twice()
		{
			return a * sink;
		}
	};
	Local l(x);

	return l.twice();
}

NOINLINE int cold_path(int x)
{
	if (__builtin_expect(x > 1000000, 0))
		shapes::give_up(x);
	return x + sink;
}

NOINLINE void ends_in_call(int x)
{
	sink = x;
	shapes::give_up(x);
}

} // namespace

int main(int argc, char **)
{
	shapes::Box<int> b(argc);
	shapes::Box<long> c(argc);
	Derived d(argc);
	Base *base = &d;
	int sum = b.doubled() + b.halved() + (int)c.halved() + base->go(argc);

	sum += lambdas(argc) + local_class(argc) + cold_path(argc);
	sum += shapes::other_unit(argc) + plain_c(argc);
	if (argc > 100)
		ends_in_call(sum);
	return sum == 0;
}
