/* SPDX-License-Identifier: MIT
 *
 * ELuaProfiler's .elprof: trees of calls, without a head of its own. Little-endian, not packed.
 *
 *	v0	node                                                    2023-02-07 on
 *	v1	i32 mode; mode 0: i32 n, n nodes (a frame each); else node    2023-02-20 on
 *	v2	i32 742010247; i32 n, n x {u64 function, FString ID}; as v1   2025-03-19 on
 *	node	FString ID, in v2 u64 function; FString name; f64 CallTime, SelfTime, TotalTime in ms;
 *		f32 SelfAllocSize, SelfGCSize, AllocSize, GCSize in kB of 1000 bytes; i32 Count,
 *		Event; i32 n, n nodes
 *
 * What is summed up in the file may be old or 0, so everything is summed up again. Bytes have
 * two meanings: up to 2024-11 AllocSize and GCSize were gross and inclusive, and the Self columns
 * snapshots of two u32 counters; since then SelfAllocSize is net of what was freed, and
 * SelfGCSize what was freed. v2 is always the newer; v0 and v1 do not say, so a first pass looks
 * for values that no counter has.
 *
 * Facts: source of inkiu0/ELuaProfiler, 86f2dc3 to 62bd957 (ELuaTraceInfoNode.h, ELuaMonitor.cpp,
 * ELuaTraceInfoTree.cpp). No file of a game was to be had.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "formats/unreal/string.h"
#include "lib/base/bytes.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAGIC = 742010247, PER_FRAME = 0, MODES = 3 };
static const double ns_most = 9e18, bytes_most = 1e15;

struct node {
	uint32_t stack;
	uint32_t left; /* children to come */
	int32_t count;
	bool has_total, has_bytes;
	bool has_self;                /* all children so far have a total */
	double total, children;       /* ms */
	double alloc, gc;             /* kB: own, or in old files inclusive */
	double alloc_below, gc_below; /* old files: of the children */
};

struct elua {
	struct import *im;
	int version;
	bool old;                  /* bytes as before 2024-11 */
	bool votes_new, votes_old; /* first pass */
	bool counting;             /* this is the first pass */
	struct map64 functions;    /* v2: pointer -> string id + 1 of the trace */
	struct buf text;
	struct node *open;
	size_t n_open, cap_open;
	double first_time; /* ms, of the first frame */
	bool has_first;
	uint64_t nodes, numbers, nameless, repaired, clamped, cut;
	int64_t clamped_ns;
	uint64_t no_tree;
};

/* "src:12~20 name" -> name, src, 12 */
static void elua_split_id(const char *s, size_t n, struct trace *t, struct location *l)
{
	for (size_t i = 0; i + 1 < n; i++) {
		size_t k = i + 1, tilde, end;
		uint64_t line;
		bool negative = s[k] == '-';

		if (s[i] != ':')
			continue;
		k += negative;
		for (tilde = k; tilde < n && s[tilde] >= '0' && s[tilde] <= '9';)
			tilde++;
		if (tilde == k || tilde == n || s[tilde] != '~' ||
		    !num_dec(s + k, tilde - k, &line) || line > UINT32_MAX)
			continue;
		for (end = tilde + 1; end < n && s[end] != ' ';)
			end++;
		l->file = trace_string(t, s, i);
		l->line = negative ? 0 : (uint32_t)line;
		k = end + (end < n);
		if (k < n && !(n - k == 6 && !memcmp(s + k, "(null)", 6)))
			l->name = trace_string(t, s + k, n - k);
		else
			l->name = trace_string(t, s, end);
		return;
	}
	l->name = trace_string(t, s, n);
}

static uint32_t location_of(struct elua *u, const char *s, size_t n)
{
	struct location l = {.space = SPACE_NAME};

	while (n && s[n - 1] == ' ')
		n--;
	elua_split_id(s, n, u->im->t, &l);
	return trace_location(u->im->t, &l);
}

static uint32_t elua_location_of_function(struct elua *u, uint64_t function)
{
	uint32_t known = map64_get(&u->functions, function);
	char text[32];

	if (known)
		return known;
	if (function) {
		u->nameless++;
		snprintf(text, sizeof text, "0x%" PRIx64, function);
	} else {
		snprintf(text, sizeof text, "Root");
	}
	known = emit_named(u->im->t, trace_strz(u->im->t, text), 0, 0);
	*map64_put(&u->functions, function) = known;
	return known;
}

static double number(struct elua *u, double v, double most, bool *bad)
{
	if (isfinite(v) && fabs(v) <= most)
		return v;
	*bad = true;
	u->numbers++;
	return 0;
}

static double f64(struct cursor *c)
{
	uint64_t bits = cursor_u64(c);
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static float f32(struct cursor *c)
{
	uint32_t bits = cursor_u32(c);
	float v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* A counter of 32 bits as a float is a whole number that is not negative. */
static void vote(struct elua *u, double self_alloc, double self_gc, double alloc)
{
	if (self_alloc < 0 || self_gc < 0 || self_alloc != floor(self_alloc) ||
	    self_gc != floor(self_gc))
		u->votes_new = true;
	else if (self_alloc >= 1000 && alloc != 0)
		u->votes_old = true;
}

/* One node without its children. The call time goes to *when. */
static bool elua_read_node(struct elua *u, struct cursor *c, struct node *x, double *when)
{
	double self_alloc, self_gc, alloc, gc;
	bool bad_time = false, bad_bytes = false;
	uint32_t parent = u->n_open ? u->open[u->n_open - 1].stack : 0, location = 0;
	int32_t children;
	uint64_t at = 0;

	*x = (struct node){.stack = 0};
	if (u->version == 2)
		at = cursor_u64(c);
	else if (!ue_string(c, &u->text, &u->repaired))
		return false;
	if (u->counting)
		location = 0;
	else if (u->version == 2)
		location = elua_location_of_function(u, at);
	else
		location = location_of(u, u->text.data, u->text.len);
	if (!ue_string(c, &u->text, &u->repaired))
		return false;
	*when = f64(c);
	f64(c);
	x->total = number(u, f64(c), ns_most / 1e6, &bad_time);
	self_alloc = number(u, f32(c), bytes_most, &bad_bytes);
	self_gc = number(u, f32(c), bytes_most, &bad_bytes);
	alloc = number(u, f32(c), bytes_most, &bad_bytes);
	gc = number(u, f32(c), bytes_most, &bad_bytes);
	x->count = (int32_t)cursor_u32(c);
	cursor_u32(c);
	children = (int32_t)cursor_u32(c);
	if (cursor_failed(c))
		return false;
	if (children < 0) {
		cursor_fail(c, ST_BAD, "impossible number of children of a node: %" PRId32,
			    children);
		return false;
	}
	if (u->counting) {
		vote(u, self_alloc, self_gc, alloc);
	} else {
		x->stack = trace_stack(u->im->t, parent, location);
		x->alloc = u->old ? alloc : self_alloc;
		x->gc = u->old ? gc : self_gc;
	}
	x->left = (uint32_t)children;
	x->has_total = x->has_self = !bad_time;
	x->has_bytes = !bad_bytes;
	u->nodes++;
	return true;
}

static enum status elua_put_bytes(struct elua *u, const struct node *x, struct err *e)
{
	/* new: alloc is net of gc; old: both are gross */
	double gc = x->gc - x->gc_below;
	double own = x->alloc - x->alloc_below;
	int64_t net = num_nearest((u->old ? own - gc : own) * 1000);
	int64_t gross = num_nearest((u->old ? own : own + gc) * 1000);
	const struct emit_delta grown = {.domain = DOMAIN_LUA,
					 .stack = x->stack,
					 .calls = KNOWN(x->count > 0 ? x->count : 0),
					 .bytes = net};
	const struct emit_alloc given = {
	    .domain = KNOWN(DOMAIN_LUA), .stack = x->stack, .requested = KNOWN(gross)};
	enum status st = net ? emit_delta(u->im, &grown, e) : ST_OK;

	return st || gross <= 0 ? st : emit_alloc(u->im, &given, e);
}

/* whole: all its children were read. */
static enum status elua_put_node(struct elua *u, const struct node *x, bool whole, struct err *e)
{
	struct emit_sample sample = {.stack = x->stack,
				     .calls = KNOWN(x->count > 0 ? x->count : 0)};
	enum status st;

	if (x->has_total)
		sample.total = KNOWN(num_nearest(x->total * 1e6));
	if (x->has_self && whole) {
		int64_t self = num_nearest((x->total - x->children) * 1e6);

		if (self < 0) {
			u->clamped++;
			if (__builtin_add_overflow(u->clamped_ns, self, &u->clamped_ns))
				u->clamped_ns = INT64_MIN;
		}
		sample.self = KNOWN(self > 0 ? self : 0);
	}
	st = emit_sample(u->im, &sample, e);
	/* in old files own bytes are what the children leave */
	if (!st && x->has_bytes && (whole || !u->old))
		st = elua_put_bytes(u, x, e);
	return st;
}

static enum status close_node(struct elua *u, bool whole, struct err *e)
{
	struct node x = u->open[--u->n_open];

	if (u->n_open && whole) {
		struct node *parent = &u->open[u->n_open - 1];

		parent->children += x.total;
		parent->has_self &= x.has_total;
		if (u->old) {
			parent->has_bytes &= x.has_bytes;
			parent->alloc_below += x.alloc;
			parent->gc_below += x.gc;
		}
	}
	return u->counting ? ST_OK : elua_put_node(u, &x, whole, e);
}

static enum status put_frame(struct elua *u, double when, struct err *e)
{
	struct known_number time = ABSENT;

	if (isfinite(when) && fabs(when) < ns_most / 2e6) {
		if (!u->has_first)
			u->first_time = when;
		u->has_first = true;
		time = KNOWN(num_nearest((when - u->first_time) * 1e6));
	}
	return emit_frame(u->im, ABSENT, time, e);
}

static enum status elua_read_tree(struct elua *u, struct cursor *c, bool frame, struct err *e)
{
	enum status st = ST_OK;
	struct node x;
	double when;

	u->n_open = 0;
	do {
		if (!elua_read_node(u, c, &x, &when))
			break;
		if (frame && !u->n_open && !u->counting)
			st = put_frame(u, when, e);
		VEC_PUSH(u->open, u->n_open, u->cap_open) = x;
		while (!st && u->n_open && !u->open[u->n_open - 1].left)
			st = close_node(u, true, e);
		if (!st && u->n_open)
			u->open[u->n_open - 1].left--;
	} while (!st && u->n_open);
	if (st || !cursor_failed(c))
		return st;
	/* what the cut left open: all but what was below the cut is known */
	while (!u->counting && u->n_open) {
		struct err later = ERR_INIT;

		u->cut++;
		st = close_node(u, false, &later);
		if (st) {
			*e = later;
			return st;
		}
	}
	return err_failure(e);
}

static bool read_functions(struct elua *u, struct cursor *c)
{
	int32_t n = (int32_t)cursor_u32(c);

	if (!cursor_failed(c) && n < 0)
		cursor_fail(c, ST_BAD, "impossible number of functions of the table: %" PRId32, n);
	for (int32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint64_t function = cursor_u64(c);

		if (!ue_string(c, &u->text, &u->repaired))
			return false;
		if (!u->counting && function)
			*map64_put(&u->functions, function) =
			    location_of(u, u->text.data, u->text.len);
	}
	return !cursor_failed(c);
}

/* v0 begins with the length of "Root". */
static int version_of(int32_t first)
{
	return first == MAGIC ? 2 : first >= 0 && first < MODES ? 1 : first == 5 ? 0 : -1;
}

static enum status elua_pass(struct elua *u, struct err *e)
{
	static const char *const modes[] = {"per-frame", "total", "statistics"};
	struct cursor *c = &u->im->in->cur;
	int32_t mode = 1, n = 1;
	enum status st = ST_OK;

	if (cursor_available(c, 4) < 4)
		return err_at(e, ST_BAD, 0, "not an .elprof file: %zu bytes are too few",
			      cursor_window(c));
	memcpy(&n, c->pos, 4);
	u->version = version_of(n);
	if (u->version < 0)
		return err_at(e, ST_BAD, 0, "neither ELuaProfiler's number nor a mode nor Root");
	if (u->version == 2) {
		cursor_u32(c);
		if (!read_functions(u, c))
			return err_failure(e);
	}
	n = 1;
	if (u->version) {
		mode = (int32_t)cursor_u32(c);
		if (!cursor_failed(c) && (mode < 0 || mode >= MODES))
			cursor_fail(c, ST_BAD, "unknown mode %" PRId32, mode);
		if (!cursor_failed(c) && mode == PER_FRAME)
			n = (int32_t)cursor_u32(c);
		if (!cursor_failed(c) && n < 0)
			cursor_fail(c, ST_BAD, "impossible number of frames: %" PRId32, n);
		if (cursor_failed(c))
			return err_failure(e);
	}
	if (!u->counting) {
		trace_set(u->im->t, "elua.version",
			  u->version == 2   ? "2"
			  : u->version == 1 ? "1"
					    : "0");
		trace_set(u->im->t, "elua.mode", u->version ? modes[mode] : "total");
		trace_set(u->im->t, "elua.bytes", u->old ? "gross" : "net");
		st = import_begin(u->im, e);
	}
	if (u->version && mode != PER_FRAME && cursor_done(c)) {
		u->no_tree = !cursor_failed(c);
		return cursor_failed(c) ? err_failure(e) : st;
	}
	for (int32_t i = 0; !st && i < n; i++)
		st = elua_read_tree(u, c, mode == PER_FRAME, e);
	return st;
}

static void elua_add_notes(struct elua *u)
{
	struct trace *t = u->im->t;
	uint64_t behind = 0;

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_GUESS, u->version < 2,
		    u->old ? "bytes are read as gross and inclusive, as before 2024-11: the "
			     "columns of self bytes have only whole numbers"
			   : "bytes are read as net, as since 2024-11"),
	    LOSS(NOTE_LOSS, u->cut,
		 "functions were open at the end of the file: their self time is unknown"),
	    LOSS(NOTE_LOSS, u->numbers, "numbers are infinite or impossible: left out"),
	    LOSS(NOTE_LOSS, u->nameless, "functions are not in the file's table of names"),
	    LOSS_WITH(NOTE_INFO, u->clamped,
		      "functions have less time than their callees: their self time is 0, not {} "
		      "ns in all",
		      u->clamped_ns),
	    LOSS(NOTE_INFO, u->repaired, "characters of names are not text"),
	    LOSS_IF(NOTE_INFO, u->no_tree,
		    "the file has no tree: no function was called during the recording"),
	    LOSS_IF(NOTE_INFO, t->events[EV_FRAME],
		    "frames without a Lua call are not in the file, and frames have no number; the "
		    "time of a frame is the end of its last call"),
	};

	TRACE_LOSSES(t, losses);
	if (u->im->in->cur.failed)
		return;
	while (!cursor_done(&u->im->in->cur)) {
		size_t n = cursor_window(&u->im->in->cur);

		behind += n;
		cursor_skip(&u->im->in->cur, n, "rest");
	}
	if (behind)
		trace_note(t, NOTE_LOSS, behind, "bytes follow the last tree");
}

static enum status elua_read(struct import *im, struct err *e)
{
	struct elua u = {.im = im, .counting = true};
	struct err ignored = ERR_INIT, *kept = im->in->cur.e;
	struct trace *t = im->t;
	enum status st;

	im->in->cur.e = &ignored;
	elua_pass(&u, &ignored);
	im->in->cur.e = kept;
	st = input_rewind(im->in);
	u.old = u.version < 2 && u.votes_old && !u.votes_new;
	u.counting = false;
	u.nodes = u.numbers = u.repaired = u.no_tree = 0;
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
	trace_metric(t, METRIC_NET, METRIC_ESTIMATED, METRIC_AT_ALL);
	if (!st)
		st = elua_pass(&u, e);
	if (im->begun)
		elua_add_notes(&u);
	map64_release(&u.functions);
	buf_release(&u.text);
	free(u.open);
	return st;
}

static int elua_bid(const uint8_t *head, size_t n, bool whole)
{
	static const uint8_t root[] = {5, 0, 0, 0, 'R', 'o', 'o', 't', 0};
	uint32_t first;

	(void)whole;
	if (n < 12)
		return 0;
	first = le32(head);
	switch (version_of((int32_t)first)) {
	case 2: return 32;
	case 1:
		head += first == PER_FRAME ? 8 : 4;
		n -= first == PER_FRAME ? 8 : 4;
		return n >= sizeof root && !memcmp(head, root, sizeof root) ? 80 : 0;
	case 0: return !memcmp(head, root, sizeof root) ? 64 : 0;
	default: return 0;
	}
}

const struct reader reader_elua = {
    .name = "elua",
    .family = "Unreal Engine",
    .page = "elua",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_FRAMES,
    .what = "ELuaProfiler .elprof (v0 to v2): trees of Lua calls, time and bytes",
    .suffixes = "elprof",
    .rewinds = true,
    .guesses = true,
    .bid = elua_bid,
    .read = elua_read,
};
