/* SPDX-License-Identifier: MIT
 *
 * Samples and calls of a speedscope profile as events of the trace.
 */
#include "formats/speedscope/speedscope.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MOST = 65536, MILLIONTH_PLACES = 6 };

/* --- values --- */

/* The suffix of a unit of time, and how many ns it has; NULL: no unit of time. */
static const char *time_unit(const char *unit, double *ns)
{
	static const struct {
		const char *unit, *suffix;
		double ns;
	} units[] = {{"seconds", "s", 1e9},
		     {"milliseconds", "ms", 1e6},
		     {"microseconds", "us", 1e3},
		     {"nanoseconds", "ns", 1}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i].unit)) {
			*ns = units[i].ns;
			return units[i].suffix;
		}
	return NULL;
}

bool speedscope_has_decimals(const char *s, size_t n)
{
	int64_t v;
	double d;

	return !num_i64(s, n, &v) && num_double(s, n, &d) && d != rint(d);
}

static bool in_millionths(struct speedscope *x, const char *s, size_t n, int64_t *v)
{
	decimal d;
	enum decimal_read read = decimal_parse(s, n, &d);

	if (read != DECIMAL_EXACT && read != DECIMAL_ROUNDED)
		return false;
	x->rounded += read == DECIMAL_ROUNDED || decimal_places(d) > MILLIONTH_PLACES;
	d = decimal_round(d, MILLIONTH_PLACES) / (DECIMAL_ONE / TRACE_MILLION);
	*v = (int64_t)d;
	return *v == d;
}

bool speedscope_value(struct speedscope *x, const char *s, size_t n, int64_t *v)
{
	const char *suffix;
	char text[64];
	double d;

	if (!x->unit.known || x->unit.id != x->profile->unit) {
		x->unit.factor = 1;
		x->unit.suffix = time_unit(trace_text(x->im->t, x->profile->unit), &x->unit.factor);
		x->unit.id = x->profile->unit;
		x->unit.known = true;
	}
	suffix = x->unit.suffix;
	if (x->millionths && x->profile->role == ROLE_SAMPLES)
		return in_millionths(x, s, n, v);
	if (!suffix && num_i64(s, n, v))
		return true;
	if (suffix && n < sizeof text - 4) {
		memcpy(text, s, n);
		memcpy(text + n, suffix, strlen(suffix) + 1);
		if (num_time(text, n + strlen(suffix), v))
			return true;
	}
	if (!num_double(s, n, &d) || fabs(d * x->unit.factor) > 9e18)
		return false;
	*v = llround(d * x->unit.factor);
	x->rounded += !suffix;
	return true;
}

/* tm-export names profiles after what they have; of others the unit says what they are. */
static uint8_t speedscope_push_role_of(const struct speedscope *x, const char *name,
				       const char *unit)
{
	static const struct {
		const char *name;
		uint8_t role;
	} own[] = {{"count", ROLE_ALLOC + BLOCKS_COUNT},
		   {"requested", ROLE_ALLOC + BLOCKS_REQUESTED},
		   {"real", ROLE_ALLOC + BLOCKS_REAL},
		   {"live-count", ROLE_LIVE + BLOCKS_COUNT},
		   {"live-requested", ROLE_LIVE + BLOCKS_REQUESTED},
		   {"live-real", ROLE_LIVE + BLOCKS_REAL},
		   {"samples", ROLE_SAMPLES},
		   {"calls", ROLE_CALLS},
		   {"time", ROLE_TIME}};
	double ns;

	if (x->own) {
		for (size_t i = 0; i < sizeof own / sizeof *own; i++)
			if (!strcmp(name, own[i].name))
				return own[i].role;
		return ROLE_NONE;
	}
	return time_unit(unit, &ns)     ? ROLE_TIME
	       : !strcmp(unit, "bytes") ? ROLE_ALLOC + BLOCKS_REQUESTED
					: ROLE_SAMPLES;
}

/* What tm-export wrote has the times of the trace already. */
static void find_start(struct speedscope *x)
{
	bool any = false;

	for (size_t i = 0; i < x->n_profiles && !x->own; i++) {
		struct speedscope_profile *p = x->profile = &x->profiles[i];
		int64_t start;

		if (!p->calls || !speedscope_value(x, p->start, strlen(p->start), &start))
			continue;
		x->start = any && x->start < start ? x->start : start;
		any = true;
	}
	x->profile = NULL;
}

void speedscope_decide(struct speedscope *x)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REQUESTED, METRIC_REAL};
	struct trace *t = x->im->t;
	bool lives = false;

	for (size_t i = 0; i < x->n_profiles; i++) {
		struct speedscope_profile *p = &x->profiles[i];
		const char *unit = trace_text(t, p->unit);
		double ns;

		p->calls = p->evented && time_unit(unit, &ns);
		x->has_calls |= p->calls;
		p->role =
		    p->calls ? ROLE_NONE : speedscope_push_role_of(x, trace_text(t, p->name), unit);
		if (p->role != ROLE_NONE)
			x->has_role[p->role] = true;
		x->millionths |= p->role == ROLE_SAMPLES && p->decimals;
		if (x->own ? p->calls : x->n_profiles > 1)
			p->thread = trace_thread(
			    t, &(struct thread){.generation = (uint32_t)i, .name = p->name});
	}
	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++) {
		if (x->has_role[ROLE_ALLOC + a])
			trace_metric(t, metrics[a], METRIC_EXACT, METRIC_AT_ALL);
		lives |= x->has_role[ROLE_LIVE + a];
		if (x->has_role[ROLE_ALLOC + a] || x->has_role[ROLE_LIVE + a])
			trace_set_blocks(t, TRACE_BLOCKS_SUMMED);
	}
	if (x->millionths)
		trace_samples_are_millionths(t);
	find_start(x);
	x->blocks.im = x->im;
	if (lives)
		emit_blocks_live(&x->blocks, METRIC_EXACT);
	if (x->has_calls)
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	else if (x->has_role[ROLE_TIME])
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
}

/* --- rows --- */

uint32_t speedscope_location(struct speedscope *x, size_t frame)
{
	struct speedscope_frame *f = &x->frames[frame];
	struct location l = {.space = f->name ? SPACE_NAME : SPACE_UNKNOWN,
			     .name = f->name,
			     .file = f->file,
			     .line = f->file ? f->line : 0};

	if (!f->location && f->name && !f->file) {
		size_t n;
		const char *s = intern_text(&x->im->t->strings, f->name, &n);

		f->location = emit_place(&x->places, x->im->t, s, n);
	}
	if (!f->location)
		f->location = trace_location(x->im->t, &l);
	return f->location;
}

void speedscope_add(struct speedscope *x, uint32_t stack, unsigned role, int64_t weight)
{
	uint32_t thread = x->profile->thread;
	uint32_t *index = map64_put(&x->row_of, (uint64_t)thread << 32 | stack);
	int64_t *sum;

	if (!*index) {
		VEC_PUSH(x->rows, x->n_rows, x->cap_rows) =
		    (struct speedscope_row){.stack = stack, .thread = thread};
		*index = (uint32_t)x->n_rows;
	}
	sum = &x->rows[*index - 1].sums[role];
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = INT64_MAX;
}

/* The amounts that the file has, from the role `first` on. */
static unsigned known_amounts(const struct speedscope *x, unsigned first)
{
	unsigned known = 0;

	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++)
		if (x->has_role[first + a])
			known |= 1u << a;
	return known;
}

/* Blocks of a row that share a fate; first: whose roles say what is known. */
static enum status push_blocks(struct speedscope *x, const struct speedscope_row *r,
			       const int64_t v[BLOCKS_AMOUNTS], unsigned first,
			       enum profile_fate fate, struct err *e)
{
	const struct emit_profile row = {.stack = r->stack,
					 .thread = r->thread,
					 .domain = KNOWN(DOMAIN_MALLOC),
					 .known = known_amounts(x, first)};

	if (!v[0] && !v[1] && !v[2])
		return ST_OK;
	if (emit_blocks_huge(&x->blocks, v)) {
		x->huge++;
		return ST_OK;
	}
	return emit_blocks(&x->blocks, &row, v, fate, e);
}

static enum status speedscope_push_row(struct speedscope *x, const struct speedscope_row *r,
				       struct err *e)
{
	const int64_t *all = &r->sums[ROLE_ALLOC], *live = &r->sums[ROLE_LIVE];
	struct emit_sample s = {.stack = r->stack, .thread = r->thread};
	int64_t rest[BLOCKS_AMOUNTS];
	enum status st = push_blocks(x, r, live, ROLE_LIVE, PROFILE_LIVE, e);

	emit_blocks_gone(&x->blocks, all, live, known_amounts(x, ROLE_ALLOC), rest);
	if (!st)
		st = push_blocks(x, r, rest, ROLE_ALLOC, PROFILE_FREED, e);
	if (st || (!r->sums[ROLE_SAMPLES] && !r->sums[ROLE_TIME] && !r->sums[ROLE_CALLS]))
		return st;
	if (x->own && x->has_calls) {
		/* Calls and their time are in profiles of their own. */
		if (!x->has_role[ROLE_CALLS] || !r->sums[ROLE_SAMPLES])
			return ST_OK;
		s.samples = KNOWN(r->sums[ROLE_SAMPLES]);
		return emit_sample(x->im, &s, e);
	}
	s.self = KNOWN_IF(x->has_role[ROLE_TIME], r->sums[ROLE_TIME]);
	if (r->sums[ROLE_CALLS]) {
		s.calls = KNOWN(r->sums[ROLE_CALLS]);
		st = emit_sample(x->im, &s, e);
		if (st || !r->sums[ROLE_SAMPLES])
			return st;
		s.self = s.calls = ABSENT; /* their time is counted */
	}
	if (x->has_role[ROLE_SAMPLES] && r->sums[ROLE_SAMPLES])
		s.samples = KNOWN(r->sums[ROLE_SAMPLES]);
	return emit_sample(x->im, &s, e);
}

/* Samples that tm-export wrote in addition to calls are those calls too, where it did not tell them apart; so
 * calls are read instead. So it is with their time always. */
static void count_beside(struct speedscope *x)
{
	uint64_t samples = 0, ns = 0;

	if (!x->own || !x->has_calls)
		return;
	for (size_t i = 0; i < x->n_rows; i++) {
		samples += (uint64_t)x->rows[i].sums[ROLE_SAMPLES];
		ns += (uint64_t)x->rows[i].sums[ROLE_TIME];
	}
	if (!x->has_role[ROLE_CALLS] && samples > x->calls)
		x->beside = samples - x->calls;
	if (ns > x->called)
		x->beside_ns = ns - x->called;
}

enum status speedscope_push_rows(struct speedscope *x, struct err *e)
{
	enum status st = ST_OK;

	count_beside(x);
	for (size_t i = 0; i < x->n_rows && !st; i++)
		st = speedscope_push_row(x, &x->rows[i], e);
	return st;
}

/* --- calls --- */

static int64_t since_start(const struct speedscope *x)
{
	int64_t ns;

	return __builtin_sub_overflow(x->last, x->start, &ns) ? INT64_MAX : ns;
}

static enum status speedscope_push_edge(struct speedscope *x, uint32_t frame, bool enter,
					struct err *e)
{
	struct trace *t = x->im->t;
	struct speedscope_frame *f = &x->frames[frame];
	struct emit_call call = {.thread = x->profile->thread,
				 .time = KNOWN(since_start(x)),
				 .continued = enter && x->continued};

	if (!f->stack) {
		struct marker m = {f->name ? f->name : trace_strz(t, "(unnamed)"), 0};

		f->stack = trace_stack(t, 0, speedscope_location(x, frame));
		f->marker = trace_marker(t, &m);
	}
	call.stack = f->stack;
	call.marker = f->marker;
	return enter ? emit_enter(x->im, &call, e) : emit_exit(x->im, &call, e);
}

static enum status open_call(struct speedscope *x, uint32_t frame, struct err *e)
{
	if (x->n_open == DEPTH_MOST) {
		x->deep++;
		return ST_OK;
	}
	if (!x->profile->calls) {
		uint32_t parent = x->n_open ? x->path[x->n_open - 1] : 0;

		x->path = mem_grow(x->path, &x->cap_path, x->n_open + 1, sizeof *x->path);
		x->path[x->n_open] = trace_stack(x->im->t, parent, speedscope_location(x, frame));
	}
	VEC_PUSH(x->open, x->n_open, x->cap_open) = frame;
	if (!x->profile->calls)
		return ST_OK;
	x->calls += !x->continued;
	return speedscope_push_edge(x, frame, true, e);
}

/* Ends what is open from an index on. */
static enum status close_to(struct speedscope *x, size_t index, struct err *e)
{
	enum status st = ST_OK;

	while (x->n_open > index && !st) {
		uint32_t frame = x->open[--x->n_open];

		st = x->profile->calls ? speedscope_push_edge(x, frame, false, e) : ST_OK;
	}
	return st;
}

/* Where events count something other than time, what lies between two of them is the weight of the
 * stack that is open. */
static void speedscope_push_pass(struct speedscope *x, int64_t at)
{
	int64_t weight;

	if (!x->any_event)
		x->last = at;
	x->any_event = true;
	if (at < x->last) {
		x->backwards++;
		return;
	}
	if (x->profile->calls && x->n_open)
		x->called += (uint64_t)at - (uint64_t)x->last;
	if (!x->profile->calls && x->n_open && at > x->last) {
		if (__builtin_sub_overflow(at, x->last, &weight))
			weight = INT64_MAX;
		speedscope_add(x, x->path[x->n_open - 1],
			       x->profile->role < ROLES ? x->profile->role : ROLE_SAMPLES, weight);
	}
	x->last = at;
}

enum status speedscope_event(struct speedscope *x, bool enter, size_t frame, int64_t at,
			     struct err *e)
{
	size_t i = x->n_open;

	if (frame >= x->n_frames) {
		x->missing++;
		return ST_OK;
	}
	speedscope_push_pass(x, at);
	if (enter)
		return open_call(x, (uint32_t)frame, e);
	while (i && x->open[i - 1] != frame)
		i--;
	if (!i) {
		x->unpaired++;
		return ST_OK;
	}
	x->unended += x->n_open - i; /* those inside of it end with it */
	return close_to(x, i - 1, e);
}

enum status speedscope_end_calls(struct speedscope *x, struct err *e)
{
	x->unended += x->n_open;
	return x->profile ? close_to(x, 0, e) : ST_OK;
}
