/* SPDX-License-Identifier: MIT
 *
 * The fast engine: own decoders over bounds-checked bytes, in parallel over units.
 *
 *	read.h     bytes of a section
 *	near.c     bytes of the file in a worker's memory
 *	unit.c     sections, units, forms
 *	abbrev.c   abbreviations, compiled
 *	ranges.c   range lists
 *	scope.c    functions and inlined calls that hold an address
 *	line.c     line programs merged against the addresses
 *	name.c     names, call sites
 *	split.c    units whose functions are in .dwo and .dwp files
 *	answer.c   one unit and its addresses -> answers
 *	pieces.c   one unit -> answers for all that it owns
 *	kept.c     what stays for the next batch: who claims what, answers of units
 *	fast.c     owners of addresses, the queue
 *	merge.c    complaints, and what may belong to a unit that is lost
 *	../store.c calls and texts, stored once
 *
 * Every address is first asked of the first unit in .debug_info whose ranges hold it; what comes
 * out without a function is then asked of the other owners. Units whose ranges say nothing own
 * what their functions hold. Ids are in the order in which workers take units: what does not
 * depend on their number is what they stand for.
 */
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/dwarf/fast/merge.h"
#include "lib/dwarf/fast/split.h"
#include "lib/dwarf/sections.h"
#include "lib/object/companion.h"

#include <stdlib.h>

enum {
	INDEX_CHUNK = 16,      /* units per piece of work of the index */
	OWN_CHUNK = 4096,      /* claims per piece of work */
	ROUND_PAIRS = 4 << 20, /* of (unit, address) in one of the later rounds */
};

static uint32_t first_at_least(const uint64_t *addrs, size_t n, uint64_t addr)
{
	return (uint32_t)BISECT(i, 0, n, addrs[i] < addr);
}

static struct fast_worker *worker(struct fast_engine *g, unsigned index)
{
	struct fast_worker *w = &g->workers[index];
	unsigned seconds = g->options->seconds ? g->options->seconds : FAST_SECONDS;

	if (g->fresh[index])
		w->budget = (struct budget){.allowed = seconds};
	g->fresh[index] = false;
	return w;
}

static void run_pool(struct fast_engine *g, size_t n, void *arg, pool_fn fn)
{
	for (unsigned i = 0; i < g->n_workers; i++)
		g->fresh[i] = true;
	pool_run(g->n_workers, n, fn, arg);
}

/* What says where it is by rows alone: a file of several sections by an old assembler; thunks. */
static const char *own_rows(struct fast_file *f, struct fast_worker *w, struct fast_unit *u,
			    fast_scopes_found_fn *owned, void *arg)
{
	struct fast_line_places p = {.n = 0};
	const char *why = fast_lines_places(f, u, &w->budget, &w->lines, &p);

	for (size_t i = 1; !why && i < p.n; i++) {
		uint64_t lo = p.all[i - 1].key;

		if (p.all[i].index && range_lives(f, lo))
			owned(arg, lo, p.all[i].key);
	}
	fast_line_places_release(&p);
	return why;
}

/* Enough of the unit for its DIE. */
static bool root_near(struct fast_worker *w, const struct fast_file *f, const struct fast_unit *u,
		      struct fast_bytes *head)
{
	enum { MOST_ROOTS = 512 };
	uint64_t n = u->end - u->offset;

	if (n > MOST_ROOTS)
		n = MOST_ROOTS;
	if (!fast_near_bring(&w->info, f, IN_INFO, u->offset, n))
		return false;
	*head = (struct fast_bytes){w->info.p, n};
	return true;
}

bool fast_own(struct fast_file *f, struct fast_worker *w, struct fast_unit *u,
	      fast_scopes_found_fn *owned, void *arg)
{
	struct fast_value ranges, low, high;
	struct fast_bytes head;
	const char *why;

	if (u->state != UNIT_SOUND ||
	    !fast_unit_root(f, u, root_near(w, f, u, &head) ? &head : NULL, &ranges, &low, &high))
		return false;
	why = fast_ranges_read(f, u, &ranges, &low, &high, &w->budget, &w->ranges, &u->ranged);
	if (why)
		why = fast_fault(f, IN_INFO, u->die, "unit DIE: %s", why);
	/* DWARF 2 has no DW_AT_ranges: functions in other sections lie outside low_pc, high_pc */
	if (u->version < 3 && !ranges.form)
		u->ranged = false;
	for (size_t i = 0; !why && i < w->ranges.n; i++)
		owned(arg, w->ranges.all[i].lo, w->ranges.all[i].hi);
	if (!why && !u->ranged) {
		const struct fast_part *part =
		    u->split && f->splits ? fast_part_of(f, u, &w->budget) : NULL;
		struct fast_file *of = part && part->file ? part->file : f;
		const struct fast_unit *v = of != f ? &part->unit : u;
		const struct abbrevs *t = fast_tables_get(&of->tables, of->in[IN_ABBREV], v->table);

		why = t->why;
		if (!why && t->has_code &&
		    fast_scopes_ranges(of, v, t, false, &w->budget, &w->scopes, owned, arg))
			why = w->scopes.why;
		if (!why && !t->has_code && !low.form && !ranges.form && u->has_lines)
			why = own_rows(f, w, u, owned, arg);
		else if (!why && u->version < 3 && !ranges.form && u->has_lines)
			own_rows(f, w, u, owned, arg); /* thunks; names are sound all the same */
	}
	if (why) {
		u->state = UNIT_LOST;
		u->why = why;
	}
	return !why;
}

/* What some units claim, in their order. */
struct indexing {
	struct fast_engine *g;
	struct claims {
		struct fast_claim *all;
		size_t n, cap;
	} * chunks;
	uint64_t
	    most; /* claims of one chunk: sound units share none, and each takes two bytes at least */
};

struct own {
	struct claims *to;
	uint32_t unit;
	uint64_t most;
	bool over;
};

static void fast_own_range(void *arg, uint64_t lo, uint64_t hi)
{
	struct own *o = arg;
	struct claims *c = o->to;
	struct fast_claim *last = c->n ? &c->all[c->n - 1] : NULL;

	if (last && last->unit == o->unit && last->hi == lo) {
		last->hi = hi;
		return;
	}
	o->over = c->n >= o->most;
	if (o->over)
		return;
	c->all = mem_grow(c->all, &c->cap, c->n + 1, sizeof *c->all);
	c->all[c->n++] = (struct fast_claim){lo, hi, o->unit};
}

static void fast_index_chunk(size_t item, unsigned index, void *arg)
{
	struct indexing *x = arg;
	struct fast_file *f = x->g->file;
	struct fast_worker *w = worker(x->g, index);
	size_t end = (item + 1) * INDEX_CHUNK;

	for (size_t i = item * INDEX_CHUNK; i < end && i < f->n_units; i++) {
		struct own o = {.to = &x->chunks[item], .unit = (uint32_t)i, .most = x->most};
		struct fast_unit *u = &f->units[i];
		size_t before = o.to->n;

		if (!fast_own(f, w, u, fast_own_range, &o)) {
			o.to->n = before;
		} else if (o.over) {
			o.to->n = before;
			u->state = UNIT_LOST;
			u->why = fast_fault(
			    f, IN_INFO, u->die,
			    "unit DIE: address ranges overlap, or are shared, too often");
		}
	}
}

/* The claims of all units. */
static void fast_index(struct fast_engine *g)
{
	struct fast_kept_file *k = g->of;
	struct fast_file *f = g->file;
	size_t n = (f->n_units + INDEX_CHUNK - 1) / INDEX_CHUNK, unit = 0;
	struct indexing x = {.g = g, .chunks = mem_zarray(n, sizeof *x.chunks)};

	x.most =
	    (f->in[IN_RANGES].n + f->in[IN_RNGLISTS].n + f->in[IN_INFO].n + f->in[IN_LINE].n) / 2;
	run_pool(g, n, &x, fast_index_chunk);
	for (size_t i = 0; i < n; i++)
		k->n_claims += x.chunks[i].n;
	k->claims = mem_array(k->n_claims, sizeof *k->claims);
	k->units = mem_zarray(f->n_units + 1, sizeof *k->units);
	k->n_claims = 0;
	for (size_t i = 0; i < n; i++) {
		if (x.chunks[i].n)
			memcpy(k->claims + k->n_claims, x.chunks[i].all,
			       x.chunks[i].n * sizeof *k->claims);
		k->n_claims += x.chunks[i].n;
		free(x.chunks[i].all);
	}
	free(x.chunks);
	for (size_t i = 0; i <= k->n_claims; i++)
		for (; unit <= (i < k->n_claims ? k->claims[i].unit : f->n_units); unit++)
			k->units[unit].first_claim = i;
}

/* The addresses that claims hold. */
struct owning {
	struct fast_engine *g;
	const uint32_t *claims; /* NULL: all */
	size_t n;
	struct fast_owner *to; /* one for each; without addresses */
};

static void fast_find_owners(size_t item, unsigned index, void *arg)
{
	struct owning *o = arg;
	const struct dwarf_job *job = o->g->job;
	struct fast_worker *w = worker(o->g, index);
	size_t end = (item + 1) * OWN_CHUNK;

	for (size_t i = item * OWN_CHUNK; i < end && i < o->n; i++) {
		const struct fast_claim *c = &o->g->of->claims[o->claims ? o->claims[i] : i];
		uint32_t from = first_at_least(job->addrs, job->n, c->lo), to = from;

		if (from < job->n && job->addrs[from] < c->hi)
			to = from + first_at_least(job->addrs + from, job->n - from, c->hi);
		o->to[i] = (struct fast_owner){c->unit, {from, to - from}};
		budget_spend(&w->budget, 1 + to - from);
		if (w->budget.over) /* claims overlap again and again */
			o->to[i].run.n = 0;
	}
}

static void fast_own_addresses(struct fast_engine *g)
{
	struct owning o = {.g = g};
	uint32_t *claims = fast_kept_claims(g->of, g->job->addrs, g->job->n, &o.n);
	size_t n = 0;

	o.claims = claims;
	o.to = pages_array(o.n, sizeof *o.to);
	run_pool(g, (o.n + OWN_CHUNK - 1) / OWN_CHUNK, &o, fast_find_owners);
	for (size_t i = 0; i < o.n; i++)
		if (o.to[i].run.n)
			o.to[n++] = o.to[i];
	for (unsigned i = 0; i < g->n_workers; i++)
		g->over |= g->workers[i].budget.over;
	free(claims);
	g->owners = o.to;
	g->n_owners = n;
}

static void fast_do_task(size_t item, unsigned index, void *arg)
{
	struct fast_engine *g = arg;
	struct fast_worker *w = worker(g, index);
	struct fast_answers *a = &g->tasks[g->first_task + g->order[item]];

	if (w->budget.over) {
		a->found_all = DWARF_GAVE_UP;
		a->why = "the time limit is reached";
	} else if (!fast_kept_answer(g->kept, g->of, w, &g->kept->scratch[index], g->job->addrs,
				     a)) {
		fast_answers_make(w, g->file, g->job->addrs, a);
	}
	for (size_t q = 0; !a->made && q < a->n; q++)
		a->to[a->direct ? q : a->query[q]] = (struct dwarf_answer){.found = a->found_all};
	__atomic_fetch_add(&g->answered, a->n, __ATOMIC_RELAXED);
	/* worker 0 is the caller's thread */
	if (index == 0 && g->options->progress)
		g->options->progress(g->options->progress_arg,
				     __atomic_load_n(&g->answered, __ATOMIC_RELAXED), g->job->n);
}

/* How good an answer is: a better one of a later owner replaces it. */
static unsigned worth(uint8_t found)
{
	return found == DWARF_FUNCTION    ? 3
	       : found == DWARF_LINE_ONLY ? 2
					  : found != DWARF_NOT_FOUND;
}

static struct fast_answers *add_task(struct fast_engine *g, uint32_t unit, const uint32_t *query,
				     size_t n)
{
	fast_kept_use(g->kept, g->of, unit);
	VEC_PUSH(g->tasks, g->n_tasks, g->cap_tasks) =
	    (struct fast_answers){.unit = unit, .query = query, .n = n, .to = g->job->out->of};
	return &g->tasks[g->n_tasks - 1];
}

static void fast_run_round(struct fast_engine *g)
{
	size_t n = g->n_tasks - g->first_task;
	struct sort_item *items = mem_array(n, sizeof *items);

	g->order = mem_array(n, sizeof *g->order);
	for (size_t i = 0; i < n; i++) {
		const struct fast_unit *u = &g->file->units[g->tasks[g->first_task + i].unit];

		items[i] = (struct sort_item){UINT64_MAX - (u->end - u->offset), (uint32_t)i};
	}
	sort_radix(items, n);
	for (size_t i = 0; i < n; i++)
		g->order[i] = items[i].index;
	free(items);
	run_pool(g, n, g, fast_do_task);
	free(g->order);
	for (size_t i = g->first_task; i < g->n_tasks; i++) {
		const struct fast_answers *a = &g->tasks[i];

		for (size_t q = 0; a->direct && q < a->n; q++) {
			struct dwarf_answer *best = &g->job->out->of[a->query[q]];

			if (worth(a->to[q].found) > worth(best->found))
				*best = a->to[q];
		}
	}
	g->first_task = g->n_tasks;
}

/* The end of the owners of the same unit. */
static size_t end_of_unit(const struct fast_engine *g, size_t first)
{
	size_t end = first + 1;

	while (end < g->n_owners && g->owners[end].unit == g->owners[first].unit)
		end++;
	return end;
}

/* Every address to its first owner, whose answer needs no other place: it is the first one. */
static void fast_first_round(struct fast_engine *g, uint32_t *query)
{
	uint32_t *at = mem_zarray(g->n_owners, sizeof *at); /* by the first of a unit's owners */
	size_t n = 0;

	for (size_t i = 0, end; i < g->n_owners; i = end) {
		end = end_of_unit(g, i);
		for (size_t r = i; r < end; r++) {
			const struct fast_run *run = &g->owners[r].run;

			for (uint32_t q = run->first; q < run->first + run->n; q++) {
				if (g->owner[q])
					continue;
				g->owner[q] = (uint32_t)i + 1;
				at[i]++;
			}
		}
	}
	for (size_t i = 0; i < g->n_owners; i = end_of_unit(g, i)) {
		size_t count = at[i];

		at[i] = (uint32_t)n;
		if (count)
			add_task(g, g->owners[i].unit, query + n, count);
		n += count;
	}
	for (uint32_t q = 0; q < g->job->n; q++) {
		if (g->owner[q])
			query[at[g->owner[q] - 1]++] = q;
	}
	free(at);
	fast_run_round(g);
}

static int fast_by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What has no function yet to its other owners: as many units at once as fit into a round, and a
 * function found in an earlier one counts. */
static void fast_later_rounds(struct fast_engine *g)
{
	uint32_t *stamp = pages_array(g->job->n, sizeof *stamp);
	uint32_t *query = NULL;
	size_t n = 0, cap = 0;
	struct {
		uint32_t unit;
		size_t first;
	} *starts = NULL;
	size_t n_starts = 0, cap_starts = 0;

	memset(stamp, 0, g->job->n * sizeof *stamp);
	for (size_t i = 0, end; i <= g->n_owners; i = end) {
		bool last = i == g->n_owners;
		size_t first = n;

		if (n && (last || n > ROUND_PAIRS)) {
			uint32_t *kept = arena_alloc(&g->workers[0].arena, n * sizeof *kept);
			struct dwarf_answer *to = arena_alloc(&g->workers[0].arena, n * sizeof *to);

			memcpy(kept, query, n * sizeof *kept);
			for (size_t k = 0; k < n_starts; k++) {
				size_t next = k + 1 < n_starts ? starts[k + 1].first : n;

				struct fast_answers *a =
				    add_task(g, starts[k].unit, kept + starts[k].first,
					     next - starts[k].first);

				a->to = to + starts[k].first;
				a->direct = true;
			}
			fast_run_round(g);
			n = n_starts = first = 0;
		}
		end = last ? i + 1 : end_of_unit(g, i);
		for (size_t r = i; !last && r < end; r++) {
			const struct fast_run *run = &g->owners[r].run;

			for (uint32_t q = run->first; q < run->first + run->n; q++) {
				if (fast_settled(&g->job->out->of[q]) || g->owner[q] > i ||
				    stamp[q] == i + 1)
					continue;
				stamp[q] = (uint32_t)i + 1;
				VEC_PUSH(query, n, cap) = q;
			}
		}
		if (n == first)
			continue;
		sort_array(query + first, n - first, sizeof *query, fast_by_number);
		VEC_PUSH(starts, n_starts, cap_starts).unit = g->owners[i].unit;
		starts[n_starts - 1].first = first;
	}
	free(starts);
	free(query);
	free(stamp);
}

static void set_section(struct fast_file *f, size_t i, const struct object_section *s)
{
	f->in[i] = (struct fast_bytes){s->data, s->size};
	f->map[i] = s->map;
}

/* The supplementary file's units: all their DIEs are read, since no query asks for single ones. */
static enum status fast_load_alt(struct fast_engine *g, struct object *o, struct err *e)
{
	struct fast_file *f = g->file, *alt = mem_zalloc(sizeof *alt);
	struct fast_value ranges, low, high;
	struct sections s = {.abbrev = NULL};
	enum status st = sections_load(&s, o, e);

	if (!st) {
		for (size_t i = 0; i < IN_ALT_STR; i++)
			set_section(alt, i, &s.all[i + 1]);
		alt->big_endian = s.big_endian;
		alt->last = f->last;
		fast_units_index(alt);
		for (size_t i = 0; i < alt->n_units; i++)
			fast_unit_root(alt, &alt->units[i], NULL, &ranges, &low, &high);
	}
	if (s.complaint.len)
		fast_complain(g, "%s", buf_str(&s.complaint));
	buf_release(&s.complaint);
	f->alt = alt;
	f->in[IN_ALT_STR] = alt->in[IN_STR];
	return st;
}

enum status fast_load(struct fast_engine *g, struct sections *s, struct err *e)
{
	struct fast_file *f = g->file;
	enum status st;

	/* Other workers may take all units before this thread, which alone reports, has one. */
	if (g->options->progress)
		g->options->progress(g->options->progress_arg, 0, g->job->n);
	sections_preload(g->job->object, g->options->jobs);
	st = sections_load(s, g->job->object, e);
	if (st)
		return st;
	if (s->complaint.len)
		fast_complain(g, "%s", buf_str(&s->complaint));
	for (size_t i = 0; i < IN_ALT_STR; i++)
		set_section(f, i, &s->all[i + 1]);
	f->big_endian = s->big_endian;
	f->last = s->address_size == 8 ? UINT64_MAX : UINT32_MAX;
	f->discriminators = g->options->discriminators;
	f->extras = g->options->extras;
	f->relative = g->options->relative;
	f->first = sections_first_code(g->job->object);
	f->splits = fast_splits_new(g->job->object);
	if (object_supplement(g->job->object))
		st = fast_load_alt(g, object_supplement(g->job->object), e);
	if (st)
		fast_file_release(f);
	return st;
}

/* Seconds since *from, which begins anew. */
static double lap(double *from)
{
	double now = clock_seconds(), took = now - *from;

	*from = now;
	return took;
}

static void count(const struct fast_engine *g, struct dwarf_stats *s)
{
	s->n_units = g->file->n_units;
	s->n_asked = g->n_tasks;
	for (size_t i = 0; i < g->file->n_units; i++)
		s->n_lost += g->file->units[i].state == UNIT_LOST;
	for (unsigned i = 0; i < g->n_workers; i++) {
		s->scopes += g->workers[i].scopes_time;
		s->lines += g->workers[i].lines_time;
		s->names += g->workers[i].names_time;
	}
}

static void fast_begin_workers(struct fast_engine *g)
{
	g->n_workers = g->options->jobs ? g->options->jobs : 1;
	fast_kept_workers(g->kept, g->n_workers);
	g->workers = g->kept->workers;
	g->fresh = mem_zarray(g->n_workers, sizeof *g->fresh);
	for (unsigned i = 0; i < g->n_workers; i++) {
		fast_worker_init(&g->workers[i], g->job->out);
		g->workers[i].timed = g->job->stats;
		g->workers[i].scopes_time = g->workers[i].lines_time = g->workers[i].names_time = 0;
		g->workers[i].copy_names = g->options->once;
	}
}

static void fast_answer_tasks(struct fast_engine *g, struct dwarf_stats *stats, double *from)
{
	struct dwarf_job *job = g->job;
	uint32_t *query = pages_array(job->n, sizeof *query);
	struct err e = ERR_INIT;

	g->owner = pages_array(job->n, sizeof *g->owner);
	memset(g->owner, 0, job->n * sizeof *g->owner);
	for (size_t i = 0; i < job->n; i++)
		job->out->of[i] = (struct dwarf_answer){.found = DWARF_NOT_FOUND};
	fast_own_addresses(g);
	stats->units = lap(from);
	fast_first_round(g, query);
	fast_later_rounds(g);
	stats->decode = lap(from);
	fast_complain_of_units(g);
	fast_merge(g);
	for (size_t i = 0; i < g->n_tasks; i++)
		g->of->units[g->tasks[i].unit].asked +=
		    g->of->units[g->tasks[i].unit].asked < UINT8_MAX;
	stats->merge = lap(from);
	if (job->stats)
		count(g, stats);
	if (object_intact(job->object, &e) || fast_splits_intact(g->file->splits, &e))
		fast_give_back(g, e.msg);
	free(g->owners);
	free(g->owner);
	free(g->tasks);
	free(query);
}

/* False: the job is answered, since there is nothing to read. */
static bool fast_open(struct fast_engine *g)
{
	struct sections sections = {.abbrev = NULL};
	struct dwarf_job *job = g->job;
	struct err e = ERR_INIT;
	enum status st;

	if (g->of) {
		g->file = &g->of->file;
		fast_tables_begin(&g->file->tables);
		atomic_store(fast_lists_read(g->file->common), 0);
		if (g->options->progress)
			g->options->progress(g->options->progress_arg, 0, job->n);
		return true;
	}
	g->of = fast_kept_add(g->kept, job->object, g->options);
	g->file = &g->of->file;
	st = fast_load(g, &sections, &e);
	buf_release(&sections.complaint);
	if (!st) {
		fast_units_index(g->file);
		fast_index(g);
		return true;
	}
	fast_complain(g, "%s", e.msg);
	for (size_t i = 0; i < job->n; i++)
		job->out->of[i].found = st == ST_LIMIT ? DWARF_GAVE_UP : DWARF_MALFORMED;
	return false;
}

static void fast_run_job(struct dwarf_kept *k, struct dwarf_job *job,
			 const struct dwarf_options *options)
{
	struct fast_engine g = {.options = options, .job = job, .kept = k};
	struct dwarf_stats none, *stats = job->stats ? job->stats : &none;
	double from = clock_seconds();
	bool open;

	*stats = (struct dwarf_stats){0};
	job->out->bare = !options->extras;
	for (size_t i = 0; i < job->n; i++)
		job->out->of[i] = (struct dwarf_answer){.found = DWARF_ABSENT};
	g.of = job->n ? fast_kept_find(k, job->object, options) : NULL;
	if (!job->n || (!g.of && !object_has_dwarf(job->object)))
		return;
	k->one = job->n == 1;
	fast_begin_workers(&g);
	open = fast_open(&g);
	stats->sections = lap(&from);
	if (open)
		fast_answer_tasks(&g, stats, &from);
	for (unsigned i = 0; i < g.n_workers; i++)
		fast_worker_done(&g.workers[i]);
	fast_kept_rest(k);
	free(g.fresh);
	/* What is said of a file that is not sound, or of a part that is another file's, is for one batch. */
	if (!open || g.n_complaints || fast_splits_used(g.file->splits) || options->once)
		fast_kept_drop(k, g.of);
	else
		fast_kept_count(k, g.of);
	if (options->once)
		object_drop_sections(job->object);
}

enum status dwarf_fast(struct dwarf_job *jobs, size_t n_jobs, const struct dwarf_options *options,
		       struct err *e)
{
	struct dwarf_kept *k = options->kept ? options->kept : dwarf_kept_new(0);

	(void)e; /* whatever goes wrong is an answer */
	for (size_t i = 0; i < n_jobs; i++) {
		dwarf_kept_begin(k);
		fast_run_job(k, &jobs[i], options);
	}
	if (!options->kept)
		dwarf_kept_free(k);
	return ST_OK;
}
