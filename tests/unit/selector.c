/* SPDX-License-Identifier: MIT */
#include "lib/select/selector.h"

#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

static struct selector selector_of(struct tally_selection *s, const char *frames, const char *times)
{
	struct err e = ERR_INIT;

	selection_init(s);
	if (frames)
		CHECK(!selection_frames(s, frames, &e));
	if (times)
		CHECK(!selection_times(s, times, &e));
	return (struct selector){.selection = s};
}

TEST(frames_and_times_both_hold)
{
	struct tally_selection s;
	struct selector x = selector_of(&s, "3..5", "20ns..40ns");

	for (int64_t frame = 0; frame < 8; frame++)
		for (int64_t time = 0; time < 60; time++)
			for (unsigned k = 0; k < 4; k++) {
				bool in_frame = k & 1, has_time = k & 2;

				x.at = (struct selection_place){frame, time, in_frame, has_time};
				CHECK_EQ(selector_has_place(&x), k == 3 && frame >= 3 &&
								     frame <= 5 && time >= 20 &&
								     time <= 40);
				CHECK_EQ(selector_is_over(&x),
					 (in_frame && frame > 5) || (has_time && time > 40));
			}
	selector_release(&x);
	selection_release(&s);
}

TEST(without_a_selection_all_counts)
{
	struct selector x = {.selection = NULL};
	const struct event ev = {.kind = EV_FREE};

	CHECK(selector_has_place(&x) && selector_has_size(&x, &ev) && !selector_is_over(&x));
	CHECK(selector_has_thread(&x, NULL, 7));
}

TEST(sizes_are_those_of_allocations)
{
	static const uint8_t kinds[] = {EV_ALLOC, EV_PROFILE, EV_FREE, EV_TYPE_TOTAL, EV_LOG};
	struct tally_selection s;
	struct err e = ERR_INIT;

	selection_init(&s);
	CHECK(!selection_sizes(&s, "10..20", &e));
	for (size_t k = 0; k < sizeof kinds; k++)
		for (uint64_t n = 8; n < 23; n++) {
			struct event ev = {.kind = kinds[k], .requested = n, .real = 15};
			bool in = k < 2 && n >= 10 && n <= 20;

			CHECK(!selection_has_size(&s, &ev));
			ev.has = EV_HAS_REAL;
			CHECK_EQ(selection_has_size(&s, &ev), k < 2);
			ev.has = EV_HAS_REAL | EV_HAS_REQUESTED;
			CHECK_EQ(selection_has_size(&s, &ev), in);
		}
	selection_release(&s);
}

/* An event without a time has that of the newest one, and the frame in whose place it stands; a late one
 * has the frame of its time. */
TEST(events_lie_where_they_came_or_where_their_time_is)
{
	const struct event events[] = {
	    {.kind = EV_ALLOC},
	    {.kind = EV_FRAME, .has = EV_HAS_VALUE | EV_HAS_TIME, .value = 4, .time = 100},
	    {.kind = EV_ALLOC},
	    {.kind = EV_FRAME, .has = EV_HAS_VALUE | EV_HAS_TIME, .value = 5, .time = 200},
	    {.kind = EV_ALLOC, .has = EV_HAS_TIME, .time = 150},
	    {.kind = EV_ALLOC},
	};
	static const struct selection_place want[] = {{0, 0, false, false}, {4, 100, true, true},
						      {4, 100, true, true}, {5, 200, true, true},
						      {4, 150, true, true}, {5, 150, true, true}};
	struct trace *t = trace_new();
	struct selector x = {.selection = NULL};

	for (unsigned again = 0; again < 2; again++) {
		selector_begin(&x, t);
		for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
			selector_take(&x, &events[i]);
			CHECK_EQ(x.at.in_frame, want[i].in_frame);
			CHECK_EQ(x.at.has_time, want[i].has_time);
			CHECK_EQ(x.at.frame, want[i].frame);
			if (want[i].has_time)
				CHECK_EQ(x.at.time, want[i].time);
		}
	}
	selector_release(&x);
	trace_free(t);
}

TEST(a_thread_is_asked_once)
{
	struct tally_selection s;
	struct trace *t = trace_new();
	uint32_t main = trace_thread(t, &(struct thread){.tid = 1, .name = trace_strz(t, "main")});
	uint32_t other = trace_thread(t, &(struct thread){.tid = 2, .name = trace_strz(t, "io")});
	struct err e = ERR_INIT;
	struct selector x = selector_of(&s, NULL, NULL);

	CHECK(!selection_thread(&s, "main", 0, &e));
	selector_begin(&x, t);
	for (unsigned again = 0; again < 2; again++) {
		CHECK(selector_has_thread(&x, t, main));
		CHECK(!selector_has_thread(&x, t, other));
		CHECK(!selector_has_thread(&x, t, 0));
	}
	selector_begin(&x, t);
	CHECK(selector_has_thread(&x, t, main));
	selector_release(&x);
	selection_release(&s);
	trace_free(t);
}

TEST_MAIN()
