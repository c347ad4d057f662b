/* SPDX-License-Identifier: MIT */
#include "lib/report/top.h"

#include "lib/base/mem.h"
#include "lib/report/rank.h"
#include "lib/report/top_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 32, DETAILS_MAX = 128 };

enum what {
	WHAT_RANK,
	WHAT_SELF,
	WHAT_TOTAL,
	WHAT_SELF_SHARE,
	WHAT_TOTAL_SHARE,
	WHAT_NAME,
	WHAT_AT, /* file:line */
	WHAT_FILE,
	WHAT_LINE,
	WHAT_MODULE,
	WHAT_ADDRESS,
	WHAT_CHAIN, /* the stack in one field */
};

struct top {
	struct table table;
	const struct project *p;
	struct top_options options;
	enum sum sort;
	struct column columns[COLUMNS_MAX];
	struct {
		enum what what;
		enum sum sum;
	} sources[COLUMNS_MAX];
	uint32_t *ranked;
	struct arena arena;
	struct buf name, at, address, chain;
	struct {
		uint32_t *ids;
		size_t n, cap;
	} path;
	struct buf detail_text;
	const char *details[DETAILS_MAX];
	char more[64];
};

/* The grouping that the table shows; others serve the stacks beneath its rows. */
enum { SHOWN = 0 };

static enum key by(const struct project *p)
{
	return p->groupings[SHOWN].key.by;
}

static const struct run_known *known_sums(const struct project *p)
{
	return &p->now.groupings[SHOWN].known;
}

static bool has_totals(const struct project *p)
{
	return key_has_total(by(p));
}

static void add_column(struct top *t, const char *key, const char *title, enum column_type type,
		       unsigned flags, enum what what, enum sum sum)
{
	size_t i = t->table.n_columns++;

	t->columns[i] = (struct column){.key = key, .title = title, .type = type, .flags = flags};
	t->sources[i].what = what;
	t->sources[i].sum = sum;
}

/* What is not exact says so where it stands. */
static const char *sum_title(struct top *t, enum sum s, const char *suffix)
{
	const struct project *p = t->p;
	const char *mark = known_sums(p)->state[s] == METRIC_ESTIMATED ? " ~"
			   : known_sums(p)->state[s] == METRIC_LOWER_BOUND || known_sums(p)->lack[s]
			       ? " >="
			       : "";
	char text[64];
	int n = snprintf(text, sizeof text, "%s%s%s", sum_names[s].word, suffix, mark);

	return arena_strndup(&t->arena, text, (size_t)n);
}

static const enum sum shown_sums[] = {SUM_COUNT,      SUM_ENTRIES,        SUM_REQUESTED, SUM_REAL,
				      SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL};
enum { N_SHOWN = sizeof shown_sums / sizeof *shown_sums };

static const char *total_key(struct top *t, enum sum s)
{
	char text[64];
	int n = snprintf(text, sizeof text, "total_%s", sum_names[s].key);

	return arena_strndup(&t->arena, text, (size_t)n);
}

/* CSV has every column always; for people there is what the captures know. */
static void add_columns(struct top *t)
{
	const struct project *p = t->p;
	enum key key = by(p);
	bool totals = has_totals(p), cumulative = totals && t->options.cumulative;

	add_column(t, "rank", "#", COLUMN_INT, 0, WHAT_RANK, 0);
	for (size_t i = 0; i < N_SHOWN; i++) {
		enum sum s = shown_sums[i];
		bool shown = known_sums(p)->state[s] != METRIC_ABSENT &&
			     (s != SUM_ENTRIES || t->sort == s ||
			      !known_sums(p)->state[SUM_COUNT] || known_sums(p)->lack[SUM_COUNT]);

		add_column(t, sum_names[s].key, sum_title(t, s, totals ? " self" : ""),
			   sum_names[s].unit == SUM_BYTES ? COLUMN_BYTES : COLUMN_INT,
			   !shown                       ? COLUMN_NOT_TEXT
			   : s != t->sort || cumulative ? COLUMN_SPARE
							: 0,
			   WHAT_SELF, s);
	}
	add_column(t, "share", totals ? "self %" : "share", COLUMN_PERCENT,
		   cumulative ? COLUMN_SPARE : 0, WHAT_SELF_SHARE, 0);
	for (size_t i = 0; totals && i < N_SHOWN; i++) {
		enum sum s = shown_sums[i];

		add_column(t, total_key(t, s), sum_title(t, s, " total"),
			   sum_names[s].unit == SUM_BYTES ? COLUMN_BYTES : COLUMN_INT,
			   s == t->sort ? 0 : COLUMN_NOT_TEXT, WHAT_TOTAL, s);
	}
	if (totals)
		add_column(t, "total_share", "total %", COLUMN_PERCENT, 0, WHAT_TOTAL_SHARE, 0);

	add_column(t,
		   key == KEY_STACK      ? "site"
		   : key == KEY_LOCATION ? "function"
					 : key_words[key],
		   key == KEY_STACK ? "site" : key_words[key], COLUMN_TEXT, COLUMN_SHORTEN,
		   WHAT_NAME, 0);
	if (key == KEY_TYPE)
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

static void set_path(struct top *t, uint32_t stack)
{
	t->path.n = 0;
	for (; stack; stack = t->p->stacks[stack].parent)
		VEC_PUSH(t->path.ids, t->path.n, t->path.cap) = t->p->stacks[stack].location;
}

static void add_display(const struct project *p, struct buf *b, const struct names_call *c)
{
	size_t n;
	const char *s = names_text(&p->names, p->names.functions[c->function].display, &n);

	buf_add(b, s, n);
}

static void add_place(struct buf *b, const char *file, size_t n, uint32_t line)
{
	if (!n)
		return;
	buf_add(b, file, n);
	if (line)
		buf_addf(b, ":%" PRIu32, line);
}

/* Outermost first with ';' between, as folded stacks are written. */
static void make_chain(struct top *t)
{
	const struct project *p = t->p;

	t->chain.len = 0;
	for (size_t i = t->path.n; i-- > 0;) {
		const struct names_location *l = &p->names.locations[t->path.ids[i]];

		for (uint32_t k = l->first + l->n_calls; k-- > l->first;) {
			if (t->chain.len)
				buf_addc(&t->chain, ';');
			add_display(p, &t->chain, &p->names.calls[k]);
		}
	}
	if (!t->path.n)
		add_display(p, &t->chain, &p->names.calls[0]);
}

static void make_details(struct top *t, struct row *r)
{
	const struct project *p = t->p;
	size_t offsets[DETAILS_MAX], calls = 0;

	t->detail_text.len = 0;
	for (size_t i = 0; i < t->path.n; i++) {
		const struct names_location *l = &p->names.locations[t->path.ids[i]];

		for (uint32_t k = l->first; k < l->first + l->n_calls; k++, calls++) {
			const struct names_call *c = &p->names.calls[k];
			const char *file;
			size_t n;

			if (calls >= DETAILS_MAX)
				continue;
			offsets[calls] = t->detail_text.len;
			add_display(p, &t->detail_text, c);
			file = names_text(&p->names, c->file, &n);
			if (c->file && n)
				buf_adds(&t->detail_text, "  ");
			add_place(&t->detail_text, file, c->file ? n : 0, c->line);
			buf_addc(&t->detail_text, '\0');
		}
	}
	r->n_details = calls < DETAILS_MAX ? calls : DETAILS_MAX;
	for (size_t i = 0; i < r->n_details; i++)
		t->details[i] = t->detail_text.data + offsets[i];
	r->details = t->details;
	if (calls > DETAILS_MAX) {
		snprintf(t->more, sizeof t->more, "... %zu more calls", calls - DETAILS_MAX);
		r->more = t->more;
	}
}

static struct cell sum_cell(const struct sums *s, unsigned has, enum sum sum)
{
	return has >> sum & 1 ? cell_number(s->v[sum]) : (struct cell){.present = false};
}

static struct cell share_cell(const struct top *t, const struct sums *s, unsigned has)
{
	struct cell none = {.present = false};

	return has >> t->sort & 1 ? cell_share(s->v[t->sort], t->p->now.all.v[t->sort]) : none;
}

static struct cell place_cell(struct top *t, enum what what, const struct group_name *n)
{
	struct cell none = {.present = false};

	switch (what) {
	case WHAT_NAME: return cell_text(t->name.data, t->name.len);
	case WHAT_AT: return t->at.len ? cell_text(t->at.data, t->at.len) : none;
	case WHAT_FILE: return n->file_len ? cell_text(n->file, n->file_len) : none;
	case WHAT_LINE: return n->line ? cell_number(n->line) : none;
	case WHAT_MODULE: return n->module_len ? cell_text(n->module, n->module_len) : none;
	case WHAT_ADDRESS:
		return n->has_address ? cell_text(t->address.data, t->address.len) : none;
	case WHAT_CHAIN: return cell_text(t->chain.data, t->chain.len);
	default: return none;
	}
}

static void fill(void *arg, size_t i, struct row *r)
{
	struct top *t = arg;
	const struct project *p = t->p;
	uint32_t group = t->ranked[i];
	const struct group *g = &p->groupings[SHOWN].groups[group];
	struct sums self = columns_get(&p->now.groupings[SHOWN].self, group);
	struct sums total = columns_get(&p->now.groupings[SHOWN].total, group);
	/* What only calls others has nothing of its own: that is a known 0. */
	unsigned has = self.has | total.has;
	struct group_name n;

	group_name(p, SHOWN, group, &n);
	t->name.len = t->at.len = t->address.len = 0;
	buf_add(&t->name, n.name, n.name_len);
	if (g->inside)
		buf_adds(&t->name, " [runtime only]");
	add_place(&t->at, n.file, n.file_len, n.line);
	buf_addf(&t->address, "0x%" PRIx64, n.address);
	if (by(p) == KEY_STACK) {
		set_path(t, g->id);
		make_chain(t);
		make_details(t, r);
	}
	for (size_t k = 0; k < t->table.n_columns; k++) {
		struct cell *c = &r->cells[k];

		switch (t->sources[k].what) {
		case WHAT_RANK: *c = cell_number(i + 1); break;
		case WHAT_SELF: *c = sum_cell(&self, has, t->sources[k].sum); break;
		case WHAT_TOTAL: *c = sum_cell(&total, has, t->sources[k].sum); break;
		case WHAT_SELF_SHARE: *c = share_cell(t, &self, has); break;
		case WHAT_TOTAL_SHARE: *c = share_cell(t, &total, has); break;
		default: *c = place_cell(t, t->sources[k].what, &n); break;
		}
	}
}

/* "top 30" is what the rows shown have in themselves; totals overlap and are not added up. */
static void add_totals(struct top *t)
{
	const struct project *p = t->p;
	size_t n = t->table.n_columns;
	struct sums shown = {.has = 0};
	const struct sums *rows[2] = {&shown, &p->now.all};
	struct cell *c = arena_zalloc(&t->arena, 2 * n * sizeof *c);
	char text[64];

	for (size_t i = 0; i < t->table.n_rows; i++) {
		struct sums one = columns_get(&p->now.groupings[SHOWN].self, t->ranked[i]);

		sums_add(&shown, &one);
	}
	t->table.totals = c;
	t->table.n_totals = 2;
	for (size_t r = 0; r < 2; r++)
		for (size_t k = 0; k < n; k++, c++)
			switch (t->sources[k].what) {
			case WHAT_SELF:
				*c = sum_cell(rows[r], rows[r]->has, t->sources[k].sum);
				break;
			case WHAT_SELF_SHARE: *c = share_cell(t, rows[r], rows[r]->has); break;
			case WHAT_NAME: {
				int len = snprintf(text, sizeof text, r ? "(all %zu)" : "(top %zu)",
						   r ? p->groupings[SHOWN].n : t->table.n_rows);

				*c = cell_text(arena_strndup(&t->arena, text, (size_t)len),
					       (size_t)len);
				break;
			}
			default: break;
			}
}

static const char *make_title(struct top *t)
{
	char text[128];
	int n =
	    snprintf(text, sizeof text, "top %zu of %zu %s by %s%s%s", t->table.n_rows,
		     t->p->groupings[SHOWN].n, key_plurals[by(t->p)],
		     has_totals(t->p) ? (t->options.cumulative ? "total " : "self ") : "",
		     sum_names[t->sort].word, sum_names[t->sort].unit == SUM_BYTES ? " bytes" : "");

	return arena_strndup(&t->arena, text, (size_t)n);
}

static bool known(const struct project *p, enum sum s)
{
	return known_sums(p)->state[s] != METRIC_ABSENT;
}

static enum status choose_sort(struct top *t, struct err *e)
{
	const struct project *p = t->p;
	int sort = t->options.sort;

	if (sort == SORT_LIVE && p->now.captures && !known(p, SUM_LIVE_REAL) &&
	    !known(p, SUM_LIVE_REQUESTED))
		return err_set(e, ST_UNSUPPORTED,
			       "the captures do not say how many bytes are live");
	if (sort == SORT_LIVE)
		sort = known(p, SUM_LIVE_REAL) || !known(p, SUM_LIVE_REQUESTED)
			   ? SUM_LIVE_REAL
			   : SUM_LIVE_REQUESTED;
	if (sort == SORT_AUTO)
		sort = known(p, SUM_REAL)        ? SUM_REAL
		       : known(p, SUM_REQUESTED) ? SUM_REQUESTED
		       : known(p, SUM_COUNT)     ? SUM_COUNT
						 : SUM_ENTRIES;
	t->sort = (enum sum)sort;
	if (known(p, t->sort) || !p->now.captures)
		return ST_OK;
	if (known_sums(p)->lack[t->sort] == LACK_PER_TYPE)
		return err_set(
		    e, ST_UNSUPPORTED,
		    "the captures know %s bytes per type only (--by type): they cannot be "
		    "sorted by it per %s",
		    sum_names[t->sort].word, key_words[by(p)]);
	if (known_sums(p)->lack[t->sort] == LACK_FILTERED)
		return err_set(
		    e, ST_UNSUPPORTED,
		    "the captures know %s bytes per type only: no filter on stacks applies "
		    "to them",
		    sum_names[t->sort].word);
	return err_set(e, ST_UNSUPPORTED, "the captures have no metric '%s'%s",
		       sum_names[t->sort].word,
		       t->sort == SUM_COUNT ? " (number of allocations); they have entries" : "");
}

struct top *top_new(const struct project *p, const struct top_options *o, struct err *e)
{
	struct top *t = mem_zalloc(sizeof *t);
	struct ranking ranking;

	t->p = p;
	t->options = *o;
	if (choose_sort(t, e)) {
		free(t);
		return NULL;
	}
	ranking = (struct ranking){p, &p->now, SHOWN, t->sort, o->cumulative};
	t->table = (struct table){.name = "top", .columns = t->columns, .fill = fill, .arg = t};
	t->table.n_rows = o->n > SIZE_MAX ? 0 : (size_t)o->n;
	t->ranked = rank_groups(&ranking, &t->table.n_rows);
	add_columns(t);
	add_totals(t);
	t->table.title = make_title(t);
	top_notes(p, SHOWN, t->sort, &t->arena, &t->table);
	return t;
}

void top_free(struct top *t)
{
	if (!t)
		return;
	free(t->ranked);
	free(t->path.ids);
	free(t->table.notes);
	buf_release(&t->name);
	buf_release(&t->at);
	buf_release(&t->address);
	buf_release(&t->chain);
	buf_release(&t->detail_text);
	arena_release(&t->arena);
	free(t);
}

const struct table *top_table(const struct top *t)
{
	return &t->table;
}
