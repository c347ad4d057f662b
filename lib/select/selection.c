/* SPDX-License-Identifier: MIT */
#include "lib/select/selection.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

typedef bool (*parse_value)(const char *s, size_t n, int64_t *v);

static bool selection_parse_size(const char *s, size_t n, int64_t *v)
{
	uint64_t u;

	if (!num_size(s, n, &u))
		return false;
	*v = u > INT64_MAX ? INT64_MAX : (int64_t)u;
	return true;
}

static void selection_set_apart(struct selection_ranges *r, struct selection_range add)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < r->n_apart; i++) {
		struct selection_range one = r->apart[i];

		if (one.lo > add.hi || one.hi < add.lo) {
			at += one.hi < add.lo;
			r->apart[kept++] = one;
			continue;
		}
		add.lo = one.lo < add.lo ? one.lo : add.lo;
		add.hi = one.hi > add.hi ? one.hi : add.hi;
	}
	r->n_apart = kept;
	VEC_PUSH(r->apart, r->n_apart, r->cap_apart) = add;
	memmove(&r->apart[at + 1], &r->apart[at], (kept - at) * sizeof add);
	r->apart[at] = add;
}

static enum status selection_add_range(struct selection_ranges *r, const char *text,
				       parse_value parse, bool alone, const char *what,
				       struct err *e)
{
	struct selection_range range = {INT64_MIN, INT64_MAX};
	const char *dots = strstr(text, "..");
	size_t n = dots ? (size_t)(dots - text) : strlen(text);
	const char *hi = dots ? dots + 2 : text;

	if (!dots && !alone)
		return err_set(e, ST_BAD, "'%s' is not a range of %s: A..B, A.. or ..B", text,
			       what);
	if ((!dots || n) && !parse(text, n, &range.lo))
		return err_set(e, ST_BAD, "'%.*s' is not a %s", (int)n, text, what);
	if ((!dots || *hi) && !parse(hi, strlen(hi), &range.hi))
		return err_set(e, ST_BAD, "'%s' is not a %s", hi, what);
	if (dots && !n && !*hi)
		return err_set(e, ST_BAD, "'%s': a range without ends", text);
	if (range.lo > range.hi)
		return err_set(e, ST_BAD, "'%s': the range ends before it begins", text);
	if (!r->n || range.hi > r->end)
		r->end = range.hi;
	VEC_PUSH(r->items, r->n, r->cap) = range;
	selection_set_apart(r, range);
	return ST_OK;
}

enum status selection_frames(struct tally_selection *s, const char *text, struct err *e)
{
	return selection_add_range(&s->frames, text, num_i64, true, "frame number", e);
}

enum status selection_times(struct tally_selection *s, const char *text, struct err *e)
{
	return selection_add_range(&s->times, text, num_time, false, "time (250ms, 1.5s)", e);
}

enum status selection_sizes(struct tally_selection *s, const char *text, struct err *e)
{
	return selection_add_range(&s->sizes, text, selection_parse_size, true,
				   "size (4096, 64KiB, 1.5M)", e);
}

enum status selection_thread(struct tally_selection *s, const char *text, unsigned flags,
			     struct err *e)
{
	struct selection_thread th = {.match = NULL};

	if (!num_auto(text, strlen(text), &th.tid)) {
		th.match =
		    match_new((struct match_place){"--thread", 0}, text, strlen(text), flags, e);
		if (!th.match)
			return err_failure(e);
	}
	VEC_PUSH(s->threads, s->n_threads, s->cap_threads) = th;
	return ST_OK;
}

bool selection_has_thread(const struct tally_selection *s, const struct trace *t, uint32_t thread)
{
	const struct thread *th = &t->threads[thread < t->n_threads ? thread : 0];

	bool any = !s->n_threads;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct selection_thread *want = &s->threads[i];
		size_t n;
		const char *name;

		if (!want->match && thread && th->tid == want->tid)
			any = true;
		if (!want->match || !thread || (any && !match_unmatched(want->match)))
			continue;
		name = intern_text(&t->strings, th->name, &n);
		if (match_test(want->match, name, n))
			any = true;
	}
	return any;
}

void selection_init(struct tally_selection *s)
{
	*s = (struct tally_selection){.n_threads = 0};
	s->frames.end = s->times.end = s->sizes.end = INT64_MAX;
}

void selection_release(struct tally_selection *s)
{
	free(s->frames.items);
	free(s->times.items);
	free(s->sizes.items);
	free(s->frames.apart);
	free(s->times.apart);
	free(s->sizes.apart);
	for (size_t i = 0; i < s->n_threads; i++)
		match_free(s->threads[i].match);
	free(s->threads);
	*s = (struct tally_selection){.n_threads = 0};
}
