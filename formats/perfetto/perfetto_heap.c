/* SPDX-License-Identifier: MIT
 *
 * Profiles of heaps (heapprofd). A dump has for each callstack what was allocated and freed there since the
 * profile began; a callstack that has nothing left in use may be left out of later ones. So each callstack
 * counts as it was sent last, and blocks are pushed when all dumps are read.
 */
#include "formats/perfetto/perfetto.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum amount { BYTES, BYTES_FREED, BLOCKS, BLOCKS_FREED, AMOUNTS };

struct dump { /* of one heap of one process, in one packet */
	uint64_t pid, stamp, interval, original;
	const uint8_t *name;
	size_t n_name;
	bool startup, rejected, disconnected, overran, corrupted, guardrail;
	uint64_t error;
};

static struct dump perfetto_dump_of(struct pb b)
{
	struct dump d = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: d.pid = f.value; break;
		case 3: d.startup = f.value; break;
		case 4: d.rejected = f.value; break;
		case 6: d.disconnected = f.value; break;
		case 7: d.overran = f.value; break;
		case 8: d.corrupted = f.value; break;
		case 9: d.stamp = f.value; break;
		case 10: d.guardrail = f.value; break;
		case 11:
			d.name = f.s;
			d.n_name = f.n;
			break;
		case 12: d.interval = f.value; break;
		case 13: d.original = f.value; break;
		case 14: d.error = f.value; break;
		}
	return d;
}

/* --- the scan: what metrics there are --- */

static void scan_dump(struct perfetto *x, const struct dump *d, struct perfetto_time at)
{
	if (d->stamp && d->stamp <= INT64_MAX)
		perfetto_time_at(x, PERFETTO_MONOTONIC_COARSE, (int64_t)d->stamp);
	else if (at.clock)
		perfetto_time_at(x, x->clocks.list[at.clock - 1].key, at.raw);
	x->heaps.sampled |= d->interval != 1;
	x->heaps.late |= !d->startup;
}

void perfetto_profile_scan(struct perfetto *x, const struct perfetto_packet *p)
{
	struct pb b = pb_of(&p->data);
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 5 && f.wire == PB_BYTES) {
			struct dump d = perfetto_dump_of(pb_of(&f));

			scan_dump(x, &d, p->time);
		}
}

void perfetto_heaps_metrics(struct perfetto *x)
{
	struct trace *t = x->im->t;

	if (!x->kinds[PERFETTO_PROFILE])
		return;
	emit_blocks_live(&x->blocks, x->heaps.sampled ? METRIC_ESTIMATED
				     : x->heaps.late  ? METRIC_LOWER_BOUND
						      : METRIC_EXACT);
	trace_set_blocks(t, TRACE_BLOCKS_SUMMED);
	/* Bytes are scaled up to all allocations, blocks are those that were sampled. */
	trace_metric(t, METRIC_REQUESTED, x->heaps.sampled ? METRIC_ESTIMATED : METRIC_EXACT,
		     METRIC_AT_ALL);
	trace_metric(t, METRIC_COUNT, x->heaps.sampled ? METRIC_LOWER_BOUND : METRIC_EXACT,
		     METRIC_AT_ALL);
}

/* --- rows --- */

static uint32_t perfetto_owner_of(struct perfetto *x, const struct dump *d)
{
	static const char art[] = "com.android.art";
	struct perfetto_heaps *h = &x->heaps;
	uint64_t key =
	    hash_u64(hash_bytes(d->n_name ? d->name : (const uint8_t *)"", d->n_name) ^ d->pid);
	uint32_t *at = map64_put(&h->owner_ids, key);
	struct perfetto_owner o = {.pid = (uint32_t)d->pid};

	if (!*at) {
		if (d->n_name && !(d->n_name == 11 && !memcmp(d->name, "libc.malloc", 11)))
			o.name = trace_type(x->im->t, (const char *)d->name, d->n_name);
		o.art = d->n_name == sizeof art - 1 && !memcmp(d->name, art, sizeof art - 1);
		VEC_PUSH(h->owners, h->n_owners, h->cap_owners) = o;
		*at = (uint32_t)h->n_owners;
	}
	return *at - 1;
}

static void perfetto_note_dump(struct perfetto *x, uint32_t owner, const struct dump *d,
			       struct perfetto_time at)
{
	struct perfetto_heaps *h = &x->heaps;
	struct perfetto_owner *o = &h->owners[owner];
	struct perfetto_dump dump = {.owner = owner, .stamp = d->stamp};
	int64_t ns;

	h->rejected += d->rejected;
	h->disconnected += d->disconnected;
	h->overran += d->overran || d->error == 1;
	h->errors += d->error > 1;
	h->corrupted += d->corrupted;
	h->guardrail += d->guardrail;
	if (d->stamp && d->stamp <= INT64_MAX)
		at = perfetto_time_at(x, PERFETTO_MONOTONIC_COARSE, (int64_t)d->stamp);
	if (!perfetto_ns(x, at, &ns))
		return;
	o->time = dump.time = ns;
	o->has_time = true;
	if (h->n_dumps && h->dumps[h->n_dumps - 1].owner == owner &&
	    h->dumps[h->n_dumps - 1].stamp == d->stamp)
		return; /* goes on in another packet */
	VEC_PUSH(h->dumps, h->n_dumps, h->cap_dumps) = dump;
}

static struct perfetto_row perfetto_row_of(struct pb b, const struct dump *d)
{
	struct perfetto_row r = {.counted = true};
	uint64_t most = 0, most_count = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: r.callstack = f.value; break;
		case 2: r.v[BYTES] = f.value; break;
		case 3: r.v[BYTES_FREED] = f.value; break;
		case 5: r.v[BLOCKS] = f.value; break;
		case 6: r.v[BLOCKS_FREED] = f.value; break;
		case 8:
			most = f.value;
			r.most = true;
			break;
		case 9: most_count = f.value; break;
		}
	if (r.most) {
		r.v[BYTES] = most;
		r.v[BLOCKS] = most_count;
		r.v[BYTES_FREED] = r.v[BLOCKS_FREED] = 0;
		/* Writers that do not tell the first interval counted wrong. */
		r.counted = d->original > 0;
	}
	return r;
}

/* What a callstack comes to, so far. */
static void perfetto_set_sum(struct perfetto *x, const struct perfetto_seq *s,
			     const struct perfetto_row *r, uint32_t stack)
{
	struct perfetto_heaps *h = &x->heaps;
	const uint64_t of[] = {r->callstack, (uint64_t)s->id << 32 | s->session,
			       (uint64_t)r->owner << 32 | stack};
	uint32_t *at = map64_put(&h->sum_ids, hash_bytes(of, sizeof of));
	struct perfetto_sum *sum;

	if (!*at) {
		VEC_PUSH(h->sums, h->n_sums, h->cap_sums) =
		    (struct perfetto_sum){.owner = r->owner, .stack = stack};
		*at = (uint32_t)h->n_sums;
	}
	sum = &h->sums[*at - 1];
	memcpy(sum->v, r->v, sizeof sum->v);
	sum->counted = r->counted;
	h->most += r->most;
}

static bool is_huge(const struct perfetto_row *r)
{
	for (size_t i = 0; i < AMOUNTS; i++)
		if (r->v[i] > INT64_MAX / 2)
			return true;
	return r->v[BLOCKS] > (uint64_t)BLOCKS_MOST || r->v[BLOCKS_FREED] > (uint64_t)BLOCKS_MOST;
}

static void add_row(struct perfetto *x, struct perfetto_seq *s, const struct perfetto_row *r)
{
	uint64_t missing = x->missing;
	uint32_t stack = 0;

	if (!s->inlined && perfetto_stack(x, s->tables, r->callstack, LOCATION_EXACT, &stack)) {
		perfetto_set_sum(x, s, r, stack);
		return;
	}
	x->missing = missing;
	VEC_PUSH(s->rows, s->n_rows, s->cap_rows) = *r;
}

static void perfetto_parse_dump(struct perfetto *x, struct perfetto_seq *s,
				const struct perfetto_packet *p, struct pb b)
{
	struct perfetto_heaps *h = &x->heaps;
	struct dump d = perfetto_dump_of(b);
	uint32_t owner = perfetto_owner_of(x, &d);
	struct pb_field f;

	perfetto_note_dump(x, owner, &d, p->time);
	while (pb_next(&b, &f)) {
		struct perfetto_row r;

		if (f.number != 2 || f.wire != PB_BYTES)
			continue;
		r = perfetto_row_of(pb_of(&f), &d);
		r.owner = owner;
		if (is_huge(&r)) {
			h->huge++;
			continue;
		}
		add_row(x, s, &r);
		if (h->n_dumps && r.v[BYTES] > r.v[BYTES_FREED] && !h->owners[owner].art)
			h->dumps[h->n_dumps - 1].live += r.v[BYTES] - r.v[BYTES_FREED];
	}
}

/* A number that does not follow: packets were lost, or another profile begins. */
static void check_index(struct perfetto *x, struct perfetto_seq *s, uint64_t index)
{
	if (s->profile && index < s->profile)
		s->session++;
	else if (s->profile && index > s->profile)
		x->heaps.lost += index - s->profile;
	s->profile = index + 1;
}

void perfetto_profile(struct perfetto *x, struct perfetto_seq *s, const struct perfetto_packet *p)
{
	struct pb b = pb_of(&p->data);
	struct pb again = b;
	bool goes_on = false;
	struct pb_field f;

	if (!s)
		s = perfetto_seq_of(x, 0);
	if (!s)
		return;
	while (pb_next(&b, &f))
		if (f.number == 6)
			goes_on = f.value;
		else if (f.number == 7 && f.value < UINT64_MAX)
			check_index(x, s, f.value);
		else if (f.number && f.number < 5)
			s->inlined = true;
	if (s->inlined) {
		if (!s->own)
			s->own = mem_zalloc(sizeof *s->own);
		perfetto_intern(x, s->own, again, true);
	}
	while (pb_next(&again, &f))
		if (f.number == 5 && f.wire == PB_BYTES)
			perfetto_parse_dump(x, s, p, pb_of(&f));
	if (!goes_on)
		perfetto_profile_flush(x, s);
}

void perfetto_profile_flush(struct perfetto *x, struct perfetto_seq *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct perfetto_row *r = &s->rows[i];
		bool own = s->own && map64_get(&s->own->callstack_ids, r->callstack);
		struct perfetto_tables *k = own ? s->own : s->tables;
		uint32_t stack;

		x->missing += !k || !map64_get(&k->callstack_ids, r->callstack);
		perfetto_stack(x, k, r->callstack, LOCATION_EXACT, &stack);
		perfetto_set_sum(x, s, r, stack);
	}
	s->n_rows = 0;
	s->inlined = false;
	if (s->own)
		perfetto_tables_clear(s->own);
}

/* --- blocks --- */

static enum status perfetto_push_blocks(struct perfetto *x, const struct perfetto_sum *sum,
					bool freed, struct err *e)
{
	const struct perfetto_owner *o = &x->heaps.owners[sum->owner];
	unsigned bytes = freed ? BYTES_FREED : BYTES, blocks = freed ? BLOCKS_FREED : BLOCKS;
	int64_t v[BLOCKS_AMOUNTS] = {(int64_t)sum->v[blocks], (int64_t)sum->v[bytes], 0};
	const struct emit_profile row = {.stack = sum->stack,
					 .thread = perfetto_process(x, o->pid),
					 .type = o->name,
					 .time = KNOWN_IF(o->has_time, o->time),
					 .domain = KNOWN(o->name ? DOMAIN_POOL : DOMAIN_MALLOC),
					 .known = 1u << BLOCKS_REQUESTED |
						  (sum->counted ? 1u << BLOCKS_COUNT : 0)};

	if (!freed && !o->art) {
		v[BLOCKS_COUNT] -= (int64_t)sum->v[BLOCKS_FREED];
		v[BLOCKS_REQUESTED] -= (int64_t)sum->v[BYTES_FREED];
	}
	for (size_t i = 0; i < BLOCKS_AMOUNTS; i++)
		v[i] = v[i] < 0 ? 0 : v[i];
	if (!v[BLOCKS_COUNT] && !v[BLOCKS_REQUESTED])
		return ST_OK;
	/* Objects of Android's runtime do not say when they are freed. */
	x->blocks.live = !o->art;
	return emit_blocks(&x->blocks, &row, v, freed ? PROFILE_FREED : PROFILE_LIVE, e);
}

/* What was in use at each dump, where there are several. */
static enum status perfetto_push_dumps(struct perfetto *x, struct err *e)
{
	struct perfetto_heaps *h = &x->heaps;
	struct trace *t = x->im->t;
	enum status st = ST_OK;

	for (size_t i = 0; !st && h->n_dumps > h->n_owners && i < h->n_dumps; i++) {
		const struct perfetto_owner *o = &h->owners[h->dumps[i].owner];
		uint32_t name = map64_get(&x->names.processes, o->pid);
		int64_t live = h->dumps[i].live > INT64_MAX ? INT64_MAX : (int64_t)h->dumps[i].live;

		if (o->art)
			continue;
		x->text.len = 0;
		buf_addf(&x->text, "heap.live %s %u",
			 o->name ? trace_text(t, t->types[o->name]) : "libc.malloc", o->pid);
		if (name)
			buf_addf(&x->text, " %s", intern_text(&x->names.strings, name, NULL));
		st = emit_counter(x->im, emit_counter_id(x->im, buf_str(&x->text), "B"),
				  KNOWN(h->dumps[i].time), live, e);
	}
	return st;
}

static void perfetto_heap_notes(const struct perfetto *x)
{
	const struct perfetto_heaps *h = &x->heaps;
	struct trace *t = x->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, h->lost, "packets of heap profiles were lost"),
	    LOSS(NOTE_LOSS, h->huge, "rows of heap profiles have impossible values: left out"),
	    LOSS(NOTE_LOSS, h->rejected,
		 "processes were not profiled because another session profiled them"),
	    LOSS(NOTE_LOSS, h->overran,
		 "dumps end early because the profiler did not keep up with its process"),
	    LOSS(NOTE_LOSS, h->corrupted,
		 "dumps end early because the buffer between process and profiler was corrupted"),
	    LOSS(NOTE_LOSS, h->guardrail,
		 "dumps end early because the profiler reached a limit of its own"),
	    LOSS(NOTE_LOSS, h->errors, "dumps are of a process whose stack could not be read"),
	    LOSS(NOTE_INFO, h->disconnected, "dumps are of processes that ended or disconnected"),
	    LOSS(NOTE_INFO, h->most, "rows are only of the peak: the profile has no other moment"),
	    LOSS(NOTE_INFO, h->n_dumps > h->n_owners ? h->n_dumps - h->n_owners : 0,
		 "dumps are followed by later ones: callstacks count as in the last dump"),
	};

	TRACE_LOSSES(t, losses);
	if (h->n_owners && h->late)
		trace_note(t, NOTE_INFO, 0,
			   "profiling began in running processes: older blocks are unknown");
}

enum status perfetto_heaps_end(struct perfetto *x, struct err *e)
{
	struct perfetto_heaps *h = &x->heaps;
	enum status st = ST_OK;

	for (size_t i = 0; i < x->n_seqs; i++)
		perfetto_profile_flush(x, &x->seqs[i]);
	for (size_t i = 0; !st && i < h->n_sums; i++) {
		st = perfetto_push_blocks(x, &h->sums[i], false, e);
		if (!st && !h->owners[h->sums[i].owner].art)
			st = perfetto_push_blocks(x, &h->sums[i], true, e);
	}
	if (!st)
		st = perfetto_push_dumps(x, e);
	perfetto_heap_notes(x);
	return st;
}

void perfetto_heaps_release(struct perfetto_heaps *h)
{
	free(h->owners);
	free(h->sums);
	free(h->dumps);
	map64_release(&h->owner_ids);
	map64_release(&h->sum_ids);
}
