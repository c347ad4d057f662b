/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/answer.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/split.h"

#include <stdlib.h>

/* Work in progress on one unit. */
struct making {
	struct fast_worker *w;
	struct fast_file *f;
	const struct fast_unit *u;
	const struct abbrevs *t;
	/* The unit that has the lines and was looked up: a skeleton, whose part u is, or u
	 * itself. */
	const struct fast_unit *asked;
};

static void make_room(struct fast_worker *w, size_t n)
{
	if (n <= w->cap)
		return;
	w->cap = n + n / 2;
	w->addrs = mem_realloc(w->addrs, w->cap, sizeof *w->addrs);
	w->left = mem_realloc(w->left, w->cap, sizeof *w->left);
	w->node = mem_realloc(w->node, w->cap, sizeof *w->node);
	w->left_node = mem_realloc(w->left_node, w->cap, sizeof *w->left_node);
	w->rows = mem_realloc(w->rows, w->cap, sizeof *w->rows);
}

enum { NO_PATH = 1 }; /* in path_of: ids have STORE_BIT */

static uint32_t path_of(struct making *m, uint32_t number)
{
	struct fast_worker *w = m->w;
	struct buf *b = &w->path;

	if (number >= w->lines.n_files)
		return 0;
	if (!w->path_of[number]) {
		b->len = 0;
		w->path_of[number] = NO_PATH;
		if (fast_lines_path(&w->lines, m->asked, number, b))
			w->path_of[number] = store_copy(&w->writer, b->data ? b->data : "", b->len);
	}
	return w->path_of[number] == NO_PATH ? 0 : w->path_of[number];
}

/* Id of a name, of the function at die, by its index in the unit's names + 1. */
static uint32_t store_name(struct making *m, uint32_t name, uint64_t die)
{
	struct fast_worker *w = m->w;
	const struct fast_text *t;
	uint32_t *id;

	if (!name)
		return 0;
	if (name > w->cap_name_ids)
		w->name_ids =
		    mem_grow_zero(w->name_ids, &w->cap_name_ids, name, sizeof *w->name_ids);
	t = &w->names.all[name - 1];
	id = &w->name_ids[name - 1];
	if (*id)
		return *id;
	if (w->names.closed) {
		*id = store_copy(&w->writer, t->s, t->n);
		return *id;
	}
	__builtin_prefetch(t->s);
	*id = store_text(&w->writer, t->s, t->n < UINT32_MAX ? t->n : UINT32_MAX);
	if (t->open)
		VEC_PUSH(w->open, w->n_open, w->cap_open) =
		    (struct fast_open_name){store_last_text(&w->writer), die};
	return *id;
}

/* Their bytes, which the unit's other names have not waited for, are there by now. */
static void fast_answer_close_names(struct making *m)
{
	struct fast_worker *w = m->w;

	for (size_t i = 0; i < w->n_open; i++) {
		struct store_text *text = w->open[i].text;
		const struct fast_text open = {text->s, text->n, true};
		size_t n = fast_text_measure(&open);
		uint32_t again;

		if (n) {
			text->n = (uint32_t)n;
			continue;
		}
		/* What is known of it is not true. */
		fast_names_clear(&w->names);
		w->names.closed = true;
		again = fast_names_find(&w->names, m->f, m->u, w->open[i].die);
		w->names.closed = false;
		*text = again ? (struct store_text){w->names.all[again - 1].s,
						    (uint32_t)w->names.all[again - 1].n}
			      : (struct store_text){"", 0};
	}
	w->n_open = 0;
}

static uint32_t name_of(struct making *m, struct fast_scope *s)
{
	if (!s->name && budget_spend(&m->w->budget, 16))
		return 0;
	if (!s->name)
		s->name =
		    store_name(m, fast_names_find(&m->w->names, m->f, m->u, s->die), s->die) + 1;
	return s->name - 1;
}

/* An extra of the unit's as one of the job's. */
static uint32_t store_extra(struct fast_worker *w, uint32_t extra)
{
	struct dwarf_answers *out = w->out;

	if (!extra)
		return 0;
	if (extra >= w->cap_extra_ids)
		w->extra_ids =
		    mem_grow_zero(w->extra_ids, &w->cap_extra_ids, extra + 1, sizeof *w->extra_ids);
	if (!w->extra_ids[extra]) {
		pthread_mutex_lock(&out->store.lock);
		w->extra_ids[extra] = dwarf_extras_add(&out->extras, &out->n_extras,
						       &out->cap_extras, &w->extras[extra]);
		pthread_mutex_unlock(&out->store.lock);
	}
	return w->extra_ids[extra];
}

/* What only drop-ins want of a call in this scope (0: no function is known). */
static uint32_t fast_answer_extra_of(struct making *m, uint32_t scope, uint32_t discriminator)
{
	struct fast_worker *w = m->w;
	struct fast_scope *s = scope ? &w->scopes.all[scope - 1] : NULL;
	struct dwarf_extra x = {.start = DWARF_NO_START};

	if (!m->f->extras)
		return m->f->discriminators ? discriminator : 0;
	if (s && !s->extra && !budget_spend(&w->budget, 16)) {
		struct fast_facts facts;

		fast_facts_read(&w->names, m->f, m->u, s->die, &facts);
		x.start = facts.start;
		x.name = store_name(m, facts.name, s->die);
		x.file = facts.has_file ? path_of(m, facts.file) : 0;
		x.line = facts.line;
		s->extra = dwarf_extras_add(&w->extras, &w->n_extras, &w->cap_extras, &x) + 1;
	}
	if (s && s->extra > 1)
		x = w->extras[s->extra - 1];
	x.discriminator = discriminator;
	return store_extra(w, dwarf_extras_add(&w->extras, &w->n_extras, &w->cap_extras, &x));
}

/* The call that the scope's code was inlined into; 0 for a function of its own. */
static uint32_t fast_answer_caller(struct making *m, uint32_t scope)
{
	struct fast_scope *all = m->w->scopes.all;
	uint32_t path[LIMIT_NESTING + 1], n = 0, outer;

	for (; !all[scope - 1].call && all[scope - 1].parent; scope = all[scope - 1].parent)
		path[n++] = scope;
	outer = all[scope - 1].call ? all[scope - 1].call - 1 : 0;
	while (n) {
		struct fast_scope *s = &all[path[--n] - 1];
		struct fast_call_site site;
		struct dwarf_call c = {.outer = outer};

		fast_call_site_read(m->f, m->u, m->t, s->abbrev, s->die, &site);
		c.function = name_of(m, &all[s->parent - 1]);
		c.file = site.has_file ? path_of(m, site.file) : 0;
		c.line = site.line;
		c.column = site.column;
		c.extra = fast_answer_extra_of(m, s->parent, site.discriminator);
		outer = store_call(&m->w->writer, &c);
		s->call = outer + 1;
	}
	return outer;
}

static bool same_row(const struct fast_row *a, const struct fast_row *b)
{
	return a->there == b->there && a->line == b->line && a->file == b->file &&
	       a->column == b->column && a->discriminator == b->discriminator;
}

/* The answer for the q-th address. */
static struct dwarf_answer fast_answer_make_call(struct making *m, size_t q)
{
	struct fast_worker *w = m->w;
	const struct fast_row *row = &w->rows[q];
	struct dwarf_call c = {.line = 0};
	uint32_t scope = w->node[q];

	if (row->there) {
		c.file = path_of(m, row->file);
		c.line = row->line;
		c.column = row->column;
	} else if (!scope) {
		return (struct dwarf_answer){.found = DWARF_NOT_FOUND};
	}
	if (scope) {
		c.function = name_of(m, &w->scopes.all[scope - 1]);
		c.outer = fast_answer_caller(m, scope);
	}
	c.extra = fast_answer_extra_of(m, scope, row->discriminator);
	return (struct dwarf_answer){.call = store_call(&w->writer, &c),
				     .found = scope ? DWARF_FUNCTION : DWARF_LINE_ONLY};
}

static void fast_answer_make_calls(struct making *m, struct fast_answers *a)
{
	struct fast_worker *w = m->w;
	struct dwarf_answer answer = {.call = 0};

	if (w->lines.n_files > w->cap_path_of)
		w->path_of =
		    mem_grow(w->path_of, &w->cap_path_of, w->lines.n_files, sizeof *w->path_of);
	if (w->lines.n_files)
		memset(w->path_of, 0, w->lines.n_files * sizeof *w->path_of);
	if (w->cap_name_ids)
		memset(w->name_ids, 0, w->cap_name_ids * sizeof *w->name_ids);
	if (w->cap_extra_ids)
		memset(w->extra_ids, 0, w->cap_extra_ids * sizeof *w->extra_ids);
	for (size_t q = 0; q < a->n; q++) {
		/* neighbours are often of one row */
		if (!q || w->node[q] != w->node[q - 1] || !same_row(&w->rows[q], &w->rows[q - 1]))
			answer = fast_answer_make_call(m, q);
		a->to[a->direct ? q : a->query[q]] = answer;
	}
	fast_answer_close_names(m);
	a->made = true;
}

/* Functions nested in others, for the addresses that the first walk has left. */
static enum status fast_answer_second_walk(struct making *m, size_t n)
{
	struct fast_worker *w = m->w;
	size_t n_left = 0;
	enum status st;

	for (size_t q = 0; q < n; q++) {
		if (!w->node[q])
			w->left[n_left++] = w->addrs[q];
	}
	if (!n_left)
		return ST_OK;
	st = fast_scopes_walk(m->f, m->u, m->t, w->left, n_left, true, &w->budget, &w->scopes,
			      w->left_node);
	n_left = 0;
	for (size_t q = 0; q < n; q++) {
		if (!w->node[q])
			w->node[q] = w->left_node[n_left++];
	}
	return st;
}

/* Adds the time since *from to *sum, and begins anew. */
static void lap(const struct fast_worker *w, double *from, double *sum)
{
	double now;

	if (!w->timed)
		return;
	now = clock_thread_seconds();
	*sum += now - *from;
	*from = now;
}

void fast_answers_make(struct fast_worker *w, struct fast_file *f, const uint64_t *addrs,
		       struct fast_answers *a)
{
	struct fast_unit *asked = &f->units[a->unit];
	struct making m = {.w = w, .f = f, .u = asked, .asked = asked};
	double from = w->timed ? clock_thread_seconds() : 0;
	bool split;
	enum status st;

	if (asked->split && f->splits) {
		const struct fast_part *part = fast_part_of(f, asked, &w->budget);

		a->why_no_names = part->why;
		if (part->file) {
			m.f = part->file;
			m.u = &part->unit;
		}
	}
	m.t = fast_worker_table(w, m.f, m.u);
	a->found_all = DWARF_MALFORMED;
	a->why = m.t->why;
	if (a->why)
		return;
	make_room(w, a->n);
	for (size_t q = 0; q < a->n; q++)
		w->addrs[q] = addrs[a->query[q]];
	split = m.u != asked;
	m.u = fast_worker_unit(w, m.f, m.u);
	if (!split)
		m.asked = m.u;
	w->scopes.n = w->n_extras = 0;
	fast_names_clear(&w->names);
	w->names.unit = m.u;
	w->names.table = m.t;
	/* those of a unit's part go with its file */
	w->names.closed = w->copy_names || split;
	st =
	    fast_scopes_walk(m.f, m.u, m.t, w->addrs, a->n, false, &w->budget, &w->scopes, w->node);
	if (!st)
		st = fast_answer_second_walk(&m, a->n);
	lap(w, &from, &w->scopes_time);
	if (st) {
		a->found_all = st == ST_LIMIT ? DWARF_GAVE_UP : DWARF_MALFORMED;
		a->why = w->scopes.why;
		return;
	}
	if (a->lines)
		fast_lines_rows(a->lines, w->addrs, a->n, w->rows);
	else
		a->why_no_lines =
		    fast_lines_run(f, asked, w->addrs, a->n, &w->budget, &w->lines, w->rows);
	lap(w, &from, &w->lines_time);
	fast_answer_make_calls(&m, a);
	lap(w, &from, &w->names_time);
	if (w->budget.over) { /* names may be missing */
		a->made = false;
		a->found_all = DWARF_GAVE_UP;
		a->why = "takes longer than its time limit";
	}
}

const struct abbrevs *fast_worker_table(struct fast_worker *w, struct fast_file *f,
					const struct fast_unit *u)
{
	const struct abbrevs *t;

	if (w->table_of == u)
		return &w->table;
	t = fast_tables_own(&f->tables, f->in[IN_ABBREV], u->table, &w->table);
	w->table_of = t ? u : NULL;
	return t ? t : fast_tables_get(&f->tables, f->in[IN_ABBREV], u->table);
}

const struct fast_unit *fast_worker_unit(struct fast_worker *w, const struct fast_file *f,
					 const struct fast_unit *u)
{
	if (!fast_near_bring(&w->info, f, IN_INFO, u->offset, u->end - u->offset))
		return u;
	w->unit = *u;
	w->unit.near = w->info.p;
	return &w->unit;
}

void fast_worker_init(struct fast_worker *w, struct dwarf_answers *out)
{
	w->out = out;
	w->writer.store = &out->store;
}

void fast_worker_forget(struct fast_worker *w)
{
	w->table_of = NULL;
	w->info.f = w->lines.near.f = NULL;
}

void fast_worker_done(struct fast_worker *w)
{
	store_writer_done(&w->writer);
	arena_release(&w->arena);
	w->out = NULL;
}

void fast_worker_release(struct fast_worker *w)
{
	store_writer_done(&w->writer);
	arena_release(&w->arena);
	abbrevs_release(&w->table);
	fast_near_release(&w->info);
	fast_scopes_release(&w->scopes);
	fast_names_release(&w->names);
	fast_lines_release(&w->lines);
	free(w->ranges.all);
	free(w->addrs);
	free(w->left);
	free(w->node);
	free(w->left_node);
	free(w->rows);
	free(w->name_ids);
	free(w->open);
	free(w->extras);
	free(w->extra_ids);
	free(w->path_of);
	buf_release(&w->path);
	*w = (struct fast_worker){.cap = 0};
}
