/* SPDX-License-Identifier: MIT */
#include "lib/group/metric.h"

#include "lib/base/arena.h"

#include "lib/group/grouped_profile.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define SORT_WORD(name, number, word, title, key, unit, family, join, rank, lists, ...) \
	METRIC_LISTED_##lists(word)
#define SORT_SUM(name, number, word, title, key, unit, family, join, rank, lists, ...) \
	METRIC_LISTED_##lists(SUM_##name)
#define SORT_GROUP_WORD(name, word) word,
#define SORT_GROUP(name, word) SORT_##name,
/* clang-format on */

const char *const sort_words[] = {"auto", METRIC_ROWS(SORT_WORD, SORT_GROUP_WORD) NULL};
static const int sorts[] = {SORT_AUTO, METRIC_ROWS(SORT_SUM, SORT_GROUP)};

enum sum sort_family(int sort)
{
	static const enum sum firsts[] = {SUM_LIVE_COUNT, SUM_FREED_COUNT, SUM_PEAK_COUNT};

	return firsts[sort - SORT_LIVE];
}

int sort_of(int word)
{
	return sorts[word];
}

unsigned sort_wants(int sort)
{
	switch (sort) {
	case SORT_AUTO: return 0;
	case SORT_LIVE: return SUMS_LIVE;
	case SORT_FREED: return SUMS_FREED;
	case SORT_PEAK: return SUMS_PEAK;
	default: return metric_wants((enum sum)sort);
	}
}

enum status metrics_parse(const char *text, unsigned *sums, struct err *e)
{
	*sums = SUM_BIT(SUM_ENTRIES);
	for (const char *end; *text; text = end + (*end == ',')) {
		size_t n, i;

		end = strchrnul(text, ',');
		n = (size_t)(end - text);
		if (n == 3 && !memcmp(text, "all", 3)) {
			*sums = SUMS_ALL;
			continue;
		}
		for (i = 1; sort_words[i]; i++)
			if (strlen(sort_words[i]) == n && !memcmp(sort_words[i], text, n))
				break;
		if (!sort_words[i])
			return err_set(e, ST_BAD, "'%.*s' is not a metric",
				       (int)(n < 100 ? n : 100), text);
		*sums |= sort_wants(sorts[i]);
	}
	return ST_OK;
}

enum sum sort_first(unsigned known)
{
	enum sum first = SUM_ENTRIES;

	for (enum sum s = 0; s < SUMS; s++)
		if (known >> s & 1 && metric_table[s].rank &&
		    metric_table[s].rank < metric_table[first].rank)
			first = s;
	return first;
}

enum sum sort_first_valued(unsigned known, unsigned valued)
{
	enum sum s = sort_first(known & valued);

	return s != SUM_ENTRIES ? s : sort_first(known);
}

unsigned known_sums(const struct profile_known *k)
{
	unsigned known = 0;

	for (unsigned s = 0; s < SUMS; s++)
		known |= profile_knows(k, s) ? SUM_BIT(s) : 0;
	return known;
}

unsigned sums_there(const struct profile *r, const struct profile_known *k)
{
	unsigned has = r->all.has;

	if (has >> SUM_TIME_TOTAL & has >> SUM_CALLS & 1)
		has |= SUM_BIT(SUM_TIME_MEAN);
	/* Of several events there is no sum of everything, but of each. */
	if (has && r->known.unknown_reason[SUM_PERIOD] == UNKNOWN_MIXED)
		has |= SUM_BIT(SUM_PERIOD);
	return known_sums(k) & (has ? has : ~0u);
}

/* Rows may still differ in what adds up to nothing: signed sums. */
static enum sum first_there(const struct profile *r, const struct profile_known *k)
{
	unsigned there = sums_there(r, k), more = 0;

	/* A pool does not say real bytes: what all say goes before what some do. */
	if (there >> SUM_REQUESTED & 1 && *metric_mark(k, SUM_REAL) &&
	    !*metric_mark(k, SUM_REQUESTED))
		there &= ~SUM_BIT(SUM_REAL);
	for (unsigned s = 0; s < SUMS; s++)
		if (there >> s & 1 && (r->all.v[s] || sum_is_signed(s)))
			more |= SUM_BIT(s);
	return sort_first(more ? more : there);
}

/* The capture has frees, but not which of the selected blocks they end. */
static bool is_unidentified(unsigned why)
{
	return why == UNKNOWN_UNIDENTIFIED || why == UNKNOWN_RETURNED;
}

enum status sort_choose(const struct profile *r, const struct profile_known *k, int sort,
			const char *key, enum sum *to, struct err *e)
{
	if (sort == SORT_LIVE && r->captures && !profile_knows(k, SUM_LIVE_REAL) &&
	    !profile_knows(k, SUM_LIVE_REQUESTED) &&
	    k->unknown_reason[SUM_LIVE_REAL] != UNKNOWN_PER_FRAME &&
	    !is_unidentified(k->unknown_reason[SUM_LIVE_COUNT]))
		return err_set(e, ST_UNSUPPORTED,
			       "the captures do not record how many bytes are live");
	if (sort >= SORT_LIVE) {
		enum sum s = sort_family(sort);
		bool real = profile_knows(k, s + 2) || (!profile_knows(k, s + 1) &&
							!is_unidentified(k->unknown_reason[s + 1]));

		/* What all blocks have goes before what some do. */
		real &=
		    !(profile_knows(k, s + 1) && *metric_mark(k, s + 2) && !*metric_mark(k, s + 1));
		sort = (int)(real ? s + 2 : s + 1);
	}
	if (sort == SORT_AUTO)
		sort = (int)first_there(r, k);
	*to = (enum sum)sort;
	if (profile_knows(k, *to) || !r->captures)
		return ST_OK;
	switch (k->unknown_reason[sort]) {
	case UNKNOWN_PER_TYPE:
		return err_set(
		    e, ST_UNSUPPORTED,
		    "the captures know %s bytes per type only (--by type): they cannot be "
		    "sorted by it per %s",
		    metric_table[sort].title, key);
	case UNKNOWN_FILTERED:
		return err_set(
		    e, ST_UNSUPPORTED,
		    "the captures know %s bytes per type only: no filter on stacks applies "
		    "to them",
		    metric_table[sort].title);
	case UNKNOWN_UNRECORDED:
		return err_set(e, ST_UNSUPPORTED, "'%s' is not recorded for these %s",
			       metric_table[sort].title,
			       sort == SUM_PERIOD ? "samples" : "blocks (domain, filters)");
	case UNKNOWN_UNIDENTIFIED:
		return err_set(e, ST_UNSUPPORTED,
			       "'%s' is not known: a free in the capture names a size and a stack, "
			       "not a block (heaptrack --raw keeps the blocks)",
			       metric_table[sort].title);
	case UNKNOWN_RETURNED:
		return err_set(e, ST_UNSUPPORTED,
			       "'%s' is not known: frame numbers go back, and frames of the range "
			       "come again behind others, whose frees do not count (--time chooses "
			       "one part of the run)",
			       metric_table[sort].title);
	case UNKNOWN_UNORDERED:
		return err_set(e, ST_UNSUPPORTED,
			       "'%s' is not known: the events of the capture are in no order",
			       metric_table[sort].title);
	case UNKNOWN_MIXED:
		if (sort == SUM_TIME_TOTAL)
			return err_set(
			    e, ST_UNSUPPORTED,
			    "the times are of samples: a %s has no total time (--by site, "
			    "--tree)",
			    key);
		if (sort == SUM_TIME_MEAN)
			return err_set(e, ST_UNSUPPORTED,
				       "some of the time is of samples or of parts of calls: there "
				       "is no mean time");
		return err_set(
		    e, ST_UNSUPPORTED,
		    "the periods are of several events, which do not add up: --by type has "
		    "each, --type one of them");
	case UNKNOWN_PER_FRAME:
		if (SUMS_TIME >> sort & 1)
			return err_set(
			    e, ST_UNSUPPORTED,
			    "a call may last for several frames: --sort self-time is what "
			    "passed in each");
		return err_set(e, ST_UNSUPPORTED,
			       "live values belong to moments, not to frames: use tm-frames");
	default:
		return err_set(e, ST_UNSUPPORTED, "the captures have no metric '%s'%s",
			       metric_table[sort].title,
			       sort == SUM_COUNT ? " (number of allocations); they have entries"
						 : "");
	}
}

enum column_type metric_type(enum sum s)
{
	return metric_table[s].unit == SUM_BYTES ? COLUMN_BYTES
	       : metric_table[s].unit == SUM_NS  ? COLUMN_TIME
						 : COLUMN_INT;
}

const char *metric_mark(const struct profile_known *k, enum sum s)
{
	bool part = k->least && !(SUMS_MEASURED >> s & 1);

	return k->state[s] == METRIC_ESTIMATED ? (part ? ">=~" : "~")
	       : k->state[s] == METRIC_LOWER_BOUND ||
		       (k->unknown_reason[s] && k->unknown_reason[s] != UNKNOWN_NOT_ASKED)
		   ? ">="
		   : "";
}

const char *metric_title_mark(const struct profile_known *k, enum sum s)
{
	return k->state[s] == METRIC_ESTIMATED ? " ~" : "";
}

enum { EVENT_NAME_MOST = 40 };

/* A title is a program's own word: of a file's words those that look like an event's name, as of perf and of callgrind. */
static bool is_event_name(const char *s, size_t n)
{
	if (!n || n > EVENT_NAME_MOST)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((s[i] < '0' || s[i] > '9') && ((s[i] | 32) < 'a' || (s[i] | 32) > 'z') &&
		    !(s[i] && strchr("-_.:/", s[i])))
			return false;
	return true;
}

/* What follows `before`, where that is an event's name; else NULL. */
static const char *event_name(const char *s, const char *before)
{
	size_t skip = strlen(before);

	if (!s || strncmp(s, before, skip) != 0)
		return NULL;
	return is_event_name(s + skip, strlen(s) - skip) ? s + skip : NULL;
}

const char *metric_event_title(enum sum s, const char *sampling, const char *period)
{
	const char *name = NULL;

	if (s == SUM_SAMPLES) /* what a unit of samples says: none where samples are samples */
		name = event_name(sampling, TRACE_SAMPLES_IN);
	else if (s == SUM_PERIOD)
		name = event_name(period, "");
	if (!name)
		return metric_table[s].title;
	return s == SUM_SAMPLES && !strcmp(name, "millionths") ? "samples (millionths)" : name;
}

static const char *text_of(const struct grouped_profile *p, uint32_t id)
{
	return id && id != PROFILE_MIXED ? intern_text(&p->names.strings, id, NULL) : NULL;
}

const char *metric_title(const struct grouped_profile *p, enum sum s)
{
	return metric_event_title(s, text_of(p, p->now.sampling), text_of(p, p->now.period[0]));
}

static const char *joined(struct arena *to, const char *x, const char *y, const char *z)
{
	char text[128];
	int n = snprintf(text, sizeof text, "%s%s%s", x, y, z);

	return arena_strndup(to, text, (size_t)n);
}

const char *metric_heading(struct arena *to, const struct grouped_profile *p, enum sum s)
{
	const char *title = metric_title(p, s);
	const char *event = event_name(text_of(p, p->now.period[0]), "");
	/* Samples of a clock have times and no periods; of a capture without periods nothing is known here. */
	bool all_of_it = p->now.captures == 1 && !(p->now.all.has >> SUM_TIME_SELF & 1);
	char text[EVENT_NAME_MOST + 16];
	int n;

	if (s != SUM_SAMPLES || title != metric_table[s].title || !event || !all_of_it)
		return title;
	n = snprintf(text, sizeof text, "samples of %s", event);
	return arena_strndup(to, text, (size_t)n);
}

struct metric_titles metric_titles(struct arena *to, const struct grouped_profile *p,
				   const struct profile_known *k, enum sum s)
{
	const char *title = metric_title(p, s);
	const char *name = s == SUM_TIME_SELF ? "time" : title;
	const char *mark = metric_title_mark(k, s);

	return (struct metric_titles){.self = joined(to, name, mark, " self"),
				      .total = joined(to, name, mark, " total"),
				      .total_key = joined(to, "total_", metric_table[s].key, ""),
				      .plain = joined(to, title, mark, "")};
}

struct table_cell metric_cell(const struct tally_sums *s, unsigned has, enum sum sum)
{
	struct table_cell none = {.present = false};

	if (sum == SUM_TIME_MEAN && has >> SUM_TIME_TOTAL & has >> SUM_CALLS & 1)
		return s->v[SUM_CALLS]
			   ? cell_number(mean_rounded(s->v[SUM_TIME_TOTAL], s->v[SUM_CALLS]))
			   : none;
	if (!(has >> sum & 1))
		return none;
	if (sum_is_signed(sum))
		return cell_signed((int64_t)s->v[sum]);
	if (sum == SUM_LIFETIME)
		return s->v[SUM_TIMED] ? cell_number(mean_rounded(s->v[sum], s->v[SUM_TIMED]))
				       : none;
	return cell_number(s->v[sum]);
}

struct table_cell metric_share(const struct tally_sums *s, unsigned has,
			       const struct tally_sums *whole, enum sum sum)
{
	struct table_cell none = {.present = false};

	if (!(has >> sum & 1) || sum == SUM_LIFETIME)
		return none;
	if (sum_is_signed(sum) && ((int64_t)s->v[sum] < 0 || (int64_t)whole->v[sum] <= 0))
		return none;
	return cell_share(s->v[sum], whole->v[sum]);
}
