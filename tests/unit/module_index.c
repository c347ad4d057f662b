/* SPDX-License-Identifier: MIT
 *
 * The index of modules against a look at every range of every module.
 */
#include "lib/trace/module_index.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

static const struct module *naive(const struct trace *t, uint32_t process, uint32_t epoch,
				  uint64_t addr)
{
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];

		if (m->process != process || epoch < m->epoch_lo ||
		    (m->epoch_hi && epoch >= m->epoch_hi))
			continue;
		for (uint32_t r = 0; r < m->n_ranges; r++)
			if (m->ranges[r].lo <= addr && addr < m->ranges[r].hi)
				return m;
	}
	return NULL;
}

static void add_random(struct trace *t, uint64_t *state)
{
	struct map_range ranges[3];
	struct module m = {.ranges = ranges, .n_ranges = (uint32_t)lcg_below(state, 4)};

	m.process = lcg_below(state, 3) ? (uint32_t)lcg_below(state, 2) : UINT32_MAX;
	m.epoch_lo = (uint32_t)lcg_below(state, 4);
	m.epoch_hi = (uint32_t)lcg_below(state, 6); /* 0: for ever; or before it was loaded */
	for (uint32_t r = 0; r < m.n_ranges; r++) {
		ranges[r].lo = lcg_below(state, 40);
		ranges[r].hi = ranges[r].lo + lcg_below(state, 12);
	}
	trace_module(t, &m);
}

TEST(random_modules_are_found_as_by_looking_at_all)
{
	uint64_t state = 20;

	for (int round = 0; round < 300; round++) {
		struct trace *t = trace_new();
		struct module_index *x;
		unsigned wrong = 0;

		for (uint64_t n = lcg_below(&state, 14); n; n--)
			add_random(t, &state);
		x = module_index_new(t);
		for (uint32_t p = 0; p < 3; p++)
			for (uint32_t epoch = 0; epoch < 7; epoch++)
				for (uint64_t addr = 0; addr < 55; addr++) {
					uint32_t process = p < 2 ? p : UINT32_MAX;
					const struct map_range *range = NULL;
					const struct module *m =
					    module_index_at(x, process, epoch, addr, &range);

					wrong += m != naive(t, process, epoch, addr);
					wrong += m && !(range >= m->ranges &&
							range < m->ranges + m->n_ranges &&
							range->lo <= addr && addr < range->hi);
				}
		CHECK_EQ(wrong, 0);
		module_index_free(x);
		trace_free(t);
	}
}

TEST(the_ends_of_the_numbers)
{
	struct map_range all = {.lo = 0, .hi = UINT64_MAX};
	struct module m = {.process = UINT32_MAX, .ranges = &all, .n_ranges = 1};
	struct trace *t = trace_new();
	struct module_index *x = module_index_new(t);
	const struct map_range *range;

	CHECK(!module_index_at(x, 0, 0, 0, &range));
	module_index_free(x);
	m.epoch_lo = UINT32_MAX;
	trace_module(t, &m);
	x = module_index_new(t);
	CHECK(module_index_at(x, UINT32_MAX, UINT32_MAX, UINT64_MAX - 1, &range) == &t->modules[1]);
	CHECK(!module_index_at(x, UINT32_MAX, UINT32_MAX, UINT64_MAX, &range));
	CHECK(!module_index_at(x, UINT32_MAX, UINT32_MAX - 1, 0, &range));
	CHECK(!module_index_at(x, UINT32_MAX - 1, UINT32_MAX, 0, &range));
	module_index_free(x);
	trace_free(t);
}

/* Would take minutes by looking at each module, or by following overlaps. */
TEST(a_million_addresses_in_modules_that_overlap)
{
	enum { MODULES = 20000, STEP = 50, ADDRESSES = MODULES * STEP };
	struct trace *t = trace_new();
	struct module_index *x;
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < MODULES; i++) {
		struct map_range r = {.lo = (MODULES - i) * STEP, .hi = UINT64_C(1) << 40};

		trace_module(t, &(struct module){.ranges = &r, .n_ranges = 1, .epoch_lo = i / 4});
	}
	x = module_index_new(t);
	for (uint64_t addr = 0; addr < ADDRESSES; addr++) {
		const struct map_range *range;
		const struct module *m = module_index_at(x, 0, MODULES, addr, &range);

		wrong += m != (addr < STEP ? NULL : &t->modules[1 + MODULES - addr / STEP]);
	}
	CHECK_EQ(wrong, 0);
	module_index_free(x);
	trace_free(t);
}

TEST_MAIN()
