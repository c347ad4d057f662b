/* SPDX-License-Identifier: MIT */
#include "lib/tally/pacing.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/tally/state.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000000)

enum { FILM = 24, MINUTE = 60 };

const struct pacing_word pacing_words[PACING_METRICS] = {
    [PACING_RATE] = {"frame rate", "fps", "fps", "fps"},
    [PACING_VARIANCE] = {"frame rate variance", "fps_variance", "variance", ""},
    [PACING_LOW_1] = {"1 % low", "low_1", "1 % low", "fps"},
    [PACING_LOW_01] = {"0.1 % low", "low_01", "0.1 % low", "fps"},
    [PACING_SMALL_JANK] = {"small jank per minute", "small_jank_per_minute", "small / min", ""},
    [PACING_JANK] = {"jank per minute", "jank_per_minute", "janks / min", ""},
    [PACING_BIG_JANK] = {"big jank per minute", "big_jank_per_minute", "big / min", ""},
    [PACING_STUTTER] = {"stutter", "stutter", "stutter %", "%"},
    [PACING_EVENNESS] = {"frame pacing", "frame_pacing_ns", "pacing", "ns"},
    [PACING_MISSED_30] = {"missed at 30 Hz per minute", "missed_30_per_minute",
			  "missed / min, 30 Hz", ""},
    [PACING_MISSED_60] = {"missed at 60 Hz per minute", "missed_60_per_minute",
			  "missed / min, 60 Hz", ""},
    [PACING_MISSED_90] = {"missed at 90 Hz per minute", "missed_90_per_minute",
			  "missed / min, 90 Hz", ""},
    [PACING_MISSED_120] = {"missed at 120 Hz per minute", "missed_120_per_minute",
			   "missed / min, 120 Hz", ""},
};

static const unsigned displays[PACING_DISPLAYS] = {30, 60, 90, 120};

/* Refreshes of a display that went by without it: the nearest number of intervals, less one. */
static uint64_t missed_refreshes(int64_t duration, unsigned hz)
{
	uint64_t n = (uint64_t)(((unsigned __int128)(uint64_t)duration * hz + SECOND / 2) / SECOND);

	return n ? n - 1 : 0;
}

/* Longer than so many frames of a film. */
static bool is_longer(int64_t duration, unsigned frames)
{
	return (__int128)duration * FILM > (__int128)frames * SECOND;
}

static void pacing_judge(struct pacing *p, int64_t duration)
{
	__int128 before = (__int128)p->last[0] + p->last[1] + p->last[2];

	p->judged++;
	if ((__int128)duration * 3 <= before * 2)
		return;
	p->small += is_longer(duration, 1);
	p->big += is_longer(duration, 3);
	if (is_longer(duration, 2)) {
		p->janks++;
		p->stutter += (uint64_t)duration;
	}
}

/* Before the frame's own time is added. */
static void pacing_count_second(struct pacing *p)
{
	uint64_t second = (uint64_t)(p->time / SECOND);

	if (second != p->second) { /* those between are whole, and no frame began in them */
		p->sum += p->in_second;
		p->squares += (unsigned __int128)p->in_second * p->in_second;
		p->in_second = 0;
		p->second = second;
	}
	p->in_second++;
}

void pacing_add(struct pacing *p, bool known, int64_t duration)
{
	if (!known || duration < 0) {
		p->together = 0;
		return;
	}
	pacing_count_second(p);
	p->time += (uint64_t)duration;
	if (p->together >= 3)
		pacing_judge(p, duration);
	if (p->together) {
		p->follows++;
		p->changes += (uint64_t)llabs(duration - p->last[0]);
	}
	p->last[2] = p->last[1];
	p->last[1] = p->last[0];
	p->last[0] = duration;
	p->together += p->together < 4;
	for (unsigned i = 0; i < PACING_DISPLAYS; i++)
		p->missed[i] += missed_refreshes(duration, displays[i]);
	VEC_PUSH(p->durations, p->n, p->cap) = duration;
	p->sorted = false;
}

static int pacing_longer(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x > y ? -1 : x < y;
}

/* n * times / by; false: by is 0, or more than can be told. */
static bool quotient(unsigned __int128 n, uint64_t times, unsigned __int128 by, decimal *v)
{
	struct decimal_sum sum = {0};

	if (!by || by > UINT64_MAX || n > (unsigned __int128)INT64_MAX * INT64_MAX / times)
		return false;
	sum.whole = (__int128)(n * times);
	*v = decimal_mean(&sum, (uint64_t)by);
	return true;
}

/* The rate of the longest 1/`part` of the frames. */
static bool pacing_low(struct pacing *p, uint64_t part, decimal *v)
{
	uint64_t n = (p->n + part - 1) / part;
	unsigned __int128 time = 0;

	if (!p->sorted)
		sort_array(p->durations, p->n, sizeof *p->durations, pacing_longer);
	p->sorted = true;
	for (uint64_t i = 0; i < n; i++)
		time += (uint64_t)p->durations[i];
	return quotient(n, SECOND, time, v);
}

static bool pacing_variance(const struct pacing *p, decimal *v)
{
	unsigned __int128 n = p->time / SECOND, sum = p->sum, squares = p->squares;

	if (!n || n > UINT32_MAX)
		return false;
	if (n > p->second) { /* the one in which the last frame begins is whole */
		sum += p->in_second;
		squares += (unsigned __int128)p->in_second * p->in_second;
	}
	return quotient(squares * n - sum * sum, 1, n * n, v);
}

bool pacing_value(struct pacing *p, enum pacing_metric m, decimal *v)
{
	if (!p->n || (m != PACING_RATE && !p->judged))
		return false;
	switch (m) {
	case PACING_RATE: return quotient(p->n, SECOND, p->time, v);
	case PACING_VARIANCE: return pacing_variance(p, v);
	case PACING_LOW_1: return pacing_low(p, 100, v);
	case PACING_LOW_01: return pacing_low(p, 1000, v);
	case PACING_SMALL_JANK: return quotient(p->small, MINUTE * SECOND, p->time, v);
	case PACING_JANK: return quotient(p->janks, MINUTE * SECOND, p->time, v);
	case PACING_BIG_JANK: return quotient(p->big, MINUTE * SECOND, p->time, v);
	case PACING_STUTTER: return quotient(p->stutter, 100, p->time, v);
	case PACING_EVENNESS: return quotient(p->changes, 1, p->follows, v);
	case PACING_MISSED_30:
	case PACING_MISSED_60:
	case PACING_MISSED_90:
	case PACING_MISSED_120:
		return quotient(p->missed[m - PACING_MISSED_30], MINUTE * SECOND, p->time, v);
	case PACING_METRICS:
	default: return false;
	}
}

void tally_pacing(const struct tally *a, struct pacing *p)
{
	const struct frame_marks *m = &a->state->marks;

	for (size_t i = 0; i < m->n; i++) {
		int64_t ns;
		bool known = frame_marks_duration(m, i, &ns);

		pacing_add(p, known && tally_frame_selected(a, i), ns);
	}
}

void pacing_release(struct pacing *p)
{
	free(p->durations);
	*p = (struct pacing){.n = 0};
}
