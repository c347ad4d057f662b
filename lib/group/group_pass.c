/* SPDX-License-Identifier: MIT */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/group/filter_calls.h"
#include "lib/group/own_code.h"
#include "lib/group/periods.h"
#include "lib/group/regex_timeouts.h"
#include "lib/tally/pacing.h"
#include "lib/trace/encode.h"

#include <string.h>

struct tally_sums pass_cell(struct group_pass *f, size_t index)
{
	struct tally_sums s;

	tally_sums(f->a, index, &s);
	s.has &= f->at_cells;
	if (s.has >> SUM_CALLS & 1 && pass_call_taken_out(f, f->a->cells[index].stack)) {
		s.has &= ~SUM_BIT(SUM_CALLS);
		s.v[SUM_CALLS] = 0;
	}
	return s;
}

struct tally_sums pass_own_time(const struct group_pass *f, size_t index,
				const struct tally_sums *s)
{
	const struct tally_measure *m = tally_timed(f->a, index);
	struct tally_sums time = {.has = 0};

	if (!m || f->a->cells[index].domain != CELL_TIMED || m->has & SUM_BIT(SUM_TIME_TOTAL) ||
	    !(s->has >> SUM_TIME_SELF & 1))
		return time;
	time.has = SUM_BIT(SUM_TIME_TOTAL) & f->at_cells;
	time.v[SUM_TIME_TOTAL] = s->v[SUM_TIME_SELF];
	return time;
}

/* has: SUM_BITs that some of what counts has. */
static unsigned unrecorded_of(unsigned has)
{
	enum {
		REQUESTED = SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_LIVE_REQUESTED) |
			    SUM_BIT(SUM_FREED_REQUESTED) | SUM_BIT(SUM_PEAK_REQUESTED) |
			    SUM_BIT(SUM_SLACK),
		REAL = SUM_BIT(SUM_REAL) | SUM_BIT(SUM_LIVE_REAL) | SUM_BIT(SUM_FREED_REAL) |
		       SUM_BIT(SUM_PEAK_REAL) | SUM_BIT(SUM_SLACK),
	};
	unsigned unrecorded = 0;

	if (has & SUM_BIT(SUM_SAMPLES) && !(has & SUM_BIT(SUM_PERIOD)))
		unrecorded = SUM_BIT(SUM_PERIOD);
	if (!(has & (SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_REAL))))
		return unrecorded;
	return unrecorded | (has & SUM_BIT(SUM_REQUESTED) ? 0u : REQUESTED) |
	       (has & SUM_BIT(SUM_REAL) ? 0u : REAL) |
	       (has & SUMS_MATCHED ? 0u : (unsigned)SUMS_MATCHED);
}

/* What the capture knows at a key; per_type: also what is known per type, and frame, only; want: SUM_BITs
 * that are asked for. */
static void pass_learn_metrics(const struct group_pass *f, struct profile_known *k, bool per_type,
			       unsigned never, unsigned want)
{
	uint8_t state[SUMS];
	unsigned at_types = tally_states_unasked(f->a, f->t, (unsigned)f->domain, state);
	unsigned unrecorded = f->at_cells & unrecorded_of(f->has);
	unsigned unidentified = tally_unidentified(f->a, f->t);
	unsigned unordered =
	    f->t->unordered && state[SUM_LIVE_COUNT]
		? SUMS_PEAK | SUM_BIT(SUM_TEMPORARY) | SUM_BIT(SUM_LIFETIME) | SUM_BIT(SUM_TIMED)
		: 0;

	k->least |= trace_get(f->t, TRACE_LEAST) != NULL;
	for (unsigned s = 0; s < SUMS; s++) {
		bool at_type = at_types >> s & 1;
		enum unknown_reason unknown_reason = UNKNOWN_NONE;

		if (!(want >> s & 1))
			unknown_reason = UNKNOWN_NOT_ASKED;
		else if (state[s] == METRIC_ABSENT)
			unknown_reason =
			    unidentified >> s & 1
				? f->a->returned ? UNKNOWN_RETURNED : UNKNOWN_UNIDENTIFIED
			    : unordered >> s & 1 ? UNKNOWN_UNORDERED
						 : UNKNOWN_ABSENT;
		else if (never >> s & 1)
			unknown_reason = UNKNOWN_PER_FRAME;
		else if (at_type && !per_type)
			unknown_reason = UNKNOWN_PER_TYPE;
		else if (at_type && !filters_by_type(f->p->options.filters))
			unknown_reason = UNKNOWN_FILTERED;
		else if (unrecorded >> s & 1)
			unknown_reason = UNKNOWN_UNRECORDED;
		profile_weaken(k, s, unknown_reason ? METRIC_ABSENT : state[s], unknown_reason);
	}
}

static void pass_extent(struct group_pass *f)
{
	struct profile *p = &f->p->now;
	uint64_t ns;

	if (extent_duration(&f->a->extent, f->t, f->a->options.selection, &ns)) {
		p->duration = add_saturating(p->duration, ns);
		p->timed++;
	}
	p->spans = p->captures == 1 &&
		   extent_span(&f->a->extent, f->t, f->a->options.selection, &p->begin, &p->end);
	p->frames += tally_frames(f->a, f->t);
	p->early += f->a->early > 0;
	if (f->domain == DOMAIN_ALL)
		return;
	for (size_t m = 0; m <= SUM_REAL; m++)
		if (f->a->worst[f->domain][m].v[m] > p->worst[m].v[m])
			p->worst[m] = f->a->worst[f->domain][m];
}

void pass_notes(struct group_pass *f, struct trace *t)
{
	const struct tally *a = f->a;
	struct profile *r = &f->p->now;

	if (a->live.lost_frees)
		trace_note(t, NOTE_LOSS, a->live.lost_frees,
			   "blocks were allocated again at an address whose free is missing: the "
			   "newest is live, the older ones count as freed");
	if (a->live.unknown_frees)
		trace_note(t, NOTE_INFO, a->live.unknown_frees,
			   "frees are of blocks that no record allocates");
	if (a->without_address[DOMAINS])
		trace_note(t, NOTE_GUESS, a->without_address[DOMAINS],
			   "allocations have no address: they do not count as live");
	if (f->is_early) {
		int most = pass_domain_of_most(f);

		if (most >= 0 && most != f->domain)
			trace_note(t, NOTE_INFO, 0,
				   "frames and steps are of domain %s, which had most when the "
				   "first of them was "
				   "read; in the end domain %s has more (--domain)",
				   domain_name((unsigned)f->domain), domain_name((unsigned)most));
	}
	if (f->p->names.paths_joined)
		trace_note(t, NOTE_GUESS, f->p->names.paths_joined,
			   "files became the same as others by a map of paths");
	regex_timeouts_note(t);
	for (size_t i = 0; i < t->n_notes; i++) {
		if (t->notes[i].severity <= NOTE_LOSS)
			r->notes[t->notes[i].severity]++;
		r->started |= !strcmp(t->notes[i].text, PROFILE_STARTED);
		trace_note_status(t->notes[i].text, strlen(t->notes[i].text), &r->status);
	}
}

static uint32_t pass_one(struct group_pass *f, uint32_t before, const char *s, size_t n)
{
	uint32_t id = n ? intern_add(&f->p->names.strings, s, n) : 0;

	return f->p->now.captures == 1 || id == before ? id : PROFILE_MIXED;
}

static uint32_t attribute(struct group_pass *f, uint32_t before, const char *key)
{
	const char *s = trace_get(f->t, key);

	return pass_one(f, before, s, s ? strlen(s) : 0);
}

static void pass_learn_recorded(struct group_pass *f)
{
	struct profile *r = &f->p->now;
	struct buf b = BUF_INIT;
	size_t n = 0;
	uint64_t run = trace_run(f->t);
	char arguments[17];
	const char *program = trace_program(f->t, &n), *pid = trace_get(f->t, "capture.pid");

	trace_recorded(f->t, &b);
	r->sampling = pass_one(f, r->sampling, b.data, b.len);
	/* A wrapper becomes the program by exec, whose capture is the last. */
	if (n)
		r->program = intern_add(&f->p->names.strings, program, n);
	if (trace_arguments(f->t, arguments))
		r->arguments = intern_add(&f->p->names.strings, arguments, sizeof arguments - 1);
	r->run = r->captures == 1 || !run || !r->run ? run : hash_u64(r->run ^ run) | 1;
	if (r->captures > 1 || !pid || !num_dec(pid, strlen(pid), &r->process))
		r->process = 0;
	buf_release(&b);
}

/* Their calls are inside of those of a thread. */
static void learn_scripts(struct group_pass *f)
{
	struct grouped_profile *p = f->p;

	for (size_t i = 1; i < f->t->n_threads; i++) {
		const struct thread *th = &f->t->threads[i];
		size_t n;
		const char *s = intern_text(&f->t->strings, th->name, &n);

		if (!th->tid && !th->process && th->generation & THREAD_SCRIPT && !p->n_scripts++)
			p->script = intern_add(&p->texts, s, n);
	}
}

static void learn_modules(struct group_pass *f)
{
	struct profile *r = &f->p->now;

	for (uint32_t m = 1; m < f->t->n_modules; m++) {
		struct profile_module module = {
		    .system = own_code_is_system(trace_text(f->t, f->t->modules[m].name))};
		size_t i;

		names_module(&f->p->names, f->t, m, &module.name, &module.build_id);
		for (i = 0; i < r->n_modules; i++)
			if (r->modules[i].name == module.name &&
			    r->modules[i].build_id == module.build_id)
				break;
		if (module.name && i == r->n_modules && i < PROFILE_MODULES_MAX)
			VEC_PUSH(r->modules, r->n_modules, r->cap_modules) = module;
	}
}

static uint32_t copied(struct group_pass *f, uint32_t string)
{
	size_t n;
	const char *s = intern_text(&f->t->strings, string, &n);

	return string && n ? intern_add(&f->p->names.strings, s, n) : 0;
}

static void pass_learn_counter(struct group_pass *f, const struct profile_counter *row)
{
	struct profile *r = &f->p->now;
	uint32_t *at = map64_put(&r->counter_index, (uint64_t)row->name << 32 | row->unit);

	if (*at) {
		counter_join(&r->counters[*at - 1].stats, &row->stats);
		return;
	}
	VEC_PUSH(r->counters, r->n_counters, r->cap_counters) = *row;
	*at = (uint32_t)r->n_counters;
}

/* How evenly frames came is a reading of the whole capture. */
static void pass_learn_pacing(struct group_pass *f)
{
	struct intern *strings = &f->p->names.strings;
	struct pacing p = {.n = 0};

	tally_pacing(f->a, &p);
	for (unsigned m = 0; m < PACING_METRICS && p.judged; m++) {
		const struct pacing_word *w = &pacing_words[m];
		struct profile_counter row = {.name =
						  intern_add(strings, w->name, strlen(w->name))};
		decimal v;

		if (!pacing_value(&p, m, &v))
			continue;
		if (*w->unit)
			row.unit = intern_add(strings, w->unit, strlen(w->unit));
		counter_read(&row.stats, v, INT64_MIN);
		pass_learn_counter(f, &row);
	}
	pacing_release(&p);
}

static void pass_learn_counters(struct group_pass *f)
{
	for (uint32_t c = 0; c < f->a->counters.n; c++) {
		const struct counter_stats *stats = &f->a->counters.items[c];
		struct profile_counter row = {copied(f, f->t->counters[c].name),
					      copied(f, f->t->counters[c].unit), *stats};

		if (stats->n)
			pass_learn_counter(f, &row);
	}
	if (f->a->options.counters)
		pass_learn_pacing(f);
}

enum { CRASHES_TOLD = 16 };

/* Which of the threads that a minidump has is that of the crash. */
static void pass_learn_crash(struct group_pass *f)
{
	const char *crash = trace_get(f->t, "crash"), *thread = trace_get(f->t, "crash.thread");

	if (crash && thread && f->p->now.totals.captures < CRASHES_TOLD)
		buf_addf(&f->p->crashes, "crash: %s (--by stack --thread %s: its stack alone)\n",
			 crash, thread);
}

static void pass_learn_totals(struct group_pass *f)
{
	const struct tally *a = f->a;
	struct profile_totals *r = &f->p->now.totals;
	struct tally_totals t;
	const char *least;
	uint64_t bytes;

	if (!tally_totals(a, f->domain == DOMAIN_ALL ? DOMAINS : (unsigned)f->domain, &t))
		return;
	t.has_temporary &= tally_knows_temporary(f->t);
	r->threads = add_saturating(r->threads, a->threads[f->domain]);
	if (r->captures && r->bytes != t.bytes)
		return; /* real and requested bytes do not add up */
	r->bytes = t.bytes;
	r->live_count = add_saturating(r->live_count, t.live_count);
	r->live = add_saturating(r->live, t.live);
	r->temporary = add_saturating(r->temporary, t.temporary);
	r->has_temporary = t.has_temporary && (!r->captures || r->has_temporary);
	r->has_blocks = tally_counts_blocks(f->t) && (!r->captures || r->has_blocks);
	r->about |= t.about;
	r->unidentified |= (tally_unidentified(a, f->t) & SUMS_LIVE) != 0;
	least = trace_get(f->t, TRACE_LEAST);
	if (least && num_dec(least, strlen(least), &bytes) && bytes > r->least)
		r->least = bytes;
	r->interval = t.interval > r->interval ? t.interval : r->interval;
	for (size_t i = 0; i < 3; i++) {
		r->all_variance.v[i] += t.all_variance.v[i];
		r->live_variance.v[i] += t.live_variance.v[i];
	}
	if (!r->captures++ || t.peak > r->peak) {
		r->peak = t.peak;
		r->peak_at = t.peak_at;
	}
}

static void pass_learn_domain(struct group_pass *f)
{
	struct profile *r = &f->p->now;
	bool one = f->domain < DOMAINS && f->a->records[f->domain];
	unsigned domain = one ? (unsigned)f->domain + 1 : 0;

	r->domain = r->captures == 1 || r->domain == domain ? domain : 0;
	if (one && f->p->options.one_domain)
		f->p->domain = f->domain;
}

/* Of samples and parts of calls there is no mean time; the stacks that call a sample's are not its cell's, so
 * that totals by stack are not known. */
static void pass_learn_times(struct group_pass *f)
{
	struct profile *r = &f->p->now;
	bool no_mean = tally_clipped(f->a) || f->uncounted || trace_get(f->t, TRACE_PARTS);

	if (no_mean)
		profile_weaken(&r->known, SUM_TIME_MEAN, METRIC_ABSENT, UNKNOWN_MIXED);
	for (size_t i = 0; i < r->n_keys; i++) {
		const struct grouping_key *key = &f->p->groupings[i].key;
		struct profile_known *k = &r->keys[i].known;
		bool no_total = f->own_times && (key->by == KEY_STACK || key->within);

		if (no_total)
			profile_weaken(k, SUM_TIME_TOTAL, METRIC_ABSENT, UNKNOWN_MIXED);
		if (no_total || no_mean)
			profile_weaken(k, SUM_TIME_MEAN, METRIC_ABSENT, UNKNOWN_MIXED);
	}
}

void pass_learn(struct group_pass *f)
{
	struct profile *r = &f->p->now;
	bool per_type = false;

	for (size_t i = 0; i < r->n_keys; i++) {
		const struct grouping_key *key = &f->p->groupings[i].key;
		bool by_type = key->by == KEY_TYPE && !key->within;
		bool by_frame = key->by == KEY_FRAME;

		pass_learn_metrics(f, &r->keys[i].known, by_type || by_frame,
				   by_frame ? SUMS_OF_MOMENTS : 0, f->a->want);
		per_type |= by_type || by_frame;
	}
	pass_learn_metrics(f, &r->known, per_type, 0, f->a->want);
	pass_learn_metrics(f, &r->totals.known, per_type, 0, SUMS_ALL);
	pass_learn_times(f);
	pass_learn_domain(f);
	pass_extent(f);
	r->format = attribute(f, r->format, "format");
	pass_learn_recorded(f);
	periods_learn(f);
	learn_modules(f);
	learn_scripts(f);
	pass_learn_counters(f);
	if (f->p->options.totals)
		pass_learn_crash(f);
	pass_learn_totals(f);
	if (f->a->options.split & SPLIT_THREAD)
		pass_count_threads(f);
}
