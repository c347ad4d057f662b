/* SPDX-License-Identifier: MIT
 *
 * Profiling logs of Papyrus, the script language of Skyrim and Fallout 4:
 *
 *	Script_example log opened (PC)
 *	500:PUSH:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *	1500:POP:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *	Log closed
 *
 * ms, event, number of the script's stack, how deep, the form it runs on, and script, state and function. Stacks run side by
 * side, and each is a thread here. QUEUE_PUSH and QUEUE_POP say that a call waits; START and STOP, that the log does.
 * From the Creation Kit's wiki (StartScriptProfiling, StartStackProfiling) and the files of speedscope.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, FIELDS = 6 };

struct papyrus_line {
	uint64_t ms, stack;
	bool enters, leaves;
	const char *name;
	size_t name_n;
};

struct papyrus {
	struct import *im;
	bool has_start;
	uint64_t start;
	uint64_t odd, waits, rows;
};

static bool parse_line(const char *s, size_t n, struct papyrus_line *l)
{
	const char *end = s + n, *fields[FIELDS];
	size_t lengths[FIELDS], count = 0;

	while (count < FIELDS) {
		const char *colon = count + 1 < FIELDS ? memchr(s, ':', (size_t)(end - s)) : NULL;

		fields[count] = s;
		lengths[count++] = (size_t)((colon ? colon : end) - s);
		if (!colon)
			break;
		s = colon + 1;
	}
	*l = (struct papyrus_line){0};
	if (count < 3 || !num_dec(fields[0], lengths[0], &l->ms) || l->ms > INT64_MAX / 1000000 ||
	    !num_dec(fields[2], lengths[2], &l->stack))
		return false;
	l->enters = text_is(fields[1], lengths[1], "PUSH");
	l->leaves = text_is(fields[1], lengths[1], "POP");
	if (!l->enters && !l->leaves)
		return text_is(fields[1], lengths[1], "QUEUE_PUSH") ||
		       text_is(fields[1], lengths[1], "QUEUE_POP") ||
		       text_is(fields[1], lengths[1], "START") ||
		       text_is(fields[1], lengths[1], "STOP");
	if (count < FIELDS)
		return false;
	l->name = fields[5];
	l->name_n = lengths[5];
	return l->name_n > 0;
}

/* "Script_x log opened (PC)" */
static bool is_frame_of_log(const char *s, size_t n)
{
	return text_ends(s, n, " log opened (PC)") || text_is(s, n, "Log closed");
}

static enum status read_row(struct papyrus *p, const struct papyrus_line *l, struct err *e)
{
	struct trace *t = p->im->t;
	struct thread th = {.tid = l->stack};
	struct emit_call call = {.thread = trace_thread(t, &th)};

	if (!p->has_start) {
		p->has_start = true;
		p->start = l->ms;
	}
	call.time = KNOWN((int64_t)(l->ms - p->start) * 1000000);
	if (!l->enters && !l->leaves) {
		p->waits++;
		return ST_OK;
	}
	call.stack = trace_stack(t, 0, emit_named(t, trace_string(t, l->name, l->name_n), 0, 0));
	p->rows++;
	return l->enters ? emit_enter(p->im, &call, e) : emit_exit(p->im, &call, e);
}

static enum status papyrus_read(struct import *im, struct err *e)
{
	struct papyrus p = {.im = im};
	struct cursor *c = &im->in->cur;
	struct papyrus_line l;
	const char *s;
	size_t n;
	enum status st;

	trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	st = import_begin(im, e);
	while (!st && (s = cursor_line(c, &n, LINE_MOST))) {
		if (!n || is_frame_of_log(s, n))
			continue;
		if (parse_line(s, n, &l))
			st = read_row(&p, &l, e);
		else
			p.odd++;
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !p.rows)
		st = err_at(e, ST_BAD, 0, "no line is a call of Papyrus");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p.odd, "lines are not of the log: left out"),
	    LOSS(NOTE_INFO, p.waits,
		 "lines that a call waits, or that the log starts, are left out"),
	};

	TRACE_LOSSES(im->t, losses);
	return st;
}

static int papyrus_bid(const uint8_t *head, size_t n, bool whole)
{
	const uint8_t *end = memchr(head, '\n', n);
	size_t line = end ? (size_t)(end - head) : 0;

	(void)whole;
	if (line && head[line - 1] == '\r')
		line--;
	return text_ends((const char *)head, line, " log opened (PC)") &&
		       (text_begins((const char *)head, line, "Script_") ||
			text_begins((const char *)head, line, "Stack_"))
		   ? 160
		   : 0;
}

const struct reader reader_papyrus = {
    .name = "papyrus",
    .family = "Chrome, node and speedscope",
    .page = "speedscope",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS,
    .what = "profiling logs of Papyrus, the scripts of Skyrim and Fallout 4",
    .suffixes = "log",
    .cut = CUT_AT_LINE,
    .bid = papyrus_bid,
    .read = papyrus_read,
};
