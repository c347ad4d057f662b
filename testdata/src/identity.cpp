/* SPDX-License-Identifier: MIT
 *
 * Functions of every kind, each with allocations of sizes that no other has: what
 * tests/sh/identity.sh compares between builds. */
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
static void *volatile sink;
#define K(n)     sink = malloc(n)
#define NOINLINE __attribute__((noinline))
namespace game
{
NOINLINE void load(int n)
{
	K(1000 + n);
}
NOINLINE void load(double n)
{
	K(1100 + (int)n);
}
NOINLINE void load(const char *)
{
	K(1200);
	K(1250);
}
struct Vec {
	int x;
	NOINLINE Vec operator+(const Vec &o) const
	{
		K(1300);
		return {x + o.x};
	}
	NOINLINE bool operator<(const Vec &o) const
	{
		K(1400);
		return x < o.x;
	}
	NOINLINE void *operator()(int n) const
	{
		K(1500 + n);
		return nullptr;
	}
	NOINLINE Vec &operator[](int n)
	{
		K(1600 + n);
		return *this;
	}
};
template <typename T, int N> NOINLINE T *make(T v)
{
	K(1700 + N * (int)sizeof v);
	return nullptr;
}
template <typename T> struct Box {
	T v;
	NOINLINE void put(T x)
	{
		K(1800 + (int)sizeof x);
	}
	NOINLINE Box()
	{
		K(1900);
	}
	NOINLINE ~Box()
	{
		K(1950);
	}
};
namespace
{
NOINLINE void hidden(int n)
{
	K(2000 + n);
}
struct Secret {
	NOINLINE void run()
	{
		K(2100);
	}
};
} // namespace
static NOINLINE void statically(int n)
{
	K(2200 + n);
}
inline void inl(int n)
{
	K(2300 + n);
}
static inline void maybe_inlined(int n)
{
	K(2400 + n);
}
struct A {
	static inline void helper(int n)
	{
		K(2500 + n);
	}
	virtual NOINLINE void virt()
	{
		K(2600);
	}
	virtual ~A()
	{
	}
};
struct B : A {
	NOINLINE void virt() override
	{
		K(2700);
	}
};
static NOINLINE void cloned(int a, int b)
{
	if (b)
		K(2800 + a);
}
} // namespace game
extern "C" NOINLINE void c_function(int n)
{
	K(2900 + n);
}
template <typename F> NOINLINE void call(F f)
{
	f(1);
}
int main()
{
	using namespace game;
	load(1);
	load(2.0);
	load("x");
	Vec a{1}, b{2};
	sink = (void *)(long)((a + b).x + (a < b));
	a(3);
	a[4];
	make<int, 1>(1);
	make<double, 2>(2);
	make<Vec, 3>(a);
	{
		Box<int> x;
		x.put(1);
		Box<std::string> y;
	}
	hidden(1);
	Secret().run();
	statically(3);
	inl(1);
	inl(2);
	maybe_inlined(1);
	maybe_inlined(2);
	A::helper(1);
	A *p = new B;
	p->virt();
	A q;
	q.virt();
	delete p;
	cloned(1, 5);
	cloned(2, 5);
	c_function(1);
	auto l1 = [](int n) { K(3000 + n); };
	auto l2 = [&](int n) { K(3100 + n + (int)(long)&a % 1); };
	l1(1);
	l2(2);
	call([](int n) { K(3200 + n); });
	call([&](int n) { K(3300 + n + b.x); });
	[] { K(3400); }();
	std::map<int, std::vector<int>> m;
	m[1].push_back(5);
	m[2].resize(100);
	std::string s(500, 'x');
	return 0;
}
