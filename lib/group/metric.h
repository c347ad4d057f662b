/* SPDX-License-Identifier: MIT
 *
 * Metrics as users name them (--sort, --metrics), and as cells of a table.
 */
#ifndef TM_GROUP_METRIC_H
#define TM_GROUP_METRIC_H

#include "lib/profile/profile.h"
#include "lib/table/table.h"

struct arena;
struct grouped_profile;

/* Sort orders in addition to the sums: the best available sum of several. */
enum {
	SORT_AUTO =
	    -1, /* the first with a value: self time, real, requested, count, net, calls... */
	SORT_LIVE = SUMS, /* bytes, real ones if there are; as are the next */
	SORT_FREED,
	SORT_PEAK
};

extern const char *const sort_words[]; /* "auto", "count", ...; ends with NULL */
int sort_of(int word);                 /* an index of sort_words -> enum sum or SORT_ */
/* Of SORT_LIVE and the like: the count; the next two are requested and real bytes. */
enum sum sort_family(int sort);
/* The SUM_BITs that a --sort needs. */
unsigned sort_wants(int sort);
/* "count,live,slack" or "all" -> SUM_BITs. ST_BAD: names the word. */
enum status metrics_parse(const char *text, unsigned *sums, struct err *e);

/* The sum to rank by; one that is not known is ST_UNSUPPORTED, with the reason. key: "site". */
enum status sort_choose(const struct profile *r, const struct profile_known *k, int sort,
			const char *key, enum sum *to, struct err *e);

/* The first of what SORT_AUTO can mean that is among these bits of sums. */
enum sum sort_first(unsigned known);
/* The same of those that are not 0 everywhere; where none of them is one to sort by, of all. */
enum sum sort_first_valued(unsigned known, unsigned valued);
unsigned known_sums(const struct profile_known *k);
/* Of what is known at a key, what a record has that is counted: a capture may know real bytes of
 * one domain and not of another. All of it where nothing is counted. */
unsigned sums_there(const struct profile *r, const struct profile_known *k);

enum column_type metric_type(enum sum s);
/* ">=", "~", ">=~" (of a part) or "": before a number in a sentence, a lower bound, an estimate, or exact. */
const char *metric_mark(const struct profile_known *k, enum sum s);
/* " ~" or "": after the heading of a column. Lower bounds have a line below the table (group_notes). */
const char *metric_title_mark(const struct profile_known *k, enum sum s);
/* A sum's title. What counts one event is called as the event is: samples of a capture that counts nothing else ("Ir"),
 * and the events that samples stand for ("cycles"). The texts are a profile's, or NULL; the title lives as long. */
const char *metric_event_title(enum sum s, const char *sampling, const char *period);
/* In a table of p. */
const char *metric_title(const struct grouped_profile *p, enum sum s);
/* In a heading, which has no column of events beside it: "samples of cycles"; in the arena, or as metric_title. */
const char *metric_heading(struct arena *to, const struct grouped_profile *p, enum sum s);
/* Of the columns self and total of a sum, as reports of trees and of places have them; in the arena. */
struct metric_titles {
	const char *self, *total, *total_key; /* the key of self is the sum's own */
	const char *plain;                    /* of a table with one column of it */
};
struct metric_titles metric_titles(struct arena *to, const struct grouped_profile *p,
				   const struct profile_known *k, enum sum s);
/* has: bits of what is known; means are worked out here. */
struct table_cell metric_cell(const struct tally_sums *s, unsigned has, enum sum sum);
/* Blank for what does not add up to a whole: means, signed sums below 0. */
struct table_cell metric_share(const struct tally_sums *s, unsigned has,
			       const struct tally_sums *whole, enum sum sum);

#endif
