/* SPDX-License-Identifier: MIT */
#include "lib/history/series.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/group/metric.h"
#include "lib/history/renamed.h"
#include "lib/history/schema.h"
#include "lib/history/series_match.h"
#include "lib/profile/name_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct known { /* of a run, at a key */
	bool metric, pruned;
};

struct reading {
	struct history *h;
	struct history_lines *to;
	const struct policy_rule *rule;
	enum run_per per;
	const char *name, *key; /* key: as the tables have it */
	enum sum metric, by;    /* a mean is metric / by */
	size_t n;               /* runs */
	struct map64 at;        /* run id -> index + 1 */
	struct known *known;
	struct intern names;
	double *part, *whole; /* by line and run: sums of metric and by */
	uint8_t *has;
	size_t lines, cap_part, cap_whole, cap_has;
	struct err *e;
};

void history_lines_init(struct history_lines *l, const struct history_runs *runs)
{
	*l = (struct history_lines){.runs = runs};
}

void history_lines_release(struct history_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].v);
		free(l->items[i].steps);
	}
	free(l->items);
	free(l->renamed);
	arena_release(&l->texts);
	*l = (struct history_lines){.n = 0};
}

static void add_ids(struct buf *sql, const struct history_runs *runs)
{
	buf_adds(sql, " IN (");
	for (size_t i = 0; i < runs->n; i++)
		buf_addf(sql, "%s%lld", i ? "," : "", (long long)runs->items[i].id);
	buf_adds(sql, runs->n ? ")" : "NULL)");
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p++)
		if (p > text && p[-1] == ' ' && p[n] == ' ')
			return true;
	return false;
}

static struct db_query *query_keys(struct history *h, const struct history_runs *runs,
				   const char *key, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct db_query *q;

	buf_adds(&sql, "SELECT run, pruned, known FROM tm_keys WHERE key = $1 AND run");
	add_ids(&sql, runs);
	q = db_prepare(h->db, buf_str(&sql), 1, e);
	if (q)
		db_put_text(q, 1, key, strlen(key));
	buf_release(&sql);
	return q;
}

static enum status history_series_read_known(struct reading *r)
{
	struct db_query *q = query_keys(r->h, r->to->runs, r->key, r->e);
	enum sum of = metric_part(r->metric);
	enum status st;
	bool any = false;

	if (!q)
		return err_failure(r->e);
	while (!(st = db_step(q, r->e))) {
		uint32_t at = map64_get(&r->at, (uint64_t)db_int(q, 0));

		if (!at)
			continue;
		r->known[at - 1].metric = has_word(db_text(q, 2, NULL), metric_table[of].key);
		r->known[at - 1].pruned = db_int(q, 1) > 0;
		any |= r->known[at - 1].metric;
	}
	db_finish(q);
	if (st == ST_NONE && !any)
		return err_set(
		    r->e, ST_UNSUPPORTED, "no run has '%s'%s%s", metric_table[r->metric].title,
		    strcmp(r->key, "total") ? " per " : "", strcmp(r->key, "total") ? r->key : "");
	return st == ST_NONE ? ST_OK : st;
}

/* The row of values of a name, made when it is new. */
static size_t line_of(struct reading *r, const char *s, size_t n)
{
	size_t id = intern_add(&r->names, s, n), cells;

	if (id <= r->lines)
		return id - 1;
	cells = ++r->lines * r->n;
	r->part = mem_grow(r->part, &r->cap_part, cells, sizeof *r->part);
	r->whole = mem_grow(r->whole, &r->cap_whole, cells, sizeof *r->whole);
	r->has = mem_grow(r->has, &r->cap_has, cells, sizeof *r->has);
	for (size_t i = cells - r->n; i < cells; i++) {
		r->part[i] = r->whole[i] = 0;
		r->has[i] = 0;
	}
	return id - 1;
}

/* What a module is called in the newest build that has it. */
static const char *module_name(const struct history *h, const char *name, size_t *n)
{
	for (size_t i = 0; i < h->maps.n_modules; i++) {
		const struct identity_map *m = &h->maps.modules[i];

		if (strlen(m->was) != *n || memcmp(m->was, name, *n) != 0)
			continue;
		name = m->now;
		*n = strlen(name);
	}
	return name;
}

/* The same of a function, whose parameters and file stay. */
static const char *function_name(const struct history *h, const char *name, size_t *n,
				 struct buf *to)
{
	for (size_t i = 0; i < h->maps.n_functions; i++) {
		const struct identity_map *m = &h->maps.functions[i];
		struct buf now = BUF_INIT;
		const char *rest;

		if (!name_maps_is(name, m->was, &rest))
			continue;
		buf_addf(&now, "%s%s", m->now, rest);
		buf_release(to);
		*to = now;
		name = buf_str(to);
		*n = to->len;
	}
	return name;
}

static bool is_whole(const struct policy_rule *r)
{
	return r->key == POLICY_TOTAL || !r->each;
}

/* What is at the largest number that a store has may be any larger one. */
static double stored(struct db_query *q, unsigned column)
{
	int64_t v = db_int(q, column);

	return v == INT64_MAX ? INFINITY : v == INT64_MIN ? -INFINITY : (double)v;
}

static enum status history_series_read_sums(struct reading *r)
{
	enum sum of = metric_part(r->metric);
	struct buf sql = BUF_INIT, among = BUF_INIT, mapped = BUF_INIT;
	struct series_match matches = {.n = 0};
	struct db_query *q = NULL;
	enum status st;

	add_ids(&among, r->to->runs);
	buf_addf(&sql,
		 "SELECT t.name, s.run, s.%s, s.%s, t.id FROM tm_things t JOIN tm_sums s ON "
		 "s.thing = t.id WHERE t.key = $1 AND s.cumulative = $2 AND s.run%s",
		 metric_table[of].key, metric_table[r->by].key, buf_str(&among));
	if (!series_match_read(&matches, r->h, r->key, buf_str(&among), &r->at, r->n, r->e))
		q = db_prepare(r->h->db, buf_str(&sql), 2, r->e);
	buf_release(&among);
	buf_release(&sql);
	if (!q) {
		series_match_release(&matches);
		return err_failure(r->e);
	}
	db_put_text(q, 1, r->key, strlen(r->key));
	db_put_int(q, 2, r->rule->cumulative);
	while (!(st = db_step(q, r->e))) {
		size_t n, at = map64_get(&r->at, (uint64_t)db_int(q, 1));
		const char *name =
		    at ? series_match_name(&matches, db_int(q, 4), at - 1, &n) : NULL;

		if (!name)
			name = db_text(q, 0, &n);
		if (r->rule->key == KEY_MODULE)
			name = module_name(r->h, name, &n);
		else if (r->rule->key == KEY_FUNCTION || r->rule->key == KEY_SITE ||
			 r->rule->key == KEY_LOCATION)
			name = function_name(r->h, name, &n, &mapped);
		if (!at || db_is_null(q, 2) ||
		    (is_whole(r->rule) &&
		     !policy_about(r->rule, &(struct name_suffix_name){.name = name, .n = n})))
			continue;
		at += (is_whole(r->rule) ? line_of(r, "", 0) : line_of(r, name, n)) * r->n - 1;
		r->part[at] += stored(q, 2);
		r->whole[at] += db_is_null(q, 3) ? 0 : stored(q, 3);
		r->has[at] = 1;
	}
	db_finish(q);
	series_match_release(&matches);
	buf_release(&mapped);
	return st == ST_NONE ? ST_OK : st;
}

static double value_of(const struct reading *r, size_t line, size_t run)
{
	const struct known *k = &r->known[run];
	size_t at = line * r->n + run;
	bool mean = sum_is_mean(r->metric);
	const struct history_run *of = &r->to->runs->items[run];
	double by =
	    mean ? r->whole[at] : per_divisor(r->per, of->frames, of->duration, of->captures);

	/* Of what was pruned, one entity may be one of these. */
	if (!k->metric || (k->pruned && (!r->has[at] || is_whole(r->rule))) || !(by > 0))
		return NAN;
	if (!isfinite(r->part[at]) || !isfinite(by)) {
		r->to->full++;
		return NAN;
	}
	return r->part[at] / by;
}

static struct history_line *add_line(struct history_lines *l, const char *rule, const char *key,
				     const char *name, const char *metric)
{
	struct history_line *to = &VEC_PUSH(l->items, l->n, l->cap);

	*to = (struct history_line){.rule =
					rule ? arena_strndup(&l->texts, rule, strlen(rule)) : NULL,
				    .key = arena_strndup(&l->texts, key, strlen(key)),
				    .name = arena_strndup(&l->texts, name, strlen(name)),
				    .metric = arena_strndup(&l->texts, metric, strlen(metric))};
	to->v = mem_array(l->runs->n + 1, sizeof *to->v);
	for (size_t i = 0; i < l->runs->n; i++)
		to->v[i] = NAN;
	return to;
}

static void set_type(struct history_line *l, enum sum metric, enum run_per per)
{
	bool whole = per == PER_RUN || sum_is_mean(metric);

	l->type = metric_type(metric);
	if (whole)
		return;
	l->type = l->type == COLUMN_INT ? COLUMN_NUMBER : l->type;
	l->decimals = 3;
}

/* As compare_title. Runs do not say what their periods are of. */
static const char *history_series_title(const struct reading *r)
{
	const char *title = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const char *own =
		    metric_event_title(r->metric, r->to->runs->items[i].sampling, NULL);

		if (!r->known[i].metric)
			continue;
		if (title && strcmp(title, own) != 0)
			return metric_table[r->metric].title;
		title = own;
	}
	return title ? title : metric_table[r->metric].title;
}

static void history_series_finish_lines(struct reading *r)
{
	bool whole = is_whole(r->rule);
	struct buf metric = BUF_INIT;
	bool one = true; /* capture in each run: then a value is that of a run */

	for (size_t i = 0; i < r->n; i++)
		one &= r->to->runs->items[i].captures <= 1;
	buf_addf(&metric, "%s%s", history_series_title(r),
		 sum_is_mean(r->metric) || r->per == PER_CAPTURE ? "" : per_phrases[r->per]);
	if (whole)
		line_of(r, "", 0); /* what has none of it in any run is 0 in all */
	for (size_t i = 0; i < r->lines; i++) {
		const char *entity = intern_text(&r->names, (uint32_t)i + 1, NULL);
		struct history_line *l =
		    add_line(r->to, r->name, r->key, whole ? r->name ? r->name : "total" : entity,
			     buf_str(&metric));

		set_type(l, r->metric, one && r->per == PER_CAPTURE ? PER_RUN : r->per);
		for (size_t k = 0; k < r->n; k++) {
			l->v[k] = value_of(r, i, k);
			l->present += !isnan(l->v[k]);
		}
	}
	buf_release(&metric);
}

static enum status history_series_read_counter(struct reading *r)
{
	static const char *const columns[COUNTER_STATS] = {
	    [COUNTER_LAST] = "last",
	    [COUNTER_MIN] = "least",
	    [COUNTER_MAX] = "largest",
	    [COUNTER_MEAN] = "mean",
	};
	struct history_line *l;
	struct buf b = BUF_INIT;
	struct db_query *q;
	enum status st;

	buf_addf(
	    &b, "SELECT run, CAST(%s AS DOUBLE PRECISION) FROM tm_counters WHERE name = $1 AND run",
	    columns[r->rule->stat]);
	add_ids(&b, r->to->runs);
	buf_adds(&b, " ORDER BY run, unit DESC"); /* of two units the first counts */
	q = db_prepare(r->h->db, buf_str(&b), 1, r->e);
	b.len = 0;
	if (!q) {
		buf_release(&b);
		return err_failure(r->e);
	}
	db_put_text(q, 1, r->rule->counter, strlen(r->rule->counter));
	buf_addf(&b, "%s of %s", counter_stat_words[r->rule->stat], r->rule->counter);
	l = add_line(r->to, r->name, "counter", r->name ? r->name : r->rule->counter, buf_str(&b));
	buf_release(&b);
	l->type = COLUMN_DECIMAL;
	while (!(st = db_step(q, r->e))) {
		uint32_t at = map64_get(&r->at, (uint64_t)db_int(q, 0));

		if (!at || db_is_null(q, 1))
			continue;
		l->present += isnan(l->v[at - 1]);
		l->v[at - 1] = db_real(q, 1);
	}
	db_finish(q);
	if (st == ST_NONE && !l->present)
		return err_set(r->e, ST_UNSUPPORTED, "no run has a counter '%s'", r->rule->counter);
	return st == ST_NONE ? ST_OK : st;
}

static bool history_series_is_about(const struct policy_rule *rule, const char *name)
{
	struct name_suffix_name s = {.name = name};

	s.n = name ? strlen(name) : 0;
	return name && policy_about(rule, &s);
}

/* What a rule with each is about, under any of its names. */
static void history_series_choose(struct history_lines *l, size_t first, size_t renamed,
				  const struct policy_rule *rule)
{
	size_t kept = first;

	for (size_t i = first; i < l->n; i++) {
		struct history_line *line = &l->items[i];

		if (history_series_is_about(rule, line->name) ||
		    history_series_is_about(rule, line->was))
			l->items[kept++] = *line;
		else
			free(line->v);
	}
	l->n = kept;
	for (size_t i = renamed; i < l->n_renamed; i++)
		if (history_series_is_about(rule, l->renamed[i].now) ||
		    history_series_is_about(rule, l->renamed[i].was))
			l->renamed[renamed++] = l->renamed[i];
	l->n_renamed = renamed;
}

static enum status history_series_read_entities(struct reading *r, struct history *h)
{
	size_t first = r->to->n, renamed = r->to->n_renamed;
	enum status st = history_series_read_known(r);

	st = st ? st : history_series_read_sums(r);
	if (st)
		return st;
	history_series_finish_lines(r);
	if (is_whole(r->rule))
		return ST_OK;
	renamed_join(h, r->to, first, (enum key)r->rule->key);
	history_series_choose(r->to, first, renamed, r->rule);
	return ST_OK;
}

enum status history_series(struct history *h, struct history_lines *l,
			   const struct policy_rule *rule, enum run_per per, const char *name,
			   struct err *e)
{
	struct reading r = {.h = h,
			    .to = l,
			    .rule = rule,
			    .per = per,
			    .name = name,
			    .metric = rule->metric,
			    .n = l->runs->n,
			    .e = e};
	enum status st;

	if (rule->kind == POLICY_NEW || rule->kind == POLICY_COVERAGE)
		return err_set(e, ST_UNSUPPORTED, "%s has no values over runs",
			       policy_kinds[rule->kind]);
	if (rule->key == KEY_STACK || rule->key == KEY_LOCATION || rule->key == KEY_FRAME)
		return err_set(e, ST_UNSUPPORTED,
			       "a history has no tables of %ss: use tm-history blame",
			       key_words[rule->key]);
	r.key = rule->key == POLICY_TOTAL ? "total" : key_words[rule->key];
	r.by = metric_over(rule->metric);
	for (size_t i = 0; i < r.n; i++)
		*map64_put(&r.at, (uint64_t)l->runs->items[i].id) = (uint32_t)i + 1;
	r.known = mem_zarray(r.n + 1, sizeof *r.known);
	st = rule->counter ? history_series_read_counter(&r) : history_series_read_entities(&r, h);
	map64_release(&r.at);
	intern_release(&r.names);
	free(r.known);
	free(r.part);
	free(r.whole);
	free(r.has);
	return st;
}

/* Of which any run has more than 0. */
static enum status history_valued(struct history *h, const struct history_runs *runs, unsigned *to,
				  struct err *e)
{
	struct buf sql = BUF_INIT;
	struct db_query *q;
	enum status st;
	unsigned column = 0, sums = history_sums(h->schema);

	buf_adds(&sql, "SELECT ");
	for (unsigned s = 0; s < SUMS; s++)
		if (sums >> s & 1)
			buf_addf(&sql, "%sMAX(s.%s)", s ? ", " : "", metric_table[s].key);
	buf_adds(&sql, " FROM tm_things t JOIN tm_sums s ON s.thing = t.id WHERE t.key = 'total' "
		       "AND s.run");
	add_ids(&sql, runs);
	q = db_prepare(h->db, buf_str(&sql), 0, e);
	buf_release(&sql);
	if (!q)
		return err_failure(e);
	*to = 0;
	st = db_step(q, e);
	for (unsigned s = 0; !st && s < SUMS; s++)
		if (sums >> s & 1) {
			if (!db_is_null(q, column) && (db_int(q, column) || sum_is_signed(s)))
				*to |= SUM_BIT(s);
			column++;
		}
	db_finish(q);
	return st == ST_NONE ? ST_OK : st;
}

static enum sum known_of(unsigned known, unsigned valued, int sort)
{
	if (sort == SORT_AUTO)
		return sort_first_valued(known, valued);
	if (sort < SORT_LIVE)
		return (enum sum)sort;
	for (unsigned i = 2; i; i--)
		if (known >> (sort_family(sort) + i) & 1)
			return sort_family(sort) + i;
	return sort_family(sort) + (known >> sort_family(sort) & 1 ? 0 : 2);
}

enum status history_metric(struct history *h, const struct history_runs *runs, int sort,
			   enum sum *to, struct err *e)
{
	struct db_query *q = query_keys(h, runs, "total", e);
	unsigned known = SUMS_ALL, valued = 0;
	enum status st;

	if (!q)
		return err_failure(e);
	while (!(st = db_step(q, e)))
		for (unsigned s = 0; s < SUMS; s++)
			if (!has_word(db_text(q, 2, NULL), metric_table[s].key))
				known &= ~SUM_BIT(s);
	db_finish(q);
	st = st == ST_NONE ? history_valued(h, runs, &valued, e) : st;
	if (!st)
		*to = known_of(known, valued, sort);
	return st;
}
