/* SPDX-License-Identifier: MIT */
#include "lib/report/top/overview.h"

#include "lib/base/text.h"

#include "lib/group/metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add_rate(struct buf *b, const char *mark, uint64_t n, uint64_t ns)
{
	double rate = (double)n / ((double)ns / 1e9);

	buf_addf(b, " (%s", mark);
	if (rate >= 1e6)
		buf_addf(b, "%.1f million a second)", rate / 1e6);
	else if (rate >= 1e3)
		buf_addf(b, "%.1f thousand a second)", rate / 1e3);
	else
		buf_addf(b, rate < 10 ? "%.2g a second)" : "%.0f a second)", rate);
}

/* The standard error of a number of blocks, or of bytes, behind their unit. */
static void add_error(struct buf *b, const struct profile_totals *t, double variance, bool bytes)
{
	if (!t->interval || !(variance > 0))
		return;
	buf_adds(b, " (give or take ");
	if (bytes)
		size_text(b, (uint64_t)fmin(sqrt(variance), 0x1p63));
	else
		buf_addf(b, "%.0f", sqrt(variance));
	buf_addc(b, ')');
}

static void add_least(struct buf *b, const struct profile_totals *t)
{
	if (t->least)
		buf_addf(b, " of blocks of at least %" PRIu64 " byte%s", t->least,
			 plural_s(t->least));
}

static void add_plural(struct buf *b, const struct profile_totals *t, uint64_t n, double variance,
		       const char *word)
{
	buf_addf(b, "%" PRIu64 " %s%s", n, word, plural_s(n));
	add_error(b, t, variance, false);
}

static unsigned variance_of(const struct profile_totals *t)
{
	return t->bytes == SUM_REAL ? 2 : 1;
}

/* What is asked for in the table is nothing to the summary. */
static const char *mark(const struct profile *r, enum sum s)
{
	return metric_mark(&r->totals.known, s);
}

/* Whether it is known how many there were; a record may be a sum of blocks. */
static bool counts_blocks(const struct profile *r)
{
	return r->totals.known.unknown_reason[SUM_COUNT] != UNKNOWN_ABSENT;
}

static uint64_t overview_allocations(const struct profile *r)
{
	const struct tally_sums *all = &r->totals.all;

	return all->v[all->has >> SUM_COUNT & 1 ? SUM_COUNT : SUM_ENTRIES];
}

static void overview_describe_run(struct buf *b, const struct profile *r)
{
	const struct profile_totals *t = &r->totals;
	uint64_t n = overview_allocations(r);

	if (counts_blocks(r)) {
		buf_adds(b, mark(r, SUM_COUNT));
		add_plural(b, t, n, t->all_variance.v[0], "allocation");
	}
	if (t->all.has >> t->bytes & 1) {
		buf_addf(b, "%s%s", b->len ? ", " : "", mark(r, (enum sum)t->bytes));
		size_text(b, t->all.v[t->bytes]);
		add_error(b, t, t->all_variance.v[variance_of(t)], true);
		buf_adds(b, counts_blocks(r) ? "" : " allocated");
	}
	add_least(b, t);
	if (r->timed == r->captures && r->duration) {
		buf_adds(b, " in ");
		time_text(b, r->duration);
		if (counts_blocks(r))
			add_rate(b, mark(r, SUM_COUNT), n, r->duration);
		if (r->spans && r->begin >= 0) {
			buf_adds(b, ", from ");
			time_text(b, (uint64_t)r->begin);
			buf_adds(b, " to ");
			time_text(b, (uint64_t)r->end);
		}
	}
	if (t->threads > 1)
		buf_addf(b, ", %s%" PRIu64 " threads", t->interval || t->least ? ">=" : "",
			 t->threads);
	if (r->captures > 1)
		buf_addf(b, ", %" PRIu64 " captures", r->captures);
}

static void overview_describe_memory(struct buf *b, const struct profile *r)
{
	const struct profile_totals *t = &r->totals;
	enum sum live = t->bytes == SUM_REAL ? SUM_LIVE_REAL : SUM_LIVE_REQUESTED;
	const char *bytes = mark(r, live);
	uint64_t n = overview_allocations(r);
	struct table_column percent = {.type = COLUMN_PERCENT};
	struct table_cell share = cell_share(t->temporary, n);

	buf_addf(b, "peak %s", t->about && *bytes != '>' ? "~" : bytes);
	size_text(b, t->peak);
	if (r->captures > 1) {
		buf_addf(b, " (the largest of %" PRIu64 " captures)", r->captures);
	} else if (t->peak_at >= 0) {
		buf_adds(b, " after ");
		time_text(b, (uint64_t)t->peak_at);
	}
	if (t->interval)
		buf_adds(b, " (the largest of many estimates: tends to be too high)");
	buf_addf(b, "; live at the end %s", bytes);
	size_text(b, t->live);
	add_error(b, t, t->live_variance.v[variance_of(t)], true);
	if (t->interval && !t->live_count) {
		buf_adds(b, " (95 %: less than ");
		size_text(b, sampled_nothing(t->interval));
		add_least(b, t);
		buf_addc(b, ')');
	}
	if (t->has_blocks) {
		buf_addf(b, " in %s", mark(r, SUM_LIVE_COUNT));
		add_plural(b, t, t->live_count, t->live_variance.v[0], "block");
	}
	if (share.present && t->has_temporary) {
		buf_addf(b, "; %s", mark(r, SUM_TEMPORARY));
		cell_for_people(b, &percent, &share, false);
		buf_adds(b, " temporary");
	}
}

bool overview_make(const struct grouped_profile *p, struct top_overview *o)
{
	const struct profile *r = &p->now;
	struct buf b = BUF_INIT;

	if (!r->totals.captures || r->totals.captures != r->captures || !r->totals.peak)
		return false;
	overview_describe_run(&b, r);
	snprintf(o->run, sizeof o->run, "%s", buf_str(&b));
	b.len = 0;
	if (!r->totals.unidentified)
		overview_describe_memory(&b, r);
	snprintf(o->memory, sizeof o->memory, "%s", buf_str(&b));
	buf_release(&b);
	return true;
}

static void add_error_number(struct table_document *d, const char *key, enum column_type type,
			     double variance)
{
	if (variance > 0)
		document_number(d, key, type, 0,
				cell_number((uint64_t)fmin(sqrt(variance) + 0.5, 0x1p63)));
}

static void add_error_numbers(const struct profile_totals *t, struct table_document *d)
{
	unsigned bytes = variance_of(t);

	if (t->least)
		document_number(d, "least_block", COLUMN_BYTES, 0, cell_number(t->least));
	if (!t->interval)
		return;
	document_number(d, "sample_interval", COLUMN_BYTES, 0, cell_number(t->interval));
	add_error_number(d, "allocations_error", COLUMN_INT, t->all_variance.v[0]);
	add_error_number(d, bytes == 2 ? "real_error" : "requested_error", COLUMN_BYTES,
			 t->all_variance.v[bytes]);
	add_error_number(d, "peak_error", COLUMN_BYTES, (double)t->peak * (double)t->interval);
	add_error_number(d, "live_error", COLUMN_BYTES, t->live_variance.v[bytes]);
	add_error_number(d, "live_blocks_error", COLUMN_INT, t->live_variance.v[0]);
	if (!t->live_count)
		document_number(d, "live_at_most", COLUMN_BYTES, 0,
				cell_number(sampled_nothing(t->interval)));
}

static bool add_duration(const struct profile *r, struct table_document *d)
{
	if (!r->captures || r->timed != r->captures || !r->duration)
		return false;
	document_number(d, "duration_ns", COLUMN_TIME, 0, cell_number(r->duration));
	return true;
}

static void add_start(const struct profile *r, struct table_document *d)
{
	if (r->spans)
		document_number(d, "start_ns", COLUMN_TIME, 0, cell_signed(r->begin));
}

void overview_span(const struct grouped_profile *p, struct table_document *d)
{
	add_duration(&p->now, d);
	add_start(&p->now, d);
}

void overview_numbers(const struct grouped_profile *p, struct table_document *d)
{
	static const char *const peaks[] = {"peak_requested", "peak_real"};
	static const char *const lives[] = {"live_requested", "live_real"};
	const struct profile *r = &p->now;
	const struct profile_totals *t = &r->totals;
	enum sum bytes = (enum sum)r->totals.bytes;
	bool real = bytes == SUM_REAL;
	uint64_t n = overview_allocations(r);

	if (counts_blocks(r))
		document_number(d, "allocations", COLUMN_INT, 0, cell_number(n));
	if (t->all.has >> bytes & 1)
		document_number(d, metric_table[bytes].key, COLUMN_BYTES, 0,
				cell_number(t->all.v[bytes]));
	if (add_duration(r, d) && counts_blocks(r))
		document_number(
		    d, "allocations_per_second", COLUMN_NUMBER, 3,
		    cell_number((uint64_t)((double)n * 1e12 / (double)r->duration + 0.5)));
	if (t->threads)
		document_number(d, "threads", COLUMN_INT, 0, cell_number(t->threads));
	document_number(d, "captures", COLUMN_INT, 0, cell_number(r->captures));
	add_start(r, d);
	if (t->unidentified) {
		add_error_numbers(t, d);
		return;
	}
	document_number(d, peaks[real], COLUMN_BYTES, 0, cell_number(t->peak));
	if (r->captures == 1 && t->peak_at != INT64_MIN)
		document_number(d, "peak_at_ns", COLUMN_TIME, 0, cell_signed(t->peak_at));
	document_number(d, lives[real], COLUMN_BYTES, 0, cell_number(t->live));
	if (t->has_blocks)
		document_number(d, "live_blocks", COLUMN_INT, 0, cell_number(t->live_count));
	if (t->has_temporary) {
		document_number(d, "temporary_blocks", COLUMN_INT, 0, cell_number(t->temporary));
		document_number(d, "temporary_percent", COLUMN_PERCENT, 0,
				cell_share(t->temporary, n));
	}
	add_error_numbers(t, d);
	if (t->interval)
		document_fact(d, "peak_bias",
			      "the largest of many estimates: tends to be too high");
}
