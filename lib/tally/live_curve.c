/* SPDX-License-Identifier: MIT */
#include "lib/tally/live_curve.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct live_window empty = {.time = INT64_MIN};

static void join(struct live_window *to, const struct live_window *from)
{
	to->change = (int64_t)((uint64_t)to->change + (uint64_t)from->change);
	to->time = from->time > to->time ? from->time : to->time;
}

enum { LOOKS = 1024 }; /* words of timed that a look for a time goes back */

static void set_timed(struct live_curve *c)
{
	size_t n = c->cap / 64 + 1;

	c->timed = mem_grow(c->timed, &c->cap_timed, n, sizeof *c->timed);
	memset(c->timed, 0, c->cap_timed * sizeof *c->timed);
	for (size_t i = 0; i < c->n; i++)
		if (c->windows[i].time != INT64_MIN)
			c->timed[i / 64] |= (uint64_t)1 << i % 64;
}

static void halve(struct live_curve *c)
{
	uint64_t first = c->first >> 1;

	for (size_t i = 0; i < c->n; i++) {
		size_t to = (size_t)(((c->first + i) >> 1) - first);
		struct live_window w = c->windows[i];

		if (to < i && (c->first + i) % 2 == 0)
			c->windows[to] = empty;
		if (to < i)
			join(&c->windows[to], &w);
	}
	c->n = (size_t)(((c->first + c->n - 1) >> 1) - first) + 1;
	c->first = first;
	c->shift++;
	set_timed(c);
}

/* Windows are added so that there are as many again: rarely. */
static void extend_down(struct live_curve *c, uint64_t to)
{
	uint64_t more = c->first - to, most = LIVE_WINDOWS - c->n;

	more = more < c->n ? c->n : more;
	more = more < most ? more : most;
	more = more < c->first ? more : c->first;
	c->windows = mem_grow(c->windows, &c->cap, c->n + (size_t)more, sizeof *c->windows);
	memmove(c->windows + more, c->windows, c->n * sizeof *c->windows);
	for (size_t i = 0; i < more; i++)
		c->windows[i] = empty;
	c->n += (size_t)more;
	c->first -= more;
	set_timed(c);
}

static void extend_up(struct live_curve *c, uint64_t to)
{
	size_t n = (size_t)(to - c->first) + 1;

	c->windows = mem_grow(c->windows, &c->cap, n, sizeof *c->windows);
	for (; c->n < n; c->n++)
		c->windows[c->n] = empty;
	if (c->cap / 64 >= c->cap_timed)
		set_timed(c);
}

void live_curve_add(struct live_curve *c, uint64_t seq, int64_t change, bool timed, int64_t time)
{
	const struct live_window one = {change, timed ? time : INT64_MIN};
	uint64_t at = seq >> c->shift;

	c->has_time |= timed;
	if (!c->n)
		c->first = at;
	while (c->n && (at < c->first ? c->first + c->n - 1 - at : at - c->first) >= LIVE_WINDOWS) {
		halve(c);
		at = seq >> c->shift;
	}
	if (at < c->first)
		extend_down(c, at);
	if (at >= c->first + c->n)
		extend_up(c, at);
	join(&c->windows[at - c->first], &one);
	if (one.time != INT64_MIN)
		c->timed[(at - c->first) / 64] |= (uint64_t)1 << (at - c->first) % 64;
}

bool live_curve_time(const struct live_curve *c, uint64_t seq, int64_t *time)
{
	uint64_t at = seq >> c->shift;
	size_t i, word, looks = 0;
	uint64_t bits;

	if (!c->n || at < c->first)
		return false;
	i = at - c->first < c->n ? (size_t)(at - c->first) : c->n - 1;
	word = i / 64;
	bits = c->timed[word] & UINT64_MAX >> (63 - i % 64);
	for (; !bits && word && looks < LOOKS; looks++)
		bits = c->timed[--word];
	if (!bits)
		return false;
	*time = c->windows[word * 64 + 63 - (size_t)__builtin_clzll(bits)].time;
	return true;
}

void live_curve_walk(const struct live_curve *c, live_curve_step step, void *arg)
{
	int64_t live = 0, time = INT64_MIN;

	for (size_t i = 0; i < c->n; i++) {
		live = (int64_t)((uint64_t)live + (uint64_t)c->windows[i].change);
		time = c->windows[i].time > time ? c->windows[i].time : time;
		step(arg, live, time);
	}
}

void live_curve_reset(struct live_curve *c)
{
	c->n = 0;
	c->shift = 0;
	if (c->timed)
		memset(c->timed, 0, c->cap_timed * sizeof *c->timed);
	c->guessed = c->disordered = c->has_time = false;
}

void live_curve_release(struct live_curve *c)
{
	free(c->windows);
	free(c->timed);
	*c = (struct live_curve){.n = 0};
}
