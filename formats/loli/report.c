/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's reports: what its command line writes for --dump, and for --compare. A heading, then a
 * tree of calls from the outermost, a function a line, four blanks for each that called it; numbers are
 * with all below. Three layouts of a row (src/profilecomparator.cpp up to a792523 and
 * src/profilecomparison.cpp of 3d81a4e, with docs/CLI_COMPARE_MODE.md of both, Tencent/loli_profiler):
 *   dump      NAME, SIZE UNIT, COUNT                     of live blocks
 *   growth    NAME, +SIZE UNIT, +COUNT                   stacks that grew by 1 KiB, of all blocks
 *   diff      NAME [LIBRARY], +BYTES, +COUNT, +OWN BYTES, +OWN COUNT     every change, of live blocks
 * Sizes with a unit are rounded to two decimals from 1 KiB on. Names hold commas: a row is read from its right.
 * A name without a symbol is LIBRARY!0xADDRESS, and in a diff 0xADDRESS.
 */
#include "formats/emit.h"
#include "formats/loli/loli.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <math.h>
#include <stdlib.h>

static const char dump_title[] = "=== LoliProfiler Profile Report ===";
static const char compare_title[] = "=== LoliProfiler Comparison Report ===";

enum { LINE_LIMIT = 16 << 20, DEPTH_MOST = 65536, INDENT = 4 };
enum report_layout { REPORT_NONE, REPORT_DUMP, REPORT_GROWTH, REPORT_DIFF };

struct report_amount {
	int64_t bytes, count;
};

struct report_node { /* an open one of the tree */
	uint32_t stack;
	struct report_amount own; /* without what is below it, as far as seen */
	bool stated;              /* the row says what is its own */
};

struct report {
	struct loli l;
	struct emit_blocks blocks;
	enum report_layout layout;
	struct report_amount heading, roots; /* of all; heading: absent where .._known is false */
	bool bytes_known, count_known;
	struct report_node *open;
	size_t n_open, cap_open;
	uint64_t rows, odd, shrunk;
	uint64_t shrunk_by; /* bytes */
};

/* The text behind the last comma of [s, s + *n), which is taken off. */
static bool last_field(const char *s, size_t *n, const char **p, size_t *len)
{
	const char *comma = memrchr(s, ',', *n), *end = s + *n;

	if (!comma)
		return false;
	*n = (size_t)(comma - s);
	*p = comma + 1;
	text_trim(p, &end);
	*len = (size_t)(end - *p);
	return true;
}

static bool signed_number(const char *s, size_t n, int64_t *v)
{
	size_t skip = n && *s == '+';

	return (!skip || n == 1 || s[1] != '-') && num_i64(s + skip, n - skip, v) &&
	       *v != INT64_MIN;
}

/* "10.44 MB", "+512 Bytes", "-1.50 GB" */
static bool report_size(const char *s, size_t n, int64_t *bytes)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{" Bytes", 1}, {" KB", 0x1p10}, {" MB", 0x1p20}, {" GB", 0x1p30}};
	bool negative = n && *s == '-';
	double number;

	if (n && (*s == '-' || *s == '+')) {
		s++;
		n--;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t digits = n - strlen(units[i].unit);

		if (!text_ends(s, n, units[i].unit))
			continue;
		if (!digits || *s < '0' || *s > '9' || !num_double(s, digits, &number) ||
		    !(number * units[i].factor < 9e18))
			return false;
		*bytes = llround(number * units[i].factor);
		*bytes = negative ? -*bytes : *bytes;
		return true;
	}
	return false;
}

/* The numbers of a row, from its right; *n is left with the name's end. */
static bool report_numbers(enum report_layout layout, const char *s, size_t *n,
			   struct report_amount *all, struct report_amount *own)
{
	int64_t *const numbers[] = {&own->count, &own->bytes, &all->count, &all->bytes};
	const char *p;
	size_t len;

	if (layout != REPORT_DIFF)
		return last_field(s, n, &p, &len) && signed_number(p, len, &all->count) &&
		       last_field(s, n, &p, &len) && report_size(p, len, &all->bytes);
	for (size_t i = 0; i < 4; i++)
		if (!last_field(s, n, &p, &len) || !signed_number(p, len, numbers[i]))
			return false;
	return true;
}

static bool hex_value(const char *s, size_t n, uint64_t *v)
{
	return n > 2 && s[0] == '0' && s[1] == 'x' && num_hex(s + 2, n - 2, v);
}

static uint32_t report_named(struct report *r, const char *library, size_t n_library,
			     const char *name, size_t n)
{
	struct location at = {.space = n ? SPACE_NAME : SPACE_UNKNOWN};
	struct trace *t = r->l.im->t;

	at.name = n ? trace_string(t, name, n) : 0;
	at.module =
	    loli_library_known(library, n_library) ? loli_module(&r->l, library, n_library) : 0;
	return trace_location(t, &at);
}

/* "LIBRARY!0xADDRESS" or a name. */
static uint32_t report_location(struct report *r, const char *s, size_t n)
{
	const char *mark = memrchr(s, '!', n);
	size_t library = mark ? (size_t)(mark - s) : 0;
	uint64_t addr;

	if (mark && hex_value(mark + 1, n - library - 1, &addr))
		return loli_location(&r->l, s, library, addr, 0);
	return report_named(r, "", 0, s, n);
}

/* "NAME [LIBRARY]" of a diff; false: it is not. *location 0: records without a stack. */
static bool report_diff_location(struct report *r, const char *s, size_t n, uint32_t *location)
{
	static const char unknown[] = "[unknown library ";
	const char *library = s;
	size_t name, n_library;
	uint64_t addr;

	if (!n || s[n - 1] != ']')
		return false;
	for (const char *p = s; (p = memmem(p, (size_t)(s + n - p), " [", 2)); p++)
		library = p;
	if (library == s)
		return false;
	name = (size_t)(library - s);
	library += 2;
	n_library = (size_t)(s + n - 1 - library);
	if (text_begins(library, n_library, unknown))
		n_library = 0;
	*location = 0;
	if (!n_library && (text_is(s, name, "[missing call stack]") ||
			   text_is(s, name, "[stack omitted by root skipping]")))
		return true;
	*location = hex_value(s, name, &addr) ? loli_location(&r->l, library, n_library, addr, 0)
					      : report_named(r, library, n_library, s, name);
	return true;
}

static enum status report_push(struct report *r, uint32_t stack, struct report_amount own,
			       struct err *e)
{
	const struct emit_profile row = {.stack = stack,
					 .domain = KNOWN_IF(r->l.config.hook_mmap, DOMAIN_MMAP),
					 .known = BLOCKS_SIZED};
	int64_t amounts[BLOCKS_AMOUNTS] = {own.count, own.bytes, 0};

	if (own.bytes < 0 || own.count < 0) {
		r->shrunk++;
		r->shrunk_by += own.bytes < 0 ? -(uint64_t)own.bytes : 0;
	}
	for (int i = 0; i < BLOCKS_REAL; i++)
		amounts[i] = amounts[i] < 0 ? 0 : amounts[i];
	if (!amounts[BLOCKS_COUNT] && !amounts[BLOCKS_REQUESTED])
		return ST_OK;
	if (emit_blocks_huge(&r->blocks, amounts)) {
		r->odd++;
		return ST_OK;
	}
	return emit_blocks(&r->blocks, &row, amounts, PROFILE_LIVE, e);
}

static enum status report_close(struct report *r, size_t depth, struct err *e)
{
	enum status st = ST_OK;

	while (!st && r->n_open > depth) {
		struct report_node *node = &r->open[--r->n_open];

		/* Bytes are rounded and counts are not: without a block of its own what is left of
		 * the bytes is what was lost by rounding. */
		if (!node->stated && node->own.count <= 0)
			continue;
		if (!node->stated && node->own.bytes < 0)
			node->own.bytes = 0;
		st = report_push(r, node->stack, node->own, e);
	}
	return st;
}

/* False: the sum would not fit. */
static bool add(struct report_amount *to, int64_t bytes, int64_t count)
{
	struct report_amount sum;

	if (__builtin_add_overflow(to->bytes, bytes, &sum.bytes) ||
	    __builtin_add_overflow(to->count, count, &sum.count))
		return false;
	*to = sum;
	return true;
}

static enum status report_row(struct report *r, const char *s, size_t n, struct err *e)
{
	struct report_node node = {.stated = r->layout == REPORT_DIFF};
	struct report_amount all;
	struct trace *t = r->l.im->t;
	size_t blanks = 0, depth;
	uint32_t location;
	enum status st;

	while (blanks < n && s[blanks] == ' ')
		blanks++;
	depth = blanks / INDENT;
	s += blanks;
	n -= blanks;
	if (blanks % INDENT || depth > r->n_open || depth >= DEPTH_MOST ||
	    !report_numbers(r->layout, s, &n, &all, &node.own) ||
	    (r->layout == REPORT_DUMP && (all.bytes < 0 || all.count < 0)) ||
	    (node.stated && !report_diff_location(r, s, n, &location))) {
		r->odd++;
		return ST_OK;
	}
	if (!node.stated) {
		location = report_location(r, s, n);
		node.own = all;
	}
	st = report_close(r, depth, e);
	if (st)
		return st;
	if (!depth ? !add(&r->roots, all.bytes, all.count)
		   : !node.stated && !add(&r->open[depth - 1].own, -all.bytes, -all.count)) {
		r->odd++;
		return ST_OK;
	}
	node.stack = depth ? r->open[depth - 1].stack : 0;
	if (location)
		node.stack = trace_stack(t, node.stack, location);
	VEC_PUSH(r->open, r->n_open, r->cap_open) = node;
	r->rows++;
	return ST_OK;
}

/* A line of the heading: "Total size: 5.00 MB". */
static void report_heading(struct report *r, const char *s, size_t n)
{
	static const struct {
		const char *key;
		bool bytes, unit;
	} keys[] = {{"Total allocations: ", false, false},
		    {"Total size: ", true, true},
		    {"Size delta bytes: ", true, false},
		    {"Count delta: ", false, false}};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t skip = strlen(keys[i].key);

		if (!text_begins(s, n, keys[i].key))
			continue;
		if (!keys[i].bytes)
			r->count_known = signed_number(s + skip, n - skip, &r->heading.count);
		else if (keys[i].unit)
			r->bytes_known = report_size(s + skip, n - skip, &r->heading.bytes);
		else
			r->bytes_known = signed_number(s + skip, n - skip, &r->heading.bytes);
	}
}

static enum status report_begin(struct report *r, struct err *e)
{
	struct trace *t = r->l.im->t;

	loli_describe(&r->l);
	trace_set_blocks(t, TRACE_BLOCKS_SUMMED);
	if (r->layout == REPORT_DUMP) {
		trace_note(t, NOTE_INFO, 0, "a dump has no freed blocks");
		emit_blocks_live(&r->blocks, METRIC_ESTIMATED);
	} else {
		trace_note(t, NOTE_INFO, 0,
			   r->layout == REPORT_GROWTH
			       ? "the report compares two captures: it has stacks that grew "
				 "by 1 KiB or more, including freed blocks"
			       : "the report compares two captures: its numbers are the "
				 "growth of live blocks");
	}
	if (r->layout != REPORT_DIFF)
		trace_metric(t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
	return import_begin(r->l.im, e);
}

/* Up to the tree: the title, the heading, and which layout the rows have. */
static enum status report_start(struct report *r, struct err *e)
{
	static const struct {
		const char *title, *rows;
		enum report_layout layout;
	} layouts[] = {
	    {dump_title, "=== Memory Allocations ===", REPORT_DUMP},
	    {compare_title, "=== Memory Growth (Delta: Comparison - Baseline) ===", REPORT_GROWTH},
	    {compare_title, "=== Memory Diff (Comparison - Base) ===", REPORT_DIFF},
	};
	struct cursor *c = &r->l.im->in->cur;
	bool is_dump;
	size_t n;
	const char *s = cursor_line(c, &n, LINE_LIMIT);

	if (!s || (!text_is(s, n, dump_title) && !text_is(s, n, compare_title)))
		return cursor_failed(c)
			   ? err_failure(e)
			   : err_at(e, ST_BAD, 0, "the first line is not the title of a report");
	is_dump = text_is(s, n, dump_title);
	while ((s = cursor_line(c, &n, LINE_LIMIT)) && !text_begins(s, n, "=== "))
		report_heading(r, s, n);
	for (size_t i = 0; s && i < sizeof layouts / sizeof *layouts; i++)
		if ((layouts[i].title == dump_title) == is_dump && text_is(s, n, layouts[i].rows))
			r->layout = layouts[i].layout;
	if (cursor_failed(c))
		return err_failure(e);
	if (!r->layout && s)
		return err_at(e, ST_UNSUPPORTED, cursor_offset(c),
			      "the rows have an unknown layout: \"%.*s\"", n > 60 ? 60 : (int)n, s);
	if (!r->layout)
		return err_at(e, ST_BAD, cursor_offset(c), "the report ends before its rows");
	return report_begin(r, e);
}

/* Records without a stack are in the heading, and in no row of a dump. */
static enum status report_end(struct report *r, struct err *e)
{
	struct report_amount left;
	struct trace *t = r->l.im->t;
	enum status st = ST_OK;

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, r->odd, "unreadable lines"),
	    LOSS_IF(NOTE_INFO, !r->rows, "the report has no rows"),
	};

	TRACE_LOSSES(t, losses);
	if (r->layout != REPORT_GROWTH && r->count_known && r->bytes_known &&
	    !__builtin_sub_overflow(r->heading.count, r->roots.count, &left.count) &&
	    !__builtin_sub_overflow(r->heading.bytes, r->roots.bytes, &left.bytes)) {
		if (r->layout == REPORT_DIFF && (left.count || left.bytes))
			trace_note(t, NOTE_LOSS, 0,
				   "the rows do not add up to the heading's %lld bytes in "
				   "%lld blocks: the report was cut or changed",
				   (long long)r->heading.bytes, (long long)r->heading.count);
		if (r->layout == REPORT_DUMP && left.count > 0) {
			left.bytes = left.bytes < 0 ? 0 : left.bytes;
			trace_note(t, NOTE_LOSS, (uint64_t)left.count,
				   "blocks of the heading are in no row (no stack, or the "
				   "report was cut): they count without a stack");
			st = report_push(r, 0, left, e);
		}
	}
	if (r->shrunk)
		trace_note(t, NOTE_LOSS, r->shrunk,
			   "stacks shrank, by %llu bytes in all, and were left out: "
			   "tm-compare of the two captures shows them",
			   (unsigned long long)r->shrunk_by);
	return st;
}

static enum status report_read_rows(struct report *r, struct err *e)
{
	struct cursor *c = &r->l.im->in->cur;
	enum status st = report_start(r, e), closed;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_LIMIT)))
		if (n && !(r->layout == REPORT_DIFF && !r->rows && text_begins(s, n, "Columns: ")))
			st = report_row(r, s, n, e);
	if (st)
		return st;
	closed = report_close(r, 0, e);
	if (!closed)
		closed = report_end(r, e);
	return closed ? closed : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status loli_report_read(struct import *im, struct err *e)
{
	struct report r = {.blocks = {.im = im}};
	enum status st = loli_init(&r.l, im, "loli-report", LOLI_FREES_SUMMED, e);

	if (!st)
		st = report_read_rows(&r, e);
	loli_end(&r.l);
	free(r.open);
	loli_release(&r.l);
	return st;
}

static int loli_report_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return text_begins((const char *)head, n, dump_title) ||
		       text_begins((const char *)head, n, compare_title)
		   ? 80
		   : 0;
}

const struct reader reader_loli_report = {
    .name = "loli-report",
    .family = "LoliProfiler",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_ADDRESSES,
    .what = "LoliProfiler: reports of --dump and --compare",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what is below a function is taken from it, and so is the heading */
    .bid = loli_report_bid,
    .read = loli_report_read,
};
