/* SPDX-License-Identifier: MIT
 *
 * The answers for the addresses of one module.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/pdb/worker.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* at records, of each some pages become the program's: then these are given back. Modules' records lie together, so
	 * that few are read again. */
	LOOKS = 1024,
};

static const char *open_module(struct pdb_worker *w, const struct pdb_module *m)
{
	const uint32_t size = msf_size(w->pdb->msf, m->stream);
	const uint8_t *b;

	if (m->symbols > size || m->old_lines > size - m->symbols ||
	    m->parts > size - m->symbols - m->old_lines)
		return "its symbols and lines are more than its stream has";
	if (!size)
		return "it has no symbols";
	b = msf_copy(w->pdb->msf, m->stream, 0, size, &w->room);
	if (!b)
		return "its stream cannot be read";
	if (m->symbols < 4 || le32(b) != PDB_SIGNATURE)
		return "unknown kind of symbols";
	w->symbols = (struct pdb_bytes){b, m->symbols};
	w->parts = (struct pdb_bytes){b + m->symbols + m->old_lines, m->parts};
	return NULL;
}

static uint32_t extra_of(struct pdb_worker *w, uint32_t name)
{
	struct dwarf_extra x = {.start = DWARF_NO_START, .name = name};

	return w->out
		   ? dwarf_extras_add(&w->out->extras, &w->out->n_extras, &w->out->cap_extras, &x)
		   : 0;
}

static void name_proc(struct pdb_worker *w, struct pdb_proc *p)
{
	if (p->named)
		return;
	p->named = true;
	p->id = pdb_proc_name(w, p);
	if (w->out && p->n)
		p->extra = extra_of(w, store_copy(&w->writer, p->name, p->n));
}

static void name_site(struct pdb_worker *w, struct pdb_site *s)
{
	const struct pdb_inlinee *from;

	if (s->known)
		return;
	s->known = true;
	s->id = pdb_inlinee_name(w, s->inlinee);
	from = pdb_inlinee_of(w, s->inlinee);
	s->file = from ? from->file : PDB_NO_FILE;
	s->line = from ? from->line : 0;
}

static uint32_t path_of(struct pdb_worker *w, uint32_t file)
{
	return file == PDB_NO_FILE ? 0 : pdb_path(w, file);
}

/* The calls of an address, outermost first: the procedure itself is the first one. */
struct chain {
	uint32_t path[PDB_NESTING + 1]; /* of the present address: hits, index + 1 */
	uint32_t hit[PDB_NESTING + 1],
	    id[PDB_NESTING + 1]; /* of the address before, and its calls */
	size_t n;
	const struct pdb_queried *of; /* the address before; NULL: it had no calls */
};

static bool same_hit(const struct pdb_worker *w, uint32_t a, uint32_t b)
{
	const struct pdb_hit *x = &w->hits[a - 1], *y = &w->hits[b - 1];

	return x->site == y->site && x->line == y->line && x->file == y->file;
}

static uint32_t inlined_call(struct pdb_worker *w, const struct pdb_hit *h, uint32_t outer)
{
	struct pdb_site *s = &w->sites[h->site];
	struct dwarf_call c = {.outer = outer};
	int64_t line; /* of 24 bits, as in rows */

	name_site(w, s);
	line = (int64_t)s->line + h->line;
	c.function = s->id;
	c.file = path_of(w, h->file == PDB_NO_FILE ? s->file : h->file);
	/* Compilers of Rust count some from another function's line, before the first one: such a line is none. */
	if (s->file != PDB_NO_FILE && line > 0 && line < 1 << 24)
		c.line = (uint32_t)line;
	c.extra = w->out && s->id ? extra_of(w, s->id) : 0;
	return store_call(&w->writer, &c);
}

static uint32_t outermost_call(struct pdb_worker *w, const struct pdb_queried *q)
{
	struct dwarf_call c = {.line = q->row.line, .column = q->row.column};

	if (q->row.part)
		c.file = path_of(w, q->row.file);
	if (q->proc) {
		struct pdb_proc *p = &w->procs[q->proc - 1];

		name_proc(w, p);
		c.function = p->id;
		c.extra = p->extra;
	}
	return store_call(&w->writer, &c);
}

static bool same_place(const struct pdb_queried *a, const struct pdb_queried *b)
{
	return a->proc == b->proc && a->row.part == b->row.part && a->row.file == b->row.file &&
	       a->row.line == b->row.line && a->row.column == b->row.column;
}

/* Neighbours have most of their calls in common. */
static struct dwarf_answer answer_one(struct pdb_worker *w, struct chain *c,
				      const struct pdb_queried *q)
{
	uint32_t depth = q->hit ? w->hits[q->hit - 1].depth + 1 : 0, same = 1;

	if (!q->proc && (!q->row.part || w->managed)) {
		c->of = NULL;
		return (struct dwarf_answer){.found = w->why ? DWARF_MALFORMED : DWARF_NOT_FOUND};
	}
	for (uint32_t hit = q->hit, i = depth; i; i--, hit = w->hits[hit - 1].outer)
		c->path[i] = hit;
	if (!c->of || !same_place(c->of, q)) {
		c->id[0] = outermost_call(w, q);
		c->n = 1;
	}
	while (same < c->n && same <= depth && same_hit(w, c->hit[same], c->path[same]))
		same++;
	for (uint32_t i = same; i <= depth; i++) {
		c->hit[i] = c->path[i];
		c->id[i] = inlined_call(w, &w->hits[c->path[i] - 1], c->id[i - 1]);
	}
	c->n = depth + 1;
	c->of = q;
	return (struct dwarf_answer){.call = c->id[depth],
				     .found = q->proc ? DWARF_FUNCTION : DWARF_LINE_ONLY};
}

static void begin_task(struct pdb_worker *w, uint32_t module)
{
	w->n = w->n_procs = w->n_sites = w->n_hits = 0;
	w->inlinees_read = w->managed = false;
	w->module = module;
	w->why = NULL;
}

static void take_queries(struct pdb_worker *w, const struct pdb_task *t, const uint64_t *addrs,
			 uint64_t base)
{
	begin_task(w, t->module);
	if (t->n > w->cap)
		w->q = mem_grow(w->q, &w->cap, t->n, sizeof *w->q);
	w->n = t->n;
	for (size_t i = 0; i < t->n; i++)
		w->q[i] = (struct pdb_queried){.rva = (uint32_t)(addrs[t->query[i]] - base)};
}

void pdb_answer_task(struct pdb_worker *w, struct pdb_task *t, const uint64_t *addrs, uint64_t base,
		     struct dwarf_answer *to)
{
	struct chain chain;

	take_queries(w, t, addrs, base);
	t->why = open_module(w, &t->m);
	if (!t->why) {
		pdb_find_procs(w);
		pdb_find_lines(w);
		t->why = w->why;
		if (!t->why && w->managed)
			t->why = "its code is that of .NET (IL), which has no machine addresses";
		chain.n = 0;
		chain.of = NULL;
		for (size_t i = 0; i < t->n && !w->budget.over; i++) {
			to[t->query[i]] = answer_one(w, &chain, &w->q[i]);
			if (w->looked < LOOKS)
				continue;
			msf_drop(w->pdb->msf);
			w->looked = 0;
		}
	} else if (t->m.symbols || t->m.parts) {
		for (size_t i = 0; i < t->n; i++)
			to[t->query[i]] = (struct dwarf_answer){.found = DWARF_MALFORMED};
	} else { /* an import, or an object without debug information */
		t->why = NULL;
	}
	if (w->budget.over) {
		t->why = "takes longer than its time limit";
		for (size_t i = 0; i < t->n; i++)
			to[t->query[i]] = (struct dwarf_answer){.found = DWARF_GAVE_UP};
	}
}

void pdb_places_of(struct pdb_worker *w, const struct pdb_module *m)
{
	begin_task(w, 0);
	if (open_module(w, m))
		return;
	pdb_find_procs(w);
	pdb_find_lines(w);
}

void pdb_worker_release(struct pdb_worker *w)
{
	store_writer_done(&w->writer);
	msf_room_release(&w->room);
	msf_room_release(&w->scratch);
	map64_release(&w->files);
	map64_release(&w->functions);
	buf_release(&w->text);
	free(w->q);
	free(w->procs);
	free(w->sites);
	free(w->hits);
	free(w->inlinees);
	free(w->exporters);
	*w = (struct pdb_worker){.cap = 0};
}
