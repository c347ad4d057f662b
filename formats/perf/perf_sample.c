/* SPDX-License-Identifier: MIT
 *
 * A sample: its fields are in the order of the bits of its event's sample_type, and only those
 * that are set; the fields behind the call chain are not needed.
 *
 * Equal chains in equal mappings are equal stacks: their hash has its id.
 */
#include "formats/perf/perf_data.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACKS_KEPT = 1 << 18 }; /* beyond that all are looked at again */
enum { FORMAT_ENABLED = 1, FORMAT_RUNNING = 2, FORMAT_ID = 4, FORMAT_GROUP = 8, FORMAT_LOST = 16 };

struct sample {
	uint64_t ip, time, period;
	uint32_t pid, tid;
	uint64_t has;
	const uint8_t *chain; /* n words */
	size_t n;
};

/* Values of a group have a count before them, and an id each. */
static void skip_read(struct perf_data *x, struct cursor *c, uint64_t format)
{
	uint64_t n = 1;
	size_t each = 1 + !!(format & FORMAT_ID) + !!(format & FORMAT_LOST);
	size_t times = !!(format & FORMAT_ENABLED) + !!(format & FORMAT_RUNNING);

	if (format & FORMAT_GROUP) {
		n = cursor_u64(c);
		x->groups += n > 1;
	}
	if (n > cursor_window(c) / 8)
		cursor_fail(c, ST_BAD, "values");
	cursor_skip(c, 8 * (times + n * each), "values");
}

static bool perf_sample_parse(struct perf_data *x, const struct perf_attr *a,
			      const struct perf_record *r, struct sample *s)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint64_t has = a->sample_type;

	*s = (struct sample){.has = has, .period = a->period};
	if (has & PERF_HAS_IDENTIFIER)
		cursor_u64(&c);
	if (has & PERF_HAS_IP)
		s->ip = cursor_u64(&c);
	if (has & PERF_HAS_TID) {
		s->pid = cursor_u32(&c);
		s->tid = cursor_u32(&c);
	}
	if (has & PERF_HAS_TIME)
		s->time = cursor_u64(&c);
	for (uint64_t left =
		 has & (PERF_HAS_ADDR | PERF_HAS_ID | PERF_HAS_STREAM_ID | PERF_HAS_CPU);
	     left; left &= left - 1)
		cursor_u64(&c);
	if (has & PERF_HAS_PERIOD)
		s->period = cursor_u64(&c);
	else if (a->freq) /* what it is then is not known */
		s->period = 0;
	if (has & PERF_HAS_READ)
		skip_read(x, &c, a->read_format);
	if (has & PERF_HAS_CALLCHAIN) {
		uint64_t n = cursor_u64(&c);

		if (n > cursor_window(&c) / 8)
			return false;
		s->n = (size_t)n;
		s->chain = cursor_bytes(&c, s->n * 8, "call chain");
	}
	return !cursor_failed(&c);
}

/* Entries of a chain from here on are no addresses: whose the following ones are. */
static bool is_context(uint64_t ip)
{
	return ip >= UINT64_MAX - 4094;
}

static enum perf_mode mode_of(struct perf_data *x, uint64_t context, enum perf_mode before)
{
	switch ((int64_t)context) {
	case -32: return PERF_HYPERVISOR;
	case -128: return PERF_KERNEL;
	case -512: return PERF_USER;
	case -2176: return PERF_GUEST_KERNEL;
	case -2048:
	case -2560: return PERF_GUEST_USER;
	default: x->odd++; return before;
	}
}

static void perf_sample_make_line(struct perf_data *x, const struct sample *s,
				  const struct perf_process *process, enum perf_mode mode)
{
	uint8_t kind = LOCATION_EXACT; /* where a thread was, and where it entered the kernel */
	uint32_t id;

	x->n_line = 0;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t ip = perf_word(x, s->chain + 8 * i);

		if (is_context(ip)) {
			mode = mode_of(x, ip, mode);
			kind = LOCATION_EXACT;
			continue;
		}
		if (x->n_line == PERF_STACK_MOST) {
			x->more_calls++;
			continue;
		}
		id = perf_location(x, process, ip, mode, kind);
		VEC_PUSH(x->line, x->n_line, x->cap_line) = id;
		kind = LOCATION_RETURN;
	}
	if (!x->n_line && s->has & PERF_HAS_IP) {
		id = perf_location(x, process, s->ip, mode, LOCATION_EXACT);
		VEC_PUSH(x->line, x->n_line, x->cap_line) = id;
	}
}

static uint32_t perf_sample_stack_of(struct perf_data *x, const struct sample *s,
				     enum perf_mode mode)
{
	const struct perf_process *process = perf_process(x, s->pid);
	struct {
		uint64_t maps, kernel, ip;
		uint32_t mode, pid;
	} on = {.maps = process->maps ? process->maps->version : 0,
		.kernel = x->kernel ? x->kernel->version : 0,
		.ip = s->ip,
		.mode = (uint32_t)mode,
		.pid = s->pid};
	uint64_t key = hash_bytes_seeded(s->n ? s->chain : (const uint8_t *)&on, s->n * 8,
					 hash_bytes(&on, sizeof on));
	uint32_t *known, stack;

	if (x->stacks.n >= STACKS_KEPT)
		map64_release(&x->stacks);
	known = map64_put(&x->stacks, key);
	if (*known)
		return *known - 1;
	*known = 1;
	perf_sample_make_line(x, s, process, mode);
	stack = trace_stack_of(x->im->t, x->line, x->n_line);
	*map64_put(&x->stacks, key) = stack + 1;
	return stack;
}

static enum status begin_samples(struct perf_data *x, const struct sample *s, struct err *e)
{
	struct trace *t = x->im->t;
	bool clock = false;
	char text[32];

	x->begun = true;
	if (s->has & PERF_HAS_TIME) {
		x->has_start = true;
		x->start = (int64_t)s->time;
		snprintf(text, sizeof text, "%" PRId64, x->start);
		trace_set(t, "perf.start_ns", text);
	}
	for (size_t i = 0; i < x->n_attrs; i++)
		clock |= perf_attr_is_clock(&x->attrs[i]);
	if (clock)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	return import_begin(x->im, e);
}

static struct perf_event_kind *kind_of(struct perf_data *x, struct perf_attr *a)
{
	struct perf_event_kind *kind;
	const char *name;

	if (a->kind)
		return &x->events.kinds[a->kind - 1];
	name = trace_text(x->im->t, perf_attr_name(x, a));
	kind = perf_event_kind(&x->events, x->im->t, name, strlen(name));
	if (kind) {
		kind->clock = perf_attr_is_clock(a);
		a->kind = (uint32_t)(kind - x->events.kinds) + 1;
	}
	return kind;
}

static enum status perf_sample_push(struct perf_data *x, const struct sample *s,
				    struct perf_event_kind *kind, uint32_t stack, struct err *e)
{
	struct emit_sample sample = {.stack = stack};

	if (s->has & PERF_HAS_TID)
		sample.thread = perf_thread_row(x, s->pid, s->tid);
	if (x->has_start && s->has & PERF_HAS_TIME && s->time <= INT64_MAX)
		sample.time = KNOWN((int64_t)s->time - x->start);
	perf_events_sample(&x->events, x->im->t, kind, s->period, &sample);
	x->no_period += !s->period;
	x->samples++;
	return emit_sample(x->im, &sample, e);
}

enum status perf_on_sample(struct perf_data *x, const struct perf_record *r, struct err *e)
{
	struct perf_attr *a = perf_attr_of_sample(x, r);
	struct perf_event_kind *kind;
	struct sample s;
	uint32_t stack;
	enum status st = ST_OK;

	if (!a) {
		x->unknown_attr++;
		return ST_OK;
	}
	if (!perf_sample_parse(x, a, r, &s)) {
		x->odd++;
		return ST_OK;
	}
	if (!x->begun)
		st = begin_samples(x, &s, e);
	kind = st ? NULL : kind_of(x, a);
	if (!kind)
		return st;
	x->unwound += !!(s.has & PERF_HAS_STACK_USER) && !x->simpleperf;
	x->branches += !!(s.has & PERF_HAS_BRANCH_STACK);
	stack = perf_sample_stack_of(x, &s, (enum perf_mode)(r->misc & PERF_MISC_CPUMODE));
	return perf_sample_push(x, &s, kind, stack, e);
}

void perf_samples_note(struct perf_data *x)
{
	struct trace *t = x->im->t;

	perf_events_note(&x->events, t);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->odd, "unreadable records were left out"),
	    LOSS(NOTE_LOSS, x->unknown_attr,
		 "samples are of events that the file does not describe"),
	    LOSS(NOTE_LOSS, x->lost, "events were lost by the kernel because perf read too slowly"),
	    LOSS(NOTE_LOSS, x->lost_samples, "samples were lost by the kernel"),
	    LOSS(NOTE_INFO, x->throttled, "times the kernel throttled an event"),
	    LOSS(NOTE_INFO, x->unwound,
		 "samples have a copy of the stack, which only perf script can unwind: their "
		 "callers in user space are unknown"),
	    LOSS(NOTE_INFO, x->branches, "samples have branch records, which were not read"),
	    LOSS(NOTE_INFO, x->groups,
		 "samples have values of other events of their group, which were not read"),
	    LOSS(NOTE_INFO, x->no_period, "samples have no period: their weight is unknown"),
	    LOSS(NOTE_INFO, x->unmapped, "addresses of stacks are in no mapping of their process"),
	    LOSS(NOTE_INFO, x->guests, "addresses of guests and hypervisors have no module"),
	    LOSS(NOTE_LOSS, x->more_calls, "calls of very deep stacks were left out"),
	    LOSS(NOTE_LOSS, x->more_maps, "mappings are above the limit"),
	    LOSS(NOTE_LOSS, x->more_attrs, "events or their ids are above the limit"),
	    LOSS(NOTE_INFO, x->aux, "records of AUX area traces (Intel PT, ETM) were not decoded"),
	    LOSS_IF(NOTE_GUESS, x->kernel_guessed,
		    "the kernel is assumed to be linked at 0xffffffff81000000, the start of x86-64 "
		    "kernels"),
	};

	TRACE_LOSSES(t, losses);
}
