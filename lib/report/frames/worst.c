/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/worst.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/own_code.h"
#include "lib/group/rank.h"
#include "lib/report/frames/slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5 };

/* Sites are compared by the first that has a value. A frame of a capture with calls is long by time, not by bytes. */
static const enum sum measures[] = {SUM_TIME_SELF, SUM_REAL, SUM_REQUESTED, SUM_SAMPLES, SUM_COUNT};
enum { MEASURES = sizeof measures / sizeof *measures };

/* Which frames are the worst by each: by duration, by the main thread's time in calls, and by the measures. */
enum { BY_DURATION, BY_MAIN, BY_MEASURES, LISTS = BY_MEASURES + MEASURES };

struct worst_cell {
	uint32_t group; /* of stacks */
	uint64_t v[MEASURES];
	uint64_t main; /* ns of the main thread */
};

struct worst_frame {
	unsigned lists; /* it is in so many */
	int64_t number;
	uint64_t duration, main, capture;
	char *name; /* NULL: none */
	bool has_duration;
	unsigned has; /* SUM_BITs */
	uint64_t v[MEASURES];
	struct worst_cell *cells;
	size_t n_cells;
};

struct worst_cause {
	uint32_t stack, call; /* of the profile; of names, 0: there is none */
	uint64_t ns;
};

struct worst_list { /* the worst first */
	struct worst_frame *frames[ROWS];
	uint64_t values[ROWS];
	size_t n;
};

enum {
	WORST_CAPTURE,
	WORST_FRAME,
	WORST_NAME,
	WORST_DURATION,
	WORST_VALUE,
	WORST_SHARE,
	WORST_SITE_VALUE,
	WORST_SITE,
	WORST_AT,
	WORST_FILE,
	WORST_LINE,
	WORST_CAUSE_VALUE,
	WORST_CAUSE,
	WORST_CAUSE_AT,
	WORST_CAUSE_FILE,
	WORST_CAUSE_LINE,
	WORST_CALLERS,
	WORST_ALLOCATED,
	WORST_COLUMNS
};

struct frames_worst {
	size_t stacks;
	int64_t budget;
	struct frame_groups *groups, *of_stacks;
	bool named;                     /* some frame that was kept */
	bool paths;                     /* of calls are kept */
	struct worst_list lists[LISTS]; /* the first two: of the present capture */
	struct worst_list longest;      /* of all captures */
	bool started, timed;            /* of the present capture: some frame has a start; of all */
	uint64_t frames, over[2],
	    all_over; /* over: of the present capture, by the first two lists */
	unsigned known, valued;
	/* The table. */
	struct grouped_profile *p;
	size_t measure;
	const struct worst_list *rows;
	struct table table;
	struct table_column columns[WORST_COLUMNS];
	struct arena arena;
	struct buf site, at, place, callers;
	struct worst_cause causes[ROWS]; /* of rows */
	bool caused;                     /* some row has one */
};

struct frames_worst *frames_worst_new(struct grouped_profile_options *o, size_t stacks,
				      int64_t budget)
{
	struct frames_worst *w = mem_zalloc(sizeof *w);

	w->stacks = stacks;
	w->budget = budget;
	w->groups = frame_groups_new();
	w->of_stacks = frame_groups_new();
	o->slicing = SLICE_FRAMES;
	o->slice_cells = o->slice_main = o->slice_marked = true;
	for (size_t i = 0; i < MEASURES; i++)
		o->want |= SUM_BIT(measures[i]);
	return w;
}

static void worst_let_go(struct worst_frame *f)
{
	if (--f->lists)
		return;
	free(f->cells);
	free(f->name);
	free(f);
}

static void worst_empty(struct worst_list *l)
{
	while (l->n)
		worst_let_go(l->frames[--l->n]);
}

void frames_worst_free(struct frames_worst *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < LISTS; i++)
		worst_empty(&w->lists[i]);
	worst_empty(&w->longest);
	frame_groups_free(w->groups);
	frame_groups_free(w->of_stacks);
	arena_release(&w->arena);
	buf_release(&w->site);
	buf_release(&w->at);
	buf_release(&w->place);
	buf_release(&w->callers);
	free(w);
}

static bool is_among(const struct worst_list *l, uint64_t value)
{
	return value && (l->n < ROWS || value > l->values[ROWS - 1]);
}

/* Of equal ones the first stays before the others. */
static void worst_insert(struct worst_list *l, struct worst_frame *f, uint64_t value)
{
	size_t at;

	if (l->n == ROWS)
		worst_let_go(l->frames[--l->n]);
	for (at = l->n++; at && value > l->values[at - 1]; at--) {
		l->values[at] = l->values[at - 1];
		l->frames[at] = l->frames[at - 1];
	}
	l->values[at] = value;
	l->frames[at] = f;
	f->lists++;
}

static uint64_t worst_value(const struct worst_frame *f, size_t list)
{
	if (list == BY_DURATION)
		return f->has_duration ? f->duration : 0;
	return list == BY_MAIN ? f->main : f->v[list - BY_MEASURES];
}

/* Of calls without their paths nothing is kept. */
static void keep_main(struct frames_worst *w, struct grouped_profile *p, const struct trace *t,
		      const struct tally_slice *s, struct worst_frame *f)
{
	w->paths = !p->tally.options.listener;
	for (size_t i = 0; w->paths && i < s->n_cells; i++) {
		uint64_t ns = tally_slice_main(&p->tally, i);
		uint32_t group =
		    ns ? grouped_profile_cell_group(p, t, s->cells[i], w->stacks) : GROUP_NONE;
		struct worst_cell *c;

		if (group == GROUP_NONE)
			continue;
		c = &f->cells[w->of_stacks->mark[group] - 1];
		c->main = add_saturating(c->main, ns);
	}
}

static void keep_cells(struct frames_worst *w, struct grouped_profile *p, const struct trace *t,
		       const struct tally_slice *s, struct worst_frame *f)
{
	struct frame_groups *g = w->of_stacks;

	frame_groups_fill(g, p, t, s, w->stacks);
	f->cells = mem_array(g->n + 1, sizeof *f->cells);
	f->n_cells = g->n;
	for (size_t i = 0; i < g->n; i++) {
		f->cells[i] = (struct worst_cell){.group = g->ids[i]};
		for (size_t m = 0; m < MEASURES; m++)
			f->cells[i].v[m] = g->sums[i].v[measures[m]];
	}
	keep_main(w, p, t, s, f);
}

void frames_worst_sliced(struct frames_worst *w, struct grouped_profile *p, const struct trace *t,
			 const struct tally_slice *s)
{
	unsigned known;
	struct tally_sums all = frame_slice_sums(w->groups, p, t, s, &known);
	struct worst_frame f = {.number = s->number,
				.duration = s->duration > 0 ? (uint64_t)s->duration : 0,
				.has_duration = s->has_duration,
				.main = s->has_main ? s->main : 0,
				.has = all.has,
				.capture = p->now.captures + 1},
			   *kept = NULL;
	size_t len;
	const char *name = intern_text(&t->strings, s->name, &len);

	w->known |= known;
	w->valued |= known & sums_valued(&all);
	if (s->kind == SLICE_BEFORE)
		return;
	w->frames++;
	w->started |= s->has_start;
	for (size_t m = 0; m < MEASURES; m++)
		f.v[m] = all.v[measures[m]];
	for (size_t i = 0; i < LISTS; i++) {
		uint64_t v = worst_value(&f, i);

		if (i < BY_MEASURES)
			w->over[i] += w->budget && v > (uint64_t)w->budget;
		if (!is_among(&w->lists[i], v))
			continue;
		if (!kept) {
			f.name = s->name ? mem_strndup(name, len) : NULL;
			w->named |= s->name != 0;
			keep_cells(w, p, t, s, &f);
			kept = mem_zalloc(sizeof *kept);
			*kept = f;
		}
		worst_insert(&w->lists[i], kept, v);
	}
}

/* As the rows of frames.h: where no frame has a time, it lasts as long as the main thread's calls. */
void frames_worst_captured(struct frames_worst *w, const struct grouped_profile *p)
{
	size_t by = w->started ? BY_DURATION : BY_MAIN;
	struct worst_list *l = &w->lists[by];

	for (size_t i = 0; i < l->n; i++) {
		l->frames[i]->duration = l->values[i];
		l->frames[i]->has_duration = true;
		if (is_among(&w->longest, l->values[i]))
			worst_insert(&w->longest, l->frames[i], l->values[i]);
	}
	w->timed |= l->n > 0;
	w->all_over += w->over[by];
	w->over[BY_DURATION] = w->over[BY_MAIN] = 0;
	worst_empty(&w->lists[BY_DURATION]);
	worst_empty(&w->lists[BY_MAIN]);
	w->started = false;
	w->known &= ~profile_unrecorded(&p->now.known);
	/* The next capture numbers its cells anew. */
	frame_groups_free(w->of_stacks);
	w->of_stacks = frame_groups_new();
}

/* --- the table --- */

struct worst_site {
	uint32_t group;
	uint64_t value;
};

static int worst_by_site(const void *a, const void *b)
{
	const struct worst_site *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
}

/* Of equal sites the one that a ranking has first. False: nothing in the frame has a value. */
static bool most_of(const struct frames_worst *w, const struct worst_frame *f,
		    struct worst_site *most)
{
	const struct grouping *stacks = &w->p->groupings[w->stacks];
	struct ranking r = {.p = w->p, .run = &w->p->now, .sum = measures[w->measure]};
	struct worst_site *sites = mem_array(f->n_cells + 1, sizeof *sites);
	size_t n = f->n_cells;

	*most = (struct worst_site){.value = 0};
	for (size_t i = 0; i < n; i++)
		sites[i] = (struct worst_site){stacks->groups[f->cells[i].group].outer,
					       f->cells[i].v[w->measure]};
	sort_array(sites, n, sizeof *sites, worst_by_site);
	for (size_t i = 0, k; i < n; i = k) {
		struct worst_site s = {.group = sites[i].group};

		for (k = i; k < n && sites[k].group == s.group; k++)
			s.value = add_saturating(s.value, sites[k].value);
		if (s.value > most->value ||
		    (s.value && s.value == most->value && rank_order(&r, s.group, most->group) < 0))
			*most = s;
	}
	free(sites);
	return most->value;
}

/* False: nothing in the frame has a value. */
static bool worst_fill_site(struct frames_worst *w, const struct worst_frame *f,
			    struct worst_site *site, struct table_cell *c)
{
	struct worst_site most;
	struct group_name n;

	if (!most_of(w, f, &most))
		return false;
	*site = most;
	group_name(w->p, 0, most.group, &n);
	w->site.len = w->at.len = 0;
	buf_add(&w->site, n.name, n.name_len);
	if (w->p->groupings[0].groups[most.group].inside)
		buf_adds(&w->site, " [runtime only]");
	chain_place(&w->at, n.file, n.file_len, n.line);
	c[WORST_SHARE] = cell_share(most.value, f->v[w->measure]);
	c[WORST_SITE_VALUE] = cell_number(most.value);
	c[WORST_SITE] = cell_text(w->site.data, w->site.len);
	if (w->at.len)
		c[WORST_AT] = cell_text(w->at.data, w->at.len);
	if (n.file_len)
		c[WORST_FILE] = cell_text(n.file, n.file_len);
	if (n.line)
		c[WORST_LINE] = cell_number(n.line);
	return true;
}

/* --- causes --- */

static bool is_two_thirds(uint64_t ns, uint64_t of)
{
	return (unsigned __int128)ns * 3 >= (unsigned __int128)of * 2 && of;
}

/* What passed in each stack's innermost call and what that called. Callers have smaller ids than the stacks they are
 * part of. */
static uint64_t *main_times(const struct frames_worst *w, const struct worst_frame *f)
{
	const struct grouping *stacks = &w->p->groupings[w->stacks];
	uint64_t *ns = mem_zarray(w->p->stacks.n + 1, sizeof *ns);

	for (size_t i = 0; i < f->n_cells; i++) {
		uint64_t *of = &ns[stacks->groups[f->cells[i].group].id];

		*of = add_saturating(*of, f->cells[i].main);
	}
	for (size_t i = w->p->stacks.n; i-- > 1;) {
		uint64_t *of = &ns[w->p->stacks.rows[i].parent];

		*of = add_saturating(*of, ns[i]);
	}
	return ns;
}

/* The innermost call of own code of a location; 0: none. */
static uint32_t own_call(const struct frames_worst *w, const struct own_code *own, uint32_t stack)
{
	const struct names_location *l = &w->p->names.locations[w->p->stacks.rows[stack].location];

	for (uint32_t c = l->first; c < l->first + l->n_calls; c++)
		if (own_code_is(own, c))
			return c;
	return 0;
}

/* Of two stacks in which two thirds passed one is the other's caller, so the last is the innermost. */
static struct worst_cause cause_of(const struct frames_worst *w, const struct own_code *own,
				   const struct worst_frame *f)
{
	uint64_t *ns = main_times(w, f);
	struct worst_cause c = {.stack = (uint32_t)w->p->stacks.n};

	while (--c.stack && !is_two_thirds(ns[c.stack], f->duration))
		;
	while (c.stack && !(c.call = own_call(w, own, c.stack)))
		c.stack = w->p->stacks.rows[c.stack].parent;
	c.ns = ns[c.stack];
	free(ns);
	return c;
}

static void find_causes(struct frames_worst *w)
{
	struct own_code *own;

	if (!w->paths || !(w->known >> SUM_TIME_SELF & 1))
		return;
	own = own_code_new(w->p);
	for (size_t i = 0; i < w->rows->n; i++)
		if (w->rows->frames[i]->has_duration) {
			w->causes[i] = cause_of(w, own, w->rows->frames[i]);
			w->caused |= w->causes[i].call != 0;
		}
	own_code_free(own);
}

/* The calls out of one: "by b < c < main", as report/top/callers.h writes them. */
static void add_callers(struct frames_worst *w, uint32_t stack, uint32_t call)
{
	enum { DEPTH = 4 };
	const struct group_names *names = &w->p->names;
	const struct names_location *l = &names->locations[names->calls[call].location];

	for (unsigned depth = 0; depth < DEPTH; depth++) {
		const char *name;
		size_t n;

		if (++call >= l->first + l->n_calls) {
			stack = w->p->stacks.rows[stack].parent;
			if (!stack)
				return;
			l = &names->locations[w->p->stacks.rows[stack].location];
			call = l->first;
		}
		name = names_text(names, names->functions[names->calls[call].function].display, &n);
		buf_adds(&w->callers, depth ? " < " : "by ");
		buf_add(&w->callers, name, n);
		if (n == 4 && !memcmp(name, "main", 4))
			return;
	}
}

static void worst_fill_cause(struct frames_worst *w, const struct worst_cause *cause,
			     struct table_cell *c)
{
	const struct group_names *names = &w->p->names;
	const struct names_call *call = &names->calls[cause->call];
	size_t n;
	const char *name = names_text(names, names->functions[call->function].display, &n);

	c[WORST_CAUSE_VALUE] = cell_number(cause->ns);
	c[WORST_CAUSE] = cell_text(name, n);
	if (call->file) {
		const char *file = names_text(names, call->file, &n);

		w->place.len = 0;
		chain_place(&w->place, file, n, call->line);
		c[WORST_CAUSE_AT] = cell_text(w->place.data, w->place.len);
		c[WORST_CAUSE_FILE] = cell_text(file, n);
		if (call->line)
			c[WORST_CAUSE_LINE] = cell_number(call->line);
	}
	add_callers(w, cause->stack, cause->call);
}

/* The stack of a site through which most came, where there is no cause. Its share of the site is not told if it is all. */
static void worst_site_callers(struct frames_worst *w, const struct worst_frame *f,
			       const struct worst_site *site)
{
	const struct grouping *stacks = &w->p->groupings[w->stacks];
	const struct worst_cell *most = NULL;
	uint32_t stack, call;

	for (size_t i = 0; i < f->n_cells; i++)
		if (stacks->groups[f->cells[i].group].outer == site->group &&
		    (!most || f->cells[i].v[w->measure] > most->v[w->measure]))
			most = &f->cells[i];
	if (!most || (!w->paths && measures[w->measure] == SUM_TIME_SELF))
		return;
	stack = stacks->groups[most->group].id;
	call = w->p->stack_sites[stack] & ~SITE_INSIDE;
	while (stack && w->p->stacks.rows[stack].location != w->p->names.calls[call].location)
		stack = w->p->stacks.rows[stack].parent;
	if (!stack || !call)
		return;
	add_callers(w, stack, call);
	if (w->callers.len && most->v[w->measure] < site->value) {
		struct table_column percent = {.type = COLUMN_PERCENT};
		struct table_cell share = cell_share(most->v[w->measure], site->value);

		buf_adds(&w->callers, ": ");
		cell_for_people(&w->callers, &percent, &share, false);
		buf_adds(&w->callers, " of it");
	}
}

static void worst_fill(void *arg, size_t i, struct table_row *row)
{
	struct frames_worst *w = arg;
	const struct worst_frame *f = w->rows->frames[i];
	struct table_cell *c = row->cells;
	struct worst_site site;
	bool any;

	c[WORST_CAPTURE] = cell_number(f->capture);
	c[WORST_FRAME] = cell_signed(f->number);
	if (f->name)
		c[WORST_NAME] = cell_text(f->name, strlen(f->name));
	if (f->has_duration)
		c[WORST_DURATION] = cell_number(f->duration);
	if ((f->has & w->known) >> measures[w->measure] & 1)
		c[WORST_VALUE] = cell_number(f->v[w->measure]);
	if ((f->has & w->known) >> SUM_REAL & 1 && measures[w->measure] != SUM_REAL)
		c[WORST_ALLOCATED] = cell_number(f->v[1]);
	w->callers.len = 0;
	any = worst_fill_site(w, f, &site, c);
	if (w->causes[i].call)
		worst_fill_cause(w, &w->causes[i], c);
	else if (any)
		worst_site_callers(w, f, &site);
	if (w->callers.len)
		c[WORST_CALLERS] = cell_text(w->callers.data, w->callers.len);
}

static const char *worst_text(struct frames_worst *w, const char *before, const char *text,
			      const char *behind)
{
	struct buf b = BUF_INIT;
	const char *s;

	buf_addf(&b, "%s%s%s", before, text, behind);
	s = arena_strndup(&w->arena, b.data, b.len);
	buf_release(&b);
	return s;
}

static void worst_add_columns(struct frames_worst *w)
{
	enum sum sum = measures[w->measure];
	const char *mark = metric_title_mark(&w->p->now.known, sum);
	enum column_type type = metric_type(sum);
	/* A person sees the cause instead of the site, if there is one. */
	unsigned hidden = w->caused ? COLUMN_NOT_TEXT : 0, shown = COLUMN_NOT_TEXT - hidden;
	unsigned empty = (w->valued & w->known) >> sum & 1 ? hidden : COLUMN_NOT_TEXT;
	const struct table_column columns[WORST_COLUMNS] = {
	    [WORST_CAPTURE] = {"capture", "capture", COLUMN_INT,
			       w->p->now.captures > 1 ? 0 : COLUMN_NOT_TEXT, 0},
	    [WORST_FRAME] = {"frame", "frame", COLUMN_INT, 0, 0},
	    [WORST_NAME] = {"name", "name", COLUMN_TEXT,
			    w->named ? COLUMN_SHORTEN : COLUMN_NOT_TEXT, 0},
	    [WORST_DURATION] = {"duration_ns", "duration", COLUMN_TIME,
				w->longest.n ? 0 : COLUMN_NOT_TEXT, 0},
	    [WORST_VALUE] = {metric_table[sum].key,
			     worst_text(w, "", metric_table[sum].title, mark), type, empty, 0},
	    [WORST_SHARE] = {"share", "share", COLUMN_PERCENT, empty, 0},
	    [WORST_SITE_VALUE] = {worst_text(w, "site_", metric_table[sum].key, ""), NULL, type,
				  COLUMN_NOT_TEXT, 0},
	    [WORST_SITE] = {"site",
			    type == COLUMN_BYTES || sum == SUM_COUNT ? "allocated most"
								     : "took most",
			    COLUMN_TEXT, COLUMN_SHORTEN | hidden, 0},
	    [WORST_AT] = {NULL, w->caused ? NULL : "at", COLUMN_TEXT,
			  COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH | hidden, 0},
	    [WORST_FILE] = {"file", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    [WORST_LINE] = {"line", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [WORST_CAUSE_VALUE] = {"cause_ns", "in the cause", COLUMN_TIME, shown, 0},
	    [WORST_CAUSE] = {"cause", "cause", COLUMN_TEXT, COLUMN_SHORTEN | shown, 0},
	    [WORST_CAUSE_AT] = {NULL, w->caused ? "at" : NULL, COLUMN_TEXT,
				COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH | shown, 0},
	    [WORST_CAUSE_FILE] = {"cause_file", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    [WORST_CAUSE_LINE] = {"cause_line", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [WORST_CALLERS] = {"callers", "called", COLUMN_TEXT, COLUMN_SHORTEN | shown, 0},
	    [WORST_ALLOCATED] = {"allocated_real",
				 *metric_title_mark(&w->p->now.known, SUM_REAL) ? "real ~" : NULL,
				 COLUMN_BYTES, COLUMN_NOT_TEXT, 0}};

	memcpy(w->columns, columns, sizeof columns);
}

static const char *worst_title(struct frames_worst *w)
{
	struct buf b = BUF_INIT;
	const char *title;

	buf_addf(&b, "worst frames by %s: %zu of %" PRIu64,
		 w->longest.n ? "duration" : metric_table[measures[w->measure]].title, w->rows->n,
		 w->frames);
	if (w->budget && w->timed) {
		buf_addf(&b, "; %" PRIu64 " over the budget of ", w->all_over);
		time_text(&b, (uint64_t)w->budget);
	}
	title = arena_strndup(&w->arena, b.data, b.len);
	buf_release(&b);
	return title;
}

/* The first measure that the worst frame with any has. */
static void worst_choose(struct frames_worst *w)
{
	size_t rows = w->longest.n ? w->longest.n : 1;

	for (size_t i = 0; i < rows; i++)
		for (w->measure = 0; w->measure < MEASURES; w->measure++) {
			w->rows = w->longest.n ? &w->longest : &w->lists[BY_MEASURES + w->measure];
			if (w->known >> measures[w->measure] & 1 && i < w->rows->n &&
			    w->rows->frames[i]->v[w->measure])
				return;
		}
	w->measure = MEASURES - 1;
}

const struct table *frames_worst_table(struct frames_worst *w, struct grouped_profile *p)
{
	if (!w->frames || p->now.early)
		return NULL;
	w->p = p;
	worst_choose(w);
	if (!w->rows->n)
		return NULL;
	find_causes(w);
	worst_add_columns(w);
	w->table = (struct table){.name = FRAMES_WORST_TABLE,
				  .title = worst_title(w),
				  .flags = TABLE_AHEAD,
				  .columns = w->columns,
				  .n_columns = WORST_COLUMNS,
				  .n_rows = w->rows->n,
				  .fill = worst_fill,
				  .arg = w};
	return &w->table;
}

void frames_worst_numbers(const struct frames_worst *w, struct table_document *d)
{
	document_number(d, "frames", COLUMN_INT, 0, cell_number(w->frames));
	if (w->budget && w->timed)
		document_number(d, "frames_over_budget", COLUMN_INT, 0, cell_number(w->all_over));
}
