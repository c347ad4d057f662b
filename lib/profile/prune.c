/* SPDX-License-Identifier: MIT
 *
 * Pruning of aggregates: rows below a bound are left out, and counted.
 */
#include "lib/base/num.h"
#include "lib/profile/merge.h"
#include "lib/profile/read.h"

#include <inttypes.h>
#include <string.h>

enum status aggregate_prune_parse(struct aggregate_prune *p, const char *text, struct err *e)
{
	const char *colon = strchr(text, ':'), *value = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0, len = strlen(value);
	enum sum s = SUMS;
	int64_t ns;

	*p = (struct aggregate_prune){.sum = -1};
	if (colon) {
		s = metric_of_word(text, n);
		if (s == SUMS || sum_is_mean(s))
			return err_set(e, ST_BAD, "'%.*s' is not a metric", (int)n, text);
		p->sum = (int)s;
	}
	if (colon && metric_table[s].unit == SUM_NS) {
		if (num_time(value, len, &ns) && ns >= 0) {
			p->below = (uint64_t)ns;
			return ST_OK;
		}
	} else if (num_size(value, len, &p->below)) {
		return ST_OK;
	}
	return err_set(e, ST_BAD,
		       "'%s' is not a limit such as 4KiB, requested:1MiB or self-time:2ms", text);
}

static uint64_t size_of(const struct aggregate_value *v)
{
	__int128 s = v->sum < 0 ? -v->sum : v->sum;

	return s > UINT64_MAX ? UINT64_MAX : (uint64_t)s;
}

/* What nothing is known of in that metric stays. */
static bool is_small(const struct aggregate_record *r, const struct aggregate_prune *p)
{
	static const enum sum best[] = {SUM_REAL,  SUM_REQUESTED, SUM_TIME_SELF,
					SUM_COUNT, SUM_SAMPLES,   SUM_PERIOD,
					SUM_CALLS, SUM_LUA_NET,   SUM_MONO_NET};
	int sum = p->sum;
	uint64_t self, total;

	for (size_t i = 0; sum < 0 && i < sizeof best / sizeof *best; i++)
		if (r->has >> best[i] & 1 || r->has >> (AGG_TOTAL + best[i]) & 1)
			sum = (int)best[i];
	if (sum < 0 || !(r->has >> sum & 1 || r->has >> (AGG_TOTAL + sum) & 1))
		return false;
	self = r->has >> sum & 1 ? size_of(&r->values[sum]) : 0;
	total = r->has >> (AGG_TOTAL + sum) & 1 ? size_of(&r->values[AGG_TOTAL + sum]) : 0;
	return self < p->below && total < p->below;
}

enum status aggregate_prune(struct aggregate_reader *r, struct aggregate_prune *p,
			    struct aggregate_writer *to, struct err *e)
{
	struct aggregate_record rec = {.has = 0}, rest[KEYS] = {{.has = 0}};
	enum status st;

	while (!(st = aggregate_reader_record(r, &rec, e))) {
		enum key by = rec.key.by;

		if (rec.key.kind == AGG_ROW && is_small(&rec, p)) {
			struct tally_sums self = aggregate_sums_of(&rec, 0);

			for (unsigned i = 0; i < SUMS; i++)
				if (rec.has >> i & 1)
					aggregate_value_join(aggregate_record_make(&rest[by], i),
							     &rec.values[i]);
			p->lost[by].entities++;
			p->lost[by].parts = add_saturating(p->lost[by].parts, rec.parts);
			sums_add(&p->lost[by].sums, &self);
			continue;
		}
		if (rec.key.kind == AGG_KEY && p->lost[by].entities) {
			for (unsigned i = 0; i < SUMS; i++)
				if (rest[by].has >> i & 1)
					aggregate_value_join(aggregate_record_make(&rec, i),
							     &rest[by].values[i]);
			rec.counts[1] = add_saturating(rec.counts[1], p->lost[by].entities);
			rec.counts[2] = add_saturating(rec.counts[2], p->lost[by].parts);
			aggregate_writer_record(to, &rec);
			continue;
		}
		aggregate_writer_add(to, r->key.data, r->key.len, r->known, r->n_known);
	}
	aggregate_record_release(&rec);
	for (size_t k = 0; k < KEYS; k++)
		aggregate_record_release(&rest[k]);
	return st == ST_NONE ? ST_OK : st;
}

void aggregate_lost_text(struct buf *b, const struct tally_sums *lost)
{
	for (unsigned i = 0; i < SUMS; i++)
		if (lost->has >> i & 1 && lost->v[i] && !sum_is_mean(i) && i != SUM_TIMED) {
			buf_addf(b, "%s%s ", b->len ? ", " : "", metric_table[i].title);
			if (sum_is_signed(i))
				buf_addf(b, "%" PRId64, (int64_t)lost->v[i]);
			else
				buf_add_u64(b, lost->v[i]);
		}
}
