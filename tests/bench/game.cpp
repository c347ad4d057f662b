// SPDX-License-Identifier: MIT
//
// game FRAMES: a loop of frames that allocate as games do, some 1,600 blocks each, and a thread with work of its own. Prints the
// median, the 99th percentile and the longest of the frames' times in ms, of the processor's time that the thread had.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <tracemill.h>
#include <unordered_map>
#include <vector>

struct entity {
	std::string name;
	std::vector<float> way;
	std::unique_ptr<entity> carried;
	float at = 0;
};

static std::vector<std::unique_ptr<entity>> world;
static unsigned state = 1;

static unsigned any(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

__attribute__((noinline)) static std::unique_ptr<entity> spawn(int carries)
{
	auto e = std::make_unique<entity>();

	e->name = "an entity with the number " + std::to_string(any(100000));
	e->way.resize(4 + any(60));
	if (carries)
		e->carried = spawn(carries - 1);
	return e;
}

__attribute__((noinline)) static void come_and_go()
{
	for (int i = 0; i < 30; i++)
		world.push_back(spawn(2));
	if (world.size() > 600)
		world.erase(world.begin(), world.end() - 600);
}

__attribute__((noinline)) static void find_way(entity &e)
{
	std::unordered_map<unsigned, float> open;
	std::vector<float> way;

	for (int i = 0; i < 24; i++)
		open[any(4096)] = (float)i;
	for (auto &place : open)
		way.push_back(place.second);
	e.way.swap(way);
}

__attribute__((noinline)) static void move_all()
{
	double sum = 0;

	for (int k = 0; k < 60; k++)
		for (auto &e : world) {
			sum += e->at * 0.5 + (double)e->way.size();
			e->at = (float)(sum - (double)(long)sum);
		}
}

__attribute__((noinline)) static void load_level()
{
	std::vector<std::string> assets;
	std::vector<char> texture(4 << 20);

	for (size_t i = 0; i < texture.size(); i += 4096)
		texture[i] = 1;
	for (int i = 0; i < 4000; i++)
		assets.push_back("textures of the level/" + std::to_string(i));
}

static double now()
{
	timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	size_t frames = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1500;
	std::atomic<bool> over{false};
	std::vector<double> took;
	std::thread other([&] {
		while (!over) {
			std::vector<std::string> jobs;
			timespec pause = {0, 2000000};

			for (size_t i = 0; i < 50; i++)
				jobs.emplace_back(20 + i * 4, 'j');
			nanosleep(&pause, nullptr);
		}
	});

	took.reserve(frames);
	for (size_t f = 0; f < frames; f++) {
		double begin;

		tracemill_frame();
		begin = now();
		come_and_go();
		for (int i = 0; i < 40; i++)
			find_way(*world[any((unsigned)world.size())]);
		move_all();
		if (f % 150 == 100)
			load_level();
		took.push_back(now() - begin);
	}
	over = true;
	other.join();
	std::sort(took.begin(), took.end());
	printf("%.4f %.4f %.4f\n", took[frames / 2], took[frames * 99 / 100], took.back());
}
