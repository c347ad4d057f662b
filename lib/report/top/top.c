/* SPDX-License-Identifier: MIT */
#include "lib/report/top/top.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/top/callers.h"
#include "lib/report/top/guess.h"
#include "lib/report/top/stacks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 2 * SUMS + 16, DETAILS_MAX = 128 };

enum what {
	WHAT_RANK,
	WHAT_SELF,
	WHAT_TOTAL,
	WHAT_SELF_SHARE,
	WHAT_TOTAL_SHARE,
	WHAT_OUTER, /* the group that the row's is within */
	WHAT_NAME,
	WHAT_LABEL,
	WHAT_AT, /* file:line */
	WHAT_FILE,
	WHAT_LINE,
	WHAT_MODULE,
	WHAT_ADDRESS,
	WHAT_CHAIN, /* the stack in one field */
};

struct top {
	struct table table;
	const struct grouped_profile *p;
	struct top_options options;
	enum sum sort;
	struct table_column columns[COLUMNS_MAX];
	struct {
		enum what what;
		enum sum sum;
	} sources[COLUMNS_MAX];
	uint32_t *ranked;
	struct arena arena;
	struct buf name, at, address, folded, outer;
	struct group_chain chain;
	struct stack_cut cut;
	struct top_stacks *stacks; /* NULL: none beneath rows */
	struct callers *callers;   /* likewise */
	struct buf detail_text;
	const char *details[DETAILS_MAX];
	char more[64];
};

/* The grouping that the table shows; others serve the stacks beneath its rows. */
static const struct grouping *grouping_of(const struct top *t)
{
	return &t->p->groupings[t->options.shown];
}

static enum key by(const struct top *t)
{
	return grouping_of(t)->key.by;
}

/* The key that the rows' own is within; NULL: they are by one key. */
static const struct grouping *outer_of(const struct top *t)
{
	const struct grouping *g = grouping_of(t);

	return g->key.within ? &t->p->groupings[g->key.within - 1] : NULL;
}

static const struct profile_key *sums_here(const struct top *t)
{
	return &t->p->now.keys[t->options.shown];
}

static const struct profile_known *known_here(const struct top *t)
{
	return &sums_here(t)->known;
}

static bool has_totals(const struct top *t)
{
	return grouping_has_total(&grouping_of(t)->key);
}

static void add_column(struct top *t, const char *key, const char *title, enum column_type type,
		       unsigned flags, enum what what, enum sum sum)
{
	size_t i = t->table.n_columns++;

	t->columns[i] =
	    (struct table_column){.key = key, .title = title, .type = type, .flags = flags};
	t->sources[i].what = what;
	t->sources[i].sum = sum;
}

static const char *sum_title(struct top *t, enum sum s, const char *suffix)
{
	const char *mark = metric_title_mark(known_here(t), s);
	char text[64];
	int n = snprintf(text, sizeof text, "%s%s%s", metric_title(t->p, s), suffix, mark);

	return arena_strndup(&t->arena, text, (size_t)n);
}

static unsigned shown_metrics(const struct top *t)
{
	return (t->options.metrics ? t->options.metrics : TALLY_TOP) | SUM_BIT(t->sort) |
	       sort_wants(t->options.sort);
}

static bool is_column(const struct top *t, enum sum s)
{
	unsigned metrics = t->options.metrics ? t->options.metrics : TALLY_TOP;

	if (!metric_table[s].lists)
		return false;
	if (SUMS_MEASURED >> s & 1 && !(sums_there(&t->p->now, known_here(t)) >> s & 1))
		return s == t->sort;
	return metrics >> s & 1 || s == t->sort;
}

static const char *total_key(struct top *t, enum sum s)
{
	char text[64];
	int n = snprintf(text, sizeof text, "total_%s", metric_table[s].key);

	return arena_strndup(&t->arena, text, (size_t)n);
}

static bool is_time(enum sum s)
{
	return SUMS_TIME >> s & 1;
}

/* outer_file is the key that rows are within; file is a site's own. */
static void top_add_outer(struct top *t, const char *word)
{
	char text[64];
	int n = snprintf(text, sizeof text, "outer_%s", word);

	add_column(t, arena_strndup(&t->arena, text, (size_t)n), word, COLUMN_TEXT, COLUMN_SHORTEN,
		   WHAT_OUTER, 0);
}

/* Real bytes that are nearly the requested ones say nothing beside them: people see them where the two differ
 * by more than a tenth, where rows are ranked by them, and where they were asked for. */
static bool is_distinct(const struct top *t, enum sum s, unsigned there)
{
	const uint64_t *v = t->p->now.all.v;
	uint64_t requested = v[SUM_REQUESTED], real = v[SUM_REAL];
	uint64_t apart = real > requested ? real - requested : requested - real;

	if (s != SUM_REAL || t->sort == SUM_REAL || t->options.metrics ||
	    !(there >> SUM_REQUESTED & 1))
		return true;
	return apart > requested / 10;
}

/* Where a terminal has no room, the bytes that were allocated go before those that are live. */
static unsigned spare_flags(enum sum s)
{
	return s == SUM_REQUESTED || s == SUM_REAL ? COLUMN_SPARE | COLUMN_FIRST_SPARE
						   : COLUMN_SPARE;
}

/* CSV has every column of allocations always; for people there is what the captures know. */
static void top_add_columns(struct top *t)
{
	const struct grouped_profile *p = t->p;
	enum key key = by(t);
	bool totals = has_totals(t), cumulative = totals && t->options.cumulative;
	unsigned there = sums_there(&p->now, known_here(t)) | SUM_BIT(t->sort);

	add_column(t, "rank", "#", COLUMN_INT, 0, WHAT_RANK, 0);
	for (size_t i = 0; i < SUMS; i++) {
		enum sum s = (enum sum)metric_order[i];

		if (!is_column(t, s))
			continue;
		bool seen =
		    there >> s & 1 &&
		    (s != SUM_ENTRIES || t->sort == s ||
		     ((!(there >> SUM_COUNT & 1) || known_here(t)->unknown_reason[SUM_COUNT]) &&
		      !(there >> SUM_CALLS & 1) && !(there >> SUM_SAMPLES & 1)));

		add_column(t, metric_table[s].key,
			   sum_title(t, s, totals && !is_time(s) ? " self" : ""), metric_type(s),
			   !seen || !is_distinct(t, s, there)            ? COLUMN_NOT_TEXT
			   : (s != t->sort || cumulative) && !is_time(s) ? spare_flags(s)
									 : 0,
			   WHAT_SELF, s);
	}
	add_column(t, "share", totals ? "self %" : "share", COLUMN_PERCENT,
		   cumulative ? COLUMN_SPARE : 0, WHAT_SELF_SHARE, 0);
	for (size_t i = 0; totals && i < SUMS; i++) {
		enum sum s = (enum sum)metric_order[i];

		/* Of calls the totals are sums of their own. */
		if (!is_column(t, s) || is_time(s))
			continue;
		add_column(t, total_key(t, s), sum_title(t, s, " total"), metric_type(s),
			   s == t->sort ? 0 : COLUMN_NOT_TEXT, WHAT_TOTAL, s);
	}
	if (totals)
		add_column(t, "total_share", "total %", COLUMN_PERCENT, 0, WHAT_TOTAL_SHARE, 0);

	if (outer_of(t))
		top_add_outer(t, key_words[outer_of(t)->key.by]);
	add_column(t,
		   key == KEY_STACK      ? "site"
		   : key == KEY_LOCATION ? "function"
					 : key_words[key],
		   key == KEY_STACK ? "site" : key_words[key], COLUMN_TEXT, COLUMN_SHORTEN,
		   WHAT_NAME, 0);
	if (key == KEY_FRAME)
		add_column(t, "name", "name", COLUMN_TEXT, COLUMN_SHORTEN, WHAT_LABEL, 0);
	if (key == KEY_TYPE || key == KEY_FILE || key >= KEY_MODULE)
		return;
	if (key != KEY_FUNCTION) {
		add_column(t, NULL, "at", COLUMN_TEXT,
			   COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH, WHAT_AT, 0);
		add_column(t, "file", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, WHAT_FILE, 0);
		add_column(t, "line", NULL, COLUMN_INT, COLUMN_NOT_TEXT, WHAT_LINE, 0);
	}
	add_column(t, "module", "module", COLUMN_TEXT,
		   key == KEY_FUNCTION || key == KEY_LOCATION ? COLUMN_SHORTEN : COLUMN_NOT_TEXT,
		   WHAT_MODULE, 0);
	if (key == KEY_LOCATION)
		add_column(t, "address", "address", COLUMN_TEXT, 0, WHAT_ADDRESS, 0);
	if (key == KEY_STACK)
		add_column(t, "stack", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, WHAT_CHAIN, 0);
}

static void make_details(struct top *t, struct table_row *r)
{
	const char *s;
	size_t calls;

	t->detail_text.len = 0;
	calls = chain_lines(&t->chain, t->p, "", DETAILS_MAX, &t->detail_text);
	s = t->detail_text.data;
	for (r->n_details = 0; r->n_details < calls && r->n_details < DETAILS_MAX;
	     s += strlen(s) + 1)
		t->details[r->n_details++] = s;
	r->details = t->details;
	if (calls > DETAILS_MAX) {
		snprintf(t->more, sizeof t->more, "... %zu more call%s", calls - DETAILS_MAX,
			 plural_s(calls - DETAILS_MAX));
		r->more = t->more;
	}
}

static struct table_cell share_cell(const struct top *t, const struct tally_sums *s, unsigned has)
{
	/* Where there is a share of the total too, this is that of the self. */
	enum sum sum = has_totals(t) && t->sort == SUM_TIME_TOTAL ? SUM_TIME_SELF : t->sort;

	return metric_share(s, has, &t->p->now.all, sum);
}

static struct table_cell total_share_cell(const struct top *t, const struct tally_sums *self,
					  const struct tally_sums *total)
{
	if (t->sort == SUM_TIME_SELF || t->sort == SUM_TIME_TOTAL)
		return metric_share(self, self->has, &t->p->now.all, SUM_TIME_TOTAL);
	return metric_share(total, total->has, &t->p->now.all, t->sort);
}

static struct table_cell place_cell(struct top *t, enum what what, const struct group_name *n)
{
	struct table_cell none = {.present = false};

	switch (what) {
	case WHAT_OUTER: return cell_text(t->outer.data, t->outer.len);
	case WHAT_NAME: return cell_text(t->name.data, t->name.len);
	case WHAT_LABEL: return n->label_len ? cell_text(n->label, n->label_len) : none;
	case WHAT_AT: return t->at.len ? cell_text(t->at.data, t->at.len) : none;
	case WHAT_FILE: return n->file_len ? cell_text(n->file, n->file_len) : none;
	case WHAT_LINE: return n->line ? cell_number(n->line) : none;
	case WHAT_MODULE: return n->module_len ? cell_text(n->module, n->module_len) : none;
	case WHAT_ADDRESS:
		return n->has_address ? cell_text(t->address.data, t->address.len) : none;
	case WHAT_CHAIN: return cell_text(t->folded.data, t->folded.len);
	default: return none;
	}
}

/* In one field: its line tells a site from others of its function. */
static void top_fill_outer(struct top *t, uint32_t group)
{
	const struct grouping *g = outer_of(t);
	struct group_name n;

	group_name(t->p, grouping_of(t)->key.within - 1, group, &n);
	t->outer.len = 0;
	buf_add(&t->outer, n.name, n.name_len);
	if (g->groups[group].inside)
		buf_adds(&t->outer, " [runtime only]");
	if (n.file_len) {
		buf_adds(&t->outer, " at ");
		chain_place(&t->outer, n.file, n.file_len, n.line);
	}
}

static void top_fill(void *arg, size_t i, struct table_row *r)
{
	struct top *t = arg;
	const struct grouped_profile *p = t->p;
	uint32_t group = t->ranked[i];
	const struct group_row *g = &grouping_of(t)->groups[group];
	struct tally_sums self = columns_get(&sums_here(t)->self, group);
	struct tally_sums total = columns_get(&sums_here(t)->total, group);
	unsigned has = self_known(self.has, total.has & ~(unsigned)SUMS_TIME, p->now.all.has);
	struct group_name n;

	/* A caller that the capture does not measure: what is known is what it called. */
	if (total.has & ~self.has & SUM_BIT(SUM_TIME_SELF)) {
		self.v[SUM_TIME_TOTAL] = total.v[SUM_TIME_SELF];
		self.has |= SUM_BIT(SUM_TIME_TOTAL);
		has |= SUM_BIT(SUM_TIME_TOTAL);
	}

	group_name(p, t->options.shown, group, &n);
	if (outer_of(t))
		top_fill_outer(t, g->outer);
	t->name.len = t->at.len = t->address.len = 0;
	buf_add(&t->name, n.name, n.name_len);
	if (g->inside)
		buf_adds(&t->name, " [runtime only]");
	chain_place(&t->at, n.file, n.file_len, n.line);
	buf_addf(&t->address, "0x%" PRIx64, n.address);
	if (by(t) == KEY_STACK) {
		chain_set(&t->chain, p, &t->cut, g->id);
		t->folded.len = 0;
		chain_join(&t->chain, p, &t->folded);
		make_details(t, r);
	}
	if (by(t) == KEY_THREAD && g->id < p->cap_threads_of && p->threads_of[g->id] > 1) {
		t->detail_text.len = 0;
		buf_addf(&t->detail_text, "%" PRIu32 " threads of this name", p->threads_of[g->id]);
		t->details[0] = buf_str(&t->detail_text);
		r->details = t->details;
		r->n_details = 1;
	}
	if (t->stacks)
		top_stacks_fill(t->stacks, i, r);
	if (callers_line(t->callers, i)) {
		t->details[0] = callers_line(t->callers, i);
		r->details = t->details;
		r->n_details = 1;
	}
	for (size_t k = 0; k < t->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		switch (t->sources[k].what) {
		case WHAT_RANK: *c = cell_number(i + 1); break;
		case WHAT_SELF: *c = metric_cell(&self, has, t->sources[k].sum); break;
		case WHAT_TOTAL: *c = metric_cell(&total, total.has, t->sources[k].sum); break;
		case WHAT_SELF_SHARE: *c = share_cell(t, &self, has); break;
		case WHAT_TOTAL_SHARE: *c = total_share_cell(t, &self, &total); break;
		default: *c = place_cell(t, t->sources[k].what, &n); break;
		}
	}
}

/* "top 30" is what the rows shown have in themselves, where that is not all; totals overlap and are not
 * added up. */
static void top_add_totals(struct top *t)
{
	const struct grouped_profile *p = t->p;
	size_t n = t->table.n_columns;
	struct tally_sums shown = {.has = 0};
	const struct tally_sums *rows[2] = {&shown, &p->now.all};
	struct table_cell *c = arena_zalloc(&t->arena, 2 * n * sizeof *c);
	size_t first = t->table.n_rows == grouping_of(t)->n;
	char text[64];

	for (size_t i = 0; i < t->table.n_rows; i++) {
		struct tally_sums one = columns_get(&sums_here(t)->self, t->ranked[i]);

		sums_add(&shown, &one);
	}
	shown.has &= ~SUM_BIT(SUM_TIME_TOTAL); /* these overlap */
	t->table.totals = c;
	t->table.n_totals = 2 - first;
	for (size_t r = first; r < 2; r++)
		for (size_t k = 0; k < n; k++, c++)
			switch (t->sources[k].what) {
			case WHAT_SELF:
				if (t->sources[k].sum != SUM_TIME_MEAN)
					*c = metric_cell(rows[r], rows[r]->has, t->sources[k].sum);
				break;
			case WHAT_SELF_SHARE: *c = share_cell(t, rows[r], rows[r]->has); break;
			case WHAT_NAME: {
				int len = snprintf(text, sizeof text, r ? "(all %zu)" : "(top %zu)",
						   r ? grouping_of(t)->n : t->table.n_rows);

				*c = cell_text(arena_strndup(&t->arena, text, (size_t)len),
					       (size_t)len);
				break;
			}
			default: break;
			}
}

/* What comes before the first frame is a row and no frame: of the rows that are shown, or of all. */
static size_t frames_before(const struct top *t, size_t n_rows, bool all)
{
	size_t n = 0;

	for (size_t i = 0; by(t) == KEY_FRAME && i < n_rows; i++) {
		struct group_name name;

		group_name(t->p, t->options.shown, all ? (uint32_t)i : t->ranked[i], &name);
		n += name.name_len == strlen(SLICES_BEFORE) &&
		     !memcmp(name.name, SLICES_BEFORE, name.name_len);
	}
	return n;
}

static const char *make_title(struct top *t)
{
	char text[192];
	size_t rows = t->table.n_rows;
	size_t all = grouping_of(t)->n - frames_before(t, grouping_of(t)->n, true);
	int n = snprintf(
	    text, sizeof text, "%stop %zu of %zu %s%s%s by %s%s%s",
	    t->options.own ? "own code: " : "", rows - frames_before(t, rows, false), all,
	    key_counted(by(t), all), outer_of(t) ? " within " : "",
	    outer_of(t) ? key_plurals[outer_of(t)->key.by] : "",
	    is_time(t->sort)        ? ""
	    : !has_totals(t)        ? ""
	    : t->options.cumulative ? "total "
				    : "self ",
	    metric_heading(&t->arena, t->p,
			   has_totals(t) && t->options.cumulative && t->sort == SUM_TIME_SELF
			       ? SUM_TIME_TOTAL
			       : t->sort),
	    metric_table[t->sort].unit == SUM_BYTES ? " bytes" : "");

	return arena_strndup(&t->arena, text, (size_t)n);
}

static void add_note(struct top *t, const char *text, size_t len)
{
	const char **notes = mem_array(t->table.n_notes + 1, sizeof *notes);

	for (size_t i = 0; i < t->table.n_notes; i++)
		notes[i] = t->table.notes[i];
	notes[t->table.n_notes++] = arena_strndup(&t->arena, text, len);
	free(t->table.notes);
	t->table.notes = notes;
}

/* Of its rows' stacks, each from the root. */
static void top_cut_stacks(struct top *t)
{
	char text[STACK_CUT_NOTE];

	chain_cut_init(&t->cut, t->p);
	for (size_t i = 0; i < t->table.n_rows; i++)
		stack_cut_show(&t->cut, grouping_of(t)->groups[t->ranked[i]].id);
	if (stack_cut_choose(&t->cut)) {
		stack_cut_note(&t->cut, text);
		add_note(t, text, strlen(text));
	}
}

/* The name as the argument of --hide, an expression, without a backslash, since notes are printed with two for each. '^' does
 * not stand alone in brackets. */
static void add_pattern(struct buf *b, const char *s, size_t n)
{
	buf_adds(b, "'^");
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '^')
			buf_addc(b, '.');
		else if (s[i] && strchr(".[]()*+?{}|$", s[i]))
			buf_addf(b, "[%c]", s[i]);
		else
			buf_addc(b, s[i]);
	}
	buf_adds(b, "$'");
}

/* One site that is more than half of all says little of the program: who calls it does. */
static void top_add_hint(struct top *t)
{
	enum { LONGEST = 60 };
	unsigned advice = t->options.advice;
	struct buf b = BUF_INIT;
	struct group_name n;

	group_name(t->p, t->options.shown, t->ranked[0], &n);
	if (n.name_len > LONGEST || memchr(n.name, '\'', n.name_len) ||
	    memchr(n.name, '\\', n.name_len))
		advice &= ~(unsigned)ADVICE_HIDE;
	if (!advice)
		return;
	buf_adds(&b, "more than half comes from ");
	buf_add(&b, n.name, n.name_len);
	if (advice & ADVICE_HIDE) {
		buf_adds(&b, ": --hide ");
		add_pattern(&b, n.name, n.name_len);
		buf_adds(&b, " shows its callers");
	}
	if (advice & ADVICE_GUESS)
		buf_addf(&b, "%s --guess-sites skips allocator wrappers",
			 advice & ADVICE_HIDE ? "," : ":");
	add_note(t, b.data, b.len);
	buf_release(&b);
}

/* Of the rows that are shown. */
static void top_add_starts(struct top *t)
{
	struct buf b = BUF_INIT;

	if (starts_note(t->p, t->options.shown, t->ranked, t->table.n_rows, &b))
		add_note(t, b.data, b.len);
	buf_release(&b);
}

/* Below the ranking, whose notes are there already. */
static void top_describe_own(struct top *t)
{
	static const char text[] = "own code: the first call outward in a module that has debug "
				   "information or is no library of the system";

	t->table.n_notes = t->table.n_coverage = 0;
	add_note(t, text, sizeof text - 1);
}

struct top *top_new(const struct grouped_profile *p, const struct top_options *o, struct err *e)
{
	struct top *t = mem_zalloc(sizeof *t);
	struct ranking ranking;

	t->p = p;
	t->options = *o;
	if (sort_choose(&p->now, known_here(t), o->sort, key_words[by(t)], &t->sort, e)) {
		free(t);
		return NULL;
	}
	ranking = (struct ranking){
	    p, &p->now, o->shown, t->sort, o->cumulative, p->options.leaks && o->sort == SORT_LIVE};
	t->table = (struct table){
	    .name = o->own ? "own" : "top", .columns = t->columns, .fill = top_fill, .arg = t};
	t->table.empty = ranking.some && p->now.all.v[SUM_ENTRIES]
			     ? "none: no block is left to be a leak"
			     : group_nothing(p);
	t->table.n_rows = o->n > SIZE_MAX ? 0 : (size_t)o->n;
	if (by(t) == KEY_FRAME && o->n && t->table.n_rows < SIZE_MAX)
		t->table.n_rows++;
	t->ranked = rank_groups(&ranking, &t->table.n_rows);
	if (o->n && t->table.n_rows - frames_before(t, t->table.n_rows, false) > o->n)
		t->table.n_rows--;
	if (o->stacks)
		t->stacks = top_stacks_new(&ranking, t->ranked, t->table.n_rows, o->stacks);
	else if (o->callers)
		t->callers = callers_new(
		    &ranking, t->ranked,
		    o->callers < t->table.n_rows ? (size_t)o->callers : t->table.n_rows, true);
	top_add_columns(t);
	top_add_totals(t);
	t->table.title = make_title(t);
	top_notes(p, o->shown, t->sort, shown_metrics(t), o->frames_shown, &t->arena, &t->table);
	if (o->advice && t->table.n_rows)
		top_add_hint(t);
	if (by(t) == KEY_STACK)
		top_cut_stacks(t);
	if (o->own)
		top_describe_own(t);
	top_add_starts(t);
	return t;
}

void top_free(struct top *t)
{
	if (!t)
		return;
	free(t->ranked);
	chain_release(&t->chain);
	stack_cut_release(&t->cut);
	top_stacks_free(t->stacks);
	callers_free(t->callers);
	free(t->table.notes);
	buf_release(&t->name);
	buf_release(&t->at);
	buf_release(&t->address);
	buf_release(&t->outer);
	buf_release(&t->folded);
	buf_release(&t->detail_text);
	arena_release(&t->arena);
	free(t);
}

const struct table *top_table(const struct top *t)
{
	return &t->table;
}
