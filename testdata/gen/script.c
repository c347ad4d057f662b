/* SPDX-License-Identifier: MIT
 *
 * A generator of the trace that a script on standard input describes, a line per event:
 *
 *	metric NAME STATE               time exact; before the first event
 *	set KEY VALUE                   an attribute
 *	thread NAME [TID [GENERATION]]  what follows is of this thread
 *	frame NUMBER [TIME [NAME]]
 *	sample PATH CALLS TOTAL SELF [TIME]   ns; - for what is absent
 *	enter PATH TIME, exit PATH TIME, pause PATH TIME    the last enters a call that pauses
 *	delta lua|mono PATH BYTES [CALLS]
 *	alloc malloc|pool|mono|lua PATH BYTES [TIME|- [REAL|- [ADDRESS [COUNT]]]]
 *	free ADDRESS [TIME]
 *	counter NAME UNIT VALUE [TIME]        UNIT - : none
 *
 * PATH is outermost first, with ';' between: main;update. Its innermost call is the marker's name
 * too; "name@file:line" has a place. "." is no stack. '#' starts a comment.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/trace/writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8 };

struct script {
	struct trace *t;
	struct sink *sink;
	bool begun;
	uint32_t thread, marker;
	unsigned line;
	struct err e;
};

static void fail(const struct script *s, const char *what)
{
	fprintf(stderr, "script: line %u: %s\n", s->line, what);
	exit(2);
}

static int64_t number(const struct script *s, const char *text)
{
	bool negative = *text == '-';
	uint64_t v = 0;

	if (!num_dec(text + negative, strlen(text + negative), &v))
		fail(s, "no number");
	return negative ? -(int64_t)v : (int64_t)v;
}

static bool absent(const char *word)
{
	return !word || !strcmp(word, "-");
}

static uint32_t path(struct script *s, char *text)
{
	uint32_t stack = 0;
	char *save = NULL;

	s->marker = 0;
	if (!strcmp(text, "."))
		return 0;
	for (char *name = strtok_r(text, ";", &save); name; name = strtok_r(NULL, ";", &save)) {
		char *at = strchr(name, '@'), *line = at ? strrchr(at, ':') : NULL;
		struct location l = {.space = SPACE_NAME};
		struct marker m = {0};

		if (line) {
			*at = *line = '\0';
			l.file = trace_strz(s->t, at + 1);
			l.line = (uint32_t)number(s, line + 1);
		}
		l.name = m.name = trace_strz(s->t, name);
		s->marker = trace_marker(s->t, &m);
		stack = trace_stack(s->t, stack, trace_location(s->t, &l));
	}
	return stack;
}

static void set_time(const struct script *s, struct event *ev, const char *word)
{
	if (absent(word))
		return;
	ev->time = number(s, word);
	ev->has |= EV_HAS_TIME;
}

static uint8_t domain(const struct script *s, const char *word)
{
	for (uint8_t d = 0; d < DOMAINS; d++)
		if (!strcmp(domain_name(d), word))
			return d;
	fail(s, "no domain");
	return 0;
}

static void timed(struct script *s, struct event *ev, char **w)
{
	ev->stack = path(s, w[1]);
	ev->type = s->marker;
	ev->has |= EV_HAS_STACK | EV_HAS_TYPE;
	if (ev->kind != EV_SAMPLE) {
		set_time(s, ev, w[2]);
		return;
	}
	if (!absent(w[2])) {
		ev->count = (uint64_t)number(s, w[2]);
		ev->has |= EV_HAS_COUNT;
	}
	if (!absent(w[3])) {
		ev->value = number(s, w[3]);
		ev->has |= EV_HAS_VALUE;
	}
	if (!absent(w[4])) {
		ev->target = (uint64_t)number(s, w[4]);
		ev->has |= EV_HAS_TARGET;
	}
	set_time(s, ev, w[5]);
}

static void heap(struct script *s, struct event *ev, char **w)
{
	ev->domain = domain(s, w[1]);
	ev->stack = path(s, w[2]);
	ev->has |= EV_HAS_DOMAIN | EV_HAS_STACK;
	if (ev->kind == EV_ALLOC) {
		ev->requested = (uint64_t)number(s, w[3]);
		ev->has |= EV_HAS_REQUESTED;
		if (!absent(w[4]))
			set_time(s, ev, w[4]);
		if (w[4] && !absent(w[5])) {
			ev->real = (uint64_t)number(s, w[5]);
			ev->has |= EV_HAS_REAL;
		}
		if (w[4] && w[5] && w[6]) {
			ev->address = (uint64_t)number(s, w[6]);
			ev->has |= EV_HAS_ADDRESS;
		}
		if (w[4] && w[5] && w[6] && w[7]) {
			ev->count = (uint64_t)number(s, w[7]);
			ev->has |= EV_HAS_COUNT;
		}
		return;
	}
	ev->value = number(s, w[3]);
	ev->has |= EV_HAS_VALUE;
	if (!absent(w[4])) {
		ev->count = (uint64_t)number(s, w[4]);
		ev->has |= EV_HAS_COUNT;
	}
}

static void paused(struct script *s, struct event *ev, char **w)
{
	timed(s, ev, w);
	ev->value = 1;
	ev->has |= EV_HAS_VALUE;
}

static void release(struct script *s, struct event *ev, char **w)
{
	ev->address = (uint64_t)number(s, w[1]);
	ev->has |= EV_HAS_ADDRESS;
	set_time(s, ev, w[2]);
}

static void frame(struct script *s, struct event *ev, char **w)
{
	ev->value = number(s, w[1]);
	ev->has |= EV_HAS_VALUE;
	set_time(s, ev, w[2]);
	if (w[3]) {
		ev->name = trace_strz(s->t, w[3]);
		ev->has |= EV_HAS_NAME;
	}
}

static void count(struct script *s, struct event *ev, char **w)
{
	struct counter c = {.name = trace_strz(s->t, w[1])};

	if (!absent(w[2]))
		c.unit = trace_strz(s->t, w[2]);
	ev->type = trace_counter(s->t, &c);
	ev->value = number(s, w[3]);
	ev->has |= EV_HAS_TYPE | EV_HAS_VALUE;
	set_time(s, ev, w[4]);
}

static bool is_setting(struct script *s, char **w)
{
	static const char *const states[] = {"absent", "exact", "lower-bound", "estimated"};

	if (!strcmp(w[0], "metric") && w[1] && w[2]) {
		for (unsigned m = 0; m < METRICS; m++)
			for (unsigned k = 0; k < 4; k++)
				if (!strcmp(metric_name(m), w[1]) && !strcmp(states[k], w[2]))
					trace_metric(s->t, (enum metric)m, (enum metric_state)k,
						     METRIC_AT_ALL);
		return true;
	}
	if (!strcmp(w[0], "set") && w[1] && w[2]) {
		trace_set(s->t, w[1], w[2]);
		return true;
	}
	if (!strcmp(w[0], "thread") && w[1]) {
		struct thread th = {.name = trace_strz(s->t, w[1]), .tid = s->line};

		if (w[2])
			th.tid = (uint64_t)number(s, w[2]);
		if (w[2] && w[3])
			th.generation = (uint32_t)number(s, w[3]);
		for (s->thread = 1; s->thread < s->t->n_threads; s->thread++)
			if (s->t->threads[s->thread].name == th.name &&
			    (!w[2] || s->t->threads[s->thread].tid == th.tid))
				return true;
		s->thread = trace_thread(s->t, &th);
		return true;
	}
	return false;
}

static void run_line(struct script *s, char **w, size_t n)
{
	static const struct {
		const char *word;
		enum event_kind kind;
		size_t least;
		void (*fill)(struct script *s, struct event *ev, char **w);
	} kinds[] = {{"frame", EV_FRAME, 2, frame},  {"sample", EV_SAMPLE, 5, timed},
		     {"pause", EV_ENTER, 3, paused}, {"enter", EV_ENTER, 3, timed},
		     {"exit", EV_EXIT, 3, timed},    {"delta", EV_DELTA, 4, heap},
		     {"alloc", EV_ALLOC, 4, heap},   {"counter", EV_COUNTER, 4, count},
		     {"free", EV_FREE, 2, release}};

	if (is_setting(s, w))
		return;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct event ev = {.kind = (uint8_t)kinds[i].kind, .count = 1};

		if (strcmp(kinds[i].word, w[0]) != 0)
			continue;
		if (n < kinds[i].least)
			fail(s, "a word is missing");
		if (!s->begun && s->sink->begin(s->sink, s->t, &s->e))
			fail(s, s->e.msg);
		s->begun = true;
		kinds[i].fill(s, &ev, w);
		if (s->thread && ev.kind != EV_FRAME && ev.kind != EV_COUNTER) {
			ev.thread = s->thread;
			ev.has |= EV_HAS_THREAD;
		}
		if (sink_event(s->sink, s->t, &ev, &s->e))
			fail(s, s->e.msg);
		return;
	}
	fail(s, "what is this?");
}

int main(void)
{
	struct writer *writer = writer_new(stdout);
	struct script s = {.t = trace_new(), .sink = writer_sink(writer), .e = ERR_INIT};
	char line[4096];

	while (fgets(line, sizeof line, stdin)) {
		char *w[WORDS + 1] = {NULL}, *save = NULL;
		size_t n = 0;

		s.line++;
		line[strcspn(line, "#\n")] = '\0';
		for (char *p = strtok_r(line, " \t", &save); p && n < WORDS;
		     p = strtok_r(NULL, " \t", &save))
			w[n++] = p;
		if (n)
			run_line(&s, w, n);
	}
	if (!s.begun && s.sink->begin(s.sink, s.t, &s.e))
		fail(&s, s.e.msg);
	if (s.sink->end(s.sink, s.t, &s.e))
		fail(&s, s.e.msg);
	trace_free(s.t);
	writer_free(writer);
	return 0;
}
