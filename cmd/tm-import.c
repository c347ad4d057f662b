/* SPDX-License-Identifier: MIT
 *
 * tm-import: any capture -> the trace stream, on standard output.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/cli/cli.h"
#include "lib/cli/walk.h"
#include "lib/trace/merge.h"
#include "lib/trace/tap.h"
#include "lib/trace/writer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const align_words[] = {"auto", "frames", "time", NULL};

/* A line of words; what is missed only where captures of its kind tend to have it. */
static void list_words(const char *title, unsigned capabilities)
{
	const char *between = title;

	for (size_t i = 0; capabilities_words[i]; i++)
		if (capabilities >> i & 1) {
			printf("%s%s", between, capabilities_words[i]);
			between = ", ";
		}
}

static void list_format(const struct reader *r, const char *name, unsigned capabilities,
			const char *what)
{
	const unsigned of_heap = CAPABILITY_TYPES | CAPABILITY_REFERENCES;
	const unsigned of_runs = CAPABILITY_STACKS | CAPABILITY_TIME | CAPABILITY_THREADS |
				 CAPABILITY_FRAMES | CAPABILITY_ADDRESSES;
	unsigned missed = capabilities & CAPABILITY_OBJECTS ? of_heap : of_runs;

	if (capabilities & CAPABILITY_ALLOCATIONS)
		missed |= CAPABILITY_LIVE | CAPABILITY_TYPES;
	printf("%-20s %s\n%20s ", name, what, "");
	list_words("has ", capabilities);
	list_words("; no ", missed & ~capabilities);
	if (r->page)
		printf("; see tracemill-%s(5)", r->page);
	putchar('\n');
}

static int compare_formats(const void *a, const void *b)
{
	const struct reader *x = *(const struct reader *const *)a;
	const struct reader *y = *(const struct reader *const *)b;
	int order = strcasecmp(x->family, y->family);

	return order ? order : strcmp(x->name, y->name);
}

static void list_formats(void)
{
	const struct reader **sorted;
	size_t n = 0;

	while (readers[n])
		n++;
	sorted = mem_array(n, sizeof *sorted);
	memcpy(sorted, readers, n * sizeof *sorted);
	sort_array(sorted, n, sizeof *sorted, compare_formats);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(sorted[i]->family, sorted[i - 1]->family) != 0)
			printf("%s%s:\n", i ? "\n" : "", sorted[i]->family);
		list_format(sorted[i], sorted[i]->name, sorted[i]->capabilities, sorted[i]->what);
		for (const struct reader_part *p = sorted[i]->parts; p && p->name; p++)
			list_format(sorted[i], p->name, p->capabilities, p->what);
	}
	free(sorted);
}

/* The writer, with the notes of each capture printed before it is closed. */
struct import_tap {
	struct sink_tap tap; /* first */
	struct cli_loop *loop;
};

static enum status tm_import_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	const struct import_tap *i = (const struct import_tap *)tap;
	uint64_t n = 0;

	(void)e;
	cli_notes(i->loop->file, t, 0, NOTE_LOSS);
	for (int k = 0; k < EV_KINDS; k++)
		n += t->events[k];
	cli_info(i->loop->file,
		 "%s: %llu events, %zu locations, %zu stacks, %zu types, %zu modules",
		 trace_get(t, "format") ? trace_get(t, "format") : "trace", (unsigned long long)n,
		 t->n_locations - 1, t->n_stacks - 1, t->n_types - 1, t->n_modules - 1);
	return ST_OK;
}

static const struct tap_hooks tm_import_hooks = {.end = tm_import_end};

/* "2=1.5s": what is added to the times of the second file. */
static bool tm_import_clock_offset(const struct opt_list *l, int file, int files, int64_t *offset)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *equals = strchr(l->items[i], '=');
		uint64_t n = 0;

		if (!equals || !num_dec(l->items[i], (size_t)(equals - l->items[i]), &n) || !n ||
		    n > (uint64_t)files)
			cli_usage(
			    "--clock-offset: '%s' does not begin with the number of a file: 2=1.5s",
			    l->items[i]);
		if (!num_time(equals + 1, strlen(equals + 1), offset))
			cli_usage("--clock-offset: '%s' does not end with a time: 2=1.5s, 3=-20ms",
				  l->items[i]);
		if (n == (uint64_t)file)
			return true;
	}
	*offset = 0;
	return false;
}

static void tm_import_merge_files(struct cli_loop *loop, struct sink_tap *tap, int align,
				  const struct opt_list *offsets, int n, char **operands)
{
	struct merge_options o = {.align = (enum merge_align)align, .spool = input_temporary_file};
	struct merge *m = merge_new(&o);
	struct sink *to = tap->to;
	struct err e = ERR_INIT;

	sink_tap_init(tap, merge_sink(m), tap->hooks, tap->rows);
	for (int i = 0; i < n; i++) {
		int64_t offset = 0;
		bool given = tm_import_clock_offset(offsets, i + 1, n, &offset);

		merge_part(m, operands[i], given, offset);
		cli_inputs(loop, 1, operands + i);
	}
	if (loop->read && merge_write(m, to, &e))
		cli_fail(NULL, &e);
	merge_free(m);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	const char *output = NULL;
	bool list = false, merge = false;
	struct opt_list offsets = {0}, unwind = {0};
	struct walk_files walk;
	int align = MERGE_AUTO;
	const struct opt options[] = {
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output", &output),
	    ROW_FLAG(0, "list-formats", "print the formats that tm-import reads and end", &list),
	    ROW_FLAG(0, "merge", "merge the captures of one run into one", &merge),
	    ROW_CHOICE(0, "align", "HOW", "--merge: by frames (their numbers), time or auto",
		       &align, align_words),
	    ROW_LIST(0, "clock-offset", "OFFSET",
		     "--merge: N=TIME adds TIME to the N-th file's times", &offsets),
	    CLI_IMPORT_ROWS(import),
	    ROW_STRING(0, "columns", "WORDS",
		       "a CSV table of any tool: WORDS say what its columns are",
		       &import.options.table),
	    ROW_LIST(0, "unwind", "FILE",
		     "a minidump's .exe, .dll or .sym, by which its stacks are walked", &unwind),
	    ROW_HEADING("captures of Lua profilers:"),
	    ROW_FLAG(0, "collapse-resumes", "one node for a chain of one coroutine's resumes",
		     &import.options.collapse_resumes),
	    ROW_NUMBER(0, "tick-rate", "HZ", "ticks per second of the capture's clock",
		       &import.options.tick_rate),
	    ROW_FLAG(0, "unclamped", "allow negative self bytes of a node",
		     &import.options.unclamped),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-import", "[FILE...]", "Converts captures of other tools to a trace.", options};
	struct import_tap sink;
	struct cli_loop loop = {.import = &import.options, .sink = &sink.tap.sink};
	struct writer *writer;
	int n = opt_parse(&program, argc, argv);

	if (list) {
		list_formats();
		return cli_exit();
	}
	cli_import_done(&import);
	if (import.options.table && !import.options.format)
		import.options.format = "table";
	if (import.options.tick_rate > 1000000000)
		cli_usage("--tick-rate: at most 1000000000");
	cli_output(output);
	cli_sandbox("tm-import", NULL);
	walk_files_open(&walk, &unwind);
	import.options.walker = &walk.walker;
	writer = writer_new(stdout);
	sink_tap_init(&sink.tap, writer_sink(writer), &tm_import_hooks, false);
	sink.loop = &loop;
	if (merge && n < 2)
		cli_usage("--merge takes two or more files");
	if (!merge && (offsets.n || align))
		cli_usage("--align and --clock-offset need --merge");
	if (merge)
		tm_import_merge_files(&loop, &sink.tap, align, &offsets, n, argv + 1);
	else
		cli_inputs(&loop, n, argv + 1);
	walk_files_report(&walk);
	opt_list_release(&offsets);
	opt_list_release(&unwind);
	walk_files_release(&walk);
	writer_free(writer);
	return cli_exit();
}
