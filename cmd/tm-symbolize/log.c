/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/log.h"

#include "lib/cli/cli.h"
#include "lib/cli/file_kind.h"
#include "lib/cli/symbolizer.h"
#include "lib/input/input.h"
#include "lib/library/trace_symbolizer.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_LONGEST = 1 << 20, ENOUGH = 4 << 20 };

struct log {
	struct tracemill_symbolizer *s;
	struct tracemill_trace_symbolizer *trace_symbolizer;
	const char *file;
	const char *path; /* NULL: it cannot be read twice */
	bool ahead;       /* what lines say of modules, and no more */
	struct buf lines; /* that wait */
};

static bool stack_log_read_file(struct log *g, const char *path);

/* A line may say that the module of earlier ones is of another build. */
static void read_ahead(struct log *g)
{
	struct log ahead = {
	    .s = g->s, .trace_symbolizer = g->trace_symbolizer, .file = g->file, .ahead = true};

	stack_log_read_file(&ahead, g->path);
	buf_release(&ahead.lines);
	g->path = NULL;
}

static void pour(struct log *g)
{
	const char *named;
	size_t n;

	if (g->ahead) {
		if (trace_symbolizer_scan_text(g->trace_symbolizer, buf_at(&g->lines, 0),
					       g->lines.len))
			cli_symbolizer_fail(g->s, g->file);
		g->lines.len = 0;
		return;
	}
	if (tracemill_trace_symbolizer_text(g->trace_symbolizer, buf_at(&g->lines, 0), g->lines.len,
					    &named, &n))
		cli_symbolizer_fail(g->s, g->file);
	cli_print_colored(named, n);
	g->lines.len = 0;
}

static void add_line(struct log *g, const char *s, size_t n)
{
	buf_add(&g->lines, s, n);
	buf_addc(&g->lines, '\n');
	if (g->lines.len < ENOUGH)
		return;
	if (g->path)
		read_ahead(g);
	pour(g);
}

static void stack_log_add_lines(void *arg, const struct input_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_line(arg, lines[i].s, lines[i].n);
	pour(arg);
}

/* The length of the next line with its end; 0: none. */
static size_t next_line(struct cursor *c)
{
	for (size_t want = 1; want <= LINE_LONGEST; want *= 2) {
		size_t n = cursor_available(c, want);
		const uint8_t *end = n ? memchr(c->pos, '\n', n) : NULL;

		if (end)
			return (size_t)(end - c->pos) + 1;
		if (n < want)
			return n;
		want = n;
	}
	return LINE_LONGEST;
}

/* A program or a capture of bytes is not for a terminal. */
static bool is_binary(struct input *in)
{
	const uint8_t *head;
	size_t n;

	return !input_head(in, &head, &n) && n && memchr(head, 0, n);
}

static bool refuse_binary(struct log *g, struct input *in, const char *path)
{
	const char *advice, *what;
	bool is_capture;

	if (g->ahead || !g->path || !is_binary(in))
		return false;
	what = file_not_a_log(path, &is_capture, &advice);
	if (!what)
		return false;
	if (is_capture)
		cli_error(path, "a capture (%s): without --text, tm-symbolize names its calls",
			  what);
	else
		cli_error(path, "%s, and no log%s%s", what, advice ? ": " : "",
			  advice ? advice : "");
	cli_status(EXIT_INPUT);
	return true;
}

/* False: it cannot be read, or is no log, which has been said. */
static bool stack_log_read_file(struct log *g, const char *path)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	size_t n;
	bool failed;

	if (input_open(&in, path, &e)) {
		if (!g->ahead)
			cli_fail(path, &e);
		return false;
	}
	if (refuse_binary(g, &in, path)) {
		input_close(&in);
		return false;
	}
	while ((n = next_line(&in.cur))) {
		const char *s = (const char *)in.cur.pos;

		add_line(g, s, n - (s[n - 1] == '\n'));
		in.cur.pos += n;
		cli_progress(g->ahead ? "reading" : "symbolizing", input_consumed(&in), in.size);
	}
	pour(g);
	failed = cursor_failed(&in.cur);
	if (failed && !g->ahead)
		cli_fail(path, &e);
	input_close(&in);
	return !failed;
}

/* noted: notes have said what to do. */
static void report_no_call(const char *file, const char *path, bool noted)
{
	bool is_capture = false;
	const char *advice = NULL, *what = path ? file_not_a_log(path, &is_capture, &advice) : NULL;

	if (what && is_capture)
		cli_note(file, "a capture (%s): without --text, tm-symbolize names its calls",
			 what);
	else if (what && !noted)
		cli_note(file, "%s, and no log%s%s", what, advice ? ": " : "",
			 advice ? advice : "");
	else if (!what)
		cli_note(file, "no line of the log is a call of a stack%s",
			 noted ? "" : "; tm-symbolize(1) lists the known forms: Logs");
}

/* Calls without a new name, and why: of one, and of several. */
static void report_unnamed(const char *file, unsigned reason, uint64_t n)
{
	static const char *const texts[][2] = {
	    [TRACEMILL_REASON_NO_MODULE] = {"where its module was in memory is not known",
					    "where their module was in memory is not known"},
	    [TRACEMILL_REASON_NO_FILE] = {"there is no file for its module",
					  "there is no file for their module"},
	    [TRACEMILL_REASON_OTHER_BUILD] =
		{"the file of its module, which a note names, is of another build",
		 "the file of their module, which a note names, is of another build"},
	    [TRACEMILL_REASON_BAD_FILE] = {"the file of its module cannot be read",
					   "the file of their module cannot be read"},
	    [TRACEMILL_REASON_OUTSIDE] = {"its module has no code there",
					  "their module has no code there"},
	    [TRACEMILL_REASON_NO_SYMBOL] =
		{"no function or symbol in the file of its module is there",
		 "no function or symbol in the file of their module is there"},
	    [TRACEMILL_REASON_REPLACED] = {
		"the file of its module, which a note names, is of another build",
		"the file of their module, which a note names, is of another build"}};
	const char *text = reason < sizeof texts / sizeof *texts ? texts[reason][n != 1] : NULL;

	cli_note(file, "%" PRIu64 " call%s: %s", n,
		 n == 1 ? " stays as it was" : "s stay as they were",
		 text ? text : tracemill_reason_text(reason));
}

static void report(const struct tracemill_text_sums *x, const char *file, const char *path,
		   bool noted)
{
	uint64_t none = x->n - x->named - x->kept;

	if (!x->n) {
		report_no_call(file, path, noted);
		return;
	}
	cli_note(file, "%" PRIu64 " of %" PRIu64 " call%s named%s", x->named, x->n,
		 x->n == 1       ? " was"
		 : x->named == 1 ? "s was"
				 : "s were",
		 !none && x->kept ? "; the others had names" : "");
	if (x->kept)
		cli_note(file, "%" PRIu64 " call%s: no better one was found", x->kept,
			 x->kept == 1 ? " keeps the name that it had"
				      : "s keep the names that they had");
	for (unsigned r = 0; r < sizeof x->reasons / sizeof *x->reasons; r++)
		if (x->reasons[r])
			report_unnamed(file, r, x->reasons[r]);
}

struct tracemill_text_sums cli_stack_text(struct tracemill_symbolizer *s,
					  struct tracemill_trace_symbolizer *n, const char *path,
					  bool *modules)
{
	bool piped = !strcmp(path, "-"), noted = false, read = true;
	struct stat st;
	struct log g = {.s = s,
			.trace_symbolizer = n,
			.file = piped ? "<stdin>" : path,
			.path = !piped && !stat(path, &st) && S_ISREG(st.st_mode) ? path : NULL};
	struct tracemill_text_sums sums = {.size = sizeof sums};
	const char *note;

	if (piped)
		cli_log_lines(LINE_LONGEST, stack_log_add_lines, &g);
	else
		read = stack_log_read_file(&g, path);
	cli_progress_clear();
	buf_release(&g.lines);
	while ((note = trace_symbolizer_next_text_note(n))) {
		cli_note(g.file, "%s", note);
		noted = true;
	}
	*modules |= trace_symbolizer_text_has_modules(n);
	if (tracemill_trace_symbolizer_text_end(n, &sums))
		cli_symbolizer_fail(s, g.file);
	else if (read || sums.n)
		report(&sums, g.file, piped ? NULL : path, noted);
	return sums;
}
