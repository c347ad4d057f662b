/* SPDX-License-Identifier: MIT
 *
 *	systrace [--n N] FORM >FILE
 *
 * The kernel's trace as text: the times of `perfetto --n N sched` (testdata/gen/perfetto.c, put_sched) and, from 100 ms
 * after them on, marks of two threads of process 100: N loads of 20 ms that overlap (S, F), and a counter i + 0.5.
 * Lines of both processors are in order of time. FORM:
 *
 *	atrace	with processes and flags, as Android has them since version 4.4
 *	old	without processes and flags
 *	page	old, in a page of systrace of 2012
 *	new	a page with the text in a script of its own
 *	cpus	atrace, the lines of one processor behind those of the other
 *	odd	atrace, with lines that are none, and events whose arguments are not there
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	unsigned n;
	const char *form;
} opt = {.n = 30, .form = "atrace"};

static struct line {
	unsigned long long us;
	int cpu, order;
	char text[200];
} * lines;
static size_t n_lines;

static int is(const char *form)
{
	return !strcmp(opt.form, form);
}

static void add(unsigned long long us, int cpu, const char *task, int tid, const char *what)
{
	struct line *l;
	unsigned long long at = 20000000 + us;

	lines = realloc(lines, (n_lines + 1) * sizeof *lines);
	if (!lines)
		exit(1);
	l = &lines[n_lines];
	*l = (struct line){.us = us, .cpu = cpu, .order = (int)n_lines};
	n_lines++;
	if (is("old") || is("page"))
		snprintf(l->text, sizeof l->text, "%16s-%-5d [%03d] %5llu.%06llu: %s", task, tid,
			 cpu, at / 1000000, at % 1000000, what);
	else
		snprintf(l->text, sizeof l->text, "%16s-%-5d (%s) [%03d] d..3 %5llu.%06llu: %s",
			 task, tid, tid >= 100 && tid < 103 ? "  100" : "-----", cpu, at / 1000000,
			 at % 1000000, what);
}

static const char *name_of(int tid)
{
	static char name[24];

	snprintf(name, sizeof name, "%s%d",
		 tid == 900 ? "stranger "
		 : tid      ? "thread"
			    : "swapper/",
		 tid ? tid - 100 : 1);
	return tid == 900 ? "stranger" : name;
}

static void add_switch(unsigned long long us, int cpu, int prev, const char *state, int next)
{
	char what[160];
	int n = snprintf(what, sizeof what,
			 "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> ",
			 name_of(prev), prev, state);

	snprintf(what + n, sizeof what - (size_t)n, "next_comm=%s next_pid=%d next_prio=120",
		 name_of(next), next);
	add(us, cpu, prev ? name_of(prev) : "<idle>", prev, what);
}

static void add_mark(unsigned long long us, int tid, const char *mark)
{
	char what[160];

	snprintf(what, sizeof what, "tracing_mark_write: %s", mark);
	add(us, 0, "<...>", tid, what);
}

static void add_frame(unsigned i)
{
	unsigned long long at = i * 16000ull;
	char what[100];

	add_switch(at, 0, 0, "R", 101);
	snprintf(what, sizeof what, "cpu_frequency: state=%u cpu_id=3", 1000000 + 1000 * (i % 3));
	add(at, 0, "<idle>", 0, what);
	add_mark(at, 101, "B|100|Frame");
	add_mark(at + 2000, 101, "B|100|Wait");
	add_switch(at + 3000, 0, 101, "S", 0);
	add(at + 7000, 0, "<idle>", 0,
	    "sched_waking: comm=thread1 pid=101 prio=120 target_cpu=000");
	add_switch(at + 8000, 0, 0, "R", 101);
	add_mark(at + 9000, 101, is("old") || is("page") ? "E" : "E|100");
	add_mark(at + 12000, 101, "E|100");
	add_switch(at + 13000, 0, 101, "S", 0);
	add_switch(at, 2, 0, "R", 102);
	add_switch(at + 3000, 2, 102, "R+", 900);
	add_switch(at + 8000, 2, 900, "R", 102);
	add_switch(at + 9000, 2, 102, "D|K", 0);
}

static void add_load(unsigned i)
{
	unsigned long long at = opt.n * 16000ull + 100000 + i * 16000ull;
	char what[100];

	snprintf(what, sizeof what, "S|100|load|%u", i);
	add_mark(at, 100, what);
	snprintf(what, sizeof what, "F|100|load|%u", i);
	add_mark(at + 20000, 102, what);
	snprintf(what, sizeof what, "C|100|score|%u.5", i);
	add_mark(at, 100, what);
}

static int line_order(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (is("cpus") && a->cpu != b->cpu)
		return b->cpu - a->cpu;
	if (a->us != b->us)
		return a->us < b->us ? -1 : 1;
	return a->order - b->order;
}

int main(int argc, char **argv)
{
	const char *end = "\n";
	int i = 1;

	if (argc > 3 && !strcmp(argv[1], "--n")) {
		opt.n = (unsigned)atoi(argv[2]);
		i = 3;
	}
	if (i + 1 != argc)
		return 2;
	opt.form = argv[i];
	for (unsigned k = 0; k < opt.n; k++)
		add_frame(k);
	for (unsigned k = 0; k < opt.n; k++)
		add_load(k);
	if (is("odd")) {
		add(1, 0, "a-b [3] c", 7, "sched_switch: prev_comm=x");
		add(2, 0, "x", 7, "cpu_frequency: state=many cpu_id=0");
		add(3, 0, "x", 7, "irq_handler_entry: irq=1 name=timer");
	}
	qsort(lines, n_lines, sizeof *lines, line_order);
	if (is("page") || is("new")) {
		puts("<!DOCTYPE HTML>\n<html>\n<head>\n<title>Android System "
		     "Trace</title>\n</head>\n<body>");
		puts(is("page") ? "  <script>\n  var linuxPerfData = \"\\"
				: "<script class=\"trace-data\" type=\"application/text\">");
	}
	if (is("page"))
		end = "\\n\\\n";
	printf("# tracer: nop%s#%s", end, end);
	for (size_t k = 0; k < n_lines; k++)
		printf("%s%s", lines[k].text, end);
	if (is("odd"))
		puts("no line at all\n   [001]\nx-1 [001] d..1 99999999999999999999.5: print: E");
	if (is("page") || is("new"))
		printf("%s</script>\n</body>\n</html>\n", is("page") ? "\";\n" : "");
	free(lines);
	return fflush(stdout) ? 1 : 0;
}
