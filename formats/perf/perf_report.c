/* SPDX-License-Identifier: MIT
 *
 * What perf report --stdio prints of each event:
 *
 *	# Samples: 615  of event 'cpu-clock'
 *	# Event count (approx.): 616850535
 *	#
 *	# Overhead       Samples  Command  Shared Object     Symbol
 *	# ........  ............  .......  ................  .......
 *	#
 *	    92.03%           566  w        w                 [.] hot
 *	            |
 *	            ---hot
 *	               |
 *	               |--74.96%--main
 *	               |          __libc_start_call_main
 *	               |
 *	                --17.07%--other
 *	                          main
 *
 * Dots are below the names of columns. What a function had itself is in "Overhead"; or in "Self", where "Children" stands
 * before it. Below a row are its callers; a name without a percentage calls the one above it. With "Children", what is
 * below is callees, or both, and is not read: --no-children is the way there. From perf report(1), and perf 6.1.
 */
#include "formats/call_tree.h"
#include "formats/perf/perf_events.h"
#include "formats/reader.h"
#include "lib/base/hash.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <string.h>

enum { LINE_MOST = 1 << 16, COLUMNS_MOST = 32, WHOLE = 10000 /* of hundredths of a percent */ };
enum column { COLUMN_SELF, COLUMN_SAMPLES, COLUMN_COMMAND, COLUMN_OBJECT, COLUMN_SYMBOL, COLUMNS };

struct text_span {
	const char *s, *end;
};

struct perf_report {
	struct import *im;
	struct perf_events events;
	struct perf_event_kind *event; /* of the section; NULL: it is not read */
	struct call_tree tree;
	struct map64 modules;             /* string -> module */
	struct buf names;                 /* the line before the one with dots */
	size_t at[COLUMNS], end[COLUMNS]; /* of the section's columns; end 0: none has it */
	size_t first_end;                 /* of the first column, behind which graphs are */
	bool children, begun, in_rows;
	uint64_t count; /* of the section's events */
	/* The row that waits for its callers. */
	bool waits;
	struct emit_sample row;
	uint64_t own;              /* in hundredths of a percent */
	uint32_t location, symbol; /* symbol: a string */
	size_t n_callers;          /* names of its graph, the row's own included */
	bool other;                /* its graph is none of callers */
	size_t column, chain;      /* of the last caller, and how many names are above it there */
	uint64_t last;             /* what the last caller has */
	uint64_t rows, odd, groups, graphs, unsplit, lost;
};

/* "74.96" of "74.96%" in hundredths. */
static bool parse_share(const char *s, const char *end, uint64_t *hundredths)
{
	const char *percent = memchr(s, '%', (size_t)(end - s)), *dot;
	uint64_t whole, part;

	dot = percent ? memchr(s, '.', (size_t)(percent - s)) : NULL;
	if (!dot || percent - dot != 3 || !num_dec(s, (size_t)(dot - s), &whole) ||
	    !num_dec(dot + 1, 2, &part) || whole > 100)
		return false;
	*hundredths = whole * 100 + part;
	return *hundredths <= WHOLE;
}

/* The nearest number of events. */
static uint64_t amount_of(const struct perf_report *x, uint64_t hundredths)
{
	return (uint64_t)(((unsigned __int128)x->count * hundredths + WHOLE / 2) / WHOLE);
}

/* --- what a section is about --- */

/* "# Samples: 12K of event 'cycles:u'" */
static bool parse_event(const char *s, size_t n, struct text_span *event)
{
	static const char word[] = " of event '";
	const char *at =
	    text_begins(s, n, "# Samples: ") ? memmem(s, n, word, sizeof word - 1) : NULL;

	if (!at || s[n - 1] != '\'')
		return false;
	*event = (struct text_span){at + sizeof word - 1, s + n - 1};
	return event->s < event->end;
}

static enum status begin_event(struct perf_report *x, const struct text_span *name, struct err *e)
{
	size_t n = (size_t)(name->end - name->s);

	x->count = 0;
	x->in_rows = false;
	if (!x->begun && perf_event_is_clock(name->s, n))
		trace_metric(x->im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	x->event = perf_event_kind(&x->events, x->im->t, name->s, n);
	if (x->begun)
		return ST_OK;
	x->begun = true;
	return import_begin(x->im, e);
}

/* dots: the line with dots, below x->names. */
static void find_columns(struct perf_report *x, const char *dots, size_t n)
{
	static const struct {
		const char *name;
		enum column is;
	} known[] = {{"Overhead", COLUMN_SELF},        {"Self", COLUMN_SELF},
		     {"Samples", COLUMN_SAMPLES},      {"Command", COLUMN_COMMAND},
		     {"Shared Object", COLUMN_OBJECT}, {"Symbol", COLUMN_SYMBOL}};
	const char *names = buf_at(&x->names, 0);

	memset(x->end, 0, sizeof x->end);
	x->children = false;
	x->first_end = 0;
	for (size_t i = 2, to; i < n; i = to + 2) {
		size_t name_end;
		const char *s = names + i, *end;

		for (to = i; to < n && dots[to] == '.'; to++)
			;
		x->first_end = x->first_end ? x->first_end : to;
		name_end = to < n && to < x->names.len ? to : x->names.len;
		if (i >= name_end)
			break;
		end = names + name_end;
		text_trim(&s, &end);
		x->children |= text_is(s, (size_t)(end - s), "Children");
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (text_is(s, (size_t)(end - s), known[k].name)) {
				/* rows have two blanks where these lines have "# " */
				x->at[known[k].is] = i;
				x->end[known[k].is] = to < n ? to : SIZE_MAX;
			}
	}
	x->in_rows = x->end[COLUMN_SELF] && x->event;
}

/* --- calls --- */

static uint32_t object_of(struct perf_report *x, struct text_span s)
{
	uint32_t name = trace_string(x->im->t, s.s, (size_t)(s.end - s.s));
	uint32_t *id = map64_put(&x->modules, name);

	if (!*id)
		*id = trace_module(x->im->t, &(struct module){.name = name});
	return *id;
}

/* "0x00007fdf6daf2ad7": perf knows no symbol. */
static bool parse_address(struct text_span s, uint64_t *address)
{
	return text_begins(s.s, (size_t)(s.end - s.s), "0x") &&
	       num_hex(s.s + 2, (size_t)(s.end - s.s) - 2, address);
}

/* "main (inlined)" */
static uint32_t caller_of(struct perf_report *x, struct text_span s)
{
	static const char inlined[] = " (inlined)";
	struct location l = {.space = SPACE_RUNTIME, .kind = LOCATION_RETURN};

	if (parse_address(s, &l.raw))
		return trace_location(x->im->t, &l);
	if (text_ends(s.s, (size_t)(s.end - s.s), inlined))
		s.end -= sizeof inlined - 1;
	return emit_named(x->im->t, trace_string(x->im->t, s.s, (size_t)(s.end - s.s)), 0, 0);
}

/* Of a row: the symbol behind "[.] ", and its module; 0: the report is not about functions. */
static uint32_t function_of(struct perf_report *x, struct text_span symbol, struct text_span object)
{
	struct location l = {.space = SPACE_NAME};
	bool known = object.s < object.end && *object.s != '[';

	if (symbol.end - symbol.s > 4 && symbol.s[0] == '[' && symbol.s[2] == ']')
		symbol.s += 4;
	if (object.s < object.end &&
	    !text_is(object.s, (size_t)(object.end - object.s), "[unknown]"))
		l.module = object_of(x, object);
	if (parse_address(symbol, &l.raw)) { /* in a file, its offset there */
		l.space = known ? SPACE_FILE_OFFSET : SPACE_RUNTIME;
		l.kind = LOCATION_EXACT;
	} else if (symbol.s < symbol.end) {
		l.name = trace_string(x->im->t, symbol.s, (size_t)(symbol.end - symbol.s));
	} else if (l.module) {
		l.space = SPACE_UNKNOWN;
	} else {
		return 0;
	}
	return trace_location(x->im->t, &l);
}

static enum status report_push(void *arg, uint32_t stack, const int64_t own[CALL_TREE_AMOUNTS],
			       struct err *e)
{
	struct perf_report *x = arg;
	struct emit_sample s = x->row;

	s.stack = stack;
	if (own[0] <= 0)
		return ST_OK;
	x->events.time = x->event->clock && !x->events.time ? x->event : x->events.time;
	if (x->event == x->events.time)
		s.self = KNOWN(own[0]);
	else
		s.period = KNOWN(own[0]);
	return emit_sample(x->im, &s, e);
}

/* The row that waits: alone if it has no callers. */
static enum status end_row(struct perf_report *x, struct err *e)
{
	const int64_t own[CALL_TREE_AMOUNTS] = {(int64_t)amount_of(x, x->own)};
	struct trace *t = x->im->t;

	if (!x->waits)
		return ST_OK;
	x->waits = false;
	if (x->n_callers > 1)
		return call_tree_end(&x->tree, e);
	call_tree_release(&x->tree);
	return report_push(x, x->location ? trace_stack(t, 0, x->location) : 0, own, e);
}

static enum status add_caller(struct perf_report *x, size_t depth, uint32_t location,
			      uint64_t hundredths, struct err *e)
{
	struct call_tree_row row = {
	    .depth = depth, .location = location, .total = {(int64_t)amount_of(x, hundredths)}};

	if (!call_tree_fits(&x->tree, depth)) {
		x->odd++;
		return ST_OK;
	}
	return call_tree_add(&x->tree, &row, e);
}

/* Where a name of a graph begins; NULL: the line has none. "|--74.96%--main", "---hot", "main". */
static const char *find_name(const char *s, size_t n, uint64_t *hundredths, bool *has_share)
{
	const char *end = s + n, *at = s, *dashes;

	*has_share = false;
	while (at < end && (*at == ' ' || *at == '|'))
		at++;
	if (end - at > 2 && at[0] == '-' && at[1] == '-') {
		dashes = at + 2;
		if (*dashes == '-')
			return dashes + 1;
		*has_share = parse_share(dashes, end, hundredths);
		at = *has_share ? (const char *)memchr(dashes, '%', (size_t)(end - dashes)) + 1
				: NULL;
		return at && end - at > 2 && at[0] == '-' && at[1] == '-' ? at + 2 : NULL;
	}
	return at < end ? at : NULL;
}

/* Depths grow with the column, and in one column with each name that calls the one above it. */
static size_t depth_at(size_t column, size_t chain)
{
	enum { CHAIN_MOST = 4096 };

	return column * CHAIN_MOST + (chain < CHAIN_MOST ? chain : CHAIN_MOST - 1);
}

static enum status read_caller(struct perf_report *x, const char *s, size_t n, struct err *e)
{
	uint64_t share = x->last;
	bool has_share;
	const char *name = find_name(s, n, &share, &has_share);
	size_t column = name ? (size_t)(name - s) : 0, n_name = name ? n - column : 0;

	if (!n_name) {
		x->odd++;
		return ST_OK;
	}
	if (!x->n_callers)
		x->other = trace_string(x->im->t, name, n_name) != x->symbol;
	if (x->other) {
		x->graphs++;
		return ST_OK;
	}
	if (!x->n_callers++) {
		x->column = column;
		return ST_OK;
	}
	x->unsplit += x->row.samples.is; /* the graph has shares alone */
	x->row.samples = ABSENT;
	x->chain = has_share || column != x->column ? 0 : x->chain + 1;
	x->column = column;
	x->last = share;
	return add_caller(x, depth_at(column, x->chain),
			  caller_of(x, (struct text_span){name, s + n}), share, e);
}

/* --- rows --- */

static struct text_span cell_of(const struct perf_report *x, const char *s, size_t n,
				enum column which)
{
	size_t to = x->end[which] < n ? x->end[which] : n;
	struct text_span c = {s + (x->at[which] < to ? x->at[which] : to), s + to};

	if (x->end[which])
		text_trim(&c.s, &c.end);
	else
		c.end = c.s;
	return c;
}

static enum status read_row(struct perf_report *x, const char *s, size_t n, struct err *e)
{
	struct text_span share = cell_of(x, s, n, COLUMN_SELF),
			 samples = cell_of(x, s, n, COLUMN_SAMPLES),
			 command = cell_of(x, s, n, COLUMN_COMMAND);
	struct trace *t = x->im->t;
	enum status st = end_row(x, e);
	uint64_t v;

	if (st)
		return st;
	if (!parse_share(share.s, share.end, &x->own)) {
		x->odd++;
		return ST_OK;
	}
	x->rows++;
	if (!x->own)
		return ST_OK;
	x->row = (struct emit_sample){.marker = x->event->marker};
	if (command.s < command.end)
		x->row.thread = trace_thread(
		    t, &(struct thread){
			   .name = trace_string(t, command.s, (size_t)(command.end - command.s))});
	if (num_dec(samples.s, (size_t)(samples.end - samples.s), &v))
		x->row.samples = KNOWN(v);
	x->location =
	    function_of(x, cell_of(x, s, n, COLUMN_SYMBOL), cell_of(x, s, n, COLUMN_OBJECT));
	x->symbol = t->locations[x->location].name;
	x->waits = true;
	x->other = false;
	x->n_callers = x->chain = x->column = 0;
	x->last = x->own;
	return add_caller(x, 0, x->location, x->own, e);
}

/* Behind "# ". */
static enum status read_head(struct perf_report *x, const char *s, size_t n, struct err *e)
{
	static const char count[] = "# Event count (approx.): ", lost[] = "# Total Lost Samples: ";
	struct text_span event;
	uint64_t v = 0;

	if (parse_event(s, n, &event))
		return begin_event(x, &event, e);
	if (text_begins(s, n,
			"# Samples: ")) { /* of a group: each row has shares of all its events */
		x->groups++;
		x->event = NULL;
		x->in_rows = false;
	} else if (x->event && text_begins(s, n, count)) {
		if (num_dec(s + sizeof count - 1, n - (sizeof count - 1), &v) && v <= INT64_MAX)
			x->count = v;
		x->event->periods += x->count;
	} else if (text_begins(s, n, lost)) {
		x->lost += num_dec(s + sizeof lost - 1, n - (sizeof lost - 1), &v) ? v : 0;
	} else if (x->event && text_begins(s, n, "# ..")) {
		find_columns(x, s, n);
	} else {
		x->names.len = 0;
		buf_add(&x->names, s, n);
	}
	return ST_OK;
}

static enum status read_line(struct perf_report *x, const char *s, size_t n, struct err *e)
{
	enum status st = ST_OK;
	size_t blanks = 0;

	while (n && text_is_space(s[n - 1]))
		n--;
	while (blanks < n && (s[blanks] == ' ' || s[blanks] == '|'))
		blanks++;
	if (n && *s == '#') {
		st = end_row(x, e);
		return st ? st : read_head(x, s, n, e);
	}
	if (blanks == n || !x->in_rows)
		return ST_OK;
	if (blanks < x->first_end)
		return read_row(x, s, n, e);
	if (x->waits && !x->children)
		return read_caller(x, s, n, e);
	x->graphs++;
	return ST_OK;
}

static enum status perf_report_read(struct import *im, struct err *e)
{
	struct perf_report x = {.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st = ST_OK;

	x.tree = (struct call_tree){.t = im->t, .push = report_push, .arg = &x, .callers = true};
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&x, s, n, e);
	if (!st)
		st = end_row(&x, e);
	call_tree_release(&x.tree);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !x.begun)
		st = err_at(e, ST_BAD, 0, "no line says which event the samples are of");
	if (!st)
		st = perf_events_push(&x.events, im, e);
	perf_events_note(&x.events, im->t);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x.odd,
		 "lines are not rows of the table or its graphs, or too deep: left out"),
	    LOSS(NOTE_LOSS, x.groups, "tables are of groups of events: left out"),
	    LOSS(NOTE_LOSS, x.lost, "samples were lost, says the report"),
	    LOSS(NOTE_LOSS, x.graphs,
		 "lines of call graphs do not list callers: left out; perf report --no-children "
		 "lists callers"),
	    LOSS(NOTE_LOSS, x.unsplit,
		 "numbers of samples are not those of callers, of which only shares are known: "
		 "left out"),
	    LOSS(NOTE_GUESS, x.rows,
		 "rows have shares of the event count, rounded to 0.01%: their numbers are as "
		 "rough"),
	};

	TRACE_LOSSES(im->t, losses);
	map64_release(&x.modules);
	buf_release(&x.names);
	return st;
}

static int perf_report_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head;

	(void)whole;
	return n && *s == '#' && memmem(s, n, "\n# Samples: ", 12) &&
		       memmem(s, n, "\n# Event count (approx.): ", 26)
		   ? 96
		   : 0;
}

const struct reader reader_perf_report = {
    .name = "perf-report",
    .family = "perf",
    .page = "perf",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES,
    .what = "the text of perf report --stdio",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what callers below have is taken from a row */
    .bid = perf_report_bid,
    .read = perf_report_read,
};
