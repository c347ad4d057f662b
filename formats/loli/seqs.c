/* SPDX-License-Identifier: MIT */
#include "formats/loli/seqs.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { WINDOW_BITS = 16, WINDOW_WORDS = (1 << WINDOW_BITS) / 64, WINDOWS_LIVE = 4096 };

static const uint64_t wrap = (uint64_t)1 << 32, wrap_step = 16 << 20;

void loli_seqs_release(struct loli_seqs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->windows[i].bits);
	free(s->windows);
	map64_release(&s->index);
	*s = (struct loli_seqs){0};
}

uint64_t loli_seqs_extend(const struct loli_seqs *s, uint32_t seq)
{
	uint64_t v = (s->max & ~(wrap - 1)) | seq;

	if (v + wrap <= s->max + wrap_step)
		return v + wrap;
	if (v > s->max + wrap / 2 && v >= wrap)
		return v - wrap; /* late, from before the wrap */
	return v;
}

static void close_oldest(struct loli_seqs *s)
{
	while (!s->windows[s->oldest].bits)
		s->oldest++;
	free(s->windows[s->oldest].bits);
	s->windows[s->oldest].bits = NULL;
	s->live--;
}

/* The window's place; made if missing and make is set, else SIZE_MAX. */
static size_t loli_seqs_place_of(struct loli_seqs *s, uint64_t window, bool make)
{
	uint32_t *index;

	if (s->n && s->last == window)
		return s->last_place;
	if (!make && !map64_get(&s->index, window))
		return SIZE_MAX;
	index = map64_put(&s->index, window);
	if (!*index) {
		if (s->live == WINDOWS_LIVE)
			close_oldest(s);
		VEC_PUSH(s->windows, s->n, s->cap) =
		    (struct loli_window){.bits = mem_zarray(WINDOW_WORDS, sizeof(uint64_t))};
		s->live++;
		*index = (uint32_t)s->n;
	}
	s->last = window;
	s->last_place = *index - 1;
	return s->last_place;
}

bool loli_seqs_seen(struct loli_seqs *s, uint64_t seq)
{
	size_t place = loli_seqs_place_of(s, seq >> WINDOW_BITS, false);
	const struct loli_window *w;

	if (place == SIZE_MAX)
		return false;
	w = &s->windows[place];
	return w->full || (w->bits && (w->bits[seq / 64 % WINDOW_WORDS] >> seq % 64 & 1));
}

bool loli_seqs_add(struct loli_seqs *s, uint64_t seq)
{
	size_t place = loli_seqs_place_of(s, seq >> WINDOW_BITS, true);
	struct loli_window *w = &s->windows[place];
	uint64_t *word, bit = (uint64_t)1 << seq % 64;

	if (w->full)
		return false;
	if (w->bits) {
		word = &w->bits[seq / 64 % WINDOW_WORDS];
		if (*word & bit)
			return false;
		*word |= bit;
		if (++w->seen == 1 << WINDOW_BITS) {
			free(w->bits);
			w->bits = NULL;
			w->full = true;
			s->live--;
		}
	}
	if (!s->distinct || seq < s->min)
		s->min = seq;
	if (!s->distinct || seq > s->max)
		s->max = seq;
	s->distinct++;
	return true;
}

uint64_t loli_seqs_missing(const struct loli_seqs *s)
{
	uint64_t span = s->distinct ? s->max - s->min + 1 : 0;

	return span > s->distinct ? span - s->distinct : 0;
}
