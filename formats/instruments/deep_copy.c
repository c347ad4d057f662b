/* SPDX-License-Identifier: MIT
 *
 * Instruments' "deep copy": the call tree of Xcode's profiler as text, columns between tabs, the function's
 * depth as blanks before its name. Facts: the four files of speedscope's sample/profiles/Instruments, of
 * versions 7.3, 13.4 and 16. Numbers are rounded as they were shown, so what a function has itself is its
 * column where there is one, and else the difference to those below it.
 */
#include "formats/call_tree.h"
#include "formats/emit.h"
#include "formats/reader.h"

#include "lib/base/num.h"
#include "lib/base/text.h"

#include <math.h>
#include <string.h>

enum { LINE_MOST = 1 << 20, COLUMNS_MOST = 16 };
enum what { WHAT_TIME, WHAT_CYCLES, WHAT_BYTES };

struct deep {
	struct import *im;
	int weight, self, count, symbol; /* columns; -1: none */
	bool any;
	enum what what;
	struct call_tree tree;
	uint64_t odd;
};

struct field {
	const char *s;
	size_t n;
};

static size_t split(const char *s, size_t n, struct field *f)
{
	size_t count = 0, from = 0;

	for (size_t i = 0; i <= n && count < COLUMNS_MOST; i++)
		if (i == n || s[i] == '\t') {
			f[count++] = (struct field){s + from, i - from};
			from = i + 1;
		}
	return count;
}

static bool begins(struct field f, const char *word)
{
	return text_begins(f.s, f.n, word);
}

static bool deep_copy_parse_header(struct deep *d, const char *s, size_t n)
{
	struct field f[COLUMNS_MOST];
	size_t columns = split(s, n, f);

	d->weight = d->self = d->count = d->symbol = -1;
	for (size_t i = 0; i < columns; i++) {
		if (begins(f[i], "Weight") || begins(f[i], "Running Time"))
			d->weight = (int)i;
		else if (begins(f[i], "Bytes Used")) {
			d->weight = (int)i;
			d->what = WHAT_BYTES;
		} else if (begins(f[i], "Self"))
			d->self = (int)i;
		else if (begins(f[i], "Count"))
			d->count = (int)i;
		else if (begins(f[i], "Symbol Name"))
			d->symbol = (int)i;
	}
	return d->weight >= 0 && d->symbol >= 0;
}

/* "429.93 MB     100.0%", "4273.0ms", "96.08 Gc", "-", "693": ns, bytes or cycles. */
static bool deep_copy_amount(struct deep *d, struct field f, int64_t *v)
{
	static const struct {
		const char *unit;
		double factor;
		enum what what;
	} units[] = {{"ms", 1e6, WHAT_TIME},
		     {"s", 1e9, WHAT_TIME},
		     {"min", 6e10, WHAT_TIME},
		     {"us", 1e3, WHAT_TIME},
		     {"\302\265s", 1e3, WHAT_TIME},
		     {"ns", 1, WHAT_TIME},
		     {"cycles", 1, WHAT_CYCLES},
		     {"Kc", 1e3, WHAT_CYCLES},
		     {"Mc", 1e6, WHAT_CYCLES},
		     {"Gc", 1e9, WHAT_CYCLES},
		     {"Bytes", 1, WHAT_BYTES},
		     {"KB", 1024, WHAT_BYTES},
		     {"MB", 1024.0 * 1024, WHAT_BYTES},
		     {"GB", 1024.0 * 1024 * 1024, WHAT_BYTES}};
	size_t i = 0, from, unit;
	double number;

	while (i < f.n && f.s[i] == ' ')
		i++;
	from = i;
	if (f.n - from == 1 && f.s[from] == '-') {
		*v = 0;
		return true;
	}
	while (i < f.n && ((f.s[i] >= '0' && f.s[i] <= '9') || f.s[i] == '.'))
		i++;
	if (!num_double(f.s + from, i - from, &number))
		return false;
	while (i < f.n && f.s[i] == ' ')
		i++;
	unit = i;
	while (i < f.n && f.s[i] != ' ')
		i++;
	if (unit == i) { /* a column in ms */
		if (number >= 9e12)
			return false;
		*v = llround(number * 1e6);
		return true;
	}
	for (size_t k = 0; k < sizeof units / sizeof *units; k++)
		if (strlen(units[k].unit) == i - unit &&
		    !memcmp(units[k].unit, f.s + unit, i - unit)) {
			number *= units[k].factor;
			if (number >= 9e18)
				return false;
			d->what = units[k].what;
			*v = llround(number);
			return true;
		}
	return false;
}

static enum status deep_copy_push(void *arg, uint32_t stack, const int64_t own[CALL_TREE_AMOUNTS],
				  struct err *e)
{
	struct deep *d = arg;
	struct emit_sample sample = {.stack = stack,
				     .self = KNOWN_IF(d->what == WHAT_TIME, own[0]),
				     .calls = KNOWN_IF(d->what == WHAT_CYCLES, own[0])};
	struct emit_alloc alloc = {.stack = stack,
				   .requested = KNOWN(own[0]),
				   .domain = KNOWN(DOMAIN_MALLOC),
				   .count = KNOWN_IF(d->count >= 0, own[1])};

	if (!own[0] && (d->what != WHAT_BYTES || !own[1]))
		return ST_OK;
	return d->what == WHAT_BYTES ? emit_alloc(d->im, &alloc, e)
				     : emit_sample(d->im, &sample, e);
}

static enum status begin(struct deep *d, struct err *e)
{
	struct trace *t = d->im->t;

	d->any = true;
	if (d->what == WHAT_TIME)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	if (d->what == WHAT_BYTES) {
		trace_metric(t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
		if (d->count >= 0)
			trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	}
	return import_begin(d->im, e);
}

static enum status deep_copy_add_row(struct deep *d, const struct field *f, size_t n, struct err *e)
{
	struct call_tree_row row = {0};
	struct field name = (size_t)d->symbol < n ? f[d->symbol] : (struct field){"", 0};
	uint64_t count;
	enum status st = ST_OK;

	while (row.depth < name.n && name.s[row.depth] == ' ')
		row.depth++;
	if (row.depth == name.n || (size_t)d->weight >= n ||
	    !deep_copy_amount(d, f[d->weight], &row.total[0]) ||
	    !call_tree_fits(&d->tree, row.depth)) {
		d->odd++;
		return ST_OK;
	}
	if (!d->any)
		st = begin(d, e);
	if (st)
		return st;
	row.has_own =
	    d->self >= 0 && (size_t)d->self < n && deep_copy_amount(d, f[d->self], &row.own);
	if (d->count >= 0 && (size_t)d->count < n &&
	    num_dec(f[d->count].s, f[d->count].n, &count) && count < INT64_MAX)
		row.total[1] = (int64_t)count;
	row.location = emit_named(
	    d->im->t, trace_string(d->im->t, name.s + row.depth, name.n - row.depth), 0, 0);
	return call_tree_add(&d->tree, &row, e);
}

static enum status deep_copy_read_rows(struct deep *d, struct err *e)
{
	struct cursor *c = &d->im->in->cur;
	struct field f[COLUMNS_MOST];
	enum status st = ST_OK, closed;
	bool unended = false;
	size_t n;
	const char *s = cursor_line(c, &n, LINE_MOST);

	if (!s || !deep_copy_parse_header(d, s, n))
		return cursor_failed(c) ? err_failure(e)
					: err_at(e, ST_BAD, 0,
						 "no heading of an Instruments deep copy "
						 "found");
	while (!st && (s = cursor_line(c, &n, LINE_MOST))) {
		unended = n && (const char *)c->pos == s + n;
		st = n ? deep_copy_add_row(d, f, split(s, n, f), e) : ST_OK;
	}
	if (st)
		return st;
	closed = call_tree_end(&d->tree, e);
	if (d->odd)
		trace_note(d->im->t, NOTE_LOSS, d->odd,
			   "lines are not rows of the tree and were left out");
	else if (unended)
		trace_note(d->im->t, NOTE_GUESS, 0,
			   "the last line has no newline: it is read as it is");
	return closed ? closed : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status deep_copy_read(struct import *im, struct err *e)
{
	struct deep d = {.im = im, .tree = {.t = im->t, .push = deep_copy_push, .arg = &d}};
	enum status st = deep_copy_read_rows(&d, e);

	call_tree_release(&d.tree);
	return st;
}

static int deep_copy_bid(const uint8_t *head, size_t n, bool whole)
{
	const uint8_t *end = memchr(head, '\n', n);
	size_t line = end ? (size_t)(end - head) : n;

	(void)whole;
	return memmem(head, line, "\tSymbol Name", 12) &&
		       (!memcmp(head, "Weight\t", line < 7 ? line : 7) ||
			!memcmp(head, "Running Time\t", line < 13 ? line : 13) ||
			!memcmp(head, "Bytes Used\t", line < 11 ? line : 11))
		   ? 80
		   : 0;
}

const struct reader reader_deep_copy = {
    .name = "instruments",
    .family = "Instruments",
    .page = "instruments",
    .capabilities = CAPABILITY_SAMPLES | CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS,
    .what = "Instruments' deep copy: a call tree with time, cycles or bytes",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what is below a function is taken from it */
    .bid = deep_copy_bid,
    .read = deep_copy_read,
};
