/* SPDX-License-Identifier: MIT
 *
 * Answers for every address of a PDB (lib/dwarf/whole.h). Between two neighbours of all places where a contribution, a
 * procedure, a row of an inlined call or of lines begins or ends nothing changes: so the engine answers exactly those
 * places, as one batch.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/pdb/pdb.h"
#include "lib/pdb/worker.h"

#include <stdlib.h>

struct whole {
	const struct pdb_file *pdb;
	struct pdb_module *modules;
	size_t n_modules, cap_modules;
	struct pdb_worker *workers;
	struct pdb_places *places; /* by worker */
	uint64_t n_places, most;
	bool too_much;
};

/* What a place takes of a file, at least, but where modules share bytes: files of lld have one in 70. */
enum { BYTES_PER_PLACE = 16, PLACES_ALWAYS = 1 << 20 };

/* The places of the present module: ascending, each once. Of rows of lines that begin together one has their first byte,
 * and another the rest (lines.c): behind what is there twice another answer may begin. */
static void tidy_places(struct pdb_places *p)
{
	const size_t first = p->n;

	sort_radix(p->items, p->n_items);
	for (size_t i = 0, end; i < p->n_items; i = end) {
		const uint32_t at = (uint32_t)p->items[i].key;

		for (end = i + 1; end < p->n_items && p->items[end].key == at;)
			end++;
		if (p->n == first || p->all[p->n - 1] < at)
			VEC_PUSH(p->all, p->n, p->cap) = at;
		if (end - i > 1 && at < UINT32_MAX)
			VEC_PUSH(p->all, p->n, p->cap) = at + 1;
	}
	p->n_items = 0;
}

static void whole_do_module(size_t item, unsigned index, void *arg)
{
	struct whole *x = arg;
	struct pdb_worker *w = &x->workers[index];
	size_t before = x->places[index].n;

	if (__atomic_load_n(&x->too_much, __ATOMIC_RELAXED))
		return;
	if (!w->budget.seconds)
		w->budget.seconds = clock_thread_seconds() + WHOLE_SECONDS;
	pdb_places_of(w, &x->modules[item]);
	tidy_places(&x->places[index]);
	if (w->budget.over || __atomic_add_fetch(&x->n_places, x->places[index].n - before,
						 __ATOMIC_RELAXED) > x->most)
		__atomic_store_n(&x->too_much, true, __ATOMIC_RELAXED);
}

static void find_places(struct whole *x, unsigned n_workers)
{
	struct msf_room room = {.cap = 0};
	struct err ignored = ERR_INIT; /* the engine says it */
	const uint8_t *p = pdb_modules(x->pdb, &room);
	struct pdb_module m;
	struct cursor c;

	cursor_init(&c, p, p ? x->pdb->modules.size : 0, 0, &ignored);
	while (x->n_modules <= UINT16_MAX && pdb_next_module(&c, &m))
		VEC_PUSH(x->modules, x->n_modules, x->cap_modules) = m;
	for (unsigned i = 0; i < n_workers; i++) {
		x->workers[i].pdb = x->pdb;
		x->workers[i].places = &x->places[i];
	}
	pool_run(n_workers, x->n_modules, whole_do_module, x);
	for (unsigned i = 0; i < n_workers; i++)
		pdb_worker_release(&x->workers[i]);
	msf_room_release(&room);
}

static void add_contributions(struct whole *x)
{
	struct msf_room room = {.cap = 0};
	uint32_t size, step, rva;
	const char *ignored; /* the engine says it */
	const uint8_t *p = pdb_contributions(x->pdb, &room, &size, &step, &ignored);
	uint64_t end;

	for (uint32_t i = 0; p && i + step <= size; i += step)
		if (pdb_contribution(x->pdb, p + i, &rva, &end))
			pdb_add_places(&x->places[0], rva, end);
	tidy_places(&x->places[0]);
	msf_room_release(&room);
}

/* Ascending, each once; how many. */
static size_t order_items(struct sort_item *items, size_t n)
{
	size_t left = 0;

	sort_radix(items, n);
	for (size_t i = 0; i < n; i++)
		if (!left || items[i].key != items[left - 1].key)
			items[left++].key = items[i].key;
	return left;
}

/* The places of a program whose code was moved: those of its pieces, and what lies in them. */
static struct sort_item *move_places(struct whole *x, struct sort_item *items, size_t *n)
{
	struct pdb_places moved = {.n = 0};
	struct pdb_piece p;

	for (uint32_t i = 0; i < x->pdb->n_omap && !x->too_much; i++) {
		size_t k;

		if (!pdb_piece_at(x->pdb, i, &p))
			continue;
		pdb_add_places(&moved, p.lo, p.hi);
		k = BISECT(m, 0, *n, items[m].key <= p.origin);
		for (; k < *n && items[k].key - p.origin < p.hi - p.lo; k++)
			pdb_add_place(&moved, p.lo + (items[k].key - p.origin));
		x->too_much = moved.n_items > x->most;
	}
	free(items);
	*n = order_items(moved.items, moved.n_items);
	return moved.items;
}

/* All places as addresses, ascending, each once. */
static uint64_t *order_places(struct whole *x, unsigned n_workers, uint64_t base, size_t *n)
{
	size_t all = 0, at = 0;
	struct sort_item *items;
	uint64_t *addrs;

	for (unsigned i = 0; i < n_workers; i++)
		all += x->places[i].n;
	items = pages_array(all, sizeof *items);
	for (unsigned i = 0; i < n_workers; i++) {
		for (size_t k = 0; k < x->places[i].n; k++)
			items[at++].key = x->places[i].all[k];
		free(x->places[i].all);
		free(x->places[i].items);
		x->places[i] = (struct pdb_places){.n = 0};
	}
	*n = order_items(items, all);
	if (x->pdb->n_omap)
		items = move_places(x, items, n);
	addrs = pages_array(*n, sizeof *addrs);
	for (size_t i = 0; i < *n; i++)
		addrs[i] = base + items[i].key;
	free(items);
	return addrs;
}

static enum status answer_places(struct dwarf_whole *w, struct dwarf_job *job,
				 const struct dwarf_options *options, struct err *e)
{
	struct dwarf_answers *a = job->out;
	struct whole_writer c;

	pdb_run_job(job, options, true);
	if (object_intact(job->object, e))
		return ST_BAD;
	if (a->n_complaints) /* each would be repeated for every batch */
		return err_set(e, ST_UNSUPPORTED, "%s",
			       intern_text(&a->strings, a->complaints[0], NULL));
	for (size_t i = 0; i < job->n; i++)
		if (a->of[i].found == DWARF_GAVE_UP)
			return err_set(e, ST_LIMIT, "takes too long");
	whole_writer_init(&c, a, w);
	for (size_t i = 0; i < job->n; i++)
		whole_add(&c, job->addrs[i], a->of[i]);
	whole_writer_release(&c);
	return ST_OK;
}

enum status pdb_whole(struct dwarf_whole *w, struct object *o, const struct dwarf_options *options,
		      struct err *e)
{
	struct dwarf_options all = *options;
	struct whole x = {.pdb = object_pdb(o)};
	unsigned n_workers = options->jobs ? options->jobs : 1;
	struct dwarf_answers answers;
	uint64_t *addrs;
	size_t n;
	enum status st;

	if (!x.pdb)
		return ST_NONE;
	dwarf_answers_init(&w->answers, 0);
	w->answers.bare = true;
	all.extras = all.relative = false;
	all.seconds = WHOLE_SECONDS;
	x.most = PLACES_ALWAYS + msf_file_size(x.pdb->msf) / BYTES_PER_PLACE;
	x.most = x.most < WHOLE_LIMIT_PIECES ? x.most : WHOLE_LIMIT_PIECES;
	x.workers = mem_zarray(n_workers, sizeof *x.workers);
	x.places = mem_zarray(n_workers, sizeof *x.places);
	find_places(&x, n_workers);
	add_contributions(&x);
	addrs = order_places(&x, n_workers, object_image_base(o), &n);
	dwarf_answers_init(&answers, n);
	st = x.too_much
		 ? err_set(e, ST_LIMIT, "takes too much")
		 : answer_places(
		       w, &(struct dwarf_job){.object = o, .addrs = addrs, .n = n, .out = &answers},
		       &all, e);
	dwarf_answers_release(&answers);
	free(addrs);
	free(x.modules);
	free(x.workers);
	free(x.places);
	return st;
}
