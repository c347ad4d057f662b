/* SPDX-License-Identifier: MIT */
#include "lib/group/notes.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"
#include "lib/group/rank.h"
#include "lib/rules/linkage.h"

#include <inttypes.h>
#include <string.h>

struct lines {
	struct arena *arena;
	struct table *table;
	size_t cap;
	struct buf b;
};

static void end_line(struct lines *l)
{
	VEC_PUSH(l->table->notes, l->table->n_notes, l->cap) =
	    arena_strndup(l->arena, l->b.data, l->b.len);
	l->b.len = 0;
}

/* mark: of which sum it is known how exact it is. */
static void add_value(struct buf *b, const struct profile_known *k, enum sum mark, uint64_t v,
		      enum sum s)
{
	buf_adds(b, metric_mark(k, mark));
	if (metric_table[s].unit == SUM_NS)
		time_text(b, v);
	else if (sum_is_signed(s))
		buf_addf(b, "%" PRId64, (int64_t)v);
	else if (metric_table[s].unit == SUM_BYTES)
		size_text(b, v);
	else
		buf_add_u64(b, v);
}

static void add_percent(struct buf *b, uint64_t part, uint64_t whole)
{
	struct table_cell c = cell_share(part, whole);

	percent_text(b, &c, false);
	buf_adds(b, c.present ? "%" : "none");
}

/* Of what the report is sorted by (of records where that is 0): by what is known of each site. People are not
 * bothered where nearly all are known alike, as each row shows. */
static void group_notes_coverage(struct lines *l, const struct grouped_profile *p, size_t grouping,
				 enum sum sort, const char *word)
{
	static const char *const names[TIERS + 1] = {[TIER_NOTHING] = "nothing",
						     [TIER_MODULE] = "module only",
						     [TIER_NAME] = "function only",
						     [TIER_LINE] = "function and line",
						     [TIERS] = "no stack"};
	static const unsigned order[] = {TIER_LINE, TIER_NAME, TIER_MODULE, TIER_NOTHING, TIERS};
	uint64_t records = p->now.all.v[SUM_ENTRIES], weight = 0, whole;
	enum key by = p->groupings[grouping].key.by;
	bool one = false;

	/* Types have their names from the capture. */
	if (!records || by == KEY_TYPE)
		return;
	if (p->now.coverage[TIERS].v[SUM_ENTRIES] == records) {
		if (p->now.typed && (by <= KEY_STACK || key_has_total(by))) {
			buf_adds(&l->b, "no record has a stack; rank types with --by type");
			end_line(l);
		}
		return;
	}
	for (size_t i = 0; i <= TIERS; i++)
		weight = add_saturating(weight, p->now.coverage[i].v[sort]);
	whole = weight ? weight : records;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		const struct tally_sums *s = &p->now.coverage[order[i]];
		uint64_t part = weight ? s->v[sort] : s->v[SUM_ENTRIES];

		if (!s->v[SUM_ENTRIES])
			continue;
		l->table->coverage[l->table->n_coverage++] =
		    (struct table_coverage){names[order[i]], s->v[SUM_ENTRIES], s->v[sort]};
		one |=
		    (order[i] == TIER_LINE || order[i] == TIER_NAME) && part >= whole - whole / 20;
		buf_addf(&l->b, "%s%s for ", l->b.len ? "; " : "names of sites: ", names[order[i]]);
		add_percent(&l->b, part, whole);
		if (l->table->n_coverage == 1)
			buf_addf(&l->b, " of %s", weight ? word : "records");
	}
	if (!one)
		end_line(l);
	l->b.len = 0;
}

/* What the capture says of other allocations only; what follows from it is not named. */
static void unrecorded_sums(struct lines *l, const struct profile_known *k)
{
	static const struct {
		enum sum sum;
		const char *word;
	} sums[] = {
	    {SUM_REQUESTED, "requested size"}, {SUM_REAL, "real size"}, {SUM_LIVE_COUNT, "frees"}};

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (k->unknown_reason[sums[i].sum] == UNKNOWN_UNRECORDED && !k->state[sums[i].sum])
			buf_addf(&l->b, "%s%s", l->b.len ? ", " : "", sums[i].word);
	if (l->b.len) {
		buf_adds(&l->b, ": not recorded for these blocks");
		end_line(l);
	}
	if (k->unknown_reason[SUM_PERIOD] == UNKNOWN_MIXED) {
		buf_adds(&l->b,
			 "period: of several events, which do not add up: --by type, or --type "
			 "for one of them");
		end_line(l);
	}
}

static void unknown_times(struct lines *l, const struct profile *r, const struct profile_known *k)
{
	if (k->unknown_reason[SUM_TIME_TOTAL] == UNKNOWN_MIXED)
		buf_adds(&l->b, "total time: not known from samples");
	else if (k->unknown_reason[SUM_TIME_MEAN] == UNKNOWN_MIXED && r->all.has >> SUM_CALLS & 1)
		buf_adds(&l->b,
			 "mean time: not known, as some times are of samples or of parts of calls");
	if (l->b.len)
		end_line(l);
}

/* A script's calls are inside of a thread's, whose times have theirs. */
static void scripts(struct lines *l, const struct grouped_profile *p, unsigned sums)
{
	const struct tally_selection *s = p->options.selection;
	size_t n;
	const char *name;

	if (!p->n_scripts || !(sums & (SUM_BIT(SUM_TIME_SELF) | SUM_BIT(SUM_TIME_TOTAL))) ||
	    !(p->now.all.has >> SUM_CALLS & 1) || (s && s->n_threads))
		return;
	name = intern_text(&p->texts, p->script, &n);
	buf_addf(&l->b, "time of scripts (%.*s", (int)n, name);
	if (p->n_scripts > 1)
		buf_addf(&l->b, " and %zu more", p->n_scripts - 1);
	buf_adds(&l->b, ") counts twice: it is in that of the threads that run them, too");
	end_line(l);
}

static void group_notes_unknown_sums(struct lines *l, const struct grouped_profile *p,
				     const struct profile_known *k)
{
	static const char of_moments[] = "of moments, not of frames: see tm-frames";
	static const char *const why[] = {[UNKNOWN_ABSENT] = "not in the capture",
					  [UNKNOWN_PER_TYPE] = "known per type only: --by type",
					  [UNKNOWN_FILTERED] =
					      "known per type only: not with filters on stacks",
					  [UNKNOWN_PER_FRAME] = of_moments};

	/* A capture of times has no word to say about allocations that it does not have. */
	bool times = k->state[SUM_CALLS] && !k->state[SUM_REAL] && !k->state[SUM_REQUESTED];

	for (enum unknown_reason why_not = UNKNOWN_ABSENT; !times && why_not <= UNKNOWN_PER_FRAME;
	     why_not++) {
		const char *comma = "";

		for (enum sum s = 0; s < SUMS; s++) {
			/* SUM_TIMED is what a lifetime divides by, and has no column. */
			if (k->unknown_reason[s] != why_not || k->state[s] || s == SUM_TIMED ||
			    SUMS_MEASURED >> s & 1)
				continue;
			buf_addf(&l->b, "%s%s", comma, metric_title(p, s));
			comma = ", ";
		}
		if (l->b.len) {
			buf_addf(&l->b, ": %s", why[why_not]);
			end_line(l);
		}
	}
	for (enum sum s = 0; s < SUMS; s++)
		if (k->unknown_reason[s] && k->unknown_reason[s] != UNKNOWN_NOT_ASKED &&
		    k->state[s] && s != SUM_TIMED)
			buf_addf(&l->b, "%s%s", l->b.len ? ", " : "", metric_title(p, s));
	if (l->b.len) {
		buf_adds(&l->b, ": missing in some captures, so lower bounds");
		end_line(l);
	}
}

/* Also of what the table has no columns for: the first screen lacks a table then. */
static void unknown_of_blocks(struct lines *l, const struct profile_known *k,
			      enum unknown_reason why, const char *text)
{
	for (enum sum s = 0; s < SUMS; s++)
		if (k->unknown_reason[s] == why && !k->state[s] && s != SUM_TIMED)
			buf_addf(&l->b, "%s%s", l->b.len ? ", " : "", metric_table[s].title);
	if (!l->b.len)
		return;
	buf_addf(&l->b, ": not known, as %s", text);
	end_line(l);
}

bool state_note(const struct grouped_profile *p, const struct profile_known *k, unsigned sums,
		enum metric_state state, struct buf *to)
{
	static const char *const texts[] = {
	    [METRIC_LOWER_BOUND] = "lower bounds", [METRIC_ESTIMATED] = "estimated (~)"};
	const char *comma = "";

	for (enum sum s = 0; s < SUMS; s++)
		if (k->state[s] == state && sums >> s & 1 && s != SUM_TIMED) {
			buf_addf(to, "%s%s", comma, metric_title(p, s));
			comma = ", ";
		}
	if (*comma)
		buf_addf(to, ": %s", texts[state]);
	return *comma != '\0';
}

static void inexact_sums(struct lines *l, const struct grouped_profile *p,
			 const struct profile_known *k)
{
	for (enum metric_state state = METRIC_LOWER_BOUND; state <= METRIC_ESTIMATED; state++)
		if (state_note(p, k, sums_there(&p->now, k), state, &l->b))
			end_line(l);
}

bool nameless_note(const struct profile *r, struct buf *to)
{
	uint64_t nameless = add_saturating(r->coverage[TIER_MODULE].v[SUM_ENTRIES],
					   r->coverage[TIER_NOTHING].v[SUM_ENTRIES]);

	if (nameless <= r->all.v[SUM_ENTRIES] / 2)
		return false;
	buf_adds(to, "most sites have no names: " NAMED_BY);
	return true;
}

bool starts_note(const struct grouped_profile *p, size_t grouping, const uint32_t *groups, size_t n,
		 struct buf *to)
{
	enum key by = p->groupings[grouping].key.by;
	uint64_t starts = 0;

	if (by != KEY_SITE && by != KEY_FUNCTION && by != KEY_LOCATION)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct group_name name;

		group_name(p, grouping, groups[i], &name);
		starts += linkage_is_start(name.name, name.name_len);
	}
	if (starts)
		buf_addf(to,
			 "%" PRIu64 " row%s grouped by function starts (fn_0x...): names "
			 "need the module's debug information",
			 starts, starts == 1 ? " is" : "s are");
	return starts;
}

/* Sums of moments, each of which is one capture's. */
static void several_peaks(struct lines *l, const struct profile *r, enum sum sort)
{
	if (r->captures < 2 || !(SUMS_PEAK >> sort & 1))
		return;
	buf_addf(&l->b,
		 "%s: each capture at its own peak, added up over %" PRIu64
		 " captures; \"peak\" above is the largest of one",
		 metric_table[sort].title, r->captures);
	end_line(l);
}

bool domain_note(const struct profile *r, unsigned line, struct buf *to)
{
	static const enum sum bytes[] = {SUM_REAL, SUM_REQUESTED};
	bool counted = line < DOMAINS, others = false;
	unsigned domain = line % DOMAINS;
	const struct tally_sums *s = counted ? &r->domains[domain] : &r->other_domains[domain];
	const char *name = domain_name(domain);

	for (size_t d = 0; d < DOMAINS; d++)
		others |= r->other_domains[d].v[SUM_ENTRIES] != 0;
	if (!others || !s->v[SUM_ENTRIES])
		return false;
	buf_addf(to, "%scounted: %" PRIu64 " record%s of domain %s", counted ? "" : "not ",
		 s->v[SUM_ENTRIES], plural_s(s->v[SUM_ENTRIES]), name);
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		if (s->has >> bytes[i] & 1) {
			buf_adds(to, ", ");
			/* The domain that counts may have none of it. */
			add_value(to, &r->known,
				  r->known.state[bytes[i]] ? bytes[i] : SUM_REQUESTED,
				  s->v[bytes[i]], bytes[i]);
			buf_addf(to, " %s", metric_table[bytes[i]].title);
		}
	buf_addf(to, " (--domain %s)", name);
	return true;
}

const char *nothing_left(bool filters, bool ranges)
{
	return filters && ranges ? "none: the filters and the ranges leave nothing"
	       : filters         ? "none: the filters leave nothing"
	       : ranges          ? "none: the ranges leave nothing"
				 : "none: the captures have no such data";
}

const char *group_nothing(const struct grouped_profile *p)
{
	const struct tally_selection *s = p->options.selection;

	return nothing_left(filters_any(p->options.filters), s && !selection_all(s));
}

static void left_out(struct lines *l, const struct grouped_profile *p, enum sum sort,
		     const char *word)
{
	if (filters_any(p->options.filters) &&
	    (p->now.all.v[SUM_ENTRIES] != p->now.unfiltered.v[SUM_ENTRIES] ||
	     p->now.all.v[sort] != p->now.unfiltered.v[sort])) {
		buf_addf(&l->b, "filters kept %" PRIu64 " of %" PRIu64 " record%s",
			 p->now.all.v[SUM_ENTRIES], p->now.unfiltered.v[SUM_ENTRIES],
			 plural_s(p->now.unfiltered.v[SUM_ENTRIES]));
		if (p->now.unfiltered.v[sort] && sort != SUM_ENTRIES) {
			buf_addf(&l->b, ", %s ", word);
			add_value(&l->b, &p->now.known, sort, p->now.all.v[sort], sort);
			buf_adds(&l->b, " of ");
			add_value(&l->b, &p->now.known, sort, p->now.unfiltered.v[sort], sort);
			buf_adds(&l->b, " (");
			add_percent(&l->b, p->now.all.v[sort], p->now.unfiltered.v[sort]);
			buf_adds(&l->b, "): shares are of the kept part");
		}
		end_line(l);
	}
	for (unsigned d = 0; d < DOMAIN_NOTES; d++)
		if (domain_note(&p->now, d, &l->b))
			end_line(l);
}

/* Of any row, from its bytes alone: sampled.h. */
static void sampled(struct lines *l, const struct profile_totals *t, unsigned sums)
{
	if (!t->interval)
		return;
	buf_adds(&l->b, "sampled, a point in ");
	size_text(&l->b, t->interval);
	buf_adds(&l->b, ": the standard error (give or take) of bytes is at most the root of their "
			"product with ");
	size_text(&l->b, t->interval);
	buf_adds(&l->b, "; a missing row has less than ");
	size_text(&l->b, sampled_nothing(t->interval));
	if (t->least)
		buf_addf(&l->b, " of blocks of at least %" PRIu64 " byte%s", t->least,
			 plural_s(t->least));
	buf_adds(&l->b, ", with a confidence of 95 %");
	end_line(l);
	if (sums & SUMS_PEAK) {
		buf_adds(&l->b, "peak: the largest of many estimates: tends to be too high; "
				"the standard error is no limit of this");
		end_line(l);
	}
}

static void least_block(struct lines *l, const struct profile_totals *t)
{
	if (!t->least)
		return;
	buf_addf(&l->b,
		 "blocks below %" PRIu64 " byte%s were not recorded: sums are lower bounds%s",
		 t->least, plural_s(t->least), t->interval ? ", besides estimates" : "");
	end_line(l);
}

static void frames(struct lines *l, const struct grouped_profile *p, size_t grouping, enum sum sort,
		   const char *word)
{
	if (!p->now.frames) {
		if (p->groupings[grouping].key.by == KEY_FRAME) {
			buf_adds(
			    &l->b,
			    p->options.selection && !selection_all(p->options.selection)
				? "frames: none begins in the selection"
				: "frames: the captures mark none, so all is before the first");
			end_line(l);
		}
		return;
	}
	buf_addf(&l->b, "frames: %" PRIu64, p->now.frames);
	if (p->now.early)
		buf_adds(&l->b, "; frame marks come late, so see --by frame for the worst");
	/* A frame's sums are taken before any filter. */
	if (sort <= SUM_REAL && p->now.worst[sort].v[sort] && !filters_any(p->options.filters)) {
		buf_addf(&l->b, "; worst: frame %" PRId64 " with %s ", p->now.worst[sort].number,
			 word);
		add_value(&l->b, &p->now.known, sort, p->now.worst[sort].v[sort], sort);
	}
	end_line(l);
}

/* Of sums that the table does not show there is nothing to say. */
static struct profile_known known_of(const struct profile_known *k, unsigned sums)
{
	struct profile_known known = *k;

	for (enum sum s = 0; s < SUMS; s++)
		if (!(sums >> s & 1)) {
			known.state[s] = METRIC_ABSENT;
			known.unknown_reason[s] = UNKNOWN_NOT_ASKED;
		}
	return known;
}

static void crashes(struct lines *l, const struct grouped_profile *p)
{
	const char *line = p->crashes.data, *end, *stop = line ? line + p->crashes.len : NULL;

	for (; line && line < stop && (end = memchr(line, '\n', (size_t)(stop - line)));
	     line = end + 1) {
		buf_add(&l->b, line, (size_t)(end - line));
		end_line(l);
	}
}

void top_notes(const struct grouped_profile *p, size_t grouping, enum sum sort, unsigned sums,
	       bool frames_shown, struct arena *arena, struct table *table)
{
	struct lines l = {.arena = arena, .table = table};
	struct profile_known known = known_of(&p->now.keys[grouping].known, sums);

	group_notes_coverage(&l, p, grouping, sort, metric_title(p, sort));
	if (p->groupings[grouping].key.by != KEY_TYPE && nameless_note(&p->now, &l.b))
		end_line(&l);
	several_peaks(&l, &p->now, sort);
	crashes(&l, p);
	if (!frames_shown)
		frames(&l, p, grouping, sort, metric_title(p, sort));
	left_out(&l, p, sort, metric_title(p, sort));
	sampled(&l, &p->now.totals, known_sums(&p->now.keys[grouping].known));
	least_block(&l, &p->now.totals);
	inexact_sums(&l, p, &known);
	unrecorded_sums(&l, &known);
	unknown_times(&l, &p->now, &known);
	scripts(&l, p, sums);
	group_notes_unknown_sums(&l, p, &known);
	unknown_of_blocks(&l, &p->now.keys[grouping].known, UNKNOWN_UNIDENTIFIED,
			  "a free in the capture names a size and a stack, not a block (heaptrack "
			  "--raw keeps the blocks)");
	unknown_of_blocks(&l, &p->now.keys[grouping].known, UNKNOWN_RETURNED,
			  "frame numbers go back: frames of the range come again behind others, "
			  "whose frees do not count (--time chooses one part of the run)");
	unknown_of_blocks(&l, &p->now.keys[grouping].known, UNKNOWN_UNORDERED,
			  "the events of the capture are in no order");
	for (enum sum s = 0; s < SUMS; s++)
		if (sum_is_full(s, p->now.unfiltered.v[s])) {
			buf_addf(&l.b, "%s: more than 64 bits can hold", metric_title(p, s));
			end_line(&l);
		}
	buf_release(&l.b);
}
