/* SPDX-License-Identifier: MIT
 *
 * Heap profiles as text: what gperftools' heap profiler and Go's (debug=1) write,
 *
 *	heap profile:   7093: 10000000 [  7093: 10000000] @ heapprofile
 *	    32:  3200000 [    32:  3200000] @ 0x558db219e1c8 0x558db219e21e
 *
 * and jemalloc's, whose rows are of all threads together and of each:
 *
 *	heap_v2/524288
 *	  t*: 28106: 56637512 [0: 0]
 *	  t0: 28106: 56637512 [0: 0]
 *	@ 0x7f678e0a2630 0x55863897a174
 *	  t*: 6: 672 [0: 0]
 *	  t0: 6: 672 [0: 0]
 *
 * Number and bytes of what is in use, and in brackets of all that was allocated; return addresses,
 * innermost first; and, behind MAPPED_LIBRARIES:, the text of /proc/self/maps. So the file is read
 * twice, the map and Go's names first.
 *
 * A profile that was sampled each N bytes has less than there was: numbers and bytes are multiplied
 * by 1 / (1 - exp(-mean size / N)), as pprof and jeprof do, by row. N is the period of "heap_v2", and
 * half of it in "heap" (Go's, and old tcmalloc's).
 *
 * Facts: files of gperftools 2.10, jemalloc 5.3 and Go 1.19, and what google-pprof, jeprof and
 * go tool pprof show of them.
 */
#include "formats/emit.h"
#include "formats/pprof/heap_line.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_LINE = 4 << 20, HEAP_STACK_MOST = 65536 };

struct heap_profile {
	struct import *im;
	struct emit_blocks blocks;
	double period; /* 0: nothing to multiply */
	bool all;      /* what was allocated is known, too */
	struct heap_numbers sum, rows;
	bool has_sum, has_map;
	uint64_t refused, first_refused, number; /* lines */
	uint64_t deep, huge, uneven;

	struct map64 symbols; /* address -> index + 1 */
	struct heap_name {
		uint32_t location,
		    next; /* next: of the call that it was inlined into, + 1; 0: none */
	} * names;
	size_t n_names, cap_names;
	struct map64 thread_names; /* jemalloc's number -> string */

	uint32_t *stack; /* of jemalloc's row */
	size_t n_stack, cap_stack;
	bool in_row, has_total;
	struct heap_numbers total;
	struct heap_thread *threads; /* of the row; without names */
	size_t n_threads, cap_threads;
};

/* --- what is known before the rows --- */

static uint32_t text_of(struct trace *t, struct heap_text s)
{
	return s.s < s.end ? trace_string(t, s.s, (size_t)(s.end - s.s)) : 0;
}

/* Several lines of one address are calls that were inlined, innermost first. A row that has the
 * address again repeats them. */
static void heap_text_add_symbol(struct heap_profile *p, const struct heap_symbol *x,
				 uint64_t *last, struct map64 *done)
{
	struct trace *t = p->im->t;
	struct location l = {.space = SPACE_NAME,
			     .name = text_of(t, x->name),
			     .file = text_of(t, x->file),
			     .line = x->line};
	uint32_t *first = map64_put(&p->symbols, x->address);

	if (*last != x->address) {
		if (*first)
			*map64_put(done, x->address) = 1;
		*last = x->address;
	}
	if (map64_get(done, x->address))
		return;
	if (!*first)
		*first = (uint32_t)p->n_names + 1;
	else
		p->names[p->n_names - 1].next = (uint32_t)p->n_names + 1;
	VEC_PUSH(p->names, p->n_names, p->cap_names) = (struct heap_name){trace_location(t, &l), 0};
}

static void note_thread(struct heap_profile *p, const struct heap_thread *th)
{
	if (th->name.s < th->name.end)
		*map64_put(&p->thread_names, th->tid) = text_of(p->im->t, th->name);
}

/* Looks at all that is no row. */
static enum status heap_text_read_rest(struct heap_profile *p, struct err *e)
{
	struct cursor *c = &p->im->in->cur;
	struct map64 done = {0};
	uint64_t last = 0;
	bool rows = false;
	const char *s;
	size_t n;

	while (!p->has_map && (s = cursor_line(c, &n, HEAP_LINE))) {
		struct heap_symbol x;
		struct heap_thread th;

		rows |= n && *s == '@';
		if (heap_line_maps(s, n))
			p->has_map = true;
		else if (n && *s == '#' && heap_line_symbol(s, n, &x))
			heap_text_add_symbol(p, &x, &last, &done);
		else if (!rows && heap_line_thread(s, n, &th) && !th.total)
			note_thread(p, &th);
		last = n && *s == '#' ? last : 0;
	}
	map64_release(&done);
	if (cursor_failed(c))
		return err_failure(e);
	if (p->has_map && !p->im->options->maps) {
		struct err none = ERR_INIT;

		/* A map that is empty or cut leaves addresses: symbolizing reports that. */
		p->has_map = !maps_read(c, p->im->t, NULL, &none);
	}
	return ST_OK;
}

/* --- a row --- */

static void push_location(struct heap_profile *p, uint32_t location)
{
	if (p->n_stack == HEAP_STACK_MOST)
		p->deep++;
	else
		VEC_PUSH(p->stack, p->n_stack, p->cap_stack) = location;
}

/* Rows have return addresses; Go's lines of symbols have one less, as runtime.Frame.PC lies in the call. */
static uint32_t symbol_at(const struct heap_profile *p, uint64_t address)
{
	uint32_t at = map64_get(&p->symbols, address);

	return at ? at : map64_get(&p->symbols, address - 1);
}

static void add_address(struct heap_profile *p, uint64_t address)
{
	uint32_t at = p->names ? symbol_at(p, address) : 0;
	struct location l = {.raw = address, .space = SPACE_RUNTIME, .kind = LOCATION_RETURN};

	if (at && !p->names[at - 1].next) {
		const struct location *named = &p->im->t->locations[p->names[at - 1].location];

		l.name = named->name;
		l.file = named->file;
		l.line = named->line;
	} else if (at) {
		for (; at; at = p->names[at - 1].next)
			push_location(p, p->names[at - 1].location);
		return;
	}
	push_location(p, trace_location(p->im->t, &l));
}

/* False: it has something else than addresses. */
static bool parse_stack(struct heap_profile *p, struct heap_text t)
{
	uint64_t address;

	p->n_stack = 0;
	while (heap_line_address(&t, &address))
		add_address(p, address);
	while (t.s < t.end && (*t.s == ' ' || *t.s == '\t'))
		t.s++;
	return t.s == t.end;
}

static double factor_of(const struct heap_profile *p, int64_t count, int64_t bytes)
{
	double mean;

	if (!p->period || !count || !bytes)
		return 1;
	mean = (double)bytes / (double)count;
	return 1 / (1 - exp(-mean / p->period));
}

static int64_t times(int64_t v, double factor)
{
	double x = (double)v * factor;

	return factor == 1 ? v : x < 9e18 ? llround(x) : INT64_MAX;
}

/* live, all: factors of this row. */
static enum status heap_text_push_row(struct heap_profile *p, const struct emit_profile *row,
				      const struct heap_numbers *v, double live, double all,
				      struct err *e)
{
	int64_t used[BLOCKS_AMOUNTS] = {times(v->live, live), times(v->live_bytes, live)};
	const int64_t made[BLOCKS_AMOUNTS] = {times(v->all, all), times(v->all_bytes, all)};
	int64_t rest[BLOCKS_AMOUNTS];
	enum status st = ST_OK;

	emit_blocks_gone(&p->blocks, made, used, p->all ? BLOCKS_SIZED : 0, rest);
	if (emit_blocks_huge(&p->blocks, used) || emit_blocks_huge(&p->blocks, rest)) {
		p->huge++;
		return ST_OK;
	}
	if (used[0] || used[1])
		st = emit_blocks(&p->blocks, row, used, PROFILE_LIVE, e);
	if (!st && p->all && (rest[0] || rest[1]))
		st = emit_blocks(&p->blocks, row, rest, PROFILE_FREED, e);
	return st;
}

static void add_up(struct heap_numbers *to, const struct heap_numbers *v)
{
	to->live = (int64_t)((uint64_t)to->live + (uint64_t)v->live);
	to->live_bytes = (int64_t)((uint64_t)to->live_bytes + (uint64_t)v->live_bytes);
	to->all = (int64_t)((uint64_t)to->all + (uint64_t)v->all);
	to->all_bytes = (int64_t)((uint64_t)to->all_bytes + (uint64_t)v->all_bytes);
}

static bool same_numbers(const struct heap_numbers *a, const struct heap_numbers *b)
{
	return a->live == b->live && a->live_bytes == b->live_bytes && a->all == b->all &&
	       a->all_bytes == b->all_bytes;
}

static enum status heap_text_push_total(struct heap_profile *p, const struct heap_numbers *v,
					struct err *e)
{
	struct emit_profile row = {.stack = trace_stack_of(p->im->t, p->stack, p->n_stack),
				   .domain = KNOWN(DOMAIN_MALLOC),
				   .known = BLOCKS_SIZED};
	double live = factor_of(p, v->live, v->live_bytes),
	       all = factor_of(p, v->all, v->all_bytes);
	struct heap_numbers sum = {0};
	enum status st = ST_OK;

	add_up(&p->rows, v);
	for (size_t i = 0; i < p->n_threads; i++)
		add_up(&sum, &p->threads[i].v);
	if (!p->n_threads || !same_numbers(&sum, v)) {
		p->uneven += p->n_threads > 0;
		return heap_text_push_row(p, &row, v, live, all, e);
	}
	/* The row's factor is that of all threads together, as jeprof has it. */
	for (size_t i = 0; !st && i < p->n_threads; i++) {
		const struct heap_thread *th = &p->threads[i];
		struct thread thread = {.tid = th->tid,
					.name = map64_get(&p->thread_names, th->tid)};

		row.thread = trace_thread(p->im->t, &thread);
		st = heap_text_push_row(p, &row, &th->v, live, all, e);
	}
	return st;
}

static void refuse_line(struct heap_profile *p)
{
	if (!p->refused++)
		p->first_refused = p->number;
}

/* jemalloc's row is over where the next one begins. */
static enum status end_row(struct heap_profile *p, struct err *e)
{
	enum status st = p->in_row && p->has_total ? heap_text_push_total(p, &p->total, e) : ST_OK;

	p->in_row = p->has_total = false;
	p->n_threads = 0;
	return st;
}

static enum status heap_text_parse_jemalloc(struct heap_profile *p, const char *s, size_t n,
					    struct err *e)
{
	struct heap_thread th;
	enum status st = ST_OK;

	if (*s == '@') {
		st = end_row(p, e);
		p->in_row = parse_stack(p, (struct heap_text){s + 1, s + n});
		if (!p->in_row)
			refuse_line(p);
	} else if (!heap_line_thread(s, n, &th)) {
		refuse_line(p);
	} else if (p->in_row && th.total) {
		p->total = th.v;
		p->has_total = true;
	} else if (p->in_row) {
		VEC_PUSH(p->threads, p->n_threads, p->cap_threads) = th;
	}
	return st;
}

static enum status parse_gperftools(struct heap_profile *p, const char *s, size_t n, struct err *e)
{
	struct heap_text t = {s, s + n};
	struct heap_numbers v;
	const char *at;

	if (*s == '#')
		return ST_OK;
	if (!heap_line_numbers(&t, &v) || !(at = memchr(t.s, '@', (size_t)(t.end - t.s))) ||
	    !parse_stack(p, (struct heap_text){at + 1, t.end})) {
		refuse_line(p);
		return ST_OK;
	}
	return heap_text_push_total(p, &v, e);
}

static enum status heap_text_parse_rows(struct heap_profile *p, bool jemalloc, struct err *e)
{
	struct cursor *c = &p->im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, HEAP_LINE)) && !heap_line_maps(s, n)) {
		p->number++;
		if (p->number == 1 || !n)
			continue;
		if ((const char *)c->pos == s + n) /* a number that is cut is another one */
			refuse_line(p);
		else
			st = jemalloc ? heap_text_parse_jemalloc(p, s, n, e)
				      : parse_gperftools(p, s, n, e);
	}
	if (!st && jemalloc)
		st = end_row(p, e);
	return !st && cursor_failed(c) ? err_failure(e) : st;
}

/* --- the whole --- */

static bool kind_is(const struct heap_head *h, const char *word)
{
	size_t n = (size_t)(h->kind.end - h->kind.s);

	return n == strlen(word) && !memcmp(h->kind.s, word, n);
}

static void set_metrics(struct heap_profile *p)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REQUESTED};
	enum metric_state state = p->period ? METRIC_ESTIMATED : METRIC_EXACT;

	for (int i = 0; i < 2; i++)
		trace_metric(p->im->t, metrics[i], p->all ? state : METRIC_LOWER_BOUND,
			     METRIC_AT_ALL);
	emit_blocks_live(&p->blocks, state);
	trace_set_blocks(p->im->t, TRACE_BLOCKS_SUMMED);
}

static void heap_text_set_kind(struct heap_profile *p, const struct heap_head *h)
{
	struct trace *t = p->im->t;
	uint64_t half = h->period / 2;
	char text[32];

	if (kind_is(h, "heap_v2") || kind_is(h, "heapz_v2"))
		p->period = (double)h->period;
	else if (kind_is(h, "heap") || kind_is(h, "heapz"))
		p->period = (double)half;
	else if (!kind_is(h, "heapprofile"))
		trace_note(t, NOTE_GUESS, 0,
			   "the profile has the unknown kind %.*s: its numbers are used "
			   "unchanged",
			   (int)(h->kind.end - h->kind.s < 40 ? h->kind.end - h->kind.s : 40),
			   h->kind.s ? h->kind.s : "");
	if (p->period <= 1) /* each was taken */
		p->period = 0;
	if (p->period) {
		snprintf(text, sizeof text, "%.0f", p->period);
		trace_set(t, "heap.sample_bytes", text);
	}
}

static void heap_text_add_notes(const struct heap_profile *p)
{
	struct trace *t = p->im->t;

	if (p->refused)
		trace_note(t, NOTE_LOSS, p->refused,
			   "lines are not rows of a heap profile, the first is line %" PRIu64,
			   p->first_refused);
	if (p->has_sum && (p->rows.live < p->sum.live || p->rows.live_bytes < p->sum.live_bytes))
		trace_note(t, NOTE_LOSS, 0,
			   "rows have %" PRId64
			   " blocks in use, but the first line states %" PRId64,
			   p->rows.live, p->sum.live);
	if (p->huge)
		trace_note(t, NOTE_LOSS, p->huge, "rows have an impossible number of blocks");
	if (p->deep)
		trace_note(t, NOTE_LOSS, p->deep,
			   "addresses of stacks are above the limit of "
			   "%d",
			   HEAP_STACK_MOST);
	emit_blocks_note(&p->blocks);
	if (p->uneven)
		trace_note(t, NOTE_GUESS, p->uneven,
			   "rows are not the sum of their threads: read without threads");
	if (!p->has_map && !t->n_modules)
		trace_note(t, NOTE_INFO, 0, "the profile has no module map");
}

static enum status heap_text_read_profile(struct heap_profile *p, struct err *e)
{
	struct cursor *c = &p->im->in->cur;
	struct heap_head h;
	const char *s;
	size_t n;
	enum status st;

	s = cursor_line(c, &n, HEAP_LINE);
	if (!s || !heap_line_head(s, n, &h))
		return cursor_failed(c)
			   ? err_failure(e)
			   : err_at(e, ST_BAD, 0, "the first line is not from a heap profile");
	heap_text_set_kind(p, &h);
	p->sum = h.sum;
	p->has_sum =
	    !h.jemalloc; /* jemalloc 5.3 corrects its first rows for sampling in its own way */
	p->all = !h.jemalloc;
	if (h.jemalloc) { /* of all threads: without prof_accum all that was allocated is 0 */
		struct heap_thread th;

		s = cursor_line(c, &n, HEAP_LINE);
		p->all = s && heap_line_thread(s, n, &th) && (th.v.all || !th.v.live);
	}
	set_metrics(p);
	st = cursor_failed(c) ? err_failure(e) : heap_text_read_rest(p, e);
	if (!st)
		st = input_rewind(p->im->in);
	if (!st)
		st = import_begin(p->im, e);
	if (!st)
		st = heap_text_parse_rows(p, h.jemalloc, e);
	heap_text_add_notes(p);
	return st;
}

static enum status heap_text_read(struct import *im, struct err *e)
{
	struct heap_profile p = {.im = im, .blocks.im = im};
	enum status st = heap_text_read_profile(&p, e);

	map64_release(&p.symbols);
	map64_release(&p.thread_names);
	free(p.names);
	free(p.stack);
	free(p.threads);
	return st;
}

static int bid_heap_text(const uint8_t *head, size_t n, bool jemalloc)
{
	const uint8_t *end = n ? memchr(head, '\n', n) : NULL;
	size_t len = end ? (size_t)(end - head) : n;
	struct heap_head h;

	len -= len && head[len - 1] == '\r';
	if (!heap_line_head((const char *)head, len, &h) || h.jemalloc != jemalloc)
		return 0;
	return jemalloc ? 64 : 110;
}

static int heap_text_bid_gperftools(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return bid_heap_text(head, n, false);
}

static int heap_text_bid_jemalloc(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return bid_heap_text(head, n, true);
}

const struct reader reader_gperftools_heap = {
    .name = "gperftools-heap",
    .family = "Heap profiles",
    .page = "pprof",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_ADDRESSES,
    .what = "gperftools' heap profiles as text, and Go's (debug=1)",
    .suffixes = "heap",
    .rewinds = true,
    .cut = CUT_NEVER, /* names come after samples, in Go's */
    .bid = heap_text_bid_gperftools,
    .read = heap_text_read,
};

const struct reader reader_jemalloc_heap = {
    .name = "jemalloc-heap",
    .family = "Heap profiles",
    .page = "pprof",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS |
		    CAPABILITY_THREADS | CAPABILITY_ADDRESSES,
    .what = "jemalloc's heap profiles, by thread",
    .suffixes = "heap",
    .rewinds = true,
    .cut = CUT_NEVER, /* a row without its last thread is taken without threads */
    .bid = heap_text_bid_jemalloc,
    .read = heap_text_read,
};
