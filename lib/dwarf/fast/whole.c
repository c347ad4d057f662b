/* SPDX-License-Identifier: MIT
 *
 * Answers for every address of a file (whole.h). The engine answers batches. Between two neighbours
 * of all the places where some range or row begins or ends nothing can change, so each unit answers
 * exactly those places (in parallel), which gives its pieces, many in a row. Rows that no other
 * unit's overlaps, which are nearly all, are put in order as they are; the others are merged two by
 * two, by the engine's own order: the better answer, and of equal ones that of the unit that comes
 * first.
 */
#include "lib/dwarf/fast/whole.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/dwarf/fast/merge.h"
#include "lib/dwarf/fast/pieces.h"
#include "lib/dwarf/fast/split.h"
#include "lib/dwarf/sections.h"

#include <inttypes.h>
#include <stdlib.h>

struct whole {
	struct fast_engine g;
	struct fast_file file;
	struct dwarf_answers made;    /* of all units */
	struct fast_scratch *scratch; /* by worker */
	struct fast_pieces *pieces;   /* by unit */
	uint64_t n_pieces;
	bool too_many;
};

static void fast_whole_do_unit(size_t item, unsigned index, void *arg)
{
	struct whole *x = arg;
	struct fast_scratch *s = &x->scratch[index];
	struct fast_worker *w = &x->g.workers[index];
	uint32_t unit = x->g.order[item];
	struct fast_pieces *p = &x->pieces[unit];

	s->n_owned = s->places.n = 0;
	if (x->too_many || w->budget.over ||
	    !fast_own(x->g.file, w, &x->g.file->units[unit], fast_pieces_own, s) || !s->n_owned)
		return;
	fast_pieces_make(x->g.file, w, s, unit, p);
	if (__atomic_add_fetch(&x->n_pieces, p->n, __ATOMIC_RELAXED) > WHOLE_LIMIT_PIECES)
		__atomic_store_n(&x->too_many, true, __ATOMIC_RELAXED);
	if (index == 0 && x->g.options->progress)
		x->g.options->progress(x->g.options->progress_arg, item, x->g.file->n_units);
}

static unsigned worth(uint8_t found)
{
	return found == DWARF_ASK         ? 3
	       : found == DWARF_FUNCTION  ? 2
	       : found == DWARF_LINE_ONLY ? 1
					  : 0;
}

/* Those of a come first. */
static void fast_whole_merge(struct fast_pieces *a, struct fast_pieces *b)
{
	struct fast_pieces out = {.n = 0};
	size_t i = 0, k = 0;
	uint64_t at = 0;

	if (!b->n || (a->n && a->all[a->n - 1].hi <= b->all[0].lo)) {
		for (; k < b->n; k++)
			VEC_PUSH(a->all, a->n, a->cap) = b->all[k];
		free(b->all);
		*b = (struct fast_pieces){.n = 0};
		return;
	}
	out.cap = a->n + b->n + 16;
	out.all = mem_array(out.cap, sizeof *out.all);
	while (i < a->n || k < b->n) {
		const struct fast_piece *x = i < a->n ? &a->all[i] : NULL;
		const struct fast_piece *y = k < b->n ? &b->all[k] : NULL;
		uint64_t x_lo = !x ? UINT64_MAX : x->lo > at ? x->lo : at;
		uint64_t y_lo = !y ? UINT64_MAX : y->lo > at ? y->lo : at;
		struct fast_piece p;

		if (x && y && x_lo == y_lo) {
			p = worth(y->found) > worth(x->found) ? *y : *x;
			p.hi = x->hi < y->hi ? x->hi : y->hi;
		} else if (x && (!y || x_lo < y_lo)) {
			p = *x;
			p.hi = y && y_lo < x->hi ? y_lo : x->hi;
		} else if (y) {
			p = *y;
			p.hi = x && x_lo < y->hi ? x_lo : y->hi;
		} else {
			break;
		}
		p.lo = x_lo < y_lo ? x_lo : y_lo;
		fast_pieces_add(&out, &p);
		at = p.hi;
		i += x && x->hi <= at;
		k += y && y->hi <= at;
	}
	free(a->all);
	free(b->all);
	*a = out;
	*b = (struct fast_pieces){.n = 0};
}

/* Pieces of one unit that touch each other. */
struct row {
	uint64_t lo, hi;
	const struct fast_piece *all;
	size_t n;
	uint32_t unit;
};

struct rows {
	struct row *all;
	size_t n, cap;
};

static void add_rows(struct rows *rows, uint32_t unit, const struct fast_pieces *p)
{
	for (size_t i = 0, end; i < p->n; i = end) {
		for (end = i + 1; end < p->n && p->all[end].lo == p->all[end - 1].hi;)
			end++;
		VEC_PUSH(rows->all, rows->n, rows->cap) =
		    (struct row){p->all[i].lo, p->all[end - 1].hi, &p->all[i], end - i, unit};
	}
}

static void order_rows(struct rows *rows)
{
	struct sort_item *items = pages_array(rows->n, sizeof *items);
	struct row *sorted = pages_array(rows->n, sizeof *sorted);

	for (size_t i = 0; i < rows->n; i++)
		items[i] = (struct sort_item){rows->all[i].lo, (uint32_t)i};
	sort_radix(items, rows->n);
	for (size_t i = 0; i < rows->n; i++)
		sorted[i] = rows->all[items[i].index];
	free(items);
	free(rows->all);
	rows->all = sorted;
}

static int fast_whole_by_unit(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Rows that overlap, as pieces that do not; the caller frees what it gets. */
static struct fast_pieces fast_whole_merge_rows(struct row *rows, size_t n)
{
	struct fast_pieces *of = mem_zarray(n, sizeof *of), all;
	size_t n_units = 0;

	sort_array(rows, n, sizeof *rows, fast_whole_by_unit);
	for (size_t i = 0; i < n; i++) {
		struct fast_pieces *p;

		n_units += !i || rows[i].unit != rows[i - 1].unit;
		p = &of[n_units - 1];
		p->all = mem_grow(p->all, &p->cap, p->n + rows[i].n, sizeof *p->all);
		memcpy(p->all + p->n, rows[i].all, rows[i].n * sizeof *p->all);
		p->n += rows[i].n;
	}
	for (size_t step = 1; step < n_units; step *= 2)
		for (size_t i = 0; i + step < n_units; i += 2 * step)
			fast_whole_merge(&of[i], &of[i + step]);
	all = of[0];
	free(of);
	return all;
}

static void hand_over_pieces(struct whole_writer *c, uint64_t *at, const struct fast_piece *all,
			     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fast_piece *y = &all[i];

		if (*at < y->lo)
			whole_add(c, *at, (struct dwarf_answer){.found = DWARF_NOT_FOUND});
		whole_add(c, y->lo, (struct dwarf_answer){y->call, y->found});
		*at = y->hi;
	}
}

static void fast_whole_hand_over(struct whole *x, struct dwarf_whole *w)
{
	struct whole_writer c;
	struct rows rows = {.n = 0};
	uint64_t at = 0;

	whole_writer_init(&c, &x->made, w);
	for (size_t i = 0; i < x->g.file->n_units; i++)
		add_rows(&rows, (uint32_t)i, &x->pieces[i]);
	order_rows(&rows);
	for (size_t i = 0, end; i < rows.n; i = end) {
		uint64_t hi = rows.all[i].hi;

		for (end = i + 1; end < rows.n && rows.all[end].lo < hi; end++)
			hi = rows.all[end].hi > hi ? rows.all[end].hi : hi;
		if (end == i + 1) {
			hand_over_pieces(&c, &at, rows.all[i].all, rows.all[i].n);
		} else {
			struct fast_pieces merged = fast_whole_merge_rows(&rows.all[i], end - i);

			hand_over_pieces(&c, &at, merged.all, merged.n);
			free(merged.all);
		}
	}
	if (rows.n)
		whole_add(&c, at, (struct dwarf_answer){.found = DWARF_NOT_FOUND});
	free(rows.all);
	whole_writer_release(&c);
}

static void order_units(struct whole *x)
{
	size_t n = x->g.file->n_units;
	struct sort_item *items = mem_array(n, sizeof *items);

	x->g.order = mem_array(n, sizeof *x->g.order);
	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){
		    UINT64_MAX - (x->g.file->units[i].end - x->g.file->units[i].offset),
		    (uint32_t)i};
	sort_radix(items, n);
	for (size_t i = 0; i < n; i++)
		x->g.order[i] = items[i].index;
	free(items);
}

static enum status fast_whole_answer_all(struct whole *x, struct dwarf_whole *w, struct err *e)
{
	bool over = false;

	fast_units_index(x->g.file);
	x->pieces = mem_zarray(x->g.file->n_units, sizeof *x->pieces);
	order_units(x);
	pool_run(x->g.n_workers, x->g.file->n_units, fast_whole_do_unit, x);
	for (unsigned i = 0; i < x->g.n_workers; i++)
		over |= x->g.workers[i].budget.over;
	if (over || x->too_many)
		return err_set(e, ST_LIMIT, over ? "takes too long" : "has too many pieces");
	fast_complain_of_units(&x->g);
	if (x->g.n_complaints) /* each would be repeated for every batch */
		return err_set(e, ST_UNSUPPORTED, "%s",
			       intern_text(&w->answers.strings, w->answers.complaints[0], NULL));
	fast_whole_hand_over(x, w);
	return object_intact(x->g.job->object, e) ? ST_BAD
						  : fast_splits_intact(x->g.file->splits, e);
}

static void fast_whole_release(struct whole *x)
{
	for (unsigned i = 0; i < x->g.n_workers; i++) {
		fast_worker_release(&x->g.workers[i]);
		fast_scratch_release(&x->scratch[i]);
	}
	for (size_t i = 0; x->pieces && i < x->g.file->n_units; i++)
		free(x->pieces[i].all);
	free(x->pieces);
	dwarf_answers_release(&x->made);
	free(x->g.order);
	free(x->g.workers);
	free(x->scratch);
	fast_file_release(&x->file);
}

enum status dwarf_whole(struct dwarf_whole *w, struct object *o,
			const struct dwarf_options *options, struct err *e)
{
	struct dwarf_job job = {.object = o, .out = &w->answers};
	struct dwarf_options all = *options;
	struct whole x = {.g = {.options = &all, .job = &job, .file = &x.file}};
	struct sections sections = {.abbrev = NULL};
	enum status st;

	if (!object_has_dwarf(o))
		return ST_NONE;
	all.discriminators = true;
	all.extras = all.relative = false;
	dwarf_answers_init(&w->answers, 0);
	w->answers.bare = true;
	w->companions = dwarf_companions(o);
	st = fast_load(&x.g, &sections, e);
	if (!st && sections.complaint.len) {
		st = err_set(e, ST_UNSUPPORTED, "%s", buf_str(&sections.complaint));
		fast_file_release(&x.file);
	}
	if (!st) {
		x.g.n_workers = options->jobs ? options->jobs : 1;
		x.g.workers = mem_zarray(x.g.n_workers, sizeof *x.g.workers);
		x.scratch = mem_zarray(x.g.n_workers, sizeof *x.scratch);
		dwarf_answers_init(&x.made, 0);
		x.made.bare = true;
		/* each worker's own clock: one that is late has more time, which does no harm */
		for (unsigned i = 0; i < x.g.n_workers; i++) {
			fast_worker_init(&x.g.workers[i], &x.made);
			x.g.workers[i].budget.seconds = clock_thread_seconds() + WHOLE_SECONDS;
		}
		st = fast_whole_answer_all(&x, w, e);
		fast_whole_release(&x);
	}
	buf_release(&sections.complaint);
	return st;
}
