/* SPDX-License-Identifier: MIT
 *
 * tm-filter: the part of a capture that filters keep, as a trace.
 */
#include "lib/cli/filter.h"
#include "lib/group/filter_sink.h"
#include "lib/trace/anonymize.h"
#include "lib/trace/tap.h"
#include "lib/trace/writer.h"

#include <stdlib.h>

/* The notes of each capture are printed before it is closed. */
struct told {
	struct sink_tap tap; /* first */
	const struct cli_loop *loop;
	struct buf filters; /* in words */
};

static enum status filter_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct told *w = (struct told *)tap;

	(void)e;
	if (w->filters.len)
		trace_set(t, TRACE_FILTERED, buf_str(&w->filters));
	return ST_OK;
}

static enum status filter_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	const struct told *w = (const struct told *)tap;

	(void)e;
	cli_notes(w->loop->file, t, 0, NOTE_LOSS);
	return ST_OK;
}

static const struct tap_hooks filter_hooks = {.begin = filter_begin, .end = filter_end};

enum { STAND_IN_NOTHING, STAND_IN_PATHS, STAND_IN_FUNCTIONS };

/* The text that stand-ins depend on: all of a file. */
static void read_key(const char *path, struct buf *key)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	size_t n;

	if (!input_open(&in, path, &e))
		while ((n = cursor_available(&in.cur, 1))) {
			buf_add(key, in.cur.pos, n);
			in.cur.pos += n;
		}
	if (e.code || !key->len)
		cli_die(path, "--anonymize-key: %s", e.code ? e.msg : "an empty file");
	input_close(&in);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	struct cli_filter filter = {0};
	static const char *const what_for[] = {"nothing", "paths", "functions", NULL};
	const char *output = NULL, *key_file = NULL;
	int anonymous = STAND_IN_NOTHING;
	const struct opt options[] = {
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output", &output),
	    ROW_OPTIONAL(0, "anonymize", "WHAT",
			 "replace paths, users, threads and commands; =functions: functions, too",
			 &anonymous, what_for, "paths"),
	    ROW_STRING(0, "anonymize-key", "FILE",
		       "secret key, so that others cannot guess the originals", &key_file),
	    CLI_FILTER_ROWS(filter),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-filter", "[FILE...]", "Keeps a part of a capture, or makes it anonymous.", options};
	struct told told = {.loop = NULL};
	struct cli_loop loop = {.import = &import.options};
	struct grouped_profile_options what = {.domain = DOMAIN_ALL};
	struct anonymize *anonymize = NULL;
	struct buf key = BUF_INIT;
	struct writer *writer;
	struct sink *to;
	struct filter_sink *filtered;
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	if (key_file && !anonymous)
		cli_usage("--anonymize-key needs --anonymize");
	if (key_file)
		read_key(key_file, &key);
	cli_output(output);
	cli_sandbox("tm-filter", NULL);
	cli_filter_done(&filter);
	cli_filter_project(&filter, &what);
	writer = writer_new(stdout);
	to = writer_sink(writer);
	if (anonymous) {
		anonymize =
		    anonymize_new(to, anonymous == STAND_IN_FUNCTIONS, buf_at(&key, 0), key.len);
		to = anonymize_sink(anonymize);
	}
	sink_tap_init(&told.tap, to, &filter_hooks, false);
	told.loop = &loop;
	cli_filter_words(&filter, &told.filters);
	if (anonymous && told.filters.len) {
		told.filters.len = 0;
		buf_adds(&told.filters, "what is not told");
	}
	loop.marks = loop.frames_selected = filter.selection.frames.n > 0;
	filtered = filter_sink_new(&told.tap.sink, &what);
	loop.sink = filter_sink_in(filtered);
	cli_inputs(&loop, n, argv + 1);
	filter_sink_free(filtered);
	anonymize_free(anonymize);
	buf_release(&key);
	buf_release(&told.filters);
	writer_free(writer);
	cli_filter_release(&filter);
	return cli_exit();
}
