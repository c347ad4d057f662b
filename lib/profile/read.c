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

static void aggregate_known_of(const struct aggregate_record *r, struct profile_known *k)
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

/* The same text of all, or PROFILE_MIXED. */
static uint32_t one_text(struct profile_entities *t, struct aggregate_text s)
{
	return aggregate_is_several(s.s, s.n) ? PROFILE_MIXED : string(t, s);
}

void profile_read_input(struct profile *p, struct intern *strings, const struct aggregate_record *r)
{
	struct profile_input in = {.hash = r->key.hash, .bytes = r->key.bytes};

	num_hex(r->texts[5].s, r->texts[5].n, &in.run);
	if (strings && r->texts[0].n)
		in.name = intern_add(strings, r->texts[0].s, r->texts[0].n);
	VEC_PUSH(p->inputs, p->n_inputs, p->cap_inputs) = in;
}

static void read_input(struct profile *s, struct profile_entities *t,
		       const struct aggregate_record *r)
{
	uint32_t program = one_text(t, r->texts[3]);
	uint32_t arguments = string(t, r->texts[4]);

	s->program = !s->n_inputs || s->program == program ? program : PROFILE_MIXED;
	/* 0 where several runs differ in it. */
	s->arguments = !s->n_inputs || s->arguments == arguments ? arguments : 0;
	profile_read_input(s, NULL, r);
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

static void join_worst(struct profile *p, const struct aggregate_record *r)
{
	for (unsigned i = 0; i <= SUM_REAL; i++) {
		const struct aggregate_value *v = aggregate_record_value(r, i);

		if (!v || v->max <= (__int128)p->worst[i].v[i])
			continue;
		p->worst[i].number = v->max_at.frame;
		p->worst[i].v[i] = v->max > UINT64_MAX ? UINT64_MAX : (uint64_t)v->max;
	}
}

static enum status join_whole(struct profile *p, const struct aggregate_record *r, struct err *e)
{
	struct tally_sums sums = aggregate_sums_of(r, 0);

	if (r->key.which == AGG_ALL) {
		if (!aggregate_known_check(r, e))
			return err_failure(e);
		for (enum sum s = 0; s < SUMS; s++)
			profile_weaken(&p->known, s, r->marks[s], r->marks[SUMS + s]);
		sums_add(&p->all, &sums);
	} else if (r->key.which == AGG_UNFILTERED) {
		sums_add(&p->unfiltered, &sums);
	} else if (r->key.which <= AGG_COVERAGE + TIERS) {
		sums_add(&p->coverage[r->key.which - AGG_COVERAGE], &sums);
	} else {
		return err_set(e, ST_BAD, "there is no such tier of coverage");
	}
	return ST_OK;
}

enum status profile_join_record(struct profile *p, const struct aggregate_record *r, struct err *e)
{
	switch (r->key.kind) {
	case AGG_HEAD:
		p->captures += r->counts[0];
		p->frames += r->counts[1];
		break;
	case AGG_NOTE:
		if (r->key.which <= NOTE_LOSS)
			p->notes[r->key.which] =
			    add_saturating(p->notes[r->key.which], r->counts[1]);
		break;
	case AGG_WHOLE: return join_whole(p, r, e);
	case AGG_FRAMES: join_worst(p, r); break;
	default: break;
	}
	return ST_OK;
}

enum status aggregate_records(struct cursor *c,
			      enum status (*each)(void *arg, const struct aggregate_record *r,
						  struct err *e),
			      void *arg, struct err *e)
{
	struct aggregate_record rec = {.has = 0};
	struct aggregate_reader r;
	enum status st;

	aggregate_reader_init(&r, c);
	while (!(st = aggregate_reader_record(&r, &rec, e))) {
		if (r.records == 1 && rec.key.kind != AGG_HEAD)
			st = err_set(e, ST_BAD, "the aggregate has no head: it is a part of one");
		if (!st)
			st = each(arg, &rec, e);
		if (st)
			break;
	}
	if (st == ST_NONE && !r.records)
		st = err_set(e, ST_BAD, "an aggregate of nothing");
	aggregate_record_release(&rec);
	aggregate_reader_release(&r);
	return st == ST_NONE ? ST_OK : st;
}

struct reading {
	struct profile *profile;
	struct profile_entities *entities;
	bool has_format;
	/* The first calls of the present record's stack, each with those before it. */
	struct path_call {
		uint64_t hash;
		uint32_t node;
	} * path;
	size_t n_path, cap_path;
};

static uint32_t add_stack(struct reading *x, const struct aggregate_record *r)
{
	struct profile_entities *t = x->entities;
	struct profile_entity to = {.name = string(t, r->texts[0])};
	struct aggregate_site site;

	if (x->n_path) {
		to.hash = x->path[x->n_path - 1].hash;
		to.node = x->path[x->n_path - 1].node;
	}
	for (size_t i = x->n_path; i < r->key.n_calls; i++) {
		struct profile_entity f = {.raw = string(t, r->key.calls[i].raw),
					   .module = string(t, r->key.calls[i].module)};
		uint32_t function;

		/* What is here already has its own; a raw name may have a file behind it. */
		f.name = entities_string(t, r->key.calls[i].raw.s,
					 strnlen(r->key.calls[i].raw.s, r->key.calls[i].raw.n));
		function = entities_add(t, KEY_FUNCTION, &f);
		to.hash = entity_push_call(t, to.hash, function);
		to.node = stacks_add(&t->stacks, to.node, function);
		VEC_PUSH(x->path, x->n_path, x->cap_path) = (struct path_call){to.hash, to.node};
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

static void read_row(struct reading *x, const struct aggregate_record *r)
{
	struct profile_entities *t = x->entities;
	struct profile_key *k = &x->profile->keys[r->key.by];
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
	entity = r->key.by == KEY_STACK ? add_stack(x, r) : entities_add(t, r->key.by, &to);
	if (placed)
		profile_set_place(x->profile, entity,
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

static enum status profile_read_record(void *arg, const struct aggregate_record *r, struct err *e)
{
	struct reading *x = arg;
	struct profile *p = x->profile;
	struct profile_entities *t = x->entities;

	if (x->n_path > r->key.n_same)
		x->n_path = r->key.n_same;
	switch (r->key.kind) {
	case AGG_HEAD:
		p->options = string(t, r->texts[0]);
		p->clock = string(t, r->texts[4]);
		p->period[0] = one_text(t, r->texts[3]);
		p->sampling = one_text(t, r->texts[1]);
		p->duration = r->counts[2];
		break;
	case AGG_INPUT: read_input(p, t, r); break;
	case AGG_FORMAT:
		p->format = x->has_format ? PROFILE_MIXED : one_text(t, r->key.name);
		x->has_format = true;
		break;
	case AGG_MODULE:
		VEC_PUSH(p->modules, p->n_modules, p->cap_modules) = (struct profile_module){
		    string(t, r->key.name), string(t, r->key.second), false};
		break;
	case AGG_NOTE:
		p->started |= r->key.name.n == sizeof PROFILE_STARTED - 1 &&
			      !memcmp(r->key.name.s, PROFILE_STARTED, r->key.name.n);
		trace_note_status(r->key.name.s, r->key.name.n, &p->status);
		break;
	case AGG_COUNTER: read_counter(p, t, r); break;
	case AGG_ROW: read_row(x, r); break;
	case AGG_KEY:
		if (!aggregate_known_check(r, e))
			return err_failure(e);
		p->keys[r->key.by].held = true;
		p->keys[r->key.by].cut = r->counts[1];
		p->keys[r->key.by].rest = aggregate_sums_of(r, 0);
		aggregate_known_of(r, &p->keys[r->key.by].known);
		break;
	default: break;
	}
	return profile_join_record(p, r, e);
}

enum status profile_read(struct cursor *c, struct profile_entities *t, struct profile *p,
			 struct err *e)
{
	struct reading x = {.profile = p, .entities = t};
	enum status st;

	profile_init(p, KEYS);
	p->from_aggregate = true;
	st = aggregate_records(c, profile_read_record, &x, e);
	profile_sort(p, t);
	p->domain = domain_of(t, p);
	free(x.path);
	if (st)
		profile_release(p);
	return st;
}
