/* SPDX-License-Identifier: MIT
 *
 * callgrind.out files: a header, and below it costs by function.
 *
 *	events: Ir Dr
 *	fl=(1) game.c
 *	fn=(3) tick
 *	16 400 20
 *	cfn=(4) draw
 *	calls=50 80
 *	+1 90000 500
 *
 * A name is written once, and by its number then. Lines of costs begin with a position, which may
 * be given by its distance from the one before; the line below calls= is what those calls cost in
 * all. A file may have several parts, whose costs add up.
 */
#include "formats/valgrind/callgrind.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE_MOST = 1 << 20, POSITIONS_MOST = 4, COLUMNS_MOST = 64 };
enum names { NAMES_OBJECT, NAMES_FILE, NAMES_FUNCTION, NAMES };

struct callgrind {
	struct import *im;
	struct callgrind_graph graph;
	struct map64 names[NAMES]; /* number of the file -> string */
	uint32_t events[CALLGRIND_EVENTS_MOST], markers[CALLGRIND_EVENTS_MOST]; /* names, markers */
	size_t columns[COLUMNS_MOST]; /* of this part -> event; SIZE_MAX: not kept */
	size_t n_columns, n_positions, line_position;
	uint64_t position[POSITIONS_MOST], cost[COLUMNS_MOST]; /* of the line before */
	uint32_t object, file, function;                       /* now; function: index + 1 */
	uint32_t function_name;
	uint32_t called_object, called_file, called_name;
	bool call, jump; /* the next line of costs belongs to calls, or to a jump */
	uint32_t callee;
	uint64_t thread, threads; /* the last one seen; how many different */
	uint64_t number, refused, first_refused, parts, lost_columns, jumps;
	uint64_t sum, totals; /* of the first event, ours and the file's */
	uint64_t summary;     /* of the first event, the file's, ahead of the costs */
	uint64_t n_totals, n_summaries;
	bool cut;
};

static bool begins(const char *s, const char *end, const char *with)
{
	return text_begins(s, (size_t)(end - s), with);
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

static const char *word_end(const char *s, const char *end)
{
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	return s;
}

/* --- the header --- */

/* The event's index; SIZE_MAX: the first part did not have it. */
static size_t event_of(struct callgrind *x, const char *s, size_t n, bool first)
{
	struct trace *t = x->im->t;
	uint32_t name = trace_string(t, s, n);
	struct callgrind_graph *g = &x->graph;

	for (size_t i = 0; i < g->n_events; i++)
		if (x->events[i] == name)
			return i;
	if (!first || g->n_events == CALLGRIND_EVENTS_MOST)
		return SIZE_MAX;
	x->events[g->n_events] = name;
	x->markers[g->n_events] =
	    trace_marker(t, &(struct marker){name, trace_strz(t, "callgrind event")});
	return g->n_events++;
}

static bool parse_events(struct callgrind *x, const char *s, const char *end)
{
	bool first = !x->graph.n_events;

	x->n_columns = 0;
	for (s = skip_blanks(s, end); s < end; s = skip_blanks(s, end)) {
		const char *word = s;

		s = word_end(s, end);
		if (x->n_columns == COLUMNS_MOST)
			return false;
		x->columns[x->n_columns++] = event_of(x, word, (size_t)(s - word), first);
	}
	return x->n_columns > 0;
}

static bool parse_positions(struct callgrind *x, const char *s, const char *end)
{
	x->n_positions = 0;
	x->line_position = SIZE_MAX;
	for (s = skip_blanks(s, end); s < end; s = skip_blanks(s, end)) {
		const char *word = s;

		s = word_end(s, end);
		if (x->n_positions == POSITIONS_MOST)
			return false;
		if (s - word == 4 && !memcmp(word, "line", 4))
			x->line_position = x->n_positions;
		x->n_positions++;
	}
	return x->n_positions > 0;
}

static void set_attribute(struct callgrind *x, const char *key, const char *s, const char *end)
{
	char *text;

	s = skip_blanks(s, end);
	text = mem_strndup(s, (size_t)(end - s));
	trace_set(x->im->t, key, text);
	free(text);
}

/* The first event's, of a part. */
static void parse_whole(const char *s, const char *end, uint64_t *sum, uint64_t *parts)
{
	uint64_t v;
	const char *stop;

	s = skip_blanks(s, end);
	stop = word_end(s, end);
	if (!num_dec(s, (size_t)(stop - s), &v))
		return;
	*sum += v;
	++*parts;
}

static void parse_thread(struct callgrind *x, const char *s, const char *end)
{
	uint64_t v;

	s = skip_blanks(s, end);
	if (!num_dec(s, (size_t)(end - s), &v))
		return;
	x->threads += !x->threads || v != x->thread;
	x->thread = v;
}

/* "key: text"; false: no known key. */
static bool callgrind_parse_header(struct callgrind *x, const char *s, const char *end)
{
	static const char *const passed[] = {"version:", "pid:", "desc:", "event:", "rcalls"};

	if (begins(s, end, "events:"))
		return parse_events(x, s + 7, end);
	if (begins(s, end, "positions:"))
		return parse_positions(x, s + 10, end);
	if (begins(s, end, "cmd:"))
		set_attribute(x, "callgrind.command", s + 4, end);
	else if (begins(s, end, "creator:"))
		set_attribute(x, "callgrind.creator", s + 8, end);
	else if (begins(s, end, "part:"))
		x->parts++;
	else if (begins(s, end, "thread:"))
		parse_thread(x, s + 7, end);
	else if (begins(s, end, "totals:"))
		parse_whole(s + 7, end, &x->totals, &x->n_totals);
	else if (begins(s, end, "summary:"))
		parse_whole(s + 8, end, &x->summary, &x->n_summaries);
	else {
		for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
			if (begins(s, end, passed[i]))
				return true;
		return false;
	}
	return true;
}

/* --- names --- */

/* "(12) name", "(12)" or "name"; 0: it makes no sense. */
static uint32_t callgrind_name_of(struct callgrind *x, enum names of, const char *s,
				  const char *end)
{
	const char *close;
	uint64_t number;
	uint32_t *known;

	s = skip_blanks(s, end);
	if (s == end || *s != '(')
		return trace_string(x->im->t, s, (size_t)(end - s));
	close = memchr(s, ')', (size_t)(end - s));
	if (!close || !num_dec(s + 1, (size_t)(close - s) - 1, &number))
		return trace_string(x->im->t, s, (size_t)(end - s)); /* "(below main)" */
	s = skip_blanks(close + 1, end);
	if (s == end)
		return map64_get(&x->names[of], number);
	known = map64_put(&x->names[of], number);
	*known = trace_string(x->im->t, s, (size_t)(end - s));
	return *known;
}

static uint32_t no_question(const struct callgrind *x, uint32_t name)
{
	const char *s = trace_text(x->im->t, name);

	return s[0] == '?' && s[1] == '?' && s[2] == '?' && !s[3] ? 0 : name;
}

/* "key=name"; false: no such line. */
static bool callgrind_parse_name(struct callgrind *x, const char *s, const char *end)
{
	const char *is = memchr(s, '=', (size_t)(end - s));
	size_t n = is ? (size_t)(is - s) : 0;

	if (n == 2 && begins(s, end, "fn")) {
		x->function_name = callgrind_name_of(x, NAMES_FUNCTION, is + 1, end);
		x->function =
		    callgrind_function(&x->graph, no_question(x, x->object),
				       no_question(x, x->file), no_question(x, x->function_name)) +
		    1;
		return x->function_name != 0;
	}
	if (n == 2 && (begins(s, end, "fl") || begins(s, end, "fi") || begins(s, end, "fe")))
		return (x->file = callgrind_name_of(x, NAMES_FILE, is + 1, end)) != 0;
	if (n == 2 && begins(s, end, "ob"))
		return (x->object = callgrind_name_of(x, NAMES_OBJECT, is + 1, end)) != 0;
	if (n == 3 && (begins(s, end, "cfi") || begins(s, end, "cfl")))
		return (x->called_file = callgrind_name_of(x, NAMES_FILE, is + 1, end)) != 0;
	if (n == 3 && begins(s, end, "cob"))
		return (x->called_object = callgrind_name_of(x, NAMES_OBJECT, is + 1, end)) != 0;
	if (n == 3 && begins(s, end, "cfn"))
		return (x->called_name = callgrind_name_of(x, NAMES_FUNCTION, is + 1, end)) != 0;
	if (n == 3 && begins(s, end, "jfi"))
		return callgrind_name_of(x, NAMES_FILE, is + 1, end) != 0;
	if (n == 3 && begins(s, end, "jfn"))
		return callgrind_name_of(x, NAMES_FUNCTION, is + 1, end) != 0;
	return false;
}

/* "calls=COUNT TARGET": of the function that was named above it. */
static bool parse_calls(struct callgrind *x, const char *s, const char *end)
{
	const char *stop = word_end(s, end);
	uint64_t count;

	if (!num_dec(s, (size_t)(stop - s), &count) || !x->called_name || !x->function)
		return false;
	x->callee = callgrind_function(
	    &x->graph, no_question(x, x->called_object ? x->called_object : x->object),
	    no_question(x, x->called_file ? x->called_file : x->file),
	    no_question(x, x->called_name));
	x->graph.n_called += count;
	x->call = true;
	x->called_object = x->called_file = x->called_name = 0;
	return true;
}

/* --- costs --- */

/* A number, or how far it is from the one before. */
static bool parse_number(uint64_t *number, const char *s, const char *end)
{
	uint64_t v = 0;

	if (s == end)
		return false;
	if (*s == '*' && end - s == 1)
		return true;
	if (*s == '+' || *s == '-') {
		if (!num_auto(s + 1, (size_t)(end - s) - 1, &v))
			return false;
		*number = *s == '+' ? *number + v : *number - v;
		return true;
	}
	return num_auto(s, (size_t)(end - s), number);
}

static bool callgrind_parse_cost_line(struct callgrind *x, const char *s, const char *end)
{
	uint64_t costs[CALLGRIND_EVENTS_MOST] = {0}, line;
	size_t column = 0;

	for (size_t i = 0; i < x->n_positions; i++) {
		const char *word = skip_blanks(s, end);

		s = word_end(word, end);
		if (!parse_number(&x->position[i], word, s))
			return false;
	}
	for (s = skip_blanks(s, end); s < end; s = skip_blanks(s, end)) {
		const char *word = s;

		s = word_end(s, end);
		if (column == x->n_columns || !parse_number(&x->cost[column], word, s))
			return false;
		if (x->columns[column] != SIZE_MAX)
			costs[x->columns[column]] = x->cost[column];
		else
			x->lost_columns++;
		column++;
	}
	if (!x->function || !x->graph.n_events)
		return false;
	line = x->line_position == SIZE_MAX ? 0 : x->position[x->line_position];
	if (line > UINT32_MAX)
		line = 0;
	if (x->call) {
		callgrind_add_call(&x->graph, x->function - 1, x->callee, no_question(x, x->file),
				   (uint32_t)line, costs);
	} else {
		callgrind_add_line(&x->graph, x->function - 1, no_question(x, x->file),
				   (uint32_t)line, costs);
		x->sum += costs[0];
	}
	return true;
}

static bool is_position(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

static bool callgrind_parse_line(struct callgrind *x, const char *s, const char *end)
{
	bool sound;

	if (is_position(*s)) {
		if (x->jump) { /* where it is from */
			for (size_t i = 0; i < x->n_positions; i++) {
				const char *word = skip_blanks(s, end);

				s = word_end(word, end);
				if (!parse_number(&x->position[i], word, s))
					break;
			}
			x->jump = false;
			return true;
		}
		sound = callgrind_parse_cost_line(x, s, end);
		x->call = false;
		return sound;
	}
	if (begins(s, end, "calls="))
		return parse_calls(x, skip_blanks(s + 6, end), end);
	if (begins(s, end, "jump=") || begins(s, end, "jcnd=")) {
		x->jumps++;
		x->jump = true;
		return true;
	}
	return callgrind_parse_name(x, s, end) || callgrind_parse_header(x, s, end);
}

/* --- the whole --- */

static enum status parse_lines(struct callgrind *x, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST))) {
		x->number++;
		x->cut = (const char *)c->pos == s + n && n;
		if (!n || *s == '#')
			continue;
		if (!callgrind_parse_line(x, s, s + n) && !x->refused++)
			x->first_refused = x->number;
	}
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

/* Callgrind itself writes totals behind the costs of each part, other programs need not. Its summary, ahead of
 * them, may differ by a few. */
static void note_missing_totals(const struct callgrind *x)
{
	const char *creator = trace_get(x->im->t, "callgrind.creator");
	uint64_t parts = x->parts ? x->parts : 1;

	if (!creator || strncmp(creator, "callgrind-", 10) != 0 || x->n_totals >= parts)
		return;
	if (x->n_summaries)
		trace_note(x->im->t, NOTE_LOSS, 0,
			   "the totals at the end are missing, and costs add up to %" PRIu64 ", "
			   "but the summary states %" PRIu64 ": the file is cut short",
			   x->sum, x->summary);
	else
		trace_note(x->im->t, NOTE_LOSS, 0,
			   "the totals at the end are missing: the file is cut short");
}

static void callgrind_add_notes(const struct callgrind *x, const struct callgrind_push *p)
{
	struct trace *t = x->im->t;

	if (x->graph.n_events > 1)
		trace_note(t, NOTE_INFO, x->graph.n_events,
			   "kinds of events are in the file, and their costs do not add up: "
			   "samples are the costs of '%s', the other costs are periods by type",
			   trace_text(t, x->events[0]));

	const struct trace_loss losses[] = {
	    LOSS(NOTE_GUESS, p->divided,
		 "the file has calls but no stacks: costs by function, file and line are exact, "
		 "but the stacks of functions with several callers are a guess"),
	    LOSS(NOTE_GUESS, p->circular,
		 "functions call each other in circles: the costs below them count once, and the "
		 "share of each function is a guess"),
	    LOSS(NOTE_GUESS,
		 p->alone || p->missing ? p->alone > p->missing ? p->alone : p->missing : 0,
		 "calls do not have the cost of the functions that they call: the difference has "
		 "no callers, except for the first event"),
	    LOSS(NOTE_INFO, x->graph.n_called, "calls were counted by callgrind"),
	};

	TRACE_LOSSES(t, losses);
	note_missing_totals(x);
	if (x->n_totals && x->totals != x->sum)
		trace_note(t, NOTE_LOSS, 0,
			   "costs add up to %" PRIu64 ", but the file states %" PRIu64, x->sum,
			   x->totals);

	const struct trace_loss more[] = {
	    LOSS_WITH(NOTE_LOSS, x->refused, "unreadable lines were left out; the first is line {}",
		      x->first_refused),
	    LOSS_IF(NOTE_LOSS, x->cut && !(x->n_totals && x->totals == x->sum),
		    "the last line has no newline: it was read, but the file may be cut short"),
	    LOSS(NOTE_LOSS, x->lost_columns,
		 "costs are of events that the first part does not have"),
	    LOSS_WITH(NOTE_LOSS, x->graph.more, "lines or calls are above the limit of {}",
		      CALLGRIND_ROWS_MOST),
	    LOSS(NOTE_LOSS, x->graph.huge, "sums do not fit into 64 bits"),
	    LOSS(NOTE_INFO, x->threads > 1 ? x->threads : 0,
		 "the file has threads, but their costs are in one sum"),
	};

	TRACE_LOSSES(t, more);
}

static enum status callgrind_push_all(struct callgrind *x, struct err *e)
{
	struct trace *t = x->im->t;
	struct callgrind_push p = {.im = x->im, .g = &x->graph, .markers = x->markers};
	enum status st;
	char text[24];

	if (x->parts > 1) {
		snprintf(text, sizeof text, "%" PRIu64, x->parts);
		trace_set(t, "callgrind.parts", text);
	}
	if (x->threads == 1)
		p.thread = trace_thread(t, &(struct thread){.tid = x->thread});
	if (x->graph.n_events) {
		char unit[64];

		snprintf(unit, sizeof unit, TRACE_SAMPLES_IN "%s", trace_text(t, x->events[0]));
		trace_set(t, TRACE_SAMPLING, unit);
		trace_set(t, TRACE_PERIODS, TRACE_PERIODS_COUNTED);
	}
	callgrind_join_files(&x->graph);
	st = import_begin(x->im, e);
	if (!st)
		st = callgrind_push(&p, e);
	callgrind_add_notes(x, &p);
	return st;
}

static enum status callgrind_read(struct import *im, struct err *e)
{
	struct callgrind x = {.im = im, .n_positions = 1};
	enum status st = parse_lines(&x, e);

	if (!st && !x.graph.n_lines)
		st = err_at(e, ST_BAD, 0, "the file has no cost of a function");
	if (!st || x.graph.n_lines) {
		struct err own = ERR_INIT;
		enum status pushed = callgrind_push_all(&x, st ? &own : e);

		st = st ? st : pushed;
	}
	callgrind_graph_release(&x.graph);
	for (int i = 0; i < NAMES; i++)
		map64_release(&x.names[i]);
	return st;
}

/* "events:" and "fn=" in lines of their own, and nothing in between that no such file has. */
static int callgrind_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const known[] = {
	    "events:",  "positions:", "cmd:",  "creator:", "part:",  "thread:", "totals:",
	    "version:", "pid:",       "desc:", "summary:", "event:", "ob=",     "fl=",
	    "fi=",      "fe=",        "cob=",  "cfi=",     "cfl=",   "cfn="};
	const char *s = (const char *)head, *end = s + n, *p;
	bool events = false, files = false;

	for (; s < end && (p = memchr(s, '\n', (size_t)(end - s))); s = p + 1) {
		bool is = s == p || *s == '#' || *s == '\r';

		if (begins(s, p, "fn="))
			return events ? 48 : 0;
		events |= begins(s, p, "events:");
		files |= begins(s, p, "fl=(");
		for (size_t i = 0; !is && i < sizeof known / sizeof *known; i++)
			is = begins(s, p, known[i]);
		if (!is)
			return 0;
	}
	return events && files && !whole ? 40 : 0; /* yappi lists all files first */
}

const struct reader reader_callgrind = {
    .name = "callgrind",
    .family = "Valgrind",
    .page = "valgrind",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_THREADS,
    .what = "Valgrind's callgrind.out: costs by function and line, with callers",
    .suffixes = "out",
    .cut = CUT_NEVER, /* costs add up over all of the file */
    .bid = callgrind_bid,
    .read = callgrind_read,
};
