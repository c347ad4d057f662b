/* SPDX-License-Identifier: MIT
 *
 * Call trees of macOS: sample(1) and Activity Monitor, and malloc_history -callTree.
 *
 *	Call graph:
 *	    2757 Thread_1166804   DispatchQueue_1: com.apple.main-thread  (serial)
 *	    + 2757 main  (in game) + 910  [0x1000017be]  main.cpp:353
 *	    +   2757 ???  (in game)  load address 0x100000000 + 0xb53  [0x100000b53]
 *
 *	    52174 (2359M) << TOTAL >>
 *	      19191 (2263M) thread_start  (in libsystem_pthread.dylib) + 8  [0x19920eb80]
 *
 * A function lies below its caller, two columns deeper; "+!:|" join those of one. The number is of samples, or of blocks,
 * and then bytes stand behind it, rounded. Behind the tree there are other lists of the same samples, and the binaries
 * with their addresses. From sample(1), malloc_history(1) and outputs of macOS 10.6 to 15 in public reports.
 */
#include "formats/apple/head.h"
#include "formats/call_tree.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };
enum part { PART_HEAD, PART_TREE, PART_LISTS, PART_BINARIES };

struct sample {
	struct import *im;
	struct call_tree tree;
	enum part part;
	uint32_t thread;
	bool bytes; /* of malloc_history */
	uint64_t odd, rows, deep;
	struct emit_blocks blocks;
	/* The row before, until the next one shows whether it has callees. */
	struct call_tree_row held;
	bool holds;
	uint32_t held_thread;
	uint64_t held_address; /* it has no name; 0: it has, or has no address either */
};

struct sample_row {
	size_t depth;
	uint64_t count, bytes;
	bool has_bytes;
	const char *s, *end; /* what stands behind the numbers */
};

static bool parse_row(const char *s, size_t n, struct sample_row *r)
{
	const char *at = s, *end = s + n, *digits;

	*r = (struct sample_row){.end = end};
	while (at < end && strchr(" +!:|", *at))
		at++;
	r->depth = (size_t)(at - s);
	digits = at;
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	if (at == end || *at != ' ' || !num_dec(digits, (size_t)(at - digits), &r->count) ||
	    r->count > INT64_MAX)
		return false;
	at++;
	if (at < end && *at == '(') {
		const char *close = memchr(at, ')', (size_t)(end - at));

		if (close && apple_size(at + 1, (size_t)(close - at - 1), &r->bytes)) {
			r->has_bytes = true;
			at = close + 1;
		}
	}
	text_trim(&at, &end);
	r->s = at;
	r->end = end;
	return at < end;
}

/* "[0x1000017be,0x1000017c0]  main.cpp:353": the first address, and the place. */
static void parse_place(const char *s, const char *end, uint64_t *address, const char **file,
			size_t *file_n, uint64_t *line)
{
	const char *open = memmem(s, (size_t)(end - s), "[0x", 3), *close, *colon, *to;

	*address = 0;
	*file_n = 0;
	*line = 0;
	if (!open)
		return;
	to = open + 3;
	while (to < end && num_hex_digit(*to) >= 0)
		to++;
	num_hex(open + 3, (size_t)(to - open - 3), address);
	close = memchr(open, ']', (size_t)(end - open));
	if (!close)
		return;
	s = close + 1;
	text_trim(&s, &end);
	colon = memrchr(s, ':', (size_t)(end - s));
	if (!colon || colon == s || !num_dec(colon + 1, (size_t)(end - colon - 1), line))
		return;
	*file = s;
	*file_n = (size_t)(colon - s);
}

/* *unnamed: its address, where that is all that is known; else 0. */
static uint32_t sample_location(struct sample *x, const struct sample_row *r, uint64_t *unnamed)
{
	struct trace *t = x->im->t;
	const char *in = memmem(r->s, (size_t)(r->end - r->s), "  (in ", 6), *file = NULL;
	size_t name_n = (size_t)((in ? in : r->end) - r->s), file_n = 0;
	uint64_t address = 0, line = 0;

	parse_place(in ? in : r->s, r->end, &address, &file, &file_n, &line);
	if (text_is(r->s, name_n, "???")) {
		*unnamed = address;
		return address ? 0 : emit_named(t, 0, 0, 0);
	}
	if (!in) { /* older ones have names alone, and "0x100001e84" */
		const char *open = memmem(r->s, name_n, "  [0x", 5);

		name_n = open ? (size_t)(open - r->s) : name_n;
	}
	return emit_named(t, trace_string(t, r->s, name_n),
			  file_n ? trace_string(t, file, file_n) : 0,
			  line < UINT32_MAX ? (uint32_t)line : 0);
}

/* "Thread_1166804   DispatchQueue_1: com.apple.main-thread  (serial)", "Thread_1387: worker" */
static uint32_t sample_thread(struct sample *x, const struct sample_row *r)
{
	static const char word[] = "Thread_";
	const char *at = r->s + sizeof word - 1, *digits = at, *end = r->end;
	struct thread th = {0};

	if (!text_begins(r->s, (size_t)(r->end - r->s), word))
		return 0;
	while (at < end && num_hex_digit(*at) >= 0)
		at++;
	if (at == digits || !num_dec(digits, (size_t)(at - digits), &th.tid))
		return 0;
	if (at < end && *at == ':')
		at++;
	text_trim(&at, &end);
	th.name = at < end ? trace_string(x->im->t, at, (size_t)(end - at)) : 0;
	return trace_thread(x->im->t, &th);
}

static enum status sample_push_row(void *arg, uint32_t stack, const int64_t own[CALL_TREE_AMOUNTS],
				   struct err *e)
{
	struct sample *x = arg;
	const struct emit_sample s = {
	    .stack = stack, .thread = x->thread, .samples = KNOWN(own[0])};
	const struct emit_profile row = {.stack = stack,
					 .domain = KNOWN(DOMAIN_MALLOC),
					 .known = 1 << BLOCKS_COUNT | 1 << BLOCKS_REQUESTED};
	const int64_t v[BLOCKS_AMOUNTS] = {[BLOCKS_COUNT] = own[1], [BLOCKS_REQUESTED] = own[0]};

	if (!x->bytes)
		return own[0] ? emit_sample(x->im, &s, e) : ST_OK;
	if ((!own[0] && !own[1]) || emit_blocks_huge(&x->blocks, v))
		return ST_OK;
	return emit_blocks(&x->blocks, &row, v, PROFILE_LIVE, e);
}

/* A sampled address is where the thread was; those of its callers are return addresses. Stacks of malloc_history begin at
 * calls, which nothing says of their addresses. */
static enum status add_held(struct sample *x, bool calls, struct err *e)
{
	struct location l = {.raw = x->held_address, .space = SPACE_RUNTIME};
	enum status st;

	if (!x->holds)
		return ST_OK;
	x->holds = false;
	if (!x->bytes)
		l.kind = calls ? LOCATION_RETURN : LOCATION_EXACT;
	if (x->held_address)
		x->held.location = trace_location(x->im->t, &l);
	st = call_tree_add(&x->tree, &x->held, e);
	if (x->held_thread)
		x->thread = x->held_thread; /* once what came before has ended */
	return st;
}

static enum status end_tree(struct sample *x, struct err *e)
{
	return add_held(x, false, e) ? err_failure(e) : call_tree_end(&x->tree, e);
}

static void hold_row(struct sample *x, const struct sample_row *r)
{
	struct call_tree_row row = {.depth = r->depth};
	uint32_t thread = x->bytes ? 0 : sample_thread(x, r);

	x->held_address = 0;
	row.total[0] = (int64_t)(x->bytes ? r->bytes : r->count);
	row.total[1] = (int64_t)(x->bytes ? r->count : 0);
	if (!thread && !text_is(r->s, (size_t)(r->end - r->s), "<< TOTAL >>"))
		row.location = sample_location(x, r, &x->held_address);
	x->rows++;
	x->held = row;
	x->held_thread = thread;
	x->holds = true;
}

/* "0x102970000 -        0x107f6561f +game (0) <UUID> /path" */
static void read_binary(struct sample *x, const char *s, const char *end)
{
	struct map_range range = {.executable = true};
	struct module m = {.ranges = &range, .n_ranges = 1};
	const char *open = memchr(s, '<', (size_t)(end - s)), *close, *to;

	text_trim(&s, &end);
	to = memmem(s, (size_t)(end - s), " - ", 3);
	if (!to || !num_auto(s, (size_t)(to - s), &range.lo))
		return;
	s = to + 3;
	text_trim(&s, &end);
	to = memchr(s, ' ', (size_t)(end - s));
	if (!to || !num_auto(s, (size_t)(to - s), &range.hi) || range.hi++ < range.lo ||
	    range.hi <= range.lo)
		return;
	close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	if (!close || end - close < 3)
		return;
	s = close + 1;
	text_trim(&s, &end);
	m.name = trace_string(x->im->t, s, (size_t)(end - s));
	m.build_id = emit_uuid(x->im->t, open + 1, (size_t)(close - open - 1));
	trace_module(x->im->t, &m);
}

static enum status read_line(struct sample *x, const char *s, size_t n, struct err *e)
{
	struct sample_row r;
	bool taken;

	if (text_begins(s, n, "Binary Images:")) {
		x->part = PART_BINARIES;
	} else if (x->part == PART_BINARIES) {
		read_binary(x, s, s + n);
	} else if (x->part == PART_HEAD && text_begins(s, n, "Call graph:")) {
		x->part = PART_TREE;
	} else if (x->part == PART_HEAD) {
		return apple_footprint(x->im, s, n, &taken, e);
	} else if (x->part == PART_TREE && !n) {
		if (!x->rows)
			return ST_OK;
		x->part = PART_LISTS;
		return end_tree(x, e);
	} else if (x->part == PART_TREE) {
		bool is_row = parse_row(s, n, &r);

		if (is_row && add_held(x, r.depth > x->held.depth, e))
			return err_failure(e);
		if (!is_row || !call_tree_fits(&x->tree, r.depth)) {
			x->odd++;
			return ST_OK;
		}
		x->bytes |= !x->rows && r.has_bytes;
		hold_row(x, &r);
	}
	return ST_OK;
}

static enum status sample_read(struct import *im, struct err *e)
{
	struct sample x = {.im = im, .blocks.im = im};
	struct cursor *c = &im->in->cur;
	const uint8_t *head;
	const char *s;
	size_t n;
	enum status st = input_head(im->in, &head, &n);

	if (st)
		return err_failure(e);
	if (apple_tool_is(head, n, "malloc_history")) {
		trace_metric(im->t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
		trace_metric(im->t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
		emit_blocks_live(&x.blocks, METRIC_ESTIMATED);
	}
	st = import_begin(im, e);
	x.tree = (struct call_tree){.t = im->t, .push = sample_push_row, .arg = &x};
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&x, s, n, e);
	if (!st)
		st = end_tree(&x, e);
	call_tree_release(&x.tree);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !x.rows)
		st = err_at(e, ST_BAD, 0, "no call graph follows the head");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x.odd, "lines are not rows of the call graph, or too deep: left out"),
	    LOSS(NOTE_GUESS, x.bytes ? 0 : x.tree.above,
		 "rows have fewer samples than those below them"),
	};

	TRACE_LOSSES(im->t, losses);
	return st;
}

static int sample_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char words[] = "Analysis of sampling ";
	const uint8_t *at = memmem(head, n, words, sizeof words - 1);

	(void)whole;
	if (at && (at == head || at[-1] == '\n') && memmem(head, n, " (pid ", 6))
		return 160;
	return apple_tool_is(head, n, "malloc_history") && memmem(head, n, "\nCall graph:", 12)
		   ? 200
		   : 0;
}

const struct reader reader_sample = {
    .name = "macos-sample",
    .family = "macOS and iOS",
    .page = "macos",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_ALLOCATIONS |
		    CAPABILITY_LIVE | CAPABILITY_THREADS | CAPABILITY_COUNTERS |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "call trees of macOS's sample, and of malloc_history -callTree",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what is below a function is taken from it */
    .bid = sample_bid,
    .read = sample_read,
};
