/* SPDX-License-Identifier: MIT
 *
 * Captures of heaptrack, file versions 0 to 3, as the library wrote them (raw: heaptrack --raw) and
 * as heaptrack_interpret left them. A line is a letter and fields:
 *
 *	v HEAPTRACK FILE    versions            X COMMAND           A        attached to a process
 *	I PAGE PAGES        of the machine      S SUPPRESSION       # ...    a comment
 *	x PATH              executable          m NAME BASE [VADDR SIZE]...  raw: modules; - clears
 *	s TEXT              string              i ADDRESS MODULE [FUNCTION FILE LINE]...
 *	t IP PARENT         call of a stack     a SIZE TRACE        what + and - name
 *	+ INFO, - INFO      since version 1; raw and before: + SIZE TRACE ADDRESS, - ADDRESS
 *	c MILLISECONDS      time from here on   R PAGES             resident
 *
 * Numbers are hexadecimal; what is referred to counts from 1, but infos from 0. Interpreted files
 * have no addresses of blocks: those of one info are alike, and the newest is freed first.
 */
#include "formats/heaptrack/heaptrack.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAPTRACK_LINE = 1 << 20, HEAPTRACK_VERSION = 3, PAGE_MOST = 1 << 24 };

struct heaptrack {
	struct import *im;
	struct heaptrack_tables tables;
	struct heaptrack_moves moves;
	uint64_t version, page, line, refused, first_refused;
	uint64_t suppressions, backwards, unknown_frees;
	uint32_t rss;                      /* counter; 0: none yet */
	int64_t time;                      /* ns */
	bool raw, attached, cut, numbered; /* numbered: + and - name infos */
	bool as_moves;                     /* the sink wants moves; else events */
};

static void set_text(struct heaptrack *h, const char *key, const char *s, size_t n)
{
	char *text = mem_strndup(s, n);

	trace_set(h->im->t, key, text);
	free(text);
}

static bool parse_version(struct heaptrack *h, struct heaptrack_line *l)
{
	uint64_t of_tool;

	if (!heaptrack_number(l, &of_tool))
		return false;
	/* The first to say that it was 1 said so with its own number. */
	if (!heaptrack_number(l, &h->version))
		h->version = of_tool == 0x10200;
	h->tables.sized = h->version >= 3;
	return true;
}

static bool parse_info(struct heaptrack *h, struct heaptrack_line *l)
{
	struct heaptrack_moves *m = &h->moves;
	struct block_kind kind = {0};
	uint64_t trace = 0;
	bool sound = heaptrack_number(l, &kind.requested) && heaptrack_number(l, &trace) &&
		     heaptrack_stack(&h->tables, trace, &kind.stack);

	if (m->n_kinds == BLOCK_KINDS)
		return false;
	VEC_PUSH(m->kinds, m->n_kinds, m->cap_kinds) = kind;
	return sound;
}

static bool parse_time(struct heaptrack *h, struct heaptrack_line *l)
{
	uint64_t ms;

	if (!heaptrack_number(l, &ms) || ms > INT64_MAX / 1000000)
		return false;
	if ((int64_t)ms * 1000000 < h->time)
		h->backwards++;
	else
		h->time = (int64_t)ms * 1000000;
	return true;
}

static bool parse_page(struct heaptrack *h, struct heaptrack_line *l)
{
	uint64_t page, pages;

	if (!heaptrack_number(l, &page) || page > PAGE_MOST || !heaptrack_number(l, &pages))
		return false;
	h->page = page;
	return true;
}

/* A line of tables and settings; false: it makes no sense. */
static bool heaptrack_parse_row(struct heaptrack *h, char kind, struct heaptrack_line *l)
{
	struct heaptrack_tables *x = &h->tables;

	switch (kind) {
	case 's': return heaptrack_string(x, l);
	case 'i': return heaptrack_ip(x, l);
	case 't': return heaptrack_trace(x, l, h->raw);
	case 'a': return parse_info(h, l);
	case 'c': return parse_time(h, l);
	case 'm': h->raw = true; return heaptrack_module(x, l);
	case 'x': h->raw = true; return heaptrack_exe(x, l);
	case 'v': return parse_version(h, l);
	case 'X':
		if (l->s < l->end)
			set_text(h, "heaptrack.command", l->s + 1, (size_t)(l->end - l->s) - 1);
		return true;
	case 'I': return parse_page(h, l);
	case 'A': h->attached = true; return true;
	case 'S': h->suppressions++; return true;
	case '#': return true;
	default: return false;
	}
}

static enum status push_rss(struct heaptrack *h, uint64_t pages, struct err *e)
{
	if (!h->rss)
		h->rss = emit_counter_id(h->im, "process.rss", "B");
	return emit_counter(h->im, h->rss, KNOWN(h->time),
			    (int64_t)(pages * (h->page ? h->page : 4096)), e);
}

static enum status push_alloc(struct heaptrack *h, uint64_t address, uint64_t size, uint32_t stack,
			      struct err *e)
{
	const struct emit_alloc alloc = {.stack = stack,
					 .time = KNOWN(h->time),
					 .address = KNOWN(address),
					 .requested = KNOWN(size),
					 .domain = KNOWN(DOMAIN_MALLOC)};

	return emit_alloc(h->im, &alloc, e);
}

static enum status heaptrack_forward(struct heaptrack *h, struct err *e)
{
	struct heaptrack_moves *m = &h->moves;
	const struct sink_blocks b = {.kinds = m->kinds,
				      .n_kinds = m->n_kinds,
				      .moves = m->items,
				      .n = m->n,
				      .n_freed = m->n_freed,
				      .time = h->time};

	if (!m->n)
		return ST_OK;
	m->n = m->n_freed = 0;
	return sink_blocks(h->im->sink, h->im->t, &b, e);
}

static bool heaptrack_add_move(struct heaptrack *h, uint64_t kind, bool freed, enum status *st,
			       struct err *e)
{
	if (h->moves.n == HEAPTRACK_MOVES)
		*st = heaptrack_forward(h, e);
	if (*st || heaptrack_move(&h->moves, kind, freed))
		return true;
	if (!freed || kind >= h->moves.n_kinds)
		return false;
	h->unknown_frees++;
	return true;
}

static bool heaptrack_parse_alloc(struct heaptrack *h, struct heaptrack_line *l, enum status *st,
				  struct err *e)
{
	uint64_t v, trace, address;
	uint32_t stack;

	if (!heaptrack_number(l, &v))
		return false;
	if (h->numbered)
		return heaptrack_add_move(h, v, false, st, e);
	if (!heaptrack_number(l, &trace) || !heaptrack_number(l, &address) || l->s != l->end ||
	    !heaptrack_stack(&h->tables, trace, &stack))
		return false;
	*st = push_alloc(h, address, v, stack, e);
	return true;
}

static bool heaptrack_parse_free(struct heaptrack *h, struct heaptrack_line *l, enum status *st,
				 struct err *e)
{
	struct emit_free end = {.time = KNOWN(h->time), .domain = KNOWN(DOMAIN_MALLOC)};
	uint64_t v;

	if (!heaptrack_number(l, &v) || l->s != l->end)
		return false;
	if (h->numbered)
		return heaptrack_add_move(h, v, true, st, e);
	end.address = v;
	*st = emit_free(h->im, &end, e);
	return true;
}

static enum status heaptrack_begin(struct heaptrack *h, struct err *e)
{
	struct trace *t = h->im->t;
	uint8_t live = h->attached ? METRIC_LOWER_BOUND : METRIC_EXACT;

	h->numbered = !h->raw && h->version >= 1;
	if (h->version > HEAPTRACK_VERSION)
		return err_at(e, ST_UNSUPPORTED, 0,
			      "unknown version %" PRIu64 ": tracemill reads versions 0 to %d",
			      h->version, HEAPTRACK_VERSION);
	trace_set(t, "heaptrack.form", h->raw ? "raw" : "interpreted");
	if (h->numbered) {
		trace_set_blocks(t, TRACE_BLOCKS_NUMBERED);
		trace_set(t, TRACE_FREES, TRACE_FREES_OF_KINDS);
	}
	if (h->attached)
		trace_set(t, "heaptrack.attached", "yes");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, live, METRIC_AT_ALL);
	return import_begin(h->im, e);
}

static enum status heaptrack_parse_line(struct heaptrack *h, const char *s, size_t n, struct err *e)
{
	struct heaptrack_line l = {s + 1, s + n};
	enum status st = ST_OK;
	uint64_t pages;
	bool sound;

	if ((*s == '+' || *s == '-' || *s == 'R') && !h->im->begun)
		st = heaptrack_begin(h, e);
	else if (*s == 'R' || *s == 'c' || (!h->as_moves && *s != '+' && *s != '-'))
		st = heaptrack_forward(h, e); /* in its place between the others, at its time */
	if (st)
		return st;
	switch (*s) {
	case '+': sound = heaptrack_parse_alloc(h, &l, &st, e); break;
	case '-': sound = heaptrack_parse_free(h, &l, &st, e); break;
	case 'R':
		sound = heaptrack_number(&l, &pages) && pages < 1ull << 38;
		if (sound)
			st = push_rss(h, pages, e);
		break;
	default: sound = heaptrack_parse_row(h, *s, &l);
	}
	if (!sound && !h->refused++)
		h->first_refused = h->line;
	return st;
}

/* The short lines that are at the cursor; h->numbered is set where events begin. */
static enum status heaptrack_parse_short_lines(struct heaptrack *h, struct err *e)
{
	struct cursor *c = &h->im->in->cur;
	bool more = true;
	enum status st = ST_OK;

	while (!st && more) {
		const uint8_t *before = c->pos;

		if (h->numbered)
			c->pos += heaptrack_moves_parse(&h->moves, c->pos, c->end);
		if (h->moves.n == HEAPTRACK_MOVES || (h->moves.n && !h->as_moves))
			st = heaptrack_forward(h, e);
		if (!h->raw)
			c->pos += heaptrack_traces_parse(&h->tables, c->pos, c->end, &h->line);
		more = c->pos != before;
	}
	h->line += h->moves.lines;
	h->moves.lines = 0;
	return st;
}

static enum status heaptrack_parse_lines(struct heaptrack *h, struct err *e)
{
	struct cursor *c = &h->im->in->cur;
	enum status st = ST_OK, last;
	struct err failed = ERR_INIT;
	const char *s;
	size_t n;

	while (!st) {
		st = heaptrack_parse_short_lines(h, e);
		if (st || !(s = cursor_line(c, &n, HEAPTRACK_LINE)))
			break;
		h->line++;
		/* A number that is cut is another one. */
		if ((const char *)c->pos == s + n) {
			h->cut = n > 0;
			break;
		}
		if (n)
			st = heaptrack_parse_line(h, s, n, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	last = h->im->begun ? heaptrack_forward(h, &failed) : ST_OK;
	if (last)
		*e = failed;
	return last ? last : st;
}

static void heaptrack_add_notes(const struct heaptrack *h)
{
	struct trace *t = h->im->t;

	if (h->refused)
		trace_note(t, NOTE_LOSS, h->refused,
			   "unreadable lines were left out; the first is line %" PRIu64,
			   h->first_refused);
	if (h->tables.more_calls)
		trace_note(t, NOTE_LOSS, h->tables.more_calls,
			   "calls above the limit of %d in an address or %d in a stack were "
			   "left out",
			   HEAPTRACK_CALLS_MOST, HEAPTRACK_STACK_MOST);

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_LOSS, h->cut, "the last line has no newline: the file may be cut short"),
	    LOSS(NOTE_LOSS, h->backwards, "times go backwards: left out"),
	    LOSS(NOTE_LOSS, h->unknown_frees, "frees of unknown blocks"),
	    LOSS(NOTE_INFO, h->suppressions,
		 "suppressions of leaks are in the file but were not applied"),
	    LOSS_IF(NOTE_INFO, h->attached,
		    "heaptrack was attached to the process: older blocks are unknown"),
	};

	TRACE_LOSSES(t, losses);
}

static enum status heaptrack_read(struct import *im, struct err *e)
{
	struct heaptrack h = {.im = im,
			      .tables = {.t = im->t},
			      .as_moves = sink_wants(im->sink, im->t) & SINK_WANTS_MOVES};
	enum status st = heaptrack_parse_lines(&h, e);

	if (!st && !im->begun) {
		if (h.version <= HEAPTRACK_VERSION && h.line < 2 + h.refused)
			st = err_at(e, ST_BAD, 0, "the file has no heaptrack line");
		else
			st = heaptrack_begin(&h, e);
	}
	if (im->begun || !st)
		heaptrack_add_notes(&h);
	heaptrack_tables_release(&h.tables);
	free(h.moves.kinds);
	return st;
}

/* "v 10400 3", then a line of a letter that may follow. */
static int heaptrack_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t i = 2, fields = 1;

	(void)whole;
	if (n < 8 || memcmp(head, "v ", 2) != 0)
		return 0;
	for (; i < n && i < 40 && head[i] != '\n'; i++)
		if (head[i] == ' ')
			fields++;
		else if (!((head[i] >= '0' && head[i] <= '9') ||
			   (head[i] >= 'a' && head[i] <= 'f')))
			return 0;
	if (i + 1 >= n || head[i] != '\n' || fields > 2)
		return 0;
	return strchr("XxAIs#S", head[i + 1]) ? 40 : 0;
}

const struct reader reader_heaptrack = {
    .name = "heaptrack",
    .family = "heaptrack",
    .page = "heaptrack",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_TIME |
		    CAPABILITY_COUNTERS | CAPABILITY_ADDRESSES,
    .what = "heaptrack 1.x, raw and interpreted (file versions 0 to 3)",
    .suffixes = "gz,zst,raw",
    .cut = CUT_AT_LINE,
    .bid = heaptrack_bid,
    .read = heaptrack_read,
};
