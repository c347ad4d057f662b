/* SPDX-License-Identifier: MIT
 *
 * Frames from an aggregate: a row per number of a frame.
 */
#include "lib/base/mem.h"
#include "lib/profile/read.h"
#include "lib/report/frames/frames.h"

#include <stdlib.h>
#include <string.h>

const char *frames_input(const struct frames *f, uint64_t hash)
{
	const struct profile *p = &f->project.now;

	for (size_t i = 0; i < p->n_inputs; i++)
		if (p->inputs[i].hash == hash)
			return names_text(&f->project.names, p->inputs[i].name, NULL);
	return NULL;
}

/* Half away from 0; what does not fit ends at the largest. */
static uint64_t mean_of(const struct aggregate_value *v, bool is_signed)
{
	__int128 n = (__int128)v->n, half = v->sum < 0 ? -(n / 2) : n / 2;
	__int128 mean = (v->sum + half) / n;

	if (is_signed)
		return (uint64_t)(mean > INT64_MAX   ? INT64_MAX
				  : mean < INT64_MIN ? INT64_MIN
						     : (int64_t)mean);
	return mean < 0 ? 0 : mean > UINT64_MAX ? UINT64_MAX : (uint64_t)mean;
}

static void frames_aggregate_add_row(struct frames *f, const struct aggregate_record *r,
				     uint32_t capture)
{
	struct frame row = {.number = r->key.frame,
			    .kind = r->key.which ? SLICE_FRAME : SLICE_BEFORE,
			    .capture = capture};
	const struct aggregate_value *duration = aggregate_record_value(r, AGG_DURATION);
	struct tally_sums s = {.has = 0};

	for (unsigned i = 0; i < SUMS; i++)
		if (AGG_FRAME_SUMS >> i & 1 && r->has >> i & 1) {
			s.has |= SUM_BIT(i);
			s.v[i] = mean_of(&r->values[i], sum_is_signed(i));
		}
	if (duration) {
		row.has_duration = true;
		row.duration = (int64_t)mean_of(duration, true);
	}
	if (r->texts[0].n)
		row.name = intern_add(&f->names, r->texts[0].s, r->texts[0].n);
	f->known |= s.has;
	f->valued |= sums_valued(&s);
	columns_add(&f->sums, f->n, &s);
	VEC_PUSH(f->rows, f->n, f->cap) = row;
}

static void add_any(struct frames *f, const struct aggregate_record *r)
{
	for (unsigned i = 0; i < SUMS; i++)
		if (r->has >> i & 1)
			aggregate_value_join(&f->merged.values[i], &r->values[i]);
	if (r->has >> AGG_DURATION & 1)
		aggregate_value_join(&f->merged.values[FRAME_DURATION], &r->values[AGG_DURATION]);
}

static enum status can_answer(const struct frames *f, struct err *e)
{
	const char *what = f->options.every  ? "steps of time (--every)"
			   : f->options.tops ? "what is in a frame (--tops)"
			   : f->options.news ? "in which frame a stack is new (--new-stacks)"
			   : f->options.sort_counter ? "counters per frame"
						     : NULL;

	if (what)
		return err_set(e, ST_UNSUPPORTED, "an aggregate does not say %s", what);
	return ST_OK;
}

struct aggregate_reading {
	struct frames *f;
	const struct aggregate_asked *asked;
	uint32_t capture;
};

static enum status frames_read_record(void *arg, const struct aggregate_record *r, struct err *e)
{
	struct aggregate_reading *x = arg;
	struct frames *f = x->f;

	switch (r->key.kind) {
	case AGG_HEAD:
		if (aggregate_check_options(r, x->asked->options, e))
			return err_failure(e);
		f->merged.captures += r->counts[0];
		break;
	case AGG_INPUT: profile_read_input(&f->project.now, &f->project.names.strings, r); break;
	case AGG_FRAMES: add_any(f, r); break;
	case AGG_FRAME: frames_aggregate_add_row(f, r, x->capture); break;
	default: break;
	}
	return profile_join_record(&f->project.now, r, e);
}

enum status frames_aggregate(struct frames *f, struct cursor *c,
			     const struct aggregate_asked *asked, struct err *e)
{
	struct aggregate_reading x = {f, asked, (uint32_t)f->project.now.captures + 1};

	if (can_answer(f, e))
		return err_failure(e);
	return aggregate_records(c, frames_read_record, &x, e);
}
