/* SPDX-License-Identifier: MIT
 *
 * The notes of a comparison: builds, coverage, and numbers that some runs do not have.
 */
#include "lib/report/compare/doubts.h"
#include "lib/report/compare/maps.h"
#include "lib/report/compare/view.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void line(struct compare_lines *to, const char *fmt,
						       ...)
{
	char text[600];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	VEC_PUSH(to->items, to->n, to->cap) =
	    arena_strndup(&to->arena, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* "MemTracer", "none", "several". */
static const char *word_of(const struct profile_entities *t, uint32_t string)
{
	return string == PROFILE_MIXED ? "several"
	       : string                ? entities_text(t, string, NULL)
				       : "none";
}

static void note_doubts(const struct compare *c, struct compare_lines *to)
{
	struct compare_doubts d;

	doubts_find(&d, c, 0);
	for (enum compare_doubt i = DOUBT_UNREAD + 1; i < DOUBTS; i++)
		if (d.of[i] && (i != DOUBT_CAPTURES || c->per == PER_RUN))
			line(to, "warning: %s", d.of[i]);
	doubts_release(&d);
}

static uint32_t build_of(const struct profile *s, uint32_t name)
{
	for (size_t i = 0; i < s->n_modules; i++)
		if (s->modules[i].name == name && s->modules[i].build_id)
			return s->modules[i].build_id;
	return 0;
}

/* Between groups builds differ as a rule; within one they must not. */
static void note_builds(const struct compare *c, struct compare_lines *to)
{
	const struct profile *base = c->groups[0].runs[0];
	size_t other = 0, same = 0;
	uint32_t example = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 1; i < c->groups[g].n && !c->groups[g].builds; i++) {
			uint32_t module =
			    doubts_other_build(c->groups[g].runs[0], c->groups[g].runs[i]);

			if (module)
				line(to,
				     "warning: runs of '%s' are of different builds: %s in %s and "
				     "%s",
				     c->groups[g].label, word_of(c->entities, module),
				     c->groups[g].names[0], c->groups[g].names[i]);
		}
	for (size_t g = 1; g < c->n_groups; g++)
		for (size_t k = 0; k < base->n_modules; k++) {
			uint32_t id = build_of(c->groups[g].runs[0], base->modules[k].name);

			if (!id || !base->modules[k].build_id)
				continue;
			if (id == base->modules[k].build_id) {
				same++;
			} else {
				other++;
				example = base->modules[k].name;
			}
		}
	if (other)
		line(to, "build-ids differ for %zu module%s (%s%s), agree for %zu", other,
		     plural_s(other), word_of(c->entities, example), other > 1 ? ", ..." : "",
		     same);
}

/* Named sites' share of a metric in percent; false: not known. */
static bool coverage(const struct profile *s, enum sum sum, double *share)
{
	double named = 0;

	if (!profile_knows(&s->known, sum) || !s->all.v[sum] || sum_is_signed(sum) ||
	    SUMS_TIME >> sum & 1)
		return false;
	for (unsigned t = TIER_NAME; t < TIERS; t++)
		named += (double)s->coverage[t].v[sum];
	*share = 100 * named / (double)s->all.v[sum];
	return true;
}

static void note_coverage(const struct compare *c, enum key by, enum sum sum,
			  struct compare_lines *to)
{
	double least = INFINITY, most = 0, share;
	const char *worst = "", *best = "";
	struct table_cell cell;
	struct buf low = BUF_INIT, high = BUF_INIT;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			if (!coverage(c->groups[g].runs[i], sum, &share))
				continue;
			if (share < least) {
				least = share;
				worst = c->groups[g].names[i];
			}
			if (share >= most) {
				most = share;
				best = c->groups[g].names[i];
			}
		}
	if (isinf(least))
		return;
	cell = cell_percent(least);
	percent_text(&low, &cell, false);
	cell = cell_percent(most);
	percent_text(&high, &cell, false);
	if (most - least > 1)
		line(to,
		     "warning: coverage differs: %s %% of %s is at named sites in %s, %s %% in %s",
		     buf_str(&low), compare_title(c, sum), worst, buf_str(&high), best);
	if (least < 90 && by != KEY_TYPE && by != KEY_THREAD)
		line(to,
		     "only %s %% of %s is at named sites in %s: sites without names are "
		     "matched by address, and addresses change from build to build; " NAMED_BY,
		     buf_str(&low), compare_title(c, sum), worst);
	buf_release(&low);
	buf_release(&high);
}

static void note_runs(const struct compare *c, enum key by, struct compare_lines *to)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *s = c->groups[g].runs[i];

			if (s->notes[NOTE_LOSS])
				line(to, "warning: %s is incomplete: see its notes",
				     c->groups[g].names[i]);
			if (s->keys[by].cut)
				line(to,
				     "%s leaves out its %" PRIu64 " smallest %s: their values "
				     "are unknown where another run has them",
				     c->groups[g].names[i], s->keys[by].cut, key_plurals[by]);
		}
}

static void note_metrics(const struct compare *c, enum key by, struct compare_lines *to)
{
	struct buf names = BUF_INIT;

	for (enum sum s = 0; s < SUMS; s++) {
		bool any = false, lacks = false;

		if (s == SUM_TIMED || s == SUM_ENTRIES || compare_knows(c, by, s))
			continue;
		for (size_t g = 0; g < c->n_groups; g++)
			for (size_t i = 0; i < c->groups[g].n; i++) {
				const struct profile_known *k =
				    &c->groups[g].runs[i]->keys[by].known;

				any |= profile_knows(k, s);
				lacks |= !profile_knows(k, s) &&
					 k->unknown_reason[s] != UNKNOWN_NOT_ASKED;
			}
		if (any && lacks)
			buf_addf(&names, "%s%s", names.len ? ", " : "", compare_title(c, s));
	}
	if (names.len)
		line(to, "differences are blank for metrics that not all runs know: %s",
		     buf_str(&names));
	buf_release(&names);
}

static void note_estimated(const struct compare *c, enum sum sum, struct compare_lines *to)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (c->groups[g].runs[i]->known.state[sum] == METRIC_ESTIMATED) {
				line(to, "%s: estimated (~)", compare_title(c, sum));
				return;
			}
}

static void note_domain(const struct compare *c, struct compare_lines *to)
{
	unsigned domain = 0;
	bool others = false;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *s = c->groups[g].runs[i];

			if (domain && s->domain && s->domain != domain)
				return; /* the options differ, which note_texts says */
			domain = s->domain ? s->domain : domain;
			others |= profile_has_other_domains(s);
		}
	if (domain && (others || domain != DOMAIN_MALLOC + 1))
		line(to, "counted: blocks of domain %s on all sides (--domain)",
		     domain_name(domain - 1));
}

static void note_full(const struct compare *c, struct compare_lines *to)
{
	for (enum sum s = 0; s < SUMS; s++) {
		bool full = false;

		for (size_t g = 0; g < c->n_groups; g++)
			for (size_t i = 0; i < c->groups[g].n; i++)
				full |= sum_is_full(s, c->groups[g].runs[i]->all.v[s]) ||
					sum_is_full(s, c->groups[g].runs[i]->unfiltered.v[s]);
		if (full)
			line(to, "%s: more than 64 bits can hold", compare_title(c, s));
	}
}

static void note_maps(const struct compare *c, struct compare_lines *to)
{
	for (size_t i = 0; i < compare_maps(c); i++) {
		struct buf b = BUF_INIT;

		compare_map_text(c, i, &b);
		line(to, "%s", buf_str(&b));
		buf_release(&b);
	}
}

void compare_notes(const struct compare *c, enum key by, enum sum sum, struct compare_lines *to)
{
	note_doubts(c, to);
	note_domain(c, to);
	note_builds(c, to);
	note_maps(c, to);
	note_coverage(c, by, sum, to);
	note_runs(c, by, to);
	note_metrics(c, by, to);
	note_estimated(c, sum, to);
	note_full(c, to);
}
