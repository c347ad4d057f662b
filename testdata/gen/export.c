/* SPDX-License-Identifier: MIT
 *
 * Traces for tm-export's tests, and the expected contents of their exports:
 *
 *	export spans        two threads that enter and leave markers, with what is not balanced
 *	export spans.speedscope, spans.chrome
 *	export hostile      names with separators, quotes, controls, bytes that are no UTF-8
 *	export hostile.folded
 *	export long         a name of 10 MB
 *	export library      assembler text of a libUE4.so: a function for each MiB from 0x5900000
 */
#include "lib/base/mem.h"
#include "lib/trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct err failure = ERR_INIT;

static void push(struct sink *s, struct trace *t, struct event ev)
{
	if (sink_event(s, t, &ev, &failure))
		exit(3);
}

static void begin(struct sink *s, struct trace *t)
{
	if (s->begin(s, t, &failure))
		exit(3);
}

static void finish(struct sink *s, struct trace *t, struct writer *w)
{
	if (s->end(s, t, &failure))
		exit(3);
	writer_free(w);
	trace_free(t);
}

static void spans(void)
{
	struct writer *w = writer_new(stdout);
	struct sink *s = writer_sink(w);
	struct trace *t = trace_new();
	uint32_t update, draw, heap, ids[2];
	static const struct {
		uint8_t kind, thread, marker;
		int64_t time;
	} rows[] = {
	    {EV_ENTER, 0, 0, 1000}, {EV_ENTER, 0, 1, 1500}, {EV_ENTER, 1, 1, 1600},
	    {EV_EXIT, 0, 1, 2000},  {EV_EXIT, 1, 0, 2100},  /* was not entered */
	    {EV_EXIT, 0, 0, 2500},  {EV_ENTER, 0, 0, 3001}, /* stays open, as thread 1's */
	};

	begin(s, t);
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	update = trace_marker(t, &(struct marker){.name = trace_strz(t, "Update")});
	draw = trace_marker(t, &(struct marker){.name = trace_strz(t, "Draw \"all\"")});
	heap = trace_counter(t, &(struct counter){trace_strz(t, "heap"), trace_strz(t, "bytes")});
	ids[0] = trace_thread(t, &(struct thread){.tid = 7, .name = trace_strz(t, "main")});
	ids[1] = trace_thread(t, &(struct thread){.tid = 8});
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		push(s, t,
		     (struct event){.kind = rows[i].kind,
				    .has = EV_HAS_TYPE | EV_HAS_THREAD | EV_HAS_TIME,
				    .type = rows[i].marker ? draw : update,
				    .thread = ids[rows[i].thread],
				    .time = rows[i].time});
	push(s, t,
	     (struct event){.kind = EV_COUNTER,
			    .has = EV_HAS_TYPE | EV_HAS_TIME | EV_HAS_VALUE,
			    .type = heap,
			    .time = 4000,
			    .value = -5});
	push(s, t,
	     (struct event){.kind = EV_SAMPLE,
			    .has = EV_HAS_TYPE | EV_HAS_THREAD | EV_HAS_TIME | EV_HAS_VALUE,
			    .type = update,
			    .thread = ids[1],
			    .time = 5000,
			    .value = 1250});
	finish(s, t, w);
}

static const char hostile[] = "a;b c\td\ne\"f\\g\x01h\xff\xc3\xa9i\x7f";

static uint32_t stack_of(struct trace *t, const char *const *names, size_t n)
{
	uint32_t ids[8];

	for (size_t i = 0; i < n; i++)
		ids[i] = trace_location(
		    t, &(struct location){.space = SPACE_NAME, .name = trace_strz(t, names[i])});
	return trace_stack_of(t, ids, n);
}

static void allocation(struct sink *s, struct trace *t, const char *type, uint32_t stack,
		       uint64_t size)
{
	push(s, t,
	     (struct event){.kind = EV_ALLOC,
			    .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_REQUESTED,
			    .type = trace_type(t, type, strlen(type)),
			    .stack = stack,
			    .requested = size});
}

static void names(bool is_long)
{
	static const char *const odd[] = {hostile, "quote \"", "plain"};
	struct writer *w = writer_new(stdout);
	struct sink *s = writer_sink(w);
	struct trace *t = trace_new();
	size_t n = 10 << 20;
	char *text = mem_zalloc(n + 1);
	const char *const one[] = {text};

	memset(text, 'x', n);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(s, t);
	push(s, t,
	     (struct event){.kind = EV_FRAME,
			    .has = EV_HAS_VALUE | EV_HAS_NAME,
			    .value = 1,
			    .name = trace_strz(t, is_long ? text : hostile)});
	if (is_long)
		allocation(s, t, text, stack_of(t, one, 1), 8);
	else
		allocation(s, t, hostile, stack_of(t, odd, 3), 16);
	finish(s, t, w);
	free(text);
}

static void library(void)
{
	puts("\t.text\n\t.balign 4096");
	for (int i = 0; i < 24; i++) {
		const char *name = i == 3   ? "odd;\\\"\xc3\xa9 name"
				   : i == 4 ? "_ZN5Arena5allocEm"
					    : NULL;
		char plain[16];

		snprintf(plain, sizeof plain, "f%d", i);
		if (!name)
			name = plain;
		printf("\t.globl \"%s\"\n\t.type \"%s\", %%function\n\"%s\":\n\t.skip 0x100000\n"
		       "\t.size \"%s\", 0x100000\n",
		       name, name, name, name);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "spans"))
		spans();
	else if (!strcmp(kind, "spans.speedscope"))
		puts("main (7): OUpdate@1000 ODraw \"all\"@1500 CDraw \"all\"@2000 CUpdate@2500 "
		     "OUpdate@3001 CUpdate@3001\n"
		     "thread 8: ODraw \"all\"@1600 CDraw \"all\"@2100");
	else if (!strcmp(kind, "spans.chrome"))
		puts("B\tUpdate\t1\nB\tDraw \"all\"\t1.5\nB\tDraw \"all\"\t1.6\n"
		     "E\tDraw \"all\"\t2\nE\tUpdate\t2.5\nB\tUpdate\t3.001\n"
		     "C\theap\t4\nX\tUpdate\t5\n"
		     /* what is open ends with the last event of its thread */
		     "E\tUpdate\t3.001\nE\tDraw \"all\"\t2.1");
	else if (!strcmp(kind, "hostile") || !strcmp(kind, "long"))
		names(*kind == 'l');
	else if (!strcmp(kind, "hostile.folded"))
		puts("plain;quote \";a:b c d e\"f\\g h\xef\xbf\xbd\xc3\xa9i ;"
		     "a:b c d e\"f\\g h\xef\xbf\xbd\xc3\xa9i  16");
	else if (!strcmp(kind, "library"))
		library();
	else
		return 2;
	return fflush(stdout) != 0;
}
