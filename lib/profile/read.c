/* SPDX-License-Identifier: MIT */
#include "lib/profile/read.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

/* A sum as reports have it: 64 bits, where it ends at the largest. */
static uint64_t aggregate_sum_of(const struct aggregate_value *v, unsigned sum)
{
	if (sum_is_signed(sum))
		return (uint64_t)(v->sum > INT64_MAX   ? INT64_MAX
				  : v->sum < INT64_MIN ? INT64_MIN
						       : (int64_t)v->sum);
	return v->sum < 0 ? 0 : v->sum > UINT64_MAX ? UINT64_MAX : (uint64_t)v->sum;
}

struct tally_sums aggregate_sums_of(const struct aggregate_record *r, unsigned first)
{
	struct tally_sums s = {.has = 0};

	for (unsigned i = 0; i < SUMS; i++)
		if (r->has >> (first + i) & 1) {
			s.has |= SUM_BIT(i);
			s.v[i] = aggregate_sum_of(&r->values[first + i], i);
		}
	return s;
}

bool aggregate_site_of(const struct aggregate_record *r, struct aggregate_site *s)
{
	struct aggregate_text parts[5];
	const char *p = r->texts[1].s;
	size_t left = r->texts[1].n;
	uint64_t line;

	if (!left)
		return false;
	for (size_t i = 0; i < 5; i++) {
		const char *end = memchr(p, 0, left);
		size_t n = end ? (size_t)(end - p) : left;

		if (!end != (i == 4))
			return false;
		parts[i] = (struct aggregate_text){p, n};
		p += n + (end != NULL);
		left -= n + (end != NULL);
	}
	if (!num_dec(parts[3].s, parts[3].n, &line) || line > UINT32_MAX)
		return false;
	*s = (struct aggregate_site){parts[0], parts[1], parts[2], (uint32_t)line, parts[4].n > 0};
	return true;
}

void aggregate_known_of(const struct aggregate_record *r, struct profile_known *k)
{
	*k = (struct profile_known){.state = {0}};
	for (enum sum s = 0; s < SUMS; s++)
		profile_weaken(k, s, r->marks[s], r->marks[SUMS + s]);
}

bool aggregate_known_check(const struct aggregate_record *r, struct err *e)
{
	for (size_t i = 0; i < SUMS; i++)
		if (r->marks[i] > METRIC_ESTIMATED || r->marks[SUMS + i] > UNKNOWN_MIXED) {
			err_set(e, ST_BAD, "a metric's state is none");
			return false;
		}
	return true;
}

static uint32_t string(struct profile_entities *t, struct aggregate_text s)
{
	return entities_string(t, s.s, s.n);
}

static bool several(struct aggregate_text t)
{
	return aggregate_is_several(t.s, t.n);
}

/* The same text in all of a file, or PROFILE_MIXED. */
static void one_format(struct profile *s, struct profile_entities *t,
		       const struct aggregate_record *r, bool *first)
{
	uint32_t format = string(t, r->key.name);

	s->format = *first ? format : PROFILE_MIXED;
	if (several(r->key.name))
		s->format = PROFILE_MIXED;
	*first = false;
}

static void read_input(struct profile *s, struct profile_entities *t,
		       const struct aggregate_record *r)
{
	uint32_t program = several(r->texts[3]) ? PROFILE_MIXED : string(t, r->texts[3]);
	uint32_t arguments = string(t, r->texts[4]);

	uint64_t run = 0;

	s->program = !s->n_inputs || s->program == program ? program : PROFILE_MIXED;
	/* 0 where several runs differ in it. */
	s->arguments = !s->n_inputs || s->arguments == arguments ? arguments : 0;
	num_hex(r->texts[5].s, r->texts[5].n, &run);
	VEC_PUSH(s->inputs, s->n_inputs, s->cap_inputs) =
	    (struct profile_input){r->key.hash, r->key.bytes, run};
}

static void read_frames(struct profile *s, const struct aggregate_record *r)
{
	for (unsigned i = 0; i <= SUM_REAL; i++) {
		const struct aggregate_value *v = aggregate_record_value(r, i);

		if (!v || v->max <= 0)
			continue;
		s->worst[i].number = v->max_at.frame;
		s->worst[i].v[i] = v->max > UINT64_MAX ? UINT64_MAX : (uint64_t)v->max;
	}
}

/* A number of an aggregate's value: decimals of them are left over. */
static decimal decimal_of_value(__int128 v, unsigned decimals)
{
	const __int128 most = decimal_of(INT64_MAX);
	__int128 unit = DECIMAL_ONE, d;

	for (; decimals; decimals--)
		unit /= 10;
	if (__builtin_mul_overflow(v, unit, &d))
		return v < 0 ? -most : most;
	return d > most ? most : d < -most - DECIMAL_ONE ? -most - DECIMAL_ONE : d;
}

static struct decimal_sum sum_of_value(const struct aggregate_value *v)
{
	__int128 unit = DECIMAL_ONE, parts, rest;

	for (unsigned i = 0; i < v->decimals; i++)
		unit /= 10;
	parts = DECIMAL_ONE / unit; /* of one */
	rest = v->sum % parts;
	rest += rest < 0 ? parts : 0;
	return (struct decimal_sum){v->sum / parts - (v->sum % parts < 0), (uint64_t)(rest * unit)};
}

static void read_counter(struct profile *s, struct profile_entities *t,
			 const struct aggregate_record *r)
{
	const struct aggregate_value *all = aggregate_record_value(r, AGG_READING);
	const struct aggregate_value *last = aggregate_record_value(r, AGG_LAST);
	struct profile_counter c = {.name = string(t, r->key.name),
				    .unit = string(t, r->key.second)};

	if (!all || !c.name)
		return;
	c.stats = (struct counter_stats){.n = all->n,
					 .last = last ? decimal_of_value(last->max, last->decimals)
						      : decimal_of_value(all->max, all->decimals),
					 .min = decimal_of_value(all->min, all->decimals),
					 .max = decimal_of_value(all->max, all->decimals),
					 .sum = sum_of_value(all)};
	VEC_PUSH(s->counters, s->n_counters, s->cap_counters) = c;
}

static enum status read_whole(struct profile *s, const struct aggregate_record *r, struct err *e)
{
	struct tally_sums sums = aggregate_sums_of(r, 0);

	if (r->key.which == AGG_ALL) {
		if (!aggregate_known_check(r, e))
			return err_failure(e);
		s->all = sums;
		aggregate_known_of(r, &s->known);
	} else if (r->key.which == AGG_UNFILTERED) {
		s->unfiltered = sums;
	} else if (r->key.which <= AGG_COVERAGE + TIERS) {
		s->coverage[r->key.which - AGG_COVERAGE] = sums;
	} else {
		return err_set(e, ST_BAD, "there is no such tier of coverage");
	}
	return ST_OK;
}

/* The first calls of the present record's stack, each with those before it. */
struct path {
	struct path_call {
		uint64_t hash;
		uint32_t node;
	} * calls;
	size_t n, cap;
};

static uint32_t add_stack(struct profile_entities *t, const struct aggregate_record *r,
			  struct path *path)
{
	struct profile_entity to = {.name = string(t, r->texts[0])};
	struct aggregate_site site;

	if (path->n) {
		to.hash = path->calls[path->n - 1].hash;
		to.node = path->calls[path->n - 1].node;
	}
	for (size_t i = path->n; i < r->key.n_calls; i++) {
		struct profile_entity f = {.raw = string(t, r->key.calls[i].raw),
					   .module = string(t, r->key.calls[i].module)};
		uint32_t function;

		/* What is here already has its own; a raw name may have a file behind it. */
		f.name = entities_string(t, r->key.calls[i].raw.s,
					 strnlen(r->key.calls[i].raw.s, r->key.calls[i].raw.n));
		function = entities_add(t, KEY_FUNCTION, &f);
		to.hash = entity_push_call(t, to.hash, function);
		to.node = stacks_add(&t->stacks, to.node, function);
		VEC_PUSH(path->calls, path->n, path->cap) = (struct path_call){to.hash, to.node};
	}
	if (aggregate_site_of(r, &site)) {
		to.raw = string(t, site.raw);
		to.module = string(t, site.module);
		to.file = string(t, site.file);
		to.line = site.line;
		to.inside = site.inside;
	}
	return entities_add(t, KEY_STACK, &to);
}

static void read_row(struct profile *s, struct profile_entities *t,
		     const struct aggregate_record *r, struct path *path)
{
	struct profile_key *k = &s->keys[r->key.by];
	struct tally_sums self = aggregate_sums_of(r, 0), total = aggregate_sums_of(r, AGG_TOTAL);
	struct profile_entity to = {.name = string(t, r->key.name)};
	struct aggregate_site at;
	uint32_t entity;
	bool placed;

	if (r->key.by == KEY_FUNCTION || r->key.by == KEY_SITE) {
		to.name = string(t, r->texts[0].n ? r->texts[0] : r->key.raw);
		to.raw = string(t, r->key.raw);
		to.module = string(t, r->key.module);
		to.file = string(t, r->key.file);
		to.line = r->key.line;
		to.inside = r->key.inside;
	}
	placed = r->key.by == KEY_FUNCTION && aggregate_site_of(r, &at);
	to.folded = placed && at.inside;
	entity = r->key.by == KEY_STACK ? add_stack(t, r, path) : entities_add(t, r->key.by, &to);
	if (placed)
		profile_set_place(s, entity,
				  (struct profile_place){string(t, at.file), at.line, 0});
	if (self.has)
		columns_add(&k->self, entity, &self);
	if (total.has)
		columns_add(&k->total, entity, &total);
}

/* What the options say, or malloc. */
static unsigned domain_of(const struct profile_entities *t, const struct profile *s)
{
	static const char word[] = "--domain ";
	const char *at = entities_text(t, s->options, NULL);

	if (!(s->all.has & (SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_REAL))))
		return 0;
	at = strstr(at, word);
	for (unsigned d = 0; at && d < DOMAINS; d++) {
		size_t n = strcspn(at + sizeof word - 1, " ");

		if (n == strlen(domain_name(d)) && !memcmp(at + sizeof word - 1, domain_name(d), n))
			return d + 1;
	}
	return at ? 0 : DOMAIN_MALLOC + 1;
}

static enum status read_record(struct profile *s, struct profile_entities *t,
			       const struct aggregate_record *r, bool *first_format,
			       struct path *path, struct err *e)
{
	switch (r->key.kind) {
	case AGG_HEAD:
		s->options = string(t, r->texts[0]);
		s->clock = string(t, r->texts[4]);
		s->period[0] = several(r->texts[3]) ? PROFILE_MIXED : string(t, r->texts[3]);
		s->sampling = several(r->texts[1]) ? PROFILE_MIXED : string(t, r->texts[1]);
		s->captures = r->counts[0];
		s->frames = r->counts[1];
		s->duration = r->counts[2];
		break;
	case AGG_INPUT: read_input(s, t, r); break;
	case AGG_FORMAT: one_format(s, t, r, first_format); break;
	case AGG_MODULE:
		VEC_PUSH(s->modules, s->n_modules, s->cap_modules) = (struct profile_module){
		    string(t, r->key.name), string(t, r->key.second), false};
		break;
	case AGG_NOTE:
		s->started |= r->key.name.n == sizeof PROFILE_STARTED - 1 &&
			      !memcmp(r->key.name.s, PROFILE_STARTED, r->key.name.n);
		trace_note_status(r->key.name.s, r->key.name.n, &s->status);
		if (r->key.which <= NOTE_LOSS)
			s->notes[r->key.which] =
			    add_saturating(s->notes[r->key.which], r->counts[1]);
		break;
	case AGG_WHOLE: return read_whole(s, r, e);
	case AGG_FRAMES: read_frames(s, r); break;
	case AGG_COUNTER: read_counter(s, t, r); break;
	case AGG_ROW: read_row(s, t, r, path); break;
	case AGG_KEY:
		if (!aggregate_known_check(r, e))
			return err_failure(e);
		s->keys[r->key.by].held = true;
		s->keys[r->key.by].cut = r->counts[1];
		s->keys[r->key.by].rest = aggregate_sums_of(r, 0);
		aggregate_known_of(r, &s->keys[r->key.by].known);
		break;
	default: break;
	}
	return ST_OK;
}

enum status profile_read(struct cursor *c, struct profile_entities *t, struct profile *s,
			 struct err *e)
{
	struct aggregate_record rec = {.has = 0};
	struct aggregate_reader r;
	enum status st;
	bool first_format = true;
	struct path path = {.n = 0};

	profile_init(s, KEYS);
	s->from_aggregate = true;
	aggregate_reader_init(&r, c);
	while (!(st = aggregate_reader_record(&r, &rec, e))) {
		if (r.records == 1 && rec.key.kind != AGG_HEAD)
			st = err_set(e, ST_BAD, "the aggregate has no head: it is a part of one");
		if (path.n > rec.key.n_same)
			path.n = rec.key.n_same;
		if (!st)
			st = read_record(s, t, &rec, &first_format, &path, e);
		if (st)
			break;
	}
	if (st == ST_NONE && !r.records)
		st = err_set(e, ST_BAD, "an aggregate of nothing");
	profile_sort(s, t);
	s->domain = domain_of(t, s);
	free(path.calls);
	aggregate_record_release(&rec);
	aggregate_reader_release(&r);
	if (st == ST_NONE)
		return ST_OK;
	profile_release(s);
	return st;
}
