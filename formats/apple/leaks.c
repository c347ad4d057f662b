/* SPDX-License-Identifier: MIT
 *
 * What macOS's leaks prints: blocks that nothing refers to, with what they hold.
 *
 *	Process 34308: 13 leaks for 1488 total leaked bytes.
 *
 *	    13 (1.45K) << TOTAL >>
 *	      6 (816 bytes) ROOT LEAK: <Cache 0x7f9326e00560> [256]
 *	         1 (112 bytes) __strong next --> 0x7f9326d00480 [112]  length: 7  "10.2.13"
 *	         next --> CYCLE BACK TO <Cache 0x7f9326e00560> [256]
 *
 *	STACK OF 2 INSTANCES OF 'ROOT LEAK: <malloc in f>':       before the tree of these, from macOS 11 on
 *	1   game          0x1001bf220 main + 16  main.cpp:3
 *	0   libsystem     0x1aec2ec20 _malloc + 128
 *	====
 *
 *	Leak: 0x7ffb6ac03ae0  size=16  zone: DefaultMallocZone_0x1    length: 7  "10.2.13"     until macOS 10.14
 *		Call stack: [thread 0x10a974380]: | start | main main.cpp:12 | malloc
 *
 * The number in brackets is the block's own size, that before it of all below it. From leaks(1) and outputs of macOS 10.5
 * to 15 in public reports.
 */
#include "formats/apple/head.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };

struct leaks {
	struct import *im;
	struct emit_blocks blocks;
	uint32_t *locations; /* of STACK OF, innermost last */
	size_t n_locations, cap_locations;
	bool in_stack;
	uint32_t stack; /* of the rows that follow */
	bool pending;   /* a block of "Leak:", whose stack may come */
	uint32_t type;
	uint64_t size;
	bool has_stated;
	uint64_t stated, stated_bytes, found, bytes;
	uint64_t huge;
};

static enum status push_block(struct leaks *l, uint32_t type, uint64_t size, uint32_t stack,
			      struct err *e)
{
	const struct emit_profile row = {.type = type,
					 .stack = stack,
					 .domain = KNOWN(DOMAIN_MALLOC),
					 .known = 1 << BLOCKS_COUNT | 1 << BLOCKS_REAL};
	const int64_t v[BLOCKS_AMOUNTS] = {[BLOCKS_COUNT] = 1, [BLOCKS_REAL] = (int64_t)size};

	l->found++;
	l->bytes += size;
	return emit_blocks(&l->blocks, &row, v, PROFILE_LIVE, e);
}

static enum status push_pending(struct leaks *l, uint32_t stack, struct err *e)
{
	if (!l->pending)
		return ST_OK;
	l->pending = false;
	return push_block(l, l->type, l->size, stack, e);
}

/* "<Cache 0x7f93> [256]" or "0x7f93 [256]": the class without the address, which may be missing; and its own size. */
static bool parse_block(const char *s, const char *end, const char **type, size_t *type_n,
			uint64_t *size)
{
	const char *open, *close;

	*type_n = 0;
	for (open = s; (open = memmem(open, (size_t)(end - open), " [", 2)); open++) {
		close = memchr(open, ']', (size_t)(end - open));
		if (close && num_dec(open + 2, (size_t)(close - open - 2), size))
			break;
	}
	if (!open || *size > (uint64_t)1 << 48)
		return false;
	if (*s == '<' && open[-1] == '>') {
		const char *to = open - 1, *blank = memrchr(s, ' ', (size_t)(to - s));

		if (blank && text_begins(blank, (size_t)(to - blank), " 0x"))
			to = blank;
		*type = s + 1;
		*type_n = (size_t)(to - s - 1);
		return true;
	}
	return text_begins(s, (size_t)(open - s), "0x");
}

/* "   6 (816 bytes) ROOT LEAK: <Cache 0x7f9326e00560> [256]": false, it is no row of a block. */
static bool parse_row(const char *s, const char *end, const char **type, size_t *type_n,
		      uint64_t *size, bool *root)
{
	const char *at = s, *close, *arrow;
	uint64_t count, sum;

	while (at < end && *at >= '0' && *at <= '9')
		at++;
	if (at == s || !num_dec(s, (size_t)(at - s), &count) ||
	    !text_begins(at, (size_t)(end - at), " ("))
		return false;
	close = memchr(at, ')', (size_t)(end - at));
	if (!close || !apple_size(at + 2, (size_t)(close - at - 2), &sum))
		return false;
	s = close + 1;
	arrow = memmem(s, (size_t)(end - s), " --> ", 5); /* the field that holds it */
	if (arrow)
		s = arrow + 5;
	text_trim(&s, &end);
	for (int i = 0; i < 2; i++) {
		static const char *const words[] = {"ROOT LEAK: ", "ROOT CYCLE: "};

		if (!text_begins(s, (size_t)(end - s), words[i]))
			continue;
		*root = true;
		s += strlen(words[i]);
	}
	return s < end && parse_block(s, end, type, type_n, size);
}

/* "1   game      0x1001bf220 main + 16  main.cpp:3" */
static void read_frame(struct leaks *l, const char *s, const char *end)
{
	struct trace *t = l->im->t;
	const char *at = memmem(s, (size_t)(end - s), " 0x", 3), *plus, *place, *colon;
	uint64_t offset = 0, line = 0;
	uint32_t file = 0;

	if (!at)
		return;
	at = memchr(at + 1, ' ', (size_t)(end - at - 1));
	if (!at)
		return;
	text_trim(&at, &end);
	plus = memmem(at, (size_t)(end - at), " + ", 3);
	place = plus ? plus + 3 : at;
	while (place < end && *place >= '0' && *place <= '9')
		place++;
	if (plus && num_dec(plus + 3, (size_t)(place - plus - 3), &offset)) {
		const char *to = end;

		text_trim(&place, &to);
		colon = memrchr(place, ':', (size_t)(to - place));
		if (colon && colon > place && num_dec(colon + 1, (size_t)(to - colon - 1), &line) &&
		    line < UINT32_MAX)
			file = trace_string(t, place, (size_t)(colon - place));
		end = plus;
	}
	if (at < end)
		VEC_PUSH(l->locations, l->n_locations, l->cap_locations) = emit_named(
		    t, trace_string(t, at, (size_t)(end - at)), file, file ? (uint32_t)line : 0);
}

/* The rows that follow have the stack that is listed from its outermost function on. */
static void end_stack(struct leaks *l)
{
	l->stack = 0;
	for (size_t i = 0; i < l->n_locations; i++)
		l->stack = trace_stack(l->im->t, l->stack, l->locations[i]);
	l->n_locations = 0;
	l->in_stack = false;
}

/* "main main.cpp:12" */
static uint32_t call_of_line(struct trace *t, const char *s, const char *end)
{
	const char *blank = memrchr(s, ' ', (size_t)(end - s)),
		   *colon = blank ? memrchr(blank, ':', (size_t)(end - blank)) : NULL;
	uint64_t line = 0;

	if (!colon || colon == blank + 1 || !num_dec(colon + 1, (size_t)(end - colon - 1), &line) ||
	    line > INT32_MAX)
		return emit_named(t, trace_string(t, s, (size_t)(end - s)), 0, 0);
	return emit_named(t, trace_string(t, s, (size_t)(blank - s)),
			  trace_string(t, blank + 1, (size_t)(colon - blank - 1)), (uint32_t)line);
}

/* "| start | main main.cpp:12 | malloc" */
static uint32_t stack_of_line(struct leaks *l, const char *s, const char *end)
{
	struct trace *t = l->im->t;
	uint32_t stack = 0;

	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s)), *to = bar ? bar : end,
			   *name = s;

		text_trim(&name, &to);
		if (name < to)
			stack = trace_stack(t, stack, call_of_line(t, name, to));
		s = bar ? bar + 1 : end;
	}
	return stack;
}

/* "Leak: 0x7ffb6ac03ae0  size=16  zone: DefaultMallocZone_0x1    Song  Swift  game" */
static void parse_leak(struct leaks *l, const char *s, const char *end)
{
	const char *size = memmem(s, (size_t)(end - s), " size=", 6), *to;

	to = size ? size + 6 : end;
	while (to < end && *to >= '0' && *to <= '9')
		to++;
	if (!size || !num_dec(size + 6, (size_t)(to - size - 6), &l->size) ||
	    l->size > (uint64_t)1 << 48) {
		l->huge++;
		return;
	}
	l->pending = true;
	l->type = 0;
}

/* "Process 34308: 13 leaks for 1488 total leaked bytes." */
static void read_total(struct leaks *l, const char *s, const char *end)
{
	const char *word = memmem(s, (size_t)(end - s), " for ", 5);
	const char *colon = memmem(s, (size_t)(end - s), ": ", 2), *to;

	if (!word || !colon || word < colon ||
	    !text_ends(s, (size_t)(end - s), " total leaked bytes."))
		return;
	to = colon + 2;
	while (to < word && *to >= '0' && *to <= '9')
		to++;
	l->has_stated = num_dec(colon + 2, (size_t)(to - colon - 2), &l->stated) &&
			num_dec(word + 5, (size_t)(end - 20 - word - 5), &l->stated_bytes);
}

static enum status read_line(struct leaks *l, const char *s, size_t n, struct err *e)
{
	static const char call[] = "Call stack: ";
	const char *end = s + n, *type = NULL;
	size_t type_n = 0;
	uint64_t size = 0;
	bool taken, root = false;
	enum status st;

	st = apple_footprint(l->im, s, n, &taken, e);
	if (st || taken)
		return st;
	text_trim(&s, &end);
	n = (size_t)(end - s);
	if (text_begins(s, n, "STACK OF ")) {
		l->in_stack = true;
		l->n_locations = 0;
		l->stack = 0;
	} else if (l->in_stack && text_begins(s, n, "====")) {
		end_stack(l);
	} else if (l->in_stack) {
		read_frame(l, s, end);
	} else if (text_begins(s, n, "Leak: ")) {
		st = push_pending(l, 0, e);
		parse_leak(l, s, end);
	} else if (text_begins(s, n, call)) {
		const char *bar = memchr(s, '|', n);

		st = push_pending(l, bar ? stack_of_line(l, bar, end) : 0, e);
	} else if (text_begins(s, n, "Process ")) {
		read_total(l, s, end);
	} else if (parse_row(s, end, &type, &type_n, &size, &root)) {
		/* What a leak holds was allocated elsewhere. */
		st = push_block(l, type_n ? trace_type(l->im->t, type, type_n) : 0, size,
				root ? l->stack : 0, e);
	}
	return st;
}

static enum status leaks_read(struct import *im, struct err *e)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REAL};
	struct leaks l = {.im = im, .blocks.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st;

	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		trace_metric(im->t, metrics[i], METRIC_LOWER_BOUND, METRIC_AT_ALL);
	emit_blocks_live(&l.blocks, METRIC_LOWER_BOUND);
	st = import_begin(im, e);
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&l, s, n, e);
	if (!st)
		st = push_pending(&l, 0, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !l.has_stated && !l.found)
		st = err_at(e, ST_BAD, 0, "no list of leaks follows the head");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, l.huge, "leaks have an impossible size: left out"),
	    LOSS_WITH(NOTE_LOSS,
		      !st && l.has_stated && (l.stated != l.found || l.stated_bytes != l.bytes)
			  ? l.stated
			  : 0,
		      "leaks are stated by the report, and the list has {}", l.found),
	};

	TRACE_LOSSES(im->t, losses);
	free(l.locations);
	return st;
}

static int leaks_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char version[] = "leaks Report Version:", total[] = " total leaked bytes.";

	(void)whole;
	if (apple_tool_is(head, n, "leaks") || memmem(head, n, version, sizeof version - 1))
		return memmem(head, n, total, sizeof total - 1) ? 240 : 160;
	return n > 8 && !memcmp(head, "Process ", 8) &&
		       memmem(head, n, " nodes malloced for ", 20) &&
		       memmem(head, n, total, sizeof total - 1)
		   ? 200
		   : 0;
}

const struct reader reader_leaks = {
    .name = "macos-leaks",
    .family = "macOS and iOS",
    .page = "macos",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_COUNTERS,
    .what = "leaks that macOS's leaks found, by class, and by stack if it has them",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* a stack comes behind its leak */
    .bid = leaks_bid,
    .read = leaks_read,
};
