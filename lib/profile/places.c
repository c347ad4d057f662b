/* SPDX-License-Identifier: MIT */
#include "lib/profile/places.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/names/disambiguate.h"

#include <stdlib.h>
#include <string.h>

uint64_t placed_name(const char *raw, size_t n, const char *file, uint32_t module)
{
	const char *end = path_end(file, 0);
	uint64_t h = hash_bytes_seeded(raw, name_without_clones(raw, n), module);

	return hash_bytes_seeded(end, strlen(end), h);
}

void places_add(struct places *p, struct placed placed)
{
	if (placed.file && (placed.line || placed.unique))
		VEC_PUSH(p->items, p->n, p->cap) = placed;
}

void places_add_numbered(struct places *p, struct placed placed)
{
	if (placed.file && placed.line && placed.each > 0)
		VEC_PUSH(p->numbered, p->n_numbered, p->cap_numbered) = placed;
}

static int placed_order(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

void places_sort(struct places *p)
{
	sort_array(p->items, p->n, sizeof *p->items, placed_order);
}

/* The end of those of one name. Of a function of which the first line alone is known, and which has sites, that is a
 * site's, and another one's when one is put in front of it: none. */
static size_t same_name(const struct places *p, size_t i, bool *usable)
{
	size_t end = i + 1;

	while (end < p->n && p->items[end].name == p->items[i].name)
		end++;
	if (p->items[i].first_only && end < p->n && p->items[end].name == p->items[i].name + 1)
		*usable = false;
	return end;
}

/* As many lines in both builds, which all have moved alike, and none to another size. */
static bool moved_alike(const struct placed *a, size_t n_a, const struct placed *b, size_t n_b)
{
	enum { TIMES_MAX = 2 };

	if (n_a != n_b || !a->line || !b->line)
		return false;
	for (size_t i = 0; i < n_a; i++) {
		if (a[i].file != a[0].file || b[i].file != b[0].file ||
		    a[i].line - a[0].line != b[i].line - b[0].line)
			return false;
		if (n_a > 1 &&
		    (a[i].each > TIMES_MAX * b[i].each || b[i].each > TIMES_MAX * a[i].each))
			return false;
	}
	return true;
}

/* Numbered sites between the lines of a, that are as they were so many lines further on. */
static size_t numbered_alike(const struct places *was, const struct places *now,
			     const struct placed *a, size_t n, const struct placed *b,
			     uint32_t further)
{
	size_t alike = 0;

	for (size_t i = 0; i < was->n_numbered; i++) {
		const struct placed *x = &was->numbered[i];

		if (x->file != a->file || x->line < a[0].line || x->line > a[n - 1].line)
			continue;
		for (size_t k = 0; k < now->n_numbered; k++)
			if (now->numbered[k].file == b->file &&
			    now->numbered[k].line == x->line + further &&
			    now->numbered[k].each == x->each) {
				alike++;
				break;
			}
	}
	return alike;
}

/* The ends of a function can have moved alike by chance: what is put in front of the last line, behind what went there. */
static bool moved_by_chance(const struct places *was, const struct places *now,
			    const struct placed *a, size_t n, const struct placed *b)
{
	uint32_t further = b->line - a->line;

	return further &&
	       numbered_alike(was, now, a, n, b, 0) > numbered_alike(was, now, a, n, b, further);
}

/* How many unique names of a file are in which. */
struct vote {
	uint32_t file_a, file_b, n;
};
struct votes {
	struct map64 at;
	struct vote *items;
	size_t n, cap;
};

static void add_vote(struct votes *to, uint32_t file_a, uint32_t file_b)
{
	uint32_t *at = map64_put(&to->at, (uint64_t)file_a << 32 | file_b);

	if (!*at) {
		VEC_PUSH(to->items, to->n, to->cap) = (struct vote){file_a, file_b, 0};
		*at = (uint32_t)to->n;
	}
	to->items[*at - 1].n++;
}

/* Each file's most, where they are each other's and no others are as many. */
static void count_votes(struct votes *v, struct matching_lines *to)
{
	struct map64 most[2] = {MAP64_INIT, MAP64_INIT}; /* file -> votes */
	struct map64 ties[2] = {MAP64_INIT, MAP64_INIT}; /* how many have so many */

	for (size_t i = 0; i < v->n; i++) {
		const uint32_t files[] = {v->items[i].file_a, v->items[i].file_b};

		for (size_t s = 0; s < 2; s++) {
			uint32_t *n = map64_put(&most[s], files[s]),
				 *tie = map64_put(&ties[s], files[s]);

			*tie = v->items[i].n > *n ? 1 : *tie + (v->items[i].n == *n);
			*n = v->items[i].n > *n ? v->items[i].n : *n;
		}
	}
	for (size_t i = 0; i < v->n; i++) {
		const struct vote *x = &v->items[i];

		if (x->n == map64_get(&most[0], x->file_a) &&
		    x->n == map64_get(&most[1], x->file_b) && map64_get(&ties[0], x->file_a) == 1 &&
		    map64_get(&ties[1], x->file_b) == 1)
			VEC_PUSH(to->moves, to->n_moves, to->cap_moves) =
			    (struct matching_move){x->file_a, x->file_b};
	}
	for (size_t s = 0; s < 2; s++) {
		map64_release(&most[s]);
		map64_release(&ties[s]);
	}
}

static bool in_one_file(const struct placed *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (p[i].file != p[0].file)
			return false;
	return p->unique;
}

void places_compare(const struct places *was, const struct places *now, struct matching_lines *to)
{
	struct votes votes = {.n = 0};

	for (size_t i = 0, k = 0; i < was->n && k < now->n;) {
		const struct placed *a = &was->items[i], *b = &now->items[k];
		bool usable = a->name == b->name;
		size_t i_end = i, k_end = k;

		if (a->name <= b->name)
			i_end = same_name(was, i, &usable);
		if (b->name <= a->name)
			k_end = same_name(now, k, &usable);
		if (a->name == b->name && in_one_file(a, i_end - i) && in_one_file(b, k_end - k))
			add_vote(&votes, a->file, b->file);
		if (usable && moved_alike(a, i_end - i, b, k_end - k) &&
		    !moved_by_chance(was, now, a, i_end - i, b))
			for (size_t x = 0; x < i_end - i; x++)
				matching_lines_add(to,
						   (struct matching_anchor){a[x].file, b[x].file,
									    a[x].line, b[x].line});
		i = i_end;
		k = k_end;
	}
	count_votes(&votes, to);
	map64_release(&votes.at);
	free(votes.items);
}

void places_release(struct places *p)
{
	free(p->items);
	free(p->numbered);
	*p = (struct places){.n = 0};
}
