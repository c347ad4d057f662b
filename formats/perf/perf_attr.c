/* SPDX-License-Identifier: MIT
 *
 * Attributes of events: what a sample has, and what an event is called.
 */
#include "formats/perf/perf_data.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>

enum { ATTR_LEAST = 64, FLAG_FREQ = 10, FLAG_SAMPLE_ID_ALL = 18 };
enum { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_CACHE, TYPE_RAW, TYPE_BREAKPOINT };

/* Bits are numbered from the lowest one; compilers for big-endian machines begin at the highest. */
static bool flag(const struct cursor *c, uint64_t flags, unsigned bit)
{
	return flags >> (c->big_endian ? 63 - bit : bit) & 1;
}

bool perf_attr_add(struct perf_data *x, struct cursor *c, size_t size)
{
	struct perf_attr a = {0};
	uint64_t flags;

	a.type = cursor_u32(c);
	cursor_u32(c);
	a.config = cursor_u64(c);
	a.period = cursor_u64(c);
	a.sample_type = cursor_u64(c);
	a.read_format = cursor_u64(c);
	flags = cursor_u64(c);
	if (size < ATTR_LEAST)
		return false;
	cursor_skip(c, size - 48, "attribute");
	a.freq = flag(c, flags, FLAG_FREQ);
	a.sample_id_all = flag(c, flags, FLAG_SAMPLE_ID_ALL);
	if (cursor_failed(c))
		return false;
	if (x->n_attrs == PERF_ATTRS_MOST)
		x->more_attrs++;
	else
		VEC_PUSH(x->attrs, x->n_attrs, x->cap_attrs) = a;
	return true;
}

void perf_attr_id(struct perf_data *x, uint64_t id, size_t attr)
{
	if (attr >= x->n_attrs || x->ids.n >= PERF_IDS_MOST)
		x->more_attrs += attr < x->n_attrs;
	else
		*map64_put(&x->ids, id) = (uint32_t)attr + 1;
}

/* Where a sample has the id of its event, in bytes; SIZE_MAX: nowhere. All events of a file have it
 * at the same place. */
static size_t id_place(const struct perf_attr *a)
{
	uint64_t has = a->sample_type;

	if (has & PERF_HAS_IDENTIFIER)
		return 0;
	if (!(has & PERF_HAS_ID))
		return SIZE_MAX;
	return 8 * (size_t)__builtin_popcountll(
		       has & (PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_ADDR));
}

struct perf_attr *perf_attr_of_sample(struct perf_data *x, const struct perf_record *r)
{
	size_t at;
	uint64_t id;
	uint32_t index;

	if (x->n_attrs < 2)
		return x->n_attrs ? x->attrs : NULL;
	at = id_place(x->attrs);
	if (at == SIZE_MAX || !x->ids.n)
		return x->attrs;
	if (r->n < 8 || at > r->n - 8)
		return NULL;
	id = perf_word(x, r->p + at);
	index = id ? map64_get(&x->ids, id) : 1; /* samples that a tool made up have none */
	return index ? &x->attrs[index - 1] : NULL;
}

uint64_t perf_time_of_sample(const struct perf_data *x, const struct perf_record *r)
{
	uint64_t has = x->n_attrs ? x->attrs->sample_type : 0;
	size_t at = 8 * (size_t)__builtin_popcountll(
			    has & (PERF_HAS_IDENTIFIER | PERF_HAS_IP | PERF_HAS_TID));

	return has & PERF_HAS_TIME && r->n >= 8 && at <= r->n - 8 ? perf_word(x, r->p + at) : 0;
}

uint64_t perf_time_of_other(const struct perf_data *x, const struct perf_record *r)
{
	uint64_t has = x->n_attrs && x->attrs->sample_id_all ? x->attrs->sample_type : 0;
	size_t behind = 8 * (size_t)__builtin_popcountll(has & (PERF_HAS_TIME | PERF_HAS_ID |
								PERF_HAS_STREAM_ID | PERF_HAS_CPU |
								PERF_HAS_IDENTIFIER));

	return has & PERF_HAS_TIME && r->n >= behind ? perf_word(x, r->p + r->n - behind) : 0;
}

bool perf_attr_is_clock(const struct perf_attr *a)
{
	return a->type == TYPE_SOFTWARE && a->config < 2;
}

/* As perf calls them. */
static void perf_attr_make_name(const struct perf_attr *a, struct buf *b)
{
	static const char *const hardware[] = {"cycles",
					       "instructions",
					       "cache-references",
					       "cache-misses",
					       "branches",
					       "branch-misses",
					       "bus-cycles",
					       "stalled-cycles-frontend",
					       "stalled-cycles-backend",
					       "ref-cycles"};
	static const char *const software[] = {
	    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					     "iTLB",      "branch",    "node"};
	static const char *const operations[] = {"load", "store", "prefetch"};
	uint64_t cache = a->config & 255, operation = a->config >> 8 & 255,
		 miss = a->config >> 16 & 255;

	if (a->type == TYPE_HARDWARE && a->config < sizeof hardware / sizeof *hardware)
		buf_adds(b, hardware[a->config]);
	else if (a->type == TYPE_SOFTWARE && a->config < sizeof software / sizeof *software)
		buf_adds(b, software[a->config]);
	else if (a->type == TYPE_CACHE && cache < 7 && operation < 3 && miss < 2)
		buf_addf(b, "%s-%s%s", caches[cache], operations[operation],
			 miss             ? "-misses"
			 : operation == 2 ? "es"
					  : "s");
	else if (a->type == TYPE_TRACEPOINT)
		buf_addf(b, "tracepoint %" PRIu64, a->config);
	else if (a->type == TYPE_RAW)
		buf_addf(b, "raw 0x%" PRIx64, a->config);
	else if (a->type == TYPE_BREAKPOINT)
		buf_adds(b, "breakpoint");
	else
		buf_addf(b, "event %" PRIu32 ":0x%" PRIx64, a->type, a->config);
}

uint32_t perf_attr_name(struct perf_data *x, struct perf_attr *a)
{
	struct buf b = BUF_INIT;

	if (a->name)
		return a->name;
	perf_attr_make_name(a, &b);
	a->name = trace_string(x->im->t, b.data, b.len);
	buf_release(&b);
	return a->name;
}

void perf_attr_named(struct perf_data *x, uint64_t id, const char *s, size_t n)
{
	uint32_t index = map64_get(&x->ids, id);

	if (index && n)
		x->attrs[index - 1].name = trace_string(x->im->t, s, n);
}
