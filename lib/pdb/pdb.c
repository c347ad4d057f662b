/* SPDX-License-Identifier: MIT
 *
 * An address is a module's that contributed the piece of a section that holds it. The DBI stream lists the modules: u32,
 * a contribution of 28 bytes, u16 flags, u16 stream, u32 bytes of symbols, of old lines and of lines, 16 bytes, the
 * module's name, its file's name, all aligned to 4; and the contributions, behind a version: u16 section, u16, u32
 * offset, u32 size, u32, u16 module, ..., 28 bytes or, in the second version, 32.
 */
#include "lib/pdb/pdb.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/pdb/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60, MODULE_HEADER = 64, CONTRIBUTION = 28 };
#define VERSION_1 (UINT32_C(0xeffe0000) + 19970605)
#define VERSION_2 (UINT32_C(0xeffe0000) + 20140516)

struct pdb_engine {
	struct dwarf_job *job;
	const struct dwarf_options *options;
	const struct pdb_file *pdb;
	uint64_t base; /* of the image */
	/* The job's, or where the PDB has what is at those: index[i] is the place of the job's i-th then, n: nowhere. */
	const uint64_t *addrs;
	size_t n;
	struct dwarf_answer *of;
	uint32_t *index;
	struct pdb_types types, ids;
	struct pdb_worker *workers;
	unsigned n_workers;
	uint32_t *owner; /* by address: module's number + 1; 0: none */
	struct pdb_task *tasks;
	size_t n_tasks;
	uint32_t *order;
	uint64_t answered;
	size_t n_complaints;
};

__attribute__((format(printf, 2, 3))) static void pdb_complain(struct pdb_engine *g,
							       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	dwarf_answers_complain_of(g->job->out, &g->n_complaints, fmt, args);
	va_end(args);
}

/* The first address at or behind an RVA, from a place on that is not behind it. Contributions mostly ascend: the next one
 * is near. */
static size_t first_from(const struct pdb_engine *g, size_t from, uint64_t rva)
{
	const uint64_t *addrs = g->addrs, addr = g->base + rva;
	size_t step = 1, lo = from, n = g->n;

	while (lo + step < n && addrs[lo + step] < addr) {
		lo += step;
		step *= 2;
	}
	return BISECT(i, lo, lo + step < n ? lo + step : n, addrs[i] < addr);
}

const uint8_t *pdb_contributions(const struct pdb_file *p, struct msf_room *room, uint32_t *size,
				 uint32_t *step, const char **why)
{
	const struct pdb_part *part = &p->contributions;
	bool stays;
	const uint8_t *b =
	    part->size > 4 ? msf_bytes(p->msf, PDB_DBI_STREAM, part->at, part->size, room, &stays)
			   : NULL;
	uint32_t version = b ? le32(b) : 0;

	*why = NULL;
	*size = part->size - 4;
	*step = version == VERSION_2 ? CONTRIBUTION + 4 : CONTRIBUTION;
	if (version == VERSION_1 || version == VERSION_2)
		return b + 4;
	if (part->size)
		*why = b ? "has an unknown version" : "cannot be read";
	return NULL;
}

bool pdb_contribution(const struct pdb_file *p, const uint8_t *c, uint32_t *rva, uint64_t *end)
{
	if (!pdb_rva(p, le16(c), le32(c + 4), rva))
		return false;
	*end = (uint64_t)*rva + le32(c + 8);
	if (*end > UINT32_MAX)
		*end = UINT32_MAX;
	return true;
}

/* The first contribution that holds an address has it. */
static void find_owners(struct pdb_engine *g)
{
	struct msf_room room = {.cap = 0};
	uint32_t size, step, before = 0, rva;
	const char *why;
	const uint8_t *p = pdb_contributions(g->pdb, &room, &size, &step, &why);
	uint64_t end;
	size_t at = 0;

	if (why)
		pdb_complain(g, "PDB: its list of contributions %s", why);
	for (uint32_t i = 0; p && i + step <= size; i += step) {
		if (!pdb_contribution(g->pdb, p + i, &rva, &end))
			continue;
		at = first_from(g, rva >= before ? at : 0, rva);
		before = rva;
		for (size_t q = at; q < g->n && g->addrs[q] - g->base < end; q++)
			if (!g->owner[q])
				g->owner[q] = (uint32_t)le16(p + i + 16) + 1;
	}
	msf_room_release(&room);
}

/* Tasks of all modules that have addresses: query gets these, by module. */
static void make_tasks(struct pdb_engine *g, uint32_t *query)
{
	struct msf_room room = {.cap = 0};
	struct err e = ERR_INIT;
	struct cursor c;
	struct pdb_task t;
	uint32_t *counts = mem_zarray(UINT16_MAX + 2, sizeof *counts), n_owners = 0, module = 0,
		 at = 0;
	const uint8_t *p = pdb_modules(g->pdb, &room);

	for (size_t q = 0; q < g->n; q++)
		if (g->owner[q] && !counts[g->owner[q]]++)
			n_owners++;
	g->tasks = mem_zarray(n_owners, sizeof *g->tasks);
	cursor_init(&c, p, p ? g->pdb->modules.size : 0, 0, &e);
	for (t = (struct pdb_task){.n = 0}; g->n_tasks < n_owners && pdb_next_module(&c, &t.m);
	     module++) {
		uint32_t n = module < UINT16_MAX + 1 ? counts[module + 1] : 0;

		if (!n)
			continue;
		t.module = module;
		t.query = query + at;
		t.n = n;
		g->tasks[g->n_tasks++] = t;
		counts[module + 1] = at; /* where its next address goes */
		at += n;
	}
	if (cursor_failed(&c) || !p)
		pdb_complain(g, "PDB: its list of modules: %s", p ? e.msg : "cannot be read");
	for (uint32_t q = 0; q < g->n; q++)
		if (g->owner[q] && g->owner[q] <= module)
			query[counts[g->owner[q]]++] = q;
	free(counts);
	msf_room_release(&room);
}

static void pdb_do_task(size_t item, unsigned index, void *arg)
{
	struct pdb_engine *g = arg;
	struct pdb_worker *w = &g->workers[index];
	struct pdb_task *t = &g->tasks[g->order[item]];

	if (w->fresh)
		w->budget = (struct budget){
		    .seconds = clock_thread_seconds() +
			       (g->options->seconds ? g->options->seconds : SECONDS)};
	w->fresh = false;
	pdb_answer_task(w, t, g->addrs, g->base, g->of);
	__atomic_fetch_add(&g->answered, t->n, __ATOMIC_RELAXED);
	if (index == 0 && g->options->progress) /* worker 0 is the caller's thread */
		g->options->progress(g->options->progress_arg,
				     __atomic_load_n(&g->answered, __ATOMIC_RELAXED), g->job->n);
}

static void run_tasks(struct pdb_engine *g)
{
	struct sort_item *items = mem_array(g->n_tasks, sizeof *items);

	g->order = mem_array(g->n_tasks, sizeof *g->order);
	for (size_t i = 0; i < g->n_tasks; i++)
		items[i] = (struct sort_item){
		    UINT64_MAX - ((uint64_t)g->tasks[i].m.symbols + g->tasks[i].m.parts),
		    (uint32_t)i};
	sort_radix(items, g->n_tasks);
	for (size_t i = 0; i < g->n_tasks; i++)
		g->order[i] = items[i].index;
	free(items);
	/* extras are added to one table */
	g->n_workers = g->options->extras || !g->options->jobs ? 1 : g->options->jobs;
	g->workers = mem_zarray(g->n_workers, sizeof *g->workers);
	for (unsigned i = 0; i < g->n_workers; i++) {
		struct pdb_worker *w = &g->workers[i];

		w->pdb = g->pdb;
		w->types = &g->types;
		w->ids = &g->ids;
		w->writer.store = &g->job->out->store;
		w->out = g->options->extras ? g->job->out : NULL;
		w->fresh = true;
	}
	pool_run(g->n_workers, g->n_tasks, pdb_do_task, g);
	for (unsigned i = 0; i < g->n_workers; i++)
		pdb_worker_release(&g->workers[i]);
	free(g->workers);
	free(g->order);
}

/* The addresses as the PDB has them. */
static void take_addresses(struct pdb_engine *g)
{
	const struct dwarf_job *job = g->job;
	uint64_t *origins;
	uint32_t *at, origin;
	size_t n = 0;

	g->addrs = job->addrs;
	g->n = job->n;
	g->of = job->out->of;
	for (size_t i = 0; i < job->n; i++)
		job->out->of[i] = (struct dwarf_answer){.found = DWARF_NOT_FOUND};
	if (!g->pdb->n_omap)
		return;
	origins = pages_array(job->n, sizeof *origins);
	at = pages_array(job->n, sizeof *at);
	g->index = pages_array(job->n, sizeof *g->index);
	for (size_t i = 0; i < job->n; i++) {
		uint64_t rva = job->addrs[i] - g->base;
		bool there = rva <= UINT32_MAX && pdb_origin(g->pdb, (uint32_t)rva, &origin);

		g->index[i] = there ? (uint32_t)n : UINT32_MAX;
		if (there)
			origins[n++] = g->base + origin;
	}
	g->n = sort_unique(origins, n, at);
	for (size_t i = 0; i < job->n; i++)
		g->index[i] = g->index[i] < n ? at[g->index[i]] : (uint32_t)g->n;
	g->addrs = origins;
	g->of = pages_array(g->n + 1, sizeof *g->of);
	for (size_t i = 0; i <= g->n; i++)
		g->of[i] = (struct dwarf_answer){.found = DWARF_NOT_FOUND};
	free(at);
}

static void give_answers(struct pdb_engine *g)
{
	if (!g->index)
		return;
	for (size_t i = 0; i < g->job->n; i++)
		g->job->out->of[i] = g->of[g->index[i]];
	free((void *)(uintptr_t)g->addrs);
	free(g->of);
	free(g->index);
}

/* What is wrong with modules. */
static void report_tasks(struct pdb_engine *g, bool whole)
{
	for (size_t i = 0; i < g->n_tasks; i++) {
		const struct pdb_task *t = &g->tasks[i];

		if (t->why && !whole)
			pdb_complain(g, "PDB: module %" PRIu32 ": %s", t->module, t->why);
		for (size_t k = 0; t->why && whole && k < t->n; k++)
			if (g->of[t->query[k]].found != DWARF_GAVE_UP)
				g->of[t->query[k]] = (struct dwarf_answer){.found = DWARF_ASK};
	}
}

void pdb_run_job(struct dwarf_job *job, const struct dwarf_options *options, bool whole)
{
	struct pdb_engine g = {.job = job,
			       .options = options,
			       .pdb = object_pdb(job->object),
			       .base = object_image_base(job->object)};
	double from = clock_seconds();
	uint32_t *query = pages_array(job->n, sizeof *query);
	struct err e = ERR_INIT;

	job->out->bare = !options->extras;
	if (options->progress)
		options->progress(options->progress_arg, 0, job->n);
	pdb_types_open(&g.types, g.pdb, PDB_TPI_STREAM);
	pdb_types_open(&g.ids, g.pdb, PDB_IPI_STREAM);
	g.owner = pages_array(job->n, sizeof *g.owner);
	memset(g.owner, 0, job->n * sizeof *g.owner);
	take_addresses(&g);
	find_owners(&g);
	make_tasks(&g, query);
	if (job->stats)
		*job->stats =
		    (struct dwarf_stats){.units = clock_seconds() - from, .n_units = g.n_tasks};
	run_tasks(&g);
	report_tasks(&g, whole);
	give_answers(&g);
	if (job->stats)
		job->stats->decode = clock_seconds() - from - job->stats->units;
	if (object_intact(job->object, &e)) {
		pdb_complain(&g, "%s", e.msg);
		for (size_t i = 0; i < job->n; i++)
			job->out->of[i] = (struct dwarf_answer){.found = DWARF_MALFORMED};
	}
	free(g.owner);
	free(g.tasks);
	free(query);
}

enum status pdb_answer(struct dwarf_job *jobs, size_t n_jobs, const struct dwarf_options *options,
		       struct err *e)
{
	(void)e;
	for (size_t i = 0; i < n_jobs; i++)
		if (jobs[i].n)
			pdb_run_job(&jobs[i], options, false);
	return ST_OK;
}
