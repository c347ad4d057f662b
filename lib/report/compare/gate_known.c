/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate_known.h"

#include "lib/base/id_text.h"
#include "lib/base/path.h"
#include "lib/table/table.h"

#include <math.h>

/* A rule on the new side alone asks nothing of the base. */
static size_t gate_known_first(const struct compare *c, const struct policy_rule *r)
{
	return r->kind == POLICY_MAX ? c->n_groups - 1 : 0;
}

enum gate_known_has { GATE_KNOWN_NOTHING, GATE_KNOWN_NO, GATE_KNOWN_YES };

static enum gate_known_has gate_known_stacks(const struct profile *s)
{
	return !s->all.v[SUM_ENTRIES]                                      ? GATE_KNOWN_NOTHING
	       : s->coverage[TIERS].v[SUM_ENTRIES] < s->all.v[SUM_ENTRIES] ? GATE_KNOWN_YES
									   : GATE_KNOWN_NO;
}

/* Most of its stacks' sites have names. */
static enum gate_known_has gate_known_names(const struct profile *s)
{
	uint64_t named = 0, all = s->all.v[SUM_ENTRIES] - s->coverage[TIERS].v[SUM_ENTRIES];

	if (gate_known_stacks(s) != GATE_KNOWN_YES)
		return GATE_KNOWN_NOTHING;
	for (unsigned t = TIER_NAME; t < TIERS; t++)
		named += s->coverage[t].v[SUM_ENTRIES];
	return named > all / 2 ? GATE_KNOWN_YES : GATE_KNOWN_NO;
}

/* The first of the sides' runs of which that is so, and its name; NULL: there is no such run. */
static const struct profile *gate_known_run(const struct compare *c, const struct policy_rule *r,
					    enum gate_known_has (*ask)(const struct profile *),
					    enum gate_known_has has, const char **name)
{
	*name = NULL;
	for (size_t g = gate_known_first(c, r); g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			if ((g != 0 && g != c->n_groups - 1) || ask(c->groups[g].runs[i]) != has)
				continue;
			*name = c->groups[g].names[i];
			return c->groups[g].runs[i];
		}
	return NULL;
}

static const char *gate_known_find(const struct compare *c, const struct policy_rule *r,
				   enum gate_known_has (*ask)(const struct profile *),
				   enum gate_known_has has)
{
	const char *name;

	gate_known_run(c, r, ask, has, &name);
	return name;
}

/* A module of both runs of one build: the program, or the first; NULL: there is no such module. */
static const struct profile_module *gate_known_shared(const struct profile *a,
						      const struct profile *b)
{
	const struct profile_module *found = NULL;

	for (size_t i = 0; i < a->n_modules; i++)
		for (size_t k = 0; k < b->n_modules; k++) {
			const struct profile_module *m = &a->modules[i];

			if (!m->build_id || m->build_id != b->modules[k].build_id)
				continue;
			if (m->name == a->program)
				return m;
			found = found ? found : m;
		}
	return found;
}

/* How the run without names gets them: of the program's own build any file that is not stripped has those of the other
 * run. An aggregate has no addresses that could be looked up. */
static void gate_known_describe_remedy(const struct compare *c, const struct profile *without,
				       const struct profile *with, const char *name, struct buf *b)
{
	const struct profile_module *m = gate_known_shared(without, with);
	size_t n = 0, n_name = 0;
	const char *id = m ? entities_text(c->entities, m->build_id, &n) : "",
		   *module = m ? entities_text(c->entities, m->name, &n_name) : "";

	if (without->from_aggregate)
		buf_adds(b, "names cannot be added to an aggregate: symbolize the trace with "
			    "tm-symbolize, then make the aggregate again");
	else
		buf_addf(b,
			 "'tm-symbolize --debug-dir DIR -o FILE %s' adds names from "
			 "unstripped files in DIR",
			 name);
	if (!m || (without->program && m->name != without->program))
		return;
	buf_addf(b, "; both have the same build of %s, build-id ", module);
	id_text_add(b, path_is_of_windows(module, n_name), id, n);
}

bool gate_known_without_stacks(const struct compare *c, const struct policy_rule *r, struct buf *b)
{
	const char *with, *without;

	if (r->counter || r->key == POLICY_TOTAL || r->key == KEY_TYPE || r->key == KEY_THREAD ||
	    r->kind == POLICY_COVERAGE)
		return false;
	with = gate_known_find(c, r, gate_known_stacks, GATE_KNOWN_YES);
	without = gate_known_find(c, r, gate_known_stacks, GATE_KNOWN_NO);
	if (without && with)
		buf_addf(b, "recorded in different ways: %s has no stacks, %s has", without, with);
	else if (without)
		buf_adds(b, "no run has stacks: all of the data is one thing, [no stack]");
	return without != NULL;
}

bool gate_known_without_names(const struct compare *c, const struct policy_rule *r, struct buf *b)
{
	static const unsigned by_name = 1u << KEY_SITE | 1u << KEY_FUNCTION | 1u << KEY_STACK |
					1u << KEY_LOCATION | 1u << KEY_FILE;
	const struct profile *has, *lacks;
	const char *with, *without;

	if (r->counter || r->key == POLICY_TOTAL || !(by_name >> r->key & 1) ||
	    r->kind == POLICY_COVERAGE)
		return false;
	has = gate_known_run(c, r, gate_known_names, GATE_KNOWN_YES, &with);
	lacks = gate_known_run(c, r, gate_known_names, GATE_KNOWN_NO, &without);
	if (!has || !lacks)
		return false;
	buf_addf(b, "most of %s has no names, most of %s has: ", without, with);
	gate_known_describe_remedy(c, lacks, has, without, b);
	return true;
}

bool gate_known_one_build(const struct compare *c, struct buf *b)
{
	static const struct policy_rule every = {.kind = POLICY_GROWTH};
	const struct compare_group *base = &c->groups[0], *new = &c->groups[c->n_groups - 1];
	const struct profile *has, *lacks;
	const struct profile_module *m = gate_known_shared(base->runs[0], new->runs[0]);
	const char *with, *without;

	if (!m || (base->runs[0]->program && m->name != base->runs[0]->program))
		return false;
	has = gate_known_run(c, &every, gate_known_names, GATE_KNOWN_YES, &with);
	lacks = gate_known_run(c, &every, gate_known_names, GATE_KNOWN_NO, &without);
	if (has && lacks)
		buf_addf(b,
			 "both sides are of one build, but %s has names and %s has none: things "
			 "are gone or new by their names alone",
			 with, without);
	return true;
}

/* The run in which it is one; NULL: it is whole in all. */
static const char *gate_known_where(const struct compare *c, const struct policy_rule *r,
				    enum sum sum)
{
	for (size_t g = gate_known_first(c, r); g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if ((g == 0 || g == c->n_groups - 1) &&
			    compare_knows_in_part(c->groups[g].runs[i], sum))
				return c->groups[g].names[i];
	return NULL;
}

bool gate_known_in_part(const struct compare *c, const struct policy_rule *r, struct buf *b)
{
	const char *name = r->counter ? NULL : gate_known_where(c, r, r->metric);
	enum sum other = SUMS;

	if (!name)
		return false;
	buf_addf(b,
		 "'%s' is a lower bound in %s: some records have no value, which may have "
		 "grown",
		 metric_table[r->metric].title, name);
	for (enum sum s = SUMS; s-- > 0;)
		if (compare_same_measure(s, r->metric) && metric_table[s].unit == SUM_BYTES &&
		    compare_knows_total(c, s) && !gate_known_where(c, r, s))
			other = s;
	if (other != SUMS)
		buf_addf(b, "; all have '%s'", metric_table[other].word);
	return true;
}

/* The mean of a side's runs; false: one of them does not know it. */
static bool gate_known_mean(const struct compare_group *g, unsigned domain, enum sum sum, double *v)
{
	*v = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct tally_sums *s = &g->runs[i]->other_domains[domain];

		/* What an aggregate was made of is not in it. */
		if (g->runs[i]->from_aggregate || (s->v[SUM_ENTRIES] && !(s->has >> sum & 1)))
			return false;
		*v += (double)s->v[sum] / (double)g->n;
	}
	return true;
}

bool gate_known_others_grew(const struct compare *c, const struct policy_rule *r, struct buf *b)
{
	const struct compare_group *base = &c->groups[0], *new = &c->groups[c->n_groups - 1];

	if (r->kind != POLICY_GROWTH || r->counter || r->n_match || c->domain_given ||
	    c->n_groups < 2 || SUMS_MEASURED >> r->metric & 1 || sum_is_mean(r->metric))
		return false;
	for (unsigned d = 0; d < DOMAINS; d++) {
		double was, is, by = isnan(r->percent) ? 0 : r->percent / 100;
		enum sum sum = r->metric;

		/* What a pool has no real size of is as large as it was asked for. */
		for (enum sum s = 0; s < SUMS && (!gate_known_mean(base, d, sum, &was) ||
						  !gate_known_mean(new, d, sum, &is));
		     s++)
			sum = compare_same_measure(s, r->metric) &&
				      metric_table[s].unit == metric_table[r->metric].unit
				  ? s
				  : sum;
		if (!gate_known_mean(base, d, sum, &was) || !gate_known_mean(new, d, sum, &is) ||
		    is - was <= was * by || is - was <= decimal_to_double(r->absolute))
			continue;
		buf_addf(b,
			 "'%s' of domain %s, which is not judged, grew by more than the "
			 "limit: ",
			 metric_table[sum].title, domain_name(d));
		gate_rule_add_amount(b, r, was);
		buf_adds(b, " -> ");
		gate_rule_add_amount(b, r, is);
		buf_adds(b, " (--domain selects the judged blocks)");
		return true;
	}
	return false;
}

static bool gate_known_any(const struct compare_group *g, unsigned domain)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->runs[i]->other_domains[domain].v[SUM_ENTRIES])
			return true;
	return false;
}

static void gate_known_add_side(const struct compare_group *g, unsigned domain, struct buf *b)
{
	double v;

	if (gate_known_mean(g, domain, SUM_REQUESTED, &v) ||
	    gate_known_mean(g, domain, SUM_REAL, &v)) {
		size_text(b, (uint64_t)v);
	} else if (gate_known_mean(g, domain, SUM_ENTRIES, &v)) {
		buf_addf(b, "%.0f records", v);
	} else {
		buf_adds(b, "not known");
	}
}

void gate_known_add_others(const struct compare *c, struct buf *b)
{
	const struct compare_group *base = &c->groups[0], *new = &c->groups[c->n_groups - 1];

	for (unsigned d = 0; d < DOMAINS; d++) {
		if (!gate_known_any(base, d) && !gate_known_any(new, d))
			continue;
		buf_addf(b, "%sdomain %s, not judged: ", b->len ? "; " : "", domain_name(d));
		if (base != new) {
			gate_known_add_side(base, d, b);
			buf_adds(b, " -> ");
		}
		gate_known_add_side(new, d, b);
	}
}
