/* SPDX-License-Identifier: MIT
 *
 * The answers of one unit for every address that it owns (pieces.h). Between two neighbours of all the
 * places where some range or row begins or ends nothing can change, so the unit answers exactly
 * those places.
 */
#include "lib/dwarf/fast/pieces.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/split.h"
#include "lib/dwarf/fast/whole.h"

#include <stdlib.h>

static void fast_piece_add_place(void *arg, uint64_t lo, uint64_t hi)
{
	struct fast_scratch *s = arg;
	struct fast_line_places *p = &s->places;

	VEC_PUSH(p->all, p->n, p->cap) = (struct sort_item){lo, 0};
	VEC_PUSH(p->all, p->n, p->cap) = (struct sort_item){hi, 0};
}

void fast_pieces_own(void *arg, uint64_t lo, uint64_t hi)
{
	struct fast_scratch *s = arg;

	VEC_PUSH(s->owned, s->n_owned, s->cap_owned) = (struct fast_range){lo, hi};
	fast_piece_add_place(arg, lo, hi);
}

static int fast_piece_by_lo(const void *a, const void *b)
{
	const struct fast_range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sorted and disjoint; ranges that touch are joined. */
static void tidy_owned(struct fast_scratch *s)
{
	size_t n = 0;

	sort_array(s->owned, s->n_owned, sizeof *s->owned, fast_piece_by_lo);
	for (size_t i = 0; i < s->n_owned; i++) {
		struct fast_range r = s->owned[i];

		if (n && r.lo <= s->owned[n - 1].hi) {
			if (r.hi > s->owned[n - 1].hi)
				s->owned[n - 1].hi = r.hi;
		} else {
			s->owned[n++] = r;
		}
	}
	s->n_owned = n;
}

/* The places that the unit owns, sorted and unique, become the addresses to ask. */
static size_t fast_piece_choose_addrs(struct fast_scratch *s)
{
	struct fast_line_places *p = &s->places;
	size_t n = 0, r = 0;

	if (p->n > s->cap_addrs) {
		s->cap_addrs = p->n + p->n / 2;
		s->addrs = mem_realloc(s->addrs, s->cap_addrs, sizeof *s->addrs);
		s->of = mem_realloc(s->of, s->cap_addrs, sizeof *s->of);
		s->query = mem_realloc(s->query, s->cap_addrs, sizeof *s->query);
		s->stamps = mem_realloc(s->stamps, s->cap_addrs, sizeof *s->stamps);
	}
	sort_radix(p->all, p->n);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t at = p->all[i].key;

		while (r < s->n_owned && s->owned[r].hi <= at)
			r++;
		if (r == s->n_owned)
			break;
		if (at < s->owned[r].lo || (n && s->addrs[n - 1] == at))
			continue;
		s->query[n] = (uint32_t)n;
		s->addrs[n++] = at;
	}
	memset(s->stamps, 0, n * sizeof *s->stamps);
	return n;
}

static bool goes_on(const struct fast_piece *last, const struct fast_piece *x)
{
	return last->hi == x->lo && last->unit == x->unit && last->call == x->call &&
	       last->found == x->found;
}

void fast_pieces_add(struct fast_pieces *p, const struct fast_piece *x)
{
	if (p->n && goes_on(&p->all[p->n - 1], x)) {
		p->all[p->n - 1].hi = x->hi;
		return;
	}
	p->all = p->n < p->cap ? p->all : mem_grow(p->all, &p->cap, p->n + 1, sizeof *p->all);
	p->all[p->n++] = *x;
}

/* False: the unit must be looked up. */
static bool fast_piece_answer_unit(struct fast_file *f, struct fast_worker *w,
				   struct fast_scratch *s, uint32_t unit)
{
	struct fast_unit *u = &f->units[unit];
	struct fast_answers a = {.unit = unit, .direct = true};
	const struct fast_part *part = u->split ? fast_part_of(f, u, &w->budget) : NULL;
	struct fast_file *of = part ? part->file : f; /* where its functions are */
	const struct fast_unit *v = part ? &part->unit : u;
	const struct abbrevs *t = of ? fast_worker_table(w, of, v) : NULL;

	v = of ? fast_worker_unit(w, of, v) : v;

	w->scopes.loose = false;
	if (!t || t->why ||
	    fast_scopes_ranges(of, v, t, true, &w->budget, &w->scopes, fast_piece_add_place, s) ||
	    fast_lines_places(f, u, &w->budget, &w->lines, &s->places) ||
	    s->places.n >= UINT32_MAX / 2)
		return false;
	a.n = s->n_addrs = fast_piece_choose_addrs(s);
	a.query = s->query;
	a.to = s->of;
	a.lines = &s->places;
	w->scopes.stamps = s->stamps;
	fast_answers_make(w, f, s->addrs, &a);
	w->scopes.stamps = NULL;
	return !w->scopes.loose && !a.why && !a.why_no_lines && a.made;
}

bool fast_pieces_make(struct fast_file *f, struct fast_worker *w, struct fast_scratch *s,
		      uint32_t unit, struct fast_pieces *p)
{
	bool good;
	size_t q = 0;

	tidy_owned(s);
	good = fast_piece_answer_unit(f, w, s, unit);
	for (size_t r = 0; r < s->n_owned; r++) {
		const struct fast_range *o = &s->owned[r];

		if (!good) {
			fast_pieces_add(p, &(struct fast_piece){o->lo, o->hi, unit, 0, DWARF_ASK});
			continue;
		}
		for (; q < s->n_addrs && s->addrs[q] < o->hi; q++) {
			uint64_t hi =
			    q + 1 < s->n_addrs && s->addrs[q + 1] < o->hi ? s->addrs[q + 1] : o->hi;

			fast_pieces_add(p, &(struct fast_piece){s->addrs[q], hi, unit,
								s->of[q].call, s->of[q].found});
		}
	}
	return good;
}

void fast_scratch_release(struct fast_scratch *s)
{
	fast_line_places_release(&s->places);
	free(s->owned);
	free(s->addrs);
	free(s->of);
	free(s->query);
	free(s->stamps);
	*s = (struct fast_scratch){.n_addrs = 0};
}
