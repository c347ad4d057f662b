// SPDX-License-Identifier: MIT
//
// A loop with all that a game of its own engine marks: frames, counters, its log, its pools, what a function may take, and
// jobs on fibers. Without a recorder each mark tests a pointer; with -DTRACEMILL_OFF there is nothing.
#include <tracemill.h>
#include <tracemill/spike.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

// A pool hands out parts of a large block: malloc is asked once, and the recording has each part.
struct Pool {
	Pool(const char *type, std::size_t size, std::size_t n) : type(type), size(size), memory(new char[size * n])
	{
		for (std::size_t i = 0; i < n; i++)
			free.push_back(&memory[i * size]);
	}
	void *take()
	{
		if (free.empty())
			return nullptr;
		void *p = free.back();

		free.pop_back();
		tracemill_alloc(TRACEMILL_POOL, p, size, type);
		return p;
	}
	void give(void *p)
	{
		tracemill_free(TRACEMILL_POOL, p); // before anybody else can get it
		free.push_back(static_cast<char *>(p));
	}

	const char *type;
	std::size_t size;
	std::unique_ptr<char[]> memory;
	std::vector<char *> free;
};

static std::vector<std::string> names;

static void load(const char *asset)
{
	PET_FUNCTION();
	PET_SetFunctionThresholdMSec(4);
	PET_SetFunctionDescf("%s", asset);
	tracemill_log(TRACEMILL_INFO, (std::string("load ") + asset).c_str());
	for (int i = 0; i < 1000; i++)
		names.push_back(std::string(asset) + "/a name that is long enough " + std::to_string(i));
}

static void tick(Pool &shots, int frame)
{
	PET_FUNCTION();
	void *shot = shots.take();

	if (frame == 30)
		load("harbour");
	tracemill_counter("shots", 1);
	tracemill_counter_unit("names", "", names.size());
	if (shot)
		shots.give(shot);
}

int main(int argc, char **argv)
{
	int frames = argc > 1 ? std::atoi(argv[1]) : 60;
	Pool shots("Shot", 96, 64);

	for (int i = 0; i < frames; i++) {
		tracemill_frame();
		tick(shots, i);
	}
	return 0;
}
