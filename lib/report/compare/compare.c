/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/compare.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/group/metric.h"
#include "lib/names/disambiguate.h"
#include "lib/rules/templates.h"
#include "lib/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool compare_holds(const struct compare *c, enum key key)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (!c->groups[g].runs[i]->keys[key].held)
				return false;
	return true;
}

bool compare_knows(const struct compare *c, enum key key, enum sum sum)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (!profile_knows(&c->groups[g].runs[i]->keys[key].known, sum))
				return false;
	return true;
}

bool compare_knows_total(const struct compare *c, enum sum sum)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (!profile_knows(&c->groups[g].runs[i]->known, sum))
				return false;
	return true;
}

bool compare_same_measure(enum sum a, enum sum b)
{
	const unsigned of_blocks = SUMS_BLOCKS | SUMS_LIVE | SUMS_FREED | SUMS_PEAK;

	return of_blocks >> a & 1 && metric_table[a].family == metric_table[b].family;
}

bool compare_knows_in_part(const struct profile *run, enum sum sum)
{
	/* Where no sum is exact, as of blocks above a threshold, nothing says more. */
	for (enum sum s = 0; run->known.state[sum] == METRIC_LOWER_BOUND && s < SUMS; s++)
		if (compare_same_measure(s, sum) && run->known.state[s] == METRIC_EXACT)
			return true;
	return false;
}

static void compare_disambiguate_in(const struct compare *c, size_t group, struct name_suffix *ends)
{
	const struct entities_key *k = &c->entities->keys[KEY_FUNCTION];
	struct name_suffix *a = mem_array(k->n + 1, sizeof *a);
	uint32_t *of = mem_array(k->n + 1, sizeof *of);
	bool *in = profiles_functions(compare_runs(c, group), c->groups[group].n, c->entities);
	size_t n = 0, len;

	for (uint32_t i = 0; i < k->n; i++) {
		const char *raw = entities_text(c->entities, k->items[i].raw, &len);

		if (!in[i])
			continue;
		a[n] = name_suffix_of(k->items[i].name, raw, len);
		of[n++] = i;
	}
	name_suffixes_find(a, n);
	for (size_t i = 0; i < n; i++)
		if (a[i].end && (!ends[of[i]].end || strlen(a[i].end) > strlen(ends[of[i]].end)))
			ends[of[i]] = a[i];
	free(a);
	free(of);
	free(in);
}

void compare_disambiguate(const struct compare *c, struct profile_entities *t)
{
	struct entities_key *k = &t->keys[KEY_FUNCTION];
	struct name_suffix *ends = mem_zarray(k->n + 1, sizeof *ends);
	struct buf b = BUF_INIT;

	for (size_t g = 0; g < c->n_groups; g++)
		compare_disambiguate_in(c, g, ends);
	for (size_t i = 0; i < k->n; i++) {
		size_t n;
		const char *s = entities_text(t, k->items[i].name, &n);

		if (!ends[i].end && !k->items[i].folded)
			continue;
		b.len = 0;
		buf_add(&b, s, n);
		if (ends[i].end)
			name_suffix_text(&ends[i], &b);
		if (k->items[i].folded)
			buf_adds(&b, NAME_SUFFIX_FOLDED);
		entities_rename(t, KEY_FUNCTION, (uint32_t)i, entities_string(t, b.data, b.len));
	}
	buf_release(&b);
	free(ends);
}

static uint32_t groups_cut(const struct compare *c, enum key key)
{
	uint32_t cut = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (c->groups[g].runs[i]->keys[key].cut)
				cut |= 1u << g;
	return cut;
}

/* What the runs of the group have in all of a row's metrics, to be recognized under another name: however many they are
 * if they have the same. What is 0 says as little as what is not known. */
static uint64_t fingerprint(const struct compare_rows *r, size_t row, size_t group)
{
	const struct compare_group *g = &r->c->groups[group];
	uint64_t hash = 0, any = 0;

	for (enum sum s = 0; s < SUMS; s++) {
		__int128 v, first = 0;
		bool known = COMPARE_CHANGES >> s & 1, same = true;
		uint64_t all = 0, some = 0;

		for (size_t i = 0; i < g->n && known; i++) {
			known = compare_raw(r, row, g->runs[i], s, false, &v);
			first = i ? first : v;
			same &= v == first;
			all = hash_u64(all ^ (uint64_t)v) + i + 1;
			some |= known ? (uint64_t)v : 0;
		}
		if (!known || !some)
			continue;
		any |= some;
		hash = hash_u64(hash ^ (same ? (uint64_t)first : all)) + s + 1;
	}
	return any ? hash : 0;
}

/* A row that is gone and one that is new with the same sums in all metrics, and no other such. */
static void compare_add_hints(struct compare_rows *r)
{
	const struct compare *c = r->c;
	struct map64 gone = MAP64_INIT, found = MAP64_INIT;
	uint32_t *of;

	if (c->n_groups != 2)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].in == 1 && !r->rows[i].unknown) {
			uint64_t print = fingerprint(r, i, 0);

			if (!print)
				continue;
			of = map64_put(&gone, print);
			*of = *of ? COMPARE_NONE : i + 1;
		}
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].in == 2 && !r->rows[i].unknown) {
			uint64_t print = fingerprint(r, i, 1);

			if (!print || !map64_get(&gone, print))
				continue;
			of = map64_put(&found, print);
			*of = *of ? COMPARE_NONE : i + 1;
		}
	for (size_t i = 0; found.slots && i <= found.mask; i++) {
		uint32_t to = found.slots[i].value;
		uint32_t from = to ? map64_get(&gone, found.slots[i].key) : 0;

		if (!to || to == COMPARE_NONE || from == COMPARE_NONE)
			continue;
		r->rows[from - 1].hint = to - 1;
		r->rows[to - 1].hint = from - 1;
	}
	map64_release(&gone);
	map64_release(&found);
}

/* 0: of no template. */
static uint64_t compare_template(const struct compare_rows *r, size_t row, struct buf *name)
{
	const struct profile_entities *t = r->c->entities;
	const struct profile_entity *of = &t->keys[KEY_FUNCTION].items[r->rows[row].entity];
	size_t n, own;
	const char *s = entities_text(t, of->name, &n);

	return templates_name(s, n, name, &own)
		   ? hash_bytes_seeded(name->data, name->len, of->module) | 1
		   : 0;
}

static __int128 compare_family_sum(const struct compare_rows *r, const uint32_t *next,
				   uint32_t first, size_t group, enum sum sum)
{
	const struct compare_group *g = &r->c->groups[group];
	__int128 all = 0, v;

	for (uint32_t i = first; i != COMPARE_NONE; i = next[i])
		for (size_t k = 0; k < g->n; k++)
			if (compare_raw(r, i, g->runs[k], sum, false, &v))
				all += v;
	return all;
}

static bool compare_family_is_equal(const struct compare_rows *r, const uint32_t *next,
				    uint32_t first)
{
	static const enum sum sums[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	__int128 any = 0;

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		__int128 was = compare_family_sum(r, next, first, 0, sums[i]);

		if (was != compare_family_sum(r, next, first, 1, sums[i]))
			return false;
		any |= was;
	}
	return any != 0;
}

/* Equal code of several instances becomes one function, by GCC with -flto without a trace of the others' names: where
 * some are in one build only, and all together have the same sums. */
static void compare_find_folded(struct compare_rows *r)
{
	const struct compare *c = r->c;
	struct map64 last = MAP64_INIT;
	struct buf name = BUF_INIT;
	uint32_t *next, *first;

	if (r->key != KEY_FUNCTION || c->n_groups != 2 || c->groups[0].n != c->groups[1].n)
		return;
	next = mem_array(r->n + 1, sizeof *next);
	first = mem_array(r->n + 1, sizeof *first);
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t template = compare_template(r, i, &name);
		uint32_t *at = template ? map64_put(&last, template) : NULL;

		next[i] = COMPARE_NONE;
		first[i] = at && *at ? first[*at - 1] : i;
		if (at && *at)
			next[*at - 1] = i;
		if (at)
			*at = i + 1;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		bool alone = false;

		if (first[i] != i || next[i] == COMPARE_NONE)
			continue;
		for (uint32_t k = i; k != COMPARE_NONE; k = next[k])
			alone |= r->rows[k].in != 3 && !r->rows[k].unknown;
		if (!alone || !compare_family_is_equal(r, next, i))
			continue;
		for (uint32_t k = i; k != COMPARE_NONE; k = next[k])
			r->rows[k].folded = fingerprint(r, k, 0) != fingerprint(r, k, 1);
	}
	map64_release(&last);
	buf_release(&name);
	free(next);
	free(first);
}

static bool compare_same_modules(const struct profile *a, const struct profile *b)
{
	/* A program under two names shares no module with itself. */
	if (a->program && b->program && a->program != b->program)
		return false;
	for (size_t i = 0; i < a->n_modules; i++)
		for (size_t k = 0; k < b->n_modules; k++)
			if (a->modules[i].name == b->modules[k].name &&
			    a->modules[i].build_id != b->modules[k].build_id)
				return false;
	return true;
}

/* The runs by build, groups in their order; of_group: the group of each. */
static struct identity_build *compare_builds(struct compare_rows *r, size_t *n, uint32_t **of_group)
{
	const struct compare *c = r->c;
	struct identity_build *builds = NULL;
	size_t cap = 0, cap_of = 0, n_of = 0;

	*n = 0;
	*of_group = NULL;
	for (size_t g = 0, first; g < c->n_groups; g++) {
		first = *n;
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *run = c->groups[g].runs[i];
			size_t b = first;

			while (b < *n && !compare_same_modules(builds[b].runs[0], run))
				b++;
			if (b == *n) {
				VEC_PUSH(builds, *n, cap) = (struct identity_build){
				    .source = g ? c->identity.new_source : c->identity.base_source};
				VEC_PUSH(*of_group, n_of, cap_of) = (uint32_t)g;
			}
			builds[b].runs =
			    mem_realloc(builds[b].runs, builds[b].n + 1, sizeof(*builds[b].runs));
			builds[b].runs[builds[b].n++] = run;
			*map64_put(&r->builds, (uintptr_t)run) = (uint32_t)b + 1;
		}
	}
	return builds;
}

void compare_rows_init(struct compare_rows *r, const struct compare *c, enum key key)
{
	uint32_t cut = groups_cut(c, key), *of_group;
	struct identity_build *builds;
	size_t n;

	*r = (struct compare_rows){.c = c, .key = key};
	builds = compare_builds(r, &n, &of_group);
	identity_rows_init(&r->identity, c->entities, key, builds, n, &c->identity);
	r->n = r->identity.n;
	r->rows = mem_array(r->n + 1, sizeof *r->rows);
	for (size_t i = 0; i < r->n; i++) {
		const struct identity_row *row = &r->identity.rows[i];
		const struct identity_member *m = &r->identity.members[row->first];
		struct compare_row *to = &r->rows[i];

		*to = (struct compare_row){.guess = row->guess,
					   .hint = COMPARE_NONE,
					   .first = row->first,
					   .members = row->n};
		for (uint32_t k = 0; k < row->n; k++)
			to->in |= 1u << of_group[m[k].build];
		/* The last build's name, and the last of the base; of clones the first. */
		for (uint32_t k = row->n; k-- > 0;) {
			if (m[k].build == m[row->n - 1].build)
				to->entity = m[k].entity;
			if (k == row->n - 1 || of_group[m[k].build] == 0)
				to->other = m[k].entity;
		}
		if (!(to->in & 1))
			to->other = to->entity;
		to->unknown = cut & ~to->in;
	}
	for (size_t i = 0; i < n; i++)
		free(builds[i].runs);
	free(builds);
	free(of_group);
	compare_add_hints(r);
	compare_find_folded(r);
}

void compare_rows_release(struct compare_rows *r)
{
	free(r->rows);
	identity_rows_release(&r->identity);
	map64_release(&r->builds);
	*r = (struct compare_rows){.c = NULL};
}

static __int128 as_signed(enum sum sum, uint64_t v)
{
	return sum_is_signed(sum) ? (__int128)(int64_t)v : (__int128)v;
}

bool compare_raw(const struct compare_rows *r, size_t row, const struct profile *run, enum sum sum,
		 bool cumulative, __int128 *v)
{
	const struct compare_row *to = &r->rows[row];
	uint32_t build = map64_get(&r->builds, (uintptr_t)run) - 1;
	enum sum of = metric_part(sum), by = metric_over(sum);
	bool any = false, unknown = false, here = false;
	uint64_t x, n = 0;

	*v = 0;
	for (uint32_t i = 0; i < to->members; i++) {
		const struct identity_member *m = &r->identity.members[to->first + i];
		uint32_t entity = m->entity;
		bool known;

		if (m->build != build)
			continue;
		here = true;
		known = profile_value(run, r->key, entity, of, cumulative, &x);

		any |= known;
		/* One of the row's names may be among what was left out; another is there. */
		unknown |= !known && profile_has_row(&run->keys[r->key], entity);
		if (known)
			*v += as_signed(sum, x);
		if (sum_is_mean(sum) && profile_value(run, r->key, entity, by, cumulative, &x))
			n += x;
	}
	if (!here) /* none of it, unless it may be among what was left out */
		any = profile_value(run, r->key, COMPARE_NONE, of, cumulative, &x);
	if (sum_is_mean(sum)) {
		any &= n > 0;
		*v = n ? (*v + n / 2) / n : 0;
	}
	return any && !unknown;
}

bool compare_raw_total(const struct profile *run, enum sum sum, __int128 *v)
{
	*v = as_signed(sum, run->all.v[sum]);
	if (sum == SUM_LIFETIME) {
		if (!run->all.v[SUM_TIMED])
			return false;
		*v = mean_rounded(run->all.v[SUM_LIFETIME], run->all.v[SUM_TIMED]);
	}
	return profile_knows(&run->known, sum) && sum != SUM_TIME_MEAN;
}

double compare_divisor(const struct profile *run, enum run_per per)
{
	return per_divisor(per, run->frames, run->duration, run->captures);
}

static bool is_exact(const struct compare *c)
{
	for (size_t g = 0; g < c->n_groups; g++)
		if (c->groups[g].n != 1)
			return false;
	return c->per == PER_RUN && !c->normalize;
}

static const char *text_of(const struct compare *c, uint32_t id)
{
	return id && id != PROFILE_MIXED ? entities_text(c->entities, id, NULL) : NULL;
}

const char *compare_title(const struct compare *c, enum sum sum)
{
	const char *title = NULL;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *run = c->groups[g].runs[i];
			const char *own = metric_event_title(sum, text_of(c, run->sampling),
							     text_of(c, run->period[0]));

			if (!profile_knows(&run->known, sum))
				continue;
			if (title && strcmp(title, own) != 0)
				return metric_table[sum].title;
			title = own;
		}
	return title ? title : metric_table[sum].title;
}

double compare_sampled_every(const struct compare *c, const struct profile *run)
{
	bool known = run->sampling && run->sampling != PROFILE_MIXED;

	return trace_sampled_every(known ? entities_text(c->entities, run->sampling, NULL) : NULL);
}

unsigned compare_decimals(const struct compare *c)
{
	return is_exact(c) ? 0 : COMPARE_DECIMALS;
}

/* The mean, or the median, of values per what they are divided by; half away from 0. A mean lifetime is
 * per block already. */
struct gather {
	const struct compare *c;
	const struct compare_group *g;
	enum sum sum;
	long double sum_of;
	double *values; /* of a median */
	size_t n;
	__int128 exact;
	bool absent;
};

static void gather(struct gather *a, const struct profile *run, bool known, __int128 v)
{
	double by = sum_is_mean(a->sum) ? 1 : compare_divisor(run, a->c->per);

	a->absent |= !known || !(by > 0);
	if (a->absent)
		return;
	a->exact = v;
	a->sum_of += (long double)v / (long double)by;
	if (a->g->median && !a->values)
		a->values = mem_array(a->g->n, sizeof *a->values);
	if (a->values)
		a->values[a->n++] = (double)v / by;
}

static long double middle(const struct gather *a)
{
	return a->values ? (long double)stats_median((struct stats_sample){a->values, a->n})
			 : a->sum_of / (long double)a->g->n;
}

static void gather_totals(struct gather *a)
{
	for (size_t i = 0; i < a->g->n; i++) {
		__int128 v;
		bool known = compare_raw_total(a->g->runs[i], a->sum, &v);

		gather(a, a->g->runs[i], known, v);
	}
}

static bool total_of(const struct compare *c, size_t group, enum sum sum, long double *to)
{
	struct gather a = {.c = c, .g = &c->groups[group], .sum = sum};

	gather_totals(&a);
	*to = a.absent ? 0 : middle(&a);
	free(a.values);
	return !a.absent;
}

bool compare_factor(const struct compare *c, size_t group, enum sum sum, long double *to)
{
	long double from, last;

	*to = 1;
	if (!c->normalize || group == c->n_groups - 1 || sum_is_mean(sum))
		return true;
	if (sum_is_signed(sum) || !total_of(c, group, sum, &from) ||
	    !total_of(c, c->n_groups - 1, sum, &last))
		return false;
	if (from > 0)
		*to = last / from;
	return true;
}

static struct compare_number gathered(struct gather *a)
{
	struct compare_number to = {!a->absent, a->exact, compare_decimals(a->c)};
	long double scale = 1, factor = 1;

	if (to.present)
		to.present = compare_factor(a->c, (size_t)(a->g - a->c->groups), a->sum, &factor);
	for (unsigned i = 0; i < to.decimals; i++)
		scale *= 10;
	if (to.present && !is_exact(a->c))
		to.v = (__int128)roundl(middle(a) * factor * scale);
	free(a->values);
	return to.present ? to : (struct compare_number){.present = false};
}

struct compare_number compare_value(const struct compare_rows *r, size_t row, size_t group,
				    enum sum sum, bool cumulative)
{
	struct gather a = {.c = r->c, .g = &r->c->groups[group], .sum = sum};

	for (size_t i = 0; i < a.g->n; i++) {
		__int128 v;
		bool known = compare_raw(r, row, a.g->runs[i], sum, cumulative, &v);

		gather(&a, a.g->runs[i], known, v);
	}
	return gathered(&a);
}

struct compare_number compare_total(const struct compare *c, size_t group, enum sum sum)
{
	struct gather a = {.c = c, .g = &c->groups[group], .sum = sum};

	gather_totals(&a);
	return gathered(&a);
}

struct compare_number compare_difference(struct compare_number from, struct compare_number to)
{
	return (struct compare_number){from.present && to.present, to.v - from.v, to.decimals};
}

struct table_cell compare_percent(struct compare_number from, struct compare_number to)
{
	__int128 d = to.v - from.v;

	if (!from.present || !to.present)
		return (struct table_cell){.present = false};
	return cell_ratio(d < 0, (unsigned __int128)(d < 0 ? -d : d),
			  (unsigned __int128)(from.v < 0 ? -from.v : from.v));
}
