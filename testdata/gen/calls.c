/* SPDX-License-Identifier: MIT
 *
 * A generator of traces of calls, to standard output.
 *
 *	calls <SCRIPT        what the lines of a script say:
 *
 *	thread NAME          what follows is of this thread
 *	frame NUMBER [TIME]  a frame begins
 *	> TIME CALL          enter; TIME in us, '-' for none
 *	< TIME [CALL]        exit; without CALL it does not say of what
 *	? TEXT               the description that the next enter has
 *	! TEXT               the message that the next exit or sample has
 *	= TOTAL SELF CALLS PATH   a sample, in us, SELF or TOTAL '-' where not known; PATH is
 *	                     calls with ';' between, outermost first
 *
 *	CALL is [0xADDRESS ]NAME[ @FILE:LINE]; "%NAME" is a marker and no location.
 *
 *	calls --events N [--depth N] [--functions N] [--callees N] [--deeper] [--threads N] [--frame US]
 *	      so many enters and exits, of calls nested at most so deep, that are 1 us long and some
 *	      1 ms; with --deeper all the enters come first. Each has another depth. With --callees
 * a function calls so many others only and function 0 is outermost, as in a program, so the paths
 * are at most the powers of that number up to the depth; else any calls any. The events are those of so many
 * threads in turn, by chance; a frame begins each so many microseconds.
 */
#include "lib/base/num.h"
#include "lib/trace/writer.h"
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 8192 };

struct calls {
	struct trace *t;
	struct sink *sink;
	uint32_t thread, text, message;
};

static void fail(const char *what)
{
	fprintf(stderr, "calls: %s\n", what);
	exit(2);
}

static void push(struct calls *c, const struct event *ev)
{
	struct err e = ERR_INIT;

	if (sink_event(c->sink, c->t, ev, &e))
		fail(e.msg);
}

static uint32_t location(struct calls *c, char *s)
{
	struct location l = {.space = SPACE_NAME};
	char *space = strchr(s, ' '), *place = strstr(s, " @"), *colon;
	uint64_t line = 0;

	if (!strncmp(s, "0x", 2)) {
		size_t n = space ? (size_t)(space - s) : strlen(s);

		if (!num_hex(s + 2, n - 2, &l.raw))
			fail("no address");
		l.space = SPACE_RUNTIME;
		s += space ? n + 1 : n;
	}
	if (place) {
		*place = '\0';
		colon = strrchr(place + 2, ':');
		if (!colon || !num_dec(colon + 1, strlen(colon + 1), &line))
			fail("no line");
		*colon = '\0';
		l.file = trace_strz(c->t, place + 2);
		l.line = (uint32_t)line;
	}
	if (*s)
		l.name = trace_strz(c->t, s);
	return trace_location(c->t, &l);
}

static uint32_t stack(struct calls *c, char *path)
{
	uint32_t id = 0;

	for (char *part = strtok(path, ";"); part; part = strtok(NULL, ";"))
		id = trace_stack(c->t, id, location(c, part));
	return id;
}

static void set_call(struct calls *c, struct event *ev, char *s)
{
	if (!s || !*s)
		return;
	if (*s == '%') {
		ev->type = trace_marker(c->t, &(struct marker){.name = trace_strz(c->t, s + 1)});
		ev->has |= EV_HAS_TYPE;
		return;
	}
	ev->stack = trace_stack(c->t, 0, location(c, s));
	ev->has |= EV_HAS_STACK;
}

static bool is_time(const char *s, int64_t *ns)
{
	if (!num_i64(s, strlen(s), ns))
		return false;
	*ns *= 1000;
	return true;
}

static void set_text(struct event *ev, uint32_t *text)
{
	ev->name = *text;
	ev->has |= *text ? EV_HAS_NAME : 0;
	*text = 0;
}

static void sample(struct calls *c, char *rest, struct event *ev)
{
	char *total = strtok(rest, " "), *self = strtok(NULL, " "), *n = strtok(NULL, " ");
	char *path = strtok(NULL, "");
	int64_t ns;

	if (!path || !num_dec(n, strlen(n), &ev->count))
		fail("a sample is = TOTAL SELF CALLS PATH");
	ev->kind = EV_SAMPLE;
	ev->has |= EV_HAS_COUNT;
	if (is_time(total, &ev->value))
		ev->has |= EV_HAS_VALUE;
	if (is_time(self, &ns)) {
		ev->target = (uint64_t)ns;
		ev->has |= EV_HAS_TARGET;
	}
	set_text(ev, &c->message);
	if (*path == '%') {
		set_call(c, ev, path);
		return;
	}
	ev->stack = stack(c, path);
	ev->has |= EV_HAS_STACK;
}

static void line(struct calls *c, char *s)
{
	struct event ev = {.thread = c->thread, .has = c->thread ? EV_HAS_THREAD : 0, .count = 1};
	char *rest = strchr(s, ' '), *call;

	if (!*s || *s == '#')
		return;
	if (rest)
		*rest++ = '\0';
	else
		rest = s + strlen(s);
	if (!strcmp(s, "thread")) {
		struct thread th = {.name = trace_strz(c->t, rest)};

		th.tid = 1000 + th.name;
		c->thread = trace_thread(c->t, &th);
	} else if (!strcmp(s, "frame")) {
		ev = (struct event){.kind = EV_FRAME, .has = EV_HAS_VALUE};
		call = strchr(rest, ' ');
		if (call)
			*call++ = '\0';
		if (!num_i64(rest, strlen(rest), &ev.value))
			fail("a frame has a number");
		if (call && is_time(call, &ev.time))
			ev.has |= EV_HAS_TIME;
		push(c, &ev);
	} else if (!strcmp(s, "?")) {
		c->text = trace_strz(c->t, rest);
	} else if (!strcmp(s, "!")) {
		c->message = trace_strz(c->t, rest);
	} else if (!strcmp(s, "=")) {
		sample(c, rest, &ev);
		push(c, &ev);
	} else if (!strcmp(s, ">") || !strcmp(s, "<")) {
		ev.kind = *s == '>' ? EV_ENTER : EV_EXIT;
		call = strchr(rest, ' ');
		if (call)
			*call++ = '\0';
		if (is_time(rest, &ev.time))
			ev.has |= EV_HAS_TIME;
		set_call(c, &ev, call);
		set_text(&ev, *s == '>' ? &c->text : &c->message);
		push(c, &ev);
	} else {
		fail("see the comment at the top of testdata/gen/calls.c");
	}
}

struct many {
	uint64_t events, depth, functions, callees, threads, frame;
	bool deeper;
};

/* The open calls of a thread. */
struct opened {
	uint64_t n, *who;
	uint32_t *stacks, thread;
};

static void begin_thread(struct calls *c, struct opened *t, const struct many *m, unsigned i)
{
	char name[24];

	snprintf(name, sizeof name, i ? "Worker %u" : "Main", i);
	t->who = calloc(m->depth, sizeof *t->who);
	t->stacks = calloc(m->depth, sizeof *t->stacks);
	if (!t->who || !t->stacks)
		fail("no memory");
	t->thread =
	    trace_thread(c->t, &(struct thread){.name = trace_strz(c->t, name), .tid = 1 + i});
}

static void many(struct calls *c, const struct many *m)
{
	uint32_t *stacks = calloc(m->functions, sizeof *stacks);
	struct opened *threads = calloc(m->threads, sizeof *threads);
	uint64_t state = 1, half = m->events / 2, frames = 0;
	struct event ev = {.has = EV_HAS_STACK | EV_HAS_TIME | EV_HAS_THREAD, .count = 1};
	char name[40];

	if (!stacks || !threads)
		fail("no memory");
	for (uint64_t i = 0; i < m->functions; i++) {
		snprintf(name, sizeof name, "game::Function%u", (unsigned)i);
		stacks[i] = trace_stack(c->t, 0, location(c, name));
	}
	for (unsigned i = 0; i < m->threads; i++)
		begin_thread(c, &threads[i], m, i);
	for (uint64_t i = 0; i < m->events; i++) {
		struct opened *t = &threads[m->threads > 1 ? lcg_below(&state, m->threads) : 0];
		uint64_t n = t->n, *who = t->who;
		bool enter = m->deeper ? i < half : !n || (n < m->depth && lcg_below(&state, 2));

		ev.time += lcg_below(&state, 2000) ? 1000 : 1000000;
		for (; m->frame && (uint64_t)ev.time >= frames * m->frame * 1000; frames++)
			push(c, &(struct event){.kind = EV_FRAME,
						.has = EV_HAS_VALUE | EV_HAS_TIME,
						.value = (int64_t)frames,
						.time = (int64_t)(frames * m->frame * 1000)});
		ev.kind = enter ? EV_ENTER : EV_EXIT;
		ev.thread = t->thread;
		if (m->deeper)
			ev.stack = stacks[(enter ? i : m->events - 1 - i) % m->functions];
		else if (enter) {
			who[n] =
			    !m->callees ? lcg_below(&state, m->functions)
			    : n ? (who[n - 1] * m->callees + 1 + lcg_below(&state, m->callees)) %
				      m->functions
				: 0;
			ev.stack = t->stacks[n] = stacks[who[n]];
			t->n++;
		} else {
			ev.stack = t->stacks[--t->n];
		}
		push(c, &ev);
	}
	for (unsigned i = 0; i < m->threads; i++) {
		free(threads[i].who);
		free(threads[i].stacks);
	}
	free(stacks);
	free(threads);
}

int main(int argc, char **argv)
{
	struct writer *w = writer_new(stdout);
	struct calls c = {.t = trace_new(), .sink = writer_sink(w)};
	struct many m = {.depth = 40, .functions = 500, .threads = 1};
	struct err e = ERR_INIT;
	char text[LINE];

	for (int i = 1; i < argc; i++) {
		uint64_t *to = !strcmp(argv[i], "--events")      ? &m.events
			       : !strcmp(argv[i], "--depth")     ? &m.depth
			       : !strcmp(argv[i], "--functions") ? &m.functions
			       : !strcmp(argv[i], "--callees")   ? &m.callees
			       : !strcmp(argv[i], "--threads")   ? &m.threads
			       : !strcmp(argv[i], "--frame")     ? &m.frame
								 : NULL;

		if (!strcmp(argv[i], "--deeper"))
			m.deeper = true;
		else if (!to || ++i == argc || !num_dec(argv[i], strlen(argv[i]), to) || !*to)
			fail("see the comment at the top of testdata/gen/calls.c");
	}
	trace_metric(c.t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	if (c.sink->begin(c.sink, c.t, &e))
		fail(e.msg);
	if (m.events)
		many(&c, &m);
	while (!m.events && fgets(text, sizeof text, stdin)) {
		text[strcspn(text, "\n")] = '\0';
		line(&c, text);
	}
	if (c.sink->end(c.sink, c.t, &e))
		fail(e.msg);
	trace_free(c.t);
	writer_free(w);
	if (fclose(stdout))
		fail("write error");
	return 0;
}
