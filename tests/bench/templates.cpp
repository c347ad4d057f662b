/* SPDX-License-Identifier: MIT
 *
 * C++ with many templates and inlined calls, for pdb.bash: UNIT (from 0 on) and COUNT choose the instances. Copies of the
 * object get other names of the same length in place of unit0000.
 */
#define IN  inline __attribute__((always_inline))
#define OUT __attribute__((noinline))
extern volatile int sink;
namespace unit0000
{
namespace game
{
template <int N, class T> struct Vec {
	T x, y, z;
	IN T dot(const Vec &o) const
	{
		return x * o.x + y * o.y + z * (o.z + N);
	}
	IN Vec plus(const Vec &o) const
	{
		sink ^= N;
		return Vec{x + o.x, y + o.y, z + o.z};
	}
	IN T scaled(T by) const
	{
		T t = x * by;
		if (dot(*this) > by)
			t += y;
		return t;
	}
};
template <int N> struct Cache {
	int keys[4], values[4];
	IN int find(int key) const
	{
		for (int i = 0; i < 4; i++)
			if (keys[i] == key)
				return values[i] + N;
		return -N;
	}
	IN int put(int key, int value)
	{
		int at = find(key);
		keys[at & 3] = key;
		values[at & 3] = value;
		return at;
	}
};
template <int N> struct Node {
	Vec<N, int> at;
	Vec<N, long long> speed;
	Cache<N> cache;
	OUT int step(int k)
	{
		sink -= k;
		int t = at.scaled(k) + at.plus(at).dot(at) + cache.put(k, N);
		auto twice = [&](int z) {
			sink += z;
			return 2 * z + cache.find(z);
		};
		long long u = speed.plus(speed).scaled(t);
		if (u & 1)
			return twice(t);
		switch (t & 15) {
		case 3: return (int)u * N;
		case 5: sink++; break;
		case 8: return cache.put(t, k) + at.dot(at);
		}
		return twice(k) + turn(t);
	}
	OUT int turn(int k)
	{
		int sum = 0;
		for (int i = 0; i < (k & 7); i++)
			sum += cache.put(i, at.scaled(i)) ^ (int)speed.dot(speed);
		return sum + at.plus(at).scaled(k);
	}
};
template <int From, int To> struct World {
	static IN int run(int k)
	{
		return World<From, (From + To) / 2>::run(k) + World<(From + To) / 2, To>::run(k);
	}
};
template <int From> struct World<From, From + 1> {
	static OUT int run(int k)
	{
		Node<From> n{};
		n.at = {k, From, k};
		return n.step(k) + n.turn(k);
	}
};
} // namespace game
int run(int k)
{
	return game::World<UNIT * COUNT, UNIT * COUNT + COUNT>::run(k);
}
} // namespace unit0000
